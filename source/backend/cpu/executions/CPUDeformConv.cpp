// Extra DeformConv: a convolution whose taps are moved by a tensor. Columns of a few output rows at a time, then a
// product.
#include <algorithm>
#include <cmath>
#include "backend/cpu/executions/FloatScratch.hpp"
#include "backend/cpu/executions/PlainTensors.hpp"
#include "backend/cpu/kernels/MatMul.hpp"
#include "backend/cpu/kernels/Resample.hpp"
#include "core/ExtraAttributes.hpp"

namespace MNN {
namespace {

struct DeformRule {
    int strideY = 1, strideX = 1, dilateY = 1, dilateX = 1, padTop = 0, padLeft = 0;
    int group = 1, offsetGroup = 1;
    int bias = -1, mask = -1;  // inputs
};

bool readRule(const Op* op, size_t inputs, DeformRule* r) {
    const std::vector<int> strides = extra::integers(op, "strides"), dilations = extra::integers(op, "dilations"),
                           pads = extra::integers(op, "pads");
    constexpr int kLargest = 1 << 20;
    const auto small = [](const std::vector<int>& list, int low) {
        return std::all_of(list.begin(), list.end(), [low](int v) { return v >= low && v <= kLargest; });
    };
    if (!small(strides, 1) || !small(dilations, 1) || !small(pads, 0)) return false;
    if (strides.size() == 2) r->strideY = strides[0], r->strideX = strides[1];
    if (dilations.size() == 2) r->dilateY = dilations[0], r->dilateX = dilations[1];
    if (pads.size() == 4) r->padTop = pads[0], r->padLeft = pads[1];
    r->group = static_cast<int>(extra::integer(op, "group", 1));
    r->offsetGroup = static_cast<int>(extra::integer(op, "offset_group", 1));
    int next = 3;
    if (extra::integer(op, "has_bias", 0) != 0) r->bias = next++;
    if (extra::integer(op, "has_mask", 0) != 0) r->mask = next++;
    return r->group > 0 && r->offsetGroup > 0 && static_cast<size_t>(next) <= inputs;
}

// In: x [n, c, h, w], weights [out, c / group, kh, kw], offset [n, sets * 2 * kh * kw, oh, ow] [, bias] [, mask].
class CPUDeformConv final : public Execution {
public:
    CPUDeformConv(CPUBackend* backend, const DeformRule& rule, std::string name)
        : Execution(backend), mCPU(backend), mRule(rule), mName(std::move(name)) {}

    ErrorCode onResize(const Tensors& inputs, const Tensors& outputs) override {
        const Tensor* w = inputs[1];
        mEmpty = TensorUtils::elements(outputs[0]) == 0;
        if (mEmpty) return NO_ERROR;
        mTaps = w->length(2) * w->length(3);
        mPlaces = outputs[0]->length(2) * outputs[0]->length(3);
        mDepth = w->length(1) * mTaps;
        if (!fits(inputs, outputs[0]))
            return fault(INPUT_DATA_ERROR, mName, inputs, "weights, offset, bias or mask do not fit");
        // About a megabyte of columns of one group.
        constexpr int64_t kColumnFloats = 256 * 1024;
        const int64_t columns =
            std::max<int64_t>(kColumnFloats / std::max<int64_t>(int64_t(mDepth) * mRule.group, 1), 16);
        mTile = static_cast<int>(std::min<int64_t>(columns, mPlaces));
        preparePlan(mTile, w->length(0), &mPlan);
        preparePlan(mPlaces % mTile == 0 ? mTile : mPlaces % mTile, w->length(0), &mLastPlan);
        mPlanFloats = (std::max(mPlan.scratchFloats(), mLastPlan.scratchFloats()) + 15) / 16 * 16;
        mColumnFloats = (int64_t(mDepth) * mRule.group * mTile + 15) / 16 * 16;
        const int64_t perWorker = int64_t(mTile) * 8;
        const ErrorCode code = mScratch.acquire(mCPU, mColumnFloats + (mPlanFloats + perWorker) * mCPU->threads());
        mScratch.release(mCPU);
        return code;
    }

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        if (mEmpty) return NO_ERROR;
        for (int n = 0; n < inputs[0]->length(0); ++n) {
            for (int begin = 0; begin < mPlaces; begin += mTile) {
                const int count = std::min(mTile, mPlaces - begin);
                fillColumns(inputs, outputs[0], n, begin, count);
                multiply(inputs, outputs[0], n, begin, count);
            }
        }
        if (mRule.bias >= 0) addBias(inputs[mRule.bias]->host<float>(), outputs[0]);
        return NO_ERROR;
    }

private:
    bool fits(const Tensors& inputs, const Tensor* output) const {
        const Tensor* x = inputs[0];
        const Tensor* w = inputs[1];
        const int64_t batch = x->length(0), places = mPlaces;
        if (x->length(1) != w->length(1) * mRule.group || w->length(0) % mRule.group != 0 ||
            x->length(1) % mRule.offsetGroup != 0)
            return false;
        if (output->length(0) != batch || output->length(1) != w->length(0)) return false;
        if (TensorUtils::elements(inputs[2]) != batch * mRule.offsetGroup * 2 * mTaps * places) return false;
        if (mRule.bias >= 0 && TensorUtils::elements(inputs[mRule.bias]) != w->length(0)) return false;
        return mRule.mask < 0 ||
               TensorUtils::elements(inputs[mRule.mask]) == batch * mRule.offsetGroup * mTaps * places;
    }

    void preparePlan(int columns, int outChannels, cpu::MatMulPlan* plan) const {
        cpu::MatMulShape shape;
        shape.m = outChannels / mRule.group, shape.n = columns, shape.k = mDepth;
        shape.aRow = mDepth;
        shape.bRow = columns, shape.bColumn = 1;
        shape.cRow = mPlaces;
        plan->prepare(cpu::gemmKernels(mCPU->isa()), shape, mRule.group, mCPU->threads());
    }

    // columns[channel][tap][place]; one task for each set of offsets and tap.
    void fillColumns(const Tensors& inputs, const Tensor* output, int n, int begin, int count) {
        const Tensor* x = inputs[0];
        const int channels = x->length(1), perSet = channels / mRule.offsetGroup;
        const int64_t area = int64_t(x->length(2)) * x->length(3);
        const cpu::ResampleRow sample = cpu::resampleKernels(mCPU->isa()).sample[0];
        float* columns = mScratch.data();
        float* rooms = columns + mColumnFloats + mPlanFloats * mCPU->threads();
        mCPU->parallelFor(mRule.offsetGroup * mTaps, [&](int task, int worker) {
            float* weight = rooms + int64_t(worker) * mTile * 8;
            int* index = reinterpret_cast<int*>(weight + int64_t(mTile) * 4);
            findPlaces(inputs, output, n, task, begin, count, index, weight);
            const int set = task / mTaps, tap = task % mTaps;
            for (int c = set * perSet; c < (set + 1) * perSet; ++c) {
                sample(columns + (int64_t(c) * mTaps + tap) * count,
                       x->host<float>() + (int64_t(n) * channels + c) * area, index, weight, 4, count);
            }
        });
    }

    // The four elements around each place, and their weights times the mask; weight 0 outside.
    void findPlaces(const Tensors& inputs, const Tensor* output, int n, int task, int begin, int count, int* index,
                    float* weight) const {
        const int height = inputs[0]->length(2), width = inputs[0]->length(3), outWidth = output->length(3),
                  kernelX = inputs[1]->length(3);
        const int64_t plane = int64_t(n) * mRule.offsetGroup * mTaps + task;
        const float* offsetY = inputs[2]->host<float>() + plane * 2 * mPlaces;
        const float* mask = mRule.mask < 0 ? nullptr : inputs[mRule.mask]->host<float>() + plane * mPlaces;
        const int tap = task % mTaps;
        for (int i = 0; i < count; ++i, index += 4, weight += 4) {
            const int place = begin + i;
            const float y =
                static_cast<float>(place / outWidth * mRule.strideY - mRule.padTop + tap / kernelX * mRule.dilateY) +
                offsetY[place];
            const float x =
                static_cast<float>(place % outWidth * mRule.strideX - mRule.padLeft + tap % kernelX * mRule.dilateX) +
                offsetY[mPlaces + place];
            std::fill(index, index + 4, 0);
            std::fill(weight, weight + 4, 0.0f);
            if (!(y > -1.0f && y < static_cast<float>(height) && x > -1.0f && x < static_cast<float>(width))) continue;
            const int top = static_cast<int>(std::floor(y)), left = static_cast<int>(std::floor(x));
            const float fy = y - static_cast<float>(top), fx = x - static_cast<float>(left),
                        scale = mask == nullptr ? 1.0f : mask[place];
            for (int k = 0; k < 4; ++k) {
                const int row = top + k / 2, column = left + k % 2;
                if (row < 0 || row >= height || column < 0 || column >= width) continue;
                index[k] = row * width + column;
                weight[k] = (k / 2 == 0 ? 1.0f - fy : fy) * (k % 2 == 0 ? 1.0f - fx : fx) * scale;
            }
        }
    }

    void multiply(const Tensors& inputs, Tensor* output, int n, int begin, int count) {
        const cpu::MatMulPlan& plan = count == mTile ? mPlan : mLastPlan;
        const int outChannels = inputs[1]->length(0), each = outChannels / mRule.group, tasks = plan.tasks();
        const float* columns = mScratch.data();
        float* scratch = mScratch.data() + mColumnFloats;
        mCPU->parallelFor(mRule.group * tasks, [&](int index, int worker) {
            const int64_t group = index / tasks;
            plan.run(index % tasks, inputs[1]->host<float>() + group * each * mDepth, columns + group * mDepth * count,
                     nullptr, cpu::Clamp(),
                     output->host<float>() + (int64_t(n) * outChannels + group * each) * mPlaces + begin,
                     scratch + worker * mPlanFloats);
        });
    }

    void addBias(const float* bias, Tensor* output) const {
        const int channels = output->length(1);
        parallelRanges(mCPU, int64_t(output->length(0)) * channels, mPlaces, [&](int64_t begin, int64_t end) {
            for (int64_t plane = begin; plane < end; ++plane) {
                float* to = output->host<float>() + plane * mPlaces;
                for (int i = 0; i < mPlaces; ++i) to[i] += bias[plane % channels];
            }
        });
    }

    CPUBackend* mCPU;
    DeformRule mRule;
    std::string mName;
    bool mEmpty = false;
    int mTaps = 1, mPlaces = 0, mDepth = 0, mTile = 1;
    cpu::MatMulPlan mPlan, mLastPlan;
    int64_t mPlanFloats = 0, mColumnFloats = 0;
    FloatScratch mScratch;
};

}  // namespace

Execution* createCPUDeformConv(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    DeformRule rule;
    bool good = inputs.size() >= 3 && outputs[0]->dimensions() == 4 && isFloat32(outputs[0]);
    for (const Tensor* t : inputs) good = good && isFloat32(t);
    for (size_t i = 0; good && i < 3; ++i) good = inputs[i]->dimensions() == 4;
    if (!good || !readRule(op, inputs.size(), &rule))
        return refuse(op, inputs, outputs, "needs float32 images, weights and offsets of rank 4");
    return new CPUDeformConv(backend, rule, opText(op));
}

}  // namespace MNN
