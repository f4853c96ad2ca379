// How messages name an op: "'conv1' (Convolution); inputs float32[1,3,8,8]".
#ifndef MNN_CORE_OPTEXT_HPP
#define MNN_CORE_OPTEXT_HPP

#include <string>
#include <vector>
#include "MNN_generated.h"
#include "core/TensorUtils.hpp"

namespace MNN {

// "'name' (Type)"; Extra ops also say their own type: "'name' (Extra GRU)".
std::string opText(const Op* op);
std::string tensorsText(const std::vector<Tensor*>& tensors);

}  // namespace MNN
#endif
