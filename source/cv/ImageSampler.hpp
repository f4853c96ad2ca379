// Reads a row of positions between the pixels of an image.
#ifndef MNN_CV_IMAGESAMPLER_HPP
#define MNN_CV_IMAGESAMPLER_HPP

#include <MNN/ImageProcess.hpp>

namespace MNN {
namespace CV {

// Interleaved bytes. `pixels` points to the first of them, rows are `stride` bytes apart.
struct Plane {
    const uint8_t* pixels;
    int width, height;
    ptrdiff_t stride;
};

// Samples `count` positions into dst, interleaved. `outside` is one pixel of the padding (Wrap ZERO).
using Sampler = void (*)(const Plane& plane, const float* xs, const float* ys, int count, const uint8_t* outside,
                         uint8_t* dst);

// The sampler for pixels of `bytes` channels (1 to 4). With allInside every tap must lie in the plane (tapsStayInside).
Sampler findSampler(Filter filter, Wrap wrap, int bytes, bool allInside);

// True when every tap of the filter at every position of the rectangle spanned by two positions lies in the plane.
bool tapsStayInside(Filter filter, const Plane& plane, float x0, float y0, float x1, float y1);

}  // namespace CV
}  // namespace MNN

#endif
