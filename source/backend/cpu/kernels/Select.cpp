#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/Select.cpp"
#include "backend/cpu/kernels/Targets.hpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "backend/cpu/kernels/Select.hpp"

HWY_BEFORE_NAMESPACE();
namespace MNN {
namespace cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {

template <typename C, typename T>
void selectPlain(void* dstBytes, const void* conditionBytes, const void* aBytes, const void* bBytes, size_t n,
                 const int* steps) {
    auto* dst = static_cast<T*>(dstBytes);
    const auto* condition = static_cast<const C*>(conditionBytes);
    const auto* a = static_cast<const T*>(aBytes);
    const auto* b = static_cast<const T*>(bBytes);
    for (size_t i = 0; i < n; ++i) dst[i] = condition[i * steps[0]] != 0 ? a[i * steps[1]] : b[i * steps[2]];
}

void select32(void* dstBytes, const void* conditionBytes, const void* aBytes, const void* bBytes, size_t n,
              const int* steps) {
    const hn::ScalableTag<int32_t> d;
    using V = hn::Vec<decltype(d)>;
    auto* dst = static_cast<int32_t*>(dstBytes);
    const auto* condition = static_cast<const int32_t*>(conditionBytes);
    const auto* a = static_cast<const int32_t*>(aBytes);
    const auto* b = static_cast<const int32_t*>(bBytes);
    const size_t lanes = hn::Lanes(d);
    size_t i = 0;
    if (steps[0] != 0 && n >= lanes) {
        const V zero = hn::Zero(d), a0 = hn::Set(d, *a), b0 = hn::Set(d, *b);
        for (; i + lanes <= n; i += lanes) {
            const V x = steps[1] != 0 ? hn::LoadU(d, a + i) : a0;
            const V y = steps[2] != 0 ? hn::LoadU(d, b + i) : b0;
            hn::StoreU(hn::IfThenElse(hn::Eq(hn::LoadU(d, condition + i), zero), y, x), d, dst + i);
        }
    }
    selectPlain<int32_t, int32_t>(dst + i, condition + i * steps[0], a + i * steps[1], b + i * steps[2], n - i, steps);
}

}  // namespace

const SelectKernels& selectKernels() {
    static const SelectKernels table = {select32,
                                        selectPlain<int32_t, int16_t>,
                                        selectPlain<int32_t, int8_t>,
                                        selectPlain<uint8_t, int32_t>,
                                        selectPlain<uint8_t, int16_t>,
                                        selectPlain<uint8_t, int8_t>};
    return table;
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace MNN
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace MNN {
namespace cpu {
const SelectKernels& selectKernels(Isa isa) { MNN_SELECT_TARGET(isa, selectKernels) }
}  // namespace cpu
}  // namespace MNN
#endif
