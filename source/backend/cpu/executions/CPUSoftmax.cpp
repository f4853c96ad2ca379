// Softmax along any axis of a row-major float32 tensor.
#include <MNN/MNNDefine.h>
#include "backend/cpu/executions/AxisSplit.hpp"
#include "backend/cpu/executions/Elementwise.hpp"
#include "backend/cpu/kernels/Softmax.hpp"

namespace MNN {
namespace {

class CPUSoftmax final : public Execution {
public:
    CPUSoftmax(CPUBackend* backend, const Op* op, int axis)
        : Execution(backend),
          mCPU(backend),
          mText(describeOp(op)),
          mKernels(cpu::softmaxKernels(backend->isa())),
          mAxis(axis) {}

    ErrorCode onResize(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>&) override {
        if (mSplit.set(inputs[0], mAxis)) return NO_ERROR;
        MNN_ERROR("%s: %s has no axis %d\n", mText.c_str(), TensorUtils::text(inputs[0]).c_str(), mAxis);
        return INPUT_DATA_ERROR;
    }

    ErrorCode onExecute(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs) override {
        const float* src = inputs[0]->host<float>();
        float* dst = outputs[0]->host<float>();
        if (mSplit.axis == 0) return NO_ERROR;
        if (mSplit.inside == 1) {
            constexpr int64_t kTileElements = 4 * 1024;
            const int64_t perTile = std::max<int64_t>(kTileElements / mSplit.axis, 1);
            mCPU->parallelFor(static_cast<int>(tilesOf(mSplit.outside, perTile)), [&](int index, int) {
                const int64_t end = std::min((index + 1) * perTile, mSplit.outside);
                for (int64_t row = index * perTile; row < end; ++row) {
                    mKernels.row(dst + row * mSplit.axis, src + row * mSplit.axis, static_cast<size_t>(mSplit.axis));
                }
            });
            return NO_ERROR;
        }
        const int64_t tiles = mSplit.outside * tilesOf(mSplit.inside, cpu::kSoftmaxColumns);
        mCPU->parallelFor(static_cast<int>(tiles), [&](int index, int) {
            const ColumnTile tile(mSplit, cpu::kSoftmaxColumns, index);
            const int64_t at = tile.outside * mSplit.axis * mSplit.inside + tile.begin;
            mKernels.columns(dst + at, src + at, mSplit.inside, static_cast<size_t>(mSplit.axis),
                             static_cast<size_t>(tile.count));
        });
        return NO_ERROR;
    }

private:
    CPUBackend* mCPU;
    std::string mText;
    const cpu::SoftmaxKernels& mKernels;
    int mAxis;
    AxisSplit mSplit;
};

}  // namespace

Execution* createCPUSoftmax(const Op* op, const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs,
                            CPUBackend* backend) {
    const halide_type_t type = halide_type_of<float>();
    if (inputs.empty() || outputs.empty() || inputs[0]->getType() != type || outputs[0]->getType() != type) {
        MNN_ERROR("%s: takes float32, not %s\n", describeOp(op).c_str(),
                  inputs.empty() ? "nothing" : TensorUtils::text(inputs[0]).c_str());
        return nullptr;
    }
    return new CPUSoftmax(backend, op, op->main_as_Axis() != nullptr ? op->main_as_Axis()->axis() : -1);
}

}  // namespace MNN
