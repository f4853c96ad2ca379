// Constant tensors from the Blobs of a model file.
#ifndef MNN_SESSION_CONSTANTS_HPP
#define MNN_SESSION_CONSTANTS_HPP

#include <memory>
#include "MNN_generated.h"
#include "core/Backend.hpp"

namespace MNN {

// Gives `tensor` the blob's shape, type and values: in place from the file where type and alignment allow, converted
// otherwise (int64 and bool to int32 with saturation, half, bfloat16 and double to float). `owner` keeps the file
// alive. False after MNN_ERROR when the blob is short, its type unknown or its size absurd.
bool loadConstant(const Op* op, const Backend::ExternalData& external, std::shared_ptr<void> owner, Tensor* tensor);

// Gives a constant memory of its own, for callers that may write to it: the file's is read-only, and other sessions
// share it. False when memory is short.
bool ownConstant(Tensor* tensor);
// The model's own copy of the constant's values, when it has them in the tensor's type; nullptr when they are converted
// on loading, or lie in the side file.
const uint8_t* storedValues(const Op* op, const Tensor* tensor);

}  // namespace MNN
#endif
