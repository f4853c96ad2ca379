// From a Convolution2D and its tensors to the sizes a kernel plan wants.
#ifndef MNN_CPU_CONVOLUTIONSHAPE_HPP
#define MNN_CPU_CONVOLUTIONSHAPE_HPP

#include "MNN_generated.h"
#include "backend/cpu/kernels/Conv.hpp"
#include "core/TensorUtils.hpp"

namespace MNN {

// False after MNN_ERROR when tensors and attributes contradict each other. Works for all four ops:
// Convolution, ConvolutionDepthwise, Deconvolution, DeconvolutionDepthwise.
bool convolutionShape(const Op* op, const Tensor* input, const Tensor* output, cpu::ConvShape* shape);

// Bounds of the activation fused into the op.
cpu::Clamp convolutionClamp(const Convolution2DCommon* common);

}  // namespace MNN
#endif
