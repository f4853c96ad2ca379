#include "OnnxModels.hpp"
#include "gtest/gtest.h"

using namespace MNN;
using namespace MNN::Converter;

TEST(Passes, BatchNormBiasAndReluEnterTheConvolution) {
    TestModel m(11);
    m.input("x", {1, 1, 4, 4}).output("y").weight("w", {2, 1, 1, 1}, {1, 2}).weight("g", {2}, {2, 4});
    m.weight("b", {2}, {1, 1}).weight("mean", {2}, {0.5f, 0}).weight("var", {2}, {1, 4});
    m.weight("k", {1, 2, 1, 1}, {10, 20});
    m.node("Conv", {"x", "w"}, {"c"});
    attr(m.node("BatchNormalization", {"c", "g", "b", "mean", "var"}, {"n"}), "epsilon", 0.0f);
    m.node("Add", {"n", "k"}, {"s"});
    m.node("Relu", {"s"}, {"y"});
    const Graph graph = m.optimized();
    ASSERT_EQ(typesOf(graph), "Convolution ");
    const auto& conv = *firstOf(graph, OpType_Convolution)->main.AsConvolution2D();
    EXPECT_EQ(conv.weight, (std::vector<float>{2, 4}));
    EXPECT_EQ(conv.bias, (std::vector<float>{10, 21}));
    EXPECT_TRUE(conv.common->relu);
}

// Case C09: what is also an output stays as it is.
TEST(Passes, OutputsAreNotFusedAway) {
    TestModel m(13);
    m.input("x", {1, 1, 4, 4}).output("c").output("y").weight("w", {1, 1, 1, 1}, {2});
    m.node("Conv", {"x", "w"}, {"c"});
    m.node("Relu", {"c"}, {"r"});
    m.node("Add", {"r", "x"}, {"y"});
    const Graph graph = m.optimized();
    EXPECT_EQ(typesOf(graph), "Convolution ReLU BinaryOp ");
    EXPECT_FALSE(firstOf(graph, OpType_Convolution)->main.AsConvolution2D()->common->relu);
}

TEST(Passes, GeluInEachOrderOfFactors) {
    for (int order = 0; order < 3; ++order) {
        TestModel m(13);
        m.input("x", {2, 4})
            .output("y")
            .weight("r", {}, {1.41421354f})
            .weight("one", {}, {1})
            .weight("half", {}, {0.5f});
        m.node("Div", {"x", "r"}, {"d"});
        m.node("Erf", {"d"}, {"e"});
        m.node("Add", {"e", "one"}, {"s"});
        const std::vector<std::vector<std::string>> factors[] = {
            {{"x", "s"}, {"p", "half"}}, {{"x", "half"}, {"p", "s"}}, {{"half", "s"}, {"p", "x"}}};
        m.node("Mul", factors[order][0], {"p"});
        m.node("Mul", factors[order][1], {"y"});
        const Graph graph = m.optimized();
        ASSERT_EQ(typesOf(graph), "UnaryOp ") << order;
        EXPECT_EQ(firstOf(graph, OpType_UnaryOp)->main.AsUnaryOp()->opType, UnaryOpOperation_GELU_STANDARD);
    }
}

TEST(Passes, LayerNormWrittenOut) {
    TestModel m(13);
    m.input("x", {2, 8}).output("y").weight("two", {}, {2}).weight("eps", {}, {1e-5f});
    m.weight("g", {8}, std::vector<float>(8, 2.0f)).weight("b", {8}, std::vector<float>(8, 3.0f));
    const std::vector<int64_t> last = {-1};
    attr(m.node("ReduceMean", {"x"}, {"m"}), "axes", last);
    m.node("Sub", {"x", "m"}, {"d"});
    m.node("Pow", {"d", "two"}, {"q"});
    attr(m.node("ReduceMean", {"q"}, {"v"}), "axes", last);
    m.node("Add", {"v", "eps"}, {"w"});
    m.node("Sqrt", {"w"}, {"s"});
    m.node("Div", {"d", "s"}, {"n"});
    m.node("Mul", {"n", "g"}, {"k"});
    m.node("Add", {"k", "b"}, {"y"});
    const Graph graph = m.optimized();
    ASSERT_EQ(typesOf(graph), "LayerNorm ");
    const auto& norm = *firstOf(graph, OpType_LayerNorm)->main.AsLayerNorm();
    EXPECT_EQ(norm.gamma.size(), 8u);
    EXPECT_EQ(norm.beta[0], 3.0f);
    EXPECT_FALSE(norm.useRMSNorm);
}

TEST(Passes, RmsNormWrittenOut) {
    TestModel m(13);
    m.input("x", {2, 8}).output("y").weight("eps", {}, {1e-5f}).weight("g", {8}, std::vector<float>(8, 2.0f));
    m.node("Mul", {"x", "x"}, {"q"});
    attr(m.node("ReduceMean", {"q"}, {"v"}), "axes", std::vector<int64_t>{-1});
    m.node("Add", {"v", "eps"}, {"w"});
    m.node("Sqrt", {"w"}, {"s"});
    m.node("Reciprocal", {"s"}, {"r"});
    m.node("Mul", {"x", "r"}, {"n"});
    m.node("Mul", {"g", "n"}, {"y"});
    const Graph graph = m.optimized();
    ASSERT_EQ(typesOf(graph), "LayerNorm ");
    EXPECT_TRUE(firstOf(graph, OpType_LayerNorm)->main.AsLayerNorm()->useRMSNorm);
}

TEST(Passes, SiluAndHardSwish) {
    TestModel m(13);
    m.input("x", {2, 4}).output("y");
    m.node("Sigmoid", {"x"}, {"s"});
    m.node("Mul", {"s", "x"}, {"y"});
    EXPECT_EQ(firstOf(m.optimized(), OpType_UnaryOp)->main.AsUnaryOp()->opType, UnaryOpOperation_SILU);
    TestModel h(13);
    h.input("x", {2, 4}).output("y");
    attr(h.node("HardSigmoid", {"x"}, {"s"}), "alpha", 1.0f / 6.0f);
    h.node("Mul", {"x", "s"}, {"y"});
    const Graph graph = h.optimized();
    ASSERT_EQ(typesOf(graph), "UnaryOp ");
    EXPECT_EQ(firstOf(graph, OpType_UnaryOp)->main.AsUnaryOp()->opType, UnaryOpOperation_HARDSWISH);
}

TEST(Passes, ShapeArithmeticFoldsForFixedSizes) {
    TestModel m(13);
    m.input("x", {2, 3, 4}).output("y").ints("zero", {0}, true).ints("rest", {-1}).ints("axes", {0});
    m.node("Shape", {"x"}, {"s"});
    m.node("Gather", {"s", "zero"}, {"n"});
    m.node("Unsqueeze", {"n", "axes"}, {"u"});
    attr(m.node("Concat", {"u", "rest"}, {"t"}), "axis", int64_t(0));
    m.node("Reshape", {"x", "t"}, {"y"});
    ImportOptions options;
    options.staticShapes = true;
    Graph graph = importOnnx(m.model, options);
    optimize(graph, 1, false);
    ASSERT_EQ(typesOf(graph), "Reshape ");
    EXPECT_EQ(firstOf(graph, OpType_Reshape)->main.AsReshape()->dims, (std::vector<int>{2, -1}));
    EXPECT_EQ(typesOf(m.optimized()), "Shape GatherV2 Unsqueeze Concat Reshape ");
}

TEST(Passes, EqualOpsRunOnce) {
    TestModel m(13);
    m.input("x", {4}).output("y");
    m.node("Exp", {"x"}, {"a"});
    m.node("Exp", {"x"}, {"b"});
    m.node("Add", {"a", "b"}, {"y"});
    EXPECT_EQ(typesOf(m.optimized()), "UnaryOp BinaryOp ");
}
