#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/Depthwise.cpp"
#include "backend/cpu/kernels/Targets.hpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "backend/cpu/kernels/Depthwise.hpp"
#include "backend/cpu/kernels/Tail-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace MNN {
namespace cpu {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE void storeClamped(D d, hn::Vec<D> value, const Clamp& clamp, float* out) {
    if (clamp.active) value = hn::Min(hn::Set(d, clamp.high), hn::Max(hn::Set(d, clamp.low), value));
    hn::StoreU(value, d, out);
}

constexpr int kPixels = 4;

// Four outputs at a time; neighbouring windows of a row overlap, so each input is loaded once a row of taps.
template <int TapsX, int Stride, class D>
HWY_INLINE int overlappingPixels(D d, const DepthwiseRow& row, int lane) {
    constexpr int kWindow = (kPixels - 1) * Stride + TapsX;
    int i = 0;
    for (; i + kPixels <= row.count; i += kPixels) {
        hn::Vec<D> sum[kPixels];
        const hn::Vec<D> bias = hn::LoadU(d, row.bias + lane);
        MNN_UNROLL
        for (int p = 0; p < kPixels; ++p) sum[p] = bias;
        for (int ty = 0; ty < row.tapsY; ++ty) {
            const float* in = row.in + i * row.inStep + ty * row.tapStepY + lane;
            const float* weight = row.weight + ty * row.weightStepY + lane;
            hn::Vec<D> window[kWindow];
            MNN_UNROLL
            for (int x = 0; x < kWindow; ++x) window[x] = hn::LoadU(d, in + x * row.tapStepX);
            MNN_UNROLL
            for (int tx = 0; tx < TapsX; ++tx) {
                const hn::Vec<D> w = hn::LoadU(d, weight + tx * row.weightStepX);
                MNN_UNROLL
                for (int p = 0; p < kPixels; ++p) sum[p] = hn::MulAdd(window[p * Stride + tx], w, sum[p]);
            }
        }
        MNN_UNROLL
        for (int p = 0; p < kPixels; ++p) storeClamped(d, sum[p], row.clamp, row.out + (i + p) * row.outStep + lane);
    }
    return i;
}

template <int Pixels, class D>
HWY_INLINE void anyPixels(D d, const DepthwiseRow& row, int lane, int i) {
    hn::Vec<D> sum[Pixels];
    MNN_UNROLL
    for (int p = 0; p < Pixels; ++p) sum[p] = hn::LoadU(d, row.bias + lane);
    for (int ty = 0; ty < row.tapsY; ++ty) {
        for (int tx = 0; tx < row.tapsX; ++tx) {
            const float* in = row.in + i * row.inStep + ty * row.tapStepY + tx * row.tapStepX + lane;
            const hn::Vec<D> w = hn::LoadU(d, row.weight + ty * row.weightStepY + tx * row.weightStepX + lane);
            MNN_UNROLL
            for (int p = 0; p < Pixels; ++p) sum[p] = hn::MulAdd(hn::LoadU(d, in + p * row.inStep), w, sum[p]);
        }
    }
    MNN_UNROLL
    for (int p = 0; p < Pixels; ++p) storeClamped(d, sum[p], row.clamp, row.out + (i + p) * row.outStep + lane);
}

template <class D>
void rowOf(D d, const DepthwiseRow& row, int lane) {
    const bool stride1 = row.inStep == row.tapStepX, stride2 = row.inStep == 2 * row.tapStepX;
    int i = 0;
    if (row.tapsX == 3 && stride1) {
        i = overlappingPixels<3, 1>(d, row, lane);
    } else if (row.tapsX == 3 && stride2) {
        i = overlappingPixels<3, 2>(d, row, lane);
    } else if (row.tapsX == 5 && stride1) {
        i = overlappingPixels<5, 1>(d, row, lane);
    } else if (row.tapsX == 5 && stride2) {
        i = overlappingPixels<5, 2>(d, row, lane);
    } else {
        for (; i + kPixels <= row.count; i += kPixels) anyPixels<kPixels>(d, row, lane, i);
    }
    for (; i < row.count; ++i) anyPixels<1>(d, row, lane, i);
}

template <class D>
HWY_INLINE void lanesOf(D d, const DepthwiseRow& row) {
    for (int lane = 0; lane < row.lanes; lane += static_cast<int>(hn::MaxLanes(d))) rowOf(d, row, lane);
}

void depthwiseRowAny(const DepthwiseRow& row) {
    if (row.lanes >= 16) {
        lanesOf(hn::CappedTag<float, 16>(), row);
    } else if (row.lanes == 8) {
        lanesOf(hn::CappedTag<float, 8>(), row);
    } else {
        lanesOf(hn::CappedTag<float, 4>(), row);
    }
}

}  // namespace

DepthwiseRowFn depthwiseRow() { return depthwiseRowAny; }

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace MNN
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace MNN {
namespace cpu {

DepthwiseRowFn depthwiseRow(Isa isa) { MNN_SELECT_TARGET(isa, depthwiseRow) }

}  // namespace cpu
}  // namespace MNN
#endif
