// Local response normalisation: y = x / (bias + alpha / n * sum of x^2 over a window)^beta, n the elements of the
// window.
#include <algorithm>
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"

namespace MNN {
namespace geometry {
namespace {

Tensor* affine(GeometryContext& ctx, Tensor* x, float factor, float term) {
    Tensor* scale = ctx.constFloat(factor);
    Tensor* bias = ctx.constFloat(term);
    if (scale == nullptr || bias == nullptr) return nullptr;
    return makeBinary(ctx, BinaryOpOperation_ADD, makeBinary(ctx, BinaryOpOperation_MUL, x, scale), bias);
}

// bias + alpha / size * (sum over `size` channels around each) is a 1x1 convolution whose weights are a band; it needs
// no other layout than its neighbours. An even window reaches one further up the channels.
Tensor* bandConvolution(GeometryContext& ctx, Tensor* squares, int size, float alpha, float bias) {
    const int channels = squares->length(1), before = (size - 1) / 2, after = size / 2;
    Convolution2DT convolution;
    convolution.common.reset(new Convolution2DCommonT);
    convolution.common->inputCount = convolution.common->outputCount = channels;
    convolution.weight.assign(static_cast<size_t>(channels) * channels, 0.0f);
    for (int c = 0; c < channels; ++c) {
        for (int k = std::max(0, c - before); k <= std::min(channels - 1, c + after); ++k) {
            convolution.weight[static_cast<size_t>(c) * channels + k] = alpha / size;
        }
    }
    convolution.bias.assign(channels, bias);
    const int pack = ctx.packFor(channels);
    Tensor* sum = ctx.makeTensor(squares->shape(), squares->getType());
    ctx.add(makeOp(OpType_Convolution, std::move(convolution)), {ctx.packed(squares, pack)},
            {ctx.packedOutput(sum, pack)});
    return sum;
}

// The band grows with the square of the channels; past this an average pool along the channels, zeros outside, is
// cheaper.
constexpr int kMaxBandChannels = 1024;

Tensor* poolChannels(GeometryContext& ctx, Tensor* squares, int size, float alpha, float bias) {
    const ImageSize image = imageSize(squares);
    const int area = static_cast<int>(image.area);
    Tensor* turned = permute(reshape(squares, {image.batch, image.channels, area}, ctx), {0, 2, 1}, ctx);
    PoolT pool;
    pool.type = PoolType_AVEPOOL;
    pool.kernelX = 1;
    pool.kernelY = size;
    pool.strideX = pool.strideY = 1;
    pool.pads = {(size - 1) / 2, 0, size / 2, 0};
    pool.padY = (size - 1) / 2;
    pool.countType = AvgPoolCountType_INCLUDE_PADDING;
    pool.ceilModel = false;
    Tensor* mean = ctx.makeTensor({image.batch, area, image.channels, 1}, squares->getType());
    makePool(ctx, pool, reshape(turned, mean->shape(), ctx), mean);
    Tensor* back = permute(reshape(mean, {image.batch, area, image.channels}, ctx), {0, 2, 1}, ctx);
    return affine(ctx, reshape(back, squares->shape(), ctx), alpha, bias);
}

Tensor* meanInChannel(GeometryContext& ctx, Tensor* squares, int size) {
    PoolT pool;
    pool.type = PoolType_AVEPOOL;
    pool.kernelX = pool.kernelY = size;
    pool.strideX = pool.strideY = 1;
    pool.pads = {(size - 1) / 2, (size - 1) / 2, size / 2, size / 2};
    pool.padX = pool.padY = (size - 1) / 2;
    pool.countType = AvgPoolCountType_INCLUDE_PADDING;
    pool.ceilModel = false;
    Tensor* mean = ctx.makeTensor(squares->shape(), squares->getType());
    return makePool(ctx, pool, squares, mean);
}

}  // namespace

bool lowerLrn(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const LRN* param = op->main_as_LRN();
    if (param == nullptr || param->localSize() <= 0) return fail(op, inputs, "LRN without a window");
    if (inputs[0]->dimensions() < 2) return fail(op, inputs, "needs a channel dimension");
    const bool withinChannel = param->regionType() == 1;
    if (withinChannel && inputs[0]->dimensions() != 4) return fail(op, inputs, "needs an image");
    const ImageSize image = imageSize(inputs[0]);
    Tensor* x = inputs[0];
    if (x->dimensions() != 4) x = reshape(x, {image.batch, image.channels, static_cast<int>(image.area), 1}, ctx);
    Tensor* squares = makeUnary(ctx, UnaryOpOperation_SQUARE, x);
    Tensor* base = nullptr;
    if (withinChannel) {
        base = affine(ctx, meanInChannel(ctx, squares, param->localSize()), param->alpha(), param->bias());
    } else if (image.channels <= kMaxBandChannels) {
        base = bandConvolution(ctx, squares, param->localSize(), param->alpha(), param->bias());
    } else {
        base = poolChannels(ctx, squares, param->localSize(), param->alpha(), param->bias());
    }
    Tensor* exponent = ctx.constFloat(-param->beta());
    if (base == nullptr || exponent == nullptr) return false;
    Tensor* factor = makeBinary(ctx, BinaryOpOperation_POW, base, exponent);
    if (x == inputs[0]) {
        makeBinary(ctx, BinaryOpOperation_MUL, x, factor, outputs[0]);
    } else {
        setReshape(outputs[0], makeBinary(ctx, BinaryOpOperation_MUL, x, factor), ctx);
    }
    return true;
}

}  // namespace geometry
}  // namespace MNN
