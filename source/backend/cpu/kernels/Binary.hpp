// Element-wise functions of two arrays.
#ifndef MNN_CPU_KERNELS_BINARY_HPP
#define MNN_CPU_KERNELS_BINARY_HPP

#include <cstddef>
#include <cstdint>
#include "backend/cpu/kernels/Isa.hpp"

namespace MNN {
namespace cpu {

// The numbers of the schema's BinaryOpOperation; 18 is not used.
enum class BinaryKind : uint8_t {
    Add,
    Sub,
    Mul,
    Div,  // integers: towards zero; by zero gives 0
    MaxTemp,
    MinTemp,
    Pow,
    RealDiv,
    Minimum,
    Maximum,
    Greater,
    GreaterEqual,
    Less,
    FloorDiv,
    SquaredDifference,
    Equal,
    LessEqual,
    FloorMod,  // takes the sign of the divisor
    Unused18,
    Mod,  // takes the sign of the dividend
    Atan2,
    LogicalOr,
    NotEqual,
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
    LogicalXor,
    LeftShift,
    RightShift,
    MulSilu,  // a silu(b)
    Count
};
constexpr int kBinaryKinds = static_cast<int>(BinaryKind::Count);

// dst[i] = f(a[i stepA], b[i stepB]); a step is 0 or 1. dst may be an input with step 1. Comparisons and logic write
// int32 0 or 1, everything else writes the type of the inputs.
using BinaryFn = void (*)(void* dst, const void* a, const void* b, size_t n, int stepA, int stepB);

// nullptr: not a function of that type.
struct BinaryKernels {
    BinaryFn f32[kBinaryKinds];
    BinaryFn i32[kBinaryKinds];
    BinaryFn u8[kBinaryKinds];
    BinaryFn i8[kBinaryKinds];
};
const BinaryKernels& binaryKernels(Isa isa);

// Whether the kind writes int32 whatever it reads.
constexpr bool givesBool(BinaryKind kind) {
    return kind == BinaryKind::Greater || kind == BinaryKind::GreaterEqual || kind == BinaryKind::Less ||
           kind == BinaryKind::Equal || kind == BinaryKind::LessEqual || kind == BinaryKind::NotEqual ||
           kind == BinaryKind::LogicalOr || kind == BinaryKind::LogicalXor;
}

const char* binaryName(BinaryKind kind);

// The integer functions, the same for every target (BinaryInteger.cpp).
void addIntegerKernels(BinaryKernels* table);

}  // namespace cpu
}  // namespace MNN
#endif
