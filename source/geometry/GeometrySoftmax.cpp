// Softmax runs on row-major storage whatever its axis.
#include <algorithm>
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"

namespace MNN {
namespace geometry {

bool lowerSoftmax(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const Axis* param = op->main_as_Axis();
    const int rank = inputs[0]->dimensions();
    int axis = param == nullptr ? -1 : param->axis();
    if (!normalizeAxis(&axis, std::max(rank, 1))) return fail(op, inputs, "the axis is outside the rank");
    Tensor* x = rank == 0 ? reshape(inputs[0], {1}, ctx) : inputs[0];
    makeSoftmax(ctx, x, axis, outputs[0]);
    return true;
}

}  // namespace geometry
}  // namespace MNN
