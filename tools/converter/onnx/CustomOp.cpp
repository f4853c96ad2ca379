// Nodes that only the application knows: Extra ops of engine ONNX, with the node's attributes.
#include "onnx/CustomOp.hpp"

namespace MNN {
namespace Converter {

namespace {

std::unique_ptr<AttributeT> convertAttribute(Node& n, const onnx::AttributeProto& from) {
    auto to = std::make_unique<AttributeT>();
    const char* key = from.name().c_str();
    to->key = key;
    switch (from.type()) {
        case onnx::AttributeProto::INT:
            to->i = n.i(key, 0);
            break;
        case onnx::AttributeProto::FLOAT:
            to->f = from.f();
            break;
        case onnx::AttributeProto::STRING:
            to->s = from.s();
            break;
        case onnx::AttributeProto::INTS:
        case onnx::AttributeProto::FLOATS:
        case onnx::AttributeProto::STRINGS:
            to->list = std::make_unique<ListValueT>();
            to->list->i = n.ints(key);
            to->list->f = n.floats(key);
            to->list->s = n.strings(key);
            break;
        case onnx::AttributeProto::TENSOR: {
            DataType type;
            to->tensor = std::make_unique<BlobT>();
            n.tensor(key, *to->tensor, type);
            break;
        }
        default:
            n.fail(std::string("attribute '") + key + "' is of a kind that a custom op cannot keep");
    }
    return to;
}

}  // namespace

Outputs keepCustomOp(Node& n) {
    ExtraT extra;
    extra.engine = "ONNX";
    extra.type = n.op();
    for (const auto& attribute : n.proto().attribute()) extra.attr.push_back(convertAttribute(n, attribute));
    std::vector<Value> inputs;
    for (size_t i = 0; i < n.inputs(); ++i) {
        if (n.has(i)) inputs.push_back(n.in(i));
    }
    return n.b.ops(OpType_Extra, std::move(extra), inputs, std::vector<DataType>(n.outputs(), DataType_DT_FLOAT));
}

}  // namespace Converter
}  // namespace MNN
