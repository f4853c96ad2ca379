// Pooling over the last two axes of packed images.
#include <limits>
#include "backend/cpu/executions/ImagePlanes.hpp"
#include "backend/cpu/executions/Refuse.hpp"
#include "backend/cpu/kernels/Pool.hpp"

namespace MNN {
namespace {

struct PoolParams {
    cpu::PoolShape window;
    bool global = false;
    bool same = false;
    bool max = true;
};

PoolParams readParams(const Pool* p) {
    PoolParams params;
    params.global = p->isGlobal();
    params.max = p->type() == PoolType_MAXPOOL;
    params.same = p->padType() == PoolPadType_SAME;
    cpu::PoolShape& w = params.window;
    w.kernelY = p->kernelY(), w.kernelX = p->kernelX();
    w.strideY = p->strideY(), w.strideX = p->strideX();
    const unsigned count = p->pads() == nullptr ? 0 : p->pads()->size();
    if (p->padType() == PoolPadType_CAFFE) {
        w.padTop = w.padBottom = count >= 2 ? p->pads()->Get(0) : p->padY();
        w.padLeft = w.padRight = count >= 2 ? p->pads()->Get(1) : p->padX();
        if (count >= 4) w.padBottom = p->pads()->Get(2), w.padRight = p->pads()->Get(3);
    }
    // Caffe itself, whose files have padX and padY only, counts padding.
    const bool caffe = p->padType() == PoolPadType_CAFFE && count == 0;
    w.countPadding =
        p->countType() == AvgPoolCountType_DEFAULT ? caffe : p->countType() == AvgPoolCountType_INCLUDE_PADDING;
    return params;
}

// TensorFlow's SAME: the odd element of padding goes behind.
void setSamePads(int out, int stride, int kernel, int in, int* front, int* behind) {
    const int total = std::max((out - 1) * stride + kernel - in, 0);
    *front = total / 2;
    *behind = total - total / 2;
}

// Beyond this no sum of the kernels' arithmetic is sure to fit 32 bits.
constexpr int kLargest = 1 << 24;

bool usable(const PoolParams& params) {
    const cpu::PoolShape& w = params.window;
    if (params.global) return true;
    for (int positive : {w.kernelY, w.kernelX, w.strideY, w.strideX}) {
        if (positive <= 0 || positive > kLargest) return false;
    }
    for (int pad : {w.padTop, w.padLeft, w.padBottom, w.padRight}) {
        if (pad < -kLargest || pad > kLargest) return false;
    }
    return true;
}

class CPUPool final : public Execution {
public:
    CPUPool(CPUBackend* backend, const PoolParams& params, std::string name)
        : Execution(backend), mCPU(backend), mParams(params), mName(std::move(name)) {}

    ErrorCode onResize(const Tensors& inputs, const Tensors& outputs) override {
        const Tensor* in = inputs[0];
        const Tensor* out = outputs[0];
        mPack = cpu::packIndex(packOf(in));
        if (!samePlanes(in, out) || in->dimensions() != 4 || mPack < 0) {
            return fault(INPUT_DATA_ERROR, mName, inputs, "input and output differ in batch, channels or storage");
        }
        mShape = mParams.window;
        mShape.inHeight = in->length(2), mShape.inWidth = in->length(3);
        mShape.outHeight = out->length(2), mShape.outWidth = out->length(3);
        if (mParams.global) {
            const bool count = mShape.countPadding;
            cpu::PoolShape whole;
            whole.kernelY = whole.inHeight = mShape.inHeight, whole.kernelX = whole.inWidth = mShape.inWidth;
            whole.outHeight = mShape.outHeight, whole.outWidth = mShape.outWidth, whole.countPadding = count;
            mShape = whole;
        } else if (mParams.same) {
            setSamePads(mShape.outHeight, mShape.strideY, mShape.kernelY, mShape.inHeight, &mShape.padTop,
                        &mShape.padBottom);
            setSamePads(mShape.outWidth, mShape.strideX, mShape.kernelX, mShape.inWidth, &mShape.padLeft,
                        &mShape.padRight);
        }
        return NO_ERROR;
    }

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        const cpu::PoolKernels& kernels = cpu::poolKernels(mCPU->isa());
        const cpu::PoolRows rows = mParams.max ? kernels.max[mPack] : kernels.average[mPack];
        const int64_t pack = packOf(inputs[0]);
        const int64_t inPlane = pack * mShape.inHeight * mShape.inWidth,
                      outPlane = pack * mShape.outHeight * mShape.outWidth;
        const float* src = inputs[0]->host<float>();
        float* dst = outputs[0]->host<float>();
        const int64_t cost = pack * mShape.outWidth * mShape.kernelX * mShape.kernelY;
        forEachPlaneRows(mCPU, planesOf(inputs[0]), mShape.outHeight, cost, [&](int plane, int begin, int end) {
            rows(mShape, src + plane * inPlane, dst + plane * outPlane, begin, end);
        });
        if (outputs.size() > 1) findIndices(inputs[0], outputs[1]);
        return NO_ERROR;
    }

private:
    // The place of each window's first maximum, counted over the whole row-major input. Rare, so plain loops.
    void findIndices(const Tensor* input, Tensor* output) const {
        const int pack = packOf(input), channels = input->length(1), blocks = (channels + pack - 1) / pack;
        const int area = mShape.inHeight * mShape.inWidth;
        forEachPlaneRows(mCPU, planesOf(input), mShape.outHeight, 1024, [&](int plane, int begin, int end) {
            const float* src = input->host<float>() + int64_t(plane) * area * pack;
            int32_t* dst = output->host<int32_t>() + int64_t(plane) * mShape.outHeight * mShape.outWidth * pack;
            const int firstChannel = plane % blocks * pack;
            for (int64_t i = int64_t(begin) * mShape.outWidth * pack; i < int64_t(end) * mShape.outWidth * pack; ++i) {
                const int lane = static_cast<int>(i % pack), place = static_cast<int>(i / pack);
                const int64_t channel = std::min(firstChannel + lane, channels - 1);
                const int at = firstMaximum(src + lane, pack, place / mShape.outWidth, place % mShape.outWidth);
                dst[i] = static_cast<int32_t>((plane / blocks * int64_t(channels) + channel) * area + at);
            }
        });
    }

    int firstMaximum(const float* src, int pack, int oy, int ox) const {
        const int y0 = oy * mShape.strideY - mShape.padTop, x0 = ox * mShape.strideX - mShape.padLeft;
        float best = -std::numeric_limits<float>::infinity();
        int at = -1;
        for (int y = std::max(y0, 0); y < std::min(y0 + mShape.kernelY, mShape.inHeight); ++y) {
            for (int x = std::max(x0, 0); x < std::min(x0 + mShape.kernelX, mShape.inWidth); ++x) {
                const float value = src[(int64_t(y) * mShape.inWidth + x) * pack];
                if (at >= 0 && !(value > best)) continue;
                best = value;
                at = y * mShape.inWidth + x;
            }
        }
        return std::max(at, 0);
    }

    CPUBackend* mCPU;
    PoolParams mParams;
    std::string mName;
    cpu::PoolShape mShape;
    int mPack = 0;
};

}  // namespace

Execution* createCPUPool(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const Pool* p = op->main_as_Pool();
    if (p == nullptr) return refuse(op, inputs, outputs, "Pooling without its parameters");
    if (!isFloat32(inputs[0]) || !isFloat32(outputs[0])) return refuse(op, inputs, outputs, "Pooling needs float32");
    if (outputs.size() > 1 && (!isInt32(outputs[1]) || p->type() != PoolType_MAXPOOL)) {
        return refuse(op, inputs, outputs, "only max pooling gives indices, as int32");
    }
    const PoolParams params = readParams(p);
    if (!usable(params)) return refuse(op, inputs, outputs, "kernel, stride or padding out of range");
    return new CPUPool(backend, params, opText(op));
}

}  // namespace MNN
