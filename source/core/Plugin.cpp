// The registries of plugin kernels and plugin shape rules.
#include <MNN/plugin/PluginKernel.hpp>
#include <MNN/plugin/PluginShapeInference.hpp>

#include <mutex>
#include <utility>

namespace MNN {
namespace plugin {

namespace {

// One lock for all registries: registration is rare, and a look-up happens once per op and session.
std::mutex& registryLock() {
    static std::mutex lock;
    return lock;
}

template <typename Factory>
bool addTo(std::unordered_map<std::string, Factory>& factories, const std::string& name, Factory factory) {
    std::lock_guard<std::mutex> lock(registryLock());
    if (factories.emplace(name, std::move(factory)).second) return true;
    MNN_ERROR("Plugin '%s' is registered already; the first registration stays.", name.c_str());
    return false;
}

template <typename Factory>
Factory findIn(const std::unordered_map<std::string, Factory>& factories, const std::string& name, const char* kind) {
    std::lock_guard<std::mutex> lock(registryLock());
    const auto found = factories.find(name);
    if (found != factories.end() && found->second) return found->second;
    MNN_ERROR("No %s is registered for plugin '%s'; register one before the model is loaded.", kind, name.c_str());
    return Factory();
}

}  // namespace

template <typename PluginKernelT>
std::unordered_map<std::string, typename ComputeKernelRegistry<PluginKernelT>::Factory>*
ComputeKernelRegistry<PluginKernelT>::getFactoryMap() {
    static std::unordered_map<std::string, Factory> factories;
    return &factories;
}

template <typename PluginKernelT>
bool ComputeKernelRegistry<PluginKernelT>::add(const std::string& name, Factory factory) {
    return addTo(*getFactoryMap(), name, std::move(factory));
}

template <typename PluginKernelT>
PluginKernelT* ComputeKernelRegistry<PluginKernelT>::get(const std::string& name) {
    const Factory factory = findIn(*getFactoryMap(), name, "compute kernel");
    return factory ? factory() : nullptr;
}

template class ComputeKernelRegistry<CPUComputeKernel>;

std::unordered_map<std::string, InferShapeKernelRegister::Factory>* InferShapeKernelRegister::getFactoryMap() {
    static std::unordered_map<std::string, Factory> factories;
    return &factories;
}

bool InferShapeKernelRegister::add(const std::string& name, Factory factory) {
    return addTo(*getFactoryMap(), name, std::move(factory));
}

InferShapeKernel* InferShapeKernelRegister::get(const std::string& name) {
    const Factory factory = findIn(*getFactoryMap(), name, "shape kernel");
    return factory ? factory() : nullptr;
}

}  // namespace plugin
}  // namespace MNN
