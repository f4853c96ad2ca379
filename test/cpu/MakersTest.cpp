// Tensors made from a few numbers, and small ops on matrices and sequences.
#include <cmath>
#include "cpu/ExecutionHarness.hpp"

namespace MNN {
namespace {

using namespace harness;

template <typename T>
std::vector<T> run(const OpT& op, const std::vector<TensorPtr>& inputs, const Dims& out, ErrorCode want = NO_ERROR) {
    TensorPtr y = poisoned(out, halide_type_of<T>());
    EXPECT_EQ(runOp(op, inputs, {y}, 3), want);
    return valuesIn<T>(y);
}

TensorPtr number(float v) { return tensorOf<float>({}, {v}); }
TensorPtr integer(int v) { return tensorOf<int>({}, {v}); }

TEST(CPUMakers, Ranges) {
    EXPECT_EQ(run<int>(opOf(OpType_Range), {integer(5), integer(-1), integer(-2)}, {3}), (std::vector<int>{5, 3, 1}));
    EXPECT_EQ(run<float>(opOf(OpType_Range), {number(1), number(2), number(0.25f)}, {4}),
              (std::vector<float>{1, 1.25f, 1.5f, 1.75f}));
    EXPECT_EQ(run<float>(opOf(OpType_LinSpace), {number(1), number(2), integer(5)}, {5}),
              (std::vector<float>{1, 1.25f, 1.5f, 1.75f, 2}));
    EXPECT_EQ(run<float>(opOf(OpType_LinSpace), {number(1), number(2), integer(1)}, {1}), std::vector<float>{1});
    EXPECT_EQ(run<float>(opOf(OpType_Fill), {tensorOf<int>({2}, {2, 2}), number(3)}, {2, 2}),
              (std::vector<float>{3, 3, 3, 3}));
    EXPECT_EQ(run<int>(opOf(OpType_Fill), {tensorOf<int>({1}, {0}), integer(3)}, {0}), std::vector<int>());
}

TEST(CPUMakers, OneHotOnEveryAxis) {
    const std::vector<int> indices = {2, -1, 0, 3};
    for (int axis = -3; axis < 3; ++axis) {
        const int a = (axis + 3) % 3;
        Dims out = {2, 2};
        out.insert(out.begin() + a, 3);
        std::vector<float> want;
        forEachIndex(out, [&](const Dims& o) {
            Dims from = o;
            from.erase(from.begin() + a);
            want.push_back(indices[flatOf({2, 2}, from)] == o[a] ? 5.0f : -1.0f);
        });
        OneHotParamT p;
        p.axis = axis;
        EXPECT_EQ(run<float>(opOf(OpType_OneHot, p),
                             {tensorOf<int>({2, 2}, indices), integer(3), number(5), number(-1)}, out),
                  want);
    }
}

TEST(CPUMakers, EyeAndBand) {
    const TensorPtr x = poisoned({2, 3}, halide_type_of<float>());
    EXPECT_EQ(run<float>(opOf(OpType_EyeLike), {x, integer(1)}, {2, 3}), (std::vector<float>{0, 1, 0, 0, 0, 1}));
    EXPECT_EQ(run<int>(opOf(OpType_EyeLike), {x}, {2, 3}), (std::vector<int>{1, 0, 0, 0, 1, 0}));
    const TensorPtr m = tensorOf<float>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    EXPECT_EQ(run<float>(opOf(OpType_MatrixBandPart), {m, integer(0), integer(-1)}, {3, 3}),
              (std::vector<float>{1, 2, 3, 0, 5, 6, 0, 0, 9}));
    EXPECT_EQ(run<float>(opOf(OpType_MatrixBandPart), {m, integer(1), integer(0)}, {3, 3}),
              (std::vector<float>{1, 0, 0, 4, 5, 0, 0, 8, 9}));
}

TEST(CPUMakers, RandomIsReproducibleAndHasItsMoments) {
    RandomUniformT p;
    p.seed = 3;
    p.low = 2.0f;
    p.high = 5.0f;
    const Dims dims = {100, 1000};
    const std::vector<float> first = run<float>(opOf(OpType_RandomUniform, p), {}, dims);
    EXPECT_EQ(first, run<float>(opOf(OpType_RandomUniform, p), {}, dims));
    double mean = 0.0;
    for (float v : first) {
        ASSERT_GE(v, 2.0f);
        ASSERT_LE(v, 5.0f);
        mean += v / first.size();
    }
    EXPECT_NEAR(mean, 3.5, 0.02);
    p.seed = 4;
    EXPECT_NE(first, run<float>(opOf(OpType_RandomUniform, p), {}, dims));
    p.low = 1.0f;
    p.high = 2.0f;
    double sum = 0.0, squares = 0.0;
    for (float v : run<float>(opOf(OpType_RandomNormal, p), {}, dims)) {
        ASSERT_TRUE(std::isfinite(v));
        sum += v;
        squares += (v - 1.0) * (v - 1.0);
    }
    EXPECT_NEAR(sum / 1e5, 1.0, 0.03);
    EXPECT_NEAR(std::sqrt(squares / 1e5), 2.0, 0.03);
}

TEST(CPUMatrixOps, Determinants) {
    const TensorPtr x =
        tensorOf<float>({3, 3, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 9, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 3, 2, 4, 6, 1, 1, 1});
    expectNear(run<float>(opOf(OpType_Det), {x}, {3}), {-3, 1, 0}, 1e-6f);
}

TEST(CPUMatrixOps, UnravelIndex) {
    EXPECT_EQ(
        run<int>(opOf(OpType_UnravelIndex), {tensorOf<int>({3}, {22, 41, 37}), tensorOf<int>({2}, {7, 6})}, {2, 3}),
        (std::vector<int>{3, 6, 6, 4, 5, 1}));
    run<int>(opOf(OpType_UnravelIndex), {tensorOf<int>({1}, {42}), tensorOf<int>({2}, {7, 6})}, {2, 1}, INVALID_VALUE);
}

TEST(CPUMatrixOps, Histogram) {
    ArgMaxT p;
    p.outMaxVal = 4;
    p.softmaxThreshold = 0;
    p.topK = 8;
    p.axis = -1;
    const TensorPtr x = tensorOf<float>({3, 2}, {0, 1.9f, 2, 8, -1, 9});
    EXPECT_EQ(run<float>(opOf(OpType_Histogram, p), {x}, {4}), (std::vector<float>{2, 1, 0, 1}));
    p.axis = 0;
    EXPECT_EQ(run<float>(opOf(OpType_Histogram, p), {x}, {4}), (std::vector<float>{1, 1, 0, 0}));
}

TEST(CPUMatrixOps, SegmentMean) {
    ReductionParamT p;
    p.operation = ReductionType_MEAN;
    const TensorPtr x = tensorOf<float>({3, 2}, {1, 2, 3, 4, 5, 6});
    EXPECT_EQ(run<float>(opOf(OpType_Segment, p), {x, tensorOf<int>({3}, {0, 0, 2})}, {3, 2}),
              (std::vector<float>{2, 3, 0, 0, 5, 6}));
    run<float>(opOf(OpType_Segment, p), {x, tensorOf<int>({3}, {1, 0, 2})}, {3, 2}, INVALID_VALUE);
}

TEST(CPUMatrixOps, ReverseSequenceWithEitherOrderOfAxes) {
    const Dims dims = {3, 4, 2};
    const std::vector<float> x = uniform(countOf(dims), 1);
    for (int batch : {0, 1}) {
        const int sequence = 1 - batch;
        const std::vector<int> lengths = batch == 0 ? std::vector<int>{0, 1, 4} : std::vector<int>{3, 0, 2, 1};
        std::vector<float> want;
        forEachIndex(dims, [&](const Dims& o) {
            Dims from = o;
            if (o[sequence] < lengths[o[batch]]) from[sequence] = lengths[o[batch]] - 1 - o[sequence];
            want.push_back(x[flatOf(dims, from)]);
        });
        ReverseSequenceParamT p;
        p.batchDim = batch;
        p.seqDim = sequence;
        EXPECT_EQ(run<float>(opOf(OpType_ReverseSequence, p),
                             {tensorOf(dims, x), tensorOf<int>({dims[batch]}, lengths)}, dims),
                  want);
        run<float>(opOf(OpType_ReverseSequence, p),
                   {tensorOf(dims, x), tensorOf<int>({dims[batch]}, std::vector<int>(dims[batch], 9))}, dims,
                   INVALID_VALUE);
    }
}

}  // namespace
}  // namespace MNN
