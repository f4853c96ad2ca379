#include "shape/Rules.hpp"

namespace MNN {
namespace shape {
namespace {

bool permute(const Rule& r, const std::vector<int>& order) {
    const int rank = r.rank(0);
    if (static_cast<int>(order.size()) != rank) {
        return r.fail("a permutation of %zu dimensions for an input of rank %d", order.size(), rank);
    }
    std::vector<bool> seen(rank, false);
    Dims dims;
    for (int value : order) {
        int axis = 0;
        if (!r.axis(value, rank, &axis)) return false;
        if (seen[axis]) return r.fail("the permutation lists dimension %d twice", axis);
        seen[axis] = true;
        dims.push_back(r.length(0, axis));
    }
    return r.setLike(0, dims);
}

}  // namespace

bool inferPermute(const Rule& r) {
    if (!r.arity(1)) return false;
    const auto* p = r.param<Permute>();
    if (p == nullptr) return false;
    std::vector<int> order;
    if (p->dims() != nullptr) order.assign(p->dims()->begin(), p->dims()->end());
    return permute(r, order);
}

bool inferTranspose(const Rule& r) {
    std::vector<int> order;
    return r.arity(2) && r.ints(1, &order) && permute(r, order);
}

}  // namespace shape
}  // namespace MNN
