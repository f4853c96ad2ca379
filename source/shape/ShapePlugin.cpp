#include <MNN/plugin/PluginShapeInference.hpp>

#include "shape/Rules.hpp"

namespace MNN {
namespace shape {

// The user's kernel sets lengths and types in the tensors; they are checked like any other result.
bool inferPlugin(const Rule& r) {
    if (!r.arity(0)) return false;
    const auto* p = r.param<Plugin>();
    if (p == nullptr) return false;
    if (p->type() == nullptr) return r.fail("the plugin's type is missing");
    const std::unique_ptr<plugin::InferShapeKernel> kernel(plugin::InferShapeKernelRegister::get(p->type()->str()));
    if (kernel == nullptr) {
        return r.fail("no shape kernel is registered for the plugin '%s'; use REGISTER_PLUGIN_OP", p->type()->c_str());
    }
    plugin::InferShapeContext context(r.inputs, r.outputs);
    for (unsigned i = 0; p->attr() != nullptr && i < p->attr()->size(); ++i) {
        const Attribute* attribute = p->attr()->Get(i);
        if (attribute->key() != nullptr) context.setAttr(attribute->key()->str(), attribute);
    }
    if (!kernel->compute(&context)) return r.fail("the plugin '%s' refused these shapes", p->type()->c_str());
    for (size_t i = 0; i < r.outputs.size(); ++i) {
        const Tensor* out = r.outputs[i];
        if (out->dimensions() < 0 || out->dimensions() > kMaxRank)
            return r.fail("the plugin set rank %d", out->dimensions());
        if (!r.setLike(i, dimsOf(out), out)) return false;
    }
    return true;
}

}  // namespace shape
}  // namespace MNN
