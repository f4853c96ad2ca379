#include "shape/Rules.hpp"

#include <algorithm>

namespace MNN {
namespace shape {
namespace {

bool dropAxis(const Rule& r, int axis, Dims* dims) {
    *dims = dimsOf(r.inputs[0]);
    if ((*dims)[axis] == 0 && product(*dims, 0, axis) != 0 && product(*dims, axis + 1, dims->size()) != 0) {
        return r.fail("dimension %d is empty and has no extreme", axis);
    }
    dims->erase(dims->begin() + axis);
    return true;
}

}  // namespace

// In: x [, axes]. No axes: all of them.
bool inferReduction(const Rule& r) {
    if (!r.arity(1)) return false;
    const auto* p = r.param<ReductionParam>();
    if (p == nullptr) return false;
    std::vector<int> axes;
    if (r.has(1)) {
        if (!r.ints(1, &axes)) return false;
    } else if (p->dim() != nullptr) {
        axes.assign(p->dim()->begin(), p->dim()->end());
    }
    std::vector<bool> reduced(r.rank(0), axes.empty());
    for (int value : axes) {
        int axis = 0;
        if (r.rank(0) == 0 && (value == 0 || value == -1)) continue;  // numpy lets a scalar be reduced
        if (!r.axis(value, r.rank(0), &axis)) return false;
        reduced[axis] = true;
    }
    Dims dims;
    for (int i = 0; i < r.rank(0); ++i) {
        if (!reduced[i]) dims.push_back(r.length(0, i));
        if (reduced[i] && p->keepDims()) dims.push_back(1);
    }
    return r.setLike(0, dims);
}

// The axis goes, except when several places (topK) or the value itself (outMaxVal) are asked for, as Caffe does: then
// it holds topK numbers.
bool inferArgMax(const Rule& r) {
    if (!r.arity(1)) return false;
    const auto* p = r.param<ArgMax>();
    int axis = 0;
    if (p == nullptr || !r.axis(p->axis(), r.rank(0), &axis)) return false;
    Dims dims;
    if (!dropAxis(r, axis, &dims)) return false;
    const bool values = p->outMaxVal() != 0;
    if (values || p->topK() > 1) {
        const int top = std::max(1, p->topK());
        if (top > r.length(0, axis)) return r.fail("topK %d of %d elements", top, r.inputs[0]->length(axis));
        dims.insert(dims.begin() + axis, top);
    }
    return r.set(0, dims, values ? r.inputs[0]->getType() : halide_type_of<int32_t>(), formatOf(r.inputs[0]));
}

// In: x, k [, axis]. Out: values, indices.
bool inferTopK(const Rule& r) {
    int k = 0, value = -1, axis = 0;
    if (!r.arity(2) || !r.scalar(1, &k) || (r.has(2) && !r.scalar(2, &value))) return false;
    if (!r.axis(value, r.rank(0), &axis)) return false;
    Dims dims = dimsOf(r.inputs[0]);
    if (k < 0 || k > dims[axis]) return r.fail("k %d is outside dimension %d", k, axis);
    dims[axis] = k;
    if (!r.setLike(0, dims)) return false;
    return r.outputs.size() < 2 || r.set(1, dims, halide_type_of<int32_t>(), formatOf(r.inputs[0]));
}

// The parameters of ArgMax are reused: outMaxVal is the number of bins.
bool inferHistogram(const Rule& r) {
    if (!r.arity(1)) return false;
    const auto* p = r.param<ArgMax>();
    if (p == nullptr) return false;
    if (p->outMaxVal() <= 0) return r.fail("%d bins; at least one is needed", p->outMaxVal());
    return r.set(0, {p->outMaxVal()}, halide_type_of<float>(), MNN_DATA_FORMAT_NCHW);
}

bool inferDet(const Rule& r) {
    if (!r.arity(1) || !r.rankBetween(0, 2, kMaxRank)) return false;
    Dims dims = dimsOf(r.inputs[0]);
    if (dims[dims.size() - 1] != dims[dims.size() - 2]) return r.fail("the matrices must be square");
    dims.resize(dims.size() - 2);
    return r.setLike(0, dims);
}

// [m, n] -> w [k], u [m, k], v [k, n] with k = min(m, n).
bool inferSvd(const Rule& r) {
    if (!r.arity(1, 3) || !r.rankBetween(0, 2, 2)) return false;
    const int64_t m = r.length(0, 0), n = r.length(0, 1), k = std::min(m, n);
    return r.setLike(0, {k}) && r.setLike(1, {m, k}) && r.setLike(2, {k, n});
}

bool inferMatrixBandPart(const Rule& r) { return r.arity(3) && r.rankBetween(0, 2, kMaxRank) && r.same(); }

// In: a, b, axis.
bool inferCosineSimilarity(const Rule& r) {
    int value = 0, axis = 0;
    std::vector<int> common;
    if (!r.arity(3) || !r.scalar(2, &value)) return false;
    if (!broadcast({r.inputs[0], r.inputs[1]}, &common)) return r.fail("the shapes do not broadcast");
    if (!r.axis(value, static_cast<int>(common.size()), &axis)) return false;
    common.erase(common.begin() + axis);
    return r.setLike(0, Dims(common.begin(), common.end()));
}

}  // namespace shape
}  // namespace MNN
