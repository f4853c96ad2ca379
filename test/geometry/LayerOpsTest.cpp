// Ops with weights or windows: MatMul, InnerProduct, LRN, Softmax, normalisation.
#include <cmath>
#include "geometry/LoweringHarness.hpp"

namespace MNN {
namespace test {

using geometry::makeOp;

namespace {

void checkMatMul(const Dims& a, const Dims& b, const Dims& out, bool transposeA, bool transposeB) {
    Harness h;
    const Values va = Harness::noise(a, 1), vb = Harness::noise(b, 2);
    BatchMatMulParamT param;
    param.adjX = transposeA;
    param.adjY = transposeB;
    Tensor* y = h.output(out);
    ASSERT_TRUE(h.lower(makeOp(OpType_BatchMatMul, param), {h.input(a, va), h.input(b, vb)}, {y}));
    const int K = a.size() == 1 ? a[0] : a[a.size() - (transposeA ? 2 : 1)];
    auto at = [](const Dims& dims, Dims batch, int row, int column) {
        Dims i = batch;
        i.push_back(row);
        i.push_back(column);
        Dims j(i.end() - dims.size(), i.end());
        for (size_t d = 0; d + 2 < j.size(); ++d) j[d] = dims[d] == 1 ? 0 : j[d];
        return flat(dims, j);
    };
    Values want;
    forEachIndex(out, [&](const Dims& i) {
        Dims full = i;
        if (b.size() == 1) full.push_back(0);
        if (a.size() == 1) full.insert(full.end() - 1, 0);
        const int m = full[full.size() - 2], n = full.back();
        const Dims batch(full.begin(), full.end() - 2);
        float sum = 0;
        for (int k = 0; k < K; ++k) {
            const float x = a.size() == 1 ? va[k] : va[transposeA ? at(a, batch, k, m) : at(a, batch, m, k)];
            const float w = b.size() == 1 ? vb[k] : vb[transposeB ? at(b, batch, n, k) : at(b, batch, k, n)];
            sum += x * w;
        }
        want.push_back(sum);
    });
    expectNear(h.read(y), want, 1e-5f);
}

}  // namespace

TEST(MatMulLowering, BroadcastsBatches) {
    checkMatMul({3, 4}, {4, 5}, {3, 5}, false, false);
    checkMatMul({4, 3}, {5, 4}, {3, 5}, true, true);
    checkMatMul({2, 3, 4}, {4, 5}, {2, 3, 5}, false, false);
    checkMatMul({2, 3, 4}, {1, 5, 4}, {2, 3, 5}, false, true);
    checkMatMul({2, 4, 3}, {4, 5}, {2, 3, 5}, true, false);
    checkMatMul({3, 4}, {2, 4, 5}, {2, 3, 5}, false, false);
    checkMatMul({2, 1, 3, 4}, {1, 3, 4, 5}, {2, 3, 3, 5}, false, false);
    checkMatMul({4}, {4, 5}, {5}, false, false);
    checkMatMul({3, 4}, {4}, {3}, false, false);
    checkMatMul({2, 3, 4}, {4}, {2, 3}, false, false);
    checkMatMul({4}, {2, 4, 5}, {2, 5}, false, false);
}

TEST(MatMulLowering, OneWeightForABatchIsOneProduct) {
    Harness h;
    Tensor* y = h.output({2, 3, 5});
    ASSERT_TRUE(h.lower(makeOp(OpType_MatMul),
                        {h.input({2, 3, 4}, Harness::ramp({24})), h.input({4, 5}, Harness::ramp({20}))}, {y}));
    EXPECT_EQ(TensorUtils::describe(y)->regions.size(), 1u);
    EXPECT_EQ(TensorUtils::describe(y)->regions[0].origin->shape(), (Dims{6, 5}));
}

TEST(InnerProductLowering, WithAndWithoutTranspose) {
    for (bool transpose : {false, true}) {
        for (int pack : {1, 8}) {
            Harness h;
            const Dims dims = {2, 3, 2, 2};
            const int depth = 12, units = 5;
            InnerProductT param;
            param.outputCount = units;
            param.axis = 1;
            param.transpose = transpose;
            param.weight = Harness::noise({depth * units}, 3);
            param.bias = Harness::noise({units}, 4);
            const Values x = Harness::noise(dims, 5);
            Tensor* y = h.output({2, units});
            ASSERT_TRUE(h.lower(makeOp(OpType_InnerProduct, param), {h.input(dims, x, pack)}, {y}));
            Values want;
            forEachIndex({2, units}, [&](const Dims& i) {
                float sum = param.bias[i[1]];
                for (int k = 0; k < depth; ++k) {
                    sum += x[i[0] * depth + k] * param.weight[transpose ? k * units + i[1] : i[1] * depth + k];
                }
                want.push_back(sum);
            });
            expectNear(h.read(y), want, 1e-5f);
        }
    }
}

TEST(LrnLowering, AcrossChannelsAndWithin) {
    for (int region : {0, 1}) {
        for (int size : {1, 3, 4, 5}) {
            for (int pack : {1, 8}) {
                const Dims dims = {2, 11, 4, 3};
                Harness h;
                LRNT param;
                param.regionType = region;
                param.localSize = size;
                param.alpha = 0.3f;
                param.beta = 0.75f;
                param.bias = 1.5f;
                const Values x = Harness::noise(dims, 7);
                Tensor* y = h.output(dims);
                ASSERT_TRUE(h.lower(makeOp(OpType_LRN, param), {h.input(dims, x, pack)}, {y}));
                const int before = (size - 1) / 2, after = size / 2;
                Values want;
                forEachIndex(dims, [&](const Dims& i) {
                    float sum = 0;
                    for (int p = -before; p <= after; ++p) {
                        for (int q = -before; q <= after; ++q) {
                            Dims j = i;
                            if (region == 0) {
                                if (q != 0) continue;
                                j[1] += p;
                            } else {
                                j[2] += p;
                                j[3] += q;
                            }
                            bool inside = true;
                            for (int d = 0; d < 4; ++d) inside = inside && j[d] >= 0 && j[d] < dims[d];
                            if (inside) sum += x[flat(dims, j)] * x[flat(dims, j)];
                        }
                    }
                    const float mean = sum / (region == 0 ? size : size * size);
                    want.push_back(x[flat(dims, i)] * std::pow(1.5f + 0.3f * mean, -0.75f));
                });
                expectNear(h.read(y), want, 1e-5f);
            }
        }
    }
}

}  // namespace test
}  // namespace MNN
