// Extra MaxPool and AveragePool: windows that the Pool table cannot state (dilation, any number of axes, indices, other
// types). Row-major, plain loops.
#include <algorithm>
#include <limits>
#include "backend/cpu/executions/PlainTensors.hpp"
#include "core/ExtraAttributes.hpp"

namespace MNN {
namespace {

constexpr int kMaxAxes = 3;

struct WindowAxis {
    int kernel = 1, stride = 1, dilation = 1, begin = 0, end = 0, in = 1, out = 1;
};

struct PoolRule {
    WindowAxis axis[kMaxAxes];
    int axes = 0;
    std::string autoPad;
    bool max = true, countPadding = false, columnMajor = false;
};

bool readRule(const Op* op, int axes, PoolRule* rule) {
    const std::vector<int> kernel = extra::integers(op, "kernel_shape"), strides = extra::integers(op, "strides"),
                           dilations = extra::integers(op, "dilations"), pads = extra::integers(op, "pads");
    rule->axes = axes;
    rule->autoPad = extra::text(op, "auto_pad", "NOTSET");
    rule->countPadding = extra::integer(op, "count_include_pad", 0) != 0;
    rule->columnMajor = extra::integer(op, "storage_order", 0) != 0;
    rule->max = op->main_as_Extra()->type()->str() == "MaxPool";
    const size_t n = static_cast<size_t>(axes);
    if (axes < 1 || axes > kMaxAxes || kernel.size() != n) return false;
    const auto fits = [n](const std::vector<int>& list, size_t times) {
        return list.empty() || list.size() == n * times;
    };
    if (!fits(strides, 1) || !fits(dilations, 1) || !fits(pads, 2)) return false;
    constexpr int kLargest = 1 << 20;
    for (size_t d = 0; d < n; ++d) {
        WindowAxis& a = rule->axis[d];
        a.kernel = kernel[d];
        if (!strides.empty()) a.stride = strides[d];
        if (!dilations.empty()) a.dilation = dilations[d];
        if (!pads.empty()) a.begin = pads[d], a.end = pads[d + n];
        for (int positive : {a.kernel, a.stride, a.dilation}) {
            if (positive < 1 || positive > kLargest) return false;
        }
        if (a.begin < 0 || a.begin > kLargest || a.end < 0 || a.end > kLargest) return false;
    }
    return true;
}

class CPUPoolExtra final : public Execution {
public:
    CPUPoolExtra(CPUBackend* backend, const PoolRule& rule) : Execution(backend), mCPU(backend), mStated(rule) {}

    ErrorCode onResize(const Tensors& inputs, const Tensors& outputs) override {
        mRule = mStated;
        for (int d = 0; d < mRule.axes; ++d) {
            WindowAxis& a = mRule.axis[d];
            a.in = inputs[0]->length(2 + d);
            a.out = outputs[0]->length(2 + d);
            if (mRule.autoPad == "VALID") a.begin = a.end = 0;
            if (mRule.autoPad != "SAME_UPPER" && mRule.autoPad != "SAME_LOWER") continue;
            const int64_t span = int64_t(a.out - 1) * a.stride + int64_t(a.kernel - 1) * a.dilation + 1;
            const int total = static_cast<int>(std::max<int64_t>(span - a.in, 0));
            a.begin = mRule.autoPad == "SAME_UPPER" ? total / 2 : total - total / 2;
            a.end = total - a.begin;
        }
        return NO_ERROR;
    }

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        if (inputs[0]->getType() == halide_type_of<float>()) run<float>(inputs, outputs);
        if (inputs[0]->getType() == halide_type_of<int32_t>()) run<int32_t>(inputs, outputs);
        if (inputs[0]->getType() == halide_type_of<int8_t>()) run<int8_t>(inputs, outputs);
        if (inputs[0]->getType() == halide_type_of<uint8_t>()) run<uint8_t>(inputs, outputs);
        return NO_ERROR;
    }

private:
    template <typename T>
    void run(const Tensors& inputs, const Tensors& outputs) const {
        int64_t inArea = 1, outArea = 1, window = 1;
        for (int d = 0; d < mRule.axes; ++d) {
            inArea *= mRule.axis[d].in, outArea *= mRule.axis[d].out, window *= mRule.axis[d].kernel;
        }
        const int64_t planes = int64_t(inputs[0]->length(0)) * inputs[0]->length(1);
        parallelRanges(mCPU, planes * outArea, window * 4, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                const int64_t plane = i / outArea;
                int64_t at = 0;
                outputs[0]->host<T>()[i] = poolOne(inputs[0]->host<T>() + plane * inArea, i % outArea, window, &at);
                if (outputs.size() > 1) outputs[1]->host<int32_t>()[i] = static_cast<int32_t>(plane * inArea + at);
            }
        });
    }

    template <typename T>
    T poolOne(const T* src, int64_t place, int64_t window, int64_t* maximumAt) const {
        int64_t start[kMaxAxes] = {};
        for (int d = mRule.axes - 1; d >= 0; --d) {
            start[d] = place % mRule.axis[d].out * mRule.axis[d].stride - mRule.axis[d].begin;
            place /= mRule.axis[d].out;
        }
        bool any = false;
        T best = std::numeric_limits<T>::lowest();
        double sum = 0.0;
        int64_t counted = 0;
        for (int64_t w = 0; w < window; ++w) {
            int64_t rest = w, from = 0, columnFrom = 0, step = 1, columnStep = 1, coordinate[kMaxAxes] = {};
            bool inside = true, padded = true;
            for (int d = mRule.axes - 1; d >= 0; --d) {
                const WindowAxis& a = mRule.axis[d];
                coordinate[d] = start[d] + rest % a.kernel * a.dilation;
                rest /= a.kernel;
                inside = inside && coordinate[d] >= 0 && coordinate[d] < a.in;
                padded = padded && coordinate[d] < a.in + a.end;
                from += coordinate[d] * step;
                step *= a.in;
            }
            counted += (mRule.countPadding ? padded : inside) ? 1 : 0;
            if (!inside) continue;
            sum += src[from];
            if (any && !(src[from] > best)) continue;
            any = true;
            best = src[from];
            for (int d = 0; d < mRule.axes; ++d) {
                columnFrom += coordinate[d] * columnStep;
                columnStep *= mRule.axis[d].in;
            }
            *maximumAt = mRule.columnMajor ? columnFrom : from;
        }
        if (mRule.max) return best;
        return static_cast<T>(counted > 0 ? sum / static_cast<double>(counted) : 0.0);
    }

    CPUBackend* mCPU;
    PoolRule mStated, mRule;
};

}  // namespace

Execution* createCPUPoolExtra(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const int bytes = inputs[0]->getType().bytes();
    PoolRule rule;
    const bool good = inputs[0]->dimensions() >= 3 && inputs[0]->dimensions() == outputs[0]->dimensions() &&
                      inputs[0]->getType() == outputs[0]->getType() && (bytes == 1 || bytes == 4) &&
                      inputs[0]->length(0) == outputs[0]->length(0) && inputs[0]->length(1) == outputs[0]->length(1) &&
                      (outputs.size() < 2 || isInt32(outputs[1]));
    if (!good || !readRule(op, inputs[0]->dimensions() - 2, &rule)) {
        return refuse(op, inputs, outputs, "needs one to three spatial axes, a window for each, and one type");
    }
    if (!rule.max && !isFloat32(inputs[0])) return refuse(op, inputs, outputs, "an average needs float32");
    return new CPUPoolExtra(backend, rule);
}

}  // namespace MNN
