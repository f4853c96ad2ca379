// Colour conversion: each format to and from RGBA against formulas in double, then every pair against the two steps.
#include <gtest/gtest.h>

#include <MNN/Log.hpp>
#include <algorithm>
#include <cmath>
#include <string>
#include "cv/ImageTestUtil.hpp"

namespace MNN {
namespace CV {
namespace {

const char* const kNames[15] = {"RGBA", "RGB",    "BGR",    "GRAY",     "BGRA",     "YCrCb",    "YUV",     "HSV",
                                "XYZ",  "BGR555", "BGR565", "YUV_NV21", "YUV_NV12", "YUV_I420", "HSV_FULL"};
const int kBytes[15] = {4, 3, 3, 1, 4, 3, 3, 3, 3, 2, 2, 0, 0, 0, 3};

bool isPlanar(int format) { return kBytes[format] == 0; }

std::vector<uint8_t> convertRow(int source, int dest, const std::vector<uint8_t>& pixels, int count) {
    ProcessPtr process = makeProcess(ImageFormat(source), ImageFormat(dest));
    std::vector<uint8_t> out(static_cast<size_t>(count) * kBytes[dest], 0xEE);
    EXPECT_TRUE(process != nullptr);
    if (!process) return out;
    EXPECT_EQ(
        process->convert(pixels.data(), count, 1, 0, out.data(), count, 1, kBytes[dest], 0, halide_type_of<uint8_t>()),
        NO_ERROR);
    return out;
}

struct Color {
    double v[4];
};

double clampTo(double v, double high) { return std::min(std::max(v, 0.0), high); }

Color hsvOf(double r, double g, double b, double turn) {
    const double value = std::max({r, g, b}), range = value - std::min({r, g, b});
    double hue = 0;
    if (range > 0) {
        if (value == r)
            hue = (g - b) / range;
        else if (value == g)
            hue = (b - r) / range + 2;
        else
            hue = (r - g) / range + 4;
    }
    if (hue < 0) hue += 6;
    return {{hue * turn / 6, value > 0 ? 255 * range / value : 0, value, 0}};
}

// What RGBA bytes should become; tolerance is one unit of rounding.
Color expectedFrom(int dest, double r, double g, double b, double a) {
    const double y = 0.299 * r + 0.587 * g + 0.114 * b;
    switch (dest) {
        case RGBA:
            return {{r, g, b, a}};
        case RGB:
            return {{r, g, b, 0}};
        case BGR:
            return {{b, g, r, 0}};
        case BGRA:
            return {{b, g, r, a}};
        case GRAY:
            return {{std::floor((19 * r + 38 * g + 7 * b) / 64), 0, 0, 0}};
        case YCrCb:
            return {{y, clampTo(0.713 * (r - y) + 128, 255), clampTo(0.564 * (b - y) + 128, 255), 0}};
        case YUV:
            return {{y, clampTo(0.492 * (b - y) + 128, 255), clampTo(0.877 * (r - y) + 128, 255), 0}};
        case HSV:
            return hsvOf(r, g, b, 180);
        case HSV_FULL:
            return hsvOf(r, g, b, 256);
        case XYZ:
            return {{clampTo(0.412453 * r + 0.357580 * g + 0.180423 * b, 255),
                     clampTo(0.212671 * r + 0.715160 * g + 0.072169 * b, 255),
                     clampTo(0.019334 * r + 0.119193 * g + 0.950227 * b, 255), 0}};
        default:
            return {{0, 0, 0, 0}};
    }
}

std::vector<uint8_t> testColors() {
    std::vector<uint8_t> rgba = randomBytes(4 * 1000, 7);
    const int levels[3] = {0, 128, 255};
    for (int r : levels)
        for (int g : levels)
            for (int b : levels) rgba.insert(rgba.end(), {uint8_t(r), uint8_t(g), uint8_t(b), 77});
    return rgba;
}

TEST(ImageFormat, RgbaBecomesEveryFormat) {
    const std::vector<uint8_t> rgba = testColors();
    const int count = static_cast<int>(rgba.size() / 4);
    for (int dest = 0; dest < 15; ++dest) {
        if (isPlanar(dest) || dest == BGR555 || dest == BGR565) continue;
        const std::vector<uint8_t> got = convertRow(RGBA, dest, rgba, count);
        const bool exact = dest <= BGRA;
        for (int i = 0; i < count; ++i) {
            const uint8_t* p = &rgba[4 * i];
            const Color want = expectedFrom(dest, p[0], p[1], p[2], p[3]);
            for (int c = 0; c < kBytes[dest]; ++c) {
                double gap = std::fabs(got[i * kBytes[dest] + c] - want.v[c]);
                // A hue just below a full turn may round to 0.
                if (c == 0 && dest == HSV) gap = std::min(gap, 180 - gap);
                if (c == 0 && dest == HSV_FULL) gap = std::min(gap, 256 - gap);
                ASSERT_LE(gap, exact ? 0.0 : 1.0) << kNames[dest] << " pixel " << i << " channel " << c;
            }
        }
    }
}

TEST(ImageFormat, PackedSixteenBitsAreLittleEndian) {
    const std::vector<uint8_t> rgba = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255};
    EXPECT_EQ(convertRow(RGBA, BGR565, rgba, 4),
              (std::vector<uint8_t>{0x00, 0xF8, 0xE0, 0x07, 0x1F, 0x00, 0xFF, 0xFF}));
    EXPECT_EQ(convertRow(RGBA, BGR555, rgba, 4),
              (std::vector<uint8_t>{0x00, 0x7C, 0xE0, 0x03, 0x1F, 0x00, 0xFF, 0x7F}));
    for (int format : {BGR555, BGR565}) {
        EXPECT_EQ(convertRow(format, RGBA, convertRow(RGBA, format, rgba, 4), 4), rgba);
        const std::vector<uint8_t> colors = testColors();
        const int count = static_cast<int>(colors.size() / 4);
        const std::vector<uint8_t> back = convertRow(format, RGBA, convertRow(RGBA, format, colors, count), count);
        for (size_t i = 0; i < colors.size(); ++i) {
            const bool alpha = i % 4 == 3;
            ASSERT_LE(std::abs((alpha ? 255 : int(colors[i])) - back[i]), alpha ? 0 : 7);
        }
    }
}

TEST(ImageFormat, EveryPackedFormatBecomesRgba) {
    const int count = 2000;
    for (int source : {YCrCb, YUV, XYZ}) {
        const std::vector<uint8_t> in = randomBytes(count * 3, 11);
        const std::vector<uint8_t> got = convertRow(source, RGBA, in, count);
        for (int i = 0; i < count; ++i) {
            const double a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
            double want[3];
            if (source == YCrCb) {
                want[0] = a + 1.403 * (b - 128);
                want[1] = a - 0.714 * (b - 128) - 0.344 * (c - 128);
                want[2] = a + 1.773 * (c - 128);
            } else if (source == YUV) {
                want[0] = std::floor(a + 73.0 / 64 * (c - 128));
                want[1] = std::floor(a - 25.0 / 64 * (b - 128) - 37.0 / 64 * (c - 128));
                want[2] = std::floor(a + 130.0 / 64 * (b - 128));
            } else {
                want[0] = 3.240479 * a - 1.537150 * b - 0.498535 * c;
                want[1] = -0.969256 * a + 1.875991 * b + 0.041556 * c;
                want[2] = 0.055648 * a - 0.204043 * b + 1.057311 * c;
            }
            for (int k = 0; k < 3; ++k) {
                ASSERT_NEAR(got[4 * i + k], clampTo(want[k], 255), source == YUV ? 0 : 1) << kNames[source] << " " << i;
            }
            ASSERT_EQ(got[4 * i + 3], 255);
        }
    }
}

TEST(ImageFormat, HueGoesThereAndBack) {
    const std::vector<uint8_t> rgba = testColors();
    const int count = static_cast<int>(rgba.size() / 4);
    for (int format : {HSV, HSV_FULL}) {
        const std::vector<uint8_t> back = convertRow(format, RGB, convertRow(RGBA, format, rgba, count), count);
        for (int i = 0; i < count; ++i) {
            for (int c = 0; c < 3; ++c) {
                ASSERT_NEAR(back[3 * i + c], rgba[4 * i + c], format == HSV ? 6 : 5) << kNames[format] << " " << i;
            }
        }
    }
}

// The planes of a YUV image of `width` x `height` as packed triples, with chroma taken from the 2x2 block of each
// pixel.
std::vector<uint8_t> unpackPlanar(int format, const std::vector<uint8_t>& in, int width, int height, int stride) {
    const int half = (width + 1) / 2;
    std::vector<uint8_t> yuv(static_cast<size_t>(width) * height * 3);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const size_t luma = static_cast<size_t>(stride ? stride : width) * y + x;
            const size_t base = static_cast<size_t>(stride ? stride : width) * height;
            size_t u, v;
            if (format == YUV_I420) {
                const size_t row = ((stride ? stride : width) + 1) / 2;
                u = base + row * (y / 2) + x / 2;
                v = u + row * ((height + 1) / 2);
            } else {
                const size_t row = stride ? stride : half * 2;
                u = v = base + row * (y / 2) + x / 2 * 2;
                (format == YUV_NV12 ? v : u) += 1;
            }
            uint8_t* out = &yuv[3 * (static_cast<size_t>(y) * width + x)];
            out[0] = in[luma];
            out[1] = in[u];
            out[2] = in[v];
        }
    }
    return yuv;
}

TEST(ImageFormat, PlanarYuvBecomesEveryFormat) {
    const struct {
        int width, height, stride;
    } sizes[] = {{1, 1, 0}, {2, 2, 0}, {5, 3, 0}, {6, 5, 8}, {300, 4, 320}, {257, 3, 0}};
    for (int format : {YUV_NV21, YUV_NV12, YUV_I420}) {
        for (const auto& s : sizes) {
            const std::vector<uint8_t> in =
                randomBytes(static_cast<size_t>(s.width + s.stride + 2) * (s.height + 2) * 2, 5);
            const std::vector<uint8_t> triples = unpackPlanar(format, in, s.width, s.height, s.stride);
            const int count = s.width * s.height;
            for (int dest = 0; dest < 15; ++dest) {
                if (isPlanar(dest)) continue;
                ProcessPtr process = makeProcess(ImageFormat(format), ImageFormat(dest), BILINEAR);
                ASSERT_TRUE(process != nullptr);
                std::vector<uint8_t> got(static_cast<size_t>(count) * kBytes[dest]);
                ASSERT_EQ(process->convert(in.data(), s.width, s.height, s.stride, got.data(), s.width, s.height, 0, 0,
                                           halide_type_of<uint8_t>()),
                          NO_ERROR);
                ASSERT_EQ(got, convertRow(YUV, dest, triples, count)) << kNames[format] << " to " << kNames[dest];
            }
        }
    }
}

TEST(ImageFormat, EveryPairIsItsTwoSteps) {
    const int count = 515;  // more than two chunks
    for (int source = 0; source < 15; ++source) {
        if (isPlanar(source)) continue;
        const std::vector<uint8_t> in = randomBytes(static_cast<size_t>(count) * kBytes[source], source + 1);
        for (int dest = 0; dest < 15; ++dest) {
            if (isPlanar(dest)) continue;
            std::vector<uint8_t> want = convertRow(RGBA, dest, convertRow(source, RGBA, in, count), count);
            if (source == dest) want = in;
            if (dest == GRAY && (source == YUV || source == YCrCb)) {
                for (int i = 0; i < count; ++i) want[i] = in[3 * i];
            }
            ASSERT_EQ(convertRow(source, dest, in, count), want) << kNames[source] << " to " << kNames[dest];
        }
    }
}

TEST(ImageFormat, UnsupportedPairsAreNamed) {
    std::string log;
    MNNSetLogCallback([](int, const char* message, void* user) { *static_cast<std::string*>(user) += message; }, &log);
    EXPECT_EQ(makeProcess(RGB, YUV_NV12), nullptr);
    EXPECT_NE(log.find("RGB"), std::string::npos);
    EXPECT_NE(log.find("YUV_NV12"), std::string::npos);
    EXPECT_EQ(makeProcess(ImageFormat(15), RGB), nullptr);
    EXPECT_EQ(makeProcess(RGB, ImageFormat(15)), nullptr);
    MNNSetLogCallback(nullptr, nullptr);
}

}  // namespace
}  // namespace CV
}  // namespace MNN
