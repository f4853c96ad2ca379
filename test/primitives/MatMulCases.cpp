#include "Families.hpp"

namespace mnn_primitives {
namespace {

using mnn_test::NetBuilder;
using Names = std::vector<std::string>;

struct Product {
    int m = 1, k = 1, n = 1;
    bool transposeA = false, transposeB = false, bias = false;
    Shape batchA, batchB;
    bool batched() const { return !batchA.empty() || !batchB.empty(); }
};

Array multiply(const std::vector<Array>& in, const Product& p) {
    Shape shape = broadcast(p.batchA, p.batchB);
    const size_t rank = shape.size();
    shape.push_back(p.m);
    shape.push_back(p.n);
    return generate(Type::Float, shape, [&](const Index& o) {
        double sum = p.bias ? in[2].values[o[rank + 1]] : 0;
        Index a = o, b = o;
        for (int k = 0; k < p.k; ++k) {
            a[rank + (p.transposeA ? 1 : 0)] = o[rank], a[rank + (p.transposeA ? 0 : 1)] = k;
            b[rank + (p.transposeB ? 0 : 1)] = o[rank + 1], b[rank + (p.transposeB ? 1 : 0)] = k;
            sum += in[0].at(a) * in[1].at(b);
        }
        return sum;
    });
}

Case productCase(Random& random, const Product& p, bool constantB = false) {
    Case c;
    c.title = "MatMul " + std::to_string(p.m) + "x" + std::to_string(p.k) + "x" + std::to_string(p.n) +
              (p.transposeA ? " transposed a" : "") + (p.transposeB ? " transposed b" : "") + (p.bias ? " bias" : "");
    Shape a = p.batchA, b = p.batchB;
    a.insert(a.end(), {p.transposeA ? p.k : p.m, p.transposeA ? p.m : p.k});
    b.insert(b.end(), {p.transposeB ? p.n : p.k, p.transposeB ? p.k : p.n});
    c.inputs = {plain(random.floats(a)), plain(random.floats(b))};
    c.inputs[1].constant = constantB;
    if (p.bias) c.inputs.push_back(plain(random.floats({p.n})));
    c.tolerance = {1e-5, 1e-6 * (10 + p.k)};
    c.build = [p](NetBuilder& net, const Names& in) {
        if (p.batched()) {
            auto* param = new MNN::BatchMatMulParamT;
            param->adjX = p.transposeA;
            param->adjY = p.transposeB;
            net.add(MNN::OpType_BatchMatMul, "y", in, MNN::OpParameter_BatchMatMulParam, param);
            return;
        }
        auto* param = new MNN::MatMulT;
        param->transposeA = p.transposeA;
        param->transposeB = p.transposeB;
        net.add(MNN::OpType_MatMul, "y", in, MNN::OpParameter_MatMul, param);
    };
    c.reference = [p](const std::vector<Array>& in) { return std::vector<Array>{multiply(in, p)}; };
    return c;
}

struct Batches {
    Shape a, b;
};
const Batches kBatches[] = {{{3}, {3}},       {{3}, {1}},       {{1}, {3}},    {{2, 3}, {2, 3}},
                            {{2, 3}, {2, 1}}, {{2, 1}, {1, 3}}, {{2, 3}, {3}}, {{0}, {1}}};

}  // namespace

void matMulCases(const Visit& visit) {
    Random random(13);
    for (bool ta : {false, true}) {
        for (bool tb : {false, true}) {
            for (int edge : edgeSizes()) {
                visit(productCase(random, {edge, 5, 9, ta, tb, false, {}, {}}));
                visit(productCase(random, {3, edge, 5, ta, tb, true, {}, {}}));
                visit(productCase(random, {5, 9, edge, ta, tb, edge % 2 == 1, {}, {}}));
                visit(productCase(random, {5, edge, edge, ta, tb, false, {}, {}}, edge > 0));
            }
            visitFronts(productCase(random, {6, 7, 9, ta, tb, true, {}, {}}), visit);
            visitFronts(productCase(random, {6, 7, 9, ta, tb, true, {}, {}}, true), visit);
            visit(productCase(random, {67, 130, 35, ta, tb, true, {}, {}}));
            visit(productCase(random, {1, 300, 65, ta, tb, false, {}, {}}, true));
            for (const Batches& batches : kBatches) {
                visitFronts(productCase(random, {4, 5, 3, ta, tb, false, batches.a, batches.b}), visit);
                visit(productCase(random, {1, 17, 16, ta, tb, false, batches.a, batches.b}));
            }
        }
    }
}

}  // namespace mnn_primitives
