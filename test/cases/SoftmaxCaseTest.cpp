// Case C01: Softmax, LogSoftmax and Hardmax mean another thing before opset 13.
#include "OnnxBuilder.hpp"

namespace {

using namespace cases;

constexpr int kDefaultAxis = -100;

// Over `middle` of [outer, middle, inner].
Data reference(const std::string& op, const Data& x, size_t outer, size_t middle, size_t inner) {
    Data y = x;
    for (size_t o = 0; o < outer; ++o) {
        for (size_t i = 0; i < inner; ++i) {
            const auto at = [&](size_t m) { return (o * middle + m) * inner + i; };
            double sum = 0;
            size_t best = 0;
            for (size_t m = 0; m < middle; ++m) {
                sum += std::exp(x.values[at(m)]);
                if (x.values[at(m)] > x.values[at(best)]) best = m;
            }
            for (size_t m = 0; m < middle; ++m) {
                const double p = std::exp(x.values[at(m)]) / sum;
                y.values[at(m)] = op == "Hardmax" ? m == best : op == "Softmax" ? p : std::log(p);
            }
        }
    }
    return y;
}

TestModel model(int opset, const std::string& op, int axis) {
    TestModel m(opset);
    m.input("x", {2, 3, 4}).output("y");
    auto* node = m.node(op, {"x"}, {"y"});
    if (axis != kDefaultAxis) attr(node, "axis", int64_t(axis));
    return m;
}

TEST(CaseC01, SoftmaxOfZerosByOpset) {
    const Named zeros{{"x", filled({2, 3, 4}, 0)}};
    expectOutputs(model(11, "Softmax", 1), zeros, {{"y", filled({2, 3, 4}, 1.0 / 12)}});
    expectOutputs(model(13, "Softmax", 1), zeros, {{"y", filled({2, 3, 4}, 1.0 / 3)}});
    expectOutputs(model(11, "Softmax", kDefaultAxis), zeros, {{"y", filled({2, 3, 4}, 1.0 / 12)}});
    expectOutputs(model(13, "Softmax", kDefaultAxis), zeros, {{"y", filled({2, 3, 4}, 1.0 / 4)}});
}

TEST(CaseC01, EveryFormOfEveryOp) {
    for (const char* op : {"Softmax", "LogSoftmax", "Hardmax"}) {
        for (const Data& x : {filled({2, 3, 4}, 0), waves({2, 3, 4})}) {
            SCOPED_TRACE(op);
            const Named in{{"x", x}};
            expectOutputs(model(11, op, kDefaultAxis), in, {{"y", reference(op, x, 2, 12, 1)}});
            expectOutputs(model(11, op, 0), in, {{"y", reference(op, x, 1, 24, 1)}});
            expectOutputs(model(11, op, 1), in, {{"y", reference(op, x, 2, 12, 1)}});
            expectOutputs(model(11, op, -1), in, {{"y", reference(op, x, 6, 4, 1)}});
            expectOutputs(model(13, op, kDefaultAxis), in, {{"y", reference(op, x, 6, 4, 1)}});
            expectOutputs(model(13, op, 0), in, {{"y", reference(op, x, 1, 2, 12)}});
            expectOutputs(model(13, op, 1), in, {{"y", reference(op, x, 2, 3, 4)}});
        }
    }
}

}  // namespace
