// Tensors made from numbers: constants, ranges, random values, one-hot rows.
#include "shape/Rules.hpp"

#include <cmath>

namespace MNN {
namespace shape {
namespace {

bool number(const Rule& r, size_t input, double* value) {
    const Tensor* t = r.inputs[input];
    const halide_type_t type = t->getType();
    if (TensorUtils::elements(t) < 1 || t->host<void>() == nullptr) {
        return r.fail("the content of input %zu is not known while shapes are inferred", input);
    }
    if (type.code == halide_type_float && type.bits == 32) {
        *value = t->host<float>()[0];
        return true;
    }
    int integer = 0;
    if (!r.scalar(input, &integer)) return false;
    *value = integer;
    return true;
}

bool listed(const Rule& r, size_t input, Dims* dims) {
    std::vector<int> values;
    if (!r.ints(input, &values)) return false;
    dims->assign(values.begin(), values.end());
    return true;
}

}  // namespace

// In: dims, value.
bool inferFill(const Rule& r) {
    Dims dims;
    return r.arity(2) && listed(r, 0, &dims) && r.set(0, dims, r.inputs[1]->getType(), r.op->defaultDimentionFormat());
}

// In: start, limit, delta.
bool inferRange(const Rule& r) {
    double start = 0, limit = 0, delta = 0;
    if (!r.arity(3) || !number(r, 0, &start) || !number(r, 1, &limit) || !number(r, 2, &delta)) return false;
    if (delta == 0.0 || !std::isfinite(start) || !std::isfinite(limit) || !std::isfinite(delta)) {
        return r.fail("a range from %g to %g in steps of %g does not end", start, limit, delta);
    }
    const double count = std::fmax(0.0, std::ceil((limit - start) / delta));
    if (count > 2147483647.0) return r.fail("the range has %g elements", count);
    return r.set(0, {static_cast<int64_t>(count)}, r.inputs[0]->getType(), MNN_DATA_FORMAT_NCHW);
}

// In: start, stop, count.
bool inferLinSpace(const Rule& r) {
    int count = 0;
    if (!r.arity(3) || !r.scalar(2, &count)) return false;
    if (count <= 0) return r.fail("%d numbers; at least one is needed", count);
    return r.set(0, {count}, halide_type_of<float>(), MNN_DATA_FORMAT_NCHW);
}

bool inferRandom(const Rule& r) {
    if (!r.arity(1)) return false;
    const auto* p = r.param<RandomUniform>();
    Dims dims;
    return p != nullptr && listed(r, 0, &dims) && r.set(0, dims, typeOf(p->type()), r.op->defaultDimentionFormat());
}

// In: indices, depth, on, off.
bool inferOneHot(const Rule& r) {
    if (!r.arity(4)) return false;
    const auto* p = r.param<OneHotParam>();
    int depth = 0, axis = 0;
    if (p == nullptr || !r.scalar(1, &depth) || !r.axis(p->axis(), r.rank(0) + 1, &axis)) return false;
    if (depth < 0) return r.fail("depth %d is negative", depth);
    Dims dims = dimsOf(r.inputs[0]);
    dims.insert(dims.begin() + axis, depth);
    return r.set(0, dims, typeOf(p->dType()), formatOf(r.inputs[0]));
}

// In: x [, k].
bool inferEyeLike(const Rule& r) { return r.arity(1) && r.rankBetween(0, 2, 2) && r.same(); }

}  // namespace shape
}  // namespace MNN
