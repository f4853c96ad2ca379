#include "onnx/Window.hpp"

namespace MNN {
namespace Converter {

namespace {

// Larger windows, strides or pads than this overflow size arithmetic long before they make sense.
constexpr int kMaxExtent = 1 << 20;

std::vector<int> perAxis(const Node& n, const char* key, int axes, int fallback, int least) {
    std::vector<int> values = n.ints(key);
    if (values.empty()) return std::vector<int>(axes, fallback);
    if (static_cast<int>(values.size()) != axes)
        n.fail(std::string(key) + " has " + std::to_string(values.size()) + " values for " + std::to_string(axes) +
               " spatial axes");
    for (int v : values) {
        if (v < least || v > kMaxExtent) n.fail(std::string(key) + " holds " + std::to_string(v));
    }
    return values;
}

}  // namespace

std::vector<int> kernelFrom(const Node& n, Value weight, int axes) {
    std::vector<int> kernel = n.ints("kernel_shape");
    for (int i = 0; kernel.empty() && i < axes; ++i) {
        if (n.b.size(weight, i + 2) < 0) n.fail("kernel_shape is absent and the weight's shape is not known");
        if (i + 1 == axes) {
            for (int k = 0; k < axes; ++k) kernel.push_back(n.b.size(weight, k + 2));
        }
    }
    for (int i = 0; i < axes && i < static_cast<int>(kernel.size()); ++i) {
        const int real = n.b.size(weight, i + 2);
        if (real >= 0 && real != kernel[i]) n.fail("kernel_shape does not match the weight's shape");
    }
    return kernel;
}

Window readWindow(const Node& n, int axes, const std::vector<int>& kernel) {
    Window w;
    w.kernel = kernel;
    if (axes < 1 || static_cast<int>(kernel.size()) != axes) n.fail("kernel_shape does not fit the input's rank");
    for (int k : kernel) {
        if (k < 1 || k > kMaxExtent) n.fail("kernel_shape holds " + std::to_string(k));
    }
    w.stride = perAxis(n, "strides", axes, 1, 1);
    w.dilation = perAxis(n, "dilations", axes, 1, 1);
    const std::string mode = n.s("auto_pad", "NOTSET");
    w.begin.assign(axes, 0);
    w.end.assign(axes, 0);
    if (mode == "SAME_UPPER")
        w.autoPad = AutoPad::SameUpper;
    else if (mode == "SAME_LOWER")
        w.autoPad = AutoPad::SameLower;
    else if (mode != "NOTSET" && mode != "VALID" && !mode.empty())
        n.fail("unknown auto_pad '" + mode + "'");
    const std::vector<int> pads = n.ints("pads");
    if (mode == "VALID" || w.autoPad != AutoPad::Explicit || pads.empty()) return w;
    if (static_cast<int>(pads.size()) != axes * 2) n.fail("pads must hold a begin and an end for each spatial axis");
    for (int i = 0; i < axes; ++i) {
        if (pads[i] < -kMaxExtent || pads[i] > kMaxExtent || pads[i + axes] < -kMaxExtent ||
            pads[i + axes] > kMaxExtent)
            n.fail("pads are out of range");
        w.begin[i] = pads[i];
        w.end[i] = pads[i + axes];
    }
    return w;
}

bool fixedSamePads(Window& w) {
    for (int s : w.stride) {
        if (s != 1) return false;
    }
    for (size_t i = 0; i < w.kernel.size(); ++i) {
        const int total = (w.kernel[i] - 1) * w.dilation[i];
        const int half = total / 2;
        w.begin[i] = w.autoPad == AutoPad::SameLower ? total - half : half;
        w.end[i] = total - w.begin[i];
    }
    return true;
}

}  // namespace Converter
}  // namespace MNN
