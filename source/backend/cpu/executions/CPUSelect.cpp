// Select: output = condition ? a : b, element by element; any input may be a broadcast or another view.
#include <MNN/MNNDefine.h>
#include "backend/cpu/executions/Elementwise.hpp"
#include "backend/cpu/kernels/Select.hpp"

namespace MNN {
namespace {

class CPUSelect final : public Execution {
public:
    CPUSelect(CPUBackend* backend, const Op* op, cpu::SelectFn kernel)
        : Execution(backend), mCPU(backend), mText(describeOp(op)), mKernel(kernel) {}

    ErrorCode onResize(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs) override {
        return mInputs.resize({inputs[0], inputs[1], inputs[2]}, outputs[0], mText);
    }

    ErrorCode onExecute(const std::vector<Tensor*>&, const std::vector<Tensor*>& outputs) override {
        uint8_t* base = outputs[0]->host<uint8_t>();
        const int bytes = outputs[0]->getType().bytes();
        mInputs.run(mCPU, 2, [&](const cpu::ElementLoop::Span& span) {
            mKernel(base + span.at * bytes, span.src[0], span.src[1], span.src[2], span.n, span.step);
        });
        return NO_ERROR;
    }

private:
    CPUBackend* mCPU;
    std::string mText;
    cpu::SelectFn mKernel;
    ElementwiseInputs mInputs;
};

cpu::SelectFn kernelFor(halide_type_t condition, int valueBytes, const cpu::SelectKernels& k) {
    if (condition == halide_type_of<int32_t>()) {
        return valueBytes == 4   ? k.bool32value32
               : valueBytes == 2 ? k.bool32value16
               : valueBytes == 1 ? k.bool32value8
                                 : nullptr;
    }
    if (condition == halide_type_of<uint8_t>() || condition == halide_type_of<int8_t>()) {
        return valueBytes == 4   ? k.bool8value32
               : valueBytes == 2 ? k.bool8value16
               : valueBytes == 1 ? k.bool8value8
                                 : nullptr;
    }
    return nullptr;
}

}  // namespace

Execution* createCPUSelect(const Op* op, const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs,
                           CPUBackend* backend) {
    if (inputs.size() < 3 || outputs.empty()) {
        MNN_ERROR("%s: needs a condition and two values\n", describeOp(op).c_str());
        return nullptr;
    }
    const halide_type_t type = outputs[0]->getType();
    const cpu::SelectFn kernel = kernelFor(inputs[0]->getType(), type.bytes(), cpu::selectKernels(backend->isa()));
    if (kernel == nullptr || inputs[1]->getType() != type || inputs[2]->getType() != type) {
        MNN_ERROR("%s: cannot choose by %s between %s and %s for %s\n", describeOp(op).c_str(),
                  TensorUtils::text(inputs[0]).c_str(), TensorUtils::text(inputs[1]).c_str(),
                  TensorUtils::text(inputs[2]).c_str(), TensorUtils::text(outputs[0]).c_str());
        return nullptr;
    }
    return new CPUSelect(backend, op, kernel);
}

}  // namespace MNN
