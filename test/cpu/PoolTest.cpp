#include <cmath>
#include <limits>
#include "cpu/ExecutionHarness.hpp"

namespace MNN {
namespace {

using namespace harness;

struct Want {
    std::vector<float> values;
    std::vector<int> indices;
};

// pads: top, left, bottom, right.
Want poolReference(const std::vector<float>& x, const Dims& in, const Dims& out, const PoolT& p, const Dims& pads,
                   bool count) {
    Want want;
    forEachIndex(out, [&](const Dims& o) {
        const int y0 = o[2] * p.strideY - pads[0], x0 = o[3] * p.strideX - pads[1];
        double sum = 0.0;
        float best = -std::numeric_limits<float>::infinity();
        int cells = 0, padded = 0, at = 0;
        for (int y = y0; y < y0 + p.kernelY; ++y) {
            for (int c = x0; c < x0 + p.kernelX; ++c) {
                if (y < in[2] + pads[2] && c < in[3] + pads[3]) ++padded;
                if (y < 0 || c < 0 || y >= in[2] || c >= in[3]) continue;
                const int64_t place = flatOf(in, {o[0], o[1], y, c});
                ++cells;
                sum += x[place];
                if (x[place] > best) best = x[place], at = static_cast<int>(place);
            }
        }
        const int divisor = count ? padded : cells;
        want.values.push_back(p.type == PoolType_MAXPOOL ? best
                                                         : static_cast<float>(divisor > 0 ? sum / divisor : 0.0));
        want.indices.push_back(at);
    });
    return want;
}

void check(const PoolT& p, const Dims& in, const Dims& out, const Dims& pads, bool count, const PoolT& asStated) {
    const std::vector<float> x = uniform(countOf(in), 7);
    const Want want = poolReference(x, in, out, asStated, pads, count);
    for (int pack : {1, 4, 8, 16}) {
        for (int threads : {1, 3}) {
            const int format = pack == 1 ? 0 : pack;
            TensorPtr y = poisoned(out, halide_type_of<float>(), format);
            std::vector<TensorPtr> outputs = {y};
            if (p.type == PoolType_MAXPOOL) outputs.push_back(poisoned(out, halide_type_of<int32_t>(), format));
            ASSERT_EQ(runOp(opOf(OpType_Pooling, p), {tensorOf(in, x, format)}, outputs, threads), NO_ERROR);
            expectNear(valuesIn<float>(y), want.values, 1e-6f, "pack " + std::to_string(pack));
            if (outputs.size() > 1) {
                EXPECT_EQ(valuesIn<int>(outputs[1]), want.indices);
            }
        }
    }
}

PoolT pool(PoolType type, int kernel, int stride) {
    PoolT p;
    p.type = type;
    p.kernelX = p.kernelY = kernel;
    p.strideX = p.strideY = stride;
    return p;
}

TEST(CPUPool, ExplicitPadsOfEachSide) {
    for (int channels : {1, 3, 4, 5, 16, 17, 33}) {
        for (PoolType type : {PoolType_MAXPOOL, PoolType_AVEPOOL}) {
            for (AvgPoolCountType count : {AvgPoolCountType_INCLUDE_PADDING, AvgPoolCountType_EXCLUDE_PADDING}) {
                PoolT p = pool(type, 3, 2);
                p.pads = {1, 0, 1, 2};
                p.countType = count;
                check(p, {2, channels, 9, 6}, {2, channels, 5, 3}, {1, 0, 1, 2},
                      count == AvgPoolCountType_INCLUDE_PADDING, p);
            }
        }
    }
}

TEST(CPUPool, CaffeCountsItsPaddingButNotWhatCeilingAdds) {
    PoolT p = pool(PoolType_AVEPOOL, 3, 2);
    p.padX = p.padY = 1;
    check(p, {1, 5, 8, 8}, {1, 5, 5, 5}, {1, 1, 1, 1}, true, p);
}

TEST(CPUPool, SameAndValid) {
    PoolT p = pool(PoolType_AVEPOOL, 3, 2);
    p.padType = PoolPadType_SAME;
    check(p, {1, 6, 8, 7}, {1, 6, 4, 4}, {0, 1, 1, 1}, false, p);
    p.type = PoolType_MAXPOOL;
    check(p, {1, 6, 8, 7}, {1, 6, 4, 4}, {0, 1, 1, 1}, false, p);
    p.padType = PoolPadType_VALID;
    p.padX = p.padY = 1;  // not read
    check(p, {1, 6, 8, 7}, {1, 6, 3, 3}, {0, 0, 0, 0}, false, p);
}

TEST(CPUPool, Global) {
    for (PoolType type : {PoolType_MAXPOOL, PoolType_AVEPOOL}) {
        PoolT p = pool(type, 0, 0), whole = pool(type, 1, 1);
        p.isGlobal = true;
        whole.kernelY = 17, whole.kernelX = 13;
        check(p, {3, 9, 17, 13}, {3, 9, 1, 1}, {0, 0, 0, 0}, false, whole);
    }
}

TEST(CPUPool, EmptyBatchAndManyRowsOfOnePlane) {
    const PoolT p = pool(PoolType_MAXPOOL, 2, 1);
    check(p, {0, 4, 5, 5}, {0, 4, 4, 4}, {0, 0, 0, 0}, false, p);
    check(p, {1, 4, 130, 90}, {1, 4, 129, 89}, {0, 0, 0, 0}, false, p);
}

TEST(CPUPool, RefusesOtherTypesAndSizes) {
    const PoolT p = pool(PoolType_MAXPOOL, 2, 1);
    EXPECT_EQ(runOp(opOf(OpType_Pooling, p), {poisoned({1, 4, 5, 5}, halide_type_of<int32_t>(), 4)},
                    {poisoned({1, 4, 4, 4}, halide_type_of<int32_t>(), 4)}),
              NO_EXECUTION);
    EXPECT_EQ(
        runOp(opOf(OpType_Pooling, pool(PoolType_MAXPOOL, 0, 1)), {poisoned({1, 4, 5, 5}, halide_type_of<float>(), 4)},
              {poisoned({1, 4, 4, 4}, halide_type_of<float>(), 4)}),
        NO_EXECUTION);
    EXPECT_EQ(runOp(opOf(OpType_Pooling, p), {poisoned({1, 4, 5, 5}, halide_type_of<float>(), 4)},
                    {poisoned({1, 4, 4, 4}, halide_type_of<float>(), 8)}),
              INPUT_DATA_ERROR);
}

}  // namespace
}  // namespace MNN
