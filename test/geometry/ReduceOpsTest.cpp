// Reductions, norms and other ops made of them.
#include <algorithm>
#include <cmath>
#include "geometry/LoweringHarness.hpp"

namespace MNN {
namespace test {

using geometry::makeOp;

namespace {

// Elements of x grouped by the dimensions that stay.
std::vector<Values> groups(const Dims& dims, const Values& x, const std::vector<int>& axes) {
    Dims kept = dims;
    for (int axis : axes) kept[axis] = 1;
    std::vector<Values> result(count(kept));
    forEachIndex(dims, [&](const Dims& i) {
        Dims j = i;
        for (int axis : axes) j[axis] = 0;
        result[flat(kept, j)].push_back(x[flat(dims, i)]);
    });
    return result;
}

float reduceGroup(ReductionType kind, const Values& v) {
    float sum = 0, product = 1, largest = v[0], smallest = v[0], absolute = 0, squares = 0;
    for (float x : v) {
        sum += x, product *= x, absolute += std::fabs(x), squares += x * x;
        largest = std::max(largest, x), smallest = std::min(smallest, x);
    }
    switch (kind) {
        case ReductionType_SUM:
            return sum;
        case ReductionType_ASUM:
            return absolute;
        case ReductionType_SUMSQ:
            return squares;
        case ReductionType_MEAN:
            return sum / v.size();
        case ReductionType_MAXIMUM:
            return largest;
        case ReductionType_MINIMUM:
            return smallest;
        default:
            return product;
    }
}

}  // namespace

TEST(ReduceOps, EveryKindOverEveryAxes) {
    const Dims dims = {2, 9, 3, 4};
    const std::vector<std::vector<int>> axesLists = {{0},       {1},    {3},    {0, 1}, {2, 3},
                                                     {1, 2, 3}, {0, 2}, {0, 3}, {1, 3}, {0, 1, 2, 3}};
    const Values x = Harness::noise(dims, 3, 0.5f, 1.5f);
    for (int kind = ReductionType_SUM; kind <= ReductionType_PROD; ++kind) {
        for (const auto& axes : axesLists) {
            for (bool keep : {false, true}) {
                for (int pack : {1, 8}) {
                    Harness h;
                    ReductionParamT param;
                    param.operation = static_cast<ReductionType>(kind);
                    param.dim = axes;
                    param.dim[0] -= 4;
                    param.keepDims = keep;
                    Dims to;
                    for (int d = 0; d < 4; ++d) {
                        const bool reduced = std::find(axes.begin(), axes.end(), d) != axes.end();
                        if (!reduced || keep) to.push_back(reduced ? 1 : dims[d]);
                    }
                    Tensor* y = h.output(to);
                    ASSERT_TRUE(h.lower(makeOp(OpType_Reduction, param), {h.input(dims, x, pack)}, {y}));
                    Values want;
                    for (const Values& group : groups(dims, x, axes))
                        want.push_back(reduceGroup(param.operation, group));
                    expectNear(h.read(y), want, 1e-4f);
                }
            }
        }
    }
}

TEST(ReduceOps, MeanOfPackedPlanesIsAPool) {
    Harness h;
    const Dims dims = {2, 9, 3, 4};
    ReductionParamT param;
    param.operation = ReductionType_MEAN;
    param.dim = {2, 3};
    Tensor* y = h.output({2, 9});
    ASSERT_TRUE(h.lower(makeOp(OpType_Reduction, param), {h.input(dims, Harness::ramp(dims), 8)}, {y}));
    EXPECT_EQ(h.commands(OpType_Pooling), 1);
    EXPECT_EQ(h.commands(OpType_Raster), 0);
}

TEST(ReduceOps, DimensionsOfLengthOneAreNotReduced) {
    Harness h;
    ReductionParamT param;
    param.operation = ReductionType_SUMSQ;
    param.dim = {1};
    Tensor* y = h.output({3});
    ASSERT_TRUE(h.lower(makeOp(OpType_Reduction, param), {h.input({3, 1}, {1, -2, 3})}, {y}));
    expectNear(h.read(y), {1, 4, 9});
}

TEST(ReduceOps, CosineSimilarity) {
    for (int axis : {1, -1}) {
        Harness h;
        const Dims dims = {2, 5, 3};
        const Values a = Harness::noise(dims, 1), b = Harness::noise(dims, 2);
        const int at = axis < 0 ? axis + 3 : axis;
        Dims to = dims;
        to.erase(to.begin() + at);
        Tensor* y = h.output(to);
        ASSERT_TRUE(h.lower(makeOp(OpType_CosineSimilarity),
                            {h.input(dims, a, 4), h.input(dims, b), h.constant({}, {axis})}, {y}));
        const auto ga = groups(dims, a, {at}), gb = groups(dims, b, {at});
        Values want;
        for (size_t i = 0; i < ga.size(); ++i) {
            float product = 0;
            for (size_t k = 0; k < ga[i].size(); ++k) product += ga[i][k] * gb[i][k];
            want.push_back(
                product / std::sqrt(reduceGroup(ReductionType_SUMSQ, ga[i]) * reduceGroup(ReductionType_SUMSQ, gb[i])));
        }
        expectNear(h.read(y), want, 1e-5f);
    }
}

TEST(ReduceOps, Moments) {
    Harness h;
    const Dims dims = {2, 3, 4};
    const Values x = Harness::noise(dims, 4);
    MomentsParamT param;
    param.dim = {0, 2};
    Tensor* mean = h.output({1, 3, 1});
    Tensor* variance = h.output({1, 3, 1});
    ASSERT_TRUE(h.lower(makeOp(OpType_Moments, param), {h.input(dims, x)}, {mean, variance}));
    Values wantMean, wantVariance;
    for (const Values& group : groups(dims, x, {0, 2})) {
        const float m = reduceGroup(ReductionType_MEAN, group);
        wantMean.push_back(m);
        wantVariance.push_back(reduceGroup(ReductionType_SUMSQ, group) / group.size() - m * m);
    }
    expectNear(h.read(mean), wantMean, 1e-5f);
    expectNear(h.read(variance), wantVariance, 1e-5f);
}

TEST(NormOps, LayerNormAddsItsResidual) {
    Harness h;
    const Dims dims = {2, 3, 8};
    LayerNormT param;
    param.axis = {-1};
    param.epsilon = 1e-5f;
    param.gamma = Harness::noise({8}, 1);
    param.beta = Harness::noise({8}, 2);
    const Values x = Harness::noise(dims, 3), r = Harness::noise(dims, 4);
    Tensor* y = h.output(dims);
    Tensor* sum = h.output(dims);
    ASSERT_TRUE(h.lower(makeOp(OpType_LayerNorm, param), {h.input(dims, x), h.input(dims, r)}, {y, sum}));
    Values wantSum, want(x.size());
    for (size_t i = 0; i < x.size(); ++i) wantSum.push_back(x[i] + r[i]);
    for (size_t row = 0; row < x.size(); row += 8) {
        const Values line(wantSum.begin() + row, wantSum.begin() + row + 8);
        const float m = reduceGroup(ReductionType_MEAN, line);
        const float v = reduceGroup(ReductionType_SUMSQ, line) / 8 - m * m;
        for (int k = 0; k < 8; ++k)
            want[row + k] = (line[k] - m) / std::sqrt(v + 1e-5f) * param.gamma[k] + param.beta[k];
    }
    expectNear(h.read(sum), wantSum);
    expectNear(h.read(y), want, 1e-4f);
}

TEST(NormOps, GroupNormAndInstanceNorm) {
    const Dims dims = {2, 6, 3, 2};
    const Values x = Harness::noise(dims, 5), gamma = Harness::noise({6}, 6), beta = Harness::noise({6}, 7),
                 added = Harness::noise({2, 6}, 8);
    for (int group : {1, 2, 6}) {
        for (int pack : {1, 4}) {
            for (bool swish : {false, true}) {
                Harness h;
                Tensor* y = h.output(dims);
                if (swish || group < 6) {
                    GroupNormT param;
                    param.group = group;
                    param.epsilon = 1e-3f;
                    param.gamma = gamma;
                    param.beta = beta;
                    param.bSwish = swish;
                    ASSERT_TRUE(h.lower(makeOp(OpType_GroupNorm, param),
                                        {h.input(dims, x, pack), h.input({2, 6}, added)}, {y}));
                } else {
                    BatchNormT param;
                    param.channels = 6;
                    param.slopeData = gamma;
                    param.biasData = beta;
                    param.epsilon = 1e-3f;
                    ASSERT_TRUE(h.lower(makeOp(OpType_InstanceNorm, param), {h.input(dims, x, pack)}, {y}));
                }
                Values sum;
                forEachIndex(dims, [&](const Dims& i) {
                    sum.push_back(x[flat(dims, i)] + (swish || group < 6 ? added[i[0] * 6 + i[1]] : 0.0f));
                });
                const Dims grouped = {2 * group, 36 / group};
                const auto parts = groups(grouped, sum, {1});
                Values want;
                forEachIndex(dims, [&](const Dims& i) {
                    const int64_t at = flat(dims, i);
                    const Values& part = parts[at / grouped[1]];
                    const float m = reduceGroup(ReductionType_MEAN, part);
                    const float v = reduceGroup(ReductionType_SUMSQ, part) / part.size() - m * m;
                    const float n = (sum[at] - m) / std::sqrt(v + 1e-3f) * gamma[i[1]] + beta[i[1]];
                    want.push_back(swish ? n / (1 + std::exp(-n)) : n);
                });
                expectNear(h.read(y), want, 1e-4f);
            }
        }
    }
}

TEST(NormOps, Normalize) {
    for (int across : {0, 1}) {
        for (int pack : {1, 8}) {
            Harness h;
            const Dims dims = {2, 9, 2, 3};
            NormalizeT param;
            param.acrossSpatial = across;
            param.eps = 0.01f;
            param.scale = Harness::noise({9}, 1);
            const Values x = Harness::noise(dims, 2);
            Tensor* y = h.output(dims);
            ASSERT_TRUE(h.lower(makeOp(OpType_Normalize, param), {h.input(dims, x, pack)}, {y}));
            const auto parts = groups(dims, x, across ? std::vector<int>{1, 2, 3} : std::vector<int>{1});
            Values want;
            forEachIndex(dims, [&](const Dims& i) {
                const int part = across ? i[0] : (i[0] * 2 + i[2]) * 3 + i[3];
                want.push_back(x[flat(dims, i)] / std::sqrt(reduceGroup(ReductionType_SUMSQ, parts[part]) + 0.01f) *
                               param.scale[i[1]]);
            });
            expectNear(h.read(y), want, 1e-5f);
        }
    }
}

TEST(NormOps, GatedRmsNorm) {
    Harness h;
    const Dims dims = {2, 6};
    LayerNormT param;
    param.axis = {-1};
    param.epsilon = 1e-6f;
    param.useRMSNorm = true;
    param.gamma = Harness::noise({6}, 1);
    const Values x = Harness::noise(dims, 2), z = Harness::noise(dims, 3);
    Tensor* y = h.output(dims);
    ASSERT_TRUE(h.lower(makeOp(OpType_GatedRMSNorm, param), {h.input(dims, x), h.input(dims, z)}, {y}));
    Values want;
    for (int i = 0; i < 12; ++i) {
        const Values line(x.begin() + i / 6 * 6, x.begin() + i / 6 * 6 + 6);
        const float rms = std::sqrt(reduceGroup(ReductionType_SUMSQ, line) / 6 + 1e-6f);
        want.push_back(x[i] / rms * param.gamma[i % 6] * z[i] / (1 + std::exp(-z[i])));
    }
    expectNear(h.read(y), want, 1e-5f);
}

TEST(TopKOps, RunsAlongTheLastDimension) {
    for (int axis : {0, 1, -1}) {
        Harness h;
        const Dims dims = {4, 5, 3};
        Dims to = dims;
        const int at = axis < 0 ? 2 : axis;
        to[at] = 2;
        const Values x = Harness::noise(dims, 9);
        Tensor* values = h.output(to);
        Tensor* indices = h.output(to, halide_type_of<int32_t>());
        ASSERT_TRUE(h.lower(makeOp(OpType_TopKV2, TopKV2T()),
                            {h.input(dims, x), h.constant({}, {2}), h.constant({}, {axis})}, {values, indices}));
        const Values got = h.read(values), places = h.read(indices);
        const auto lines = groups(dims, x, {at});
        forEachIndex(to, [&](const Dims& i) {
            Dims kept = dims, line = i;
            kept[at] = 1;
            line[at] = 0;
            Values sorted = lines[flat(kept, line)];
            std::sort(sorted.rbegin(), sorted.rend());
            EXPECT_EQ(got[flat(to, i)], sorted[i[at]]);
            Dims from = i;
            from[at] = static_cast<int>(places[flat(to, i)]);
            EXPECT_EQ(x[flat(dims, from)], got[flat(to, i)]);
        });
    }
}

}  // namespace test
}  // namespace MNN
