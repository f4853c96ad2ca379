#include "Families.hpp"
#include "Window.hpp"

namespace mnn_primitives {
namespace {

Window perChannel(int channels, int kernel, int pad, int stride = 1, int dilation = 1) {
    Window w;
    w.in = w.out = w.group = channels;
    for (int d = 0; d < 2; ++d) {
        w.kernel[d] = kernel, w.stride[d] = stride, w.dilation[d] = dilation, w.before[d] = w.behind[d] = pad;
    }
    return w;
}

Case make(const Window& w, const ImageShape& image, Weights weights = Weights::Stored) {
    return convolutionCase("Depthwise", MNN::OpType_ConvolutionDepthwise, w, image, weights);
}

}  // namespace

void depthwiseCases(const Visit& visit) {
    for (int channels : edgeSizes()) {
        if (channels == 0) continue;
        visitFronts(make(perChannel(channels, 3, 1), {2, 7, 9}), visit);
        visit(make(perChannel(channels, 3, 1, 2), {1, 7, 9}));
        visit(make(perChannel(channels, 5, 2), {1, 6, 7}));
        visit(make(perChannel(channels, 3, 2, 1, 2), {1, 9, 8}));
    }
    for (int size : {1, 2, 3, 5, 16, 17, 40}) {
        visit(make(perChannel(5, 3, 1), {1, size, size + 1}));
        visit(make(perChannel(17, 3, 1, 2), {1, size, size}));
    }
    Window odd = perChannel(6, 3, 1);
    odd.kernel[0] = 1, odd.before[0] = odd.behind[0] = 0, odd.behind[1] = 2, odd.stride[1] = 3;
    visitFronts(make(odd, {2, 5, 11}), visit);
    visit(make(odd, {1, 5, 11}, Weights::Inputs));
    for (MNN::PadMode mode : {MNN::PadMode_SAME, MNN::PadMode_VALID}) {
        Window w = perChannel(9, 3, 0, 2);
        w.mode = mode;
        visit(make(w, {1, 8, 9}));
        w.relu = true;
        visit(make(w, {1, 8, 9}));
        w.relu6 = true;
        w.bias = false;
        visit(make(w, {1, 8, 9}));
    }
    visit(make(perChannel(40, 3, 1), {1, 40, 41}));
    visit(make(perChannel(1, 3, 1), {0, 5, 5}));
    visit(make(perChannel(5, 9, 4), {1, 11, 10}));
}

}  // namespace mnn_primitives
