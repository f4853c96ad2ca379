// Reads at places that other tensors state: GridSample, boxes; and windows beyond the Pool table.
#include <algorithm>
#include <cmath>
#include <limits>
#include "cpu/ExecutionHarness.hpp"

namespace MNN {
namespace {

using namespace harness;

// The value at integer places under each border rule, for the reference.
struct Reader {
    const std::vector<float>& x;
    Dims in;
    int border;  // 0 zeros, 1 clamp, 2 reflection
    bool corners;

    double mirror(double v, double low, double high) const {
        while (v < low || v > high) v = v < low ? 2 * low - v : 2 * high - v;
        return v;
    }
    double moved(double v, int size) const {
        if (border == 2) v = corners ? (size == 1 ? 0 : mirror(v, 0, size - 1)) : mirror(v, -0.5, size - 0.5);
        return border == 0 ? v : std::min(std::max(v, 0.0), size - 1.0);
    }
    double at(int n, int c, const std::vector<double>& places) const {
        Dims from = {n, c};
        for (size_t d = 0; d < places.size(); ++d) {
            const int i = static_cast<int>(std::nearbyint(border == 0 ? places[d] : moved(places[d], in[2 + d])));
            if (i < 0 || i >= in[2 + d]) return 0.0;
            from.push_back(i);
        }
        return x[flatOf(in, from)];
    }
};

double cubic(double t) {
    const double a = -0.75;
    t = std::fabs(t);
    if (t <= 1) return (a + 2) * t * t * t - (a + 3) * t * t + 1;
    return t < 2 ? a * t * t * t - 5 * a * t * t + 8 * a * t - 4 * a : 0;
}

std::vector<float> gridReference(const Reader& r, const std::vector<float>& grid, const Dims& out, int taps) {
    const int axes = static_cast<int>(out.size()) - 2;
    std::vector<float> y;
    forEachIndex(out, [&](const Dims& o) {
        Dims gridDims = {out[0]}, gridAt = {o[0]};
        for (int d = 0; d < axes; ++d) gridDims.push_back(out[2 + d]), gridAt.push_back(o[2 + d]);
        gridDims.push_back(axes);
        gridAt.push_back(0);
        std::vector<double> place(axes);
        for (int d = 0; d < axes; ++d) {
            const double g = grid[flatOf(gridDims, gridAt) + axes - 1 - d];
            const int size = r.in[2 + d];
            place[d] = r.corners ? (g + 1) / 2 * (size - 1) : ((g + 1) * size - 1) / 2;
            if (taps < 4) place[d] = r.moved(place[d], size);
        }
        double sum = 0.0;
        forEachIndex(Dims(axes, taps), [&](const Dims& t) {
            std::vector<double> at(axes);
            double weight = 1.0;
            for (int d = 0; d < axes; ++d) {
                at[d] = taps == 1 ? std::nearbyint(place[d]) : std::floor(place[d]) - taps / 2 + 1 + t[d];
                if (taps == 2) weight *= std::max(1 - std::fabs(at[d] - place[d]), 0.0);
                if (taps == 4) weight *= cubic(at[d] - place[d]);
            }
            if (weight != 0.0) sum += weight * r.at(o[0], o[1], at);
        });
        y.push_back(static_cast<float>(sum));
    });
    return y;
}

void checkGrid(const Dims& in, const Dims& out, bool cubicToo) {
    const std::vector<float> x = uniform(countOf(in), 1);
    Dims gridDims = {out[0]};
    gridDims.insert(gridDims.end(), out.begin() + 2, out.end());
    gridDims.push_back(static_cast<int>(out.size()) - 2);
    const std::vector<float> grid = uniform(countOf(gridDims), 2, -1.9f, 1.9f);
    const char* const modes[] = {"nearest", "linear", "cubic"};
    const char* const borders[] = {"zeros", "border", "reflection"};
    for (int mode = 0; mode < (cubicToo ? 3 : 2); ++mode) {
        for (int border = 0; border < 3; ++border) {
            for (bool corners : {false, true}) {
                const std::vector<float> want = gridReference({x, in, border, corners}, grid, out, 1 << mode);
                const std::string what = std::string(modes[mode]) + " " + borders[border] + (corners ? " corners" : "");
                TensorPtr y = poisoned(out, halide_type_of<float>());
                const OpT extra = ExtraOp("GridSample")
                                      .s("mode", modes[mode])
                                      .s("padding_mode", borders[border])
                                      .i("align_corners", corners)
                                      .op();
                ASSERT_EQ(runOp(extra, {tensorOf(in, x), tensorOf(gridDims, grid)}, {y}, 3), NO_ERROR);
                expectNear(valuesIn<float>(y), want, 2e-5f, what);
                GridSampleT p;
                p.mode = mode == 0 ? SampleMode_NEAREST : SampleMode_BILINEAR;
                p.paddingMode = static_cast<BorderMode>(border);
                p.alignCorners = corners;
                for (int pack : {4, 8, 16}) {
                    if (mode == 2) continue;
                    y = poisoned(out, halide_type_of<float>(), pack);
                    ASSERT_EQ(runOp(opOf(OpType_GridSample, p), {tensorOf(in, x, pack), tensorOf(gridDims, grid)}, {y}),
                              NO_ERROR);
                    expectNear(valuesIn<float>(y), want, 2e-5f, what);
                }
            }
        }
    }
}

TEST(CPUGridSample, Images) {
    checkGrid({2, 5, 4, 6}, {2, 5, 3, 7}, true);
    checkGrid({1, 17, 1, 3}, {1, 17, 5, 5}, false);
}
TEST(CPUGridSample, Volumes) { checkGrid({2, 3, 3, 4, 5}, {2, 3, 2, 3, 4}, false); }

TEST(CPUGridSample, PlacesThatAreNoNumbers) {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    TensorPtr y = poisoned({1, 1, 1, 3}, halide_type_of<float>(), 4);
    GridSampleT p;
    ASSERT_EQ(
        runOp(opOf(OpType_GridSample, p),
              {tensorOf<float>({1, 1, 1, 2}, {1, 2}, 4), tensorOf<float>({1, 1, 3, 2}, {nan, 0, inf, 0, 0, -inf})},
              {y}),
        NO_ERROR);
    EXPECT_EQ(valuesIn<float>(y), (std::vector<float>{0, 0, 0}));
    p.backward = true;
    EXPECT_EQ(runOp(opOf(OpType_GridSample, p),
                    {tensorOf<float>({1, 1, 1, 2}, {1, 2}, 4), tensorOf<float>({1, 1, 1, 2}, {0, 0})}, {y}),
              NO_EXECUTION);
}

TEST(CPURegionOfInterest, PoolsWholeElements) {
    std::vector<float> x(2 * 36);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
    RoiParametersT p;
    p.pooledHeight = p.pooledWidth = 2;
    p.spatialScale = 0.5f;
    TensorPtr y = poisoned({2, 1, 2, 2}, halide_type_of<float>());
    // Rounded: columns 1..3, rows 0..4 of image 1; then a box outside.
    const TensorPtr rois = tensorOf<float>({2, 5}, {1, 2, 0, 6.5f, 7.6f, 0, 40, 40, 50, 50});
    ASSERT_EQ(runOp(opOf(OpType_ROIPooling, p), {tensorOf({2, 1, 6, 6}, x), rois}, {y}, 3), NO_ERROR);
    EXPECT_EQ(valuesIn<float>(y), (std::vector<float>{36 + 14, 36 + 15, 36 + 26, 36 + 27, 0, 0, 0, 0}));
    const TensorPtr bad = tensorOf<float>({2, 5}, {2, 0, 0, 1, 1, 0, 0, 0, 1, 1});
    EXPECT_EQ(runOp(opOf(OpType_ROIPooling, p), {tensorOf({2, 1, 6, 6}, x), bad}, {y}), INVALID_VALUE);
}

TEST(CPURegionOfInterest, AlignsBoxes) {
    // A plane that is linear in its places: the average over a cell is the value at its centre.
    std::vector<float> x;
    for (int i = 0; i < 2 * 100; ++i) x.push_back(static_cast<float>(i / 100 * 1000 + i % 100 / 10 * 10 + i % 10));
    RoiParametersT p;
    p.pooledHeight = 2;
    p.pooledWidth = 3;
    p.spatialScale = 0.5f;
    for (bool aligned : {false, true}) {
        for (int ratio : {0, 2}) {
            p.aligned = aligned;
            p.samplingRatio = ratio;
            std::vector<float> want;
            const float shift = aligned ? 0.5f : 0.0f;
            for (int py = 0; py < 2; ++py) {
                for (int px = 0; px < 3; ++px) {
                    const float cy = 2 - shift + (py + 0.5f) * 4 / 2, cx = 1 - shift + (px + 0.5f) * 6 / 3;
                    want.push_back(1000 + 10 * cy + cx);
                }
            }
            TensorPtr y = poisoned({1, 1, 2, 3}, halide_type_of<float>());
            ASSERT_EQ(
                runOp(opOf(OpType_ROIAlign, p),
                      {tensorOf({2, 1, 10, 10}, x), tensorOf<float>({1, 4}, {2, 4, 14, 12}), tensorOf<int>({1}, {1})},
                      {y}),
                NO_ERROR);
            expectNear(valuesIn<float>(y), want, 1e-5f);
            ASSERT_EQ(runOp(opOf(OpType_ROIAlign, p),
                            {tensorOf({2, 1, 10, 10}, x), tensorOf<float>({1, 5}, {1, 2, 4, 14, 12})}, {y}),
                      NO_ERROR);
            expectNear(valuesIn<float>(y), want, 1e-5f);
        }
    }
}

TEST(CPURegionOfInterest, CropsInEitherOrderOfDimensions) {
    const Dims in = {2, 3, 4, 5}, out = {2, 3, 3, 2};  // N, C, H, W
    const std::vector<float> x = uniform(countOf(in), 4), boxes = {0.1f, 0.2f, 0.9f, 0.8f, 0.5f, -0.5f, 0.7f, 0.5f};
    const std::vector<int> images = {1, 0};
    for (bool nearest : {false, true}) {
        CropAndResizeT p;
        p.extrapolationValue = 7.0f;
        p.method = nearest ? CropAndResizeMethod_NEAREST : CropAndResizeMethod_BILINEAR;
        std::vector<float> want;
        forEachIndex(out, [&](const Dims& o) {
            const float* b = &boxes[o[0] * 4];
            const double y = b[0] * 3 + o[2] * (b[2] - b[0]) * 3 / 2, c = b[1] * 4 + o[3] * (b[3] - b[1]) * 4;
            if (y < 0 || y > 3 || c < 0 || c > 4) return want.push_back(7.0f);
            double sum = 0.0;
            for (int i = 0; i < 20; ++i) {
                double w = std::max(1 - std::fabs(i / 5 - y), 0.0) * std::max(1 - std::fabs(i % 5 - c), 0.0);
                if (nearest) w = i / 5 == std::lround(y) && i % 5 == std::lround(c);
                sum += w * x[flatOf(in, {images[o[0]], o[1], i / 5, i % 5})];
            }
            want.push_back(static_cast<float>(sum));
        });
        const std::vector<TensorPtr> rest = {tensorOf<float>({2, 4}, boxes), tensorOf<int>({2}, images)};
        TensorPtr y = poisoned(out, halide_type_of<float>());
        ASSERT_EQ(runOp(opOf(OpType_CropAndResize, p), {tensorOf(in, x), rest[0], rest[1]}, {y}), NO_ERROR);
        expectNear(valuesIn<float>(y), want, 1e-5f);
        std::vector<float> last(x.size()), lastWant(want.size());
        forEachIndex(in, [&](const Dims& i) {
            last[flatOf({2, 4, 5, 3}, {i[0], i[2], i[3], i[1]})] = x[flatOf(in, i)];
        });
        forEachIndex(out, [&](const Dims& o) {
            lastWant[flatOf({2, 3, 2, 3}, {o[0], o[2], o[3], o[1]})] = want[flatOf(out, o)];
        });
        TensorPtr image = tensorOf({2, 4, 5, 3}, last), z = poisoned({2, 3, 2, 3}, halide_type_of<float>());
        TensorUtils::setFormat(image.get(), MNN_DATA_FORMAT_NHWC);
        TensorUtils::setFormat(z.get(), MNN_DATA_FORMAT_NHWC);
        ASSERT_EQ(runOp(opOf(OpType_CropAndResize, p), {image, rest[0], rest[1]}, {z}), NO_ERROR);
        expectNear(valuesIn<float>(z), lastWant, 1e-5f);
    }
}

TEST(CPUPoolExtra, DilatedVolumesWithIndices) {
    const Dims in = {2, 3, 5, 6, 7}, out = {2, 3, 3, 3, 4}, pads = {1, 0, 1, 1, 0, 0}, kernel = {2, 3, 2},
               strides = {2, 1, 2}, dilations = {2, 2, 1};
    const std::vector<float> x = uniform(countOf(in), 5);
    for (bool max : {true, false}) {
        for (bool count : {false, true}) {
            std::vector<float> want;
            std::vector<int> indices;
            Dims realOut = out;
            for (int d = 0; d < 3; ++d)
                realOut[2 + d] =
                    (in[2 + d] + pads[d] + pads[3 + d] - (kernel[d] - 1) * dilations[d] - 1) / strides[d] + 1;
            forEachIndex(realOut, [&](const Dims& o) {
                double sum = 0.0;
                float best = -2.0f;
                int cells = 0, padded = 0, at = 0;
                forEachIndex(kernel, [&](const Dims& k) {
                    Dims from = {o[0], o[1]};
                    bool inside = true;
                    for (int d = 0; d < 3; ++d) {
                        from.push_back(o[2 + d] * strides[d] - pads[d] + k[d] * dilations[d]);
                        inside = inside && from.back() >= 0 && from.back() < in[2 + d];
                    }
                    ++padded;
                    if (!inside) return;
                    ++cells;
                    const float v = x[flatOf(in, from)];
                    sum += v;
                    if (v > best) best = v, at = static_cast<int>(flatOf(in, from));
                });
                want.push_back(max ? best : static_cast<float>(sum / (count ? padded : cells)));
                indices.push_back(at);
            });
            const OpT op = ExtraOp(max ? "MaxPool" : "AveragePool")
                               .ints("kernel_shape", kernel)
                               .ints("strides", strides)
                               .ints("dilations", dilations)
                               .ints("pads", pads)
                               .s("auto_pad", "NOTSET")
                               .i("count_include_pad", count)
                               .op();
            std::vector<TensorPtr> y = {poisoned(realOut, halide_type_of<float>())};
            if (max) y.push_back(poisoned(realOut, halide_type_of<int>()));
            ASSERT_EQ(runOp(op, {tensorOf(in, x)}, y, 3), NO_ERROR);
            expectNear(valuesIn<float>(y[0]), want, 1e-6f);
            if (max) {
                EXPECT_EQ(valuesIn<int>(y[1]), indices);
            }
        }
    }
}

TEST(CPUPoolExtra, BytesAndSameLower) {
    TensorPtr y = poisoned({1, 1, 2}, halide_type_of<uint8_t>());
    const OpT op = ExtraOp("MaxPool").ints("kernel_shape", {2}).ints("strides", {2}).s("auto_pad", "SAME_LOWER").op();
    ASSERT_EQ(runOp(op, {tensorOf<uint8_t>({1, 1, 3}, {200, 3, 9})}, {y}), NO_ERROR);
    EXPECT_EQ(valuesIn<uint8_t>(y), (std::vector<uint8_t>{200, 9}));
}

}  // namespace
}  // namespace MNN
