// Depthwise convolution and deconvolution on channel-packed planes: channels along the lanes, no copy of the input.
// Rows and columns near the border use the taps that lie inside.
#ifndef MNN_CPU_KERNELS_DEPTHWISE_HPP
#define MNN_CPU_KERNELS_DEPTHWISE_HPP

#include <vector>
#include "backend/cpu/kernels/Conv.hpp"

namespace MNN {
namespace cpu {

// `count` outputs of one row whose taps all exist: out[i * outStep + l] = bias[l] + sum over (ty, tx) of
// in[i * inStep + ty * tapStepY + tx * tapStepX + l] * weight[ty * weightStepY + tx * weightStepX + l] for each lane l.
// Steps count floats.
struct DepthwiseRow {
    const float* in;
    ptrdiff_t inStep;
    int tapsY, tapsX;
    ptrdiff_t tapStepY, tapStepX;
    const float* weight;
    ptrdiff_t weightStepY, weightStepX;
    const float* bias;
    float* out;
    ptrdiff_t outStep;
    int count;
    int lanes;  // 4, 8 or 16
    Clamp clamp;
};

using DepthwiseRowFn = void (*)(const DepthwiseRow& row);
DepthwiseRowFn depthwiseRow(Isa isa);

class DepthwisePlan {
public:
    // groups, inChannels and outChannels of the shape are equal.
    void prepare(DepthwiseRowFn kernel, const ConvShape& shape, int threads);

    int64_t weightFloats() const { return static_cast<int64_t>(mUnits) * mShape.kernelY * mShape.kernelX * mUnit; }
    int64_t biasFloats() const { return static_cast<int64_t>(mUnits) * mUnit; }
    int64_t scratchFloats() const { return 0; }
    int weightTasks() const { return mUnits; }
    // weight: [channel][kernelY][kernelX]
    void packWeights(int task, const float* weight, float* packed) const;
    void packBias(const float* bias, float* packed) const;

    template <typename ParallelFor>
    void run(const float* input, const float* weight, const float* bias, const Clamp& clamp, float* output,
             float* /*scratch*/, ParallelFor&& parallelFor) const {
        parallelFor(mShape.batch * mUnits * mChunks,
                    [&](int task, int) { runTask(task, input, weight, bias, clamp, output); });
    }

private:
    struct Axis {
        AxisTaps taps;
        int inside0 = 0, inside1 = 0;  // outputs all of whose taps lie inside
    };
    struct Work;
    void runTask(int task, const float* input, const float* weight, const float* bias, const Clamp& clamp,
                 float* output) const;
    static Axis makeAxis(const AxisTaps& taps, int in);
    void runRow(const Work& work, const Axis& axisY, const Axis& axisX, int i) const;
    void runSpan(const DepthwiseRow& whole, const Axis& axisX, int i0, int i1) const;

    DepthwiseRowFn mKernel = nullptr;
    ConvShape mShape;
    int mUnit = 4;  // channels handled at once: the smaller pack
    int mUnits = 0;
    int mChunks = 1;  // parts of the rows of a plane
    std::vector<Axis> mAxisY, mAxisX;
};

}  // namespace cpu
}  // namespace MNN
#endif
