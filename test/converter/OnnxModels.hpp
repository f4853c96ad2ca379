// Small ONNX models, made in code.
#pragma once

#include <string>
#include <vector>

#include "onnx/OnnxImport.hpp"
#include "passes/Passes.hpp"
#include "writer/ModelWriter.hpp"

namespace MNN {
namespace Converter {

class TestModel {
public:
    explicit TestModel(int opset) {
        model.proto.set_ir_version(8);
        model.proto.add_opset_import()->set_version(opset);
        graph()->set_name("test");
    }
    onnx::GraphProto* graph() { return model.proto.mutable_graph(); }

    TestModel& input(const std::string& name, const std::vector<int64_t>& dims, int type = onnx::TensorProto::FLOAT) {
        auto* info = graph()->add_input();
        info->set_name(name);
        auto* tensor = info->mutable_type()->mutable_tensor_type();
        tensor->set_elem_type(type);
        tensor->mutable_shape();
        for (int64_t d : dims) {
            auto* dim = tensor->mutable_shape()->add_dim();
            if (d >= 0) dim->set_dim_value(d);
        }
        return *this;
    }
    TestModel& output(const std::string& name) {
        graph()->add_output()->set_name(name);
        return *this;
    }
    TestModel& weight(const std::string& name, const std::vector<int64_t>& dims, const std::vector<float>& values) {
        auto* t = graph()->add_initializer();
        t->set_name(name);
        t->set_data_type(onnx::TensorProto::FLOAT);
        for (int64_t d : dims) t->add_dims(d);
        t->set_raw_data(values.data(), values.size() * sizeof(float));
        return *this;
    }
    TestModel& ints(const std::string& name, const std::vector<int64_t>& values, bool scalar = false) {
        auto* t = graph()->add_initializer();
        t->set_name(name);
        t->set_data_type(onnx::TensorProto::INT64);
        if (!scalar) t->add_dims(static_cast<int64_t>(values.size()));
        for (int64_t v : values) t->add_int64_data(v);
        return *this;
    }
    onnx::NodeProto* node(const std::string& op, const std::vector<std::string>& in,
                          const std::vector<std::string>& out) {
        auto* n = graph()->add_node();
        n->set_op_type(op);
        n->set_name(op + "_" + std::to_string(graph()->node_size()));
        for (const auto& name : in) n->add_input(name);
        for (const auto& name : out) n->add_output(name);
        return n;
    }
    Graph import() { return importOnnx(model, ImportOptions()); }
    Graph optimized() {
        Graph made = import();
        optimize(made, 1, false);
        return made;
    }
    // The sentence that import ends with; empty when it succeeds.
    std::string failure() {
        try {
            import();
        } catch (const ConvertError& error) {
            return error.what();
        }
        return "";
    }

    OnnxModel model;
};

inline onnx::AttributeProto* attribute(onnx::NodeProto* node, const char* key,
                                       onnx::AttributeProto::AttributeType type) {
    auto* a = node->add_attribute();
    a->set_name(key);
    a->set_type(type);
    return a;
}
inline void attr(onnx::NodeProto* node, const char* key, int64_t value) {
    attribute(node, key, onnx::AttributeProto::INT)->set_i(value);
}
inline void attr(onnx::NodeProto* node, const char* key, float value) {
    attribute(node, key, onnx::AttributeProto::FLOAT)->set_f(value);
}
inline void attr(onnx::NodeProto* node, const char* key, const char* value) {
    attribute(node, key, onnx::AttributeProto::STRING)->set_s(value);
}
inline void attr(onnx::NodeProto* node, const char* key, const std::vector<int64_t>& values) {
    auto* a = attribute(node, key, onnx::AttributeProto::INTS);
    for (int64_t v : values) a->add_ints(v);
}

inline const OpT* firstOf(const Graph& graph, OpType type) {
    for (const auto& op : graph.ops) {
        if (op->type == type) return op.get();
    }
    return nullptr;
}
// The ops in order, without inputs and constants.
inline std::string typesOf(const Graph& graph) {
    std::string text;
    for (const auto& op : graph.ops) {
        if (op->type != OpType_Const && op->type != OpType_Input) text += std::string(EnumNameOpType(op->type)) + " ";
    }
    return text;
}

}  // namespace Converter
}  // namespace MNN
