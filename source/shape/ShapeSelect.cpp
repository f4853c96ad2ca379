// Ops whose output size follows from the values themselves.
#include "shape/Rules.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include "core/ExtraAttributes.hpp"
#include "core/NonMaxSuppression.hpp"
#include "core/Unique.hpp"

namespace MNN {
namespace shape {
namespace {

bool known(const Rule& r, size_t input) {
    if (TensorUtils::elements(r.inputs[input]) == 0 || r.inputs[input]->host<void>() != nullptr) return true;
    return r.fail("the content of input %zu is not known while shapes are inferred", input);
}

// Calls f(const T*) for the input's element type.
template <typename F>
bool visit(const Rule& r, size_t input, F f) {
    const Tensor* t = r.inputs[input];
    const halide_type_t type = t->getType();
    if (type.code == halide_type_float && type.bits == 32) {
        f(t->host<float>());
    } else if (type.code == halide_type_int && type.bits == 32) {
        f(t->host<int32_t>());
    } else if (type.code == halide_type_int && type.bits == 8) {
        f(t->host<int8_t>());
    } else if (type.code == halide_type_uint && type.bits == 8) {
        f(t->host<uint8_t>());
    } else {
        return r.fail("input %zu must be float32, int32, int8 or uint8", input);
    }
    return true;
}

bool setInts(const Rule& r, size_t output, const Dims& dims) {
    return output >= r.outputs.size() || r.set(output, dims, halide_type_of<int32_t>(), MNN_DATA_FORMAT_NCHW);
}

float floatAt(const Rule& r, size_t input, float fallback) {
    if (!r.has(input) || TensorUtils::elements(r.inputs[input]) == 0) return fallback;
    return r.inputs[input]->host<float>()[0];
}

bool isFloat(const Rule& r, size_t input) {
    const halide_type_t type = r.inputs[input]->getType();
    return (type.code == halide_type_float && type.bits == 32) || r.fail("input %zu must be float32", input);
}

}  // namespace

// Coordinates of what is not zero: [count, rank].
bool inferWhere(const Rule& r) {
    if (!r.arity(1) || !known(r, 0)) return false;
    const int64_t total = TensorUtils::elements(r.inputs[0]);
    int64_t count = 0;
    const auto countNonZero = [&](const auto* data) {
        for (int64_t i = 0; i < total; ++i) count += data[i] != 0;
    };
    return visit(r, 0, countNonZero) && setInts(r, 0, {count, r.rank(0)});
}

// Two outputs are TensorFlow's (values, index of each element's value); more are ONNX's (values, where each first
// stands, index of each element's value, counts). An Extra op can look at slices along an axis instead of single
// elements.
bool inferUnique(const Rule& r) {
    if (!r.arity(1) || !known(r, 0)) return false;
    const Attribute* along = extra::find(r.op, "axis");
    const bool sorted = extra::integer(r.op, "sorted", 1) != 0;
    Dims dims = along ? dimsOf(r.inputs[0]) : Dims{TensorUtils::elements(r.inputs[0])};
    int axis = 0;
    if (along != nullptr && !r.axis(along->i(), r.rank(0), &axis)) return false;
    const int64_t total = dims[axis];
    if (!visit(r, 0, [](const auto*) {})) return false;
    const UniqueSlices found = findUnique(r.inputs[0]->host<void>(), r.inputs[0]->getType(), product(dims, 0, axis),
                                          static_cast<int>(total), product(dims, axis + 1, dims.size()), sorted);
    const int64_t count = static_cast<int64_t>(found.first.size());
    dims[axis] = count;
    if (!r.setLike(0, dims)) return false;
    const bool onnx = r.op->type() == OpType_Extra || r.outputs.size() > 2;
    if (!onnx) return setInts(r, 1, {total});
    return setInts(r, 1, {count}) && setInts(r, 2, {total}) && setInts(r, 3, {count});
}

// In: x, y. Out: elements of x that y lacks, and their places.
bool inferSetDiff(const Rule& r) {
    if (!r.arity(2) || !known(r, 0) || !known(r, 1)) return false;
    const halide_type_t a = r.inputs[0]->getType(), b = r.inputs[1]->getType();
    if (a.code != b.code || a.bits != b.bits) return r.fail("both inputs must have one type");
    const int64_t xCount = TensorUtils::elements(r.inputs[0]), yCount = TensorUtils::elements(r.inputs[1]);
    const void* y = r.inputs[1]->host<void>();
    int64_t count = 0;
    const auto countDifference = [&](const auto* x) {
        using T = std::decay_t<decltype(*x)>;
        const T* other = static_cast<const T*>(y);
        const std::unordered_set<T> taken(other, other + yCount);
        for (int64_t i = 0; i < xCount; ++i) count += taken.count(x[i]) == 0;
    };
    return visit(r, 0, countDifference) && r.setLike(0, {count}) && setInts(r, 1, {count});
}

// In: data, segment numbers (ascending). One row per segment up to the last.
bool inferSegment(const Rule& r) {
    if (!r.arity(2) || !r.rankBetween(0, 1, kMaxRank) || r.param<ReductionParam>() == nullptr) return false;
    std::vector<int> segments;
    if (!r.ints(1, &segments)) return false;
    if (static_cast<int64_t>(segments.size()) != r.length(0, 0)) return r.fail("each row needs a segment number");
    if (!std::is_sorted(segments.begin(), segments.end()) || (!segments.empty() && segments[0] < 0)) {
        return r.fail("segment numbers must ascend from 0");
    }
    Dims dims = dimsOf(r.inputs[0]);
    dims[0] = segments.empty() ? 0 : static_cast<int64_t>(segments.back()) + 1;
    return r.setLike(0, dims);
}

// In: boxes [n, 4], scores [n], how many at most [, IoU threshold] [, score threshold]: [count]. The Extra op has boxes
// [batch, n, 4] and scores [batch, classes, n]: [count, 3].
bool inferNonMaxSuppression(const Rule& r) {
    const int batched = r.op->type() == OpType_Extra ? 1 : 0;
    if (!r.arity(3) || !r.rankBetween(0, 2 + batched, 2 + batched) ||
        !r.rankBetween(1, 1 + 2 * batched, 1 + 2 * batched)) {
        return false;
    }
    for (size_t i = 0; i < r.inputs.size(); ++i) {
        if (r.has(i) && (!known(r, i) || (i != 2 && !isFloat(r, i)))) return false;
    }
    const int64_t batch = batched ? r.length(1, 0) : 1, classes = batched ? r.length(1, 1) : 1;
    const int64_t count = r.length(1, 2 * batched);
    if (r.length(0, 1 + batched) != 4) return r.fail("boxes must have four numbers each");
    if (r.length(0, batched) != count || (batched && r.length(0, 0) != batch)) return r.fail("each box needs a score");
    BoxSelection how;
    int limit = 0;
    if (!r.scalar(2, &limit)) return false;
    how.maxBoxes = limit;
    how.iouThreshold = floatAt(r, 3, 0.0f);
    how.scoreThreshold = floatAt(r, 4, std::numeric_limits<float>::lowest());
    how.centerSize = extra::integer(r.op, "center_point_box", 0) != 0;
    int64_t selected = 0;
    for (int64_t i = 0; i < batch * classes; ++i) {
        const float* boxes = r.inputs[0]->host<float>() + i / classes * count * 4;
        const float* scores = r.inputs[1]->host<float>() + i * count;
        selected += static_cast<int64_t>(selectBoxes(boxes, scores, static_cast<int>(count), how).size());
    }
    return batched ? setInts(r, 0, {selected, 3}) : setInts(r, 0, {selected});
}

}  // namespace shape
}  // namespace MNN
