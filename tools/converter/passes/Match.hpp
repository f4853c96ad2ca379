// Small questions that pattern passes ask about ops.
#pragma once

#include <cmath>

#include "passes/Passes.hpp"

namespace MNN {
namespace Converter {

inline bool isUnary(const OpT* op, UnaryOpOperation kind) {
    return op && op->type == OpType_UnaryOp && op->main.AsUnaryOp()->opType == kind;
}

inline bool isBinary(const OpT* op, BinaryOpOperation kind) {
    return op && op->type == OpType_BinaryOp && op->main.AsBinaryOp()->opType == kind &&
           op->main.AsBinaryOp()->activationType == 0 && op->inputIndexes.size() == 2;
}

inline bool isReduction(const OpT* op, ReductionType kind) {
    return op && op->type == OpType_Reduction && op->main.AsReductionParam()->operation == kind &&
           op->inputIndexes.size() == 1;
}

inline bool near(float a, float b) { return std::fabs(a - b) <= 1e-4f * std::fabs(b); }

// The scalar constant among a BinaryOp's two operands, and the other one.
inline bool scalarOperand(const GraphIndex& index, const OpT* op, float& constant, Value& other) {
    for (int side = 1; side >= 0; --side) {
        if (!scalarConstant(index, op->inputIndexes[side], constant)) continue;
        other = op->inputIndexes[1 - side];
        return true;
    }
    return false;
}

// The other operand when `value` is one of them.
inline Value otherOperand(const OpT* op, Value value) {
    if (op->inputIndexes[0] == value) return op->inputIndexes[1];
    return op->inputIndexes[1] == value ? op->inputIndexes[0] : kNone;
}

// The one op that reads this tensor, when nothing else sees it.
inline OpT* soleReader(const GraphIndex& index, Value value) {
    return index.onlyReader(value) ? index.readers(value)[0] : nullptr;
}

// x times or over a constant: true for x * factor and x / (1 / factor).
inline bool scaledBy(const GraphIndex& index, const OpT* op, float factor, Value& x) {
    float c = 0;
    if (isBinary(op, BinaryOpOperation_MUL)) return scalarOperand(index, op, c, x) && near(c, factor);
    if (!isBinary(op, BinaryOpOperation_REALDIV)) return false;
    x = op->inputIndexes[0];
    return scalarConstant(index, op->inputIndexes[1], c) && near(c, 1.0f / factor);
}

// Turns `root` into this op over x; what fed it before is left to removeDead.
template <class Param>
void becomes(OpT* root, OpType type, Param&& param, Value x) {
    root->type = type;
    root->main.Set(std::forward<Param>(param));
    root->inputIndexes = {x};
}

}  // namespace Converter
}  // namespace MNN
