// Extra Col2Im: sums patches into an image of any number of axes, as ONNX defines it.
#include <algorithm>
#include "backend/cpu/executions/FunctionExecution.hpp"
#include "backend/cpu/executions/PlainTensors.hpp"
#include "core/ExtraAttributes.hpp"

namespace MNN {
namespace {

struct PatchAxis {
    int64_t image, block, places, stride, dilation, pad;
};

struct PatchRule {
    std::vector<int> strides, dilations, pads;
};

bool readAxes(const PatchRule& rule, const Tensors& inputs, const Tensor* output, std::vector<PatchAxis>* axes) {
    const size_t count = static_cast<size_t>(output->dimensions() - 2);
    if (static_cast<size_t>(TensorUtils::elements(inputs[2])) != count) return false;
    int64_t patch = 1, places = 1;
    for (size_t d = 0; d < count; ++d) {
        PatchAxis a = {
            output->length(static_cast<int>(2 + d)), integerAt(inputs[2], static_cast<int64_t>(d), 0), 0, 1, 1, 0};
        if (d < rule.strides.size()) a.stride = rule.strides[d];
        if (d < rule.dilations.size()) a.dilation = rule.dilations[d];
        int64_t padEnd = 0;
        if (rule.pads.size() == 2 * count) a.pad = rule.pads[d], padEnd = rule.pads[d + count];
        if (a.block <= 0 || a.stride <= 0 || a.dilation <= 0) return false;
        const int64_t room = a.image + a.pad + padEnd - (a.block - 1) * a.dilation - 1;
        if (room < 0) return false;
        a.places = room / a.stride + 1;
        patch *= a.block;
        places *= a.places;
        axes->push_back(a);
    }
    const Tensor* x = inputs[0];
    return x->length(0) == output->length(0) && x->length(1) == output->length(1) * patch && x->length(2) == places;
}

void sumPlane(const std::vector<PatchAxis>& axes, int64_t patch, int64_t places, const float* src, float* dst) {
    for (int64_t tap = 0; tap < patch; ++tap) {
        for (int64_t place = 0; place < places; ++place) {
            int64_t tapRest = tap, placeRest = place, to = 0, step = 1;
            bool inside = true;
            for (size_t d = axes.size(); d-- > 0;) {
                const PatchAxis& a = axes[d];
                const int64_t at = placeRest % a.places * a.stride - a.pad + tapRest % a.block * a.dilation;
                placeRest /= a.places;
                tapRest /= a.block;
                inside = inside && at >= 0 && at < a.image;
                to += at * step;
                step *= a.image;
            }
            if (inside) dst[to] += src[tap * places + place];
        }
    }
}

ErrorCode sumPatches(const CPUBackend* backend, const PatchRule& rule, const std::string& name, const Tensors& inputs,
                     const Tensors& outputs) {
    const int64_t total = TensorUtils::elements(outputs[0]);
    if (total == 0) return NO_ERROR;
    std::vector<PatchAxis> axes;
    if (!readAxes(rule, inputs, outputs[0], &axes))
        return fault(INPUT_DATA_ERROR, name, inputs, "patches, block and image do not fit");
    const int64_t planes = int64_t(outputs[0]->length(0)) * outputs[0]->length(1), area = total / planes,
                  places = inputs[0]->length(2);
    const int64_t patch = inputs[0]->length(1) / outputs[0]->length(1);
    parallelRanges(backend, planes, patch * places * 8, [&](int64_t begin, int64_t end) {
        for (int64_t plane = begin; plane < end; ++plane) {
            float* dst = outputs[0]->host<float>() + plane * area;
            std::fill(dst, dst + area, 0.0f);
            sumPlane(axes, patch, places, inputs[0]->host<float>() + plane * patch * places, dst);
        }
    });
    return NO_ERROR;
}

}  // namespace

Execution* createCPUCol2Im(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const bool good = inputs.size() >= 3 && isFloat32(inputs[0]) && isInt32(inputs[2]) && isFloat32(outputs[0]) &&
                      inputs[0]->dimensions() == 3 && outputs[0]->dimensions() >= 3;
    if (!good)
        return refuse(op, inputs, outputs, "needs float32 patches of rank 3, and int32 shapes of image and block");
    const PatchRule rule = {extra::integers(op, "strides"), extra::integers(op, "dilations"),
                            extra::integers(op, "pads")};
    const std::string name = opText(op);
    return new FunctionExecution(
        backend, [=](const Tensors& in, const Tensors& out) { return sumPatches(backend, rule, name, in, out); });
}

}  // namespace MNN
