// Ops whose output has the input's shape, and ops that broadcast.
#include "shape/Rules.hpp"

namespace MNN {
namespace shape {
namespace {

bool isPredicate(int operation) {
    switch (operation) {
        case BinaryOpOperation_GREATER:
        case BinaryOpOperation_GREATER_EQUAL:
        case BinaryOpOperation_LESS:
        case BinaryOpOperation_LESS_EQUAL:
        case BinaryOpOperation_EQUAL:
        case BinaryOpOperation_NOTEQUAL:
        case BinaryOpOperation_LOGICALOR:
        case BinaryOpOperation_LOGICALXOR:
            return true;
        default:
            return false;
    }
}

// The layout of a broadcast result is that of the operand which has most dimensions; the first one wins a draw.
bool setBroadcast(const Rule& r, halide_type_t type) {
    std::vector<int> dims;
    if (!broadcast(r.inputs, &dims)) return r.fail("the shapes do not broadcast");
    const Tensor* like = r.inputs[0];
    for (const Tensor* t : r.inputs) {
        if (t->dimensions() > like->dimensions()) like = t;
    }
    return r.set(0, Dims(dims.begin(), dims.end()), type, formatOf(like));
}

bool sameType(halide_type_t a, halide_type_t b) { return a.code == b.code && a.bits == b.bits; }

bool perChannel(const Rule& r, unsigned have, const char* what) {
    const int64_t channel = r.length(0, channelAxis(r.inputs[0]));
    if (have == channel) return true;
    return r.fail("%s has %u numbers for %lld channels", what, have, static_cast<long long>(channel));
}

template <typename T>
unsigned sizeOf(const flatbuffers::Vector<T>* v) {
    return v ? v->size() : 0;
}

}  // namespace

bool inferSame(const Rule& r) { return r.same(); }

bool inferBinary(const Rule& r) {
    if (!r.arity(2)) return false;
    const auto* p = r.param<BinaryOp>();
    if (p == nullptr) return false;
    if (!sameType(r.inputs[0]->getType(), r.inputs[1]->getType())) {
        return r.fail("both operands must have one type; put a Cast in front of one of them");
    }
    return setBroadcast(r, isPredicate(p->opType()) ? halide_type_of<int32_t>() : r.inputs[0]->getType());
}

// In: condition, a, b.
bool inferSelect(const Rule& r) {
    if (!r.arity(3)) return false;
    if (!sameType(r.inputs[1]->getType(), r.inputs[2]->getType())) {
        return r.fail("both choices must have one type; put a Cast in front of one of them");
    }
    return setBroadcast(r, r.inputs[1]->getType());
}

bool inferEltwise(const Rule& r) {
    if (!r.arity(2)) return false;
    const auto* p = r.param<Eltwise>();
    if (p == nullptr) return false;
    for (size_t i = 1; i < r.inputs.size(); ++i) {
        if (!r.has(i) || dimsOf(r.inputs[i]) != dimsOf(r.inputs[0])) return r.fail("all inputs must have one shape");
    }
    const unsigned coefficients = sizeOf(p->coeff());
    if (coefficients != 0 && coefficients != r.inputs.size()) {
        return r.fail("%u coefficients for %zu inputs", coefficients, r.inputs.size());
    }
    return r.same();
}

bool inferScale(const Rule& r) {
    if (!r.arity(1) || !r.rankBetween(0, 2, kMaxRank)) return false;
    const auto* p = r.param<Scale>();
    if (p == nullptr) return false;
    if (sizeOf(p->external()) == 0 && !perChannel(r, sizeOf(p->scaleData()), "scale")) return false;
    if (sizeOf(p->biasData()) != 0 && !perChannel(r, sizeOf(p->biasData()), "bias")) return false;
    return r.same();
}

bool inferPRelu(const Rule& r) {
    if (!r.arity(1)) return false;
    const auto* p = r.param<PRelu>();
    if (p == nullptr) return false;
    if (p->slope() == nullptr || p->slope()->size() == 0) return r.fail("the slopes are missing");
    if (p->slope()->size() > 1 && (!r.rankBetween(0, 2, kMaxRank) || !perChannel(r, p->slope()->size(), "slope"))) {
        return false;
    }
    return r.same();
}

bool inferBatchNorm(const Rule& r) {
    if (!r.arity(1) || !r.rankBetween(0, 2, kMaxRank)) return false;
    const auto* p = r.param<BatchNorm>();
    if (p == nullptr) return false;
    if (!perChannel(r, sizeOf(p->slopeData()), "slope")) return false;
    if (sizeOf(p->meanData()) != 0 && !perChannel(r, sizeOf(p->meanData()), "mean")) return false;
    if (sizeOf(p->varData()) != 0 && !perChannel(r, sizeOf(p->varData()), "variance")) return false;
    if (sizeOf(p->biasData()) != 0 && !perChannel(r, sizeOf(p->biasData()), "bias")) return false;
    return r.same();
}

bool inferUnary(const Rule& r) { return r.arity(1) && r.param<UnaryOp>() != nullptr && r.same(); }
bool inferRelu(const Rule& r) { return r.arity(1) && r.param<Relu>() != nullptr && r.same(); }
bool inferRelu6(const Rule& r) { return r.arity(1) && r.param<Relu6>() != nullptr && r.same(); }
bool inferElu(const Rule& r) { return r.arity(1) && r.param<ELU>() != nullptr && r.same(); }
bool inferSelu(const Rule& r) { return r.arity(1) && r.param<Selu>() != nullptr && r.same(); }

bool inferLrn(const Rule& r) {
    if (!r.arity(1) || !r.rankBetween(0, 2, kMaxRank)) return false;
    const auto* p = r.param<LRN>();
    if (p == nullptr) return false;
    if (p->localSize() <= 0) return r.fail("localSize %d must be positive", p->localSize());
    return r.same();
}

bool inferNormalize(const Rule& r) {
    if (!r.arity(1) || !r.rankBetween(0, 2, kMaxRank)) return false;
    const auto* p = r.param<Normalize>();
    if (p == nullptr) return false;
    const unsigned scales = sizeOf(p->scale());
    if (scales == 0) return r.fail("the scale is missing");
    return (scales == 1 || perChannel(r, scales, "scale")) && r.same();
}

bool inferSoftmax(const Rule& r) {
    if (!r.arity(1)) return false;
    const auto* p = r.param<Axis>();
    int axis = 0;
    return p != nullptr && r.axis(p->axis(), r.rank(0), &axis) && r.same();
}

// Running sum: in x, axis. Running product: the axis is a parameter.
bool inferCumulate(const Rule& r) {
    if (!r.arity(1)) return false;
    int value = 0, axis = 0;
    if (r.op->type() == OpType_CumProd) {
        const auto* p = r.param<Axis>();
        if (p == nullptr) return false;
        value = p->axis();
    } else if (r.param<CumSum>() == nullptr || !r.arity(2) || !r.scalar(1, &value)) {
        return false;
    }
    return r.axis(value, r.rank(0), &axis) && r.same();
}

// x times a map of one channel.
bool inferSpatialProduct(const Rule& r) {
    if (!r.arity(2) || !r.rankBetween(0, 3, 4)) return false;
    if (r.rank(1) != r.rank(0)) return r.fail("both inputs must have one rank");
    for (int i = 0; i < r.rank(0); ++i) {
        const int64_t want = i == channelAxis(r.inputs[0]) ? 1 : r.length(0, i);
        if (r.length(1, i) != want) return r.fail("input 1 must be input 0 with a single channel");
    }
    return r.same();
}

}  // namespace shape
}  // namespace MNN
