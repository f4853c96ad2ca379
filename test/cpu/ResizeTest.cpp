// Extra Resize: expected values are those of ONNX's documentation, or follow from its formulas.
#include <algorithm>
#include <cmath>
#include "cpu/ExecutionHarness.hpp"

namespace MNN {
namespace {

using namespace harness;

const std::vector<float> kFour = {1, 2, 3, 4};
std::vector<float> sixteen() {
    std::vector<float> v(16);
    for (int i = 0; i < 16; ++i) v[i] = static_cast<float>(i + 1);
    return v;
}

ExtraOp resizeOp(const char* mode, const char* coordinates) {
    return ExtraOp("Resize").s("mode", mode).s("coordinate_transformation_mode", coordinates);
}

std::vector<float> byScales(ExtraOp op, const TensorPtr& x, const std::vector<float>& scales, const Dims& out) {
    TensorPtr y = poisoned(out, halide_type_of<float>());
    EXPECT_EQ(
        runOp(op.i("has_scales", 1).op(), {x, tensorOf<float>({static_cast<int>(scales.size())}, scales)}, {y}, 3),
        NO_ERROR);
    return valuesIn<float>(y);
}

std::vector<float> bySizes(ExtraOp op, const TensorPtr& x, const Dims& sizes, const Dims& out) {
    TensorPtr y = poisoned(out, halide_type_of<float>());
    EXPECT_EQ(runOp(op.i("has_sizes", 1).op(), {x, tensorOf<int>({static_cast<int>(sizes.size())}, sizes)}, {y}),
              NO_ERROR);
    return valuesIn<float>(y);
}

TEST(CPUResize, LinearOfTheDocumentation) {
    const TensorPtr x = tensorOf({1, 1, 2, 2}, kFour);
    expectNear(byScales(resizeOp("linear", "half_pixel"), x, {1, 1, 2, 2}, {1, 1, 4, 4}),
               {1, 1.25f, 1.75f, 2, 1.5f, 1.75f, 2.25f, 2.5f, 2.5f, 2.75f, 3.25f, 3.5f, 3, 3.25f, 3.75f, 4}, 1e-6f);
    expectNear(byScales(resizeOp("linear", "align_corners"), x, {1, 1, 2, 2}, {1, 1, 4, 4}),
               {1, 1.3333333f, 1.6666667f, 2, 1.6666667f, 2, 2.3333333f, 2.6666667f, 2.3333333f, 2.6666667f, 3,
                3.3333333f, 3, 3.3333333f, 3.6666667f, 4},
               1e-6f);
    const TensorPtr line = tensorOf({1, 1, 2, 4}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
    expectNear(byScales(resizeOp("linear", "half_pixel"), line, {1, 1, 0.6f, 0.6f}, {1, 1, 1, 2}),
               {2.6666665f, 4.3333331f}, 1e-6f);
    expectNear(byScales(resizeOp("linear", "half_pixel_symmetric"), tensorOf({1, 1, 1, 4}, kFour), {1, 1, 1, 0.6f},
                        {1, 1, 1, 2}),
               {1.6666667f, 3.3333333f}, 1e-6f);
}

TEST(CPUResize, CubicAndAntialiasOfTheDocumentation) {
    const TensorPtr x = tensorOf({1, 1, 4, 4}, sixteen());
    expectNear(byScales(resizeOp("cubic", "half_pixel"), x, {1, 1, 0.8f, 0.8f}, {1, 1, 3, 3}),
               {1.47119141f, 2.78125f, 4.08251953f, 6.71142578f, 8.02148438f, 9.32275391f, 11.91650391f, 13.2265625f,
                14.52783203f},
               1e-5f);
    ExtraOp exclude = resizeOp("cubic", "half_pixel");
    exclude.f("cubic_coeff_a", -0.5f).i("exclude_outside", 1);
    expectNear(byScales(exclude, x, {1, 1, 0.8f, 0.8f}, {1, 1, 3, 3}),
               {1.36812675f, 2.6695014f, 4.0133367f, 6.57362535f, 7.875f, 9.2188353f, 11.94896657f, 13.25034122f,
                14.59417652f},
               1e-5f);
    ExtraOp antialias = resizeOp("linear", "half_pixel");
    antialias.i("antialias", 1);
    expectNear(byScales(antialias, x, {1, 1, 0.6f, 0.6f}, {1, 1, 2, 2}), {2.875f, 4.5f, 9.375f, 11.0f}, 1e-5f);
    ExtraOp cubic = resizeOp("cubic", "half_pixel");
    cubic.i("antialias", 1);
    expectNear(byScales(cubic, x, {1, 1, 0.6f, 0.6f}, {1, 1, 2, 2}), {2.5180721f, 4.2858863f, 9.589329f, 11.357142f},
               1e-5f);
}

TEST(CPUResize, NearestRules) {
    const TensorPtr x = tensorOf({1, 1, 1, 4}, kFour);
    const auto nearest = [&](const char* rule, const char* coordinates, int size) {
        return bySizes(resizeOp("nearest", coordinates).s("nearest_mode", rule), x, {1, 1, 1, size}, {1, 1, 1, size});
    };
    EXPECT_EQ(nearest("floor", "align_corners", 8), (std::vector<float>{1, 1, 1, 2, 2, 3, 3, 4}));
    EXPECT_EQ(nearest("round_prefer_ceil", "asymmetric", 8), (std::vector<float>{1, 2, 2, 3, 3, 4, 4, 4}));
    EXPECT_EQ(nearest("round_prefer_floor", "asymmetric", 8), (std::vector<float>{1, 1, 2, 2, 3, 3, 4, 4}));
    EXPECT_EQ(nearest("ceil", "half_pixel", 8), (std::vector<float>{1, 2, 2, 3, 3, 4, 4, 4}));
    EXPECT_EQ(nearest("floor", "tf_half_pixel_for_nn", 2), (std::vector<float>{2, 4}));
    TensorPtr y = poisoned({1, 1, 1, 2}, halide_type_of<int8_t>());
    ASSERT_EQ(runOp(resizeOp("nearest", "asymmetric").i("has_sizes", 1).op(),
                    {tensorOf<int8_t>({1, 1, 1, 4}, {1, 2, 3, 4}), tensorOf<int>({4}, {1, 1, 1, 2})}, {y}),
              NO_ERROR);
    EXPECT_EQ(valuesIn<int8_t>(y), (std::vector<int8_t>{1, 3}));
}

TEST(CPUResize, CropsWithAValueOutside) {
    const TensorPtr x = tensorOf({1, 1, 4, 4}, sixteen());
    TensorPtr y = poisoned({1, 1, 3, 3}, halide_type_of<float>());
    const OpT op =
        resizeOp("linear", "tf_crop_and_resize").f("extrapolation_value", 10.0f).i("has_roi", 1).i("has_sizes", 1).op();
    ASSERT_EQ(
        runOp(op, {x, tensorOf<float>({8}, {0, 0, 0.4f, 0.6f, 1, 1, 1.2f, 1.7f}), tensorOf<int>({4}, {1, 1, 3, 3})},
              {y}),
        NO_ERROR);
    expectNear(valuesIn<float>(y), {7.6f, 10, 10, 12.4f, 10, 10, 10, 10, 10}, 1e-5f);
}

TEST(CPUResize, AxesAndPolicies) {
    const TensorPtr x = tensorOf({1, 1, 2, 4}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
    ExtraOp op = resizeOp("nearest", "half_pixel");
    op.ints("axes", {3, 2}).s("keep_aspect_ratio_policy", "not_larger");
    // Width 8 allows 2, height 7 allows 3.5: both double.
    EXPECT_EQ(bySizes(op, x, {8, 7}, {1, 1, 4, 8}),
              (std::vector<float>{1, 1, 2, 2, 3, 3, 4, 4, 1, 1, 2, 2, 3, 3, 4, 4,
                                  5, 5, 6, 6, 7, 7, 8, 8, 5, 5, 6, 6, 7, 7, 8, 8}));
}

TEST(CPUResize, VolumesAgreeWithPassesByHand) {
    const Dims in = {2, 3, 4, 5, 3}, out = {2, 3, 7, 2, 6};
    const std::vector<float> x = uniform(countOf(in), 1);
    std::vector<float> want;
    forEachIndex(out, [&](const Dims& o) {
        double sum = 0.0;
        forEachIndex({in[2], in[3], in[4]}, [&](const Dims& s) {
            double weight = 1.0;
            for (int d = 0; d < 3; ++d) {
                double place = (o[2 + d] + 0.5) * in[2 + d] / out[2 + d] - 0.5;
                place = std::min(std::max(place, 0.0), in[2 + d] - 1.0);
                weight *= std::max(1 - std::fabs(s[d] - place), 0.0);
            }
            sum += weight * x[flatOf(in, {o[0], o[1], s[0], s[1], s[2]})];
        });
        want.push_back(static_cast<float>(sum));
    });
    expectNear(bySizes(resizeOp("linear", "half_pixel"), tensorOf(in, x), out, out), want, 1e-5f);
}

TEST(CPUResize, RefusesWhatItDoesNotKnow) {
    const TensorPtr x = tensorOf({1, 1, 2, 2}, kFour), sizes = tensorOf<int>({4}, {1, 1, 4, 4}),
                    y = poisoned({1, 1, 4, 4}, halide_type_of<float>());
    EXPECT_EQ(runOp(resizeOp("lanczos", "half_pixel").i("has_sizes", 1).op(), {x, sizes}, {y}), NO_EXECUTION);
    EXPECT_EQ(runOp(resizeOp("linear", "half_pixel").i("has_sizes", 1).i("has_roi", 1).op(), {x, sizes}, {y}),
              NO_EXECUTION);
    EXPECT_EQ(runOp(resizeOp("linear", "half_pixel").ints("axes", {9}).i("has_sizes", 1).op(), {x, sizes}, {y}),
              INPUT_DATA_ERROR);
}

}  // namespace
}  // namespace MNN
