// Case C09: what the optimiser rewrites keeps its results.
#include "OnnxBuilder.hpp"

namespace {

using namespace cases;

TEST(CaseC09, DivisionOfOneTimesACast) {
    for (int type : {onnx::TensorProto::INT64, onnx::TensorProto::FLOAT}) {
        TestModel m(13);
        m.input("x", {4}, type).input("z", {4}).output("y").weight("one", {}, {1.0f});
        attr(m.node("Cast", {"x"}, {"mid"}), "to", int64_t(onnx::TensorProto::FLOAT));
        m.node("Div", {"one", "z"}, {"inv"});
        m.node("Mul", {"inv", "mid"}, {"y"});
        expectOutputs(m, {{"x", data({4}, {1, 2, 4, 8})}, {"z", data({4}, {8, 4, 2, 1})}},
                      {{"y", data({4}, {0.125, 0.5, 2, 8})}});
    }
}

TEST(CaseC09, AConvolutionThatIsAnOutputTooKeepsItsValue) {
    TestModel m(13);
    m.input("x", {1, 1, 2, 2})
        .output("c")
        .output("y")
        .weight("w", {1, 1, 1, 1}, {-2.0f})
        .weight("b", {1}, {3.0f})
        .weight("k", {1}, {10.0f});
    m.node("Conv", {"x", "w", "b"}, {"c"});
    m.node("Relu", {"c"}, {"r"});
    m.node("Add", {"r", "k"}, {"y"});
    expectOutputs(m, {{"x", ramp({1, 1, 2, 2})}},
                  {{"c", data({1, 1, 2, 2}, {3, 1, -1, -3})}, {"y", data({1, 1, 2, 2}, {13, 11, 10, 10})}});
}

TEST(CaseC09, FusedScaleBiasAndActivation) {
    TestModel m(13);
    m.input("x", {1, 2, 2, 2}).output("y").output("s").weight("w", {2, 2, 1, 1}, {1, 2, -3, 4});
    m.weight("g", {2}, {2, -1}).weight("b", {2}, {1, 2}).weight("mean", {2}, {0.5f, -1}).weight("var", {2}, {4, 0.25f});
    m.node("Conv", {"x", "w"}, {"c"});
    attr(m.node("BatchNormalization", {"c", "g", "b", "mean", "var"}, {"n"}), "epsilon", 0.0f);
    m.node("Relu", {"n"}, {"y"});
    m.node("Sigmoid", {"n"}, {"gate"});
    m.node("Mul", {"n", "gate"}, {"s"});
    const Data x = waves({1, 2, 2, 2});
    Data relu = filled({1, 2, 2, 2}, 0), swish = relu;
    const double w[] = {1, 2, -3, 4}, g[] = {2, -1}, b[] = {1, 2}, mean[] = {0.5, -1}, deviation[] = {2, 0.5};
    for (int o = 0; o < 2; ++o) {
        for (int i = 0; i < 4; ++i) {
            const double c = w[2 * o] * x.values[i] + w[2 * o + 1] * x.values[4 + i];
            const double n = g[o] * (c - mean[o]) / deviation[o] + b[o];
            relu.values[4 * o + i] = std::max(n, 0.0);
            swish.values[4 * o + i] = n / (1 + std::exp(-n));
        }
    }
    expectOutputs(m, {{"x", x}}, {{"y", relu}, {"s", swish}});
}

}  // namespace
