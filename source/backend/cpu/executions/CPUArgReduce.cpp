// ArgMax and ArgMin along one axis: the first index, or with outMaxVal and a float32 output the value itself.
#include <MNN/MNNDefine.h>
#include "backend/cpu/executions/AxisSplit.hpp"
#include "backend/cpu/executions/Elementwise.hpp"
#include "backend/cpu/kernels/ArgReduce.hpp"

namespace MNN {
namespace {

template <typename T>
class CPUArgReduce final : public Execution {
public:
    CPUArgReduce(CPUBackend* backend, const Op* op, int axis, bool smallest, bool value)
        : Execution(backend), mCPU(backend), mText(describeOp(op)), mAxis(axis), mSmallest(smallest), mValue(value) {}

    ErrorCode onResize(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs) override {
        const bool fits =
            mSplit.set(inputs[0], mAxis) && TensorUtils::elements(outputs[0]) == mSplit.outside * mSplit.inside;
        if (fits && (mSplit.axis > 0 || mSplit.outside * mSplit.inside == 0)) return NO_ERROR;
        MNN_ERROR("%s: no extreme along axis %d of %s for %s\n", mText.c_str(), mAxis,
                  TensorUtils::text(inputs[0]).c_str(), TensorUtils::text(outputs[0]).c_str());
        return INPUT_DATA_ERROR;
    }

    ErrorCode onExecute(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs) override {
        const T* src = inputs[0]->host<T>();
        if (mSplit.inside == 1) {
            const int64_t perTile = std::max<int64_t>(kTileElements / std::max<int64_t>(mSplit.axis, 1), 1);
            mCPU->parallelFor(static_cast<int>(tilesOf(mSplit.outside, perTile)), [&](int index, int) {
                const int64_t end = std::min((index + 1) * perTile, mSplit.outside);
                for (int64_t row = index * perTile; row < end; ++row) {
                    const T* from = src + row * mSplit.axis;
                    put(outputs[0], row, cpu::argRow(mCPU->isa(), from, static_cast<size_t>(mSplit.axis), mSmallest),
                        from);
                }
            });
            return NO_ERROR;
        }
        const int64_t tiles = mSplit.outside * tilesOf(mSplit.inside, cpu::kArgColumns);
        mCPU->parallelFor(static_cast<int>(tiles), [&](int index, int) {
            const ColumnTile tile(mSplit, cpu::kArgColumns, index);
            int32_t found[cpu::kArgColumns];
            const T* from = src + tile.outside * mSplit.axis * mSplit.inside + tile.begin;
            cpu::argColumns(found, from, mSplit.inside, static_cast<size_t>(mSplit.axis),
                            static_cast<size_t>(tile.count), mSmallest);
            for (int64_t c = 0; c < tile.count; ++c)
                put(outputs[0], tile.outside * mSplit.inside + tile.begin + c, found[c], from + c);
        });
        return NO_ERROR;
    }

private:
    static constexpr int64_t kTileElements = 32 * 1024;

    void put(Tensor* output, int64_t at, int64_t index, const T* column) const {
        if (mValue) {
            output->host<T>()[at] = column[index * mSplit.inside];
        } else {
            output->host<int32_t>()[at] = static_cast<int32_t>(index);
        }
    }

    CPUBackend* mCPU;
    std::string mText;
    int mAxis;
    bool mSmallest, mValue;
    AxisSplit mSplit;
};

}  // namespace

Execution* createCPUArgReduce(const Op* op, const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs,
                              CPUBackend* backend) {
    const ArgMax* param = op->main_as_ArgMax();
    // More than one place is lowered to TopKV2.
    if (param == nullptr || inputs.empty() || outputs.empty() || param->topK() > 1) {
        MNN_ERROR("%s: needs an axis, and topK of at most 1\n", describeOp(op).c_str());
        return nullptr;
    }
    const halide_type_t type = inputs[0]->getType(), result = outputs[0]->getType();
    const bool smallest = op->type() == OpType_ArgMin, value = param->outMaxVal() != 0 && result == type;
    if (value || result == halide_type_of<int32_t>()) {
        if (type == halide_type_of<float>())
            return new CPUArgReduce<float>(backend, op, param->axis(), smallest, value);
        if (type == halide_type_of<int32_t>())
            return new CPUArgReduce<int32_t>(backend, op, param->axis(), smallest, value);
    }
    MNN_ERROR("%s: cannot search %s into %s\n", describeOp(op).c_str(), TensorUtils::text(inputs[0]).c_str(),
              TensorUtils::text(outputs[0]).c_str());
    return nullptr;
}

}  // namespace MNN
