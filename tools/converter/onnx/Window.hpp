// Kernel, strides, dilations and pads of convolutions and poolings.
#pragma once

#include <vector>

#include "onnx/OnnxNode.hpp"

namespace MNN {
namespace Converter {

enum class AutoPad { Explicit, SameUpper, SameLower };

struct Window {
    std::vector<int> kernel, stride, dilation, begin, end;  // one entry a spatial axis
    AutoPad autoPad = AutoPad::Explicit;
};

// Reads and checks the attributes. Auto padding VALID becomes explicit zeros.
Window readWindow(const Node& n, int axes, const std::vector<int>& kernel);

// The kernel from the attribute, else from the weight's shape.
std::vector<int> kernelFrom(const Node& n, Value weight, int axes);

// With stride 1 the SAME pads do not depend on the input's size. Fills them in and returns true in that case.
bool fixedSamePads(Window& w);

// Convolution of n's attributes with these operands (QLinearConv and ConvInteger convolve other tensors than inputs
// 0 and 1). The weight's shape is that of input 1 when kernel_shape is absent.
Value convolve(Node& n, Value x, Value weight, Value bias);

}  // namespace Converter
}  // namespace MNN
