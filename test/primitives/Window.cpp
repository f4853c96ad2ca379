#include "Window.hpp"

#include <algorithm>
#include <memory>

namespace mnn_primitives {
namespace {

std::string pair(const int v[2]) { return std::to_string(v[0]) + "x" + std::to_string(v[1]); }

double activated(const Window& w, double y) {
    if (w.relu || w.relu6) y = std::max(y, 0.0);
    return w.relu6 ? std::min(y, 6.0) : y;
}

// Pads that give ceil(in / stride) outputs, the odd one behind; none for VALID.
void resolvePads(const Array& x, Window* w) {
    if (w->mode == MNN::PadMode_CAFFE) return;
    for (int d = 0; d < 2; ++d) {
        const int in = x.shape[2 + d], out = (in + w->stride[d] - 1) / w->stride[d];
        const int total = std::max((out - 1) * w->stride[d] + (w->kernel[d] - 1) * w->dilation[d] + 1 - in, 0);
        const bool same = w->mode == MNN::PadMode_SAME;
        w->before[d] = same ? total / 2 : 0;
        w->behind[d] = same ? total - total / 2 : 0;
    }
}

std::unique_ptr<MNN::Convolution2DCommonT> commonOf(const Window& w) {
    std::unique_ptr<MNN::Convolution2DCommonT> common(new MNN::Convolution2DCommonT);
    common->kernelY = w.kernel[0], common->kernelX = w.kernel[1];
    common->strideY = w.stride[0], common->strideX = w.stride[1];
    common->dilateY = w.dilation[0], common->dilateX = w.dilation[1];
    common->pads = {w.before[0], w.before[1], w.behind[0], w.behind[1]};
    common->padMode = w.mode;
    if (w.outPad[0] != 0 || w.outPad[1] != 0) common->outPads = {w.outPad[0], w.outPad[1]};
    common->inputCount = w.in;
    common->outputCount = w.out;
    common->group = w.group;
    common->relu = w.relu;
    common->relu6 = w.relu6;
    return common;
}

}  // namespace

std::string Window::text() const {
    std::string t = pair(kernel) + " kernel, " + std::to_string(in) + " to " + std::to_string(out) + " channels";
    if (group != 1) t += ", " + std::to_string(group) + " groups";
    if (stride[0] != 1 || stride[1] != 1) t += ", stride " + pair(stride);
    if (dilation[0] != 1 || dilation[1] != 1) t += ", dilation " + pair(dilation);
    if (mode != MNN::PadMode_CAFFE) t += mode == MNN::PadMode_SAME ? ", same" : ", valid";
    if (before[0] + before[1] + behind[0] + behind[1] != 0) t += ", pads " + pair(before) + " " + pair(behind);
    if (outPad[0] != 0 || outPad[1] != 0) t += ", output pad " + pair(outPad);
    return t + (bias ? "" : ", no bias") + (relu6 ? ", relu6" : relu ? ", relu" : "");
}

bool isTransposed(MNN::OpType type) {
    return type == MNN::OpType_Deconvolution || type == MNN::OpType_DeconvolutionDepthwise;
}

Array convolve(const Array& x, const Array& weight, const Array& bias, Window w) {
    resolvePads(x, &w);
    Shape shape = {x.shape[0], w.out, 0, 0};
    for (int d = 0; d < 2; ++d) {
        const int room = x.shape[2 + d] + w.before[d] + w.behind[d] - (w.kernel[d] - 1) * w.dilation[d] - 1;
        shape[2 + d] = room / w.stride[d] + 1;
    }
    const int inGroup = w.in / w.group, outGroup = w.out / w.group;
    return generate(Type::Float, shape, [&](const Index& o) {
        double sum = w.bias ? bias.values[o[1]] : 0;
        forEach({inGroup, w.kernel[0], w.kernel[1]}, [&](const Index& k) {
            const int row = o[2] * w.stride[0] - w.before[0] + k[1] * w.dilation[0];
            const int column = o[3] * w.stride[1] - w.before[1] + k[2] * w.dilation[1];
            if (row < 0 || row >= x.shape[2] || column < 0 || column >= x.shape[3]) return;
            sum += x.at({o[0], o[1] / outGroup * inGroup + k[0], row, column}) * weight.at({o[1], k[0], k[1], k[2]});
        });
        return activated(w, sum);
    });
}

Array deconvolve(const Array& x, const Array& weight, const Array& bias, const Window& w) {
    Shape shape = {x.shape[0], w.out, 0, 0};
    for (int d = 0; d < 2; ++d) {
        shape[2 + d] = (x.shape[2 + d] - 1) * w.stride[d] + (w.kernel[d] - 1) * w.dilation[d] + 1 - w.before[d] -
                       w.behind[d] + w.outPad[d];
    }
    const int inGroup = w.in / w.group, outGroup = w.out / w.group;
    Array y = generate(Type::Float, shape, [&](const Index& o) { return w.bias ? bias.values[o[1]] : 0; });
    forEach(x.shape, [&](const Index& i) {
        const double value = x.at(i);
        forEach({outGroup, w.kernel[0], w.kernel[1]}, [&](const Index& k) {
            const int row = i[2] * w.stride[0] - w.before[0] + k[1] * w.dilation[0];
            const int column = i[3] * w.stride[1] - w.before[1] + k[2] * w.dilation[1];
            if (row < 0 || row >= shape[2] || column < 0 || column >= shape[3]) return;
            y.at({i[0], i[1] / inGroup * outGroup + k[0], row, column}) += value * weight.at({i[1], k[0], k[1], k[2]});
        });
    });
    for (double& v : y.values) v = activated(w, v);
    return y;
}

Case convolutionCase(const char* family, MNN::OpType type, const Window& w, const ImageShape& image, Weights weights) {
    Random random(w.text());
    const bool transposed = isTransposed(type);
    const Shape weightShape = {transposed ? w.in : w.out, (transposed ? w.out : w.in) / w.group, w.kernel[0],
                               w.kernel[1]};
    const Array weight = random.floats(weightShape, -1, 1), bias = random.floats({w.out});
    Case c;
    c.title = std::string(family) + " " + w.text();
    c.inputs = {plain(random.floats({image.batch, w.in, image.height, image.width}, -1, 1))};
    if (weights == Weights::Inputs) {
        c.inputs.push_back(plain(weight));
        if (w.bias) c.inputs.push_back(plain(bias));
    }
    // Winograd's transforms cost some bits of the sum of products.
    c.tolerance = {1e-5, 1e-5 * (2 + static_cast<double>(countOf(weightShape)) / weightShape[0] / 32)};
    c.build = [=](mnn_test::NetBuilder& net, const std::vector<std::string>& in) {
        auto* param = new MNN::Convolution2DT;
        param->common = commonOf(w);
        if (weights == Weights::Stored) {
            param->weight = floatsOf(weight);
            param->bias = w.bias ? floatsOf(bias) : std::vector<float>(w.out, 0.0f);
        }
        net.add(type, "y", in, MNN::OpParameter_Convolution2D, param);
    };
    c.reference = [=](const std::vector<Array>& in) {
        return std::vector<Array>{transposed ? deconvolve(in[0], weight, bias, w) : convolve(in[0], weight, bias, w)};
    };
    return c;
}

}  // namespace mnn_primitives
