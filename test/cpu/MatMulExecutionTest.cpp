// MatMul and BatchMatMul as commands: transposes, views, broadcast batches, constants, integers and empty shapes.
#include "CpuTestTools.hpp"

namespace MNN {
namespace test {
namespace {

std::shared_ptr<Tensor> randomTensor(const std::vector<int>& shape, uint32_t seed) {
    size_t n = 1;
    for (int d : shape) n *= static_cast<size_t>(d);
    return makeTensor(shape, randomFloats(n, -1, 1, seed));
}

OpT matmulOp(bool transposeA, bool transposeB) {
    OpT op;
    op.type = OpType_MatMul;
    op.main.type = OpParameter_MatMul;
    auto* param = new MatMulT;
    param->transposeA = transposeA;
    param->transposeB = transposeB;
    op.main.value = param;
    return op;
}

// One matrix: values[offset + row * rowStep + column * columnStep].
struct View {
    const float* values;
    int64_t rowStep, columnStep;
};

void expectProduct(const float* c, View a, View b, const float* bias, int m, int n, int k) {
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            double want = bias != nullptr ? bias[j] : 0.0;
            for (int x = 0; x < k; ++x) {
                want += static_cast<double>(a.values[i * a.rowStep + x * a.columnStep]) *
                        b.values[x * b.rowStep + j * b.columnStep];
            }
            ASSERT_NEAR(c[i * n + j], want, 1e-5 * (k + 1)) << m << "x" << n << "x" << k << " at " << i << "," << j;
        }
    }
}

TEST(CPUMatMul, TransposesAndBias) {
    for (int threads : {1, 3}) {
        CpuRig rig(threads);
        for (int variant = 0; variant < 4; ++variant) {
            const bool ta = (variant & 1) != 0, tb = (variant & 2) != 0;
            for (int m : {1, 3, 40}) {
                const int n = 35, k = 19;
                const auto a = ta ? randomTensor({k, m}, 1) : randomTensor({m, k}, 1);
                const auto b = tb ? randomTensor({n, k}, 2) : randomTensor({k, n}, 2);
                const auto bias = randomTensor({n}, 3), c = makeTensor({m, n}, halide_type_of<float>());
                ASSERT_EQ(rig.run(matmulOp(ta, tb), {a, b, bias}, {c}), NO_ERROR);
                expectProduct(c->host<float>(), {a->host<float>(), ta ? 1 : k, ta ? m : 1},
                              {b->host<float>(), tb ? 1 : n, tb ? k : 1}, bias->host<float>(), m, n, k);
            }
        }
    }
}

TEST(CPUMatMul, BatchesBroadcast) {
    CpuRig rig(3);
    const int m = 5, n = 18, k = 7;
    const auto a = randomTensor({2, 1, m, k}, 1), b = randomTensor({3, k, n}, 2),
               c = makeTensor({2, 3, m, n}, halide_type_of<float>());
    OpT op;
    op.type = OpType_BatchMatMul;
    ASSERT_EQ(rig.run(op, {a, b}, {c}), NO_ERROR);
    for (int i = 0; i < 6; ++i) {
        expectProduct(c->host<float>() + i * m * n, {a->host<float>() + i / 3 * m * k, k, 1},
                      {b->host<float>() + i % 3 * k * n, n, 1}, nullptr, m, n, k);
    }
}

TEST(CPUMatMul, ReadsViewsInPlace) {
    CpuRig rig(1);
    // Heads of a [sequence, heads, depth] tensor: a is [heads, sequence, depth], b the transpose of another.
    const int heads = 3, sequence = 9, depth = 8;
    const auto q = randomTensor({sequence, heads, depth}, 1), key = randomTensor({sequence, heads, depth}, 2);
    const auto a = makeView(q, {heads, sequence, depth}, 0, {depth, heads * depth, 1});
    const auto b = makeView(key, {heads, depth, sequence}, 0, {depth, 1, heads * depth});
    const auto c = makeTensor({heads, sequence, sequence}, halide_type_of<float>());
    ASSERT_EQ(rig.run(matmulOp(false, false), {a, b}, {c}), NO_ERROR);
    for (int h = 0; h < heads; ++h) {
        expectProduct(c->host<float>() + h * sequence * sequence, {q->host<float>() + h * depth, heads * depth, 1},
                      {key->host<float>() + h * depth, 1, heads * depth}, nullptr, sequence, sequence, depth);
    }
}

TEST(CPUMatMul, ConstantIsPackedOnce) {
    CpuRig rig(1);
    const int m = 20, n = 40, k = 30;
    const auto a = randomTensor({m, k}, 1), b = randomTensor({n, k}, 2),
               c = makeTensor({m, n}, halide_type_of<float>());
    TensorUtils::describe(b.get())->usage = TensorUsage::Constant;
    ASSERT_EQ(rig.run(matmulOp(false, true), {a, b}, {c}), NO_ERROR);
    expectProduct(c->host<float>(), {a->host<float>(), k, 1}, {b->host<float>(), 1, k}, nullptr, m, n, k);
}

TEST(CPUMatMul, Int32Wraps) {
    CpuRig rig(1);
    const auto a = makeTensor<int32_t>({1, 2}, {INT32_MAX, 3}), b = makeTensor<int32_t>({2, 2}, {2, 1, 4, 5});
    const auto c = makeTensor({1, 2}, halide_type_of<int32_t>());
    ASSERT_EQ(rig.run(matmulOp(false, false), {a, b}, {c}), NO_ERROR);
    EXPECT_EQ(valuesOf<int32_t>(c), (std::vector<int32_t>{10, INT32_MIN + 14}));
}

TEST(CPUMatMul, EmptySides) {
    CpuRig rig(1);
    const auto bias = makeTensor<float>({2}, {3, 4});
    const auto a = makeTensor({3, 0}, halide_type_of<float>()), b = makeTensor({0, 2}, halide_type_of<float>());
    const auto c = makeTensor({3, 2}, halide_type_of<float>());
    ASSERT_EQ(rig.run(matmulOp(false, false), {a, b, bias}, {c}), NO_ERROR);
    EXPECT_EQ(valuesOf<float>(c), (std::vector<float>{3, 4, 3, 4, 3, 4}));
    ASSERT_EQ(rig.run(matmulOp(false, false), {a, b}, {c}), NO_ERROR);
    EXPECT_EQ(valuesOf<float>(c), std::vector<float>(6, 0.0f));
    const auto none = makeTensor({0, 2}, halide_type_of<float>());
    ASSERT_EQ(
        rig.run(matmulOp(false, false), {makeTensor({0, 4}, halide_type_of<float>()), randomTensor({4, 2}, 1)}, {none}),
        NO_ERROR);
}

TEST(CPUMatMul, RefusesWhatDoesNotFit) {
    CpuRig rig(1);
    const auto c = makeTensor({2, 2}, halide_type_of<float>());
    EXPECT_NE(rig.run(matmulOp(false, false), {randomTensor({2, 3}, 1), randomTensor({4, 2}, 2)}, {c}), NO_ERROR);
    EXPECT_NE(rig.run(matmulOp(false, false),
                      {randomTensor({2, 3}, 1), makeTensor<int32_t>({3, 2}, {1, 2, 3, 4, 5, 6})}, {c}),
              NO_ERROR);
}

}  // namespace
}  // namespace test
}  // namespace MNN
