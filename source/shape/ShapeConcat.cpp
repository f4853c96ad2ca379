#include "shape/Rules.hpp"

namespace MNN {
namespace shape {

bool inferConcat(const Rule& r) {
    if (!r.arity(1)) return false;
    int value = 0, axis = 0;
    if (r.op->type() == OpType_QuantizedConcat) {
        const auto* p = r.param<QuantizedConcat>();
        if (p == nullptr) return false;
        value = p->axis();
    } else {
        const auto* p = r.param<Axis>();
        if (p == nullptr) return false;
        value = p->axis();
    }
    if (!r.axis(value, r.rank(0), &axis)) return false;
    Dims dims = dimsOf(r.inputs[0]);
    for (size_t i = 1; i < r.inputs.size(); ++i) {
        if (!r.has(i) || r.rank(i) != r.rank(0)) return r.fail("input %zu has another rank than input 0", i);
        for (int d = 0; d < r.rank(0); ++d) {
            if (d == axis) {
                dims[d] += r.length(i, d);
            } else if (r.length(i, d) != dims[d]) {
                return r.fail("inputs 0 and %zu differ along dimension %d, and the axis is %d", i, d, axis);
            }
        }
    }
    return r.setLike(0, dims);
}

// Stack on a new axis.
bool inferPack(const Rule& r) {
    if (!r.arity(1)) return false;
    const auto* p = r.param<PackParam>();
    int axis = 0;
    if (p == nullptr || !r.axis(p->axis(), r.rank(0) + 1, &axis)) return false;
    Dims dims = dimsOf(r.inputs[0]);
    for (size_t i = 1; i < r.inputs.size(); ++i) {
        if (!r.has(i) || dimsOf(r.inputs[i]) != dims) return r.fail("all inputs must have one shape");
    }
    dims.insert(dims.begin() + axis, static_cast<int64_t>(r.inputs.size()));
    return r.setLike(0, dims);
}

bool inferUnpack(const Rule& r) {
    if (!r.arity(1)) return false;
    const auto* p = r.param<Axis>();
    int axis = 0;
    if (p == nullptr || !r.axis(p->axis(), r.rank(0), &axis)) return false;
    Dims dims = dimsOf(r.inputs[0]);
    if (dims[axis] != static_cast<int64_t>(r.outputs.size())) {
        return r.fail("dimension %d unpacks into %lld outputs and there are %zu", axis,
                      static_cast<long long>(dims[axis]), r.outputs.size());
    }
    dims.erase(dims.begin() + axis);
    for (size_t i = 0; i < r.outputs.size(); ++i) {
        if (!r.setLike(i, dims)) return false;
    }
    return true;
}

}  // namespace shape
}  // namespace MNN
