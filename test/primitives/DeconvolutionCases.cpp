#include "Families.hpp"
#include "Window.hpp"

namespace mnn_primitives {
namespace {

Window transposed(int in, int out, int kernel, int pad, int stride) {
    Window w;
    w.in = in, w.out = out;
    for (int d = 0; d < 2; ++d) w.kernel[d] = kernel, w.stride[d] = stride, w.before[d] = w.behind[d] = pad;
    return w;
}

Case make(const Window& w, const ImageShape& image, Weights weights = Weights::Stored) {
    return convolutionCase("Deconvolution", MNN::OpType_Deconvolution, w, image, weights);
}

Case makeDepthwise(Window w, const ImageShape& image) {
    w.out = w.group = w.in;
    return convolutionCase("Deconvolution depthwise", MNN::OpType_DeconvolutionDepthwise, w, image, Weights::Stored);
}

}  // namespace

void deconvolutionCases(const Visit& visit) {
    for (int channels : edgeSizes()) {
        if (channels == 0) continue;
        visitFronts(make(transposed(channels, 5, 3, 1, 2), {2, 3, 5}), visit);
        visit(make(transposed(5, channels, 2, 0, 2), {1, 3, 5}));
        visitFronts(makeDepthwise(transposed(channels, channels, 3, 1, 2), {2, 3, 5}), visit);
    }
    for (int kernel : {1, 2, 3, 4}) {
        for (int stride : {1, 2, 3}) {
            visit(make(transposed(6, 7, kernel, 0, stride), {1, 4, 3}));
            visit(makeDepthwise(transposed(6, 6, kernel, 0, stride), {1, 4, 3}));
        }
    }
    Window odd = transposed(6, 8, 3, 1, 2);
    odd.kernel[1] = 4, odd.behind[0] = 0, odd.outPad[0] = 1, odd.stride[1] = 3;
    visitFronts(make(odd, {2, 3, 4}), visit);
    visit(make(odd, {2, 3, 4}, Weights::Inputs));
    visit(makeDepthwise(odd, {2, 3, 4}));
    odd.group = 2;
    visit(make(odd, {2, 3, 4}));
    odd.dilation[0] = 2;
    visit(make(odd, {1, 3, 4}));
    odd.relu = true;
    visit(make(odd, {1, 3, 4}));
    odd.relu6 = true, odd.bias = false;
    visit(make(odd, {1, 3, 4}));
}

}  // namespace mnn_primitives
