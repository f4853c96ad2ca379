// Strided stores, with a fast way for interleaved rows.
#include "cv/ImageWriter.hpp"

#include <cstring>

namespace MNN {
namespace CV {

namespace {

// Interleaved with as many channels as the pixels have: one pass, the channel loop unrolled.
template <int kBytes>
void writeFloatInterleaved(float* dst, const uint8_t* pixels, int count, const float* mean, const float* normal) {
    for (int i = 0; i < count; ++i) {
        for (int c = 0; c < kBytes; ++c) {
            dst[i * kBytes + c] = (static_cast<float>(pixels[i * kBytes + c]) - mean[c]) * normal[c];
        }
    }
}

bool writeInterleaved(float* dst, const uint8_t* pixels, int bytes, int count, const float* mean, const float* normal) {
    switch (bytes) {
        case 1:
            writeFloatInterleaved<1>(dst, pixels, count, mean, normal);
            return true;
        case 3:
            writeFloatInterleaved<3>(dst, pixels, count, mean, normal);
            return true;
        case 4:
            writeFloatInterleaved<4>(dst, pixels, count, mean, normal);
            return true;
        default:
            return false;
    }
}

bool writeInterleaved(uint8_t* dst, const uint8_t* pixels, int bytes, int count, const float*, const float*) {
    memcpy(dst, pixels, static_cast<size_t>(bytes) * count);
    return true;
}

inline float element(uint8_t v, float mean, float normal, const float*) {
    return (static_cast<float>(v) - mean) * normal;
}
inline uint8_t element(uint8_t v, float, float, const uint8_t*) { return v; }

// One channel; the planar case keeps its stride a constant so that stores are whole vectors.
template <typename T>
void writeChannel(T* dst, ptrdiff_t step, const uint8_t* src, int bytes, int count, float mean, float normal) {
    if (step == 1) {
        for (int i = 0; i < count; ++i) dst[i] = element(src[i * bytes], mean, normal, dst);
    } else {
        for (int i = 0; i < count; ++i) dst[i * step] = element(src[i * bytes], mean, normal, dst);
    }
}

template <typename T>
void write(T* row, const ImageTarget& target, const uint8_t* pixels, int bytes, int count, const float* mean,
           const float* normal) {
    const bool interleaved = target.block == bytes && target.channels == bytes && target.pixelStride == bytes;
    if (interleaved && writeInterleaved(row, pixels, bytes, count, mean, normal)) return;
    for (int c = 0; c < target.channels; ++c) {
        T* dst = row + c / target.block * target.blockStride + c % target.block;
        if (c < bytes) {
            writeChannel(dst, target.pixelStride, pixels + c, bytes, count, mean[c], normal[c]);
        } else {
            for (int i = 0; i < count; ++i) dst[i * target.pixelStride] = T(0);
        }
    }
}

}  // namespace

ImageTarget interleavedTarget(void* data, int width, int height, int channels, int strideBytes, bool isFloat) {
    ImageTarget target;
    target.data = data;
    target.isFloat = isFloat;
    target.width = width;
    target.height = height;
    target.channels = channels;
    const ptrdiff_t packed = static_cast<ptrdiff_t>(width) * channels * (isFloat ? 4 : 1);
    target.rowStrideBytes = strideBytes != 0 ? strideBytes : packed;
    target.pixelStride = channels;
    target.block = channels;
    return target;
}

ImageTarget tensorTarget(Tensor* tensor) {
    const int width = tensor->width(), height = tensor->height(), channels = tensor->channel();
    const bool isFloat = tensor->getType() == halide_type_of<float>();
    ImageTarget target = interleavedTarget(tensor->host<void>(), width, height, channels, 0, isFloat);
    if (tensor->getDimensionType() == Tensor::TENSORFLOW) return target;
    target.block = tensor->getDimensionType() == Tensor::CAFFE_C4 ? 4 : 1;
    target.channels = (channels + target.block - 1) / target.block * target.block;
    target.pixelStride = target.block;
    target.rowStrideBytes = static_cast<ptrdiff_t>(width) * target.block * (isFloat ? 4 : 1);
    target.blockStride = static_cast<ptrdiff_t>(width) * height * target.block;
    return target;
}

void writePixels(const ImageTarget& target, int x, int y, const uint8_t* pixels, int bytes, int count,
                 const float mean[4], const float normal[4]) {
    uint8_t* row = static_cast<uint8_t*>(target.data) + y * target.rowStrideBytes;
    const ptrdiff_t first = x * target.pixelStride;
    if (target.isFloat) {
        write(reinterpret_cast<float*>(row) + first, target, pixels, bytes, count, mean, normal);
    } else {
        write(row + first, target, pixels, bytes, count, mean, normal);
    }
}

}  // namespace CV
}  // namespace MNN
