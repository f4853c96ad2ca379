#include "shape/Rules.hpp"

namespace MNN {
namespace shape {
namespace {

bool checkSize(const Rule& r, const char* what, const flatbuffers::Vector<float>* v, int64_t count) {
    if (v == nullptr || v->size() == 0 || v->size() == count) return true;
    return r.fail("%s has %u numbers, %lld are needed", what, v->size(), static_cast<long long>(count));
}

// The normalised dimensions are the last ones, as many as the parameters list.
bool normalizedCount(const Rule& r, const LayerNorm* p, int64_t* count) {
    const Dims dims = dimsOf(r.inputs[0]);
    const unsigned axes = p->axis() ? p->axis()->size() : 0;
    if (axes > dims.size()) return r.fail("%u axes for an input of rank %zu", axes, dims.size());
    for (unsigned i = 0; i < axes; ++i) {
        int axis = 0;
        if (!r.axis(p->axis()->Get(i), r.rank(0), &axis)) return false;
    }
    *count = product(dims, dims.size() - axes, dims.size());
    return true;
}

}  // namespace

// In: x [, residual]: a residual is added first, and a second output is that sum.
bool inferLayerNorm(const Rule& r) {
    if (!r.arity(1) || !r.rankBetween(0, 1, kMaxRank)) return false;
    const auto* p = r.param<LayerNorm>();
    int64_t count = 0;
    if (p == nullptr || !normalizedCount(r, p, &count)) return false;
    if (p->group() <= 1 && (!checkSize(r, "gamma", p->gamma(), count) || !checkSize(r, "beta", p->beta(), count))) {
        return false;
    }
    if (p->group() > 1) {
        if (!r.rankBetween(0, 2, kMaxRank)) return false;
        if (r.length(0, 1) % p->group() != 0) return r.fail("dimension 1 does not divide into %d groups", p->group());
    }
    if (r.has(1) && dimsOf(r.inputs[1]) != dimsOf(r.inputs[0])) return r.fail("x and the residual must have one shape");
    return r.same();
}

// In: x, gate.
bool inferGatedRmsNorm(const Rule& r) {
    if (!r.arity(2) || r.param<LayerNorm>() == nullptr) return false;
    if (TensorUtils::elements(r.inputs[1]) != TensorUtils::elements(r.inputs[0])) {
        return r.fail("x and the gate must have as many elements");
    }
    return r.same();
}

// In: x [, tensors added per channel].
bool inferGroupNorm(const Rule& r) {
    if (!r.arity(1) || !r.rankBetween(0, 3, kMaxRank)) return false;
    const auto* p = r.param<GroupNorm>();
    if (p == nullptr) return false;
    const int64_t channel = r.length(0, channelAxis(r.inputs[0]));
    if (p->group() <= 0 || channel % p->group() != 0) {
        return r.fail("%lld channels do not divide into %d groups", static_cast<long long>(channel), p->group());
    }
    return checkSize(r, "gamma", p->gamma(), channel) && checkSize(r, "beta", p->beta(), channel) && r.same();
}

}  // namespace shape
}  // namespace MNN
