// PReLU and Scale: one parameter, or two, for each channel. Parameters are attributes or plain inputs after the first.
#include <MNN/MNNDefine.h>
#include "backend/cpu/executions/Elementwise.hpp"
#include "backend/cpu/kernels/PerChannel.hpp"

namespace MNN {
namespace {

using PerChannelFn = void (*)(float* dst, const float* src, const float* a, const float* b, size_t n, int step);

class CPUPerChannel final : public Execution {
public:
    // a and b: the attributes; empty when they are inputs. b may be empty for good, and stands for zeros then.
    CPUPerChannel(CPUBackend* backend, const Op* op, PerChannelFn kernel, std::vector<float> a, std::vector<float> b)
        : Execution(backend),
          mCPU(backend),
          mText(describeOp(op)),
          mKernel(kernel),
          mA(std::move(a)),
          mB(std::move(b)) {}

    ErrorCode onResize(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs) override {
        const Tensor* output = outputs[0];
        const std::vector<int> lengths = TensorUtils::storageShape(output);
        const int channels = channelsOf(output);
        const int64_t countA =
            mA.empty() && inputs.size() > 1 ? TensorUtils::elements(inputs[1]) : static_cast<int64_t>(mA.size());
        const int64_t countB =
            mB.empty() && inputs.size() > 2 ? TensorUtils::elements(inputs[2]) : static_cast<int64_t>(mB.size());
        if (!stridedInput(inputs[0], lengths, &mInput) || (countA != 1 && countA != channels) ||
            (countB != 0 && countB != countA)) {
            MNN_ERROR("%s: %d parameters do not fit %s\n", mText.c_str(), static_cast<int>(countA),
                      TensorUtils::text(inputs[0]).c_str());
            return INPUT_DATA_ERROR;
        }
        const std::vector<int64_t> strides = parameterStrides(output, lengths.size(), countA == 1);
        // Room for the pad lanes of the last channel block.
        mPaddedA.assign(static_cast<size_t>(countA) + kMaxPack, 0.0f);
        mPaddedB.assign(mPaddedA.size(), 0.0f);
        std::copy(mA.begin(), mA.end(), mPaddedA.begin());
        std::copy(mB.begin(), mB.end(), mPaddedB.begin());
        if (mLoop.plan(lengths, {{4, mInput.stride}, {4, strides}, {4, strides}})) return NO_ERROR;
        MNN_ERROR("%s: %s has too many dimensions\n", mText.c_str(), TensorUtils::text(output).c_str());
        return NOT_SUPPORT;
    }

    ErrorCode onExecute(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs) override {
        if (mA.empty()) std::copy_n(inputs[1]->host<float>(), TensorUtils::elements(inputs[1]), mPaddedA.begin());
        if (mB.empty() && inputs.size() > 2)
            std::copy_n(inputs[2]->host<float>(), TensorUtils::elements(inputs[2]), mPaddedB.begin());
        float* dst = outputs[0]->host<float>();
        const uint8_t* base[] = {reinterpret_cast<const uint8_t*>(mInput.data<float>()),
                                 reinterpret_cast<const uint8_t*>(mPaddedA.data()),
                                 reinterpret_cast<const uint8_t*>(mPaddedB.data())};
        constexpr int64_t kTile = 16 * 1024;
        const int64_t n = mLoop.elements();
        mCPU->parallelFor(static_cast<int>((n + kTile - 1) / kTile), [&](int index, int) {
            mLoop.run(base, index * kTile, std::min((index + 1) * kTile, n), [&](const cpu::ElementLoop::Span& span) {
                const auto* a = static_cast<const float*>(span.src[1]);
                const auto* b = static_cast<const float*>(span.src[2]);
                const auto* x = static_cast<const float*>(span.src[0]);
                if (span.step[0] != 0 || span.n == 1) {
                    mKernel(dst + span.at, x, a, b, span.n, span.step[1]);
                } else {
                    for (size_t i = 0; i < span.n; ++i)
                        mKernel(dst + span.at + i, x, a + i * span.step[1], b + i * span.step[2], 1, 0);
                }
            });
        });
        return NO_ERROR;
    }

private:
    static constexpr int kMaxPack = 16;

    static int channelDimension(const Tensor* t) {
        if (TensorUtils::describe(t)->format == MNN_DATA_FORMAT_NHWC) return t->dimensions() - 1;
        return std::min(1, t->dimensions() - 1);
    }
    static int channelsOf(const Tensor* t) { return t->dimensions() == 0 ? 1 : t->length(channelDimension(t)); }

    static std::vector<int64_t> parameterStrides(const Tensor* output, size_t rank, bool shared) {
        std::vector<int64_t> strides(rank, 0);
        if (shared || rank == 0) return strides;
        if (TensorUtils::isPacked(output) && output->dimensions() >= 2) {
            strides[1] = TensorUtils::describe(output)->pack;
            strides[3] = 1;
        } else {
            strides[static_cast<size_t>(channelDimension(output))] = 1;
        }
        return strides;
    }

    CPUBackend* mCPU;
    std::string mText;
    PerChannelFn mKernel;
    std::vector<float> mA, mB;
    std::vector<float> mPaddedA, mPaddedB;
    StridedInput mInput;
    cpu::ElementLoop mLoop;
};

std::vector<float> floatsOf(const flatbuffers::Vector<float>* v) {
    return v == nullptr ? std::vector<float>() : std::vector<float>(v->begin(), v->end());
}

Execution* createPerChannel(const Op* op, const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs,
                            CPUBackend* backend, PerChannelFn kernel, std::vector<float> a, std::vector<float> b) {
    bool floats = !inputs.empty() && !outputs.empty() && outputs[0]->getType() == halide_type_of<float>();
    for (const Tensor* t : inputs) floats = floats && t->getType() == halide_type_of<float>();
    if (!floats || (a.empty() && inputs.size() < 2)) {
        MNN_ERROR("%s: takes float32 and parameters for its channels, not %s\n", describeOp(op).c_str(),
                  inputs.empty() ? "nothing" : TensorUtils::text(inputs[0]).c_str());
        return nullptr;
    }
    return new CPUPerChannel(backend, op, kernel, std::move(a), std::move(b));
}

}  // namespace

Execution* createCPUPReLU(const Op* op, const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs,
                          CPUBackend* backend) {
    const PRelu* param = op->main_as_PRelu();
    return createPerChannel(op, inputs, outputs, backend, cpu::perChannelKernels(backend->isa()).prelu,
                            floatsOf(param == nullptr ? nullptr : param->slope()), {});
}

Execution* createCPUScale(const Op* op, const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs,
                          CPUBackend* backend) {
    const Scale* param = op->main_as_Scale();
    return createPerChannel(op, inputs, outputs, backend, cpu::perChannelKernels(backend->isa()).scale,
                            floatsOf(param == nullptr ? nullptr : param->scaleData()),
                            floatsOf(param == nullptr ? nullptr : param->biasData()));
}

}  // namespace MNN
