// 3-D convolution and its transpose through 2-D ones: the taps along the depth become channels.
// The weights [out, in, kd, kh, kw] are, number for number, those of a 2-D convolution with in * kd input channels; the
// transposed ones [in, out, kd, kh, kw] those of a 2-D transposed convolution with out * kd output channels.
#include <algorithm>
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"
#include "geometry/Taps.hpp"

namespace MNN {
namespace geometry {
namespace {

int at(const flatbuffers::Vector<int32_t>* v, uint32_t i, int fallback) {
    return v != nullptr && i < v->size() ? v->Get(i) : fallback;
}

// Padding in front of and behind dimension d (depth, height, width): pads lists three or six numbers.
int padFront(const Convolution3DCommon* c, uint32_t d) { return at(c->pads(), d, 0); }
int padBehind(const Convolution3DCommon* c, uint32_t d) {
    return c->pads() != nullptr && c->pads()->size() >= 6 ? c->pads()->Get(3 + d) : padFront(c, d);
}

WindowAxis depthWindow(const Convolution3DCommon* c, int in, int out) {
    WindowAxis window;
    window.kernel = at(c->kernels(), 0, 1);
    window.stride = std::max(1, at(c->strides(), 0, 1));
    window.dilation = std::max(1, at(c->dilates(), 0, 1));
    window.pad = windowPad(c->padMode(), window, padFront(c, 0), in, out);
    return window;
}

// The 2-D op over height and width, with the weights as they are (in the file, in the side file or as an input).
OpT planeOp(OpType type, const Op* op, const Convolution3D* param, int inputs, int outputs) {
    const Convolution3DCommon* c = param->common();
    Convolution2DT plane;
    plane.common.reset(new Convolution2DCommonT);
    auto* common = plane.common.get();
    common->kernelY = at(c->kernels(), 1, 1);
    common->kernelX = at(c->kernels(), 2, 1);
    common->strideY = at(c->strides(), 1, 1);
    common->strideX = at(c->strides(), 2, 1);
    common->dilateY = at(c->dilates(), 1, 1);
    common->dilateX = at(c->dilates(), 2, 1);
    common->padMode = c->padMode();
    common->padY = padFront(c, 1);
    common->padX = padFront(c, 2);
    common->pads = {padFront(c, 1), padFront(c, 2), padBehind(c, 1), padBehind(c, 2)};
    common->group = c->group();
    common->inputCount = inputs;
    common->outputCount = outputs;
    if (param->weight() != nullptr) plane.weight.assign(param->weight()->begin(), param->weight()->end());
    if (param->external() != nullptr) plane.external.assign(param->external()->begin(), param->external()->end());
    OpT result = makeOp(type, std::move(plane));
    if (op->externalPath() != nullptr) result.externalPath = op->externalPath()->str();
    return result;
}

// Weights given as an input, [a, b, kd, kh, kw] as [a, b * kd, kh, kw], and what follows them.
void appendWeightInputs(const Tensors& inputs, Tensors* operands, GeometryContext& ctx) {
    if (inputs.size() < 2 || inputs[1]->dimensions() != 5) return;
    const std::vector<int> w = inputs[1]->shape();
    operands->push_back(reshape(ctx.plain(inputs[1]), {w[0], w[1] * w[2], w[3], w[4]}, ctx));
}

bool checkVolume(const Op* op, const Convolution3D* param, const Tensors& inputs, const Tensors& outputs) {
    if (param == nullptr || param->common() == nullptr) return fail(op, inputs, "a convolution without parameters");
    if (inputs[0]->dimensions() != 5 || outputs[0]->dimensions() != 5) return fail(op, inputs, "needs a volume");
    return true;
}

}  // namespace

bool lowerConvolution3D(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const Convolution3D* param = op->main_as_Convolution3D();
    if (!checkVolume(op, param, inputs, outputs)) return false;
    Tensor* x = ctx.plain(inputs[0]);
    const int N = x->length(0), C = x->length(1), D = x->length(2), H = x->length(3), W = x->length(4);
    const std::vector<int> to = outputs[0]->shape();
    const WindowAxis window = depthWindow(param->common(), D, to[2]);

    // [N * OD, C * KD, H, W]; depths outside x stay zero.
    const int channels = C * window.kernel, area = H * W;
    core::RegionList regions;
    for (int tap = 0; tap < window.kernel; ++tap) {
        for (const Run& run : tapRun(window, tap, D, to[2])) {
            const int64_t plane = area, slice = int64_t(channels) * area;
            appendMove(&regions, x, {N, run.count, C, area}, run.src * plane,
                       {int64_t(C) * D * plane, run.step * plane, D * plane, 1}, run.dst * slice + tap * plane,
                       {to[2] * slice, slice, window.kernel * plane, 1});
        }
    }
    Tensor* slices = ctx.makeTensor({N * to[2], channels, H, W}, x->getType());
    setView(slices, std::move(regions), ctx);

    OpT plane = planeOp(OpType_Convolution, op, param, channels, to[1]);
    auto* convolution = plane.main.AsConvolution2D();
    convolution->common->relu = param->common()->relu();
    convolution->common->relu6 = param->common()->relu6();
    if (param->bias() != nullptr) convolution->bias.assign(param->bias()->begin(), param->bias()->end());
    Tensors operands = {ctx.packed(slices, ctx.packFor(channels))};
    appendWeightInputs(inputs, &operands, ctx);
    if (operands.size() > 1 && inputs.size() > 2) operands.push_back(ctx.plain(inputs[2]));
    Tensor* y = ctx.makeTensor({N * to[2], to[1], to[3], to[4]}, outputs[0]->getType());
    ctx.add(plane, operands, {ctx.packedOutput(y, ctx.packFor(to[1]))});

    Tensor* volume = permute(reshape(ctx.plain(y), {N, to[2], to[1], to[3] * to[4]}, ctx), {0, 2, 1, 3}, ctx);
    setReshape(outputs[0], volume, ctx);
    return true;
}

namespace {

// planes: [N, D, O, KD, area]. Tap kd of depth d lands on depth d * stride - pad + kd * dilation of the result.
Tensor* sumTaps(Tensor* planes, const WindowAxis& window, int outDepth, GeometryContext& ctx) {
    planes = ctx.plain(planes);
    const std::vector<int> dims = planes->shape();
    const int N = dims[0], D = dims[1], O = dims[2], KD = dims[3];
    const int64_t area = dims[4];
    Tensor* sum = nullptr;
    // Taps whose distance is below a stride never meet, so they share a term.
    for (int first = 0; first < KD;) {
        int end = first + 1;
        while (end < KD && (end - first) * window.dilation < window.stride) ++end;
        core::RegionList regions;
        for (int tap = first; tap < end; ++tap) {
            const Scatter scatter = tapScatter(window, tap, outDepth, D);
            if (scatter.count == 0) continue;
            const int64_t slice = O * KD * area;
            appendMove(&regions, planes, {N, O, scatter.count, dims[4]}, scatter.src * slice + tap * area,
                       {D * slice, KD * area, slice, 1}, scatter.dst * area,
                       {O * outDepth * area, outDepth * area, window.stride * area, 1});
        }
        Tensor* term = ctx.makeTensor({N, O, outDepth, dims[4]}, planes->getType());
        setView(term, std::move(regions), ctx);
        sum = sum == nullptr ? term : makeBinary(ctx, BinaryOpOperation_ADD, sum, term);
        first = end;
    }
    return sum;
}

}  // namespace

bool lowerDeconvolution3D(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const Convolution3D* param = op->main_as_Convolution3D();
    if (!checkVolume(op, param, inputs, outputs)) return false;
    const Convolution3DCommon* common = param->common();
    Tensor* x = ctx.plain(inputs[0]);
    const int N = x->length(0), C = x->length(1), D = x->length(2), H = x->length(3), W = x->length(4);
    const std::vector<int> to = outputs[0]->shape();
    // The window slides over the output here.
    const WindowAxis window = depthWindow(common, to[2], D);
    Tensor* slices = permute(reshape(x, {N, C, D, H * W}, ctx), {0, 2, 1, 3}, ctx);
    slices = reshape(slices, {N * D, C, H, W}, ctx);

    const int channels = to[1] * window.kernel;
    Tensors operands = {ctx.packed(slices, ctx.packFor(C))};
    appendWeightInputs(inputs, &operands, ctx);
    Tensor* y = ctx.makeTensor({N * D, channels, to[3], to[4]}, outputs[0]->getType());
    ctx.add(planeOp(OpType_Deconvolution, op, param, C, channels), operands,
            {ctx.packedOutput(y, ctx.packFor(channels))});

    Tensor* planes = reshape(ctx.plain(y), {N, D, to[1], window.kernel, to[3] * to[4]}, ctx);
    Tensor* sum = reshape(sumTaps(planes, window, to[2], ctx), to, ctx);
    const bool biasInput = operands.size() > 1 && inputs.size() > 2 && TensorUtils::elements(inputs[2]) == to[1];
    Tensor* bias = nullptr;
    if (biasInput) bias = ctx.plain(inputs[2]);
    if (param->bias() != nullptr && param->bias()->size() == static_cast<uint32_t>(to[1])) {
        bias = constFloats(ctx, param->bias()->data(), to[1]);
    }
    if (bias != nullptr) sum = makeBinary(ctx, BinaryOpOperation_ADD, sum, reshape(bias, {1, to[1], 1, 1, 1}, ctx));
    if (common->relu() || common->relu6()) {
        Relu6T clamp;
        clamp.maxValue = common->relu6() ? 6.0f : 3.402823466e38f;
        Tensors operand = {sum};
        Tensor* target = prepareElementwise(ctx, &operand, outputs[0]);
        ctx.add(makeOp(OpType_ReLU6, std::move(clamp)), operand, {target});
    } else {
        setReshape(outputs[0], sum, ctx);
    }
    return true;
}

}  // namespace geometry
}  // namespace MNN
