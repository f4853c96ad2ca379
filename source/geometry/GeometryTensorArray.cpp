// TensorArray: a list of equally shaped elements, stacked in the `flow` tensor [count, element...]. The handle is a
// token. Every op is a view of the flow that came in, with the places it changes taken from the new value.
#include <algorithm>
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"

namespace MNN {
namespace geometry {
namespace {

// Rows of a stacked tensor: [first, first + count) of `from` at row `to` of the output.
void appendRows(core::RegionList* regions, Tensor* from, int first, int count, int to, int64_t element) {
    if (count <= 0 || element == 0) return;
    appendMove(regions, from, {count, static_cast<int>(element)}, first * element, {element, 1}, to * element,
               {element, 1});
}

int64_t elementSize(const Tensor* flow) { return product(flow->shape(), 1, flow->dimensions()); }

// The place that input 1 names, counted from the end when negative.
bool readPlace(const Op* op, const Tensors& inputs, int count, int* place) {
    std::vector<int> values;
    if (inputs.size() < 2 || !contentInts(inputs[1], &values) || values.empty()) {
        return fail(op, inputs, "the position is not known before the model runs");
    }
    *place = values[0] < 0 ? values[0] + count : values[0];
    return *place >= 0 || fail(op, inputs, "the position lies before the array");
}

// The flow, or nothing when it has no element yet (its shape may be a guess then).
Tensor* flowRows(Tensor* flow, int64_t element, int* rows, GeometryContext& ctx) {
    *rows = elementSize(flow) == element ? flow->length(0) : 0;
    return ctx.plain(flow);
}

}  // namespace

// outputs: handle, flow.
bool lowerTensorArray(const Op*, const Tensors&, const Tensors& outputs, GeometryContext& ctx) {
    for (Tensor* output : outputs) setView(output, {}, ctx);
    return true;
}

bool lowerTensorArraySize(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext&) {
    const Tensor* flow = inputs.back();
    if (flow->dimensions() == 0) return fail(op, inputs, "the flow has no dimension");
    if (!TensorUtils::allocHost(outputs[0])) return false;
    TensorUtils::describe(outputs[0])->hostKnown = true;
    outputs[0]->host<int32_t>()[0] = flow->length(0);
    return true;
}

// inputs: handle, index, flow.
bool lowerTensorArrayRead(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    Tensor* flow = ctx.plain(inputs.back());
    int place = 0;
    if (!readPlace(op, inputs, flow->length(0), &place)) return false;
    if (place >= flow->length(0)) return fail(op, inputs, "the position lies behind the array");
    core::RegionList regions;
    appendRows(&regions, flow, place, 1, 0, elementSize(flow));
    setView(outputs[0], std::move(regions), ctx);
    return true;
}

// inputs: handle, index, value, flow. The other places stay.
bool lowerTensorArrayWrite(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    if (inputs.size() < 4) return fail(op, inputs, "needs a handle, an index, a value and a flow");
    const int64_t element = TensorUtils::elements(inputs[2]);
    int rows = 0, place = 0;
    Tensor* flow = flowRows(inputs[3], element, &rows, ctx);
    if (!readPlace(op, inputs, inputs[3]->length(0), &place) || place >= outputs[0]->length(0)) return false;
    core::RegionList regions;
    appendRows(&regions, flow, 0, std::min(place, rows), 0, element);
    appendRows(&regions, ctx.plain(inputs[2]), 0, 1, place, element);
    appendRows(&regions, flow, place + 1, rows - place - 1, place + 1, element);
    setView(outputs[0], std::move(regions), ctx);
    return true;
}

// inputs: handle, position, value, flow. Later places move on.
bool lowerTensorArrayInsert(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    if (inputs.size() < 4) return fail(op, inputs, "needs a handle, a position, a value and a flow");
    const int64_t element = TensorUtils::elements(inputs[2]);
    int rows = 0, place = 0;
    Tensor* flow = flowRows(inputs[3], element, &rows, ctx);
    if (!readPlace(op, inputs, inputs[3]->length(0), &place) || place > rows) return false;
    core::RegionList regions;
    appendRows(&regions, flow, 0, place, 0, element);
    appendRows(&regions, ctx.plain(inputs[2]), 0, 1, place, element);
    appendRows(&regions, flow, place, rows - place, place + 1, element);
    setView(outputs[0], std::move(regions), ctx);
    return true;
}

// inputs: handle, position, flow.
bool lowerTensorArrayErase(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    Tensor* flow = ctx.plain(inputs.back());
    int place = 0;
    if (!readPlace(op, inputs, flow->length(0), &place) || place >= flow->length(0)) return false;
    core::RegionList regions;
    appendRows(&regions, flow, 0, place, 0, elementSize(flow));
    appendRows(&regions, flow, place + 1, flow->length(0) - place - 1, place, elementSize(flow));
    setView(outputs[0], std::move(regions), ctx);
    return true;
}

// inputs: handle, indices, flow.
bool lowerTensorArrayGather(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    std::vector<int> indices;
    if (inputs.size() < 3 || !contentInts(inputs[1], &indices))
        return fail(op, inputs, "the indices are not known before the model runs");
    Tensor* flow = ctx.plain(inputs[2]);
    core::RegionList regions;
    for (size_t i = 0; i < indices.size(); ++i) {
        if (indices[i] < 0 || indices[i] >= flow->length(0)) return fail(op, inputs, "an index is outside the array");
        appendRows(&regions, flow, indices[i], 1, static_cast<int>(i), elementSize(flow));
    }
    setView(outputs[0], std::move(regions), ctx);
    return true;
}

// inputs: handle, indices, value [indices, element...], flow. Of equal indices the last wins.
bool lowerTensorArrayScatter(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    std::vector<int> indices;
    if (inputs.size() < 4 || !contentInts(inputs[1], &indices))
        return fail(op, inputs, "the indices are not known before the model runs");
    const int count = outputs[0]->length(0);
    const int64_t element = elementSize(outputs[0]);
    std::vector<int> writer(count, -1);
    for (size_t i = 0; i < indices.size(); ++i) {
        if (indices[i] < 0 || indices[i] >= count) return fail(op, inputs, "an index is outside the array");
        writer[indices[i]] = static_cast<int>(i);
    }
    int rows = 0;
    Tensor* flow = flowRows(inputs[3], element, &rows, ctx);
    Tensor* value = ctx.plain(inputs[2]);
    core::RegionList regions;
    for (int place = 0; place < count; ++place) {
        if (writer[place] >= 0) {
            appendRows(&regions, value, writer[place], 1, place, element);
        } else if (place < rows) {
            appendRows(&regions, flow, place, 1, place, element);
        }
    }
    setView(outputs[0], std::move(regions), ctx);
    return true;
}

// inputs: handle, value, lengths, flow. The axis of the value is cut into the pieces that become the places.
bool lowerTensorArraySplit(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const TensorArray* param = op->main_as_TensorArray();
    if (param == nullptr || inputs.size() < 4) return fail(op, inputs, "needs a handle, a value, lengths and a flow");
    const std::vector<int> dims = inputs[1]->shape();
    const int rank = static_cast<int>(dims.size()), pieces = outputs[0]->length(0);
    int axis = param->axis();
    if (!normalizeAxis(&axis, rank) || pieces <= 0 || dims[axis] % pieces != 0)
        return fail(op, inputs, "the axis does not split");
    const int outside = static_cast<int>(product(dims, 0, axis)),
              block = dims[axis] / pieces * static_cast<int>(product(dims, axis + 1, rank));
    Tensor* parts = reshape(ctx.plain(inputs[1]), {outside, pieces, block}, ctx);
    setReshape(outputs[0], permute(parts, {1, 0, 2}, ctx), ctx);
    return true;
}

// inputs: handle, flow. The places are joined along the axis, or stacked on a new one: the same order of elements.
bool lowerTensorArrayConcat(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const TensorArray* param = op->main_as_TensorArray();
    Tensor* flow = ctx.plain(inputs.back());
    const std::vector<int> dims = flow->shape();
    const int rank = static_cast<int>(dims.size());
    int axis = param == nullptr ? 0 : param->axis();
    if (!normalizeAxis(&axis, param != nullptr && param->new_axis() ? rank : rank - 1))
        return fail(op, inputs, "the axis is outside the rank");
    const int outside = static_cast<int>(product(dims, 1, axis + 1)),
              inside = static_cast<int>(product(dims, axis + 1, rank));
    Tensor* parts = reshape(flow, {dims[0], outside, inside}, ctx);
    setReshape(outputs[0], permute(parts, {1, 0, 2}, ctx), ctx);
    return true;
}

}  // namespace geometry
}  // namespace MNN
