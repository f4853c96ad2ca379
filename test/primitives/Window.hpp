// What convolutions and their references share.
#ifndef MNN_PRIMITIVES_WINDOW_HPP
#define MNN_PRIMITIVES_WINDOW_HPP

#include "Primitives.hpp"

namespace mnn_primitives {

// A convolution, or a transposed one, of images. [0] is along the height, [1] along the width.
struct Window {
    int kernel[2] = {1, 1}, stride[2] = {1, 1}, dilation[2] = {1, 1};
    int before[2] = {0, 0}, behind[2] = {0, 0}, outPad[2] = {0, 0};
    int in = 1, out = 1, group = 1;
    MNN::PadMode mode = MNN::PadMode_CAFFE;
    bool bias = true, relu = false, relu6 = false;
    std::string text() const;
};

enum class Weights : uint8_t { Stored, Inputs };

struct ImageShape {
    int batch = 1, height = 1, width = 1;
};

// The case: random x, weight and bias; weights in the op, or as session inputs.
Case convolutionCase(const char* family, MNN::OpType type, const Window& window, const ImageShape& image,
                     Weights weights);
bool isTransposed(MNN::OpType type);
// x: [n, in, h, w]; weight: [out, in / group, kh, kw]. Pads of SAME are worked out here.
Array convolve(const Array& x, const Array& weight, const Array& bias, Window window);
// weight: [in, out / group, kh, kw].
Array deconvolve(const Array& x, const Array& weight, const Array& bias, const Window& window);

}  // namespace mnn_primitives
#endif
