// Element-wise functions of two tensors, either of which may be a broadcast or another view.
#include <MNN/MNNDefine.h>
#include "backend/cpu/executions/Elementwise.hpp"
#include "backend/cpu/kernels/Binary.hpp"
#include "backend/cpu/kernels/Unary.hpp"

namespace MNN {
namespace {

using cpu::BinaryKind;
static_assert(static_cast<int>(BinaryKind::MulSilu) == BinaryOpOperation_MUL_SILU,
              "kernels number the kinds like the schema");
static_assert(static_cast<int>(BinaryKind::Mod) == BinaryOpOperation_MOD, "kernels number the kinds like the schema");

// BinaryOp.activationType
enum class Activation : uint8_t { None, Relu, Relu6 };

class CPUBinary final : public Execution {
public:
    CPUBinary(CPUBackend* backend, const Op* op, BinaryKind kind, cpu::BinaryFn kernel, Activation activation)
        : Execution(backend), mCPU(backend), mText(describeOp(op)), mKernel(kernel) {
        mCost = kind == BinaryKind::Pow || kind == BinaryKind::Atan2 || kind == BinaryKind::FloorMod ||
                        kind == BinaryKind::Mod
                    ? 32
                : kind == BinaryKind::MulSilu ? 8
                                              : 2;
        if (activation == Activation::None) return;
        const cpu::UnaryKernels& unary = cpu::unaryKernels(backend->isa());
        const auto at = static_cast<int>(activation == Activation::Relu ? cpu::UnaryKind::Relu : cpu::UnaryKind::Clamp);
        mActivateF32 = unary.f32[at];
        mActivateI32 = unary.i32[at];
        mParams.b = 6.0f;
    }

    ErrorCode onResize(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs) override {
        return mInputs.resize({inputs[0], inputs[1]}, outputs[0], mText);
    }

    ErrorCode onExecute(const std::vector<Tensor*>&, const std::vector<Tensor*>& outputs) override {
        uint8_t* base = outputs[0]->host<uint8_t>();
        const int bytes = outputs[0]->getType().bytes();
        const bool isFloat = outputs[0]->getType().code == halide_type_float;
        mInputs.run(mCPU, mCost, [&](const cpu::ElementLoop::Span& span) {
            uint8_t* dst = base + span.at * bytes;
            mKernel(dst, span.src[0], span.src[1], span.n, span.step[0], span.step[1]);
            if (mActivateF32 == nullptr) return;
            if (isFloat) {
                auto* y = reinterpret_cast<float*>(dst);
                mActivateF32(y, y, span.n, mParams);
            } else {
                auto* y = reinterpret_cast<int32_t*>(dst);
                mActivateI32(y, y, span.n, mParams);
            }
        });
        return NO_ERROR;
    }

private:
    CPUBackend* mCPU;
    std::string mText;
    cpu::BinaryFn mKernel;
    int mCost;
    cpu::UnaryF32 mActivateF32 = nullptr;
    cpu::UnaryI32 mActivateI32 = nullptr;
    cpu::UnaryParams mParams;
    ElementwiseInputs mInputs;
};

cpu::BinaryFn kernelFor(BinaryKind kind, halide_type_t type, const cpu::BinaryKernels& kernels) {
    const int at = static_cast<int>(kind);
    if (type == halide_type_of<float>()) return kernels.f32[at];
    if (type == halide_type_of<int32_t>()) return kernels.i32[at];
    if (type == halide_type_of<uint8_t>()) return kernels.u8[at];
    if (type == halide_type_of<int8_t>()) return kernels.i8[at];
    return nullptr;
}

}  // namespace

Execution* createCPUBinary(const Op* op, const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs,
                           CPUBackend* backend) {
    const BinaryOp* binary = op->main_as_BinaryOp();
    if (binary == nullptr || inputs.size() < 2 || outputs.empty() || binary->opType() < 0 ||
        binary->opType() >= cpu::kBinaryKinds) {
        MNN_ERROR("%s: incomplete or unknown function\n", describeOp(op).c_str());
        return nullptr;
    }
    const auto kind = static_cast<BinaryKind>(binary->opType());
    const halide_type_t type = inputs[0]->getType();
    const halide_type_t result = cpu::givesBool(kind) ? halide_type_of<int32_t>() : type;
    const cpu::BinaryFn kernel = kernelFor(kind, type, cpu::binaryKernels(backend->isa()));
    const int activation = binary->activationType();
    const bool activates = activation == 0 || ((activation == 1 || activation == 2) && result.bits == 32);
    if (kernel == nullptr || type != inputs[1]->getType() || result != outputs[0]->getType() || !activates) {
        MNN_ERROR("%s: no %s (activation %d) of %s and %s to %s\n", describeOp(op).c_str(), cpu::binaryName(kind),
                  activation, TensorUtils::text(inputs[0]).c_str(), TensorUtils::text(inputs[1]).c_str(),
                  TensorUtils::text(outputs[0]).c_str());
        return nullptr;
    }
    return new CPUBinary(backend, op, kind, kernel, static_cast<Activation>(activation));
}

}  // namespace MNN
