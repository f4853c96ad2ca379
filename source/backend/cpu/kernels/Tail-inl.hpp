// Loads and stores of the first n lanes, for the ends of loops. Memory past the n elements is never touched.
#if defined(MNN_CPU_KERNELS_TAIL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MNN_CPU_KERNELS_TAIL_INL
#undef MNN_CPU_KERNELS_TAIL_INL
#else
#define MNN_CPU_KERNELS_TAIL_INL
#endif

#include <cstring>
#include <hwy/highway.h>

// Loops over registers must vanish at compile time, whatever the compiler thinks of their size.
#ifndef MNN_UNROLL
#define MNN_UNROLL _Pragma("GCC unroll 16")
#define MNN_INLINE_LAMBDA __attribute__((always_inline))
#endif

HWY_BEFORE_NAMESPACE();
namespace MNN {
namespace cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Lanes past n hold `fill`. A masked load of Highway may read whole registers on targets without masks, hence the copy
// there.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> loadFirst(D d, const T* src, size_t n, T fill = T(0)) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
    if constexpr (sizeof(T) >= 4) {
        const auto first = hn::FirstN(d, n);
        return hn::IfThenElse(first, hn::MaskedLoad(first, d, src), hn::Set(d, fill));
    }
#endif
    HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(hn::Set(d, fill), d, lanes);
    std::memcpy(lanes, src, n * sizeof(T));
    return hn::Load(d, lanes);
}

template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void storeFirst(D d, hn::Vec<D> v, T* dst, size_t n) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
    if constexpr (sizeof(T) >= 4) {
        hn::BlendedStore(v, hn::FirstN(d, n), d, dst);
        return;
    }
#endif
    HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(v, d, lanes);
    std::memcpy(dst, lanes, n * sizeof(T));
}

// dst[i] = f(src[i]). f maps Vec<D> to Vec<D>.
template <class D, class F, typename T = hn::TFromD<D>>
HWY_INLINE void mapVectors(D d, T* dst, const T* src, size_t n, F&& f) {
    const size_t lanes = hn::Lanes(d);
    size_t i = 0;
    for (; i + lanes <= n; i += lanes) hn::StoreU(f(hn::LoadU(d, src + i)), d, dst + i);
    if (i < n) storeFirst(d, f(loadFirst(d, src + i, n - i, T(1))), dst + i, n - i);
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace MNN
HWY_AFTER_NAMESPACE();
#endif
