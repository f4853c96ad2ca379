// Convolution and deconvolution on channel-packed planes [ceil(C / pack)][H][W][pack], without an im2col buffer.
//
// The pixels of an output are the rows of a matrix product whose K runs over (channel block, tap, channel of the
// block). For one tap all pixels move by the same offset, so the tiles of Gemm.hpp read the input in place: rows are
// pixels, runs are taps. Where taps reach past the border, a band of the input is copied once between zeros.
//
// A deconvolution of stride s is s * s convolutions of stride 1, one for each residue of the output position, whose
// results interleave: the phases of a plan.
#ifndef MNN_CPU_KERNELS_CONV_HPP
#define MNN_CPU_KERNELS_CONV_HPP

#include <vector>
#include "backend/cpu/kernels/Gemm.hpp"

namespace MNN {
namespace cpu {

// Attributes and sizes of a convolution; weights are [group][out / group][in / group][kernelY][kernelX], of a
// deconvolution [in][out / group][kernelY][kernelX].
struct ConvShape {
    bool transposed = false;
    int batch = 1;
    int groups = 1;
    int inChannels = 0, inHeight = 0, inWidth = 0, inPack = 4;
    int outChannels = 0, outHeight = 0, outWidth = 0, outPack = 4;
    int kernelY = 1, kernelX = 1;
    int strideY = 1, strideX = 1;
    int dilateY = 1, dilateX = 1;
    int padTop = 0, padLeft = 0;  // may be negative (crop)
};

// Taps of one axis for every period-th output: output first + i * period reads input i * step + offset[t] through
// kernel element kernel[t]. A convolution has one residue and period 1; a deconvolution has `stride` residues, and
// residue q has the kernel elements whose dilated position leaves q when divided by the stride: so they do not depend
// on the pads.
struct AxisTaps {
    int first = 0, period = 1;
    int count = 0;  // outputs
    int step = 1;
    std::vector<int> offset, kernel;
};
AxisTaps axisTaps(bool transposed, int residue, int out, int kernel, int stride, int dilate, int pad);

class ConvPlan {
public:
    // Sizes of the shape must be positive; batch and output sizes may be 0.
    void prepare(const GemmKernels& kernels, const ConvShape& shape, int threads);

    // Packed weights depend on channels, packs, kernel, stride, dilation and pads only, not on image sizes.
    int64_t weightFloats() const { return mWeightFloats; }
    // Packs what `weight` holds; work is split into weightTasks() tasks.
    int weightTasks() const;
    void packWeights(int task, const float* weight, float* packed) const;
    // Floats that `bias` must have: every panel whole.
    int64_t biasFloats() const { return static_cast<int64_t>(mShape.groups) * mPanels * mKernels->panel; }
    // bias of the op (nullptr: zeros) in the order of the panels.
    void packBias(const float* bias, float* packed) const;

    // Floats of scratch, shared by all workers.
    int64_t scratchFloats() const { return mPadded ? mBandFloats : 0; }

    // parallelFor(tasks, body) calls body(task, worker) for each task.
    template <typename ParallelFor>
    void run(const float* input, const float* weight, const float* bias, const Clamp& clamp, float* output,
             float* scratch, ParallelFor&& parallelFor) const {
        for (int n = 0; n < mShape.batch; ++n) {
            const float* image = input + n * mImageFloats;
            float* result = output + n * mResultFloats;
            for (int y0 = 0; y0 < mRows; y0 += mBandRows) {
                if (mPadded) {
                    parallelFor(padTasks(), [&](int task, int) { padTask(task, y0, image, scratch); });
                }
                parallelFor(static_cast<int>(mTasks.size()), [&](int task, int) {
                    computeTask(task, y0, mPadded ? scratch : image, weight, bias, clamp, result);
                });
            }
        }
    }

private:
    struct Phase {
        AxisTaps y, x;
        int64_t weightOffset = 0;  // in the packed weights of a group
        std::vector<ptrdiff_t> segmentOffset;
    };
    struct Task {
        int phase, group, panel0, panel1, pixel0, pixel1;  // pixels of a band
    };
    struct Work;

    void makePhases();
    void placeInput();
    void chooseBand(int minOffsetY, int maxOffsetY);
    void makeSegments();
    void makeTasks(int threads);
    int taps(const Phase& phase) const { return static_cast<int>(phase.y.offset.size() * phase.x.offset.size()); }
    int depth(const Phase& phase) const { return taps(phase) * mGroupIn; }
    int64_t groupWeightFloats() const { return mWeightFloats / mShape.groups; }
    int padTasks() const { return mShape.groups * mInBlocks * mPadChunks; }
    void padTask(int task, int y0, const float* image, float* scratch) const;
    void padRow(int group, int block, int y, const float* image, float* row) const;
    void computeTask(int task, int y0, const float* planes, const float* weight, const float* bias, const Clamp& clamp,
                     float* result) const;
    void computeSegments(const Work& work, int segment0, int segment1, int panel0, int panel1) const;
    void computeTile(const Work& work, GemmTile tile, int kind, int y, int x, int panel0, int panel1) const;
    void storeScattered(const float* values, int rows, int columns, int channel, float* pixel,
                        ptrdiff_t pixelStep) const;

    const GemmKernels* mKernels = nullptr;
    ConvShape mShape;
    int mGroupIn = 0, mGroupOut = 0;
    int mInBlocks = 0;  // channel blocks of one group
    int mPanels = 0;    // weight panels of one group
    std::vector<Phase> mPhases;
    std::vector<Task> mTasks;
    bool mPadded = false;  // taps read a zero-bordered copy of a band instead of the input
    int mPadChunks = 1;
    bool mDirectStore = false;       // whole vectors go to the output; else channels are scattered
    int mOriginY = 0, mOriginX = 0;  // input position of the plane's first pixel
    int mPlaneHeight = 0, mPlaneWidth = 0;
    int mRows = 0, mBandRows = 1;  // outputs of the largest phase along y, and how many a band computes
    int64_t mImageFloats = 0, mResultFloats = 0, mBandFloats = 0, mWeightFloats = 0;
};

}  // namespace cpu
}  // namespace MNN
#endif
