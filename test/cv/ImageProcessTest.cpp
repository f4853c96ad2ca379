// Sampling against brute force for each filter, wrap and channel count; destinations of every layout; drawing.
#include <gtest/gtest.h>

#include <MNN/Log.hpp>
#include <cmath>
#include "cv/ImageTestUtil.hpp"

namespace MNN {
namespace CV {
namespace {

struct Image {
    int width, height, channels;
    std::vector<uint8_t> bytes;
};

Image randomImage(int width, int height, int channels, uint32_t seed) {
    return {width, height, channels, randomBytes(static_cast<size_t>(width) * height * channels, seed)};
}

int floorMod(int v, int n) { return ((v % n) + n) % n; }

double tap(const Image& image, int x, int y, int c, Wrap wrap, int padding) {
    const bool inside = x >= 0 && y >= 0 && x < image.width && y < image.height;
    if (wrap == ZERO && !inside) return padding;
    if (wrap == CLAMP_TO_EDGE) {
        x = std::min(std::max(x, 0), image.width - 1);
        y = std::min(std::max(y, 0), image.height - 1);
    } else {
        x = floorMod(x, image.width);
        y = floorMod(y, image.height);
    }
    return image.bytes[(static_cast<size_t>(y) * image.width + x) * image.channels + c];
}

double cubic(double d) {
    const double a = -0.75, x = std::fabs(d);
    if (x <= 1) return (a + 2) * x * x * x - (a + 3) * x * x + 1;
    if (x < 2) return a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a;
    return 0;
}

double reference(const Image& image, double x, double y, int c, Filter filter, Wrap wrap, int padding) {
    if (filter == NEAREST) {
        return tap(image, int(std::floor(x + 0.5)), int(std::floor(y + 0.5)), c, wrap, padding);
    }
    const int x0 = int(std::floor(x)), y0 = int(std::floor(y)), reach = filter == BILINEAR ? 1 : 2;
    double sum = 0;
    for (int j = y0 - reach + 1; j <= y0 + reach; ++j) {
        for (int i = x0 - reach + 1; i <= x0 + reach; ++i) {
            const double wx = filter == BILINEAR ? 1 - std::fabs(x - i) : cubic(x - i);
            const double wy = filter == BILINEAR ? 1 - std::fabs(y - j) : cubic(y - j);
            sum += wx * wy * tap(image, i, j, c, wrap, padding);
        }
    }
    return std::min(std::max(sum, 0.0), 255.0);
}

// A nearest sample half-way between pixels may go either way.
bool ambiguous(double v) { return std::fabs(v + 0.5 - std::round(v + 0.5)) < 2e-3; }

void checkAgainstReference(const Image& image, const Matrix& m, int ow, int oh, Filter filter, Wrap wrap) {
    const ImageFormat formats[5] = {GRAY, GRAY, GRAY, RGB, RGBA};
    ProcessPtr process = makeProcess(formats[image.channels], formats[image.channels], filter, wrap);
    process->setMatrix(m);
    process->setPadding(99);
    std::vector<uint8_t> got(static_cast<size_t>(ow) * oh * image.channels, 0xEE);
    ASSERT_EQ(process->convert(image.bytes.data(), image.width, image.height, 0, got.data(), ow, oh, 0, 0,
                               halide_type_of<uint8_t>()),
              NO_ERROR);
    for (int y = 0; y < oh; ++y) {
        for (int x = 0; x < ow; ++x) {
            const double w = m[6] * double(x) + m[7] * double(y) + m[8];
            const double sx = (m[0] * double(x) + m[1] * double(y) + m[2]) / w;
            const double sy = (m[3] * double(x) + m[4] * double(y) + m[5]) / w;
            if (filter == NEAREST && (ambiguous(sx) || ambiguous(sy))) continue;
            for (int c = 0; c < image.channels; ++c) {
                const double want = reference(image, sx, sy, c, filter, wrap, 99);
                ASSERT_NEAR(got[(static_cast<size_t>(y) * ow + x) * image.channels + c], want,
                            filter == NEAREST ? 0 : 1.5)
                    << "filter " << filter << " wrap " << wrap << " at " << x << "," << y << " from " << sx << ","
                    << sy;
            }
        }
    }
}

TEST(ImageProcess, EveryFilterAndWrapMatchesBruteForce) {
    const struct { int iw, ih, ow, oh; } sizes[] = {{1, 1, 3, 2}, {7, 5, 19, 11}, {40, 30, 257, 3}, {300, 4, 600, 2}};
    std::mt19937 random(9);
    std::uniform_real_distribution<float> value(-1.5f, 1.5f);
    for (const auto& s : sizes) {
        Matrix rotated, perspective;
        rotated.setRotate(27.3f, s.iw / 2.0f, s.ih / 2.0f);
        perspective.setAll(0.9f, 0.1f, -0.7f, 0.05f, 1.1f, 0.3f, 0.001f, 0.002f, 1);
        const Matrix matrices[] = {
            Matrix::MakeScale(float(s.iw) / s.ow, float(s.ih) / s.oh), Matrix::MakeTrans(-2.25f, 1.6f), rotated,
            perspective,
            Matrix::MakeAll(value(random), value(random), 3.3f, value(random), value(random), 1.7f, 0, 0, 1)};
        for (int channels : {1, 3, 4}) {
            const Image image = randomImage(s.iw, s.ih, channels, 21);
            for (const Matrix& m : matrices)
                for (Filter filter : {NEAREST, BILINEAR, BICUBIC})
                    for (Wrap wrap : {CLAMP_TO_EDGE, ZERO, REPEAT})
                        checkAgainstReference(image, m, s.ow, s.oh, filter, wrap);
        }
    }
}

TEST(ImageProcess, FarAndBrokenPositionsAreHarmless) {
    const Image image = randomImage(5, 5, 3, 3);
    const float nan = std::nanf(""), huge = 3e38f;
    for (float v : {nan, huge, -huge, 1e9f}) {
        for (Filter filter : {NEAREST, BILINEAR, BICUBIC}) {
            for (Wrap wrap : {CLAMP_TO_EDGE, ZERO, REPEAT}) {
                ProcessPtr process = makeProcess(RGB, RGB, filter, wrap);
                process->setMatrix(Matrix::MakeTrans(v, v));
                uint8_t out[27];
                EXPECT_EQ(process->convert(image.bytes.data(), 5, 5, 0, out, 3, 3, 0, 0, halide_type_of<uint8_t>()),
                          NO_ERROR);
                if (wrap == ZERO) {
                    EXPECT_EQ(out[0], 0);
                }
            }
        }
    }
}

TEST(ImageProcess, PaddingIsGrayInEveryFormat) {
    const std::vector<uint8_t> source = randomBytes(4096, 8);
    for (int format = 0; format < 15; ++format) {
        if (format == GRAY) continue;
        ProcessPtr process = makeProcess(ImageFormat(format), RGB, NEAREST, ZERO);
        process->setMatrix(Matrix::MakeTrans(1000, 0));
        process->setPadding(128);
        uint8_t rgb[3];
        ASSERT_EQ(process->convert(source.data(), 4, 4, 0, rgb, 1, 1, 0, 0, halide_type_of<uint8_t>()), NO_ERROR);
        for (uint8_t v : rgb)
            EXPECT_NEAR(v, 128, format == XYZ || format == BGR555 || format == BGR565 ? 8 : 0) << format;
    }
}

TEST(ImageProcess, HuesAreAveragedAsColours) {
    // Red on both sides of hue 0: bytes would average to cyan.
    const uint8_t hsv[6] = {1, 255, 200, 179, 255, 200};
    ProcessPtr process = makeProcess(HSV, RGB, BILINEAR);
    process->setMatrix(Matrix::MakeTrans(0.5f, 0));
    uint8_t rgb[3];
    ASSERT_EQ(process->convert(hsv, 2, 1, 0, rgb, 1, 1, 0, 0, halide_type_of<uint8_t>()), NO_ERROR);
    EXPECT_EQ(rgb[0], 200);
    EXPECT_LT(rgb[1], 10);
    EXPECT_LT(rgb[2], 10);
}

TEST(ImageProcess, StridesSkipAndPreserveBytes) {
    const Image image = randomImage(10, 3, 4, 4);  // rows of 40 bytes, of which 9 pixels are used
    ProcessPtr process = makeProcess(RGBA, BGR);
    std::vector<uint8_t> out(3 * 50, 0xEE);
    ASSERT_EQ(process->convert(image.bytes.data(), 9, 3, 40, out.data(), 9, 3, 0, 50, halide_type_of<uint8_t>()),
              NO_ERROR);
    for (int y = 0; y < 3; ++y) {
        for (int x = 0; x < 9; ++x) {
            for (int c = 0; c < 3; ++c) ASSERT_EQ(out[y * 50 + x * 3 + c], image.bytes[y * 40 + x * 4 + 2 - c]);
        }
        for (int x = 27; x < 50; ++x) ASSERT_EQ(out[y * 50 + x], 0xEE);
    }
}

TEST(ImageProcess, BadArgumentsAreRefused) {
    MNNSetLogCallback([](int, const char*, void*) {}, nullptr);
    ProcessPtr process = makeProcess(RGB, RGB), packed = makeProcess(RGB, BGR565);
    uint8_t source[48] = {}, out[256];
    const halide_type_t u8 = halide_type_of<uint8_t>();
    EXPECT_EQ(process->convert(nullptr, 4, 4, 0, out, 4, 4, 0, 0, u8), INVALID_VALUE);
    EXPECT_EQ(process->convert(source, 0, 4, 0, out, 4, 4, 0, 0, u8), INVALID_VALUE);
    EXPECT_EQ(process->convert(source, 4, -1, 0, out, 4, 4, 0, 0, u8), INVALID_VALUE);
    EXPECT_EQ(process->convert(source, 4, 4, 11, out, 4, 4, 0, 0, u8), INVALID_VALUE);
    EXPECT_EQ(process->convert(source, 4, 4, 0, nullptr, 4, 4, 0, 0, u8), INVALID_VALUE);
    EXPECT_EQ(process->convert(source, 4, 4, 0, out, 4, 4, 0, 11, u8), INVALID_VALUE);
    EXPECT_EQ(process->convert(source, 4, 4, 0, out, 4, 4, 0, 0, halide_type_of<int32_t>()), INVALID_VALUE);
    EXPECT_EQ(packed->convert(source, 4, 4, 0, out, 4, 4, 0, 0, halide_type_of<float>()), INVALID_VALUE);
    EXPECT_EQ(process->convert(source, 4, 4, 0, static_cast<Tensor*>(nullptr)), INVALID_VALUE);
    MNNSetLogCallback(nullptr, nullptr);
}

struct DestroyTensor {
    void operator()(Tensor* t) const { Tensor::destroy(t); }
};
using TensorPtr = std::unique_ptr<Tensor, DestroyTensor>;

template <typename T>
void checkTensor(Tensor::DimensionType layout, ImageFormat format, int bytes, int channels) {
    const int width = 261, height = 3, batch = 2;
    const Image image = randomImage(width, height, bytes, 31);
    ImageProcess::Config config;
    config.sourceFormat = config.destFormat = format;
    for (int c = 0; c < 4; ++c) {
        config.mean[c] = 10.0f * c + 3;
        config.normal[c] = 0.5f / (c + 1);
    }
    ProcessPtr process(ImageProcess::create(config));
    const bool channelsLast = layout == Tensor::TENSORFLOW;
    const std::vector<int> shape = channelsLast ? std::vector<int>{batch, height, width, channels}
                                                : std::vector<int>{batch, channels, height, width};
    TensorPtr tensor(Tensor::create(shape, halide_type_of<T>(), nullptr, layout));
    memset(tensor->host<void>(), 0xFF, tensor->usize());
    ASSERT_EQ(process->convert(image.bytes.data(), width, height, 0, tensor.get()), NO_ERROR);
    const T* data = tensor->host<T>();
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            for (int c = 0; c < channels; ++c) {
                const size_t pixel = static_cast<size_t>(y) * width + x, area = static_cast<size_t>(width) * height;
                size_t at = pixel * channels + c;
                if (layout == Tensor::CAFFE) at = c * area + pixel;
                if (layout == Tensor::CAFFE_C4) at = (c / 4 * area + pixel) * 4 + c % 4;
                double want = 0;
                if (c < bytes) {
                    want = image.bytes[pixel * bytes + c];
                    if (sizeof(T) == 4) want = (want - config.mean[c]) * config.normal[c];
                }
                ASSERT_NEAR(double(data[at]), want, 1e-4) << "layout " << layout << " channels " << channels;
            }
        }
    }
    // The second batch is left alone.
    const uint8_t* last = tensor->host<uint8_t>() + tensor->usize() - 1;
    EXPECT_EQ(*last, 0xFF);
}

TEST(ImageProcess, WritesTensorsOfEveryLayout) {
    for (Tensor::DimensionType layout : {Tensor::TENSORFLOW, Tensor::CAFFE, Tensor::CAFFE_C4}) {
        for (int channels : {1, 2, 3, 4, 5}) {
            checkTensor<float>(layout, GRAY, 1, channels);
            checkTensor<float>(layout, RGB, 3, channels);
            checkTensor<float>(layout, RGBA, 4, channels);
            checkTensor<uint8_t>(layout, RGB, 3, channels);
            checkTensor<uint8_t>(layout, RGBA, 4, channels);
        }
    }
}

TEST(ImageProcess, FloatBuffersAreNormalised) {
    const float means[3] = {1, 2, 3}, normals[3] = {0.5f, 0.25f, 2};
    ProcessPtr process(ImageProcess::create(RGBA, BGR, means, 3, normals, 3));
    const uint8_t rgba[8] = {10, 20, 30, 40, 50, 60, 70, 80};
    float out[6], wide[8];
    ASSERT_EQ(process->convert(rgba, 2, 1, 0, out, 2, 1), NO_ERROR);
    const float want[6] = {14.5f, 4.5f, 14, 34.5f, 14.5f, 94};
    for (int i = 0; i < 6; ++i) EXPECT_FLOAT_EQ(out[i], want[i]);
    ASSERT_EQ(process->convert(rgba, 2, 1, 0, wide, 2, 1, 4), NO_ERROR);
    EXPECT_FLOAT_EQ(wide[3], 0);
    EXPECT_FLOAT_EQ(wide[4], want[3]);
}

TEST(ImageProcess, ImageTensorIsNhwc) {
    std::vector<uint8_t> memory(2 * 3 * 4);
    TensorPtr tensor(ImageProcess::createImageTensor<uint8_t>(2, 3, 4, memory.data()));
    EXPECT_EQ(tensor->shape(), (std::vector<int>{1, 3, 2, 4}));
    EXPECT_EQ(tensor->host<uint8_t>(), memory.data());
}

TEST(ImageProcess, DrawPaintsSpansAndClipsThem) {
    const int width = 5, height = 3;
    std::vector<uint8_t> image(width * height * 3, 7);
    const int regions[] = {0, 1, 2, 1, -4, 0, 2, 4, 90, -1, 0, 4, 3, 0, 4, 1, 3, 2};
    const uint8_t color[3] = {1, 2, 3};
    ProcessPtr process = makeProcess(RGB, RGB);
    process->setDraw();
    process->draw(image.data(), width, height, 3, regions, 6, color);
    const char* const want[3] = {".##..", "#....", "....#"};
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            for (int c = 0; c < 3; ++c) {
                EXPECT_EQ(image[(y * width + x) * 3 + c], want[y][x] == '#' ? color[c] : 7) << x << "," << y;
            }
        }
    }
}

}  // namespace
}  // namespace CV
}  // namespace MNN
