// ImageProcess: from camera or picture pixels to a model's input: geometry, colour and normalisation in one pass.
#ifndef MNN_IMAGEPROCESS_HPP
#define MNN_IMAGEPROCESS_HPP

#include <stdint.h>
#include <MNN/ErrorCode.hpp>
#include <MNN/Matrix.h>
#include <MNN/Tensor.hpp>

namespace MNN {
namespace CV {

/// Pixel layouts; packed ones name their bytes in memory order. Every format can be a source, every packed one a
/// destination. Colours are 8-bit and full-range, hue and chroma as in OpenCV: U = 0.492 (B - Y) + 128,
/// V = 0.877 (R - Y) + 128, Cr = 0.713 (R - Y) + 128, Cb = 0.564 (B - Y) + 128. A missing alpha becomes 255.
enum ImageFormat {
    RGBA = 0,       ///< 4 bytes.
    RGB = 1,        ///< 3 bytes.
    BGR = 2,        ///< 3 bytes.
    GRAY = 3,       ///< 1 byte: (19 R + 38 G + 7 B) / 64, rounded down; from a YUV or YCrCb format, its Y.
    BGRA = 4,       ///< 4 bytes.
    YCrCb = 5,      ///< 3 bytes: Y, Cr, Cb.
    YUV = 6,        ///< 3 bytes: Y, U, V.
    HSV = 7,        ///< 3 bytes: hue in units of 2 degrees (0 to 179), saturation, value.
    XYZ = 8,        ///< 3 bytes: CIE X, Y, Z (D65 primaries, no gamma correction), clamped at 255.
    BGR555 = 9,     ///< 2 bytes, little-endian: blue in bits 0-4, green 5-9, red 10-14. Destination uint8 only.
    BGR565 = 10,    ///< 2 bytes, little-endian: blue in bits 0-4, green 5-10, red 11-15. Destination uint8 only.
    YUV_NV21 = 11,  ///< Plane of Y, then a half-size plane of V, U pairs. Source only.
    YUV_NV12 = 12,  ///< Plane of Y, then a half-size plane of U, V pairs. Source only.
    YUV_I420 = 13,  ///< Plane of Y, then half-size planes of U and of V. Source only.
    HSV_FULL = 14,  ///< As HSV with a full turn of hue in 256 units.
};

/// How a source position between pixels is read.
enum Filter {
    NEAREST = 0,   ///< The nearest pixel.
    BILINEAR = 1,  ///< 2x2 pixels, linear weights.
    BICUBIC = 2,   ///< 4x4 pixels, cubic convolution with a = -0.75.
};

/// What lies outside the source.
enum Wrap {
    CLAMP_TO_EDGE = 0,  ///< The border pixel, repeated.
    ZERO = 1,           ///< The value of setPadding in every channel.
    REPEAT = 2,         ///< The source again, tiled.
};

/// Samples an image through a matrix, converts its colour format, then subtracts a mean and multiplies by a factor:
///
///     dest(x, y)[c] = (colour(source(matrix * (x, y)))[c] - mean[c]) * normal[c]        float destinations
///     dest(x, y)[c] =  colour(source(matrix * (x, y)))[c]                               uint8 destinations
///
/// Pixel i covers position i exactly, without a half-pixel shift. Taps of a filter that fall outside follow
/// Config::wrap. An identity matrix copies pixels, whatever the filter. One ImageProcess must not be used by two
/// threads at once; several objects are independent.
class MNN_PUBLIC ImageProcess {
public:
    struct Inside;

    /// Everything fixed at creation.
    struct Config {
        /// How positions between pixels are read.
        Filter filterType = NEAREST;
        /// Layout of the pixels given to convert.
        ImageFormat sourceFormat = RGBA;
        /// Layout of the pixels convert writes.
        ImageFormat destFormat = RGBA;

        /// Per channel of destFormat, for float destinations: subtracted, then multiplied.
        float mean[4] = {0.0f, 0.0f, 0.0f, 0.0f};
        float normal[4] = {1.0f, 1.0f, 1.0f, 1.0f};

        /// What lies outside the source.
        Wrap wrap = CLAMP_TO_EDGE;
    };

    /// A processor for config. nullptr, with the reason in the log, when the pair of formats is not supported.
    /// dstTensor is a hint about the destination and may be nullptr. The caller owns the result.
    static ImageProcess* create(const Config& config, const Tensor* dstTensor = nullptr);
    /// The same from loose values. means and normals hold meanCount and normalCount values, at most 4 of which are
    /// used; the rest are 0 and 1.
    static ImageProcess* create(const ImageFormat sourceFormat = RGBA, const ImageFormat destFormat = RGBA,
                                const float* means = nullptr, const int meanCount = 0, const float* normals = nullptr,
                                const int normalCount = 0, const Tensor* dstTensor = nullptr);

    ~ImageProcess();
    /// Deletes a processor inside the library that allocated it. nullptr is allowed.
    static void destroy(ImageProcess* imageProcess);

    ImageProcess(const ImageProcess&) = delete;
    ImageProcess& operator=(const ImageProcess&) = delete;

    /// The matrix that maps a destination pixel to its source position; the identity at first.
    const Matrix& matrix() const { return mTransform; }
    /// Sets that matrix. For a resize: MakeScale(sourceWidth / destWidth, sourceHeight / destHeight). A matrix made
    /// from source to destination has to be inverted first.
    void setMatrix(const Matrix& matrix);

    /// Processes an image into a 4-D tensor of any layout, float or uint8 (batch 0 is written), whose extents say the
    /// destination size. When the tensor has more channels than destFormat, the others become zero; with fewer, the
    /// first ones are kept.
    ///
    /// `source` holds ih rows of iw pixels in sourceFormat, `stride` bytes apart (0: no gaps between rows). For the
    /// three YUV formats the planes follow each other and `stride` is that of the Y plane (the same for the VU or UV
    /// plane, half, rounded up, for each I420 plane).
    /// INVALID_VALUE or NOT_SUPPORT, with the reason in the log, on bad arguments.
    ErrorCode convert(const uint8_t* source, int iw, int ih, int stride, Tensor* dest);

    /// The same into memory: oh rows of ow pixels, interleaved channels. outputBpp is the number of channels per pixel
    /// (0: that of destFormat), outputStride the bytes from row to row (0: no gaps), `type` float32 or uint8.
    ErrorCode convert(const uint8_t* source, int iw, int ih, int stride, void* dest, int ow, int oh, int outputBpp = 0,
                      int outputStride = 0, halide_type_t type = halide_type_of<float>());

    /// An NHWC tensor {1, h, w, bpp}. With p it uses that memory, which must outlive it. The caller owns the tensor.
    template <typename T>
    static Tensor* createImageTensor(int w, int h, int bpp, void* p = nullptr) {
        return createImageTensor(halide_type_of<T>(), w, h, bpp, p);
    }
    static Tensor* createImageTensor(halide_type_t type, int w, int h, int bpp, void* p = nullptr);

    /// What Wrap ZERO puts outside the source, 0 at first: the gray of this value, whatever the source format, with the
    /// same value for alpha.
    void setPadding(uint8_t value);

    /// Announces that draw will be called. draw needs no preparation here; code written for MNN calls this first.
    void setDraw();
    /// Paints horizontal spans into an image of h rows of w pixels of c bytes, in place. regions holds num triples
    /// {y, first x, last x}, both ends painted; parts outside the image are left out. color holds c bytes.
    void draw(uint8_t* img, int w, int h, int c, const int* regions, int num, const uint8_t* color);

private:
    explicit ImageProcess(Inside* inside);

    Matrix mTransform;
    Inside* mInside;
};

}  // namespace CV
}  // namespace MNN

#endif
