// CosineSimilarity: sum(a * b) / sqrt(max(sum(a * a) * sum(b * b), epsilon^2)) along one dimension.
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"

namespace MNN {
namespace geometry {
namespace {

// The square of the smallest product of lengths that is divided by.
constexpr float kEpsilonSquared = 1e-16f;

}  // namespace

// inputs: a, b, dimension.
bool lowerCosineSimilarity(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    std::vector<int> axis;
    if (inputs.size() < 3 || !contentInts(inputs[2], &axis) || axis.empty())
        return fail(op, inputs, "needs a dimension");
    Tensor* products = makeBinary(ctx, BinaryOpOperation_MUL, inputs[0], inputs[1]);
    const int rank = products->dimensions();
    if (!normalizeAxis(&axis[0], rank)) return fail(op, inputs, "the dimension is outside the rank");
    std::vector<bool> reduced(rank, false);
    reduced[axis[0]] = true;
    auto sum = [&](Tensor* x) {
        return makeReduceDims(ctx, ReductionType_SUM, broadcastTo(x, products->shape(), ctx), reduced);
    };
    auto sumOfSquares = [&](Tensor* x) { return sum(makeUnary(ctx, UnaryOpOperation_SQUARE, x)); };

    Tensor* epsilon = ctx.constFloat(kEpsilonSquared);
    if (epsilon == nullptr) return false;
    Tensor* lengths = makeBinary(ctx, BinaryOpOperation_MUL, sumOfSquares(inputs[0]), sumOfSquares(inputs[1]));
    Tensor* length =
        makeUnary(ctx, UnaryOpOperation_SQRT, makeBinary(ctx, BinaryOpOperation_MAXIMUM, lengths, epsilon));
    setReshape(outputs[0], makeBinary(ctx, BinaryOpOperation_REALDIV, sum(products), length), ctx);
    return true;
}

}  // namespace geometry
}  // namespace MNN
