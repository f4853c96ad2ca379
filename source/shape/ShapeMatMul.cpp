#include "shape/Rules.hpp"

#include <algorithm>

namespace MNN {
namespace shape {
namespace {

bool transposes(const Rule& r, bool* a, bool* b) {
    if (r.op->type() == OpType_BatchMatMul) {
        const auto* p = r.param<BatchMatMulParam>();
        if (p == nullptr) return false;
        *a = p->adjX(), *b = p->adjY();
        return true;
    }
    const auto* p = r.param<MatMul>();
    if (p == nullptr) return false;
    *a = p->transposeA(), *b = p->transposeB();
    return true;
}

// The batch dimensions of both operands, broadcast.
bool batches(const Rule& r, const Dims& a, const Dims& b, Dims* dims) {
    const size_t rank = std::max(a.size(), b.size()) - 2;
    dims->assign(rank, 1);
    for (size_t i = 0; i < rank; ++i) {
        const int64_t x = i + a.size() < rank + 2 ? 1 : a[i + a.size() - rank - 2];
        const int64_t y = i + b.size() < rank + 2 ? 1 : b[i + b.size() - rank - 2];
        if (x != y && x != 1 && y != 1) return r.fail("the batch dimensions do not broadcast");
        (*dims)[i] = x == 1 ? y : x;
    }
    return true;
}

}  // namespace

// In: a, b [, bias]. A vector is a row on the left and a column on the right, and its unit dimension is dropped again.
bool inferMatMul(const Rule& r) {
    bool ta = false, tb = false;
    if (!r.arity(2) || !transposes(r, &ta, &tb)) return false;
    if (!r.rankBetween(0, 1, kMaxRank) || !r.rankBetween(1, 1, kMaxRank)) return false;
    Dims a = dimsOf(r.inputs[0]), b = dimsOf(r.inputs[1]);
    const bool row = a.size() == 1, column = b.size() == 1;
    if (row) a.insert(a.begin(), 1), ta = false;
    if (column) b.push_back(1), tb = false;
    const int64_t m = a[a.size() - (ta ? 1 : 2)], k = a[a.size() - (ta ? 2 : 1)];
    const int64_t n = b[b.size() - (tb ? 2 : 1)], kb = b[b.size() - (tb ? 1 : 2)];
    if (k != kb) {
        return r.fail("the inner lengths differ: %lld and %lld", static_cast<long long>(k), static_cast<long long>(kb));
    }
    Dims dims;
    if (!batches(r, a, b, &dims)) return false;
    if (r.has(2)) {
        const int64_t bias = TensorUtils::elements(r.inputs[2]);
        if (bias != n && bias != 1)
            return r.fail("a bias of %lld numbers for %lld columns", static_cast<long long>(bias),
                          static_cast<long long>(n));
    }
    if (!row) dims.push_back(m);
    if (!column) dims.push_back(n);
    return r.setLike(0, dims, r.rank(0) >= r.rank(1) ? r.inputs[0] : r.inputs[1]);
}

bool inferInnerProduct(const Rule& r) {
    if (!r.arity(1)) return false;
    const auto* p = r.param<InnerProduct>();
    int axis = 0;
    if (p == nullptr || !r.axis(p->axis(), r.rank(0), &axis)) return false;
    if (p->outputCount() <= 0) return r.fail("outputCount %d must be positive", p->outputCount());
    const Dims in = dimsOf(r.inputs[0]);
    const int64_t count = product({product(in, axis, in.size()), p->outputCount()});
    if (p->weight() != nullptr && p->weight()->size() != 0 && p->weight()->size() != count) {
        return r.fail("weight has %u numbers, %lld are needed", p->weight()->size(), static_cast<long long>(count));
    }
    if (p->bias() != nullptr && p->bias()->size() != 0 &&
        p->bias()->size() != static_cast<unsigned>(p->outputCount())) {
        return r.fail("bias has %u numbers, %d are needed", p->bias()->size(), p->outputCount());
    }
    Dims dims(in.begin(), in.begin() + axis);
    dims.push_back(p->outputCount());
    return r.setLike(0, dims);
}

}  // namespace shape
}  // namespace MNN
