// MatMul and BatchMatMul: a [..., M, K] times b [..., K, N], plus an optional bias [N]; batch dimensions broadcast.
#include <MNN/MNNDefine.h>
#include <algorithm>
#include "backend/cpu/CPUBackend.hpp"
#include "backend/cpu/executions/FloatScratch.hpp"
#include "backend/cpu/kernels/MatMul.hpp"
#include "core/HostMemory.hpp"
#include "core/TensorUtils.hpp"

namespace MNN {
namespace {

using cpu::MatMulShape;

// A matrix operand as rows and columns of strides, whatever view or transpose it came through.
struct Operand {
    StridedInput input;
    int rows = 0, columns = 0;
    int64_t rowStep = 0, columnStep = 0;
};

bool readOperand(const Tensor* tensor, bool transpose, Operand* operand) {
    const std::vector<int> dims = tensor->shape();
    if (dims.size() < 2 || !stridedInput(tensor, dims, &operand->input)) return false;
    const size_t last = dims.size() - 1;
    operand->rows = dims[transpose ? last : last - 1];
    operand->columns = dims[transpose ? last - 1 : last];
    operand->rowStep = operand->input.stride[transpose ? last : last - 1];
    operand->columnStep = operand->input.stride[transpose ? last - 1 : last];
    return true;
}

// Offset of each batch of the output within an operand; lengths of 1 and missing dimensions are repeated.
std::vector<int64_t> batchOffsets(const Tensor* tensor, const Operand& operand, const std::vector<int>& outDims) {
    std::vector<int64_t> offsets = {0};
    const int outBatch = static_cast<int>(outDims.size()) - 2, own = tensor->dimensions() - 2;
    for (int d = 0; d < outBatch; ++d) {
        const int at = d - (outBatch - own);
        const int64_t step = at >= 0 && tensor->length(at) > 1 ? operand.input.stride[at] : 0;
        std::vector<int64_t> next;
        next.reserve(offsets.size() * outDims[d]);
        for (int64_t offset : offsets) {
            for (int i = 0; i < outDims[d]; ++i) next.push_back(offset + i * step);
        }
        offsets.swap(next);
    }
    return offsets;
}

class CPUMatMul final : public Execution {
public:
    CPUMatMul(CPUBackend* backend, bool transposeA, bool transposeB)
        : Execution(backend), mCPU(backend), mTransposeA(transposeA), mTransposeB(transposeB) {}

    // Packs b now when its values are known and one matrix serves all batches.
    void packConstant(const Tensor* b) {
        Operand operand;
        if (b->getType() != halide_type_of<float>() || !readOperand(b, mTransposeB, &operand)) return;
        const Tensor* storage = operand.input.storage;
        if (TensorUtils::describe(storage)->usage != TensorUsage::Constant || storage->host<float>() == nullptr) return;
        for (int d = 0; d + 2 < b->dimensions(); ++d) {
            if (b->length(d) > 1 && operand.input.stride[d] != 0) return;
        }
        if (!cpu::worthPackingB(operand.columns) || operand.rows == 0) return;
        const auto& kernels = cpu::gemmKernels(mCPU->isa());
        const int n = operand.columns, k = operand.rows;
        mPackedB = mCPU->allocatePrivate(sizeof(float) * static_cast<size_t>(cpu::packedBFloats(kernels, n, k)));
        if (mPackedB == nullptr) return;  // b is read as it is
        mPackedColumns = n;
        mPackedRows = k;
        auto* packed = static_cast<float*>(mPackedB->data());
        mCPU->parallelFor((n + kernels.panel - 1) / kernels.panel, [&](int panel, int) {
            cpu::packMatMulB(kernels, packed, operand.input.data<float>(), operand.rowStep, operand.columnStep, n, k,
                             panel, panel + 1);
        });
    }

    ErrorCode onResize(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs) override {
        const Tensor *a = inputs[0], *b = inputs[1], *c = outputs[0];
        const std::vector<int> outDims = c->shape();
        if (outDims.size() < 2 || !readOperand(a, mTransposeA, &mA) || !readOperand(b, mTransposeB, &mB) ||
            mA.columns != mB.rows || mA.rows != outDims[outDims.size() - 2] || mB.columns != outDims.back() ||
            (inputs.size() > 2 && TensorUtils::elements(inputs[2]) != mB.columns)) {
            MNN_ERROR("MatMul of %s and %s to %s: the shapes do not fit\n", TensorUtils::text(a).c_str(),
                      TensorUtils::text(b).c_str(), TensorUtils::text(c).c_str());
            return COMPUTE_SIZE_ERROR;
        }
        mOffsetsA = batchOffsets(a, mA, outDims);
        mOffsetsB = batchOffsets(b, mB, outDims);
        mShape = MatMulShape();
        mShape.m = mA.rows, mShape.n = mB.columns, mShape.k = mA.columns;
        mShape.aRow = mA.rowStep, mShape.aColumn = mA.columnStep;
        mShape.bRow = mB.rowStep, mShape.bColumn = mB.columnStep;
        mShape.cRow = mB.columns;
        mShape.bPacked = mPackedB != nullptr && mPackedColumns == mShape.n && mPackedRows == mShape.k;
        mPlan.prepare(cpu::gemmKernels(mCPU->isa()), mShape, static_cast<int>(mOffsetsA.size()), mCPU->threads());
        mIsFloat = a->getType() == halide_type_of<float>();
        mScratchStep = (mPlan.scratchFloats() + 15) / 16 * 16;
        const ErrorCode code = mScratch.acquire(mCPU, mIsFloat ? mScratchStep * mCPU->threads() : 0);
        mScratch.release(mCPU);
        return code;
    }

    ErrorCode onExecute(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs) override {
        if (TensorUtils::elements(outputs[0]) == 0) return NO_ERROR;
        if (!mIsFloat) {
            multiplyInts(inputs, outputs[0]->host<int32_t>());
            return NO_ERROR;
        }
        const float* a = mA.input.data<float>();
        const float* b = mShape.bPacked ? static_cast<const float*>(mPackedB->data()) : mB.input.data<float>();
        const float* bias = inputs.size() > 2 ? inputs[2]->host<float>() : nullptr;
        float* c = outputs[0]->host<float>();
        const int64_t outStep = static_cast<int64_t>(mShape.m) * mShape.n;
        const int tasks = mPlan.tasks();
        mCPU->parallelFor(static_cast<int>(mOffsetsA.size()) * tasks, [&](int index, int worker) {
            const int batch = index / tasks;
            mPlan.run(index % tasks, a + mOffsetsA[batch], mShape.bPacked ? b : b + mOffsetsB[batch], bias,
                      cpu::Clamp(), c + batch * outStep, mScratch.data() + worker * mScratchStep);
        });
        return NO_ERROR;
    }

    bool onClone(Backend* backend, const Op*, Execution** result) override {
        if (result == nullptr) return true;
        auto* copy = new CPUMatMul(static_cast<CPUBackend*>(backend), mTransposeA, mTransposeB);
        copy->mPackedB = mPackedB;
        copy->mPackedColumns = mPackedColumns;
        copy->mPackedRows = mPackedRows;
        *result = copy;
        return true;
    }

private:
    void multiplyInts(const std::vector<Tensor*>& inputs, int32_t* c) const {
        const int32_t* a = mA.input.data<int32_t>();
        const int32_t* b = mB.input.data<int32_t>();
        const int32_t* bias = inputs.size() > 2 ? inputs[2]->host<int32_t>() : nullptr;
        mCPU->parallelFor(static_cast<int>(mOffsetsA.size()) * mShape.m, [&](int index, int) {
            const int batch = index / mShape.m, m = index % mShape.m;
            for (int n = 0; n < mShape.n; ++n) {
                // Unsigned: overflow wraps, as it does in every other integer kernel.
                uint32_t sum = bias != nullptr ? static_cast<uint32_t>(bias[n]) : 0;
                const int32_t* x = a + mOffsetsA[batch] + m * mA.rowStep;
                const int32_t* y = b + mOffsetsB[batch] + n * mB.columnStep;
                for (int k = 0; k < mShape.k; ++k) {
                    sum += static_cast<uint32_t>(x[k * mA.columnStep]) * static_cast<uint32_t>(y[k * mB.rowStep]);
                }
                c[static_cast<int64_t>(index) * mShape.n + n] = static_cast<int32_t>(sum);
            }
        });
    }

    CPUBackend* mCPU;
    bool mTransposeA, mTransposeB;
    std::shared_ptr<HostMemory> mPackedB;
    int mPackedColumns = 0, mPackedRows = 0;
    Operand mA, mB;
    std::vector<int64_t> mOffsetsA, mOffsetsB;
    MatMulShape mShape;
    cpu::MatMulPlan mPlan;
    bool mIsFloat = true;
    int64_t mScratchStep = 0;
    FloatScratch mScratch;
};

}  // namespace

Execution* createCPUMatMul(const Op* op, const std::vector<Tensor*>& inputs, const std::vector<Tensor*>&,
                           CPUBackend* backend) {
    const halide_type_t type = inputs[0]->getType();
    if (type != inputs[1]->getType() || (type != halide_type_of<float>() && type != halide_type_of<int32_t>())) {
        MNN_ERROR("MatMul of %s and %s: only float and int32 are supported; cast the inputs\n",
                  TensorUtils::text(inputs[0]).c_str(), TensorUtils::text(inputs[1]).c_str());
        return nullptr;
    }
    bool transposeA = false, transposeB = false;
    if (const MatMul* param = op->main_as_MatMul()) {
        transposeA = param->transposeA();
        transposeB = param->transposeB();
    } else if (const BatchMatMulParam* batched = op->main_as_BatchMatMulParam()) {
        transposeA = batched->adjX();
        transposeB = batched->adjY();
    }
    auto* execution = new CPUMatMul(backend, transposeA, transposeB);
    execution->packConstant(inputs[1]);
    return execution;
}

}  // namespace MNN
