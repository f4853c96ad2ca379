#include "shape/Rules.hpp"

namespace MNN {
namespace shape {

// In: params, indices [, axis].
bool inferGather(const Rule& r) {
    if (!r.arity(2)) return false;
    int value = 0, axis = 0;
    if (r.has(2)) {
        if (!r.scalar(2, &value)) return false;
    } else if (r.op->main_as_Axis() != nullptr) {
        value = r.op->main_as_Axis()->axis();
    } else if (r.op->main_as_Gather() != nullptr) {
        value = r.op->main_as_Gather()->axis();
    }
    if (!r.axis(value, r.rank(0), &axis)) return false;
    Dims dims = dimsOf(r.inputs[0]);
    const Dims indices = dimsOf(r.inputs[1]);
    if (dims[axis] == 0 && TensorUtils::elements(r.inputs[1]) != 0) return r.fail("dimension %d is empty", axis);
    dims.erase(dims.begin() + axis);
    dims.insert(dims.begin() + axis, indices.begin(), indices.end());
    return r.setLike(0, dims);
}

// In: params, indices [batch..., depth]: the last dimension indexes the first ones behind the batch.
bool inferGatherNd(const Rule& r) {
    if (!r.arity(2) || !r.rankBetween(0, 1, kMaxRank) || !r.rankBetween(1, 1, kMaxRank)) return false;
    const int batch = r.op->main_as_Axis() ? r.op->main_as_Axis()->axis() : 0;
    const Dims params = dimsOf(r.inputs[0]), indices = dimsOf(r.inputs[1]);
    if (batch < 0 || batch >= r.rank(0) || batch >= r.rank(1)) return r.fail("%d batch dimensions are too many", batch);
    for (int i = 0; i < batch; ++i) {
        if (params[i] != indices[i]) return r.fail("the inputs differ along batch dimension %d", i);
    }
    const int64_t depth = indices.back();
    if (batch + depth > r.rank(0)) {
        return r.fail("indices of %lld numbers behind %d batch dimensions reach past rank %d",
                      static_cast<long long>(depth), batch, r.rank(0));
    }
    Dims dims(indices.begin(), indices.end() - 1);
    dims.insert(dims.end(), params.begin() + batch + depth, params.end());
    return r.setLike(0, dims);
}

// In: data, indices [, axis].
bool inferGatherElements(const Rule& r) {
    if (!r.arity(2)) return false;
    int value = 0, axis = 0;
    if (r.has(2) && !r.scalar(2, &value)) return false;
    if (!r.axis(value, r.rank(0), &axis)) return false;
    if (r.rank(1) != r.rank(0)) return r.fail("both inputs must have one rank");
    for (int i = 0; i < r.rank(0); ++i) {
        if (i != axis && r.length(1, i) > r.length(0, i))
            return r.fail("indices are longer than data along dimension %d", i);
    }
    return r.setLike(0, dimsOf(r.inputs[1]));
}

// In: indices [..., depth], updates, shape [, data].
bool inferScatterNd(const Rule& r) {
    std::vector<int> shape;
    if (!r.arity(3) || !r.rankBetween(0, 1, kMaxRank) || !r.ints(2, &shape)) return false;
    const Dims indices = dimsOf(r.inputs[0]), dims(shape.begin(), shape.end());
    const int64_t depth = indices.back();
    if (depth > static_cast<int64_t>(dims.size())) {
        return r.fail("indices of %lld numbers for an output of rank %zu", static_cast<long long>(depth), dims.size());
    }
    Dims want(indices.begin(), indices.end() - 1);
    want.insert(want.end(), dims.begin() + depth, dims.end());
    if (dimsOf(r.inputs[1]) != want) return r.fail("the updates must be %s", text(want).c_str());
    if (r.has(3) && dimsOf(r.inputs[3]) != dims) return r.fail("the data must be %s", text(dims).c_str());
    return r.setLike(0, dims, r.inputs[1]);
}

// In: data, indices, updates [, axis].
bool inferScatterElements(const Rule& r) {
    if (!r.arity(3)) return false;
    int value = 0, axis = 0;
    if (r.has(3) && !r.scalar(3, &value)) return false;
    if (!r.axis(value, r.rank(0), &axis)) return false;
    if (dimsOf(r.inputs[1]) != dimsOf(r.inputs[2])) return r.fail("indices and updates must have one shape");
    if (r.rank(1) != r.rank(0)) return r.fail("data and indices must have one rank");
    for (int i = 0; i < r.rank(0); ++i) {
        if (i != axis && r.length(1, i) > r.length(0, i))
            return r.fail("indices are longer than data along dimension %d", i);
    }
    return r.setLike(0, dimsOf(r.inputs[0]));
}

}  // namespace shape
}  // namespace MNN
