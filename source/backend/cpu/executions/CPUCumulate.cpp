// CumSum (axis as second input) and CumProd (axis as attribute).
#include <MNN/MNNDefine.h>
#include "backend/cpu/executions/AxisSplit.hpp"
#include "backend/cpu/executions/Elementwise.hpp"
#include "backend/cpu/kernels/ArgReduce.hpp"

namespace MNN {
namespace {

struct CumulateOptions {
    bool product = false, exclusive = false, reverse = false;
    int axis = 0;  // when there is no second input
};

template <typename T>
class CPUCumulate final : public Execution {
public:
    CPUCumulate(CPUBackend* backend, const Op* op, CumulateOptions options)
        : Execution(backend), mCPU(backend), mText(describeOp(op)), mOptions(options) {}

    ErrorCode onExecute(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs) override {
        const int axis = inputs.size() > 1 ? inputs[1]->host<int32_t>()[0] : mOptions.axis;
        AxisSplit s;
        if (!s.set(inputs[0], axis)) {
            MNN_ERROR("%s: %s has no axis %d\n", mText.c_str(), TensorUtils::text(inputs[0]).c_str(), axis);
            return INPUT_DATA_ERROR;
        }
        const T* src = inputs[0]->host<T>();
        T* dst = outputs[0]->host<T>();
        if (s.axis == 0) return NO_ERROR;
        const int64_t tiles = s.outside * tilesOf(s.inside, cpu::kArgColumns);
        mCPU->parallelFor(static_cast<int>(tiles), [&](int index, int) {
            const ColumnTile tile(s, cpu::kArgColumns, index);
            int64_t at = tile.outside * s.axis * s.inside + tile.begin;
            if (mOptions.reverse) at += (s.axis - 1) * s.inside;
            cpu::cumulateColumns(dst + at, src + at, mOptions.reverse ? -s.inside : s.inside,
                                 static_cast<size_t>(s.axis), static_cast<size_t>(tile.count), mOptions.product,
                                 mOptions.exclusive);
        });
        return NO_ERROR;
    }

private:
    CPUBackend* mCPU;
    std::string mText;
    CumulateOptions mOptions;
};

}  // namespace

Execution* createCPUCumulate(const Op* op, const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs,
                             CPUBackend* backend) {
    CumulateOptions options;
    options.product = op->type() == OpType_CumProd;
    if (const CumSum* param = op->main_as_CumSum()) {
        options.exclusive = param->exclusive();
        options.reverse = param->reverse();
    }
    if (const Axis* param = op->main_as_Axis()) options.axis = param->axis();
    const bool axisFits = inputs.size() < 2 || inputs[1]->getType() == halide_type_of<int32_t>();
    if (!inputs.empty() && !outputs.empty() && axisFits && inputs[0]->getType() == outputs[0]->getType()) {
        if (inputs[0]->getType() == halide_type_of<float>()) return new CPUCumulate<float>(backend, op, options);
        if (inputs[0]->getType() == halide_type_of<int32_t>()) return new CPUCumulate<int32_t>(backend, op, options);
    }
    MNN_ERROR("%s: takes float32 or int32 and an int32 axis, not %s\n", describeOp(op).c_str(),
              inputs.empty() ? "nothing" : TensorUtils::text(inputs[0]).c_str());
    return nullptr;
}

}  // namespace MNN
