// Gather along one axis: a view when the indices are constants with few runs, else a primitive.
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"
#include "geometry/Select.hpp"

namespace MNN {
namespace geometry {
namespace {

// The axis of Gather, GatherV2: the third input or a parameter.
bool gatherAxis(const Op* op, const Tensors& inputs, int* axis) {
    *axis = 0;
    if (inputs.size() > 2) {
        std::vector<int> values;
        if (!contentInts(inputs[2], &values)) return fail(op, inputs, "the axis is not known before the model runs");
        if (!values.empty()) *axis = values[0];
    } else if (op->main_as_Axis() != nullptr) {
        *axis = op->main_as_Axis()->axis();
    } else if (op->main_as_Gather() != nullptr) {
        *axis = op->main_as_Gather()->axis();
    }
    return normalizeAxis(axis, inputs[0]->dimensions()) || fail(op, inputs, "the axis is outside the rank");
}

// Long index lists are not worth scanning: a table look-up has no structure.
constexpr int kMaxScannedIndices = 1 << 16;

}  // namespace

bool lowerGather(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    int axis = 0;
    if (inputs.size() < 2) return fail(op, inputs, "needs indices");
    if (!gatherAxis(op, inputs, &axis)) return false;
    const int64_t count = TensorUtils::elements(inputs[1]);
    if (!isHostKnown(inputs[1]) || count > kMaxScannedIndices) return lowerPrimitive(op, inputs, outputs, ctx);
    std::vector<int> dims = inputs[0]->shape(), indices = hostInts(inputs[1]);
    for (int& index : indices) {
        if (index < 0) index += dims[axis];
        if (index < 0 || index >= dims[axis]) return fail(op, inputs, "an index is outside the axis");
    }
    std::vector<Runs> runs;
    for (int length : dims) runs.push_back(wholeRun(length));
    runs[axis] = runsOf(indices);
    if (static_cast<int>(runs[axis].size()) > kMaxRegions) return lowerPrimitive(op, inputs, outputs, ctx);
    dims[axis] = static_cast<int>(count);
    const bool sameRank = inputs[1]->dimensions() == 1;
    setSelection(outputs[0], sameRank ? inputs[0] : ctx.plain(inputs[0]), dims, runs, ctx);
    return true;
}

}  // namespace geometry
}  // namespace MNN
