// Normalisations and softmaxes.
#include <numeric>

#include "graph/BlobView.hpp"
#include "onnx/Families.hpp"
#include "onnx/Formulas.hpp"

namespace MNN {
namespace Converter {

namespace {

// x * scale + bias along axis 1. Constants make a Scale op.
Value scaleChannels(Node& n, Value x, Value scale, Value bias) {
    Builder& b = n.b;
    const BlobT* s = b.constantOf(scale);
    const BlobT* t = b.constantOf(bias);
    if (s && t && s->float32s.size() == t->float32s.size() && !s->float32s.empty()) {
        ScaleT param;
        param.channels = static_cast<int>(s->float32s.size());
        param.scaleData = s->float32s;
        param.biasData = t->float32s;
        return b.op(OpType_Scale, std::move(param), {x});
    }
    const int rank = b.rankKnown(x) ? b.rank(x) : n.rank(0);
    return b.add(b.mul(x, alongAxis(b, scale, 1, rank)), alongAxis(b, bias, 1, rank));
}

// Uses the batch's own statistics and moves the running ones.
Outputs batchNormTraining(Node& n) {
    Builder& b = n.b;
    const int rank = n.rank(0);
    const float momentum = n.f("momentum", 0.9f);
    std::vector<int> axes = iota(2, rank);
    axes.insert(axes.begin(), 0);
    const Value x = n.in(0), mean = b.reduce(ReductionType_MEAN, x, axes, true);
    const Value centred = b.sub(x, mean);
    const Value variance = b.reduce(ReductionType_MEAN, b.mul(centred, centred), axes, true);
    const Value deviation = b.unary(UnaryOpOperation_SQRT, b.add(variance, b.real(n.f("epsilon", 1e-5f))));
    const Value y =
        b.add(b.mul(b.div(centred, deviation), alongAxis(b, n.in(1), 1, rank)), alongAxis(b, n.in(2), 1, rank));
    const auto moved = [&](size_t running, Value current) {
        return b.add(b.mul(n.in(running), b.real(momentum)), b.mul(b.reshape(current, {-1}), b.real(1.0f - momentum)));
    };
    return {y, moved(3, mean), moved(4, variance)};
}

Outputs batchNorm(Node& n) {
    Builder& b = n.b;
    if (n.i("training_mode", 0) != 0) return batchNormTraining(n);
    const Value deviation = b.unary(UnaryOpOperation_SQRT, b.add(n.in(4), b.real(n.f("epsilon", 1e-5f))));
    const Value scale = b.div(n.in(1), deviation);
    const Value bias = b.sub(n.in(2), b.mul(n.in(3), scale));
    if (n.opset < 9 && n.i("spatial", 1) == 0) return {b.add(b.mul(n.in(0), scale), bias)};
    return {scaleChannels(n, n.in(0), scale, bias)};
}

Value layerNormOp(Builder& b, Value x, const std::vector<int>& axes, float epsilon, bool rms, const BlobT* gamma,
                  const BlobT* beta) {
    LayerNormT param;
    param.axis = axes;
    param.epsilon = epsilon;
    param.useRMSNorm = rms;
    if (gamma) param.gamma = gamma->float32s;
    if (beta) param.beta = beta->float32s;
    // MNN stores both or neither.
    if (gamma && !beta) param.beta.assign(param.gamma.size(), 0.0f);
    return b.op(OpType_LayerNorm, std::move(param), {x});
}

// Groups of channels normalised together: [N, C, ...] seen as [N, groups, rest].
Value normGroups(Builder& b, Value x, int groups, float epsilon) {
    const Value grouped = b.reshape(x, {0, groups, -1});
    return layerNormOp(b, grouped, {2}, epsilon, false, nullptr, nullptr);
}

Outputs instanceNorm(Node& n) {
    Builder& b = n.b;
    const Value x = n.in(0);
    const Value normal = normGroups(b, x, 0, n.f("epsilon", 1e-5f));
    return {scaleChannels(n, b.reshapeTo(normal, b.shapeOf(x)), n.in(1), n.in(2))};
}

Outputs groupNorm(Node& n) {
    Builder& b = n.b;
    const int groups = n.i("num_groups", 0);
    if (groups < 1) n.fail("num_groups must be positive");
    const Value x = n.in(0);
    const Value normal = normGroups(b, x, groups, n.f("epsilon", 1e-5f));
    if (n.opset >= 21) return {scaleChannels(n, b.reshapeTo(normal, b.shapeOf(x)), n.in(1), n.in(2))};
    // Scale and bias are per group before opset 21.
    const Value scaled = b.add(b.mul(normal, b.reshape(n.in(1), {-1, 1})), b.reshape(n.in(2), {-1, 1}));
    return {b.reshapeTo(scaled, b.shapeOf(x))};
}

std::vector<int> lastAxes(Node& n) {
    const int axis = n.i("axis", -1);
    if (!n.b.rankKnown(n.in(0))) {
        if (axis < 0) return iota(axis, 0);
        n.rank(0);
    }
    return iota(n.axis("axis", -1, n.rank(0)), n.rank(0));
}

// Mean and 1 / deviation are wanted too: the formula itself.
Outputs layerNormFormula(Node& n, const std::vector<int>& axes, float epsilon) {
    Builder& b = n.b;
    const Value x = n.in(0), mean = b.reduce(ReductionType_MEAN, x, axes, true);
    const Value centred = b.sub(x, mean);
    const Value variance = b.reduce(ReductionType_MEAN, b.mul(centred, centred), axes, true);
    const Value inverse = b.div(b.real(1), b.unary(UnaryOpOperation_SQRT, b.add(variance, b.real(epsilon))));
    Value y = b.mul(b.mul(centred, inverse), n.in(1));
    if (n.has(2)) y = b.add(y, n.in(2));
    return {y, mean, inverse};
}

Outputs layerNorm(Node& n) {
    Builder& b = n.b;
    const float epsilon = n.f("epsilon", 1e-5f);
    const std::vector<int> axes = lastAxes(n);
    if (n.wants(1) || n.wants(2)) return layerNormFormula(n, axes, epsilon);
    const BlobT* gamma = b.constantOf(n.in(1));
    const BlobT* beta = n.has(2) ? b.constantOf(n.in(2)) : nullptr;
    // gamma may broadcast (fewer axes than are normalised), which the op's flat vector cannot say.
    const bool full = gamma && gamma->dims.size() == axes.size() && !gamma->float32s.empty();
    const bool fits = full && (!n.has(2) || (beta && beta->dims == gamma->dims));
    if (fits) return {layerNormOp(b, n.in(0), axes, epsilon, false, gamma, beta)};
    Value y = b.mul(layerNormOp(b, n.in(0), axes, epsilon, false, nullptr, nullptr), n.in(1));
    if (n.has(2)) y = b.add(y, n.in(2));
    return {y};
}

Outputs rmsNorm(Node& n) {
    Builder& b = n.b;
    const std::vector<int> axes = lastAxes(n);
    const float epsilon = n.f("epsilon", 1e-5f);
    const BlobT* gamma = b.constantOf(n.in(1));
    if (gamma && gamma->dims.size() == axes.size() && !gamma->float32s.empty())
        return {layerNormOp(b, n.in(0), axes, epsilon, true, gamma, nullptr)};
    return {b.mul(layerNormOp(b, n.in(0), axes, epsilon, true, nullptr, nullptr), n.in(1))};
}

Outputs lrn(Node& n) {
    LRNT param;
    param.regionType = 0;
    param.localSize = n.i("size", 1);
    if (param.localSize < 1) n.fail("size must be positive");
    param.alpha = n.f("alpha", 1e-4f);
    param.beta = n.f("beta", 0.75f);
    param.bias = n.f("bias", 1.0f);
    return {n.b.op(OpType_LRN, std::move(param), {n.in(0)})};
}

Outputs lpNorm(Node& n) {
    Builder& b = n.b;
    const int p = n.i("p", 2);
    const std::vector<int> axis = {n.i("axis", -1)};
    if (p != 1 && p != 2) n.fail("p must be 1 or 2");
    const Value x = n.in(0);
    if (p == 1) return {b.div(x, b.reduce(ReductionType_SUM, b.unary(UnaryOpOperation_ABS, x), axis, true))};
    const Value squares = b.reduce(ReductionType_SUM, b.mul(x, x), axis, true);
    return {b.div(x, b.unary(UnaryOpOperation_SQRT, squares))};
}

Outputs meanVariance(Node& n) {
    Builder& b = n.b;
    const std::vector<int> axes = n.hasAttr("axes") ? n.ints("axes") : std::vector<int>{0, 2, 3};
    const Value x = n.in(0), centred = b.sub(x, b.reduce(ReductionType_MEAN, x, axes, true));
    const Value variance = b.reduce(ReductionType_MEAN, b.mul(centred, centred), axes, true);
    return {b.div(centred, b.add(b.unary(UnaryOpOperation_SQRT, variance), b.real(1e-9f)))};
}

// Before opset 13 these ops see the input as a matrix: axes before `axis` are rows, the rest one row's values.
template <class Body>
Outputs asMatrix(Node& n, Body body) {
    Builder& b = n.b;
    const Value x = n.in(0);
    int axis = n.i("axis", 1);
    if (b.rankKnown(x)) {
        axis = n.axis("axis", 1, std::max(n.rank(0), 1));
        if (axis == n.rank(0) - 1) return {body(x, axis)};
    }
    if (axis < 0) n.rank(0);
    Value matrix = kNone;
    if (axis == 0)
        matrix = b.reshape(x, {1, -1});
    else if (axis == 1)
        matrix = b.reshape(x, {0, -1});
    else {
        FlattenT param;
        param.axis = axis;
        matrix = b.op(OpType_Flatten, std::move(param), {x});
    }
    const Value result = body(matrix, -1);
    return {b.reshapeTo(result, b.shapeOf(x))};
}

// One at the first maximum, zero elsewhere.
Value hardmaxOf(Builder& b, Value x, int axis) {
    ArgMaxT arg;
    arg.axis = axis;
    arg.topK = 1;
    const Value best = b.op(OpType_ArgMax, std::move(arg), {x}, DataType_DT_INT64);
    OneHotParamT hot;
    hot.axis = axis;
    const Value depth = b.squeeze(b.axisSize(x, axis), {0});
    return b.op(OpType_OneHot, std::move(hot), {best, depth, b.real(1), b.real(0)}, b.type(x));
}

Outputs softmaxOld(Node& n) {
    return asMatrix(n, [&](Value x, int axis) { return n.b.softmax(x, axis); });
}
Outputs logSoftmaxOld(Node& n) {
    return asMatrix(n, [&](Value x, int axis) { return logSoftmaxOf(n.b, x, axis); });
}
Outputs hardmaxOld(Node& n) {
    return asMatrix(n, [&](Value x, int axis) { return hardmaxOf(n.b, x, axis); });
}

int checkedAxis(Node& n) { return n.b.rankKnown(n.in(0)) ? n.axis("axis", -1, n.rank(0)) : n.i("axis", -1); }
Outputs softmaxNew(Node& n) { return {n.b.softmax(n.in(0), checkedAxis(n))}; }
Outputs logSoftmaxNew(Node& n) { return {logSoftmaxOf(n.b, n.in(0), checkedAxis(n))}; }
Outputs hardmaxNew(Node& n) { return {hardmaxOf(n.b, n.in(0), checkedAxis(n))}; }

const OpImporter kRows[] = {
    {"BatchNormalization", 1, batchNorm},
    {"InstanceNormalization", 1, instanceNorm},
    {"GroupNormalization", 18, groupNorm},
    {"LayerNormalization", 1, layerNorm},
    {"RMSNormalization", 23, rmsNorm},
    {"SimplifiedLayerNormalization", 1, rmsNorm},
    {"LRN", 1, lrn},
    {"LpNormalization", 1, lpNorm},
    {"MeanVarianceNormalization", 9, meanVariance},
    {"Softmax", 1, softmaxOld},
    {"Softmax", 13, softmaxNew},
    {"LogSoftmax", 1, logSoftmaxOld},
    {"LogSoftmax", 13, logSoftmaxNew},
    {"Hardmax", 1, hardmaxOld},
    {"Hardmax", 13, hardmaxNew},
};

}  // namespace

OpFamily normOps() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

}  // namespace Converter
}  // namespace MNN
