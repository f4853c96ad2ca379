#include "OnnxTensors.hpp"

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace mnn_tools {
namespace {

using onnx::TensorProto;

template <typename T, typename Values>
std::string packed(const Values& values) {
    std::string bytes;
    for (const auto& v : values) {
        const T value = static_cast<T>(v);
        bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
    }
    return bytes;
}

// bfloat16 is the upper half of a float32.
Array bfloat16Array(std::vector<int64_t> shape, const std::string& raw) {
    std::string wide;
    for (size_t i = 0; i + 1 < raw.size(); i += 2) wide += std::string(2, '\0') + raw.substr(i, 2);
    return decodeArray(Type::Float32, std::move(shape), wide.data(), wide.size());
}

Type typeOf(int type) {
    switch (type) {
        case TensorProto::FLOAT:
            return Type::Float32;
        case TensorProto::DOUBLE:
            return Type::Float64;
        case TensorProto::FLOAT16:
            return Type::Float16;
        case TensorProto::INT8:
            return Type::Int8;
        case TensorProto::INT16:
            return Type::Int16;
        case TensorProto::INT32:
            return Type::Int32;
        case TensorProto::INT64:
            return Type::Int64;
        case TensorProto::UINT8:
            return Type::UInt8;
        case TensorProto::UINT16:
            return Type::UInt16;
        case TensorProto::UINT32:
            return Type::UInt32;
        case TensorProto::UINT64:
            return Type::UInt64;
        case TensorProto::BOOL:
            return Type::Bool;
        default:
            throw std::runtime_error("test data of ONNX element type " + std::to_string(type) + " is not supported");
    }
}

std::string rawBytes(const TensorProto& t) {
    if (t.has_raw_data()) return t.raw_data();
    switch (t.data_type()) {
        case TensorProto::FLOAT:
            return packed<float>(t.float_data());
        case TensorProto::DOUBLE:
            return packed<double>(t.double_data());
        case TensorProto::INT64:
            return packed<int64_t>(t.int64_data());
        case TensorProto::UINT32:
            return packed<uint32_t>(t.uint64_data());
        case TensorProto::UINT64:
            return packed<uint64_t>(t.uint64_data());
        case TensorProto::INT32:
            return packed<int32_t>(t.int32_data());
        case TensorProto::INT16:
            return packed<int16_t>(t.int32_data());
        case TensorProto::UINT16:
        case TensorProto::FLOAT16:
        case TensorProto::BFLOAT16:
            return packed<uint16_t>(t.int32_data());
        default:
            return packed<uint8_t>(t.int32_data());
    }
}

}  // namespace

Array readTensorProto(const std::string& path, const onnx::TypeProto& declared) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    TensorProto tensor;
    if (!file || !tensor.ParseFromString(bytes))
        throw std::runtime_error("'" + path + "' is no tensor (a sequence or an optional?)");
    std::vector<int64_t> shape(tensor.dims().begin(), tensor.dims().end());
    const std::string raw = rawBytes(tensor);
    const bool patterns =
        tensor.data_type() == TensorProto::UINT16 && declared.tensor_type().elem_type() == TensorProto::BFLOAT16;
    if (tensor.data_type() == TensorProto::BFLOAT16 || patterns) return bfloat16Array(std::move(shape), raw);
    return decodeArray(typeOf(tensor.data_type()), std::move(shape), raw.data(), raw.size());
}

bool usesStrings(const onnx::TypeProto& type) {
    return type.has_tensor_type() && type.tensor_type().elem_type() == TensorProto::STRING;
}

}  // namespace mnn_tools
