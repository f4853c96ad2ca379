// Partial vectors: loads and stores that touch only the first n lanes. Compiled once per target, inside Targets.hpp's loop.
#if defined(MNN_CPU_KERNELS_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MNN_CPU_KERNELS_LANES_INL
#undef MNN_CPU_KERNELS_LANES_INL
#else
#define MNN_CPU_KERNELS_LANES_INL
#endif

#include <hwy/highway.h>

#ifndef HWY_UNROLL_TILE
#define HWY_UNROLL_TILE _Pragma("GCC unroll 16")
#define HWY_LAMBDA_INLINE __attribute__((always_inline))
#endif

HWY_BEFORE_NAMESPACE();
namespace MNN {
namespace cpu {
namespace HWY_NAMESPACE {

// Lanes from n on are 0.
template <class D>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<D> loadFirst(D d, const float* from, int n) {
    namespace hn = hwy::HWY_NAMESPACE;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
    return hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(n)), d, from);
#else
    // Other targets build masked loads from whole ones, which would read past the end.
    HWY_ALIGN float lanes[hn::MaxLanes(D())] = {};
    for (int i = 0; i < n; ++i) lanes[i] = from[i];
    return hn::Load(d, lanes);
#endif
}

template <class D>
HWY_INLINE void storeFirst(D d, hwy::HWY_NAMESPACE::Vec<D> value, float* to, int n) {
    namespace hn = hwy::HWY_NAMESPACE;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
    hn::BlendedStore(value, hn::FirstN(d, static_cast<size_t>(n)), d, to);
#else
    HWY_ALIGN float lanes[hn::MaxLanes(D())];
    hn::Store(value, d, lanes);
    for (int i = 0; i < n; ++i) to[i] = lanes[i];
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace MNN
HWY_AFTER_NAMESPACE();

#endif
