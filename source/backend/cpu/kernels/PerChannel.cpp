#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/PerChannel.cpp"
#include "backend/cpu/kernels/Targets.hpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "backend/cpu/kernels/PerChannel.hpp"
#include "backend/cpu/kernels/Tail-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace MNN {
namespace cpu {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

template <class F>
HWY_INLINE void mapWith(float* dst, const float* src, const float* a, const float* b, size_t n, int step, F&& f) {
    const D d;
    const size_t lanes = hn::Lanes(d);
    if (n == 0) return;
    if (step == 0) {
        const V x = hn::Set(d, *a), y = hn::Set(d, *b);
        mapVectors(d, dst, src, n, [&](V v) HWY_ATTR { return f(v, x, y); });
        return;
    }
    size_t i = 0;
    for (; i + lanes <= n; i += lanes)
        hn::StoreU(f(hn::LoadU(d, src + i), hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, dst + i);
    if (i == n) return;
    const size_t rest = n - i;
    storeFirst(d, f(loadFirst(d, src + i, rest), loadFirst(d, a + i, rest), loadFirst(d, b + i, rest)), dst + i, rest);
}

void scale(float* dst, const float* src, const float* a, const float* b, size_t n, int step) {
    mapWith(dst, src, a, b, n, step, [](V v, V x, V y) HWY_ATTR { return hn::MulAdd(v, x, y); });
}

void prelu(float* dst, const float* src, const float* a, const float*, size_t n, int step) {
    mapWith(dst, src, a, a, n, step,
            [](V v, V x, V) HWY_ATTR { return hn::IfThenElse(hn::Lt(v, hn::Zero(D())), hn::Mul(v, x), v); });
}

}  // namespace

const PerChannelKernels& perChannelKernels() {
    static const PerChannelKernels table = {scale, prelu};
    return table;
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace MNN
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace MNN {
namespace cpu {
const PerChannelKernels& perChannelKernels(Isa isa) { MNN_SELECT_TARGET(isa, perChannelKernels) }
}  // namespace cpu
}  // namespace MNN
#endif
