// Writes rows of converted pixels into a destination of any layout and element type.
#ifndef MNN_CV_IMAGEWRITER_HPP
#define MNN_CV_IMAGEWRITER_HPP

#include <MNN/ImageProcess.hpp>

namespace MNN {
namespace CV {

// A destination: channel c of pixel (x, y) is, in row y (rowStrideBytes apart), the element
// x * pixelStride + c / block * blockStride + c % block.
struct ImageTarget {
    void* data = nullptr;
    bool isFloat = false;
    int width = 0, height = 0;
    // Channels that exist, pad lanes included.
    int channels = 0;
    ptrdiff_t rowStrideBytes = 0;
    ptrdiff_t pixelStride = 0;
    int block = 1;
    ptrdiff_t blockStride = 0;
};

// Rows of interleaved channels. strideBytes 0: no gaps.
ImageTarget interleavedTarget(void* data, int width, int height, int channels, int strideBytes, bool isFloat);
// The memory of a host tensor, batch 0, by its layout.
ImageTarget tensorTarget(Tensor* tensor);

// Writes `count` pixels of `bytes` channels at (x, y). Float elements become (v - mean) * normal; channels of the
// target past `bytes` become zero.
void writePixels(const ImageTarget& target, int x, int y, const uint8_t* pixels, int bytes, int count,
                 const float mean[4], const float normal[4]);

}  // namespace CV
}  // namespace MNN

#endif
