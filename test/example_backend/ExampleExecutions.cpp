#include "ExampleExecutions.hpp"

#include <cmath>
#include <cstring>
#include "MNN_generated.h"
#include "core/TensorUtils.hpp"

namespace example {

using MNN::TensorUtils;
using Tensors = std::vector<Tensor*>;

namespace {

// What all three kernels share: the guard around leases.
class ExampleExecution : public MNN::Execution {
public:
    explicit ExampleExecution(ExampleBackend* backend) : Execution(backend), mDevice(backend) {}

    MNN::ErrorCode onResize(const Tensors& inputs, const Tensors& outputs) final {
        mLeases = mDevice->leasesAround(inputs, outputs);
        return MNN::NO_ERROR;
    }

    MNN::ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) final {
        mDevice->poisonExcept(mLeases);
        uint8_t* output = mDevice->data(outputs[0]);
        if (output == nullptr) return MNN::INVALID_VALUE;
        return compute(inputs, outputs[0], output) ? MNN::NO_ERROR : MNN::INVALID_VALUE;
    }

protected:
    virtual bool compute(const Tensors& inputs, Tensor* output, uint8_t* target) = 0;
    const float* floats(const Tensor* t) const { return reinterpret_cast<const float*>(mDevice->data(t)); }
    ExampleBackend* mDevice;

private:
    std::vector<int> mLeases;
};

// Writes a tensor from the Regions it was a view of. Elements that no Region writes are zero, except where producers
// wrote their part in place.
class Raster final : public ExampleExecution {
public:
    using ExampleExecution::ExampleExecution;

protected:
    bool compute(const Tensors&, Tensor* output, uint8_t* target) override {
        ++mDevice->counters().rasters;
        const auto* describe = TensorUtils::describe(output);
        if (!describe->partlyInPlace) std::memset(target, 0, TensorUtils::storageBytes(output));
        for (const MNN::core::Region& region : describe->regions) {
            const uint8_t* source = mDevice->data(region.origin);
            if (source == nullptr) return false;
            move(region, output->getType().bytes(), source, target);
        }
        return true;
    }

private:
    static void move(const MNN::core::Region& region, int bytes, const uint8_t* source, uint8_t* target) {
        for (int64_t n = 0; n < region.elements(); ++n) {
            int64_t from = region.src.offset, to = region.dst.offset, rest = n;
            for (int k = MNN::core::kRegionLoops - 1; k >= 0; --k) {
                const int64_t i = rest % region.size[k];
                rest /= region.size[k];
                from += i * region.src.stride[k];
                to += i * region.dst.stride[k];
            }
            std::memcpy(target + to * bytes, source + from * bytes, static_cast<size_t>(bytes));
        }
    }
};

float unary(MNN::UnaryOpOperation kind, float x) {
    switch (kind) {
        case MNN::UnaryOpOperation_NEG:
            return -x;
        case MNN::UnaryOpOperation_ABS:
            return std::fabs(x);
        case MNN::UnaryOpOperation_FLOOR:
            return std::floor(x);
        default:
            return x * x;
    }
}

bool hasUnary(MNN::UnaryOpOperation kind) {
    return kind == MNN::UnaryOpOperation_NEG || kind == MNN::UnaryOpOperation_ABS ||
           kind == MNN::UnaryOpOperation_FLOOR || kind == MNN::UnaryOpOperation_SQUARE;
}

class Unary final : public ExampleExecution {
public:
    Unary(ExampleBackend* backend, MNN::UnaryOpOperation kind) : ExampleExecution(backend), mKind(kind) {}

protected:
    bool compute(const Tensors& inputs, Tensor* output, uint8_t* target) override {
        ++mDevice->counters().kernels;
        const float* x = floats(inputs[0]);
        if (x == nullptr) return false;
        auto* y = reinterpret_cast<float*>(target);
        for (int64_t i = 0; i < TensorUtils::storageElements(output); ++i) y[i] = unary(mKind, x[i]);
        return true;
    }

private:
    MNN::UnaryOpOperation mKind;
};

float binary(MNN::BinaryOpOperation kind, float a, float b) {
    switch (kind) {
        case MNN::BinaryOpOperation_ADD:
            return a + b;
        case MNN::BinaryOpOperation_SUB:
            return a - b;
        case MNN::BinaryOpOperation_MUL:
            return a * b;
        default:
            return a > b ? a : b;
    }
}

bool hasBinary(MNN::BinaryOpOperation kind) {
    return kind == MNN::BinaryOpOperation_ADD || kind == MNN::BinaryOpOperation_SUB ||
           kind == MNN::BinaryOpOperation_MUL || kind == MNN::BinaryOpOperation_MAXIMUM;
}

// Geometry has broadcast both inputs to the output's shape already, through views or by keeping a single element.
class Binary final : public ExampleExecution {
public:
    Binary(ExampleBackend* backend, MNN::BinaryOpOperation kind) : ExampleExecution(backend), mKind(kind) {}

protected:
    bool compute(const Tensors& inputs, Tensor* output, uint8_t* target) override {
        ++mDevice->counters().kernels;
        const float *a = floats(inputs[0]), *b = floats(inputs[1]);
        if (a == nullptr || b == nullptr) return false;
        const int64_t stepA = TensorUtils::storageElements(inputs[0]) != 1,
                      stepB = TensorUtils::storageElements(inputs[1]) != 1;
        auto* y = reinterpret_cast<float*>(target);
        for (int64_t i = 0; i < TensorUtils::storageElements(output); ++i)
            y[i] = binary(mKind, a[i * stepA], b[i * stepB]);
        return true;
    }

private:
    MNN::BinaryOpOperation mKind;
};

}  // namespace

MNN::Execution* createExecution(const Tensors& inputs, const Tensors&, const Op* op, ExampleBackend* backend) {
    if (op->type() == MNN::OpType_Raster) return new Raster(backend);
    if (inputs.empty() || !(inputs[0]->getType() == halide_type_of<float>())) return nullptr;
    if (op->type() == MNN::OpType_AbsVal) return new Unary(backend, MNN::UnaryOpOperation_ABS);
    if (op->type() == MNN::OpType_UnaryOp) {
        const auto* param = op->main_as_UnaryOp();
        return param != nullptr && hasUnary(param->opType()) ? new Unary(backend, param->opType()) : nullptr;
    }
    if (op->type() == MNN::OpType_BinaryOp) {
        const auto* param = op->main_as_BinaryOp();
        const auto kind = param == nullptr ? -1 : param->opType();
        const bool fused = param != nullptr && param->activationType() != 0;
        return param != nullptr && !fused && hasBinary(static_cast<MNN::BinaryOpOperation>(kind))
                   ? new Binary(backend, static_cast<MNN::BinaryOpOperation>(kind))
                   : nullptr;
    }
    return nullptr;
}

}  // namespace example
