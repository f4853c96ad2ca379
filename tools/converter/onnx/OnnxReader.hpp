// Reads an ONNX file and checks what every later step relies on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graph/Graph.hpp"
#include "onnx.pb.h"

namespace MNN {
namespace Converter {

struct OnnxModel {
    onnx::ModelProto proto;
    std::string path;  // for messages and for finding external data; empty for a model from memory
};

// Throws ConvertError with one sentence when the file cannot be read or is not an ONNX model.
void readOnnx(const std::string& path, OnnxModel& model);
void parseOnnx(const void* data, size_t size, OnnxModel& model);

// The type of a tensor element; throws for types that nothing here can hold (complex numbers).
DataType dataTypeOf(int onnxType);
const char* onnxTypeName(int onnxType);

// Decodes a tensor to what the engine stores: floats of any width to float, integers to int32 with saturation, int8,
// uint8, int4 and uint4 to 8 bits. `where` names the tensor in messages.
BlobT decodeTensor(const onnx::TensorProto& tensor, const std::string& modelPath, const std::string& where);

}  // namespace Converter
}  // namespace MNN
