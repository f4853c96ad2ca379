// Tensors made from a few numbers: Range, LinSpace, Fill, OneHot, EyeLike, RandomUniform, RandomNormal.
#include <cmath>
#include <memory>
#include "backend/cpu/executions/FunctionExecution.hpp"
#include "backend/cpu/executions/PlainTensors.hpp"

namespace MNN {
namespace {

bool isNumber(const Tensor* t) { return isFloat32(t) || isInt32(t); }

// Element i is start + i * step; floats in double, so that long ranges keep their steps.
ErrorCode makeRange(const Tensors& inputs, const Tensors& outputs) {
    const double start = numberAt(inputs[0], 0, 0.0), step = numberAt(inputs[2], 0, 1.0);
    const int64_t count = TensorUtils::elements(outputs[0]);
    if (isFloat32(outputs[0])) {
        float* to = outputs[0]->host<float>();
        for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(start + i * step);
    } else {
        int32_t* to = outputs[0]->host<int32_t>();
        for (int64_t i = 0; i < count; ++i)
            to[i] = static_cast<int32_t>(static_cast<int64_t>(start) + i * static_cast<int64_t>(step));
    }
    return NO_ERROR;
}

ErrorCode makeLinSpace(const Tensors& inputs, const Tensors& outputs) {
    const double start = numberAt(inputs[0], 0, 0.0), stop = numberAt(inputs[1], 0, 0.0);
    const int64_t count = TensorUtils::elements(outputs[0]);
    float* to = outputs[0]->host<float>();
    for (int64_t i = 0; i < count; ++i) {
        to[i] = static_cast<float>(
            count == 1 ? start : start + (stop - start) * static_cast<double>(i) / static_cast<double>(count - 1));
    }
    if (count > 1) to[count - 1] = static_cast<float>(stop);
    return NO_ERROR;
}

void fillWith(Tensor* output, const void* value) {
    const int bytes = output->getType().bytes();
    const int64_t count = TensorUtils::elements(output);
    uint8_t* to = output->host<uint8_t>();
    for (int64_t i = 0; i < count; ++i) copyBytes(to + i * bytes, value, bytes);
}

// In: indices, depth, on, off. Out: [..., depth, ...] with depth at the axis; no hot element for an index outside.
ErrorCode makeOneHot(int axis, const std::string& name, const Tensors& inputs, const Tensors& outputs) {
    const int64_t place = wrapIndex(axis, outputs[0]->dimensions());
    if (place < 0) return fault(INVALID_VALUE, name, inputs, "bad axis");
    const AxisSplit out = splitAt(outputs[0], static_cast<int>(place));
    if (out.outside * out.inside != TensorUtils::elements(inputs[0])) {
        return fault(INPUT_DATA_ERROR, name, inputs, "the output does not fit the indices");
    }
    fillWith(outputs[0], inputs[3]->host<uint8_t>());
    const int bytes = outputs[0]->getType().bytes();
    const int32_t* indices = inputs[0]->host<int32_t>();
    for (int64_t i = 0; i < out.outside * out.inside; ++i) {
        if (indices[i] < 0 || indices[i] >= out.axis) continue;
        const int64_t to = (i / out.inside * out.axis + indices[i]) * out.inside + i % out.inside;
        copyBytes(outputs[0]->host<uint8_t>() + to * bytes, inputs[2]->host<uint8_t>(), bytes);
    }
    return NO_ERROR;
}

// In: x [, k]. Ones on the k-th diagonal.
ErrorCode makeEye(const Tensors& inputs, const Tensors& outputs) {
    const int64_t k = inputs.size() > 1 ? integerAt(inputs[1], 0, 0) : 0;
    const int64_t rows = outputs[0]->length(0), columns = outputs[0]->length(1);
    if (rows * columns == 0) return NO_ERROR;
    std::memset(outputs[0]->host<uint8_t>(), 0, TensorUtils::storageBytes(outputs[0]));
    for (int64_t i = 0; i < rows; ++i) {
        if (i + k < 0 || i + k >= columns) continue;
        if (isFloat32(outputs[0])) {
            outputs[0]->host<float>()[i * columns + i + k] = 1.0f;
        } else {
            outputs[0]->host<int32_t>()[i * columns + i + k] = 1;
        }
    }
    return NO_ERROR;
}

// The finaliser of SplitMix64: 64 well-mixed bits of a counter, so that element i needs no element before it.
uint64_t mix(uint64_t x) {
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

struct RandomParams {
    uint64_t seed = 0;
    float low = 0.0f, high = 1.0f;  // or mean and deviation
    bool normal = false;
};

// In [0, 1), 24 bits; and in (0, 1] for logarithms.
float unitOf(uint64_t bits) { return static_cast<float>(bits >> 40) * (1.0f / 16777216.0f); }

float drawOne(const RandomParams& p, uint64_t counter) {
    const uint64_t bits = mix(p.seed ^ mix(counter));
    if (!p.normal) return p.low + (p.high - p.low) * unitOf(bits);
    // Box and Muller's transform.
    const float radius = std::sqrt(-2.0f * std::log(1.0f - unitOf(bits)));
    return p.low + p.high * radius * std::cos(6.2831853f * unitOf(mix(bits)));
}

// Each run goes on where the one before ended, as a stateful generator would.
class CPURandom final : public Execution {
public:
    CPURandom(CPUBackend* backend, const RandomParams& params) : Execution(backend), mCPU(backend), mParams(params) {}

    ErrorCode onExecute(const Tensors&, const Tensors& outputs) override {
        const int64_t count = TensorUtils::elements(outputs[0]);
        const uint64_t first = mDrawn;
        mDrawn += static_cast<uint64_t>(count);
        parallelRanges(mCPU, count, 16, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                const float value = drawOne(mParams, first + static_cast<uint64_t>(i));
                if (isFloat32(outputs[0])) {
                    outputs[0]->host<float>()[i] = value;
                } else {
                    outputs[0]->host<int32_t>()[i] = static_cast<int32_t>(std::floor(value));
                }
            }
        });
        return NO_ERROR;
    }

private:
    CPUBackend* mCPU;
    RandomParams mParams;
    uint64_t mDrawn = 0;
};

}  // namespace

Execution* createCPURange(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const bool good = inputs.size() >= 3 && isNumber(inputs[0]) && isNumber(inputs[2]) && isNumber(outputs[0]);
    if (!good) return refuse(op, inputs, outputs, "needs start, limit and delta of float32 or int32");
    return new FunctionExecution(backend, makeRange);
}

Execution* createCPULinSpace(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const bool good = inputs.size() >= 2 && isNumber(inputs[0]) && isNumber(inputs[1]) && isFloat32(outputs[0]);
    if (!good) return refuse(op, inputs, outputs, "needs start and stop, and float32 as output");
    return new FunctionExecution(backend, makeLinSpace);
}

Execution* createCPUFill(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const bool good =
        inputs.size() >= 2 && inputs[1]->getType() == outputs[0]->getType() && TensorUtils::elements(inputs[1]) == 1;
    if (!good) return refuse(op, inputs, outputs, "needs dimensions and one value of the output's type");
    return new FunctionExecution(backend, [](const Tensors& in, const Tensors& out) {
        fillWith(out[0], in[1]->host<uint8_t>());
        return NO_ERROR;
    });
}

Execution* createCPUOneHot(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const bool good = inputs.size() >= 4 && isInt32(inputs[0]) && inputs[2]->getType() == outputs[0]->getType() &&
                      inputs[3]->getType() == outputs[0]->getType() &&
                      outputs[0]->dimensions() == inputs[0]->dimensions() + 1;
    if (!good) return refuse(op, inputs, outputs, "needs int32 indices, depth, and on and off of the output's type");
    const OneHotParam* param = op->main_as_OneHotParam();
    const int axis = param == nullptr ? -1 : param->axis();
    const std::string name = opText(op);
    return new FunctionExecution(
        backend, [=](const Tensors& in, const Tensors& out) { return makeOneHot(axis, name, in, out); });
}

Execution* createCPUEyeLike(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    if (outputs[0]->dimensions() != 2 || !isNumber(outputs[0]))
        return refuse(op, inputs, outputs, "needs a matrix of float32 or int32");
    return new FunctionExecution(backend, makeEye);
}

Execution* createCPURandom(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const RandomUniform* param = op->main_as_RandomUniform();
    if (param == nullptr || !isNumber(outputs[0]))
        return refuse(op, inputs, outputs, "needs its parameters, and float32 or int32 as output");
    RandomParams params;
    params.seed =
        mix(static_cast<uint32_t>(param->seed()) | static_cast<uint64_t>(static_cast<uint32_t>(param->seed2())) << 32);
    params.low = param->low();
    params.high = param->high();
    params.normal = op->type() == OpType_RandomNormal;
    return new CPURandom(backend, params);
}

}  // namespace MNN
