// Element-wise ops: broadcast their inputs and keep packed storage where an input has it; formulas of activations.
#include <cmath>
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"

namespace MNN {
namespace geometry {

bool lowerElementwise(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    Tensors operands = inputs;
    Tensor* target = prepareElementwise(ctx, &operands, outputs[0]);
    ctx.addWhole(op, operands, {target});
    return true;
}

// A cast to the type that is there already changes nothing, except that a bool becomes 0 or 1.
bool lowerCast(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const CastParam* param = op->main_as_CastParam();
    const bool toBool = param != nullptr && param->dstT() == DataType_DT_BOOL;
    if (toBool || !(inputs[0]->getType() == outputs[0]->getType())) return lowerElementwise(op, inputs, outputs, ctx);
    setReshape(outputs[0], inputs[0], ctx);
    return true;
}

// Per-channel ops (Scale, PReLU): the operand tables are attributes, so only the first input is a tensor.
bool lowerPerChannel(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    Tensors operands = {inputs[0]};
    Tensor* target = prepareElementwise(ctx, &operands, outputs[0]);
    for (size_t i = 1; i < inputs.size(); ++i) operands.push_back(ctx.plain(inputs[i]));
    ctx.addWhole(op, operands, {target});
    return true;
}

namespace {

// The largest and smallest of the int or float types; elsewhere the kind is undefined in the file format.
bool binaryOfEltwise(EltwiseType type, BinaryOpOperation* kind) {
    switch (type) {
        case EltwiseType_PROD:
            *kind = BinaryOpOperation_MUL;
            return true;
        case EltwiseType_SUM:
            *kind = BinaryOpOperation_ADD;
            return true;
        case EltwiseType_MAXIMUM:
            *kind = BinaryOpOperation_MAXIMUM;
            return true;
        case EltwiseType_SUB:
            *kind = BinaryOpOperation_SUB;
            return true;
    }
    return false;
}

Tensor* times(GeometryContext& ctx, Tensor* x, float factor) {
    if (factor == 1.0f) return x;
    Tensor* constant = ctx.constFloat(factor);
    return constant == nullptr ? nullptr : makeBinary(ctx, BinaryOpOperation_MUL, x, constant);
}

}  // namespace

bool lowerEltwise(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const Eltwise* param = op->main_as_Eltwise();
    BinaryOpOperation kind;
    if (param == nullptr || inputs.empty() || !binaryOfEltwise(param->type(), &kind)) {
        return fail(op, inputs, "unknown Eltwise type");
    }
    const auto* coefficients = param->coeff();
    const bool weighted = param->type() == EltwiseType_SUM && coefficients != nullptr && coefficients->size() > 0;
    if (weighted && coefficients->size() < inputs.size()) return fail(op, inputs, "fewer coefficients than inputs");
    auto term = [&](size_t i) { return weighted ? times(ctx, inputs[i], coefficients->Get(i)) : inputs[i]; };
    Tensor* sum = term(0);
    if (inputs.size() == 1) setReshape(outputs[0], sum, ctx);
    for (size_t i = 1; i < inputs.size(); ++i) {
        Tensor* next = term(i);
        if (sum == nullptr || next == nullptr) return false;
        sum = makeBinary(ctx, kind, sum, next, i + 1 == inputs.size() ? outputs[0] : nullptr);
    }
    return true;
}

// y = slope * (x - mean) / sqrt(variance + epsilon) + bias becomes one Scale.
bool lowerBatchNorm(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const BatchNorm* param = op->main_as_BatchNorm();
    if (param == nullptr || param->channels() <= 0) return fail(op, inputs, "BatchNorm without parameters");
    const uint32_t channels = static_cast<uint32_t>(param->channels());
    auto fits = [channels](const flatbuffers::Vector<float>* v) { return v != nullptr && v->size() >= channels; };
    if (!fits(param->meanData()) || !fits(param->varData())) return fail(op, inputs, "mean or variance is short");
    std::vector<float> scale(channels), bias(channels);
    for (uint32_t c = 0; c < channels; ++c) {
        const float slope = fits(param->slopeData()) ? param->slopeData()->Get(c) : 1.0f;
        scale[c] = slope / std::sqrt(param->varData()->Get(c) + param->epsilon());
        bias[c] = (fits(param->biasData()) ? param->biasData()->Get(c) : 0.0f) - param->meanData()->Get(c) * scale[c];
    }
    makeScale(ctx, inputs[0], std::move(scale), std::move(bias), outputs[0]);
    return true;
}

namespace {

template <UnaryOpOperation kind>
bool lowerAsUnary(const Op*, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    makeUnary(ctx, kind, inputs[0], outputs[0]);
    return true;
}

// scale * (x > 0 ? x : alpha * (exp(x) - 1)). The branch is taken before exp, so that no infinity meets a zero.
bool exponentialLinear(Tensor* x, float scale, float alpha, Tensor* output, GeometryContext& ctx) {
    Tensor* zero = ctx.constFloat(0.0f);
    if (zero == nullptr) return false;
    Tensor* negative = makeUnary(ctx, UnaryOpOperation_EXPM1, makeBinary(ctx, BinaryOpOperation_MINIMUM, x, zero));
    Tensor* scaled = times(ctx, negative, alpha * scale);
    Tensor* positive = times(ctx, makeBinary(ctx, BinaryOpOperation_MAXIMUM, x, zero), scale);
    if (scaled == nullptr || positive == nullptr) return false;
    makeBinary(ctx, BinaryOpOperation_ADD, positive, scaled, output);
    return true;
}

}  // namespace

bool lowerAbs(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    return lowerAsUnary<UnaryOpOperation_ABS>(op, inputs, outputs, ctx);
}
bool lowerBnll(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    return lowerAsUnary<UnaryOpOperation_BNLL>(op, inputs, outputs, ctx);
}
bool lowerExp(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    return lowerAsUnary<UnaryOpOperation_EXP>(op, inputs, outputs, ctx);
}
bool lowerLog(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    return lowerAsUnary<UnaryOpOperation_LOG>(op, inputs, outputs, ctx);
}
bool lowerSigmoid(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    return lowerAsUnary<UnaryOpOperation_SIGMOID>(op, inputs, outputs, ctx);
}
bool lowerTanH(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    return lowerAsUnary<UnaryOpOperation_TANH>(op, inputs, outputs, ctx);
}

bool lowerElu(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const ELU* param = op->main_as_ELU();
    return exponentialLinear(inputs[0], 1.0f, param == nullptr ? 1.0f : param->alpha(), outputs[0], ctx);
}

bool lowerSelu(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const Selu* param = op->main_as_Selu();
    if (param == nullptr) return fail(op, inputs, "Selu without parameters");
    return exponentialLinear(inputs[0], param->scale(), param->alpha(), outputs[0], ctx);
}

// x > alpha ? 1 : 0
bool lowerThreshold(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const ELU* param = op->main_as_ELU();
    Tensor* alpha = ctx.constFloat(param == nullptr ? 0.0f : param->alpha());
    if (alpha == nullptr) return false;
    Tensor* above = makeBinary(ctx, BinaryOpOperation_GREATER, inputs[0], alpha);
    makeCast(ctx, above, outputs[0]->getType(), outputs[0]);
    return true;
}

// inputs: feature [N, C, H, W], map [N, 1, H, W].
bool lowerSpatialProduct(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    if (inputs.size() != 2) return fail(op, inputs, "needs a feature and a map");
    makeBinary(ctx, BinaryOpOperation_MUL, inputs[0], inputs[1], outputs[0]);
    return true;
}

bool lowerCastLike(const Op*, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    if (inputs[0]->getType() == outputs[0]->getType()) {
        setReshape(outputs[0], inputs[0], ctx);
    } else {
        makeCast(ctx, inputs[0], outputs[0]->getType(), outputs[0]);
    }
    return true;
}

}  // namespace geometry
}  // namespace MNN
