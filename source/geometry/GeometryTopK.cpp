// TopKV2 runs along the last dimension; ArgMax and ArgMin of several places are one.
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"

namespace MNN {
namespace geometry {
namespace {

// outputs: values, and perhaps indices, along `axis` of x.
void addTopK(std::shared_ptr<OwnedOp> op, Tensor* x, Tensor* count, int axis, const Tensors& outputs,
             GeometryContext& ctx) {
    const int rank = x->dimensions();
    if (axis == rank - 1) {
        Tensors targets;
        for (Tensor* output : outputs) targets.push_back(ctx.plainOutput(output));
        ctx.add(std::move(op), {ctx.plain(x), count}, targets);
        return;
    }
    // Swapping the axis with the last one is its own inverse.
    std::vector<int> swap;
    for (int d = 0; d < rank; ++d) swap.push_back(d);
    std::swap(swap[axis], swap[rank - 1]);
    Tensors turned;
    for (Tensor* output : outputs) {
        std::vector<int> dims = output->shape();
        std::swap(dims[axis], dims[rank - 1]);
        turned.push_back(ctx.makeTensor(dims, output->getType()));
    }
    ctx.add(std::move(op), {permute(x, swap, ctx), count}, turned);
    for (size_t i = 0; i < outputs.size(); ++i) setReshape(outputs[i], permute(turned[i], swap, ctx), ctx);
}

std::shared_ptr<OwnedOp> topKOp(const Op* op, bool largest) {
    TopKV2T param;
    param.sorted = true;
    param.largest = largest;
    OpT made = makeOp(OpType_TopKV2, std::move(param));
    if (op->name() != nullptr) made.name = op->name()->str();
    return std::make_shared<OwnedOp>(made);
}

}  // namespace

// inputs: x, k [, axis]; outputs: values, indices.
bool lowerTopK(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    if (inputs.size() < 2) return fail(op, inputs, "needs a count");
    std::vector<int> axis = {-1};
    if (inputs.size() > 2 && !contentInts(inputs[2], &axis))
        return fail(op, inputs, "the axis is not known before the model runs");
    if (axis.empty() || !normalizeAxis(&axis[0], inputs[0]->dimensions()))
        return fail(op, inputs, "the axis is outside the rank");
    const TopKV2* param = op->main_as_TopKV2();
    addTopK(topKOp(op, param == nullptr || param->largest()), inputs[0], ctx.plain(inputs[1]), axis[0], outputs, ctx);
    return true;
}

// topK places along the axis, best first, or with outMaxVal the values there. One place alone is a primitive.
bool lowerArgMax(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const ArgMax* param = op->main_as_ArgMax();
    if (param == nullptr || inputs.empty()) return fail(op, inputs, "needs its parameters");
    if (param->topK() <= 1) return lowerPrimitive(op, inputs, outputs, ctx);
    int axis = param->axis();
    if (!normalizeAxis(&axis, inputs[0]->dimensions())) return fail(op, inputs, "the axis is outside the rank");
    Tensor* count = ctx.constInts({param->topK()});
    if (count == nullptr) return fail(op, inputs, "out of memory");
    Tensors both = outputs;
    const bool values = param->outMaxVal() != 0;
    if (!values) both.insert(both.begin(), ctx.makeTensor(outputs[0]->shape(), inputs[0]->getType()));
    addTopK(topKOp(op, op->type() == OpType_ArgMax), inputs[0], count, axis, both, ctx);
    return true;
}

}  // namespace geometry
}  // namespace MNN
