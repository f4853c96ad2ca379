// For each chunk of a destination row: map positions, sample, convert colours, write.
#include <MNN/ImageProcess.hpp>

#include <climits>
#include <memory>
#include <new>
#include "cv/ImageSampler.hpp"
#include "cv/ImageWriter.hpp"
#include "cv/PixelFormat.hpp"

namespace MNN {
namespace CV {

struct ImageProcess::Inside {
    Config config;
    ColorConversion conversion;
    uint8_t padding = 0;

    // Arguments are checked.
    ErrorCode run(const uint8_t* pixels, int width, int height, int stride, const Matrix& matrix,
                  const ImageTarget& target) const;
};

namespace {

// The source as the sampler sees it: one plane of packed pixels, or a plane of Y and one or two of chroma.
struct Source {
    Plane plane;
    int bytes = 0;  // of a pixel of `plane`
    Plane chroma[2];
    int chromaPlanes = 0;
    bool vuOrder = false;
    uint8_t outside[4];
};

// Positions and samples of one chunk.
struct Chunk {
    float xs[kRowChunk], ys[kRowChunk];
    uint8_t sampled[kRowChunk * 4];
    uint8_t converted[kRowChunk * 4];
};

Source describeSource(const ImageProcess::Config& config, uint8_t padding, const uint8_t* pixels, int width, int height,
                      int stride) {
    const PixelFormat& format = *pixelFormat(config.sourceFormat);
    Source source;
    source.bytes = format.planarYuv ? 1 : format.bytes;
    const ptrdiff_t rowBytes = stride != 0 ? stride : static_cast<ptrdiff_t>(width) * source.bytes;
    source.plane = {pixels, width, height, rowBytes};
    grayPixel(config.sourceFormat, padding, source.outside);
    if (!format.planarYuv) return source;
    const int halfWidth = (width + 1) / 2, halfHeight = (height + 1) / 2;
    const uint8_t* chroma = pixels + rowBytes * height;
    if (config.sourceFormat == YUV_I420) {
        const ptrdiff_t halfRow = (rowBytes + 1) / 2;
        source.chroma[0] = {chroma, halfWidth, halfHeight, halfRow};
        source.chroma[1] = {chroma + halfRow * halfHeight, halfWidth, halfHeight, halfRow};
        source.chromaPlanes = 2;
    } else {
        // Pairs of an odd width need one byte more than Y has.
        const ptrdiff_t pairRow = stride != 0 ? stride : static_cast<ptrdiff_t>(halfWidth) * 2;
        source.chroma[0] = {chroma, halfWidth, halfHeight, pairRow};
        source.chromaPlanes = 1;
        source.vuOrder = config.sourceFormat == YUV_NV21;
    }
    return source;
}

// Source positions of destination pixels x .. x + count - 1 of row y.
void mapRow(const Matrix& m, int x, int y, int count, float* xs, float* ys) {
    const double baseX = double(m[1]) * y + m[2], baseY = double(m[4]) * y + m[5];
    const float originX = static_cast<float>(baseX + double(m[0]) * x);
    const float originY = static_cast<float>(baseY + double(m[3]) * x);
    const float stepX = m[0], stepY = m[3];
    for (int i = 0; i < count; ++i) {
        xs[i] = originX + stepX * static_cast<float>(i);
        ys[i] = originY + stepY * static_cast<float>(i);
    }
    if (!(m.getType() & Matrix::kPerspective_Mask)) return;
    const float originW = static_cast<float>(double(m[7]) * y + m[8] + double(m[6]) * x);
    for (int i = 0; i < count; ++i) {
        const float w = originW + m[6] * static_cast<float>(i);
        const float scale = w != 0 ? 1 / w : 0;
        xs[i] *= scale;
        ys[i] *= scale;
    }
}

class RowSampler {
public:
    RowSampler(const Source& source, Filter filter, Wrap wrap, bool affine)
        : mSource(source), mFilter(filter), mWrap(wrap), mAffine(affine) {}

    void sample(Chunk& chunk, int count) const {
        if (mSource.chromaPlanes == 0) {
            samplePlane(mSource.plane, mSource.bytes, chunk.xs, chunk.ys, count, mSource.outside, chunk.sampled);
        } else {
            sampleYuv(chunk, count);
        }
    }

private:
    void samplePlane(const Plane& plane, int bytes, const float* xs, const float* ys, int count, const uint8_t* outside,
                     uint8_t* dst) const {
        // An affine row is a straight line, so its ends bound it.
        const bool inside = mAffine && tapsStayInside(mFilter, plane, xs[0], ys[0], xs[count - 1], ys[count - 1]);
        findSampler(mFilter, mWrap, bytes, inside)(plane, xs, ys, count, outside, dst);
    }

    // Makes Y, U, V triples. A chroma sample sits in the middle of its 2x2 pixels.
    void sampleYuv(Chunk& chunk, int count) const {
        uint8_t luma[kRowChunk], chroma[2][kRowChunk * 2];
        samplePlane(mSource.plane, 1, chunk.xs, chunk.ys, count, mSource.outside, luma);
        for (int i = 0; i < count; ++i) {
            chunk.xs[i] = chunk.xs[i] * 0.5f - 0.25f;
            chunk.ys[i] = chunk.ys[i] * 0.5f - 0.25f;
        }
        const int bytes = mSource.chromaPlanes == 1 ? 2 : 1;
        for (int p = 0; p < mSource.chromaPlanes; ++p) {
            samplePlane(mSource.chroma[p], bytes, chunk.xs, chunk.ys, count, mSource.outside + 1, chroma[p]);
        }
        const uint8_t* u = mSource.vuOrder ? chroma[0] + 1 : chroma[0];
        const uint8_t* v = bytes == 1 ? chroma[1] : mSource.vuOrder ? chroma[0] : chroma[0] + 1;
        for (int i = 0; i < count; ++i) {
            chunk.sampled[3 * i] = luma[i];
            chunk.sampled[3 * i + 1] = u[i * bytes];
            chunk.sampled[3 * i + 2] = v[i * bytes];
        }
    }

    const Source& mSource;
    Filter mFilter;
    Wrap mWrap;
    bool mAffine;
};

// Pixels of an identity matrix need no sampling: they lie in the source as they are wanted.
const uint8_t* pixelsInPlace(const Source& source, int x, int y, int count) {
    const bool inside = source.chromaPlanes == 0 && y < source.plane.height && x + count <= source.plane.width;
    return inside ? source.plane.pixels + y * source.plane.stride + static_cast<ptrdiff_t>(x) * source.bytes : nullptr;
}

void processRows(const ImageProcess::Config& config, const ColorConversion& conversion, const Source& source,
                 const Matrix& matrix, const ImageTarget& target) {
    const bool identity = matrix.isIdentity();
    const bool affine = !(matrix.getType() & Matrix::kPerspective_Mask);
    const RowSampler sampler(source, identity ? NEAREST : config.filterType, config.wrap, affine);
    const int bytes = pixelFormat(config.destFormat)->bytes;
    Chunk chunk;
    for (int y = 0; y < target.height; ++y) {
        for (int x = 0; x < target.width; x += kRowChunk) {
            const int count = target.width - x < kRowChunk ? target.width - x : kRowChunk;
            const uint8_t* pixels = identity ? pixelsInPlace(source, x, y, count) : nullptr;
            if (!pixels) {
                mapRow(matrix, x, y, count, chunk.xs, chunk.ys);
                sampler.sample(chunk, count);
                pixels = chunk.sampled;
            }
            if (!conversion.isCopy()) {
                conversion.run(pixels, chunk.converted, count);
                pixels = chunk.converted;
            }
            writePixels(target, x, y, pixels, bytes, count, config.mean, config.normal);
        }
    }
}

// Hues and packed bits cannot be averaged: such a source becomes RGBA first, all of it.
ErrorCode processThroughRgba(ImageProcess::Config config, uint8_t padding, const Source& source, const Matrix& matrix,
                             const ImageTarget& target) {
    const int width = source.plane.width, height = source.plane.height;
    const size_t rowBytes = static_cast<size_t>(width) * 4;
    std::unique_ptr<uint8_t[]> rgba(new (std::nothrow) uint8_t[rowBytes * height]);
    if (!rgba) {
        MNN_ERROR("ImageProcess: no memory for a %d x %d RGBA copy of the source.", width, height);
        return OUT_OF_MEMORY;
    }
    const RowConverter toRgba = pixelFormat(config.sourceFormat)->toRgba;
    for (int y = 0; y < height; ++y) {
        toRgba(source.plane.pixels + y * source.plane.stride, rgba.get() + y * rowBytes, width);
    }
    config.sourceFormat = RGBA;
    ColorConversion conversion;
    conversion.prepare(config.sourceFormat, config.destFormat);
    const Source copy = describeSource(config, padding, rgba.get(), width, height, 0);
    processRows(config, conversion, copy, matrix, target);
    return NO_ERROR;
}

bool checkSource(const uint8_t* pixels, int width, int height, int stride, ImageFormat format) {
    const PixelFormat& f = *pixelFormat(format);
    if (!pixels || width <= 0 || height <= 0) {
        MNN_ERROR("ImageProcess: the source is empty (%d x %d pixels).", width, height);
        return false;
    }
    const bool pairs = format == YUV_NV21 || format == YUV_NV12;
    const int64_t pixelBytes = f.planarYuv ? 1 : f.bytes;
    const int64_t least = pairs ? (width + int64_t(1)) / 2 * 2 : width * pixelBytes;
    if (least > INT_MAX || (stride != 0 && stride < least)) {
        MNN_ERROR("ImageProcess: a stride of %d bytes cannot hold rows of %d pixels of %s.", stride, width, f.name);
        return false;
    }
    return true;
}

bool checkElementType(halide_type_t type, ImageFormat format) {
    const PixelFormat& f = *pixelFormat(format);
    const bool isFloat = type == halide_type_of<float>();
    if (!isFloat && type != halide_type_of<uint8_t>()) {
        MNN_ERROR("ImageProcess: the destination's type (code %d, %d bits) is neither float32 nor uint8.",
                  static_cast<int>(type.code), type.bits);
        return false;
    }
    if (isFloat && f.bytes == 2) {
        MNN_ERROR("ImageProcess: %s packs bits and needs a uint8 destination.", f.name);
        return false;
    }
    return true;
}

}  // namespace

ErrorCode ImageProcess::Inside::run(const uint8_t* pixels, int width, int height, int stride, const Matrix& matrix,
                                    const ImageTarget& target) const {
    const Source source = describeSource(config, padding, pixels, width, height, stride);
    const bool averages = config.filterType != NEAREST && !matrix.isIdentity();
    if (averages && !pixelFormat(config.sourceFormat)->interpolable) {
        return processThroughRgba(config, padding, source, matrix, target);
    }
    processRows(config, conversion, source, matrix, target);
    return NO_ERROR;
}

ImageProcess::ImageProcess(Inside* inside) : mInside(inside) {}

ImageProcess::~ImageProcess() { delete mInside; }

void ImageProcess::destroy(ImageProcess* imageProcess) { delete imageProcess; }

ImageProcess* ImageProcess::create(const Config& config, const Tensor* /*dstTensor*/) {
    const PixelFormat* source = pixelFormat(config.sourceFormat);
    const PixelFormat* dest = pixelFormat(config.destFormat);
    std::unique_ptr<Inside> inside(new (std::nothrow) Inside);
    if (!inside) return nullptr;
    if (!inside->conversion.prepare(config.sourceFormat, config.destFormat)) {
        MNN_ERROR("ImageProcess: cannot convert %s (%d) to %s (%d); planar YUV formats are sources only.",
                  source ? source->name : "an unknown format", static_cast<int>(config.sourceFormat),
                  dest ? dest->name : "an unknown format", static_cast<int>(config.destFormat));
        return nullptr;
    }
    inside->config = config;
    ImageProcess* made = new (std::nothrow) ImageProcess(inside.get());
    if (made) inside.release();
    return made;
}

ImageProcess* ImageProcess::create(const ImageFormat sourceFormat, const ImageFormat destFormat, const float* means,
                                   const int meanCount, const float* normals, const int normalCount,
                                   const Tensor* dstTensor) {
    Config config;
    config.sourceFormat = sourceFormat;
    config.destFormat = destFormat;
    for (int i = 0; means && i < meanCount && i < 4; ++i) config.mean[i] = means[i];
    for (int i = 0; normals && i < normalCount && i < 4; ++i) config.normal[i] = normals[i];
    return create(config, dstTensor);
}

void ImageProcess::setMatrix(const Matrix& matrix) { mTransform = matrix; }

void ImageProcess::setPadding(uint8_t value) { mInside->padding = value; }

ErrorCode ImageProcess::convert(const uint8_t* source, int iw, int ih, int stride, void* dest, int ow, int oh,
                                int outputBpp, int outputStride, halide_type_t type) {
    const Config& config = mInside->config;
    if (!checkSource(source, iw, ih, stride, config.sourceFormat) || !checkElementType(type, config.destFormat)) {
        return INVALID_VALUE;
    }
    const int channels = outputBpp > 0 ? outputBpp : pixelFormat(config.destFormat)->bytes;
    const int64_t rowBytes = static_cast<int64_t>(ow) * channels * type.bytes();
    if (!dest || ow <= 0 || oh <= 0 || rowBytes > INT_MAX || (outputStride != 0 && outputStride < rowBytes)) {
        MNN_ERROR("ImageProcess: the destination (%d x %d pixels, %d channels, %d bytes a row) is empty or too narrow.",
                  ow, oh, channels, outputStride);
        return INVALID_VALUE;
    }
    const bool isFloat = type == halide_type_of<float>();
    return mInside->run(source, iw, ih, stride, mTransform,
                        interleavedTarget(dest, ow, oh, channels, outputStride, isFloat));
}

ErrorCode ImageProcess::convert(const uint8_t* source, int iw, int ih, int stride, Tensor* dest) {
    const Config& config = mInside->config;
    if (!dest || dest->dimensions() != 4) {
        MNN_ERROR("ImageProcess: the destination tensor must have 4 dimensions, not %d.",
                  dest ? dest->dimensions() : 0);
        return INVALID_VALUE;
    }
    if (!checkSource(source, iw, ih, stride, config.sourceFormat) ||
        !checkElementType(dest->getType(), config.destFormat)) {
        return INVALID_VALUE;
    }
    if (dest->batch() <= 0 || dest->channel() <= 0 || dest->height() <= 0 || dest->width() <= 0) {
        MNN_ERROR("ImageProcess: the destination tensor is empty: %d x %d x %d x %d.", dest->length(0), dest->length(1),
                  dest->length(2), dest->length(3));
        return INVALID_VALUE;
    }
    if (dest->host<void>()) return mInside->run(source, iw, ih, stride, mTransform, tensorTarget(dest));

    std::unique_ptr<Tensor> host(new (std::nothrow) Tensor(dest, dest->getDimensionType(), true));
    if (!host || !host->host<void>()) {
        MNN_ERROR("ImageProcess: no memory for a host copy of the destination tensor.");
        return OUT_OF_MEMORY;
    }
    // Only batch 0 is written, so the others have to be there.
    if (dest->batch() > 1 && !dest->copyToHostTensor(host.get())) return INVALID_VALUE;
    const ErrorCode code = mInside->run(source, iw, ih, stride, mTransform, tensorTarget(host.get()));
    if (code != NO_ERROR) return code;
    return dest->copyFromHostTensor(host.get()) ? NO_ERROR : INVALID_VALUE;
}

Tensor* ImageProcess::createImageTensor(halide_type_t type, int w, int h, int bpp, void* p) {
    return Tensor::create({1, h, w, bpp}, type, p, Tensor::TENSORFLOW);
}

void ImageProcess::setDraw() {}

void ImageProcess::draw(uint8_t* img, int w, int h, int c, const int* regions, int num, const uint8_t* color) {
    if (!img || !regions || !color || c <= 0) return;
    for (int i = 0; i < num; ++i) {
        const int y = regions[3 * i];
        const int first = regions[3 * i + 1] < 0 ? 0 : regions[3 * i + 1];
        const int last = regions[3 * i + 2] >= w ? w - 1 : regions[3 * i + 2];
        if (y < 0 || y >= h) continue;
        uint8_t* row = img + static_cast<ptrdiff_t>(y) * w * c;
        for (int x = first; x <= last; ++x) {
            for (int k = 0; k < c; ++k) row[static_cast<ptrdiff_t>(x) * c + k] = color[k];
        }
    }
}

}  // namespace CV
}  // namespace MNN
