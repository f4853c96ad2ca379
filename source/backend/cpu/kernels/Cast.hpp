// Changes of element type.
#ifndef MNN_CPU_KERNELS_CAST_HPP
#define MNN_CPU_KERNELS_CAST_HPP

#include <cstddef>
#include <cstdint>
#include "backend/cpu/kernels/Isa.hpp"

namespace MNN {
namespace cpu {

enum class ElementType : uint8_t { F32, F16, BF16, I32, I16, I8, U16, U8, Count };
constexpr int kElementTypes = static_cast<int>(ElementType::Count);

// Float to integer truncates towards zero, saturates, and takes NaN to 0. Integer to narrower integer keeps the low
// bits. Float to half rounds to nearest even.
using CastFn = void (*)(void* dst, const void* src, size_t n);

struct CastKernels {
    CastFn to[kElementTypes][kElementTypes];      // [source][destination]
    CastFn toBool[kElementTypes][kElementTypes];  // x != 0 as 0 or 1; NaN is true
};
const CastKernels& castKernels(Isa isa);

}  // namespace cpu
}  // namespace MNN
#endif
