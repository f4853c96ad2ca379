#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/Rope.cpp"
#include "backend/cpu/kernels/Targets.hpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <cstring>
#include "backend/cpu/kernels/Rope.hpp"
#include "backend/cpu/kernels/Tail-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace MNN {
namespace cpu {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

void rotate(float* dst, const float* src, const float* cos, const float* sin, size_t half, size_t pairs, size_t n) {
    const D d;
    const size_t lanes = hn::Lanes(d);
    // Both halves are loaded before either is stored: dst may be src.
    const auto turn = [&](auto load, auto store, size_t i) HWY_ATTR {
        const size_t j = i + half;
        const V x = load(src + i), y = load(src + j);
        store(hn::NegMulAdd(y, load(sin + i), hn::Mul(x, load(cos + i))), dst + i);
        store(hn::MulAdd(x, load(sin + j), hn::Mul(y, load(cos + j))), dst + j);
    };
    size_t i = 0;
    for (; i + lanes <= pairs; i += lanes) {
        turn([&](const float* from) HWY_ATTR { return hn::LoadU(d, from); },
             [&](V v, float* to) HWY_ATTR { hn::StoreU(v, d, to); }, i);
    }
    if (i < pairs) {
        const size_t rest = pairs - i;
        turn([&](const float* from) HWY_ATTR { return loadFirst(d, from, rest); },
             [&](V v, float* to) HWY_ATTR { storeFirst(d, v, to, rest); }, i);
    }
    if (dst == src) return;
    std::memcpy(dst + pairs, src + pairs, (half - pairs) * sizeof(float));
    std::memcpy(dst + half + pairs, src + half + pairs, (n - half - pairs) * sizeof(float));
}

}  // namespace

const RopeKernels& ropeKernels() {
    static const RopeKernels table = {rotate};
    return table;
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace MNN
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace MNN {
namespace cpu {
const RopeKernels& ropeKernels(Isa isa) { MNN_SELECT_TARGET(isa, ropeKernels) }
}  // namespace cpu
}  // namespace MNN
#endif
