#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/Cast.cpp"
#include "backend/cpu/kernels/Targets.hpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "backend/cpu/kernels/Cast.hpp"
#include "backend/cpu/kernels/CastPlain.hpp"
#include "backend/cpu/kernels/Tail-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace MNN {
namespace cpu {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using DI = hn::ScalableTag<int32_t>;

HWY_INLINE hn::Vec<DI> toInt(hn::Vec<D> x) {
    // 2^31 is the first float past int32; everything from there up saturates. Below -2^31 and NaN are dealt with by
    // hand too, since targets differ.
    const D d;
    const DI di;
    const auto limit = hn::Set(d, 2147483648.0f);
    const auto high = hn::RebindMask(di, hn::Ge(x, limit));
    const auto low = hn::RebindMask(di, hn::Lt(x, hn::Neg(limit)));
    const auto inside = hn::IfThenElseZero(hn::And(hn::Lt(x, limit), hn::Ge(x, hn::Neg(limit))), x);
    auto y = hn::ConvertTo(di, inside);
    y = hn::IfThenElse(high, hn::Set(di, INT32_MAX), y);
    return hn::IfThenElse(low, hn::Set(di, INT32_MIN), y);
}

void floatToInt(void* dst, const void* src, size_t n) {
    const D d;
    const DI di;
    const size_t lanes = hn::Lanes(d);
    const auto* from = static_cast<const float*>(src);
    auto* to = static_cast<int32_t*>(dst);
    size_t i = 0;
    for (; i + lanes <= n; i += lanes) hn::StoreU(toInt(hn::LoadU(d, from + i)), di, to + i);
    if (i < n) storeFirst(di, toInt(loadFirst(d, from + i, n - i)), to + i, n - i);
}

void intToFloat(void* dst, const void* src, size_t n) {
    const D d;
    const DI di;
    const size_t lanes = hn::Lanes(d);
    const auto* from = static_cast<const int32_t*>(src);
    auto* to = static_cast<float*>(dst);
    size_t i = 0;
    for (; i + lanes <= n; i += lanes) hn::StoreU(hn::ConvertTo(d, hn::LoadU(di, from + i)), d, to + i);
    if (i < n) storeFirst(d, hn::ConvertTo(d, loadFirst(di, from + i, n - i)), to + i, n - i);
}

}  // namespace

const CastKernels& castKernels() {
    static const CastKernels table = [] {
        CastKernels t = plainCasts();
        t.to[static_cast<int>(ElementType::F32)][static_cast<int>(ElementType::I32)] = floatToInt;
        t.to[static_cast<int>(ElementType::I32)][static_cast<int>(ElementType::F32)] = intToFloat;
        return t;
    }();
    return table;
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace MNN
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace MNN {
namespace cpu {
const CastKernels& castKernels(Isa isa) { MNN_SELECT_TARGET(isa, castKernels) }
}  // namespace cpu
}  // namespace MNN
#endif
