#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/Pool.cpp"
#include "backend/cpu/kernels/Targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include "backend/cpu/kernels/Pool.hpp"

HWY_BEFORE_NAMESPACE();
namespace MNN {
namespace cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Part of a window that lies on the plane, and the number of elements an average divides by, along one axis.
struct Span {
    int begin, end, counted;
};

HWY_INLINE Span spanOf(int place, int stride, int kernel, int padBegin, int padEnd, int length, bool countPadding) {
    const int start = place * stride - padBegin;
    const int begin = std::max(start, 0), end = std::max(std::min(start + kernel, length), begin);
    return {begin, end, countPadding ? std::min(start + kernel, length + padEnd) - start : end - begin};
}

// One accumulator a row of the window: rows overlap in the pipeline, and long sums keep their precision.
template <int kPack, bool kMax>
HWY_INLINE void poolOne(const float* src, ptrdiff_t rowStep, const Span& y, const Span& x, float divisor, float* dst) {
    const hn::CappedTag<float, kPack> d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const auto start = hn::Set(d, kMax ? -std::numeric_limits<float>::infinity() : 0.0f);
    for (int lane = 0; lane < kPack; lane += lanes) {
        auto total = start;
        for (int iy = y.begin; iy < y.end; ++iy) {
            const float* from = src + iy * rowStep + static_cast<ptrdiff_t>(x.begin) * kPack + lane;
            auto row = start;
            for (int ix = x.begin; ix < x.end; ++ix, from += kPack) {
                row = kMax ? hn::Max(row, hn::LoadU(d, from)) : hn::Add(row, hn::LoadU(d, from));
            }
            total = kMax ? hn::Max(total, row) : hn::Add(total, row);
        }
        if (!kMax) total = hn::Div(total, hn::Set(d, divisor));
        hn::StoreU(total, d, dst + lane);
    }
}

template <int kPack, bool kMax>
void poolRows(const PoolShape& s, const float* src, float* dst, int rowBegin, int rowEnd) {
    const ptrdiff_t rowStep = static_cast<ptrdiff_t>(s.inWidth) * kPack;
    float* to = dst + static_cast<ptrdiff_t>(rowBegin) * s.outWidth * kPack;
    for (int oy = rowBegin; oy < rowEnd; ++oy) {
        const Span y = spanOf(oy, s.strideY, s.kernelY, s.padTop, s.padBottom, s.inHeight, s.countPadding);
        for (int ox = 0; ox < s.outWidth; ++ox, to += kPack) {
            const Span x = spanOf(ox, s.strideX, s.kernelX, s.padLeft, s.padRight, s.inWidth, s.countPadding);
            const float area = static_cast<float>(y.counted) * static_cast<float>(x.counted);
            poolOne<kPack, kMax>(src, rowStep, y, x, area > 0.0f ? area : 1.0f, to);
        }
    }
}

const PoolKernels& poolTable() {
    static const PoolKernels table = {
        {poolRows<1, true>, poolRows<4, true>, poolRows<8, true>, poolRows<16, true>},
        {poolRows<1, false>, poolRows<4, false>, poolRows<8, false>, poolRows<16, false>},
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

const PoolKernels& poolKernels(Isa isa) { MNN_SELECT_TARGET(isa, poolTable) }

int packIndex(int pack) {
    switch (pack) {
        case 1:
            return 0;
        case 4:
            return 1;
        case 8:
            return 2;
        case 16:
            return 3;
        default:
            return -1;
    }
}

}  // namespace cpu
}  // namespace MNN
#endif
