// Convolution, ConvolutionDepthwise, Deconvolution and DeconvolutionDepthwise on packed images. Inputs: x [, weight [,
// bias]].
#include <MNN/MNNDefine.h>
#include "backend/cpu/CPUBackend.hpp"
#include "backend/cpu/executions/ConvolutionShape.hpp"
#include "backend/cpu/executions/FloatScratch.hpp"
#include "backend/cpu/kernels/Depthwise.hpp"
#include "backend/cpu/kernels/Winograd.hpp"
#include "core/HostMemory.hpp"
#include "core/TensorUtils.hpp"
#include "core/WeightCoding.hpp"

namespace MNN {
namespace {

using cpu::ConvShape;

// The plans behind one face. `unit` is that of Winograd, 0 for the other ways; weights are packed for one way.
class Engine {
    enum class Way : uint8_t { Direct, Depthwise, Winograd };

    template <typename F>
    auto withPlan(F&& f) const {
        switch (mWay) {
            case Way::Depthwise:
                return f(mRows);
            case Way::Winograd:
                return f(mWinograd);
            default:
                return f(mTiles);
        }
    }

public:
    void prepare(const ConvShape& shape, const CPUBackend* backend, int unit) {
        const cpu::Isa isa = backend->isa();
        if (shape.groups == shape.inChannels && shape.groups == shape.outChannels) {
            mWay = Way::Depthwise;
            mRows.prepare(cpu::depthwiseRow(isa), shape, backend->threads());
        } else if (unit > 0) {
            mWay = Way::Winograd;
            mWinograd.prepare(cpu::gemmKernels(isa), cpu::winogradKernels(isa), shape, unit, backend->threads());
        } else {
            mWay = Way::Direct;
            mTiles.prepare(cpu::gemmKernels(isa), shape, backend->threads());
        }
    }
    int64_t weightFloats() const {
        return withPlan([](const auto& plan) { return plan.weightFloats(); });
    }
    int64_t biasFloats() const {
        return withPlan([](const auto& plan) { return plan.biasFloats(); });
    }
    int64_t scratchFloats() const {
        return withPlan([](const auto& plan) { return plan.scratchFloats(); });
    }
    void packWeights(const CPUBackend* backend, const float* weight, float* packed) const {
        withPlan([&](const auto& plan) {
            backend->parallelFor(plan.weightTasks(), [&](int task, int) { plan.packWeights(task, weight, packed); });
        });
    }
    void packBias(const float* bias, float* packed) const {
        withPlan([&](const auto& plan) { plan.packBias(bias, packed); });
    }
    void run(const CPUBackend* backend, const float* input, const float* weight, const float* bias,
             const cpu::Clamp& clamp, float* output, float* scratch) const {
        withPlan([&](const auto& plan) {
            plan.run(input, weight, bias, clamp, output, scratch,
                     [&](int tasks, auto&& body) { backend->parallelFor(tasks, body); });
        });
    }

private:
    Way mWay = Way::Direct;
    cpu::DepthwisePlan mRows;
    cpu::WinogradPlan mWinograd;
    cpu::ConvPlan mTiles;
};

// F(4, 3) rounds a few times worse than a direct sum, F(2, 3) hardly.
int winogradUnit(const ConvShape& shape, const CPUBackend* backend) {
    if (backend->hint().winogradMemoryLevel == 0 || backend->memoryMode() == BackendConfig::Memory_Low) return 0;
    const int largest = backend->precision() == BackendConfig::Precision_High ? 2 : 4;
    return cpu::WinogradPlan::chooseUnit(cpu::gemmKernels(backend->isa()), shape, largest);
}

// Weights and bias in the order of the kernels, shared by clones. Empty where they come as run-time inputs.
struct PackedWeights {
    std::shared_ptr<HostMemory> weight, bias;
    int64_t weightFloats = 0;
    int unit = 0;
};

class CPUConvolution final : public Execution {
public:
    CPUConvolution(CPUBackend* backend, const Op* op) : Execution(backend), mCPU(backend), mOp(op) {
        mClamp = convolutionClamp(op->main_as_Convolution2D()->common());
    }

    // Packs the weights that are known now. False after a message.
    bool packKnown(const std::vector<Tensor*>& inputs, const Tensor* output) {
        ConvShape shape;
        if (!convolutionShape(mOp, inputs[0], output, &shape)) return false;
        const int64_t count =
            static_cast<int64_t>(shape.outChannels / shape.groups) * shape.inChannels * shape.kernelY * shape.kernelX;
        FloatWeights given;
        if (inputs.size() < 2) {
            const auto external = mCPU->external();
            if (!decodeWeights(mOp->main_as_Convolution2D(), external.data, external.size, &given)) return false;
        } else {
            if (isKnown(inputs[1])) given.weight = inputs[1]->host<float>();
            given.weightCount = TensorUtils::elements(inputs[1]);
            if (inputs.size() > 2) {
                if (isKnown(inputs[2])) given.bias = inputs[2]->host<float>();
                given.biasCount = TensorUtils::elements(inputs[2]);
            }
        }
        if (given.weightCount != count || (given.biasCount != 0 && given.biasCount != shape.outChannels)) {
            MNN_ERROR("%s %s: %lld weights and %lld bias values do not fit %s to %s\n", EnumNameOpType(mOp->type()),
                      mOp->name() != nullptr ? mOp->name()->c_str() : "", static_cast<long long>(given.weightCount),
                      static_cast<long long>(given.biasCount), TensorUtils::text(inputs[0]).c_str(),
                      TensorUtils::text(output).c_str());
            return false;
        }
        if (given.weight != nullptr) mPacked.unit = winogradUnit(shape, mCPU);
        mEngine.prepare(shape, mCPU, mPacked.unit);
        return packGiven(given, inputs.size() > 2);
    }

    ErrorCode onResize(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs) override {
        ConvShape shape;
        if (!convolutionShape(mOp, inputs[0], outputs[0], &shape)) return COMPUTE_SIZE_ERROR;
        mEngine.prepare(shape, mCPU, mPacked.unit);
        if (mPacked.weight != nullptr && mPacked.weightFloats != mEngine.weightFloats()) {
            MNN_ERROR("%s %s: the channels changed to %s\n", EnumNameOpType(mOp->type()),
                      mOp->name() != nullptr ? mOp->name()->c_str() : "", TensorUtils::text(inputs[0]).c_str());
            return COMPUTE_SIZE_ERROR;
        }
        mEmpty = TensorUtils::elements(outputs[0]) == 0;
        mWeightRoom = mPacked.weight == nullptr ? roundUp(mEngine.weightFloats()) : 0;
        mBiasRoom = mPacked.bias == nullptr ? roundUp(mEngine.biasFloats()) : 0;
        const ErrorCode code = mScratch.acquire(mCPU, mWeightRoom + mBiasRoom + mEngine.scratchFloats());
        mScratch.release(mCPU);
        return code;
    }

    ErrorCode onExecute(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs) override {
        if (mEmpty) return NO_ERROR;
        float* const weightRoom = mScratch.data();
        float* const biasRoom = weightRoom + mWeightRoom;
        if (mPacked.weight == nullptr) mEngine.packWeights(mCPU, inputs[1]->host<float>(), weightRoom);
        if (mPacked.bias == nullptr) mEngine.packBias(inputs.size() > 2 ? inputs[2]->host<float>() : nullptr, biasRoom);
        mEngine.run(mCPU, inputs[0]->host<float>(), mPacked.weight == nullptr ? weightRoom : floats(mPacked.weight),
                    mPacked.bias == nullptr ? biasRoom : floats(mPacked.bias), mClamp, outputs[0]->host<float>(),
                    biasRoom + mBiasRoom);
        return NO_ERROR;
    }

    bool onClone(Backend* backend, const Op* op, Execution** result) override {
        if (result == nullptr) return true;
        auto* copy = new CPUConvolution(static_cast<CPUBackend*>(backend), op);
        copy->mPacked = mPacked;
        *result = copy;
        return true;
    }

private:
    static bool isKnown(const Tensor* t) {
        return TensorUtils::describe(t)->usage == TensorUsage::Constant && !TensorUtils::isVirtual(t) &&
               t->host<float>() != nullptr;
    }
    static int64_t roundUp(int64_t floats) { return (floats + 15) / 16 * 16; }
    static float* floats(const std::shared_ptr<HostMemory>& memory) { return static_cast<float*>(memory->data()); }

    bool packGiven(const FloatWeights& given, bool biasIsInput) {
        if (given.weight != nullptr) {
            mPacked.weightFloats = mEngine.weightFloats();
            mPacked.weight = mCPU->allocatePrivate(sizeof(float) * static_cast<size_t>(mPacked.weightFloats));
            if (mPacked.weight == nullptr) return outOfMemory();
            mEngine.packWeights(mCPU, given.weight, floats(mPacked.weight));
        }
        if (given.bias != nullptr || !biasIsInput) {
            mPacked.bias = mCPU->allocatePrivate(sizeof(float) * static_cast<size_t>(mEngine.biasFloats()));
            if (mPacked.bias == nullptr) return outOfMemory();
            mEngine.packBias(given.bias, floats(mPacked.bias));
        }
        return true;
    }
    static bool outOfMemory() {
        MNN_ERROR("out of memory: packing the weights of a convolution\n");
        return false;
    }

    CPUBackend* mCPU;
    const Op* mOp;
    cpu::Clamp mClamp;
    PackedWeights mPacked;
    Engine mEngine;
    bool mEmpty = false;
    int64_t mWeightRoom = 0, mBiasRoom = 0;
    FloatScratch mScratch;
};

}  // namespace

Execution* createCPUConvolution(const Op* op, const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs,
                                CPUBackend* backend) {
    const Convolution2D* conv = op->main_as_Convolution2D();
    if (conv == nullptr || conv->common() == nullptr || inputs[0]->getType() != halide_type_of<float>()) {
        MNN_ERROR("%s of %s: parameters are missing or the type is not float\n", EnumNameOpType(op->type()),
                  TensorUtils::text(inputs[0]).c_str());
        return nullptr;
    }
    std::unique_ptr<CPUConvolution> execution(new CPUConvolution(backend, op));
    return execution->packKnown(inputs, outputs[0]) ? execution.release() : nullptr;
}

}  // namespace MNN
