// Reverse and ReverseSequence.
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"
#include "geometry/Select.hpp"

namespace MNN {
namespace geometry {

bool lowerReverse(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    std::vector<int> axes;
    if (inputs.size() < 2 || !contentInts(inputs[1], &axes))
        return fail(op, inputs, "the axes are not known before the model runs");
    const std::vector<int> dims = inputs[0]->shape();
    const int rank = static_cast<int>(dims.size());
    std::vector<Runs> runs;
    for (int length : dims) runs.push_back(wholeRun(length));
    for (int axis : axes) {
        if (!normalizeAxis(&axis, rank)) return fail(op, inputs, "an axis is outside the rank");
        runs[axis] = {Run{0, dims[axis], dims[axis] - 1, -1}};
    }
    setSelection(outputs[0], inputs[0], dims, runs, ctx);
    return true;
}

// Each batch is reversed up to its own length. Lengths that are only known while the model runs need an Execution.
bool lowerReverseSequence(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const ReverseSequenceParam* param = op->main_as_ReverseSequenceParam();
    if (param == nullptr || inputs.size() < 2) return fail(op, inputs, "needs the lengths");
    std::vector<int> lengths;
    if (!contentInts(inputs[1], &lengths)) return lowerPrimitive(op, inputs, outputs, ctx);
    const std::vector<int> dims = inputs[0]->shape();
    const int rank = static_cast<int>(dims.size());
    int batch = param->batchDim(), time = param->seqDim();
    if (!normalizeAxis(&batch, rank) || !normalizeAxis(&time, rank) || batch == time)
        return fail(op, inputs, "wrong dimensions");
    if (static_cast<int>(lengths.size()) != dims[batch]) return fail(op, inputs, "needs a length for each batch");
    Tensor* x = ctx.plain(inputs[0]);
    const std::vector<int64_t> dense = rowMajorStrides(dims);
    core::RegionList regions;
    for (int n = 0; n < dims[batch]; ++n) {
        const int length = lengths[n];
        if (length < 0 || length > dims[time]) return fail(op, inputs, "a length is outside the sequence");
        std::vector<int> sizes = dims;
        sizes[batch] = 1;
        sizes[time] = length;
        std::vector<int64_t> backwards = dense;
        backwards[time] = -dense[time];
        const int64_t start = n * dense[batch];
        if (length > 0) appendMove(&regions, x, sizes, start + (length - 1) * dense[time], backwards, start, dense);
        sizes[time] = dims[time] - length;
        appendMove(&regions, x, sizes, start + length * dense[time], dense, start + length * dense[time], dense);
    }
    setView(outputs[0], std::move(regions), ctx);
    return true;
}

}  // namespace geometry
}  // namespace MNN
