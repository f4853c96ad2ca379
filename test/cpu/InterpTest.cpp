#include <algorithm>
#include <cmath>
#include "cpu/ExecutionHarness.hpp"

namespace MNN {
namespace {

using namespace harness;

enum class Place { Asymmetric, Corners, Half, PytorchHalf, HalfNoShift };

double placeAt(Place kind, int x, int in, int out) {
    switch (kind) {
        case Place::Asymmetric:
            return static_cast<double>(x) * in / out;
        case Place::Corners:
            return out == 1 ? 0.0 : static_cast<double>(x) * (in - 1) / (out - 1);
        case Place::Half:
            return (x + 0.5) * in / out - 0.5;
        case Place::PytorchHalf:
            return out == 1 ? 0.0 : (x + 0.5) * in / out - 0.5;
        case Place::HalfNoShift:
            return (x + 0.5) * in / out;
    }
    return 0.0;
}

double cubic(double t) {
    const double a = -0.75;
    t = std::fabs(t);
    if (t <= 1) return (a + 2) * t * t * t - (a + 3) * t * t + 1;
    return t < 2 ? a * t * t * t - 5 * a * t * t + 8 * a * t - 4 * a : 0;
}

// Weights over the whole input of one output element.
std::vector<double> weightsAt(int type, Place kind, bool cornersRound, int x, int in, int out) {
    std::vector<double> weights(in, 0.0);
    const double place = placeAt(kind, x, in, out);
    const auto add = [&](int at, double w) { weights[std::min(std::max(at, 0), in - 1)] += w; };
    if (type == 1) add(static_cast<int>(std::floor(cornersRound ? place + 0.5 : place)), 1.0);
    if (type == 4) add(static_cast<int>(std::ceil(place - 0.5)), 1.0);
    const int low = static_cast<int>(std::floor(place));
    for (int i = low - 3; i <= low + 3; ++i) {
        if (type == 2) add(i, std::max(1.0 - std::fabs(i - place), 0.0));
        if (type == 3) add(i, cubic(i - place));
    }
    return weights;
}

std::vector<float> reference(const std::vector<float>& x, const Dims& in, const Dims& out, int type, Place kind,
                             bool cornersRound) {
    std::vector<float> y;
    forEachIndex(out, [&](const Dims& o) {
        std::vector<std::vector<double>> w;
        for (size_t d = 2; d < in.size(); ++d) w.push_back(weightsAt(type, kind, cornersRound, o[d], in[d], out[d]));
        double sum = 0.0;
        forEachIndex(Dims(in.begin() + 2, in.end()), [&](const Dims& s) {
            double weight = 1.0;
            for (size_t d = 0; d < s.size(); ++d) weight *= w[d][s[d]];
            if (weight == 0.0) return;
            Dims from = {o[0], o[1]};
            from.insert(from.end(), s.begin(), s.end());
            sum += weight * x[flatOf(in, from)];
        });
        y.push_back(static_cast<float>(sum));
    });
    return y;
}

struct Mode {
    CoordinateTransformationMode ctm;
    bool corners, half;
    Place linear, nearest;
};

const Mode kModes[] = {
    {CoordinateTransformationMode_NotSet, false, false, Place::Asymmetric, Place::Asymmetric},
    {CoordinateTransformationMode_NotSet, true, false, Place::Corners, Place::Corners},
    {CoordinateTransformationMode_NotSet, false, true, Place::Half, Place::HalfNoShift},
    {CoordinateTransformationMode_AlignCorners, false, false, Place::Corners, Place::Corners},
    {CoordinateTransformationMode_HalfPixels, false, false, Place::Half, Place::Half},
    {CoordinateTransformationMode_PytorchHalfPixels, false, false, Place::PytorchHalf, Place::PytorchHalf},
    {CoordinateTransformationMode_Asymmetric, false, false, Place::Asymmetric, Place::Asymmetric},
    {CoordinateTransformationMode_TensorflowHalfPixels, false, false, Place::HalfNoShift, Place::HalfNoShift},
};

void check(const Dims& in, const Dims& out, const std::vector<int>& packs) {
    const std::vector<float> x = uniform(countOf(in), 3);
    for (const Mode& mode : kModes) {
        for (int type = 1; type <= 4; ++type) {
            InterpT p;
            p.ctm = mode.ctm;
            p.alignCorners = mode.corners;
            p.halfPixelCenters = mode.half;
            p.resizeType = type;
            const bool cornersRound = type == 1 && mode.corners;
            const std::vector<float> want =
                reference(x, in, out, type, type == 1 ? mode.nearest : mode.linear, cornersRound);
            for (int pack : packs) {
                for (int threads : {1, 3}) {
                    TensorPtr y = poisoned(out, halide_type_of<float>(), pack);
                    const OpType opType = in.size() == 5 ? OpType_Interp3D : OpType_Interp;
                    ASSERT_EQ(runOp(opOf(opType, p), {tensorOf(in, x, pack)}, {y}, threads), NO_ERROR);
                    expectNear(valuesIn<float>(y), want, 1e-5f,
                               std::to_string(mode.ctm) + " type " + std::to_string(type));
                    if (testing::Test::HasFatalFailure()) return;
                }
            }
        }
    }
}

TEST(CPUInterp, EveryModeUpAndDown) {
    check({2, 5, 4, 6}, {2, 5, 9, 12}, {0, 4, 8, 16});
    check({1, 17, 9, 7}, {1, 17, 4, 3}, {4, 16});
    check({1, 3, 5, 5}, {1, 3, 1, 1}, {0, 4});
    check({1, 3, 1, 1}, {1, 3, 3, 4}, {4});
    check({1, 4, 6, 7}, {1, 4, 12, 7}, {4});
}

TEST(CPUInterp, Volumes) { check({1, 3, 3, 4, 5}, {1, 3, 6, 3, 9}, {0, 4}); }

TEST(CPUInterp, EmptyAndOtherTypes) {
    InterpT p;
    p.resizeType = 1;
    EXPECT_EQ(runOp(opOf(OpType_Interp, p), {poisoned({0, 4, 2, 2}, halide_type_of<float>(), 4)},
                    {poisoned({0, 4, 4, 4}, halide_type_of<float>(), 4)}),
              NO_ERROR);
    TensorPtr y = poisoned({1, 3, 4, 2}, halide_type_of<uint8_t>(), 4);
    ASSERT_EQ(runOp(opOf(OpType_Interp, p), {tensorOf<uint8_t>({1, 3, 2, 1}, {1, 2, 3, 4, 5, 6}, 4)}, {y}), NO_ERROR);
    EXPECT_EQ(valuesIn<uint8_t>(y),
              (std::vector<uint8_t>{1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6}));
    p.resizeType = 2;
    EXPECT_EQ(runOp(opOf(OpType_Interp, p), {poisoned({1, 4, 2, 2}, halide_type_of<uint8_t>(), 4)},
                    {poisoned({1, 4, 4, 4}, halide_type_of<uint8_t>(), 4)}),
              NO_EXECUTION);
    p.resizeType = 9;
    EXPECT_EQ(runOp(opOf(OpType_Interp, p), {poisoned({1, 4, 2, 2}, halide_type_of<float>(), 4)},
                    {poisoned({1, 4, 4, 4}, halide_type_of<float>(), 4)}),
              NO_EXECUTION);
}

// ONNX's example resize_downsample_scales_linear: the stated scale, not the ratio of the lengths, gives the places.
TEST(CPUInterp, StatedScaleIsExact) {
    InterpT p;
    p.resizeType = 2;
    p.ctm = CoordinateTransformationMode_HalfPixels;
    p.widthScale = p.heightScale = 0.6f;
    TensorPtr y = poisoned({1, 1, 1, 2}, halide_type_of<float>(), 4);
    ASSERT_EQ(runOp(opOf(OpType_Interp, p), {tensorOf<float>({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}, 4)}, {y}),
              NO_ERROR);
    expectNear(valuesIn<float>(y), {2.6666665f, 4.3333331f}, 1e-6f);
}

}  // namespace
}  // namespace MNN
