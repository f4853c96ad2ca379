#pragma once

#include "onnx/OnnxNode.hpp"

namespace MNN {
namespace Converter {

// Keeps a node of an unknown op; inputs that are absent are dropped and outputs count as floats.
Outputs keepCustomOp(Node& n);

}  // namespace Converter
}  // namespace MNN
