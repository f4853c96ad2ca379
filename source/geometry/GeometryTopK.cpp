// TopKV2 runs along the last dimension.
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"

namespace MNN {
namespace geometry {

// inputs: x, k [, axis]; outputs: values, indices.
bool lowerTopK(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    if (inputs.size() < 2) return fail(op, inputs, "needs a count");
    const int rank = inputs[0]->dimensions();
    std::vector<int> axis = {-1};
    if (inputs.size() > 2 && !contentInts(inputs[2], &axis))
        return fail(op, inputs, "the axis is not known before the model runs");
    if (axis.empty() || !normalizeAxis(&axis[0], rank)) return fail(op, inputs, "the axis is outside the rank");
    Tensor* count = ctx.plain(inputs[1]);
    if (axis[0] == rank - 1) {
        Tensors targets;
        for (Tensor* output : outputs) targets.push_back(ctx.plainOutput(output));
        ctx.addWhole(op, {ctx.plain(inputs[0]), count}, targets);
        return true;
    }
    // Swapping the axis with the last one is its own inverse.
    std::vector<int> swap;
    for (int d = 0; d < rank; ++d) swap.push_back(d);
    std::swap(swap[axis[0]], swap[rank - 1]);
    Tensors turned;
    for (Tensor* output : outputs) {
        std::vector<int> dims = output->shape();
        std::swap(dims[axis[0]], dims[rank - 1]);
        turned.push_back(ctx.makeTensor(dims, output->getType()));
    }
    ctx.addWhole(op, {permute(inputs[0], swap, ctx), count}, turned);
    for (size_t i = 0; i < outputs.size(); ++i) setReshape(outputs[i], permute(turned[i], swap, ctx), ctx);
    return true;
}

}  // namespace geometry
}  // namespace MNN
