// Sums of many floats: short runs are added in float lanes, their results in double.
#if defined(MNN_CPU_KERNELS_SUM_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MNN_CPU_KERNELS_SUM_INL
#undef MNN_CPU_KERNELS_SUM_INL
#else
#define MNN_CPU_KERNELS_SUM_INL
#endif

#include <algorithm>
#include <hwy/highway.h>
#include "backend/cpu/kernels/Tail-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace MNN {
namespace cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Vectors that one lane adds in float: the error of a run stays within about two units of the last place.
constexpr size_t kSumRun = 16;

// The lanes of v, added in double.
template <class D>
HWY_INLINE double sumLanes(D d, hn::Vec<D> v) {
    HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
    hn::Store(v, d, lanes);
    double sum = 0;
    for (size_t i = 0; i < hn::Lanes(d); ++i) sum += lanes[i];
    return sum;
}

// Sum of f(src[i]); f maps vectors, and 0 to 0.
template <class D, class F>
HWY_INLINE double sumOf(D d, const float* src, size_t n, F&& f) {
    using V = hn::Vec<D>;
    const size_t lanes = hn::Lanes(d);
    double sum = 0;
    size_t i = 0;
    while (i + 4 * lanes <= n) {
        V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
        for (size_t run = 0; run < kSumRun && i + 4 * lanes <= n; ++run, i += 4 * lanes) {
            s0 = hn::Add(s0, f(hn::LoadU(d, src + i)));
            s1 = hn::Add(s1, f(hn::LoadU(d, src + i + lanes)));
            s2 = hn::Add(s2, f(hn::LoadU(d, src + i + 2 * lanes)));
            s3 = hn::Add(s3, f(hn::LoadU(d, src + i + 3 * lanes)));
        }
        sum += sumLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)));
    }
    V s = hn::Zero(d);
    for (; i + lanes <= n; i += lanes) s = hn::Add(s, f(hn::LoadU(d, src + i)));
    if (i < n) s = hn::Add(s, f(loadFirst(d, src + i, n - i)));
    return sum + sumLanes(d, s);
}

// NaN when either is NaN.
template <class V>
HWY_INLINE V maxOrNaN(V x, V y) {
    return hn::IfThenElse(hn::Or(hn::Gt(x, y), hn::IsNaN(x)), x, y);
}
template <class V>
HWY_INLINE V minOrNaN(V x, V y) {
    return hn::IfThenElse(hn::Or(hn::Lt(x, y), hn::IsNaN(x)), x, y);
}

// Folds every element of src into one with an associative, commutative and idempotent `join` of vectors.
template <class D, class F>
HWY_INLINE float foldOf(D d, const float* src, size_t n, float identity, F&& join) {
    using V = hn::Vec<D>;
    const size_t lanes = hn::Lanes(d);
    V a = hn::Set(d, identity), b = a;
    size_t i = 0;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
        a = join(a, hn::LoadU(d, src + i));
        b = join(b, hn::LoadU(d, src + i + lanes));
    }
    if (i + lanes <= n) {
        a = join(a, hn::LoadU(d, src + i));
        i += lanes;
    }
    if (i < n) b = join(b, loadFirst(d, src + i, n - i, identity));
    HWY_ALIGN float lanesOf[HWY_MAX_BYTES / sizeof(float)];
    hn::Store(join(a, b), d, lanesOf);
    V all = hn::Set(d, lanesOf[0]);
    for (size_t k = 1; k < lanes; ++k) all = join(all, hn::Set(d, lanesOf[k]));
    return hn::GetLane(all);
}

template <class D>
HWY_INLINE float maxOf(D d, const float* src, size_t n) {
    using V = hn::Vec<D>;
    return foldOf(d, src, n, -std::numeric_limits<float>::infinity(), [](V x, V y) HWY_ATTR { return maxOrNaN(x, y); });
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace MNN
HWY_AFTER_NAMESPACE();
#endif
