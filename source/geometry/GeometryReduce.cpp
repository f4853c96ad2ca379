// Reduction becomes single-axis reductions over [outside, axis, inside].
#include <algorithm>
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"

namespace MNN {
namespace geometry {
namespace {

// Neighbouring dimensions that are all reduced or all kept; those of length 1 belong to any.
struct Span {
    int length;
    bool reduced;
};

std::vector<Span> spansOf(const std::vector<int>& dims, const std::vector<bool>& reduced) {
    std::vector<Span> spans;
    for (size_t d = 0; d < dims.size(); ++d) {
        if (dims[d] == 1) continue;
        if (!spans.empty() && spans.back().reduced == reduced[d]) {
            spans.back().length *= dims[d];
        } else {
            spans.push_back({dims[d], reduced[d]});
        }
    }
    return spans;
}

// What a second pass does with the results of the first.
ReductionType nextKind(ReductionType kind) {
    return kind == ReductionType_ASUM || kind == ReductionType_SUMSQ ? ReductionType_SUM : kind;
}

// The mean or maximum of whole planes of a packed image is a global pool, which keeps the layout.
bool isGlobalPool(ReductionType kind, const Tensor* x, const std::vector<bool>& reduced) {
    if (kind != ReductionType_MEAN && kind != ReductionType_MAXIMUM) return false;
    return TensorUtils::isPacked(x) && x->getType() == halide_type_of<float>() &&
           reduced == std::vector<bool>{false, false, true, true};
}

void globalPool(GeometryContext& ctx, ReductionType kind, Tensor* x, Tensor* out) {
    PoolT pool;
    pool.isGlobal = true;
    pool.type = kind == ReductionType_MEAN ? PoolType_AVEPOOL : PoolType_MAXPOOL;
    const std::vector<int> dims = {x->length(0), x->length(1), 1, 1};
    if (out->shape() == dims) {
        makePool(ctx, pool, x, out);
    } else {
        Tensor* image = ctx.makeTensor(dims, x->getType());
        setReshape(out, makePool(ctx, pool, x, image), ctx);
    }
}

void reduceNothing(GeometryContext& ctx, ReductionType kind, Tensor* x, Tensor* out) {
    Tensor* same = x;
    if (kind == ReductionType_ASUM) same = makeUnary(ctx, UnaryOpOperation_ABS, x);
    if (kind == ReductionType_SUMSQ) same = makeUnary(ctx, UnaryOpOperation_SQUARE, x);
    setReshape(out, same, ctx);
}

// A mean of integers is rounded once, so passes behind one another sum, and one division follows.
bool isMeanOfSums(ReductionType kind, const Tensor* x, int64_t passes) {
    return kind == ReductionType_MEAN && passes > 1 && x->getType().code != halide_type_float;
}

Tensor* meanOfSums(GeometryContext& ctx, Tensor* x, const std::vector<bool>& reduced, Tensor* out) {
    Tensor* sum = makeReduceDims(ctx, ReductionType_SUM, x, reduced);
    const int64_t kept = TensorUtils::elements(sum);
    Tensor* count = ctx.constInts({static_cast<int>(kept == 0 ? 1 : TensorUtils::elements(x) / kept)});
    if (count == nullptr) return nullptr;
    setReshape(out, makeBinary(ctx, BinaryOpOperation_REALDIV, sum, count), ctx);
    return out;
}

}  // namespace

Tensor* makeReduceDims(GeometryContext& ctx, ReductionType kind, Tensor* x, const std::vector<bool>& reduced,
                       Tensor* out) {
    std::vector<int> dims = x->shape();
    std::vector<Span> spans = spansOf(dims, reduced);
    if (out == nullptr) {
        for (size_t d = 0; d < dims.size(); ++d) {
            if (reduced[d]) dims[d] = 1;
        }
        out = ctx.makeTensor(dims, x->getType());
    }
    const auto passes = std::count_if(spans.begin(), spans.end(), [](const Span& s) { return s.reduced; });
    if (passes == 0) {
        reduceNothing(ctx, kind, x, out);
        return out;
    }
    if (isGlobalPool(kind, x, reduced)) {
        globalPool(ctx, kind, x, out);
        return out;
    }
    if (isMeanOfSums(kind, x, passes)) return meanOfSums(ctx, x, reduced, out);
    auto left = passes;
    for (size_t i = spans.size(); i-- > 0;) {
        if (!spans[i].reduced) continue;
        int64_t outside = 1, inside = 1;
        for (size_t k = 0; k < spans.size(); ++k) {
            if (k < i) outside *= spans[k].length;
            if (k > i) inside *= spans[k].length;
        }
        const bool last = --left == 0;
        x = makeReduce(ctx, kind, x, static_cast<int>(outside), spans[i].length, static_cast<int>(inside),
                       last ? out : nullptr);
        kind = nextKind(kind);
        spans[i].length = 1;
    }
    return out;
}

// inputs: x [, axes]. Without axes everything is reduced.
bool lowerReduction(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const ReductionParam* param = op->main_as_ReductionParam();
    if (param == nullptr) return fail(op, inputs, "Reduction without parameters");
    std::vector<int> axes;
    if (inputs.size() > 1) {
        if (!contentInts(inputs[1], &axes)) return fail(op, inputs, "the axes are not known before the model runs");
    } else if (param->dim() != nullptr) {
        axes.assign(param->dim()->begin(), param->dim()->end());
    }
    const int rank = inputs[0]->dimensions();
    std::vector<bool> reduced(rank, axes.empty());
    for (int axis : axes) {
        if (rank == 0) continue;
        if (!normalizeAxis(&axis, rank)) return fail(op, inputs, "an axis is outside the rank");
        reduced[axis] = true;
    }
    return makeReduceDims(ctx, param->operation(), inputs[0], reduced, outputs[0]) != nullptr;
}

}  // namespace geometry
}  // namespace MNN
