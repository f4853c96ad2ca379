// Tensors of ONNX test data.
#ifndef MNN_TOOLS_ONNXTENSORS_HPP
#define MNN_TOOLS_ONNXTENSORS_HPP

#include <string>
#include "Array.hpp"
#include "onnx.pb.h"

namespace mnn_tools {

// A serialized TensorProto file, in its own type. bfloat16 values may be stored as uint16; `declared`, the type that
// the model gives the tensor, tells. Throws std::runtime_error.
Array readTensorProto(const std::string& path, const onnx::TypeProto& declared);
bool usesStrings(const onnx::TypeProto& type);

}  // namespace mnn_tools
#endif
