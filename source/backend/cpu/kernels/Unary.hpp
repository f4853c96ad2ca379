// Element-wise functions of one array.
#ifndef MNN_CPU_KERNELS_UNARY_HPP
#define MNN_CPU_KERNELS_UNARY_HPP

#include <cstddef>
#include <cstdint>
#include "backend/cpu/kernels/Isa.hpp"

namespace MNN {
namespace cpu {

// The first 35 have the numbers of the schema's UnaryOpOperation.
enum class UnaryKind : uint8_t {
    Abs,
    Neg,
    Floor,
    Ceil,
    Square,
    Sqrt,
    Rsqrt,
    Exp,
    Log,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Reciprocal,
    Log1p,
    Bnll,
    Acosh,
    Sinh,
    Asinh,
    Atanh,
    Sign,
    Round,
    Cosh,
    Erf,
    Erfc,
    Erfinv,
    Expm1,
    Sigmoid,
    Tanh,
    HardSwish,
    Gelu,          // the tanh form
    GeluStandard,  // the erf form
    Silu,
    Relu,       // x < 0 ? a x : x
    Clamp,      // to [a, b]
    Elu,        // x < 0 ? a (e^x - 1) : x
    Selu,       // b (x < 0 ? a (e^x - 1) : x)
    Threshold,  // x > a ? 1 : 0
    Count
};
constexpr int kUnaryKinds = static_cast<int>(UnaryKind::Count);

struct UnaryParams {
    float a = 0.0f;
    float b = 0.0f;
};

// dst may be src. Any alignment.
using UnaryF32 = void (*)(float* dst, const float* src, size_t n, const UnaryParams& params);
using UnaryI32 = void (*)(int32_t* dst, const int32_t* src, size_t n, const UnaryParams& params);

struct UnaryKernels {
    UnaryF32 f32[kUnaryKinds];
    UnaryI32 i32[kUnaryKinds];  // nullptr: not a function of integers
};
const UnaryKernels& unaryKernels(Isa isa);

const char* unaryName(UnaryKind kind);

}  // namespace cpu
}  // namespace MNN
#endif
