#include "backend/cpu/executions/ConvolutionShape.hpp"

#include <MNN/MNNDefine.h>
#include <algorithm>
#include <limits>

namespace MNN {
namespace {

using cpu::ConvShape;

// Past these no image or kernel is meant; sums and products of them stay in range.
constexpr int kMaxAttribute = 1 << 15;

bool fail(const Op* op, const Tensor* input, const Tensor* output, const char* what) {
    MNN_ERROR("%s %s of %s to %s: %s\n", EnumNameOpType(op->type()), op->name() != nullptr ? op->name()->c_str() : "",
              TensorUtils::text(input).c_str(), TensorUtils::text(output).c_str(), what);
    return false;
}

bool inRange(int value, int low) { return value >= low && value <= kMaxAttribute; }

// The pad before the first element of one axis. Of an odd total, SAME puts the smaller half there.
int padBefore(const Convolution2DCommon* common, bool transposed, int axis, int in, int out, int kernel, int stride,
              int dilate) {
    switch (common->padMode()) {
        case PadMode_VALID:
            return 0;
        case PadMode_SAME: {
            const int narrow = transposed ? in : out, wide = transposed ? out : in;
            return std::max(0, (narrow - 1) * stride + (kernel - 1) * dilate + 1 - wide) / 2;
        }
        default:
            break;
    }
    const auto* pads = common->pads();
    if (pads != nullptr && pads->size() >= 2) return pads->Get(axis);
    return axis == 0 ? common->padY() : common->padX();
}

bool isDepthwise(OpType type) { return type == OpType_ConvolutionDepthwise || type == OpType_DeconvolutionDepthwise; }

}  // namespace

bool convolutionShape(const Op* op, const Tensor* input, const Tensor* output, ConvShape* shape) {
    const Convolution2D* conv = op->main_as_Convolution2D();
    const Convolution2DCommon* common = conv != nullptr ? conv->common() : nullptr;
    if (common == nullptr) return fail(op, input, output, "no parameters");
    if (input->dimensions() != 4 || output->dimensions() != 4)
        return fail(op, input, output, "four dimensions are needed");
    ConvShape& s = *shape;
    s = ConvShape();
    s.transposed = op->type() == OpType_Deconvolution || op->type() == OpType_DeconvolutionDepthwise;
    s.batch = input->length(0);
    s.inChannels = input->length(1), s.inHeight = input->length(2), s.inWidth = input->length(3);
    s.outChannels = output->length(1), s.outHeight = output->length(2), s.outWidth = output->length(3);
    s.inPack = TensorUtils::describe(input)->pack;
    s.outPack = TensorUtils::describe(output)->pack;
    s.kernelY = common->kernelY(), s.kernelX = common->kernelX();
    s.strideY = common->strideY(), s.strideX = common->strideX();
    s.dilateY = std::max(1, common->dilateY()), s.dilateX = std::max(1, common->dilateX());
    s.groups = isDepthwise(op->type()) ? s.inChannels : std::max(1, common->group());
    if (!TensorUtils::isPacked(input) || !TensorUtils::isPacked(output))
        return fail(op, input, output, "packed tensors are needed");
    if (!inRange(s.kernelY, 1) || !inRange(s.kernelX, 1) || !inRange(s.strideY, 1) || !inRange(s.strideX, 1) ||
        !inRange(s.dilateY, 1) || !inRange(s.dilateX, 1)) {
        return fail(op, input, output, "kernel, stride or dilation out of range");
    }
    if (s.inChannels <= 0 || s.outChannels <= 0 || s.inChannels % s.groups != 0 || s.outChannels % s.groups != 0) {
        return fail(op, input, output, "the groups do not divide the channels");
    }
    if (output->length(0) != s.batch) return fail(op, input, output, "the batches differ");
    s.padTop = padBefore(common, s.transposed, 0, s.inHeight, s.outHeight, s.kernelY, s.strideY, s.dilateY);
    s.padLeft = padBefore(common, s.transposed, 1, s.inWidth, s.outWidth, s.kernelX, s.strideX, s.dilateX);
    if (!inRange(s.padTop, -kMaxAttribute) || !inRange(s.padLeft, -kMaxAttribute))
        return fail(op, input, output, "pads out of range");
    return true;
}

cpu::Clamp convolutionClamp(const Convolution2DCommon* common) {
    cpu::Clamp clamp;
    clamp.active = common->relu() || common->relu6();
    clamp.high = common->relu6() ? 6.0f : std::numeric_limits<float>::infinity();
    return clamp;
}

}  // namespace MNN
