// GELU, SiLU and HardSwish that exporters write out as formulas.
#include "passes/Match.hpp"

namespace MNN {
namespace Converter {

namespace {

UnaryOpT unaryParam(UnaryOpOperation kind) {
    UnaryOpT param;
    param.opType = kind;
    param.T = DataType_DT_FLOAT;
    return param;
}

// Climbs from `factor` through multiplications until the product is x * factor * scale; null when it is not.
OpT* productOf(const GraphIndex& index, Value factor, Value x, float scale) {
    OpT* first = soleReader(index, factor);
    Value scaled = kNone;
    if (scaledBy(index, first, scale, scaled) && scaled == factor) {
        OpT* second = soleReader(index, first->outputIndexes[0]);
        const bool ok = isBinary(second, BinaryOpOperation_MUL) && otherOperand(second, first->outputIndexes[0]) == x;
        return ok ? second : nullptr;
    }
    if (!isBinary(first, BinaryOpOperation_MUL)) return nullptr;
    const Value other = otherOperand(first, factor);
    if (other == x) {
        OpT* second = soleReader(index, first->outputIndexes[0]);
        return scaledBy(index, second, scale, scaled) && scaled == first->outputIndexes[0] ? second : nullptr;
    }
    return scaledBy(index, index.producer(other), scale, scaled) && scaled == x ? first : nullptr;
}

// 0.5 * x * (1 + erf(x / sqrt(2)))
bool geluAt(const GraphIndex& index, OpT* erf) {
    Value x = kNone;
    float one = 0;
    Value inner = kNone;
    if (!scaledBy(index, index.producer(erf->inputIndexes[0]), 0.70710678f, x)) return false;
    OpT* sum = soleReader(index, erf->outputIndexes[0]);
    if (!isBinary(sum, BinaryOpOperation_ADD) || !scalarOperand(index, sum, one, inner) || one != 1.0f) return false;
    OpT* root = productOf(index, sum->outputIndexes[0], x, 0.5f);
    if (!root) return false;
    becomes(root, OpType_UnaryOp, unaryParam(UnaryOpOperation_GELU_STANDARD), x);
    return true;
}

// x * sigmoid(x)
bool siluAt(const GraphIndex& index, OpT* sigmoid) {
    OpT* product = soleReader(index, sigmoid->outputIndexes[0]);
    const Value x = sigmoid->inputIndexes[0];
    if (!isBinary(product, BinaryOpOperation_MUL) || otherOperand(product, sigmoid->outputIndexes[0]) != x)
        return false;
    becomes(product, OpType_UnaryOp, unaryParam(UnaryOpOperation_SILU), x);
    return true;
}

// x * relu6(x + 3) / 6, or x * clip(x / 6 + 0.5, 0, 1)
bool hardSwishAt(const GraphIndex& index, OpT* clip) {
    const Relu6T& limits = *clip->main.AsRelu6();
    OpT* sum = index.producer(clip->inputIndexes[0]);
    float offset = 0;
    Value inner = kNone, x = kNone;
    if (limits.minValue != 0.0f || !isBinary(sum, BinaryOpOperation_ADD) || !scalarOperand(index, sum, offset, inner))
        return false;
    OpT* root = nullptr;
    if (limits.maxValue == 6.0f && offset == 3.0f) {
        x = inner;
        root = productOf(index, clip->outputIndexes[0], x, 1.0f / 6.0f);
    } else if (limits.maxValue == 1.0f && offset == 0.5f && scaledBy(index, index.producer(inner), 1.0f / 6.0f, x)) {
        OpT* product = soleReader(index, clip->outputIndexes[0]);
        if (isBinary(product, BinaryOpOperation_MUL) && otherOperand(product, clip->outputIndexes[0]) == x)
            root = product;
    }
    if (!root) return false;
    becomes(root, OpType_UnaryOp, unaryParam(UnaryOpOperation_HARDSWISH), x);
    return true;
}

}  // namespace

bool fuseGelu(Graph& graph) {
    bool changed = false;
    for (size_t i = 0; i < graph.ops.size(); ++i) {
        if (isUnary(graph.ops[i].get(), UnaryOpOperation_ERF)) changed |= geluAt(GraphIndex(graph), graph.ops[i].get());
    }
    if (changed) removeDead(graph);
    return changed;
}

bool fuseSwish(Graph& graph) {
    bool changed = false;
    for (size_t i = 0; i < graph.ops.size(); ++i) {
        OpT* op = graph.ops[i].get();
        if (isUnary(op, UnaryOpOperation_SIGMOID)) changed |= siluAt(GraphIndex(graph), op);
        if (op->type == OpType_ReLU6) changed |= hardSwishAt(GraphIndex(graph), op);
    }
    if (changed) removeDead(graph);
    return changed;
}

void approximateGelu(Graph& graph) {
    for (auto& op : graph.ops) {
        if (isUnary(op.get(), UnaryOpOperation_GELU_STANDARD)) op->main.AsUnaryOp()->opType = UnaryOpOperation_GELU;
    }
}

}  // namespace Converter
}  // namespace MNN
