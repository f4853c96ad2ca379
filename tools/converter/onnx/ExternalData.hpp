// Tensor bytes kept in files beside the model.
#pragma once

#include <string>

#include "onnx.pb.h"

namespace MNN {
namespace Converter {

// Reads exactly `needed` bytes. The file must resolve, links included, to a place in the model's own folder (or in the
// folder the model's own link points to); anything else throws, for a model is not to read the rest of the disk.
std::string readExternalData(const onnx::TensorProto& tensor, const std::string& modelPath, size_t needed,
                             const std::string& where);

}  // namespace Converter
}  // namespace MNN
