#include "onnx/OnnxReader.hpp"

#include <fstream>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

namespace MNN {
namespace Converter {

namespace {

// Deeper nesting of messages than any real model has is an attack on the stack.
constexpr int kRecursionLimit = 200;

std::string quoted(const std::string& path) { return path.empty() ? "the model" : "'" + path + "'"; }

void verifyModel(const OnnxModel& model) {
    const onnx::ModelProto& proto = model.proto;
    const std::string file = quoted(model.path);
    if (!proto.has_graph()) throw ConvertError(file + " is not an ONNX model: it has no graph");
    if (proto.graph().output_size() == 0) throw ConvertError(file + ": the graph has no outputs");
    for (const auto& opset : proto.opset_import()) {
        if (opset.version() < 1 || opset.version() > 1000)
            throw ConvertError(file + ": opset version " + std::to_string(opset.version()) + " of domain '" +
                               opset.domain() + "' is not valid");
    }
    for (const auto& input : proto.graph().input()) {
        if (input.name().empty()) throw ConvertError(file + ": a graph input has no name");
    }
    if (proto.graph().sparse_initializer_size() > 0)
        throw ConvertError(file + ": sparse initializers are not supported; store the weights dense");
}

}  // namespace

void parseOnnx(const void* data, size_t size, OnnxModel& model) {
    if (size > INT32_MAX)
        throw ConvertError(quoted(model.path) + " is larger than 2 GiB; store weights as external data");
    google::protobuf::io::CodedInputStream stream(static_cast<const uint8_t*>(data), static_cast<int>(size));
    stream.SetRecursionLimit(kRecursionLimit);
    if (size == 0 || !model.proto.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
        throw ConvertError(quoted(model.path) + " is not an ONNX model, or is cut short");
    verifyModel(model);
}

void readOnnx(const std::string& path, OnnxModel& model) {
    model.path = path;
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) throw ConvertError("cannot open '" + path + "'");
    const std::streamoff size = file.tellg();
    if (size < 0 || size > INT32_MAX)
        throw ConvertError("'" + path + "' is larger than 2 GiB; store weights as external data");
    std::vector<char> bytes(static_cast<size_t>(size));
    file.seekg(0);
    if (!file.read(bytes.data(), size)) throw ConvertError("cannot read '" + path + "'");
    parseOnnx(bytes.data(), bytes.size(), model);
}

}  // namespace Converter
}  // namespace MNN
