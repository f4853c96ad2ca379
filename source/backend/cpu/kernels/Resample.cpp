#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/Resample.cpp"
#include "backend/cpu/kernels/Targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>
#include "backend/cpu/kernels/Resample.hpp"

HWY_BEFORE_NAMESPACE();
namespace MNN {
namespace cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <int kPack, int kTaps>
HWY_INLINE void resampleAs(float* dst, const float* src, const int* index, const float* weight, int taps, int n) {
    const hn::CappedTag<float, kPack> d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    if (kTaps > 0) taps = kTaps;
    for (int i = 0; i < n; ++i, dst += kPack, index += taps, weight += taps) {
        for (int lane = 0; lane < kPack; lane += lanes) {
            auto sum =
                hn::Mul(hn::LoadU(d, src + static_cast<ptrdiff_t>(index[0]) * kPack + lane), hn::Set(d, weight[0]));
            for (int t = 1; t < taps; ++t) {
                const auto value = hn::LoadU(d, src + static_cast<ptrdiff_t>(index[t]) * kPack + lane);
                sum = hn::MulAdd(value, hn::Set(d, weight[t]), sum);
            }
            hn::StoreU(sum, d, dst + lane);
        }
    }
}

template <int kPack>
void sampleRow(float* dst, const float* src, const int* index, const float* weight, int taps, int n) {
    const hn::CappedTag<float, kPack> d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    for (int i = 0; i < n; ++i, dst += kPack, index += taps, weight += taps) {
        for (int lane = 0; lane < kPack; lane += lanes) {
            auto sum = hn::Zero(d);
            for (int t = 0; t < taps; ++t) {
                if (weight[t] == 0.0f) continue;
                const auto value = hn::LoadU(d, src + static_cast<ptrdiff_t>(index[t]) * kPack + lane);
                sum = hn::MulAdd(value, hn::Set(d, weight[t]), sum);
            }
            hn::StoreU(sum, d, dst + lane);
        }
    }
}

template <int kPack>
void resampleRow(float* dst, const float* src, const int* index, const float* weight, int taps, int n) {
    switch (taps) {
        case 1:
            for (int i = 0; i < n; ++i) {
                std::memcpy(dst + static_cast<ptrdiff_t>(i) * kPack, src + static_cast<ptrdiff_t>(index[i]) * kPack,
                            kPack * sizeof(float));
            }
            break;
        case 2:
            resampleAs<kPack, 2>(dst, src, index, weight, taps, n);
            break;
        case 4:
            resampleAs<kPack, 4>(dst, src, index, weight, taps, n);
            break;
        default:
            resampleAs<kPack, 0>(dst, src, index, weight, taps, n);
            break;
    }
}

void blendRows(float* dst, const float* const* rows, const float* weight, int taps, size_t n) {
    const hn::ScalableTag<float> d;
    const size_t lanes = hn::Lanes(d);
    size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        auto sum = hn::Zero(d);
        for (int t = 0; t < taps; ++t) {
            if (weight[t] != 0.0f) sum = hn::MulAdd(hn::LoadU(d, rows[t] + i), hn::Set(d, weight[t]), sum);
        }
        hn::StoreU(sum, d, dst + i);
    }
    for (; i < n; ++i) {
        float sum = 0.0f;
        for (int t = 0; t < taps; ++t) {
            if (weight[t] != 0.0f) sum += rows[t][i] * weight[t];
        }
        dst[i] = sum;
    }
}

const ResampleKernels& resampleTable() {
    static const ResampleKernels table = {
        {resampleRow<1>, resampleRow<4>, resampleRow<8>, resampleRow<16>},
        {sampleRow<1>, sampleRow<4>, sampleRow<8>, sampleRow<16>},
        blendRows,
    };
    return table;
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace MNN
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace MNN {
namespace cpu {

const ResampleKernels& resampleKernels(Isa isa) { MNN_SELECT_TARGET(isa, resampleTable) }

}  // namespace cpu
}  // namespace MNN
#endif
