// What a plugin op sees: its tensors and its attributes.
#ifndef MNN_PLUGIN_PLUGINCONTEXT_HPP
#define MNN_PLUGIN_PLUGINCONTEXT_HPP

#include <string>
#include <unordered_map>
#include <vector>
#include <MNN/Tensor.hpp>

// Attribute's accessors (s(), i(), f(), list(), ...) come from the generated schema header. It is needed only by
// plugins that read attributes, so its folder and FlatBuffers' may be missing from the include path.
#ifdef __has_include
#if __has_include("Tensor_generated.h") && __has_include("flatbuffers/flatbuffers.h")
#include "Tensor_generated.h"
#endif
#endif

namespace MNN {
class Backend;
struct Attribute;

namespace plugin {

// The classes of this folder are wholly inline: a plugin built with run-time type information derives from them, and
// the library, built without it, could not provide theirs.

/// Tensors and attributes of one plugin op. Borrows both: the engine keeps them alive during each call. One thread at a
/// time.
class MNN_PUBLIC PluginContext {
public:
    PluginContext() = delete;
    PluginContext(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs)
        : inputs_(inputs), outputs_(outputs) {}
    virtual ~PluginContext() = default;

    /// Binds other tensors, keeping the attributes.
    void reset(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs) {
        inputs_ = inputs;
        outputs_ = outputs;
    }

    /// The op's tensors in the order of the model.
    const std::vector<Tensor*>& inputs() const { return inputs_; }
    const std::vector<Tensor*>& outputs() const { return outputs_; }

    /// One tensor, nullptr when there is no such index.
    const Tensor* input(const int index) const { return at(inputs_, index); }
    const Tensor* output(const int index) const { return at(outputs_, index); }
    Tensor* output(const int index) { return at(outputs_, index); }

    /// True when the op has the attribute.
    bool hasAttr(const std::string& name) const { return attrs_.count(name) != 0; }
    /// Adds an attribute. False, keeping the old one, when the name is taken.
    bool setAttr(const std::string& name, const Attribute* attr) { return attrs_.emplace(name, attr).second; }
    /// Replaces all attributes.
    void setAttrs(const std::unordered_map<std::string, const Attribute*>& attrs) { attrs_ = attrs; }
    /// An attribute by name, nullptr when the op does not have it.
    const Attribute* getAttr(const std::string& name) const {
        const auto found = attrs_.find(name);
        return found == attrs_.end() ? nullptr : found->second;
    }
    /// All attributes by name.
    const std::unordered_map<std::string, const Attribute*>& getAttrs() const { return attrs_; }

protected:
    std::vector<Tensor*> inputs_;
    std::vector<Tensor*> outputs_;
    std::unordered_map<std::string, const Attribute*> attrs_;

private:
    static Tensor* at(const std::vector<Tensor*>& tensors, int index) {
        return index >= 0 && static_cast<size_t>(index) < tensors.size() ? tensors[index] : nullptr;
    }
};

/// For shape inference: inputs have shapes and types, outputs wait for theirs (Tensor::buffer, setType).
class MNN_PUBLIC InferShapeContext : public PluginContext {
public:
    InferShapeContext() = delete;
    InferShapeContext(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs)
        : PluginContext(inputs, outputs) {}
    virtual ~InferShapeContext() = default;
};

/// For computing on the CPU: inputs and outputs have host memory.
class MNN_PUBLIC CPUKernelContext : public PluginContext {
public:
    CPUKernelContext() = delete;
    /// `backend` is borrowed and outlives the context.
    CPUKernelContext(const std::string& op_type, Backend* backend, const std::vector<Tensor*>& inputs,
                     const std::vector<Tensor*>& outputs, const std::string& dir_path)
        : PluginContext(inputs, outputs), backend_(backend), op_type_(op_type), dir_path_(dir_path) {}
    virtual ~CPUKernelContext() = default;

    /// The CPU backend the op runs on.
    Backend* backend() const { return backend_; }
    /// The plugin's type, the name it was registered under.
    const std::string& op_type() const { return op_type_; }
    /// Folder of the model file, "" for a model loaded from memory.
    const std::string& dir_path() const { return dir_path_; }

private:
    Backend* backend_;
    std::string op_type_;
    std::string dir_path_;
};

}  // namespace plugin
}  // namespace MNN

#endif
