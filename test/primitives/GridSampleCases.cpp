#include <algorithm>
#include <cmath>
#include "Families.hpp"

namespace mnn_primitives {
namespace {

struct Sampling {
    bool nearest = false, corners = false;
    MNN::BorderMode border = MNN::BorderMode_ZEROS;
};

// Folds v into [low, high] by mirroring at the ends.
double mirrored(double v, double low, double high) {
    while (v < low || v > high) v = v < low ? 2 * low - v : 2 * high - v;
    return v;
}

// From [-1, 1] to places among `size` elements, moved inside as the border rule says.
double placeOn(const Sampling& s, double g, int size) {
    double place = s.corners ? (g + 1) / 2 * (size - 1) : ((g + 1) * size - 1) / 2;
    if (s.border == MNN::BorderMode_REFLECTION) {
        place = !s.corners ? mirrored(place, -0.5, size - 0.5) : size == 1 ? 0.0 : mirrored(place, 0, size - 1);
    }
    return s.border == MNN::BorderMode_ZEROS ? place : std::min(std::max(place, 0.0), size - 1.0);
}

Array sampled(const Array& x, const Array& grid, const Sampling& s) {
    const int axes = static_cast<int>(x.shape.size()) - 2;
    Shape shape = {x.shape[0], x.shape[1]};
    shape.insert(shape.end(), grid.shape.begin() + 1, grid.shape.end() - 1);
    return generate(Type::Float, shape, [&](const Index& o) {
        Index at = {o[0]};
        at.insert(at.end(), o.begin() + 2, o.end());
        at.push_back(0);
        std::vector<double> place(axes);
        for (int d = 0; d < axes; ++d) {
            at.back() = axes - 1 - d;  // the grid lists the innermost axis first
            place[d] = placeOn(s, grid.at(at), x.shape[2 + d]);
        }
        double sum = 0;
        forEach(Shape(axes, s.nearest ? 1 : 2), [&](const Index& tap) {
            Index from = {o[0], o[1]};
            double weight = 1;
            for (int d = 0; d < axes; ++d) {
                const double i = s.nearest ? std::nearbyint(place[d]) : std::floor(place[d]) + tap[d];
                if (!s.nearest) weight *= 1 - std::fabs(i - place[d]);
                if (i < 0 || i >= x.shape[2 + d]) weight = 0;
                from.push_back(static_cast<int>(i));
            }
            if (weight != 0) sum += weight * x.at(from);
        });
        return sum;
    });
}

Case sampleCase(Array x, Array grid, const Sampling& s) {
    Case c;
    c.title = std::string("GridSample ") + (s.nearest ? "nearest " : "linear ") + MNN::EnumNameBorderMode(s.border) +
              (s.corners ? " corners" : "");
    c.inputs = {plain(std::move(x)), plain(std::move(grid))};
    c.tolerance = {1e-5, 3e-5};
    c.build = [s](mnn_test::NetBuilder& net, const std::vector<std::string>& in) {
        auto* param = new MNN::GridSampleT;
        param->mode = s.nearest ? MNN::SampleMode_NEAREST : MNN::SampleMode_BILINEAR;
        param->paddingMode = s.border;
        param->alignCorners = s.corners;
        net.add(MNN::OpType_GridSample, "y", in, MNN::OpParameter_GridSample, param);
    };
    c.reference = [s](const std::vector<Array>& in) { return std::vector<Array>{sampled(in[0], in[1], s)}; };
    return c;
}

// Places that no rounding can move across the middle between two elements: odd multiples of 1/64 and a bit more.
Array gridOf(Random& random, const Shape& shape) {
    Array grid = random.ints(shape, -57, 56);
    grid.type = Type::Float;
    for (double& v : grid.values) v = (2 * v + 1) / 64;
    return grid;
}

}  // namespace

void gridSampleCases(const Visit& visit) {
    Random random(16);
    for (MNN::BorderMode border : {MNN::BorderMode_ZEROS, MNN::BorderMode_CLAMP, MNN::BorderMode_REFLECTION}) {
        for (bool nearest : {false, true}) {
            for (bool corners : {false, true}) {
                const Sampling s = {nearest, corners, border};
                visit(sampleCase(random.floats({2, 5, 5, 7}), gridOf(random, {2, 3, 4, 2}), s));
                visit(sampleCase(random.floats({1, 17, 1, 3}), gridOf(random, {1, 5, 6, 2}), s));
                visit(sampleCase(random.floats({2, 3, 3, 5, 3}), gridOf(random, {2, 2, 3, 4, 3}), s));
            }
        }
    }
    for (int channels : edgeSizes()) {
        if (channels == 0) continue;
        visitFronts(sampleCase(random.floats({2, channels, 5, 3}), gridOf(random, {2, 3, 5, 2}), Sampling()), visit);
    }
}

}  // namespace mnn_primitives
