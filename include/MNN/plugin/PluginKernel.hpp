// How a plugin op computes, and the registry that finds it by type.
#ifndef MNN_PLUGIN_PLUGINKERNEL_HPP
#define MNN_PLUGIN_PLUGINKERNEL_HPP

#include <functional>
#include <string>
#include <unordered_map>
#include <MNN/MNNDefine.h>
#include <MNN/plugin/PluginContext.hpp>

namespace MNN {
namespace plugin {

/// Computes one op with a context of type KernelContextT.
template <typename KernelContextT>
class MNN_PUBLIC ComputeKernel {
public:
    ComputeKernel() = default;
    virtual ~ComputeKernel() = default;

    /// Writes the outputs. False ends the run with an error; log the reason with MNN_ERROR.
    virtual bool compute(KernelContextT* ctx) = 0;
};

/// A kernel for the CPU. One object serves one op of one session, so it may keep state; its calls never overlap.
class MNN_PUBLIC CPUComputeKernel : public ComputeKernel<CPUKernelContext> {
public:
    using ContextT = CPUKernelContext;
    using KernelT = CPUComputeKernel;

    CPUComputeKernel() = default;
    virtual ~CPUComputeKernel() = default;

    /// Called once, before anything else. False makes the session's creation fail.
    virtual bool init(CPUKernelContext* ctx) = 0;
    /// Called when shapes are known and after each change. False makes the resize fail.
    virtual bool resize(CPUKernelContext* ctx) {
        (void)ctx;
        return true;
    }
    virtual bool compute(CPUKernelContext* ctx) = 0;

    /// True when the engine gives inputs and outputs memory before compute.
    bool needAllocIO() const { return mNeedAllocIO; }

protected:
    bool mNeedAllocIO = true;
};

/// Kernels by plugin type. The library holds the one map. add and get are safe to call from any thread; a caller of
/// getFactoryMap must see to it that nobody registers meanwhile.
template <typename PluginKernelT>
class MNN_PUBLIC ComputeKernelRegistry {
public:
    /// Makes a kernel, which the caller owns.
    typedef std::function<PluginKernelT*()> Factory;

    /// The map itself, never nullptr.
    static std::unordered_map<std::string, Factory>* getFactoryMap();
    /// Registers a factory. False, keeping the old one, when the name is taken.
    static bool add(const std::string& name, Factory factory);
    /// A new kernel, which the caller owns; nullptr, with the reason in the log, when the name is unknown.
    static PluginKernelT* get(const std::string& name);
};

extern template class ComputeKernelRegistry<CPUComputeKernel>;

/// Registers kernel class PluginKernelT under a name when constructed.
template <typename PluginKernelT>
struct ComputeKernelRegistrar {
    explicit ComputeKernelRegistrar(const std::string& name) {
        ComputeKernelRegistry<typename PluginKernelT::KernelT>::add(name, []() { return new PluginKernelT; });
    }
};

/// At namespace scope: registers class computeKernel for plugins of type `name`, an identifier.
#define REGISTER_PLUGIN_COMPUTE_KERNEL(name, computeKernel)                                          \
    namespace {                                                                                      \
    const ::MNN::plugin::ComputeKernelRegistrar<computeKernel> mnnPluginComputeKernel_##name(#name); \
    }

}  // namespace plugin
}  // namespace MNN

#endif
