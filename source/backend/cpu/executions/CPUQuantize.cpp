// FloatToInt8 and Int8ToFloat, per tensor or per channel, in either storage; DynamicQuant; TFLite's Dequantize.
#include <algorithm>
#include <cmath>
#include "backend/cpu/executions/FunctionExecution.hpp"
#include "backend/cpu/executions/ImagePlanes.hpp"
#include "backend/cpu/executions/PlainTensors.hpp"
#include "backend/cpu/kernels/Quantize.hpp"

namespace MNN {
namespace {

using cpu::kQuantPattern;
using cpu::QuantPattern;

bool isInt8(const Tensor* t) { return t->getType() == halide_type_of<int8_t>(); }

class CPUQuantize final : public Execution {
public:
    // scales and zeros: one value, or one a channel. toInt8 multiplies by scales, which are then 1 / step.
    CPUQuantize(CPUBackend* backend, bool toInt8, std::vector<float> scales, std::vector<float> zeros, float low,
                float high, std::string name)
        : Execution(backend),
          mCPU(backend),
          mToInt8(toInt8),
          mScales(std::move(scales)),
          mZeros(std::move(zeros)),
          mLow(low),
          mHigh(high),
          mName(std::move(name)) {}

    ErrorCode onResize(const Tensors& inputs, const Tensors& outputs) override {
        const Tensor* x = inputs[0];
        const int channels = x->dimensions() > 1 ? x->length(1) : 1;
        const auto fits = [&](const std::vector<float>& list) {
            return list.size() <= 1 || static_cast<int>(list.size()) == channels;
        };
        if (!TensorUtils::sameStorage(x, outputs[0]) || !fits(mScales) || !fits(mZeros) ||
            kQuantPattern % packOf(x) != 0) {
            return fault(INPUT_DATA_ERROR, mName, inputs, "scales do not fit the channels, or the storages differ");
        }
        const int64_t total = TensorUtils::storageElements(x);
        mPatterns.clear();
        if (mScales.size() <= 1 && mZeros.size() <= 1) {
            mPatterns.push_back(patternFrom(0, 1, 1));
            mPlane = total;
            return NO_ERROR;
        }
        const int pack = packOf(x), blocks = (channels + pack - 1) / pack;
        for (int block = 0; block < blocks; ++block) mPatterns.push_back(patternFrom(block * pack, pack, channels));
        mPlane = total / std::max<int64_t>(int64_t(x->length(0)) * blocks, 1);
        return NO_ERROR;
    }

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        const int64_t total = TensorUtils::storageElements(inputs[0]);
        if (total == 0) return NO_ERROR;
        const cpu::QuantizeKernels& kernels = cpu::quantizeKernels(mCPU->isa());
        const int64_t groups = (mPlane + kQuantPattern - 1) / kQuantPattern;
        const int patterns = static_cast<int>(mPatterns.size());
        // Parts begin at whole patterns.
        parallelRanges(mCPU, total / mPlane * groups, 2 * kQuantPattern, [&](int64_t begin, int64_t end) {
            while (begin < end) {
                const int64_t plane = begin / groups, first = begin % groups * kQuantPattern;
                const int64_t last = std::min((begin % groups + (end - begin)) * kQuantPattern, mPlane),
                              at = plane * mPlane + first;
                const QuantPattern& pattern = mPatterns[static_cast<size_t>(plane % patterns)];
                if (mToInt8) {
                    kernels.quantize(outputs[0]->host<int8_t>() + at, inputs[0]->host<float>() + at,
                                     static_cast<size_t>(last - first), pattern);
                } else {
                    kernels.dequantize(outputs[0]->host<float>() + at, inputs[0]->host<int8_t>() + at,
                                       static_cast<size_t>(last - first), pattern);
                }
                begin += (last - first + kQuantPattern - 1) / kQuantPattern;
            }
        });
        return NO_ERROR;
    }

private:
    QuantPattern patternFrom(int channel, int pack, int channels) const {
        QuantPattern pattern;
        pattern.low = mLow, pattern.high = mHigh;
        const auto valueOf = [](const std::vector<float>& list, int c, float fallback) {
            return list.empty() ? fallback : list.size() == 1 ? list[0] : list[static_cast<size_t>(c)];
        };
        for (int lane = 0; lane < kQuantPattern; ++lane) {
            const int c = std::min(channel + lane % pack, channels - 1);
            pattern.scale[lane] = valueOf(mScales, c, 1.0f);
            pattern.zero[lane] = valueOf(mZeros, c, 0.0f);
        }
        return pattern;
    }

    CPUBackend* mCPU;
    bool mToInt8;
    std::vector<float> mScales, mZeros;
    float mLow, mHigh;
    std::string mName;
    std::vector<QuantPattern> mPatterns;  // per channel block, or one for all
    int64_t mPlane = 1;                   // elements that share a pattern
};

Execution* createQuantize(bool toInt8, const Op* op, const Tensors& inputs, const Tensors& outputs,
                          CPUBackend* backend) {
    const QuantizedFloatParam* p = op->main_as_QuantizedFloatParam();
    const Tensor* real = toInt8 ? inputs[0] : outputs[0];
    const Tensor* stored = toInt8 ? outputs[0] : inputs[0];
    if (p == nullptr || !isFloat32(real) || !isInt8(stored))
        return refuse(op, inputs, outputs, "needs its parameters, float32 and int8");
    std::vector<float> scales, zeros;
    if (p->tensorScale() != nullptr) scales.assign(p->tensorScale()->begin(), p->tensorScale()->end());
    if (p->floatzeros() != nullptr && p->floatzeros()->size() > 0) {
        zeros.assign(p->floatzeros()->begin(), p->floatzeros()->end());
    } else {
        zeros.push_back(p->zeroPoint());
    }
    return new CPUQuantize(backend, toInt8, std::move(scales), std::move(zeros), p->clampMin(), p->clampMax(),
                           opText(op));
}

// Out: int8 x, scale, zero point: the range of the tensor, which always holds 0, over the 255 steps of an int8.
ErrorCode quantizeByRange(const CPUBackend* backend, const Tensors& inputs, const Tensors& outputs) {
    const cpu::QuantizeKernels& kernels = cpu::quantizeKernels(backend->isa());
    const int64_t count = TensorUtils::elements(inputs[0]);
    float low = 0.0f, high = 0.0f;
    if (count > 0) kernels.range(inputs[0]->host<float>(), static_cast<size_t>(count), &low, &high);
    low = std::min(low, 0.0f), high = std::max(high, 0.0f);
    const float scale = (high - low) / 255.0f;
    QuantPattern pattern;
    const float zero = scale > 0.0f ? std::min(std::max(std::nearbyint(-128.0f - low / scale), -128.0f), 127.0f) : 0.0f;
    std::fill_n(pattern.scale, kQuantPattern, scale > 0.0f ? 1.0f / scale : 0.0f);
    std::fill_n(pattern.zero, kQuantPattern, zero);
    parallelRanges(backend, (count + kQuantPattern - 1) / kQuantPattern, 2 * kQuantPattern,
                   [&](int64_t begin, int64_t end) {
                       const int64_t first = begin * kQuantPattern, last = std::min(end * kQuantPattern, count);
                       kernels.quantize(outputs[0]->host<int8_t>() + first, inputs[0]->host<float>() + first,
                                        static_cast<size_t>(last - first), pattern);
                   });
    if (outputs.size() > 1) outputs[1]->host<float>()[0] = scale;
    if (outputs.size() > 2) outputs[2]->host<int8_t>()[0] = static_cast<int8_t>(zero);
    return NO_ERROR;
}

}  // namespace

Execution* createCPUFloatToInt8(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    return createQuantize(true, op, inputs, outputs, backend);
}

Execution* createCPUInt8ToFloat(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    return createQuantize(false, op, inputs, outputs, backend);
}

Execution* createCPUDynamicQuant(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const bool good = isFloat32(inputs[0]) && isInt8(outputs[0]) && (outputs.size() < 2 || isFloat32(outputs[1])) &&
                      (outputs.size() < 3 || isInt8(outputs[2])) && !TensorUtils::isPacked(inputs[0]);
    if (!good)
        return refuse(op, inputs, outputs,
                      "needs row-major float32, and int8, a float32 scale and an int8 zero point as outputs");
    return new FunctionExecution(
        backend, [=](const Tensors& in, const Tensors& out) { return quantizeByRange(backend, in, out); });
}

Execution* createCPUDequantize(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const Dequantize* p = op->main_as_Dequantize();
    const QuantizedParam* q = p == nullptr ? nullptr : p->inputQuantizedParam();
    const bool bytes = inputs[0]->getType().bytes() == 1;
    if (q == nullptr || p->modelFormat() != ModeFormat_TFLITE || !bytes || !isFloat32(outputs[0])) {
        return refuse(op, inputs, outputs,
                      "only TFLite's form is supported: int8 or uint8 with a scale and a zero point");
    }
    const float scale = q->scale(), zero = static_cast<float>(q->zeroPoint());
    return new FunctionExecution(backend, [=](const Tensors& in, const Tensors& out) {
        const int64_t count = TensorUtils::storageElements(in[0]);
        const bool isSigned = isInt8(in[0]);
        float* to = out[0]->host<float>();
        for (int64_t i = 0; i < count; ++i) {
            const float stored = isSigned ? in[0]->host<int8_t>()[i] : in[0]->host<uint8_t>()[i];
            to[i] = (stored - zero) * scale;
        }
        return NO_ERROR;
    });
}

}  // namespace MNN
