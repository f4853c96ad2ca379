#include "Families.hpp"
#include "Window.hpp"

namespace mnn_primitives {
namespace {

Window square(int in, int out, int kernel, int pad = 0, int stride = 1) {
    Window w;
    w.in = in, w.out = out;
    for (int d = 0; d < 2; ++d) w.kernel[d] = kernel, w.stride[d] = stride, w.before[d] = w.behind[d] = pad;
    return w;
}

Case make(const Window& w, const ImageShape& image, Weights weights = Weights::Stored) {
    return convolutionCase("Convolution", MNN::OpType_Convolution, w, image, weights);
}

// Kernels, strides, dilations, pads and groups that are not square or not even.
std::vector<Window> oddWindows() {
    std::vector<Window> windows;
    Window w = square(5, 6, 3, 1);
    w.kernel[1] = 5, w.before[1] = 2, w.behind[1] = 1;
    windows.push_back(w);
    w = square(5, 6, 3, 2);
    w.dilation[0] = 2, w.dilation[1] = 3;
    windows.push_back(w);
    w = square(5, 6, 2, 0, 3);
    w.stride[1] = 1, w.behind[0] = 2;
    windows.push_back(w);
    for (int groups : {2, 4}) {
        w = square(8, 12, 3, 1);
        w.group = groups;
        windows.push_back(w);
    }
    w = square(34, 10, 1);
    w.group = 2;
    windows.push_back(w);
    for (MNN::PadMode mode : {MNN::PadMode_SAME, MNN::PadMode_VALID}) {
        for (int stride : {1, 2}) {
            w = square(5, 6, 3, 0, stride);
            w.mode = mode;
            windows.push_back(w);
        }
    }
    w = square(5, 6, 7, 3, 2);
    windows.push_back(w);
    w = square(6, 5, 3, 1);
    w.kernel[0] = 1, w.before[0] = w.behind[0] = 0, w.dilation[1] = 2;
    windows.push_back(w);
    return windows;
}

}  // namespace

void convolutionCases(const Visit& visit) {
    for (int channels : edgeSizes()) {
        if (channels == 0) continue;
        for (int kernel : {1, 3}) {
            visitFronts(make(square(channels, 5, kernel, kernel / 2), {2, 5, 7}), visit);
            visit(make(square(5, channels, kernel, kernel / 2), {1, 5, 7}));
            visit(make(square(channels, channels, kernel, 0, 2), {1, 9, 5}));
        }
    }
    for (const Window& w : oddWindows()) {
        visitFronts(make(w, {2, 9, 11}), visit);
        visit(make(w, {1, 7, 8}));
        visit(make(w, {2, 9, 7}, Weights::Inputs));
    }
    for (int size : {1, 2, 3, 4, 6, 13, 16, 17}) {  // around the tiles of Winograd
        visit(make(square(17, 16, 3, 1), {1, size, size + 1}));
        visit(make(square(64, 64, 3, 1), {1, size, size}));
    }
    visit(make(square(33, 66, 1), {1, 20, 21}));
    visit(make(square(200, 31, 1), {3, 1, 1}));
    visit(make(square(31, 200, 1), {5, 1, 3}));
    visit(make(square(5, 6, 3, 1), {0, 7, 7}));
    for (bool bias : {false, true}) {
        Window w = square(9, 10, 3, 1);
        w.bias = bias;
        w.relu = bias, w.relu6 = !bias;
        visit(make(w, {1, 7, 5}));
        w.kernel[0] = w.kernel[1] = 1, w.before[0] = w.before[1] = w.behind[0] = w.behind[1] = 0;
        visit(make(w, {1, 7, 5}));
        visitFronts(make(w, {1, 7, 5}, Weights::Inputs), visit);
    }
}

}  // namespace mnn_primitives
