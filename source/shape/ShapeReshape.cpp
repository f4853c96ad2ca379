// Ops that rename dimensions and move nothing.
#include "shape/Rules.hpp"

#include "core/ExtraAttributes.hpp"

namespace MNN {
namespace shape {
namespace {

// The target cannot follow the input when the model holds it as a constant.
bool isConstantTarget(const Rule& r) {
    return !r.has(1) || TensorUtils::describe(r.inputs[1])->usage == TensorUsage::Constant;
}

bool misfit(const Rule& r, const std::vector<int>& target) {
    const std::string from = text(dimsOf(r.inputs[0])), to = text(Dims(target.begin(), target.end()));
    if (isConstantTarget(r)) {
        return r.fail(
            "cannot reshape %s to %s: the target shape is a fixed constant of the model and does not follow the "
            "input; feed the size it was made for, or convert the model with a dynamic shape",
            from.c_str(), to.c_str());
    }
    return r.fail("cannot reshape %s to %s", from.c_str(), to.c_str());
}

// allowZero: a 0 is a length of 0 instead of a copy.
bool reshapeTo(const Rule& r, const std::vector<int>& target, bool allowZero = false) {
    const int64_t total = TensorUtils::elements(r.inputs[0]);
    Dims dims(target.begin(), target.end());
    int unknown = -1;
    for (size_t i = 0; i < dims.size(); ++i) {
        if (dims[i] == 0) {
            if (allowZero) continue;
            if (static_cast<int>(i) < r.rank(0)) {
                dims[i] = r.length(0, static_cast<int>(i));
            } else if (total != 0) {
                return r.fail("dimension %zu of the target %s is 0 (keep), and the input has no such dimension", i,
                              text(dims).c_str());
            }
        } else if (dims[i] == -1) {
            if (unknown >= 0) return r.fail("the target %s has more than one -1", text(dims).c_str());
            unknown = static_cast<int>(i);
        } else if (dims[i] < 0) {
            return r.fail("the target %s has a negative length", text(dims).c_str());
        }
    }
    if (unknown >= 0) dims[unknown] = 1;
    const int64_t known = product(dims, 0, dims.size());
    if (unknown >= 0) {
        if (known == 0) {
            if (total != 0) return misfit(r, target);
            return r.fail("-1 in the target %s has no single value: the other lengths multiply to 0",
                          text(Dims(target.begin(), target.end())).c_str());
        }
        if (total % known != 0) return misfit(r, target);
        dims[unknown] = total / known;
    } else if (known != total) {
        return misfit(r, target);
    }
    return r.setLike(0, dims);
}

// Axes from the parameters or, when the op has a second input, from its content.
bool axesOf(const Rule& r, const flatbuffers::Vector<int32_t>* fixed, std::vector<int>* axes) {
    axes->clear();
    if (r.has(1)) return r.ints(1, axes);
    if (fixed != nullptr) axes->assign(fixed->begin(), fixed->end());
    return true;
}

bool insertAxes(const Rule& r, const std::vector<int>& axes) {
    const int rank = r.rank(0) + static_cast<int>(axes.size());
    if (rank > kMaxRank) return r.fail("%d dimensions; at most %d are supported", rank, kMaxRank);
    std::vector<bool> unit(rank, false);
    for (int value : axes) {
        int axis = 0;
        if (!r.axis(value, rank, &axis)) return false;
        if (unit[axis]) return r.fail("axis %d is listed twice", value);
        unit[axis] = true;
    }
    Dims dims;
    int next = 0;
    for (int i = 0; i < rank; ++i) dims.push_back(unit[i] ? 1 : r.length(0, next++));
    return r.setLike(0, dims);
}

}  // namespace

bool inferReshape(const Rule& r) {
    if (!r.arity(1)) return false;
    std::vector<int> target;
    if (r.op->type() == OpType_Extra) {
        const bool allowZero = extra::integer(r.op, "allowzero", 0) != 0;
        return r.arity(2) && r.ints(1, &target) && reshapeTo(r, target, allowZero);
    }
    if (r.has(1)) return r.ints(1, &target) && reshapeTo(r, target);
    const flatbuffers::Vector<int32_t>* dims = nullptr;
    if (r.op->type() == OpType_QuantizedReshape) {
        const auto* p = r.param<QuantizedReshape>();
        if (p == nullptr) return false;
        dims = p->dims();
    } else {
        const auto* p = r.param<Reshape>();
        if (p == nullptr) return false;
        dims = p->dims();
    }
    if (dims != nullptr) target.assign(dims->begin(), dims->end());
    return reshapeTo(r, target);
}

bool inferSqueeze(const Rule& r) {
    if (!r.arity(1)) return false;
    const auto* p = r.op->main_as_SqueezeParam();
    std::vector<int> axes;
    if (!axesOf(r, p ? p->squeezeDims() : nullptr, &axes)) return false;
    std::vector<bool> drop(r.rank(0), false);
    for (int value : axes) {
        int axis = 0;
        if (!r.axis(value, r.rank(0), &axis)) return false;
        if (r.length(0, axis) != 1) {
            return r.fail("dimension %d has length %d and cannot be squeezed", axis, r.inputs[0]->length(axis));
        }
        drop[axis] = true;
    }
    Dims dims;
    for (int i = 0; i < r.rank(0); ++i) {
        const bool dropped = axes.empty() ? r.length(0, i) == 1 : drop[i];
        if (!dropped) dims.push_back(r.length(0, i));
    }
    return r.setLike(0, dims);
}

bool inferUnsqueeze(const Rule& r) {
    if (!r.arity(1)) return false;
    const auto* p = r.op->main_as_SqueezeParam();
    std::vector<int> axes;
    if (p == nullptr && !r.has(1)) return r.param<SqueezeParam>() != nullptr;
    return axesOf(r, p ? p->squeezeDims() : nullptr, &axes) && insertAxes(r, axes);
}

bool inferExpandDims(const Rule& r) {
    if (!r.arity(1)) return false;
    int axis = 0;
    if (r.has(1)) return r.scalar(1, &axis) && insertAxes(r, {axis});
    const auto* p = r.param<ExpandDims>();
    return p != nullptr && insertAxes(r, {p->axis()});
}

// endAxis given: axis..endAxis become one. Absent (0): two dimensions, before and from axis, as ONNX defines it.
bool inferFlatten(const Rule& r) {
    if (!r.arity(1)) return false;
    const auto* p = r.param<Flatten>();
    if (p == nullptr) return false;
    const Dims in = dimsOf(r.inputs[0]);
    const int rank = r.rank(0);
    int axis = 0, last = 0;
    if (p->endAxis() == 0) {
        if (p->axis() < -rank || p->axis() > rank) return r.fail("axis %d is outside rank %d", p->axis(), rank);
        axis = p->axis() < 0 ? p->axis() + rank : p->axis();
        return r.setLike(0, {product(in, 0, axis), product(in, axis, in.size())});
    }
    if (!r.axis(p->axis(), rank, &axis) || !r.axis(p->endAxis(), rank, &last)) return false;
    if (axis > last) return r.fail("axis %d lies behind endAxis %d", axis, last);
    Dims dims(in.begin(), in.begin() + axis);
    dims.push_back(product(in, axis, last + 1));
    dims.insert(dims.end(), in.begin() + last + 1, in.end());
    return r.setLike(0, dims);
}

}  // namespace shape
}  // namespace MNN
