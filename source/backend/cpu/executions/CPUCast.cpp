// Cast: change of element type. The stored types decide, except that a destination of DT_BOOL means 0 or 1.
#include <MNN/MNNDefine.h>
#include "backend/cpu/executions/Elementwise.hpp"
#include "backend/cpu/kernels/Cast.hpp"

namespace MNN {
namespace {

class CPUCast final : public Execution {
public:
    CPUCast(CPUBackend* backend, const Op* op, cpu::CastFn kernel)
        : Execution(backend), mCPU(backend), mText(describeOp(op)), mKernel(kernel) {}

    ErrorCode onResize(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs) override {
        return mInputs.resize({inputs[0]}, outputs[0], mText);
    }

    ErrorCode onExecute(const std::vector<Tensor*>&, const std::vector<Tensor*>& outputs) override {
        uint8_t* base = outputs[0]->host<uint8_t>();
        const int bytes = outputs[0]->getType().bytes();
        mInputs.run(mCPU, 2, [&](const cpu::ElementLoop::Span& span) {
            uint8_t* dst = base + span.at * bytes;
            if (span.step[0] != 0) {
                mKernel(dst, span.src[0], span.n);
            } else {
                for (size_t i = 0; i < span.n; ++i) mKernel(dst + i * bytes, span.src[0], 1);
            }
        });
        return NO_ERROR;
    }

private:
    CPUBackend* mCPU;
    std::string mText;
    cpu::CastFn mKernel;
    ElementwiseInputs mInputs;
};

bool elementType(halide_type_t type, cpu::ElementType* result) {
    using cpu::ElementType;
    struct Row {
        halide_type_code_t code;
        int bits;
        ElementType type;
    };
    static const Row rows[] = {{halide_type_float, 32, ElementType::F32},   {halide_type_float, 16, ElementType::F16},
                               {halide_type_bfloat, 16, ElementType::BF16}, {halide_type_int, 32, ElementType::I32},
                               {halide_type_int, 16, ElementType::I16},     {halide_type_int, 8, ElementType::I8},
                               {halide_type_uint, 16, ElementType::U16},    {halide_type_uint, 8, ElementType::U8}};
    for (const Row& row : rows) {
        if (row.code != type.code || row.bits != type.bits) continue;
        *result = row.type;
        return true;
    }
    return false;
}

}  // namespace

Execution* createCPUCast(const Op* op, const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs,
                         CPUBackend* backend) {
    cpu::ElementType from, to;
    if (inputs.empty() || outputs.empty() || !elementType(inputs[0]->getType(), &from) ||
        !elementType(outputs[0]->getType(), &to)) {
        MNN_ERROR("%s: a type is not supported (%s)\n", describeOp(op).c_str(),
                  inputs.empty() ? "no input" : TensorUtils::text(inputs[0]).c_str());
        return nullptr;
    }
    const cpu::CastKernels& kernels = cpu::castKernels(backend->isa());
    const CastParam* param = op->main_as_CastParam();
    const auto& table = param != nullptr && param->dstT() == DataType_DT_BOOL ? kernels.toBool : kernels.to;
    return new CPUCast(backend, op, table[static_cast<int>(from)][static_cast<int>(to)]);
}

}  // namespace MNN
