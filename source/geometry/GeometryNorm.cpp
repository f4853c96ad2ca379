// Normalisation: LayerNorm with its residual and groups, GroupNorm, InstanceNorm, Normalize, Moments, GatedRMSNorm.
#include <algorithm>
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"

namespace MNN {
namespace geometry {
namespace {

std::vector<float> floatsOf(const flatbuffers::Vector<float>* v) {
    return v == nullptr ? std::vector<float>() : std::vector<float>(v->begin(), v->end());
}

// Each of `groups` blocks of channels of each batch, normalised to mean 0 and variance 1.
Tensor* normalizeGroups(GeometryContext& ctx, Tensor* x, int groups, float epsilon, bool rms) {
    const int rows = x->length(0) * groups;
    const int inside = rows == 0 ? 0 : static_cast<int>(TensorUtils::elements(x) / rows);
    return makeLayerNorm(ctx, ctx.plain(x), inside, epsilon, rms, nullptr, nullptr);
}

// gamma and beta per channel, either or both absent.
Tensor* scaleChannels(GeometryContext& ctx, Tensor* x, std::vector<float> gamma, std::vector<float> beta, Tensor* out) {
    if (gamma.empty() && beta.empty()) {
        if (out == nullptr) return x;
        setReshape(out, x, ctx);
        return out;
    }
    const size_t channels = x->length(1);
    if (gamma.empty()) gamma.assign(channels, 1.0f);
    if (beta.empty()) beta.assign(channels, 0.0f);
    return makeScale(ctx, x, std::move(gamma), std::move(beta), out);
}

bool fitsChannels(const std::vector<float>& v, const Tensor* x) {
    return v.empty() || static_cast<int>(v.size()) == x->length(1);
}

Tensor* addScalar(GeometryContext& ctx, Tensor* x, float value) {
    Tensor* constant = ctx.constFloat(value);
    return constant == nullptr ? nullptr : makeBinary(ctx, BinaryOpOperation_ADD, x, constant);
}

}  // namespace

// inputs: x [, residual]; outputs: y [, x + residual].
bool lowerLayerNorm(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const LayerNorm* param = op->main_as_LayerNorm();
    if (param == nullptr || inputs.empty()) return fail(op, inputs, "LayerNorm without parameters");
    Tensor* x = inputs[0];
    if (inputs.size() > 1) {
        x = makeBinary(ctx, BinaryOpOperation_ADD, x, inputs[1], outputs.size() > 1 ? outputs[1] : nullptr);
    } else if (outputs.size() > 1) {
        setReshape(outputs[1], x, ctx);
    }
    if (param->group() <= 1) {
        ctx.addWhole(op, {ctx.plain(x)}, {ctx.plainOutput(outputs[0])});
        return true;
    }
    std::vector<float> gamma = floatsOf(param->gamma()), beta = floatsOf(param->beta());
    if (!fitsChannels(gamma, x) || !fitsChannels(beta, x))
        return fail(op, inputs, "gamma and beta do not match the channels");
    Tensor* normal = normalizeGroups(ctx, x, param->group(), param->epsilon(), param->useRMSNorm());
    scaleChannels(ctx, normal, std::move(gamma), std::move(beta), outputs[0]);
    return true;
}

// inputs: x [, values added to each channel first]. bSwish: y * sigmoid(y).
bool lowerGroupNorm(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const GroupNorm* param = op->main_as_GroupNorm();
    if (param == nullptr || param->group() <= 0) return fail(op, inputs, "GroupNorm without groups");
    std::vector<float> gamma = floatsOf(param->gamma()), beta = floatsOf(param->beta());
    Tensor* x = inputs[0];
    if (!fitsChannels(gamma, x) || !fitsChannels(beta, x))
        return fail(op, inputs, "gamma and beta do not match the channels");
    for (size_t i = 1; i < inputs.size(); ++i) {
        Tensor* term = inputs[i];
        if (!TensorUtils::sameShape(term, x)) {
            std::vector<int> dims(x->dimensions(), 1);
            dims[0] = x->length(0);
            dims[1] = x->length(1);
            if (TensorUtils::elements(term) != product(dims)) dims[0] = 1;
            if (TensorUtils::elements(term) != product(dims))
                return fail(op, inputs, "an added tensor is not per channel");
            term = reshape(term, dims, ctx);
        }
        x = makeBinary(ctx, BinaryOpOperation_ADD, x, term);
    }
    Tensor* normal = normalizeGroups(ctx, x, param->group(), param->epsilon(), false);
    const bool swish = param->bSwish() != 0;
    Tensor* y = scaleChannels(ctx, normal, std::move(gamma), std::move(beta), swish ? nullptr : outputs[0]);
    if (swish) makeUnary(ctx, UnaryOpOperation_SILU, y, outputs[0]);
    return true;
}

// inputs: x, or x, mean, variance. y = (x - mean) / sqrt(variance + epsilon) * slope + bias, per batch and channel.
bool lowerInstanceNorm(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const BatchNorm* param = op->main_as_BatchNorm();
    if (param == nullptr || inputs[0]->dimensions() < 2) return fail(op, inputs, "InstanceNorm without parameters");
    std::vector<float> slope = floatsOf(param->slopeData()), bias = floatsOf(param->biasData());
    Tensor* x = inputs[0];
    if (!fitsChannels(slope, x) || !fitsChannels(bias, x))
        return fail(op, inputs, "slope and bias do not match the channels");
    Tensor* normal = nullptr;
    if (inputs.size() >= 3) {
        std::vector<int> dims(x->dimensions(), 1);
        dims[0] = x->length(0);
        dims[1] = x->length(1);
        for (size_t i : {1, 2}) {
            if (TensorUtils::elements(inputs[i]) != product(dims))
                return fail(op, inputs, "needs a mean and a variance per channel");
        }
        Tensor* variance = addScalar(ctx, reshape(inputs[2], dims, ctx), param->epsilon());
        if (variance == nullptr) return false;
        Tensor* centred = makeBinary(ctx, BinaryOpOperation_SUB, x, reshape(inputs[1], dims, ctx));
        normal = makeBinary(ctx, BinaryOpOperation_MUL, centred, makeUnary(ctx, UnaryOpOperation_RSQRT, variance));
    } else {
        normal = normalizeGroups(ctx, x, x->length(1), param->epsilon(), false);
    }
    scaleChannels(ctx, normal, std::move(slope), std::move(bias), outputs[0]);
    return true;
}

// inputs: x, gate. The RMS norm of x times gate * sigmoid(gate).
bool lowerGatedRmsNorm(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const LayerNorm* param = op->main_as_LayerNorm();
    if (param == nullptr || inputs.size() < 2) return fail(op, inputs, "needs x and a gate");
    const std::vector<float> gamma = floatsOf(param->gamma());
    const int rank = inputs[0]->dimensions(),
              axes = param->axis() == nullptr ? 1 : static_cast<int>(param->axis()->size());
    if (axes > rank) return fail(op, inputs, "more axes than dimensions");
    const int inside = static_cast<int>(product(inputs[0]->shape(), rank - axes, rank));
    if (!gamma.empty() && static_cast<int>(gamma.size()) != inside)
        return fail(op, inputs, "gamma does not match the axes");
    Tensor* scale = gamma.empty() ? nullptr : constFloats(ctx, gamma.data(), inside);
    Tensor* normal = makeLayerNorm(ctx, inputs[0], inside, param->epsilon(), true, scale, nullptr);
    Tensor* gate = reshape(makeUnary(ctx, UnaryOpOperation_SILU, inputs[1]), inputs[0]->shape(), ctx);
    makeBinary(ctx, BinaryOpOperation_MUL, normal, gate, outputs[0]);
    return true;
}

// y = x / sqrt(sum of x^2 + epsilon) * scale; the sum is over channels or over channels and places.
bool lowerNormalize(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const Normalize* param = op->main_as_Normalize();
    if (param == nullptr || inputs[0]->dimensions() < 2) return fail(op, inputs, "Normalize without parameters");
    Tensor* x = inputs[0];
    const int channels = x->length(1);
    std::vector<float> scale = floatsOf(param->scale());
    if (scale.size() == 1) scale.assign(channels, scale[0]);
    if (!fitsChannels(scale, x)) return fail(op, inputs, "the scale does not match the channels");
    std::vector<bool> reduced(x->dimensions(), param->acrossSpatial() != 0);
    reduced[0] = false;
    reduced[1] = true;
    Tensor* sum = makeReduceDims(ctx, ReductionType_SUMSQ, x, reduced);
    Tensor* base = addScalar(ctx, sum, param->eps());
    if (base == nullptr) return false;
    Tensor* factor = makeUnary(ctx, UnaryOpOperation_RSQRT, base);
    Tensor* normal = makeBinary(ctx, BinaryOpOperation_MUL, x, factor, scale.empty() ? outputs[0] : nullptr);
    if (!scale.empty()) makeScale(ctx, normal, std::move(scale), std::vector<float>(channels, 0.0f), outputs[0]);
    return true;
}

// outputs: mean, variance.
bool lowerMoments(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const MomentsParam* param = op->main_as_MomentsParam();
    if (param == nullptr || outputs.size() < 2) return fail(op, inputs, "needs two outputs");
    const int rank = inputs[0]->dimensions();
    std::vector<bool> reduced(rank, param->dim() == nullptr || param->dim()->size() == 0);
    for (uint32_t i = 0; param->dim() != nullptr && i < param->dim()->size(); ++i) {
        int axis = param->dim()->Get(i);
        if (!normalizeAxis(&axis, rank)) return fail(op, inputs, "an axis is outside the rank");
        reduced[axis] = true;
    }
    Tensor* mean = makeReduceDims(ctx, ReductionType_MEAN, inputs[0], reduced);
    Tensor* squares = makeBinary(ctx, BinaryOpOperation_SquaredDifference, inputs[0], mean);
    setReshape(outputs[0], mean, ctx);
    makeReduceDims(ctx, ReductionType_MEAN, squares, reduced, outputs[1]);
    return true;
}

}  // namespace geometry
}  // namespace MNN
