// TensorArray: a list of equally shaped elements, held stacked in the `flow` tensor [count, element...]. The handle is
// an empty token; every op that changes the list gives a new flow.
#include "shape/Rules.hpp"

#include <algorithm>

namespace MNN {
namespace shape {
namespace {

const Tensor* flowOf(const Rule& r) { return r.inputs.back(); }

bool begin(const Rule& r, size_t inputs, const TensorArray** p) {
    if (!r.arity(inputs)) return false;
    *p = r.param<TensorArray>();
    if (*p == nullptr) return false;
    return flowOf(r)->dimensions() > 0 || r.fail("the array's flow has rank 0");
}

Dims elementOf(const Tensor* flow) {
    const Dims dims = dimsOf(flow);
    return Dims(dims.begin() + 1, dims.end());
}

Dims stacked(int64_t count, const Dims& element) {
    Dims dims{count};
    dims.insert(dims.end(), element.begin(), element.end());
    return dims;
}

bool position(const Rule& r, int64_t count, bool mayAppend, int64_t* place) {
    int index = 0;
    if (!r.scalar(1, &index)) return false;
    *place = index < 0 ? index + count : index;
    if (*place >= 0 && (mayAppend || *place < count)) return true;
    return r.fail("position %d is outside an array of %lld", index, static_cast<long long>(count));
}

bool setFlow(const Rule& r, int64_t count, const Dims& element, const Tensor* like) {
    return r.setLike(0, stacked(count, element), like);
}

}  // namespace

// In: size. Out: handle, flow.
bool inferTensorArray(const Rule& r) {
    if (!r.arity(1)) return false;
    const auto* p = r.param<TensorArray>();
    int size = 0;
    if (p == nullptr || !r.scalar(0, &size)) return false;
    Dims element;
    for (unsigned i = 0; p->element_shape() != nullptr && i < p->element_shape()->size(); ++i) {
        element.push_back(std::max(0, p->element_shape()->Get(i)));
    }
    if (!r.set(0, {}, halide_type_of<int32_t>(), MNN_DATA_FORMAT_NCHW)) return false;
    return r.outputs.size() < 2 || r.set(1, stacked(size, element), typeOf(p->T()), MNN_DATA_FORMAT_NCHW);
}

bool inferTensorArraySize(const Rule& r) {
    return r.arity(1) && r.set(0, {}, halide_type_of<int32_t>(), MNN_DATA_FORMAT_NCHW);
}

// In: handle, index, flow.
bool inferTensorArrayRead(const Rule& r) {
    const TensorArray* p = nullptr;
    int64_t place = 0;
    return begin(r, 3, &p) && position(r, flowOf(r)->length(0), false, &place) &&
           r.setLike(0, elementOf(flowOf(r)), flowOf(r));
}

// In: handle, index, value, flow. An empty array takes the value's shape.
bool inferTensorArrayWrite(const Rule& r) {
    const TensorArray* p = nullptr;
    int64_t place = 0;
    if (!begin(r, 4, &p) || !position(r, flowOf(r)->length(0), p->dynamic_size(), &place)) return false;
    return setFlow(r, std::max<int64_t>(flowOf(r)->length(0), place + 1), dimsOf(r.inputs[2]), r.inputs[2]);
}

// In: handle, position, value, flow.
bool inferTensorArrayInsert(const Rule& r) {
    const TensorArray* p = nullptr;
    int64_t place = 0;
    if (!begin(r, 4, &p) || !position(r, flowOf(r)->length(0), true, &place)) return false;
    if (place > flowOf(r)->length(0)) return r.fail("the position lies behind the end");
    return setFlow(r, static_cast<int64_t>(flowOf(r)->length(0)) + 1, dimsOf(r.inputs[2]), r.inputs[2]);
}

// In: handle, position, flow.
bool inferTensorArrayErase(const Rule& r) {
    const TensorArray* p = nullptr;
    int64_t place = 0;
    if (!begin(r, 3, &p) || !position(r, flowOf(r)->length(0), false, &place)) return false;
    return setFlow(r, flowOf(r)->length(0) - 1, elementOf(flowOf(r)), flowOf(r));
}

// In: handle, indices, flow.
bool inferTensorArrayGather(const Rule& r) {
    const TensorArray* p = nullptr;
    std::vector<int> indices;
    if (!begin(r, 3, &p) || !r.ints(1, &indices)) return false;
    for (int index : indices) {
        if (index < 0 || index >= flowOf(r)->length(0)) return r.fail("index %d is outside the array", index);
    }
    return setFlow(r, static_cast<int64_t>(indices.size()), elementOf(flowOf(r)), flowOf(r));
}

// In: handle, indices, value [indices, element...], flow.
bool inferTensorArrayScatter(const Rule& r) {
    const TensorArray* p = nullptr;
    std::vector<int> indices;
    if (!begin(r, 4, &p) || !r.rankBetween(2, 1, kMaxRank) || !r.ints(1, &indices)) return false;
    if (static_cast<int64_t>(indices.size()) != r.length(2, 0)) return r.fail("each row needs an index");
    int64_t count = flowOf(r)->length(0);
    for (int index : indices) {
        if (index < 0 || (!p->dynamic_size() && index >= flowOf(r)->length(0)))
            return r.fail("index %d is outside the array", index);
        count = std::max<int64_t>(count, static_cast<int64_t>(index) + 1);
    }
    return setFlow(r, count, elementOf(r.inputs[2]), r.inputs[2]);
}

// In: handle, value, lengths, flow. Pieces must be equally long.
bool inferTensorArraySplit(const Rule& r) {
    const TensorArray* p = nullptr;
    std::vector<int> lengths;
    int axis = 0;
    if (!begin(r, 4, &p) || !r.ints(2, &lengths) || !r.axis(p->axis(), r.rank(1), &axis)) return false;
    Dims element = dimsOf(r.inputs[1]);
    const int64_t total = element[axis];
    int64_t pieces = static_cast<int64_t>(lengths.size()), length = lengths.empty() ? 0 : lengths[0];
    if (pieces == 1 && length > 0 && total % length == 0) pieces = total / length;
    for (int each : lengths) {
        if (each != length) return r.fail("pieces of different lengths are not supported in a TensorArray");
    }
    if (length < 0 || pieces * length != total)
        return r.fail("the pieces do not add up to %lld", static_cast<long long>(total));
    element[axis] = length;
    if (!p->keepdims()) {
        if (length != 1) return r.fail("only pieces of length 1 can lose their dimension");
        element.erase(element.begin() + axis);
    }
    return setFlow(r, pieces, element, r.inputs[1]);
}

// In: handle, flow. Joined along axis, or stacked on a new one.
bool inferTensorArrayConcat(const Rule& r) {
    const TensorArray* p = nullptr;
    int axis = 0;
    if (!begin(r, 2, &p)) return false;
    const int64_t count = flowOf(r)->length(0);
    Dims element = elementOf(flowOf(r));
    if (!r.axis(p->axis(), static_cast<int>(element.size()) + (p->new_axis() ? 1 : 0), &axis)) return false;
    if (p->new_axis()) {
        element.insert(element.begin() + axis, count);
    } else {
        element[axis] = product({element[axis], count});
    }
    return r.setLike(0, element, flowOf(r));
}

}  // namespace shape
}  // namespace MNN
