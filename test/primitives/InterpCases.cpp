#include <algorithm>
#include <cmath>
#include "Families.hpp"

namespace mnn_primitives {
namespace {

enum Filter { kNearestFloor = 1, kLinear = 2, kCubic = 3, kNearestRound = 4 };

struct Resample {
    MNN::CoordinateTransformationMode mode = MNN::CoordinateTransformationMode_HalfPixels;
    int filter = kLinear;
    Shape size;  // spatial lengths of the output
};

// Where output place `x` of `out` lies among `in` inputs.
double sourceOf(MNN::CoordinateTransformationMode mode, int x, int in, int out) {
    const double center = (x + 0.5) * in / out;
    switch (mode) {
        case MNN::CoordinateTransformationMode_AlignCorners:
            return out == 1 ? 0.0 : static_cast<double>(x) * (in - 1) / (out - 1);
        case MNN::CoordinateTransformationMode_PytorchHalfPixels:
            return out == 1 ? 0.0 : center - 0.5;
        case MNN::CoordinateTransformationMode_Asymmetric:
            return static_cast<double>(x) * in / out;
        case MNN::CoordinateTransformationMode_TensorflowHalfPixels:
            return center;
        default:
            return center - 0.5;
    }
}

// Keys' cubic at distance t, a = -0.75.
double cubic(double t) {
    constexpr double a = -0.75;
    t = std::fabs(t);
    if (t <= 1) return (a + 2) * t * t * t - (a + 3) * t * t + 1;
    return t < 2 ? a * t * t * t - 5 * a * t * t + 8 * a * t - 4 * a : 0;
}

// The weight of each of `in` elements in output place x; places outside repeat the edge.
std::vector<double> weightsOf(const Resample& r, int x, int in, int out) {
    std::vector<double> weights(in, 0.0);
    const double place = sourceOf(r.mode, x, in, out);
    const int low = static_cast<int>(std::floor(place));
    for (int i = low - 2; i <= low + 3; ++i) {
        const bool nearest = r.filter == kNearestFloor ? i == low : i == static_cast<int>(std::ceil(place - 0.5));
        const double weight = r.filter == kLinear  ? std::max(1 - std::fabs(i - place), 0.0)
                              : r.filter == kCubic ? cubic(i - place)
                                                   : (nearest ? 1.0 : 0.0);
        weights[std::min(std::max(i, 0), in - 1)] += weight;
    }
    return weights;
}

Array resampledAlong(const Array& x, const Resample& r, int axis, int out) {
    Shape shape = x.shape;
    const int in = shape[axis];
    shape[axis] = out;
    return generate(x.type, shape, [&](Index at) {
        const std::vector<double> weights = weightsOf(r, at[axis], in, out);
        double sum = 0;
        for (int i = 0; i < in; ++i) {
            at[axis] = i;
            if (weights[i] != 0) sum += weights[i] * x.at(at);
        }
        return sum;
    });
}

Case resampleCase(Array x, const Resample& r) {
    static const char* const kFilters[] = {"", "nearest", "linear", "cubic", "nearest rounded"};
    Case c;
    c.title = std::string("Interp ") + kFilters[r.filter] + " " + MNN::EnumNameCoordinateTransformationMode(r.mode) +
              " to " + textOf(r.size);
    c.inputs = {plain(std::move(x))};
    c.tolerance = {1e-5, 2e-5};
    c.build = [r](mnn_test::NetBuilder& net, const std::vector<std::string>& in) {
        auto* param = new MNN::InterpT;
        param->ctm = r.mode;
        param->resizeType = r.filter;
        param->outputWidth = r.size.back();
        param->outputHeight = r.size[r.size.size() - 2];
        if (r.size.size() == 3) param->outputDepth = r.size[0];
        net.add(r.size.size() == 3 ? MNN::OpType_Interp3D : MNN::OpType_Interp, "y", in, MNN::OpParameter_Interp,
                param);
    };
    c.reference = [r](const std::vector<Array>& in) {
        Array y = in[0];
        for (size_t d = 0; d < r.size.size(); ++d) y = resampledAlong(y, r, static_cast<int>(d) + 2, r.size[d]);
        return std::vector<Array>{y};
    };
    return c;
}

}  // namespace

void interpCases(const Visit& visit) {
    Random random(15);
    for (int mode = MNN::CoordinateTransformationMode_AlignCorners;
         mode <= MNN::CoordinateTransformationMode_TensorflowHalfPixels; ++mode) {
        for (int filter = kNearestFloor; filter <= kNearestRound; ++filter) {
            const auto ctm = static_cast<MNN::CoordinateTransformationMode>(mode);
            for (const Shape& size : {Shape{8, 14}, Shape{2, 3}, Shape{4, 7}, Shape{1, 1}, Shape{9, 5}}) {
                visit(resampleCase(random.floats({2, 5, 4, 7}), {ctm, filter, size}));
            }
            visit(resampleCase(random.floats({1, 3, 1, 1}), {ctm, filter, {3, 2}}));
            visit(resampleCase(random.floats({1, 3, 3, 4, 2}), {ctm, filter, {5, 3, 4}}));
        }
    }
    visit(resampleCase(random.floats({1, 17, 30, 31}),
                       {MNN::CoordinateTransformationMode_HalfPixels, kLinear, {60, 50}}));
    for (int channels : edgeSizes()) {
        for (int filter = kNearestFloor; filter <= kCubic; ++filter) {
            visitFronts(resampleCase(random.floats({2, channels, 3, 5}),
                                     {MNN::CoordinateTransformationMode_HalfPixels, filter, {6, 4}}),
                        visit);
        }
        visit(resampleCase(random.floats({1, channels, 3, 5}),
                           {MNN::CoordinateTransformationMode_Asymmetric, kNearestFloor, {6, 10}}));
    }
}

}  // namespace mnn_primitives
