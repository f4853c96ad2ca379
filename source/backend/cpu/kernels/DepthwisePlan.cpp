#include <algorithm>
#include "backend/cpu/kernels/Depthwise.hpp"

namespace MNN {
namespace cpu {
namespace {

constexpr int kTasksPerThread = 4;
constexpr int kMinChunkRows = 4;

int divideUp(int a, int b) { return (a + b - 1) / b; }

struct TapRange {
    int begin, end;
};

// Offsets rise or fall in equal steps, so the taps that lie inside are neighbours.
TapRange tapsInside(const AxisTaps& taps, int i, int in) {
    const int count = static_cast<int>(taps.offset.size());
    const auto inside = [&](int t) {
        const int at = i * taps.step + taps.offset[t];
        return at >= 0 && at < in;
    };
    TapRange range = {0, count};
    while (range.begin < count && !inside(range.begin)) ++range.begin;
    range.end = range.begin;
    while (range.end < count && inside(range.end)) ++range.end;
    return range;
}

int stepOf(const std::vector<int>& values) { return values.size() > 1 ? values[1] - values[0] : 0; }

}  // namespace

struct DepthwisePlan::Work {
    const float* in;      // the unit's lanes of the first input of the plane
    const float* weight;  // of the unit
    const float* bias;
    float* out;
    Clamp clamp;
};

DepthwisePlan::Axis DepthwisePlan::makeAxis(const AxisTaps& taps, int in) {
    Axis axis;
    axis.taps = taps;
    const int count = static_cast<int>(taps.offset.size());
    const auto whole = [&](int i) {
        const TapRange range = tapsInside(taps, i, in);
        return range.begin == 0 && range.end == count;
    };
    while (axis.inside0 < taps.count && !whole(axis.inside0)) ++axis.inside0;
    axis.inside1 = taps.count;
    while (axis.inside1 > axis.inside0 && !whole(axis.inside1 - 1)) --axis.inside1;
    return axis;
}

void DepthwisePlan::prepare(DepthwiseRowFn kernel, const ConvShape& shape, int threads) {
    mKernel = kernel;
    mShape = shape;
    mUnit = std::min(shape.inPack, shape.outPack);
    mUnits = divideUp(shape.outChannels, mUnit);
    mAxisY.clear();
    mAxisX.clear();
    for (int q = 0; q < (shape.transposed ? shape.strideY : 1); ++q) {
        mAxisY.push_back(makeAxis(
            axisTaps(shape.transposed, q, shape.outHeight, shape.kernelY, shape.strideY, shape.dilateY, shape.padTop),
            shape.inHeight));
    }
    for (int q = 0; q < (shape.transposed ? shape.strideX : 1); ++q) {
        mAxisX.push_back(makeAxis(
            axisTaps(shape.transposed, q, shape.outWidth, shape.kernelX, shape.strideX, shape.dilateX, shape.padLeft),
            shape.inWidth));
    }
    mChunks = 1;
    const int units = shape.batch * mUnits;
    if (threads > 1 && units > 0 && units < kTasksPerThread * threads) {
        mChunks = std::max(1, std::min(divideUp(kTasksPerThread * threads, units), shape.outHeight / kMinChunkRows));
    }
}

void DepthwisePlan::packWeights(int task, const float* weight, float* packed) const {
    const int kernel = mShape.kernelY * mShape.kernelX;
    float* to = packed + static_cast<ptrdiff_t>(task) * kernel * mUnit;
    for (int l = 0; l < mUnit; ++l) {
        const int channel = task * mUnit + l;
        const float* from = weight + static_cast<ptrdiff_t>(channel) * kernel;
        for (int k = 0; k < kernel; ++k) to[k * mUnit + l] = channel < mShape.outChannels ? from[k] : 0.0f;
    }
}

void DepthwisePlan::packBias(const float* bias, float* packed) const {
    std::fill(packed, packed + biasFloats(), 0.0f);
    if (bias != nullptr) std::copy(bias, bias + mShape.outChannels, packed);
}

void DepthwisePlan::runTask(int task, const float* input, const float* weight, const float* bias, const Clamp& clamp,
                            float* output) const {
    const ConvShape& s = mShape;
    const int chunk = task % mChunks, unit = task / mChunks % mUnits, n = task / mChunks / mUnits;
    const int channel = unit * mUnit;
    const ptrdiff_t inBlocks = divideUp(s.inChannels, s.inPack), outBlocks = divideUp(s.outChannels, s.outPack);
    const ptrdiff_t inPlane = static_cast<ptrdiff_t>(s.inHeight) * s.inWidth * s.inPack;
    const ptrdiff_t outPlane = static_cast<ptrdiff_t>(s.outHeight) * s.outWidth * s.outPack;
    Work work;
    work.in = input + (n * inBlocks + channel / s.inPack) * inPlane + channel % s.inPack;
    work.out = output + (n * outBlocks + channel / s.outPack) * outPlane + channel % s.outPack;
    work.weight = weight + static_cast<ptrdiff_t>(channel) * s.kernelY * s.kernelX;
    work.bias = bias + channel;
    work.clamp = clamp;
    for (const Axis& y : mAxisY) {
        const int chunkRows = divideUp(y.taps.count, mChunks);
        const int end = std::min(y.taps.count, (chunk + 1) * chunkRows);
        for (int i = chunk * chunkRows; i < end; ++i) {
            for (const Axis& x : mAxisX) runRow(work, y, x, i);
        }
    }
}

void DepthwisePlan::runRow(const Work& work, const Axis& axisY, const Axis& axisX, int i) const {
    const ConvShape& s = mShape;
    const AxisTaps &y = axisY.taps, &x = axisX.taps;
    if (x.count == 0) return;
    const TapRange rangeY = tapsInside(y, i, s.inHeight);
    DepthwiseRow row = {};
    row.lanes = mUnit;
    row.clamp = work.clamp;
    row.bias = work.bias;
    row.inStep = static_cast<ptrdiff_t>(x.step) * s.inPack;
    row.outStep = static_cast<ptrdiff_t>(x.period) * s.outPack;
    row.tapsY = rangeY.end - rangeY.begin;
    row.tapStepY = static_cast<ptrdiff_t>(stepOf(y.offset)) * s.inWidth * s.inPack;
    row.tapStepX = static_cast<ptrdiff_t>(stepOf(x.offset)) * s.inPack;
    row.weightStepY = static_cast<ptrdiff_t>(stepOf(y.kernel)) * s.kernelX * mUnit;
    row.weightStepX = static_cast<ptrdiff_t>(stepOf(x.kernel)) * mUnit;
    row.in = work.in;
    row.weight = work.weight;
    if (row.tapsY > 0) {
        row.in += (static_cast<ptrdiff_t>(i) * y.step + y.offset[rangeY.begin]) * s.inWidth * s.inPack;
        row.weight += static_cast<ptrdiff_t>(y.kernel[rangeY.begin]) * s.kernelX * mUnit;
    }
    row.out = work.out + (y.first + static_cast<ptrdiff_t>(i) * y.period) * s.outWidth * s.outPack +
              static_cast<ptrdiff_t>(x.first) * s.outPack;
    for (int at = 0; at < axisX.inside0; ++at) runSpan(row, axisX, at, at + 1);
    if (axisX.inside1 > axisX.inside0) runSpan(row, axisX, axisX.inside0, axisX.inside1);
    for (int at = axisX.inside1; at < x.count; ++at) runSpan(row, axisX, at, at + 1);
}

// Outputs i0 to i1 of a row, which all have the same taps along x inside.
void DepthwisePlan::runSpan(const DepthwiseRow& whole, const Axis& axisX, int i0, int i1) const {
    const AxisTaps& x = axisX.taps;
    const TapRange range = tapsInside(x, i0, mShape.inWidth);
    DepthwiseRow row = whole;
    row.count = i1 - i0;
    row.tapsX = range.end - range.begin;
    row.out += i0 * row.outStep;
    if (row.tapsX > 0 && row.tapsY > 0) {
        row.in += (static_cast<ptrdiff_t>(i0) * x.step + x.offset[range.begin]) * mShape.inPack;
        row.weight += static_cast<ptrdiff_t>(x.kernel[range.begin]) * mUnit;
    } else {
        row.tapsY = 0;
    }
    mKernel(row);
}

}  // namespace cpu
}  // namespace MNN
