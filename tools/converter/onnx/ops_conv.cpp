// Convolutions. One spatial axis runs as a height of 1, two as Convolution2D, three as Convolution3D.
#include <algorithm>

#include "onnx/Families.hpp"
#include "onnx/Formulas.hpp"
#include "onnx/Window.hpp"

namespace MNN {
namespace Converter {

namespace {

struct ConvWeights {
    Value weight = kNone, bias = kNone;
    int first = kUnknown, second = kUnknown;  // sizes of the weight's first two axes
};

int spatialAxes(const Node& n, Value weight) {
    const std::vector<int> kernel = n.ints("kernel_shape");
    if (kernel.empty() && !n.b.rankKnown(weight)) n.fail("kernel_shape is absent and the weight's rank is not known");
    return kernel.empty() ? n.b.rank(weight) - 2 : static_cast<int>(kernel.size());
}

ConvWeights weightsOf(const Node& n) {
    ConvWeights w;
    w.weight = n.in(1);
    w.bias = n.optional(2);
    w.first = n.b.size(w.weight, 0);
    w.second = n.b.size(w.weight, 1);
    return w;
}

void checkGroup(const Node& n, int group, int channels) {
    if (group < 1) n.fail("group " + std::to_string(group) + " must be positive");
    if (channels >= 0 && channels % group != 0)
        n.fail("group " + std::to_string(group) + " does not divide " + std::to_string(channels) + " channels");
}

// Weights go into the op when they are constant, and are inputs otherwise. A bias of zeros is always
// stored, for readers that take the number of outputs from it.
template <class Param>
std::vector<Value> placeWeights(Node& n, Param& param, const ConvWeights& w, Value x, int outputs) {
    Builder& b = n.b;
    const BlobT* weight = b.constantOf(w.weight);
    const BlobT* bias = w.bias == kNone ? nullptr : b.constantOf(w.bias);
    if (weight && (w.bias == kNone || bias)) {
        if (weight->float32s.empty() && elementCount(weight->dims) != 0) n.fail("weights must be floats");
        param.weight = weight->float32s;
        param.bias = bias ? bias->float32s : std::vector<float>(std::max(outputs, 0), 0.0f);
        if (static_cast<int>(param.bias.size()) != outputs)
            n.fail("bias has " + std::to_string(param.bias.size()) + " values for " + std::to_string(outputs) +
                   " output channels");
        return {x};
    }
    std::vector<Value> in = {x, w.weight};
    if (w.bias != kNone) in.push_back(w.bias);
    return in;
}

// SAME_LOWER with a stride depends on the input's size: the pads are computed by the graph, then added as zeros.
Value padSameLower(Node& n, Value x, const Window& w) {
    Builder& b = n.b;
    const int axes = static_cast<int>(w.kernel.size());
    std::vector<Value> pairs(4, b.ints({0}));
    for (int i = 0; i < axes; ++i) {
        const int reach = (w.kernel[i] - 1) * w.dilation[i] + 1;
        const Value size = b.axisSize(x, i + 2), stride = b.ints({w.stride[i]});
        const Value steps = b.div(b.add(size, b.ints({w.stride[i] - 1})), stride);
        const Value span = b.add(b.mul(b.sub(steps, b.ints({1})), stride), b.ints({reach}));
        const Value total = b.binary(BinaryOpOperation_MAXIMUM, b.sub(span, size), b.ints({0}));
        const Value end = b.div(total, b.ints({2}));
        pairs.push_back(b.sub(total, end));
        pairs.push_back(end);
    }
    PadParamT param;
    return b.op(OpType_Padding, std::move(param), {x, b.reshape(b.concat(pairs, 0), {axes + 2, 2})});
}

void setCommon(Convolution2DCommonT& c, const Window& w) {
    c.kernelY = w.kernel[0];
    c.kernelX = w.kernel[1];
    c.strideY = w.stride[0];
    c.strideX = w.stride[1];
    c.dilateY = w.dilation[0];
    c.dilateX = w.dilation[1];
    c.padMode = w.autoPad == AutoPad::SameUpper ? PadMode_SAME : PadMode_CAFFE;
    c.pads = {w.begin[0], w.begin[1], w.end[0], w.end[1]};
    c.padY = w.begin[0];
    c.padX = w.begin[1];
}

Outputs conv2d(Node& n, Value x, Window w, const ConvWeights& weights, int group, int channels) {
    Builder& b = n.b;
    Convolution2DT param;
    param.common = std::make_unique<Convolution2DCommonT>();
    setCommon(*param.common, w);
    param.common->group = group;
    param.common->inputCount = std::max(channels, 0);
    param.common->outputCount = std::max(weights.first, 0);
    const bool depthwise = group > 1 && weights.second == 1 && weights.first == group;
    const std::vector<Value> in = placeWeights(n, param, weights, x, weights.first);
    return {b.op(depthwise ? OpType_ConvolutionDepthwise : OpType_Convolution, std::move(param), in)};
}

Outputs conv3d(Node& n, Value x, const Window& w, const ConvWeights& weights, int group, int channels) {
    Convolution3DT param;
    param.common = std::make_unique<Convolution3DCommonT>();
    Convolution3DCommonT& c = *param.common;
    c.kernels = w.kernel;
    c.strides = w.stride;
    c.dilates = w.dilation;
    c.pads = w.begin;
    c.pads.insert(c.pads.end(), w.end.begin(), w.end.end());
    c.padMode = w.autoPad == AutoPad::SameUpper ? PadMode_SAME : PadMode_CAFFE;
    c.group = group;
    c.inputCount = std::max(channels, 0);
    c.outputCount = std::max(weights.first, 0);
    const std::vector<Value> in = placeWeights(n, param, weights, x, weights.first);
    return {n.b.op(OpType_Convolution3D, std::move(param), in)};
}

void widenToPlane(Window& w) {
    for (auto* list : {&w.kernel, &w.stride, &w.dilation}) list->insert(list->begin(), 1);
    w.begin.insert(w.begin.begin(), 0);
    w.end.insert(w.end.begin(), 0);
}

}  // namespace

Value convolve(Node& n, Value x, Value weight, Value bias) {
    Builder& b = n.b;
    ConvWeights weights;
    weights.weight = weight;
    weights.bias = bias;
    weights.first = b.size(weight, 0);
    weights.second = b.size(weight, 1);
    const int axes = spatialAxes(n, weight);
    const int group = n.i("group", 1);
    const int channels =
        weights.second >= 0 && weights.second <= INT32_MAX / std::max(group, 1) ? weights.second * group : b.size(x, 1);
    checkGroup(n, group, b.size(x, 1));
    checkGroup(n, group, weights.first);
    if (b.size(x, 1) >= 0 && channels >= 0 && b.size(x, 1) != channels)
        n.fail("the input has " + std::to_string(b.size(x, 1)) + " channels, the weights are for " +
               std::to_string(channels));
    Window w = readWindow(n, axes, kernelFrom(n, weight, axes));
    if (w.autoPad == AutoPad::SameLower) {
        if (!fixedSamePads(w)) {
            x = padSameLower(n, x, w);
            w.begin.assign(axes, 0);
            w.end.assign(axes, 0);
        }
        w.autoPad = AutoPad::Explicit;
    }
    if (axes == 3) return conv3d(n, x, w, weights, group, channels)[0];
    if (axes == 2) return conv2d(n, x, w, weights, group, channels)[0];
    if (axes != 1) n.fail("convolutions have 1, 2 or 3 spatial axes, this one " + std::to_string(axes));
    widenToPlane(w);
    weights.weight = b.unsqueeze(weights.weight, {2});
    return b.squeeze(conv2d(n, b.unsqueeze(x, {2}), w, weights, group, channels)[0], {2});
}

namespace {

Outputs conv(Node& n) { return {convolve(n, n.in(0), n.in(1), n.optional(2))}; }

// What pads make a transposed convolution give the wanted size. Total padding does not depend on the input's size for
// SAME: it is reach + output_padding - stride.
void resolveTransposedPads(Node& n, Window& w, std::vector<int>& outputPadding, bool& byShape) {
    const int axes = static_cast<int>(w.kernel.size());
    const std::vector<int> wanted = n.ints("output_shape");
    byShape = false;
    for (int i = 0; i < axes; ++i) {
        const int reach = (w.kernel[i] - 1) * w.dilation[i] + 1;
        int total = 0;
        if (!wanted.empty()) {
            const int size = n.b.size(n.in(0), i + 2);
            const size_t at = wanted.size() - axes + i;
            if (at >= wanted.size()) n.fail("output_shape has too few sizes");
            if (size < 0) {
                byShape = true;
                continue;
            }
            total = w.stride[i] * (size - 1) + outputPadding[i] + reach - wanted[at];
        } else if (w.autoPad == AutoPad::SameUpper || w.autoPad == AutoPad::SameLower) {
            total = reach + outputPadding[i] - w.stride[i];
        } else {
            continue;
        }
        if (total < 0) {
            outputPadding[i] -= total;
            total = 0;
        }
        const int half = total / 2;
        const bool oddAtStart = w.autoPad != AutoPad::SameUpper;
        w.begin[i] = oddAtStart ? total - half : half;
        w.end[i] = total - w.begin[i];
    }
    w.autoPad = AutoPad::Explicit;
}

Outputs deconv2d(Node& n, Value x, const Window& w, const ConvWeights& weights, int group,
                 const std::vector<int>& outputPadding, const std::vector<int>& outputShape) {
    Builder& b = n.b;
    Convolution2DT param;
    param.common = std::make_unique<Convolution2DCommonT>();
    Convolution2DCommonT& c = *param.common;
    setCommon(c, w);
    c.outPads = outputPadding;
    c.group = group;
    c.inputCount = std::max(weights.first, 0);
    c.outputCount = weights.second >= 0 ? weights.second * group : 0;
    const bool depthwise = group > 1 && weights.second == 1 && weights.first == group;
    std::vector<Value> in = placeWeights(n, param, weights, x, c.outputCount);
    if (!outputShape.empty()) {
        c.hasOutputShape = true;
        c.padMode = PadMode_SAME;
        in.push_back(b.ints(outputShape));
    }
    return {b.op(depthwise ? OpType_DeconvolutionDepthwise : OpType_Deconvolution, std::move(param), in)};
}

Outputs deconv3d(Node& n, const Window& w, const ConvWeights& weights, int group,
                 const std::vector<int>& outputPadding) {
    Convolution3DT param;
    param.common = std::make_unique<Convolution3DCommonT>();
    Convolution3DCommonT& c = *param.common;
    c.kernels = w.kernel;
    c.strides = w.stride;
    c.dilates = w.dilation;
    c.pads = w.begin;
    c.pads.insert(c.pads.end(), w.end.begin(), w.end.end());
    c.outPads = outputPadding;
    c.group = group;
    c.inputCount = std::max(weights.first, 0);
    c.outputCount = weights.second >= 0 ? weights.second * group : 0;
    const std::vector<Value> in = placeWeights(n, param, weights, n.in(0), c.outputCount);
    return {n.b.op(OpType_ConvTranspose3D, std::move(param), in)};
}

Outputs convTranspose(Node& n) {
    Builder& b = n.b;
    const ConvWeights weights = weightsOf(n);
    const int axes = spatialAxes(n, n.in(1)), group = n.i("group", 1);
    checkGroup(n, group, weights.first);
    if (weights.second > INT32_MAX / group) n.fail("too many output channels");
    Window w = readWindow(n, axes, kernelFrom(n, n.in(1), axes));
    std::vector<int> outputPadding = n.ints("output_padding");
    outputPadding.resize(axes, 0);
    bool byShape = false;
    resolveTransposedPads(n, w, outputPadding, byShape);
    if (byShape && axes != 2) n.fail("output_shape needs known input sizes here; give the model's input a shape");
    std::vector<int> shape;
    if (byShape) {
        shape = n.ints("output_shape");
        shape.erase(shape.begin(), shape.end() - axes);
    }
    if (axes == 3) return deconv3d(n, w, weights, group, outputPadding);
    if (axes == 2) return deconv2d(n, n.in(0), w, weights, group, outputPadding, shape);
    if (axes != 1) n.fail("transposed convolutions have 1, 2 or 3 spatial axes, this one " + std::to_string(axes));
    widenToPlane(w);
    outputPadding.insert(outputPadding.begin(), 0);
    ConvWeights plane = weights;
    plane.weight = b.unsqueeze(weights.weight, {2});
    return {b.squeeze(deconv2d(n, b.unsqueeze(n.in(0), {2}), w, plane, group, outputPadding, {})[0], {2})};
}

Outputs deformConv(Node& n) {
    Builder& b = n.b;
    const Window w = readWindow(n, 2, kernelFrom(n, n.in(1), 2));
    std::vector<int> pads = w.begin;
    pads.insert(pads.end(), w.end.begin(), w.end.end());
    std::vector<Value> in = {n.in(0), n.in(1), n.in(2)};
    if (n.has(3)) in.push_back(n.in(3));
    if (n.has(4)) in.push_back(n.in(4));
    return b.extra(
        "DeformConv",
        {ExtraAttr::list("kernel_shape", w.kernel), ExtraAttr::list("strides", w.stride),
         ExtraAttr::list("dilations", w.dilation), ExtraAttr::list("pads", pads),
         ExtraAttr::integer("group", n.i("group", 1)), ExtraAttr::integer("offset_group", n.i("offset_group", 1)),
         ExtraAttr::integer("has_bias", n.has(3)), ExtraAttr::integer("has_mask", n.has(4))},
        in, {n.type()});
}

const OpImporter kRows[] = {
    {"Conv", 1, conv},
    {"ConvTranspose", 1, convTranspose},
    {"DeformConv", 19, deformConv},
};

}  // namespace

OpFamily convOps() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

}  // namespace Converter
}  // namespace MNN
