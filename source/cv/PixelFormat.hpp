// Pixel formats as rows of bytes: names, sizes, and conversion from one to another.
#ifndef MNN_CV_PIXELFORMAT_HPP
#define MNN_CV_PIXELFORMAT_HPP

#include <MNN/ImageProcess.hpp>

namespace MNN {
namespace CV {

// Converts `count` pixels. src and dst do not overlap.
using RowConverter = void (*)(const uint8_t* src, uint8_t* dst, int count);

struct PixelFormat {
    const char* name;
    // Bytes of a packed pixel; for the planar YUV formats, of the Y, U, V triples that a sampled row consists of.
    int bytes;
    bool planarYuv;
    // Neighbouring pixels may be averaged byte by byte.
    bool interpolable;
    // To and from RGBA; null for RGBA itself, fromRgba also for what cannot be written.
    RowConverter toRgba;
    RowConverter fromRgba;
};

// nullptr for a value that is no format.
const PixelFormat* pixelFormat(ImageFormat format);

// The bytes of one pixel that shows the gray `level`, alpha included.
void grayPixel(ImageFormat format, uint8_t level, uint8_t pixel[4]);

// Pixels that ColorConversion::run takes at once.
constexpr int kRowChunk = 256;

// The way from one format to another: one step, or two by way of RGBA.
class ColorConversion {
public:
    // False when the pair is not supported.
    bool prepare(ImageFormat source, ImageFormat dest);
    // True when source and destination bytes are the same.
    bool isCopy() const { return mCopyBytes > 0; }
    // At most kRowChunk pixels.
    void run(const uint8_t* src, uint8_t* dst, int count) const;

private:
    int mCopyBytes = 0;
    RowConverter mFirst = nullptr;
    RowConverter mSecond = nullptr;
};

}  // namespace CV
}  // namespace MNN

#endif
