// Makers of primitive commands, for lowerings that compose an op from them.
#include <algorithm>
#include "geometry/GeometryUtils.hpp"

namespace MNN {
namespace geometry {
namespace {

halide_type_t intType() { return halide_type_of<int32_t>(); }

bool isComparison(BinaryOpOperation kind) {
    switch (kind) {
        case BinaryOpOperation_GREATER:
        case BinaryOpOperation_GREATER_EQUAL:
        case BinaryOpOperation_LESS:
        case BinaryOpOperation_LESS_EQUAL:
        case BinaryOpOperation_EQUAL:
        case BinaryOpOperation_NOTEQUAL:
        case BinaryOpOperation_LOGICALOR:
        case BinaryOpOperation_LOGICALXOR:
            return true;
        default:
            return false;
    }
}

std::vector<int> broadcastDims(const Tensors& inputs) {
    std::vector<int> dims;
    for (const Tensor* t : inputs) {
        const std::vector<int> other = t->shape();
        if (other.size() > dims.size()) dims.insert(dims.begin(), other.size() - dims.size(), 1);
        for (size_t back = 1; back <= other.size(); ++back) {
            int& length = dims[dims.size() - back];
            if (length == 1) length = other[other.size() - back];
        }
    }
    return dims;
}

// A real packed copy of a small constant, so that a per-channel operand is one Region; pad lanes are zero.
Tensor* packedConstant(const Tensor* t, const std::vector<int>& dims, int pack, GeometryContext& ctx) {
    Tensor* stored = ctx.makeTensor(dims, t->getType());
    TensorUtils::setFormat(stored, MNN_DATA_FORMAT_NC4HW4, pack);
    if (!TensorUtils::allocHost(stored)) return nullptr;
    TensorUtils::describe(stored)->usage = TensorUsage::Constant;
    TensorUtils::describe(stored)->hostKnown = true;
    const ImageSize size = imageSize(stored);
    const int bytes = t->getType().bytes();
    const int blocks = (size.channels + pack - 1) / pack;
    auto* dst = stored->host<uint8_t>();
    const auto* src = t->host<uint8_t>();
    std::fill(dst, dst + TensorUtils::storageBytes(stored), uint8_t(0));
    for (int64_t n = 0; n < size.batch; ++n) {
        for (int64_t c = 0; c < size.channels; ++c) {
            for (int64_t s = 0; s < size.area; ++s) {
                const int64_t to = ((n * blocks + c / pack) * size.area + s) * pack + c % pack;
                const int64_t from = (n * size.channels + c) * size.area + s;
                std::copy(src + from * bytes, src + (from + 1) * bytes, dst + to * bytes);
            }
        }
    }
    return stored;
}

// `input` broadcast to dims in NC4HW4 storage: the storage of a small tensor is broadcast like the tensor itself, and a
// tensor with one channel is a row-major one whose blocks and lanes have stride 0.
Tensor* packedOperand(GeometryContext& ctx, Tensor* input, const Tensor* target, int pack) {
    const Tensor* source = resolve(input);
    std::vector<int> dims = input->shape();
    const size_t rank = target->dimensions();
    if (dims.size() < rank) {
        dims.insert(dims.begin(), rank - dims.size(), 1);
        input = reshape(input, dims, ctx);
    }
    if (dims == target->shape()) return ctx.packed(input, pack);
    const bool oneChannel = dims[1] == 1;
    if (oneChannel) {
        input = ctx.plain(input);
    } else if (isHostKnown(source) && !TensorUtils::isPacked(source)) {
        Tensor* constant = packedConstant(source, dims, pack, ctx);
        if (constant != nullptr) input = constant;
    }
    if (!oneChannel) input = ctx.packed(input, pack);
    input = singleRegion(input, ctx);

    std::vector<int> from = dims;
    from[1] = oneChannel ? 1 : (dims[1] + pack - 1) / pack;
    from.push_back(oneChannel ? 1 : pack);
    const std::vector<int64_t> dense = rowMajorStrides(from);
    std::vector<int> to = target->shape();
    to[1] = (to[1] + pack - 1) / pack;
    to.push_back(pack);
    std::vector<int64_t> strides(to.size(), 0);
    for (size_t d = 0; d < to.size(); ++d) {
        if (from[d] != 1) strides[d] = dense[d];
    }
    core::RegionList regions;
    appendMove(&regions, input, to, 0, strides, 0, rowMajorStrides(to));
    Tensor* view = ctx.makeTensor(target->shape(), input->getType());
    TensorUtils::setFormat(view, MNN_DATA_FORMAT_NC4HW4, pack);
    setStorageView(view, std::move(regions), ctx);
    return view;
}

}  // namespace

Tensor* prepareElementwise(GeometryContext& ctx, Tensors* inputs, Tensor* output) {
    bool packed = false;
    for (const Tensor* t : *inputs) packed = packed || (TensorUtils::isPacked(t) && TensorUtils::sameShape(t, output));
    if (!packed || output->dimensions() < 2) {
        const std::vector<int> dims = output->shape();
        for (Tensor*& t : *inputs) t = broadcastTo(t, dims, ctx);
        return ctx.plainOutput(output);
    }
    const int pack = ctx.packFor(output->length(1));
    Tensor* target = ctx.packedOutput(output, pack);
    for (Tensor*& t : *inputs) t = packedOperand(ctx, t, target, pack);
    return target;
}

namespace {

Tensor* makeElementwise(GeometryContext& ctx, const OpT& op, Tensors inputs, halide_type_t type, Tensor* out) {
    if (out == nullptr) {
        out = ctx.makeTensor(broadcastDims(inputs), type,
                             TensorUtils::describe(inputs[0])->format == MNN_DATA_FORMAT_NHWC ? MNN_DATA_FORMAT_NHWC
                                                                                              : MNN_DATA_FORMAT_NCHW);
    }
    Tensor* target = prepareElementwise(ctx, &inputs, out);
    ctx.add(op, inputs, {target});
    return out;
}

}  // namespace

Tensor* makeUnary(GeometryContext& ctx, UnaryOpOperation kind, Tensor* x, Tensor* out) {
    UnaryOpT unary;
    unary.opType = kind;
    unary.T = TensorUtils::dataType(x->getType());
    return makeElementwise(ctx, makeOp(OpType_UnaryOp, std::move(unary)), {x}, x->getType(), out);
}

Tensor* makeBinary(GeometryContext& ctx, BinaryOpOperation kind, Tensor* a, Tensor* b, Tensor* out) {
    BinaryOpT binary;
    binary.opType = kind;
    binary.T = TensorUtils::dataType(a->getType());
    const halide_type_t type = isComparison(kind) ? intType() : a->getType();
    return makeElementwise(ctx, makeOp(OpType_BinaryOp, std::move(binary)), {a, b}, type, out);
}

Tensor* makeSelect(GeometryContext& ctx, Tensor* condition, Tensor* a, Tensor* b, Tensor* out) {
    return makeElementwise(ctx, makeOp(OpType_Select), {condition, a, b}, a->getType(), out);
}

Tensor* makeCast(GeometryContext& ctx, Tensor* x, halide_type_t type, Tensor* out) {
    CastParamT cast;
    cast.srcT = TensorUtils::dataType(x->getType());
    cast.dstT = TensorUtils::dataType(type);
    return makeElementwise(ctx, makeOp(OpType_Cast, std::move(cast)), {x}, type, out);
}

Tensor* makeScale(GeometryContext& ctx, Tensor* x, std::vector<float> scaleData, std::vector<float> biasData,
                  Tensor* out) {
    ScaleT scale;
    scale.channels = static_cast<int>(scaleData.size());
    scale.scaleData = std::move(scaleData);
    scale.biasData = std::move(biasData);
    return makeElementwise(ctx, makeOp(OpType_Scale, std::move(scale)), {x}, x->getType(), out);
}

Tensor* makeReduce(GeometryContext& ctx, ReductionType kind, Tensor* x, int outside, int axis, int inside,
                   Tensor* out) {
    if (out == nullptr) out = ctx.makeTensor({outside, 1, inside}, x->getType());
    ReductionParamT reduction;
    reduction.operation = kind;
    reduction.dim = {1};
    reduction.keepDims = true;
    reduction.dType = TensorUtils::dataType(x->getType());
    Tensor* view = reshape(ctx.plain(x), {outside, axis, inside}, ctx);
    ctx.add(makeOp(OpType_Reduction, std::move(reduction)), {view}, {ctx.plainOutput(out)});
    return out;
}

Tensor* makeMatMul(GeometryContext& ctx, Tensor* a, Tensor* b, bool transposeA, bool transposeB, Tensor* bias,
                   Tensor* out) {
    if (out == nullptr) {
        const std::vector<int> left = a->shape(), right = b->shape();
        std::vector<int> dims = left.size() >= right.size() ? left : right;
        const size_t rank = dims.size();
        dims[rank - 2] = left[left.size() - (transposeA ? 1 : 2)];
        dims[rank - 1] = right[right.size() - (transposeB ? 2 : 1)];
        out = ctx.makeTensor(dims, a->getType());
    }
    MatMulT matmul;
    matmul.T = TensorUtils::dataType(a->getType());
    matmul.transposeA = transposeA;
    matmul.transposeB = transposeB;
    Tensors inputs = {ctx.plain(a), ctx.plain(b)};
    if (bias != nullptr) inputs.push_back(ctx.plain(bias));
    ctx.add(makeOp(OpType_MatMul, std::move(matmul)), inputs, {ctx.plainOutput(out)});
    return out;
}

Tensor* makeSoftmax(GeometryContext& ctx, Tensor* x, int axis, Tensor* out) {
    if (out == nullptr) out = ctx.makeTensor(x->shape(), x->getType());
    AxisT param;
    param.axis = axis;
    ctx.add(makeOp(OpType_Softmax, std::move(param)), {ctx.plain(x)}, {ctx.plainOutput(out)});
    return out;
}

Tensor* makeLayerNorm(GeometryContext& ctx, Tensor* x, int inside, float epsilon, bool rms, Tensor* gamma, Tensor* beta,
                      Tensor* out) {
    if (out == nullptr) out = ctx.makeTensor(x->shape(), x->getType());
    const bool foldGamma = gamma != nullptr && isHostKnown(gamma) && TensorUtils::elements(gamma) == inside;
    const bool foldBeta = foldGamma && beta != nullptr && isHostKnown(beta) && TensorUtils::elements(beta) == inside;
    LayerNormT norm;
    norm.axis = {-1};
    norm.epsilon = epsilon;
    norm.useRMSNorm = rms;
    if (foldGamma) norm.gamma.assign(gamma->host<float>(), gamma->host<float>() + inside);
    if (foldBeta) norm.beta.assign(beta->host<float>(), beta->host<float>() + inside);
    if (foldGamma && !foldBeta) norm.beta.assign(inside, 0.0f);

    Tensor* scaleAfter = foldGamma ? nullptr : gamma;
    Tensor* biasAfter = foldBeta ? nullptr : beta;
    const bool direct = scaleAfter == nullptr && biasAfter == nullptr;
    Tensor* y = direct ? out : ctx.makeTensor(x->shape(), x->getType());
    const int outside = inside == 0 ? 0 : static_cast<int>(TensorUtils::elements(x) / inside);
    Tensor* rows = reshape(ctx.plain(x), {outside, inside}, ctx);
    ctx.add(makeOp(OpType_LayerNorm, std::move(norm)), {rows}, {ctx.plainOutput(y)});
    if (scaleAfter != nullptr) {
        y = makeBinary(ctx, BinaryOpOperation_MUL, y, scaleAfter, biasAfter == nullptr ? out : nullptr);
    }
    if (biasAfter != nullptr) makeBinary(ctx, BinaryOpOperation_ADD, y, biasAfter, out);
    return out;
}

Tensor* makePool(GeometryContext& ctx, const PoolT& pool, Tensor* x, Tensor* out) {
    const int pack = ctx.packFor(x->length(1));
    ctx.add(makeOp(OpType_Pooling, PoolT(pool)), {ctx.packed(x, pack)}, {ctx.packedOutput(out, pack)});
    return out;
}

Tensor* constFloats(GeometryContext& ctx, const float* values, int count) {
    Tensor* t = ctx.allocConst({count}, halide_type_of<float>());
    if (t != nullptr) std::copy(values, values + count, t->host<float>());
    return t;
}

}  // namespace geometry
}  // namespace MNN
