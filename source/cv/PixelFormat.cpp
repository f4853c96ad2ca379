// Conversions of pixel rows. Gray and YUV to RGB follow MNN's integer formulas (6 fraction bits), the rest OpenCV's for
// 8-bit images, so that models see the values they were trained on.
#include "cv/PixelFormat.hpp"

#include <cstring>

namespace MNN {
namespace CV {

namespace {

inline uint8_t clampByte(int v) { return static_cast<uint8_t>(v < 0 ? 0 : v > 255 ? 255 : v); }

inline uint8_t roundByte(float v) { return clampByte(static_cast<int>(v < 0 ? 0 : v > 255 ? 255.5f : v + 0.5f)); }

// Fixed-point rounding; the shift of a negative number rounds down, as in the formulas' sources.
template <int kBits>
inline int descale(int v) {
    return (v + (1 << (kBits - 1))) >> kBits;
}

// Where the channels of an RGB-like pixel are. kAlpha -1: no such channel.
template <int kR, int kG, int kB, int kAlpha, int kBytes>
struct RgbLayout {
    static constexpr int r = kR, g = kG, b = kB, alpha = kAlpha, bytes = kBytes;
};
using LayoutRgba = RgbLayout<0, 1, 2, 3, 4>;
using LayoutBgra = RgbLayout<2, 1, 0, 3, 4>;
using LayoutRgb = RgbLayout<0, 1, 2, -1, 3>;
using LayoutBgr = RgbLayout<2, 1, 0, -1, 3>;

template <typename From, typename To>
void swizzle(const uint8_t* src, uint8_t* dst, int count) {
    for (int i = 0; i < count; ++i, src += From::bytes, dst += To::bytes) {
        dst[To::r] = src[From::r];
        dst[To::g] = src[From::g];
        dst[To::b] = src[From::b];
        if (To::alpha >= 0) dst[To::alpha & 3] = From::alpha >= 0 ? src[From::alpha & 3] : 255;
    }
}

inline uint8_t luma(int r, int g, int b) { return static_cast<uint8_t>((19 * r + 38 * g + 7 * b) >> 6); }

template <typename From>
void toGray(const uint8_t* src, uint8_t* dst, int count) {
    for (int i = 0; i < count; ++i, src += From::bytes) dst[i] = luma(src[From::r], src[From::g], src[From::b]);
}

template <int kBytes>
void spreadGray(const uint8_t* src, uint8_t* dst, int count) {
    for (int i = 0; i < count; ++i, dst += kBytes) {
        dst[0] = dst[1] = dst[2] = src[i];
        if (kBytes == 4) dst[kBytes - 1] = 255;
    }
}

void firstOfThree(const uint8_t* src, uint8_t* dst, int count) {
    for (int i = 0; i < count; ++i) dst[i] = src[3 * i];
}

// Y of the three-byte formats, 14 fraction bits.
inline int fullLuma(const uint8_t* p) { return descale<14>(4899 * p[0] + 9617 * p[1] + 1868 * p[2]); }

void rgbaToYCrCb(const uint8_t* src, uint8_t* dst, int count) {
    for (int i = 0; i < count; ++i, src += 4, dst += 3) {
        const int y = fullLuma(src);
        dst[0] = clampByte(y);
        dst[1] = clampByte(descale<14>((src[0] - y) * 11682) + 128);
        dst[2] = clampByte(descale<14>((src[2] - y) * 9241) + 128);
    }
}

void yCrCbToRgba(const uint8_t* src, uint8_t* dst, int count) {
    for (int i = 0; i < count; ++i, src += 3, dst += 4) {
        const int y = src[0], cr = src[1] - 128, cb = src[2] - 128;
        dst[0] = clampByte(y + descale<14>(22987 * cr));
        dst[1] = clampByte(y + descale<14>(-11698 * cr - 5636 * cb));
        dst[2] = clampByte(y + descale<14>(29049 * cb));
        dst[3] = 255;
    }
}

void rgbaToYuv(const uint8_t* src, uint8_t* dst, int count) {
    for (int i = 0; i < count; ++i, src += 4, dst += 3) {
        const int y = fullLuma(src);
        dst[0] = clampByte(y);
        dst[1] = clampByte(descale<14>((src[2] - y) * 8061) + 128);
        dst[2] = clampByte(descale<14>((src[0] - y) * 14369) + 128);
    }
}

template <typename To>
void yuvTo(const uint8_t* src, uint8_t* dst, int count) {
    for (int i = 0; i < count; ++i, src += 3, dst += To::bytes) {
        const int y = src[0] * 64, u = src[1] - 128, v = src[2] - 128;
        dst[To::r] = clampByte((y + 73 * v) >> 6);
        dst[To::g] = clampByte((y - 25 * u - 37 * v) >> 6);
        dst[To::b] = clampByte((y + 130 * u) >> 6);
        if (To::alpha >= 0) dst[To::alpha & 3] = 255;
    }
}

// Hue by the largest channel: each owns a third of the turn, centred on it.
template <int kTurn>
void rgbaToHsv(const uint8_t* src, uint8_t* dst, int count) {
    for (int i = 0; i < count; ++i, src += 4, dst += 3) {
        const int r = src[0], g = src[1], b = src[2];
        const int rg = r > g ? r : g, rgMin = r < g ? r : g;
        const int value = rg > b ? rg : b;
        const int range = value - (rgMin < b ? rgMin : b);
        int sixths = 0;  // hue in units of range / 6 turns
        if (value == r) {
            sixths = g - b;
        } else if (value == g) {
            sixths = b - r + 2 * range;
        } else {
            sixths = r - g + 4 * range;
        }
        const float hue = range == 0 ? 0.0f : static_cast<float>(sixths * kTurn) / static_cast<float>(6 * range);
        int units = static_cast<int>(hue < 0 ? hue - 0.5f : hue + 0.5f);
        if (units < 0) units += kTurn;
        dst[0] = clampByte(units);
        dst[1] = value == 0 ? 0 : static_cast<uint8_t>((255 * range * 2 + value) / (2 * value));
        dst[2] = static_cast<uint8_t>(value);
    }
}

template <int kTurn>
void hsvToRgba(const uint8_t* src, uint8_t* dst, int count) {
    for (int i = 0; i < count; ++i, src += 3, dst += 4) {
        const float hue = static_cast<float>(src[0] % kTurn) * (6.0f / kTurn);
        const int sector = static_cast<int>(hue);
        const float part = hue - static_cast<float>(sector);
        const float saturation = static_cast<float>(src[1]) / 255.0f, value = src[2];
        const uint8_t top = src[2];
        const uint8_t low = roundByte(value * (1 - saturation));
        const uint8_t falling = roundByte(value * (1 - saturation * part));
        const uint8_t rising = roundByte(value * (1 - saturation * (1 - part)));
        const uint8_t table[6][3] = {{top, rising, low},  {falling, top, low}, {low, top, rising},
                                     {low, falling, top}, {rising, low, top},  {top, low, falling}};
        memcpy(dst, table[sector], 3);
        dst[3] = 255;
    }
}

void rgbaToXyz(const uint8_t* src, uint8_t* dst, int count) {
    for (int i = 0; i < count; ++i, src += 4, dst += 3) {
        const int r = src[0], g = src[1], b = src[2];
        dst[0] = clampByte(descale<12>(1689 * r + 1465 * g + 739 * b));
        dst[1] = clampByte(descale<12>(871 * r + 2929 * g + 296 * b));
        dst[2] = clampByte(descale<12>(79 * r + 488 * g + 3892 * b));
    }
}

void xyzToRgba(const uint8_t* src, uint8_t* dst, int count) {
    for (int i = 0; i < count; ++i, src += 3, dst += 4) {
        const int x = src[0], y = src[1], z = src[2];
        dst[0] = clampByte(descale<12>(13273 * x - 6296 * y - 2042 * z));
        dst[1] = clampByte(descale<12>(-3970 * x + 7684 * y + 170 * z));
        dst[2] = clampByte(descale<12>(228 * x - 836 * y + 4331 * z));
        dst[3] = 255;
    }
}

// kGreenBits 5 or 6; little-endian on every machine.
template <int kGreenBits>
void rgbaToPacked16(const uint8_t* src, uint8_t* dst, int count) {
    for (int i = 0; i < count; ++i, src += 4, dst += 2) {
        const int word = (src[2] >> 3) | (src[1] >> (8 - kGreenBits)) << 5 | (src[0] >> 3) << (5 + kGreenBits);
        dst[0] = static_cast<uint8_t>(word);
        dst[1] = static_cast<uint8_t>(word >> 8);
    }
}

// Repeats the high bits below the low ones, so that full stays full.
template <int kBits>
inline uint8_t widen(int v) {
    return static_cast<uint8_t>(v << (8 - kBits) | v >> (2 * kBits - 8));
}

template <int kGreenBits>
void packed16ToRgba(const uint8_t* src, uint8_t* dst, int count) {
    for (int i = 0; i < count; ++i, src += 2, dst += 4) {
        const int word = src[0] | src[1] << 8;
        dst[0] = widen<5>(word >> (5 + kGreenBits) & 31);
        dst[1] = widen<kGreenBits>(word >> 5 & ((1 << kGreenBits) - 1));
        dst[2] = widen<5>(word & 31);
        dst[3] = 255;
    }
}

constexpr int kFormats = 15;

// In the order of ImageFormat.
const PixelFormat kTable[kFormats] = {
    {"RGBA", 4, false, true, nullptr, nullptr},
    {"RGB", 3, false, true, swizzle<LayoutRgb, LayoutRgba>, swizzle<LayoutRgba, LayoutRgb>},
    {"BGR", 3, false, true, swizzle<LayoutBgr, LayoutRgba>, swizzle<LayoutRgba, LayoutBgr>},
    {"GRAY", 1, false, true, spreadGray<4>, toGray<LayoutRgba>},
    {"BGRA", 4, false, true, swizzle<LayoutBgra, LayoutRgba>, swizzle<LayoutRgba, LayoutBgra>},
    {"YCrCb", 3, false, true, yCrCbToRgba, rgbaToYCrCb},
    {"YUV", 3, false, true, yuvTo<LayoutRgba>, rgbaToYuv},
    {"HSV", 3, false, false, hsvToRgba<180>, rgbaToHsv<180>},
    {"XYZ", 3, false, true, xyzToRgba, rgbaToXyz},
    {"BGR555", 2, false, false, packed16ToRgba<5>, rgbaToPacked16<5>},
    {"BGR565", 2, false, false, packed16ToRgba<6>, rgbaToPacked16<6>},
    {"YUV_NV21", 3, true, true, yuvTo<LayoutRgba>, nullptr},
    {"YUV_NV12", 3, true, true, yuvTo<LayoutRgba>, nullptr},
    {"YUV_I420", 3, true, true, yuvTo<LayoutRgba>, nullptr},
    {"HSV_FULL", 3, false, false, hsvToRgba<256>, rgbaToHsv<256>},
};

// Pairs worth one step: no detour through RGBA, and the luma of YUV as it is.
struct DirectPair {
    ImageFormat source, dest;
    RowConverter run;
};
const DirectPair kDirect[] = {
    {RGB, BGR, swizzle<LayoutRgb, LayoutBgr>},
    {BGR, RGB, swizzle<LayoutBgr, LayoutRgb>},
    {RGB, BGRA, swizzle<LayoutRgb, LayoutBgra>},
    {BGR, BGRA, swizzle<LayoutBgr, LayoutBgra>},
    {BGRA, RGB, swizzle<LayoutBgra, LayoutRgb>},
    {BGRA, BGR, swizzle<LayoutBgra, LayoutBgr>},
    {RGB, GRAY, toGray<LayoutRgb>},
    {BGR, GRAY, toGray<LayoutBgr>},
    {BGRA, GRAY, toGray<LayoutBgra>},
    {GRAY, RGB, spreadGray<3>},
    {GRAY, BGR, spreadGray<3>},
    {GRAY, BGRA, spreadGray<4>},
    {YUV, GRAY, firstOfThree},
    {YCrCb, GRAY, firstOfThree},
    {YUV, RGB, yuvTo<LayoutRgb>},
    {YUV, BGR, yuvTo<LayoutBgr>},
    {YUV, BGRA, yuvTo<LayoutBgra>},
};

}  // namespace

const PixelFormat* pixelFormat(ImageFormat format) {
    const int index = static_cast<int>(format);
    return index >= 0 && index < kFormats ? &kTable[index] : nullptr;
}

void grayPixel(ImageFormat format, uint8_t level, uint8_t pixel[4]) {
    const uint8_t rgba[4] = {level, level, level, level};
    const PixelFormat& f = kTable[format];
    const RowConverter fromRgba = f.planarYuv ? kTable[YUV].fromRgba : f.fromRgba;
    if (fromRgba) {
        fromRgba(rgba, pixel, 1);
    } else {
        memcpy(pixel, rgba, 4);
    }
}

bool ColorConversion::prepare(ImageFormat source, ImageFormat dest) {
    const PixelFormat* from = pixelFormat(source);
    const PixelFormat* to = pixelFormat(dest);
    if (!from || !to || to->planarYuv) return false;
    // A sampled row of a planar format is a row of YUV triples.
    const ImageFormat row = from->planarYuv ? YUV : source;
    mCopyBytes = row == dest ? to->bytes : 0;
    mFirst = mSecond = nullptr;
    for (const DirectPair& pair : kDirect) {
        if (pair.source == row && pair.dest == dest) mFirst = pair.run;
    }
    if (mCopyBytes || mFirst) return true;
    mFirst = from->toRgba;
    mSecond = to->fromRgba;
    if (!mFirst) {
        mFirst = mSecond;
        mSecond = nullptr;
    }
    return mFirst != nullptr;
}

void ColorConversion::run(const uint8_t* src, uint8_t* dst, int count) const {
    if (mCopyBytes) {
        memcpy(dst, src, static_cast<size_t>(count) * mCopyBytes);
    } else if (!mSecond) {
        mFirst(src, dst, count);
    } else {
        uint8_t rgba[kRowChunk * 4];
        mFirst(src, rgba, count);
        mSecond(rgba, dst, count);
    }
}

}  // namespace CV
}  // namespace MNN
