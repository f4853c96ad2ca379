// Element-wise lowerings: broadcasting, packed storage and the formulas of activations.
#include <cmath>
#include "geometry/LoweringHarness.hpp"

namespace MNN {
namespace test {

using geometry::makeOp;

namespace {

OpT binaryOp(BinaryOpOperation kind) {
    BinaryOpT param;
    param.opType = kind;
    return makeOp(OpType_BinaryOp, param);
}

Values broadcastSub(const Dims& to, const Dims& a, const Values& va, const Dims& b, const Values& vb) {
    auto at = [&to](const Dims& dims, const Dims& i) {
        Dims j(i.end() - dims.size(), i.end());
        for (size_t d = 0; d < j.size(); ++d) j[d] = dims[d] == 1 ? 0 : j[d];
        return flat(dims, j);
    };
    Values want;
    forEachIndex(to, [&](const Dims& i) { want.push_back(va[at(a, i)] - vb[at(b, i)]); });
    return want;
}

}  // namespace

TEST(Elementwise, BinaryBroadcastsRowMajorAndPacked) {
    const std::vector<Dims> others = {{},           {1},          {9, 1, 1},    {1, 9, 1, 1},
                                      {2, 9, 1, 1}, {2, 1, 3, 4}, {2, 9, 3, 4}, {1, 1, 1, 4},
                                      {1, 9, 3, 1}, {4},          {3, 1}};
    const Dims dims = {2, 9, 3, 4};
    for (const Dims& other : others) {
        for (int pack : {1, 4, 8}) {
            for (int kind = 0; kind < 3; ++kind) {
                for (bool swap : {false, true}) {
                    Harness h(pack == 1 ? 8 : pack);
                    const Values a = Harness::noise(dims, 1), b = Harness::noise(other, 2);
                    Tensor* x = h.input(dims, a, pack);
                    Tensor* z = kind == 0 ? h.constantFloats(other, b)
                                          : h.input(other, b, kind == 2 && other.size() >= 2 ? pack : 1);
                    Tensor* y = h.output(dims);
                    ASSERT_TRUE(h.lower(binaryOp(BinaryOpOperation_SUB), swap ? Tensors{z, x} : Tensors{x, z}, {y}));
                    EXPECT_EQ(TensorUtils::isPacked(y), pack > 1);
                    expectNear(h.read(y),
                               swap ? broadcastSub(dims, other, b, dims, a) : broadcastSub(dims, dims, a, other, b));
                }
            }
        }
    }
}

TEST(Elementwise, ConstantsPerChannelAreOneRegion) {
    Harness h;
    const Dims dims = {2, 9, 3, 4};
    Tensors inputs = {h.input(dims, Harness::ramp(dims), 8), h.constantFloats({9, 1, 1}, Harness::ramp({9}))};
    Tensor* y = h.output(dims);
    ASSERT_TRUE(geometry::prepareElementwise(h.context(), &inputs, y) == y);
    StridedInput strided;
    EXPECT_TRUE(stridedInput(inputs[1], TensorUtils::storageShape(y), &strided));
    EXPECT_EQ(h.commands(OpType_Raster), 0);
}

TEST(Elementwise, OneChannelBroadcast) {
    Harness h;
    const Dims dims = {2, 9, 3, 4};
    Tensors inputs = {h.input(dims, Harness::ramp(dims), 8), h.input({2, 1, 3, 4}, Harness::ramp({2, 3, 4}))};
    Tensor* y = h.output(dims);
    geometry::prepareElementwise(h.context(), &inputs, y);
    StridedInput strided;
    ASSERT_TRUE(stridedInput(inputs[1], TensorUtils::storageShape(y), &strided));
    EXPECT_EQ(strided.stride, (std::vector<int64_t>{12, 0, 1, 0}));
}

TEST(Elementwise, EltwiseWithCoefficients) {
    Harness h;
    const Dims dims = {1, 5, 2, 2};
    EltwiseT param;
    param.type = EltwiseType_SUM;
    param.coeff = {2.0f, 1.0f, -0.5f};
    const Values a = Harness::noise(dims, 1), b = Harness::noise(dims, 2), c = Harness::noise(dims, 3);
    Tensor* y = h.output(dims);
    ASSERT_TRUE(
        h.lower(makeOp(OpType_Eltwise, param), {h.input(dims, a, 8), h.input(dims, b), h.input(dims, c, 4)}, {y}));
    Values want;
    for (size_t i = 0; i < a.size(); ++i) want.push_back(2 * a[i] + b[i] - 0.5f * c[i]);
    expectNear(h.read(y), want, 1e-6f);
}

TEST(Elementwise, BatchNormIsOneScale) {
    Harness h;
    const Dims dims = {2, 3, 2, 2};
    BatchNormT param;
    param.channels = 3;
    param.slopeData = {1.0f, 2.0f, -1.0f};
    param.meanData = {0.5f, -0.5f, 0.0f};
    param.varData = {1.0f, 4.0f, 0.25f};
    param.biasData = {0.0f, 1.0f, 2.0f};
    param.epsilon = 0.01f;
    const Values x = Harness::noise(dims, 4);
    Tensor* y = h.output(dims);
    ASSERT_TRUE(h.lower(makeOp(OpType_BatchNorm, param), {h.input(dims, x, 4)}, {y}));
    Values want;
    forEachIndex(dims, [&](const Dims& i) {
        const int c = i[1];
        want.push_back(param.slopeData[c] * (x[flat(dims, i)] - param.meanData[c]) /
                           std::sqrt(param.varData[c] + 0.01f) +
                       param.biasData[c]);
    });
    expectNear(h.read(y), want, 1e-5f);
}

TEST(Elementwise, ExponentialUnitsStayFinite) {
    Harness h;
    const Values x = {-200.0f, -1.0f, 0.0f, 0.5f, 200.0f};
    SeluT selu;
    selu.scale = 1.05f;
    selu.alpha = 1.67f;
    ELUT elu;
    elu.alpha = 0.5f;
    Tensor* a = h.output({5});
    Tensor* b = h.output({5});
    ASSERT_TRUE(h.lower(makeOp(OpType_Selu, selu), {h.input({5}, x)}, {a}));
    ASSERT_TRUE(h.lower(makeOp(OpType_ELU, elu), {h.input({5}, x)}, {b}));
    Values wantSelu, wantElu;
    for (float v : x) {
        wantSelu.push_back(1.05f * (v > 0 ? v : 1.67f * std::expm1(v)));
        wantElu.push_back(v > 0 ? v : 0.5f * std::expm1(v));
    }
    expectNear(h.read(a), wantSelu, 1e-6f);
    expectNear(h.read(b), wantElu, 1e-6f);
}

TEST(Elementwise, Threshold) {
    Harness h;
    ELUT param;
    param.alpha = 0.25f;
    Tensor* y = h.output({4});
    ASSERT_TRUE(h.lower(makeOp(OpType_Threshold, param), {h.input({4}, {0.0f, 0.25f, 0.26f, 3.0f})}, {y}));
    expectNear(h.read(y), {0, 0, 1, 1});
}

}  // namespace test
}  // namespace MNN
