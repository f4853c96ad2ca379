#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/Quantize.cpp"
#include "backend/cpu/kernels/Targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include "backend/cpu/kernels/Quantize.hpp"

HWY_BEFORE_NAMESPACE();
namespace MNN {
namespace cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// At most 16 lanes, so that the pattern repeats at whole vectors.
using D = hn::CappedTag<float, kQuantPattern>;

int8_t quantizeOne(float x, float scale, float zero, const QuantPattern& p) {
    const float q = std::round(x * scale) + zero;
    return static_cast<int8_t>(q > p.low ? (q < p.high ? q : p.high) : p.low);
}

void quantize(int8_t* dst, const float* src, size_t n, const QuantPattern& p) {
    const D d;
    const hn::RebindToSigned<D> di;
    const hn::Rebind<int16_t, D> d16;
    const hn::Rebind<int8_t, D> d8;
    const size_t lanes = hn::Lanes(d);
    const auto low = hn::Set(d, p.low), high = hn::Set(d, p.high), half = hn::Set(d, 0.5f), one = hn::Set(d, 1.0f);
    size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const size_t at = i % kQuantPattern;
        const auto x = hn::Mul(hn::LoadU(d, src + i), hn::LoadU(d, p.scale + at));
        // Beyond 2^23 every float is whole; clamping first keeps the truncation in range. x + 0.5 would round
        // 0.49999997 up.
        const auto bounded = hn::Min(hn::Max(x, hn::Set(d, -8388608.0f)), hn::Set(d, 8388608.0f));
        const auto whole = hn::Trunc(bounded);
        const auto up = hn::Ge(hn::Abs(hn::Sub(bounded, whole)), half);
        const auto rounded = hn::Add(whole, hn::IfThenElseZero(up, hn::CopySign(one, bounded)));
        auto q = hn::Add(rounded, hn::LoadU(d, p.zero + at));
        q = hn::IfThenElse(hn::Eq(x, x), hn::Min(hn::Max(q, low), high), low);
        hn::StoreU(hn::DemoteTo(d8, hn::DemoteTo(d16, hn::ConvertTo(di, q))), d8, dst + i);
    }
    for (; i < n; ++i) dst[i] = quantizeOne(src[i], p.scale[i % kQuantPattern], p.zero[i % kQuantPattern], p);
}

void dequantize(float* dst, const int8_t* src, size_t n, const QuantPattern& p) {
    const D d;
    const hn::RebindToSigned<D> di;
    const hn::Rebind<int8_t, D> d8;
    const size_t lanes = hn::Lanes(d);
    size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const size_t at = i % kQuantPattern;
        const auto x = hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(d8, src + i)));
        hn::StoreU(hn::Mul(hn::Sub(x, hn::LoadU(d, p.zero + at)), hn::LoadU(d, p.scale + at)), d, dst + i);
    }
    for (; i < n; ++i) dst[i] = (static_cast<float>(src[i]) - p.zero[i % kQuantPattern]) * p.scale[i % kQuantPattern];
}

void range(const float* src, size_t n, float* low, float* high) {
    const hn::ScalableTag<float> d;
    const size_t lanes = hn::Lanes(d);
    float least = src[0], most = src[0];
    size_t i = 0;
    if (n >= lanes) {
        auto lows = hn::LoadU(d, src), highs = lows;
        for (i = lanes; i + lanes <= n; i += lanes) {
            const auto x = hn::LoadU(d, src + i);
            lows = hn::Min(lows, x);
            highs = hn::Max(highs, x);
        }
        least = hn::GetLane(hn::MinOfLanes(d, lows));
        most = hn::GetLane(hn::MaxOfLanes(d, highs));
    }
    for (; i < n; ++i) least = std::min(least, src[i]), most = std::max(most, src[i]);
    *low = least;
    *high = most;
}

const QuantizeKernels& quantizeTable() {
    static const QuantizeKernels table = {quantize, dequantize, range};
    return table;
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace MNN
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace MNN {
namespace cpu {

const QuantizeKernels& quantizeKernels(Isa isa) { MNN_SELECT_TARGET(isa, quantizeTable) }

}  // namespace cpu
}  // namespace MNN
#endif
