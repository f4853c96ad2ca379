// Which Highway targets a kernel file is compiled for. Include before <hwy/foreach_target.h>.
//
// A kernel file X.cpp looks like this:
//
//     #undef HWY_TARGET_INCLUDE
//     #define HWY_TARGET_INCLUDE "backend/cpu/kernels/X.cpp"
//     #include "backend/cpu/kernels/Targets.hpp"
//     #include <hwy/foreach_target.h>
//     #include <hwy/highway.h>
//     #include "backend/cpu/kernels/X.hpp"
//     HWY_BEFORE_NAMESPACE();
//     namespace MNN { namespace cpu { namespace HWY_NAMESPACE {
//     ... bodies, once ...
//     const XKernels& xKernels() { static const XKernels table = {...}; return table; }
//     }}}
//     HWY_AFTER_NAMESPACE();
//     #if HWY_ONCE
//     namespace MNN { namespace cpu {
//     const XKernels& xKernels(Isa isa) { MNN_SELECT_TARGET(isa, xKernels) }
//     }}
//     #endif
#ifndef MNN_CPU_KERNELS_TARGETS_HPP
#define MNN_CPU_KERNELS_TARGETS_HPP

// Highway before 1.0.4 has no SSE2 target; the baseline is then its emulation of 128-bit vectors.
#ifndef HWY_SSE2
#define HWY_SSE2 0
#endif

// Kernels keep arrays of registers, which the sizeless types of SVE cannot form; its processors run the NEON kernels.
#define MNN_NO_SVE (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)

// Highway 1.0.3 with GCC 12 emits illegal dot products for AVX3_DL, and AVX3_ZEN4 brings nothing to fp32 kernels.
#if defined(MNN_SIMD_ONLY_SSE4)
#define HWY_DISABLED_TARGETS (HWY_SSE2 | HWY_SSSE3 | HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL)
#elif defined(MNN_SIMD_ONLY_AVX2)
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL)
#elif defined(MNN_SIMD_ONLY_AVX3)
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX2 | HWY_AVX3_DL)
#else
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | MNN_NO_SVE)
#endif

#include <hwy/detect_targets.h>
#include "backend/cpu/kernels/Isa.hpp"

#if HWY_TARGETS & HWY_AVX3
#define MNN_CASE_AVX512(fn) \
    case Isa::AVX512:       \
        return N_AVX3::fn();
#else
#define MNN_CASE_AVX512(fn)
#endif
#if HWY_TARGETS & HWY_AVX2
#define MNN_CASE_AVX2(fn) \
    case Isa::AVX2:       \
        return N_AVX2::fn();
#else
#define MNN_CASE_AVX2(fn)
#endif
#if HWY_TARGETS & HWY_SSE4
#define MNN_CASE_SSE4(fn) \
    case Isa::SSE4:       \
        return N_SSE4::fn();
#else
#define MNN_CASE_SSE4(fn)
#endif
#if HWY_TARGETS & HWY_NEON
#define MNN_CASE_NEON(fn) \
    case Isa::NEON:       \
        return N_NEON::fn();
#else
#define MNN_CASE_NEON(fn)
#endif

// Returns fn() of the namespace that belongs to `isa`; the baseline's when that target was not compiled.
#define MNN_SELECT_TARGET(isa, fn)             \
    switch (isa) {                             \
        MNN_CASE_AVX512(fn)                    \
        MNN_CASE_AVX2(fn)                      \
        MNN_CASE_SSE4(fn)                      \
        MNN_CASE_NEON(fn)                      \
        default:                               \
            return MNN_STATIC_NAMESPACE::fn(); \
    }

#if HWY_STATIC_TARGET == HWY_SSE2
#define MNN_STATIC_NAMESPACE N_SSE2
#elif HWY_STATIC_TARGET == HWY_SSE4
#define MNN_STATIC_NAMESPACE N_SSE4
#elif HWY_STATIC_TARGET == HWY_NEON
#define MNN_STATIC_NAMESPACE N_NEON
#elif HWY_STATIC_TARGET == HWY_AVX2
#define MNN_STATIC_NAMESPACE N_AVX2
#elif HWY_STATIC_TARGET == HWY_AVX3
#define MNN_STATIC_NAMESPACE N_AVX3
#elif HWY_STATIC_TARGET == HWY_SCALAR
#define MNN_STATIC_NAMESPACE N_SCALAR
#else
#define MNN_STATIC_NAMESPACE N_EMU128
#endif

#endif
