// Element-wise functions of one tensor: UnaryOp and the activations that are ops of their own.
#include <MNN/MNNDefine.h>
#include "backend/cpu/executions/Elementwise.hpp"
#include "backend/cpu/kernels/Unary.hpp"

namespace MNN {
namespace {

using cpu::UnaryKind;
static_assert(static_cast<int>(UnaryKind::Silu) == UnaryOpOperation_SILU, "kernels number the kinds like the schema");
static_assert(static_cast<int>(UnaryKind::Cosh) == UnaryOpOperation_COSH, "kernels number the kinds like the schema");

// Rough price of an element, in additions.
int costOf(UnaryKind kind) {
    switch (kind) {
        case UnaryKind::Abs:
        case UnaryKind::Neg:
        case UnaryKind::Floor:
        case UnaryKind::Ceil:
        case UnaryKind::Square:
        case UnaryKind::Sign:
        case UnaryKind::Round:
        case UnaryKind::Relu:
        case UnaryKind::Clamp:
        case UnaryKind::HardSwish:
        case UnaryKind::Threshold:
            return 2;
        default:
            return 8;
    }
}

class CPUUnary final : public Execution {
public:
    CPUUnary(CPUBackend* backend, const Op* op, UnaryKind kind, cpu::UnaryParams params, cpu::UnaryF32 f32,
             cpu::UnaryI32 i32)
        : Execution(backend),
          mCPU(backend),
          mText(describeOp(op)),
          mCost(costOf(kind)),
          mParams(params),
          mF32(f32),
          mI32(i32) {}

    ErrorCode onResize(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs) override {
        return mInputs.resize({inputs[0]}, outputs[0], mText);
    }

    ErrorCode onExecute(const std::vector<Tensor*>&, const std::vector<Tensor*>& outputs) override {
        if (mF32 != nullptr) {
            run(mF32, outputs[0]->host<float>());
        } else {
            run(mI32, outputs[0]->host<int32_t>());
        }
        return NO_ERROR;
    }

private:
    template <typename T>
    void run(void (*kernel)(T*, const T*, size_t, const cpu::UnaryParams&), T* dst) {
        mInputs.run(mCPU, mCost, [&](const cpu::ElementLoop::Span& span) {
            const T* src = static_cast<const T*>(span.src[0]);
            if (span.step[0] != 0) {
                kernel(dst + span.at, src, span.n, mParams);
            } else {
                T value;
                kernel(&value, src, 1, mParams);
                std::fill_n(dst + span.at, span.n, value);
            }
        });
    }

    CPUBackend* mCPU;
    std::string mText;
    int mCost;
    cpu::UnaryParams mParams;
    cpu::UnaryF32 mF32;
    cpu::UnaryI32 mI32;
    ElementwiseInputs mInputs;
};

// The kind and parameters of any op that this file runs. False when the op lacks what it needs.
bool kindOf(const Op* op, UnaryKind* kind, cpu::UnaryParams* params) {
    switch (op->type()) {
        case OpType_UnaryOp: {
            const UnaryOp* unary = op->main_as_UnaryOp();
            if (unary == nullptr || unary->opType() < 0 || unary->opType() > UnaryOpOperation_SILU) return false;
            *kind = static_cast<UnaryKind>(unary->opType());
            return true;
        }
        case OpType_Sigmoid:
            *kind = UnaryKind::Sigmoid;
            return true;
        case OpType_TanH:
            *kind = UnaryKind::Tanh;
            return true;
        case OpType_ReLU:
            *kind = UnaryKind::Relu;
            params->a = op->main_as_Relu() != nullptr ? op->main_as_Relu()->slope() : 0.0f;
            return true;
        case OpType_ReLU6:
            *kind = UnaryKind::Clamp;
            params->a = op->main_as_Relu6() != nullptr ? op->main_as_Relu6()->minValue() : 0.0f;
            params->b = op->main_as_Relu6() != nullptr ? op->main_as_Relu6()->maxValue() : 6.0f;
            return true;
        case OpType_ELU:
        case OpType_Threshold:
            *kind = op->type() == OpType_ELU ? UnaryKind::Elu : UnaryKind::Threshold;
            params->a = op->main_as_ELU() != nullptr ? op->main_as_ELU()->alpha() : 1.0f;
            return true;
        case OpType_Selu:
            if (op->main_as_Selu() == nullptr) return false;
            *kind = UnaryKind::Selu;
            params->a = op->main_as_Selu()->alpha();
            params->b = op->main_as_Selu()->scale();
            return true;
        default:
            return false;
    }
}

}  // namespace

Execution* createCPUUnary(const Op* op, const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs,
                          CPUBackend* backend) {
    UnaryKind kind = UnaryKind::Abs;
    cpu::UnaryParams params;
    if (inputs.empty() || outputs.empty() || !kindOf(op, &kind, &params)) {
        MNN_ERROR("%s: incomplete or unknown function\n", describeOp(op).c_str());
        return nullptr;
    }
    const cpu::UnaryKernels& kernels = cpu::unaryKernels(backend->isa());
    const halide_type_t type = inputs[0]->getType();
    const int at = static_cast<int>(kind);
    cpu::UnaryF32 f32 = type == halide_type_of<float>() ? kernels.f32[at] : nullptr;
    cpu::UnaryI32 i32 = type == halide_type_of<int32_t>() ? kernels.i32[at] : nullptr;
    if ((f32 == nullptr && i32 == nullptr) || type != outputs[0]->getType()) {
        MNN_ERROR("%s: no %s from %s to %s; cast the input to float32\n", describeOp(op).c_str(), cpu::unaryName(kind),
                  TensorUtils::text(inputs[0]).c_str(), TensorUtils::text(outputs[0]).c_str());
        return nullptr;
    }
    return new CPUUnary(backend, op, kind, params, f32, i32);
}

}  // namespace MNN
