// How a plugin op infers its output shapes, and the registry that finds it by type.
#ifndef MNN_PLUGIN_PLUGINSHAPEINFERENCE_HPP
#define MNN_PLUGIN_PLUGINSHAPEINFERENCE_HPP

#include <functional>
#include <string>
#include <unordered_map>
#include <MNN/MNNDefine.h>
#include <MNN/plugin/PluginContext.hpp>

namespace MNN {
namespace plugin {

/// Infers shapes and types of one op's outputs. An object is made for each inference.
class MNN_PUBLIC InferShapeKernel {
public:
    virtual ~InferShapeKernel() = default;

    /// Sets rank, extents and type of every output. False when the inputs do not fit; log the reason with MNN_ERROR.
    virtual bool compute(InferShapeContext* ctx) = 0;
};

/// Shape kernels by plugin type. The library holds the one map. add and get are safe to call from any thread; a caller
/// of getFactoryMap must see to it that nobody registers meanwhile.
class MNN_PUBLIC InferShapeKernelRegister {
public:
    /// Makes a shape kernel, which the caller owns.
    typedef std::function<InferShapeKernel*()> Factory;

    /// The map itself, never nullptr.
    static std::unordered_map<std::string, Factory>* getFactoryMap();
    /// Registers a factory. False, keeping the old one, when the name is taken.
    static bool add(const std::string& name, Factory factory);
    /// A new shape kernel, which the caller owns; nullptr, with the reason in the log, when the name is unknown.
    static InferShapeKernel* get(const std::string& name);
};

/// Registers shape kernel class PluginKernel under a name when constructed.
template <typename PluginKernel>
struct InferShapeKernelRegistrar {
    explicit InferShapeKernelRegistrar(const std::string& name) {
        InferShapeKernelRegister::add(name, []() { return new PluginKernel; });
    }
};

/// At namespace scope: registers class inferShapeKernel for plugins of type `name`, an identifier.
#define REGISTER_PLUGIN_OP(name, inferShapeKernel)                                                       \
    namespace {                                                                                          \
    const ::MNN::plugin::InferShapeKernelRegistrar<inferShapeKernel> mnnPluginShapeKernel_##name(#name); \
    }

}  // namespace plugin
}  // namespace MNN

#endif
