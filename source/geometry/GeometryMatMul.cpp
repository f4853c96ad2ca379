// MatMul, BatchMatMul and InnerProduct.
// The MatMul primitive reads a [batch..., M, K] (or transposed), b [batch..., K, N] (or transposed) and writes
// [batch..., M, N]; a and b have the output's rank, and a batch that is broadcast is a view with stride 0.
#include <algorithm>
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"

namespace MNN {
namespace geometry {
namespace {

// t with its matrices repeated to fill `batch`.
Tensor* broadcastBatch(Tensor* t, const std::vector<int>& batch, GeometryContext& ctx) {
    const std::vector<int> own = t->shape();
    std::vector<int> dims = batch;
    dims.insert(dims.end(), own.end() - 2, own.end());
    return broadcastTo(t, dims, ctx);
}

// One matrix b for all batches of a: the rows of a become one tall matrix.
bool isTall(const Tensor* a, const Tensor* b, bool transposeA) {
    return !transposeA && a->dimensions() > 2 &&
           TensorUtils::elements(b) == int64_t(b->length(b->dimensions() - 1)) * b->length(b->dimensions() - 2);
}

bool matmul(const Op* op, Tensor* a, Tensor* b, bool transposeA, bool transposeB, Tensor* bias, Tensor* output,
            GeometryContext& ctx) {
    a = ctx.plain(a);
    b = ctx.plain(b);
    if (a->dimensions() == 0 || b->dimensions() == 0) return fail(op, {a, b}, "a scalar is no matrix");
    const bool rowVector = a->dimensions() == 1, columnVector = b->dimensions() == 1;
    if (rowVector) a = reshape(a, {1, a->length(0)}, ctx);
    if (columnVector) b = reshape(b, {b->length(0), 1}, ctx);
    const bool turnA = transposeA && !rowVector, turnB = transposeB && !columnVector;

    std::vector<int> dims = output->shape();
    if (columnVector) dims.push_back(1);
    if (rowVector) dims.insert(dims.end() - 1, 1);
    if (dims.size() < 2) return fail(op, {a, b}, "the output has too few dimensions");
    if (isTall(a, b, turnA)) {
        const int rows = static_cast<int>(product(dims, 0, static_cast<int>(dims.size()) - 1));
        a = reshape(a, {rows, a->length(a->dimensions() - 1)}, ctx);
        b = reshape(b, {b->length(b->dimensions() - 2), b->length(b->dimensions() - 1)}, ctx);
        dims = {rows, dims.back()};
    }
    const std::vector<int> batch(dims.begin(), dims.end() - 2);
    a = broadcastBatch(a, batch, ctx);
    b = broadcastBatch(b, batch, ctx);
    if (dims == output->shape()) {
        makeMatMul(ctx, a, b, turnA, turnB, bias, output);
    } else {
        Tensor* product = ctx.makeTensor(dims, output->getType());
        makeMatMul(ctx, a, b, turnA, turnB, bias, product);
        setReshape(output, product, ctx);
    }
    return true;
}

}  // namespace

bool lowerMatMul(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const MatMul* param = op->main_as_MatMul();
    if (inputs.size() < 2) return fail(op, inputs, "needs two matrices");
    const bool transposeA = param != nullptr && param->transposeA(),
               transposeB = param != nullptr && param->transposeB();
    return matmul(op, inputs[0], inputs[1], transposeA, transposeB, inputs.size() > 2 ? inputs[2] : nullptr, outputs[0],
                  ctx);
}

bool lowerBatchMatMul(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const BatchMatMulParam* param = op->main_as_BatchMatMulParam();
    if (inputs.size() < 2) return fail(op, inputs, "needs two matrices");
    const bool turnA = param != nullptr && param->adjX(), turnB = param != nullptr && param->adjY();
    return matmul(op, inputs[0], inputs[1], turnA, turnB, nullptr, outputs[0], ctx);
}

// A fully connected layer is a 1x1 convolution of an image with one place, and its weights may be quantised like those.
bool lowerInnerProduct(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const InnerProduct* param = op->main_as_InnerProduct();
    if (param == nullptr || param->outputCount() <= 0) return fail(op, inputs, "InnerProduct without parameters");
    const std::vector<int> dims = inputs[0]->shape();
    const int rank = static_cast<int>(dims.size()), units = param->outputCount();
    int axis = param->axis();
    if (axis != rank && !normalizeAxis(&axis, rank)) return fail(op, inputs, "the axis is outside the rank");
    const int rows = static_cast<int>(product(dims, 0, axis)), depth = static_cast<int>(product(dims, axis, rank));
    if (TensorUtils::elements(outputs[0]) != int64_t(rows) * units)
        return fail(op, inputs, "the output has another size");

    std::unique_ptr<InnerProductT> weights(param->UnPack());
    if (weights->quanParameter == nullptr && int64_t(weights->weight.size()) != int64_t(depth) * units) {
        return fail(op, inputs, "the weights do not match the input");
    }
    Convolution2DT convolution;
    convolution.common.reset(new Convolution2DCommonT);
    convolution.common->inputCount = depth;
    convolution.common->outputCount = units;
    convolution.weight = std::move(weights->weight);
    if (param->transpose() && !convolution.weight.empty()) {
        std::vector<float> turned(convolution.weight.size());
        for (int64_t k = 0; k < depth; ++k) {
            for (int64_t n = 0; n < units; ++n) turned[n * depth + k] = convolution.weight[k * units + n];
        }
        convolution.weight.swap(turned);
    }
    convolution.bias = std::move(weights->bias);
    convolution.bias.resize(units, 0.0f);
    convolution.quanParameter = std::move(weights->quanParameter);

    Tensor* image = ctx.packed(reshape(inputs[0], {rows, depth, 1, 1}, ctx), ctx.packFor(depth));
    Tensor* product = ctx.makeTensor({rows, units, 1, 1}, outputs[0]->getType());
    ctx.add(makeOp(OpType_Convolution, std::move(convolution)), {image},
            {ctx.packedOutput(product, ctx.packFor(units))});
    setReshape(outputs[0], product, ctx);
    return true;
}

}  // namespace geometry
}  // namespace MNN
