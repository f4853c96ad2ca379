#include <algorithm>
#include <cmath>
#include "Families.hpp"

namespace mnn_primitives {
namespace {

using mnn_test::NetBuilder;
using Names = std::vector<std::string>;

constexpr double kEpsilon = 1.0 / 1024;

// Each run of `inside` elements to mean 0 (unless rms) and variance 1.
Array normalized(const Array& x, size_t inside, bool rms, double epsilon) {
    Array y = x;
    for (size_t begin = 0; inside > 0 && begin < x.count(); begin += inside) {
        double mean = 0, square = 0;
        for (size_t i = begin; i < begin + inside; ++i) mean += x.values[i];
        mean = rms ? 0 : mean / static_cast<double>(inside);
        for (size_t i = begin; i < begin + inside; ++i) square += (x.values[i] - mean) * (x.values[i] - mean);
        const double scale = 1 / std::sqrt(square / static_cast<double>(inside) + epsilon);
        for (size_t i = begin; i < begin + inside; ++i) y.values[i] = (x.values[i] - mean) * scale;
    }
    return y;
}

struct Layer {
    int axes = 1;  // how many of the last ones
    bool rms = false, gamma = false, beta = false;
};

Case layerCase(Random& random, const Shape& shape, const Layer& layer) {
    Case c;
    const int rank = static_cast<int>(shape.size());
    const Shape tail(shape.end() - layer.axes, shape.end());
    const Array gamma = random.floats({static_cast<int>(countOf(tail))}), beta = random.floats(gamma.shape);
    c.title = std::string("Norm ") + (layer.rms ? "rms" : "layer") + " of the last " + std::to_string(layer.axes) +
              (layer.gamma ? " gamma" : "") + (layer.beta ? " beta" : "");
    c.inputs = {plain(random.floats(shape))};
    c.tolerance = {1e-5, 2e-5};
    c.build = [=](NetBuilder& net, const Names& in) {
        auto* param = new MNN::LayerNormT;
        for (int i = rank - layer.axes; i < rank; ++i) param->axis.push_back(i);
        param->epsilon = static_cast<float>(kEpsilon);
        param->useRMSNorm = layer.rms;
        if (layer.gamma) param->gamma = floatsOf(gamma);
        if (layer.beta) param->beta = floatsOf(beta);
        net.add(MNN::OpType_LayerNorm, "y", in, MNN::OpParameter_LayerNorm, param);
    };
    c.reference = [=](const std::vector<Array>& in) {
        Array y = normalized(in[0], gamma.count(), layer.rms, kEpsilon);
        for (size_t i = 0; i < y.count(); ++i) {
            if (layer.gamma) y.values[i] *= gamma.values[i % gamma.count()];
            if (layer.beta) y.values[i] += beta.values[i % gamma.count()];
        }
        return std::vector<Array>{y};
    };
    return c;
}

// Groups of channels; with one channel each this is instance norm.
Case groupCase(Random& random, const Shape& shape, int groups, bool swish) {
    Case c;
    const Array gamma = random.floats({shape[1]}), beta = random.floats({shape[1]});
    c.title = "Norm of " + std::to_string(groups) + " groups" + (swish ? " swish" : "");
    c.inputs = {plain(random.floats(shape))};
    c.tolerance = {1e-5, 2e-5};
    c.build = [=](NetBuilder& net, const Names& in) {
        auto* param = new MNN::GroupNormT;
        param->epsilon = static_cast<float>(kEpsilon);
        param->gamma = floatsOf(gamma);
        param->beta = floatsOf(beta);
        param->group = groups;
        param->bSwish = swish ? 1 : 0;
        net.add(MNN::OpType_GroupNorm, "y", in, MNN::OpParameter_GroupNorm, param);
    };
    c.reference = [=](const std::vector<Array>& in) {
        const size_t inside = in[0].count() / std::max<size_t>(1, static_cast<size_t>(in[0].shape[0]) * groups);
        const Array normal = normalized(in[0], inside, false, kEpsilon);
        return std::vector<Array>{generate(Type::Float, in[0].shape, [&](const Index& at) {
            const double y = normal.at(at) * gamma.values[at[1]] + beta.values[at[1]];
            return swish ? y / (1 + std::exp(-y)) : y;
        })};
    };
    return c;
}

// x over the length of its channels, times a scale per channel.
Case lengthCase(Random& random, const Shape& shape, bool acrossSpatial) {
    Case c;
    const Array scale = random.floats({shape[1]});
    c.title = std::string("Norm l2 ") + (acrossSpatial ? "of images" : "of channels");
    c.inputs = {plain(random.floats(shape))};
    c.tolerance = {1e-5, 2e-5};
    c.build = [=](NetBuilder& net, const Names& in) {
        auto* param = new MNN::NormalizeT;
        param->acrossSpatial = acrossSpatial ? 1 : 0;
        param->eps = static_cast<float>(kEpsilon);
        param->scale = floatsOf(scale);
        net.add(MNN::OpType_Normalize, "y", in, MNN::OpParameter_Normalize, param);
    };
    c.reference = [=](const std::vector<Array>& in) {
        Shape kept = in[0].shape;
        for (size_t d = 1; d < kept.size(); ++d) kept[d] = d == 1 || acrossSpatial ? 1 : kept[d];
        Array sum = generate(Type::Float, kept, [](const Index&) { return kEpsilon; });
        forEach(in[0].shape, [&](const Index& at) { sum.at(at) += in[0].at(at) * in[0].at(at); });
        return std::vector<Array>{generate(Type::Float, in[0].shape, [&](const Index& at) {
            return in[0].at(at) / std::sqrt(sum.at(at)) * scale.values[at[1]];
        })};
    };
    return c;
}

}  // namespace

void normCases(const Visit& visit) {
    Random random(12);
    for (int n : edgeSizes()) {
        for (bool rms : {false, true}) {
            visitFronts(layerCase(random, {3, n}, {1, rms, true, !rms}), visit);
            visit(layerCase(random, {n, 5}, {1, rms, false, false}));
            visit(layerCase(random, {2, n, 3, 2}, {3, rms, true, true}));
        }
        if (n > 0) visitFronts(groupCase(random, {2, n, 3, 5}, n, false), visit);
    }
    for (int axes = 1; axes <= 4; ++axes)
        visitFronts(layerCase(random, {2, 5, 3, 4}, {axes, false, true, axes != 3}), visit);
    visit(layerCase(random, {3, 1000}, {1, false, true, true}));
    visit(layerCase(random, {3, 1000}, {1, true, true, false}));
    visit(layerCase(random, {300, 200}, {1, false, true, true}));
    for (int groups : {1, 2, 4, 8}) {
        visitFronts(groupCase(random, {2, 8, 3, 5}, groups, groups == 2), visit);
        visit(groupCase(random, {1, 24, 7}, groups, false));
    }
    for (int channels : {1, 4, 5, 17}) {
        visitFronts(lengthCase(random, {2, channels, 3, 4}, false), visit);
        visitFronts(lengthCase(random, {2, channels, 3, 4}, true), visit);
    }
}

}  // namespace mnn_primitives
