// Slice, SliceTf, StridedSlice, Unpack: parts of a tensor.
#include <algorithm>
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"
#include "geometry/Select.hpp"
#include "shape/StridedSlice.hpp"

namespace MNN {
namespace geometry {
namespace {

std::vector<Runs> wholeRuns(const std::vector<int>& dims) {
    std::vector<Runs> runs;
    for (int length : dims) runs.push_back(wholeRun(length));
    return runs;
}

}  // namespace

// The shape rule has cut the axis; the parts follow each other.
bool lowerSlice(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const Slice* param = op->main_as_Slice();
    const int rank = inputs[0]->dimensions();
    int axis = param == nullptr ? 0 : param->axis();
    if (!normalizeAxis(&axis, rank)) return fail(op, inputs, "the axis is outside the rank");
    int begin = 0;
    for (Tensor* output : outputs) {
        std::vector<Runs> runs = wholeRuns(inputs[0]->shape());
        const int count = output->length(axis);
        if (begin + count > inputs[0]->length(axis)) return fail(op, inputs, "the parts are longer than the input");
        runs[axis] = {Run{0, count, begin, 1}};
        setSelection(output, inputs[0], output->shape(), runs, ctx);
        begin += count;
    }
    return true;
}

bool lowerSliceTf(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    std::vector<int> begin;
    if (inputs.size() < 2 || !contentInts(inputs[1], &begin))
        return fail(op, inputs, "begin is not known before the model runs");
    const std::vector<int> dims = outputs[0]->shape();
    if (begin.size() != dims.size()) return fail(op, inputs, "begin has another length than the rank");
    std::vector<Runs> runs;
    for (size_t d = 0; d < dims.size(); ++d) {
        const int first = begin[d] < 0 ? begin[d] + inputs[0]->length(static_cast<int>(d)) : begin[d];
        runs.push_back({Run{0, dims[d], first, 1}});
    }
    setSelection(outputs[0], inputs[0], dims, runs, ctx);
    return true;
}

// Output i is step i of the axis, without the axis.
bool lowerUnpack(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const Axis* param = op->main_as_Axis();
    const int rank = inputs[0]->dimensions();
    int axis = param == nullptr ? 0 : param->axis();
    if (!normalizeAxis(&axis, rank)) return fail(op, inputs, "the axis is outside the rank");
    if (static_cast<int>(outputs.size()) > inputs[0]->length(axis)) return fail(op, inputs, "more outputs than steps");
    std::vector<int> dims = inputs[0]->shape();
    std::vector<Runs> runs = wholeRuns(dims);
    dims[axis] = 1;
    for (size_t i = 0; i < outputs.size(); ++i) {
        runs[axis] = {Run{0, 1, static_cast<int>(i), 1}};
        setSelection(outputs[i], ctx.plain(inputs[0]), dims, runs, ctx);
    }
    return true;
}

namespace {

// A copy of x whose slice is `value`: what lies outside the slice comes from x.
void writeSlice(const shape::SliceSpec& spec, Tensor* x, Tensor* value, Tensor* output, GeometryContext& ctx) {
    x = ctx.plain(x);
    const std::vector<int> dims = x->shape();
    std::vector<Stripe> stripes;
    std::vector<int> counts;
    for (const shape::SliceRange& range : spec.ranges) {
        Stripe stripe;
        stripe.count = static_cast<int>(range.count);
        stripe.step = static_cast<int>(std::abs(range.stride));
        stripe.begin =
            static_cast<int>(range.stride > 0 ? range.begin : range.begin + (range.count - 1) * range.stride);
        stripes.push_back(stripe);
        counts.push_back(stripe.count);
    }
    const std::vector<int64_t> dense = rowMajorStrides(dims);
    core::RegionList regions;
    appendOutside(&regions, x, dense, dims, stripes);

    // The value in the order of the input's dimensions; a reversed range reads it backwards.
    const std::vector<int> sliced(spec.sliced.begin(), spec.sliced.end());
    value = broadcastTo(value, sliced, ctx);
    const std::vector<int64_t> valueDense = rowMajorStrides(counts);
    std::vector<int64_t> srcStrides, dstStrides;
    int64_t src = 0, dst = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
        const bool forward = spec.ranges[d].stride > 0;
        srcStrides.push_back(forward ? valueDense[d] : -valueDense[d]);
        if (!forward) src += (counts[d] - 1) * valueDense[d];
        dst += stripes[d].begin * dense[d];
        dstStrides.push_back(stripes[d].step * dense[d]);
    }
    appendMove(&regions, value, counts, src, srcStrides, dst, dstStrides);
    setView(output, std::move(regions), ctx);
}

}  // namespace

bool lowerStridedSlice(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    shape::SliceSpec spec;
    if (!shape::stridedSlice(op, inputs, &spec)) return false;
    if (shape::isSliceWrite(op, inputs)) {
        writeSlice(spec, inputs[0], inputs[4], outputs[0], ctx);
        return true;
    }
    std::vector<Runs> runs;
    std::vector<int> dims;
    for (const shape::SliceRange& range : spec.ranges) {
        dims.push_back(static_cast<int>(range.count));
        runs.push_back({Run{0, dims.back(), static_cast<int>(range.begin), static_cast<int>(range.stride)}});
    }
    setSelection(outputs[0], inputs[0], dims, runs, ctx);
    return true;
}

}  // namespace geometry
}  // namespace MNN
