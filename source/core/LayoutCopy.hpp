// Copies between host tensors of different layouts.
#ifndef MNN_CORE_LAYOUTCOPY_HPP
#define MNN_CORE_LAYOUTCOPY_HPP

#include <MNN/Tensor.hpp>

namespace MNN {

// dst = src, element by element, converting NCHW, NHWC and NC4HW4 (any pack) into each other. Both have host memory.
// False, after a message, when types or the batch, channel and spatial sizes differ. Pad lanes of dst are set to zero.
bool copyLayout(const Tensor* src, Tensor* dst);

}  // namespace MNN
#endif
