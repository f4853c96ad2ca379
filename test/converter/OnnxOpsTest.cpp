#include "OnnxModels.hpp"
#include "gtest/gtest.h"
#include "onnx/OnnxNode.hpp"

using namespace MNN;
using namespace MNN::Converter;

namespace {

TestModel oneNode(int opset, const std::string& op, const std::vector<int64_t>& dims) {
    TestModel m(opset);
    m.input("x", dims).output("y");
    m.node(op, {"x"}, {"y"});
    return m;
}

}  // namespace

// Case C01: the same node means another thing before opset 13.
TEST(OnnxOps, SoftmaxByOpset) {
    EXPECT_EQ(typesOf(oneNode(11, "Softmax", {2, 3, 4}).import()), "Reshape Softmax Shape Reshape ");
    EXPECT_EQ(typesOf(oneNode(11, "Softmax", {2, 3}).import()), "Softmax ");
    const Graph graph = oneNode(13, "Softmax", {2, 3, 4}).import();
    EXPECT_EQ(typesOf(graph), "Softmax ");
    EXPECT_EQ(firstOf(graph, OpType_Softmax)->main.AsAxis()->axis, 2);
}

TEST(OnnxOps, ImporterByOpset) {
    EXPECT_EQ(findImporter("", "Softmax", 12)->since, 1);
    EXPECT_EQ(findImporter("", "Softmax", 21)->since, 13);
    EXPECT_EQ(findImporter("", "Mish", 17), nullptr);
    EXPECT_EQ(findImporter("ai.onnx.ml", "Relu", 17), nullptr);
}

// Case C03: pads of a transposed convolution under SAME do not depend on the input.
TEST(OnnxOps, ConvTransposeSame) {
    for (const char* mode : {"SAME_UPPER", "SAME_LOWER"}) {
        TestModel m(11);
        m.input("x", {1, 1, 5, 5}).output("y").weight("w", {1, 1, 3, 3}, std::vector<float>(9, 1.0f));
        auto* node = m.node("ConvTranspose", {"x", "w"}, {"y"});
        attr(node, "auto_pad", mode);
        attr(node, "strides", std::vector<int64_t>{2, 2});
        const Graph graph = m.import();
        const auto& c = *firstOf(graph, OpType_Deconvolution)->main.AsConvolution2D()->common;
        const bool upper = std::string(mode) == "SAME_UPPER";
        EXPECT_EQ(c.pads, upper ? (std::vector<int>{0, 0, 1, 1}) : (std::vector<int>{1, 1, 0, 0}));
        EXPECT_EQ(graph.tensors[graph.outputs[0]].dims, (Dims{1, 1, 10, 10}));
    }
}

// Case C05: a negative pad cuts, a positive one adds.
TEST(OnnxOps, PadCutsAndAdds) {
    TestModel m(13);
    m.input("x", {1, 1, 6}).output("y").ints("p", {0, 0, -1, 0, 0, 1});
    m.node("Pad", {"x", "p"}, {"y"});
    const Graph graph = m.import();
    EXPECT_EQ(typesOf(graph), "StridedSlice Padding ");
    EXPECT_EQ(graph.tensors[graph.outputs[0]].dims, (Dims{1, 1, 6}));
}

TEST(OnnxOps, ConvKinds) {
    const auto convert = [](std::vector<int64_t> x, std::vector<int64_t> w, int64_t group) {
        TestModel m(11);
        int64_t count = 1;
        for (int64_t d : w) count *= d;
        m.input("x", x).output("y").weight("w", w, std::vector<float>(count, 1.0f));
        attr(m.node("Conv", {"x", "w"}, {"y"}), "group", group);
        return typesOf(m.import());
    };
    EXPECT_EQ(convert({1, 4, 8, 8}, {6, 4, 3, 3}, 1), "Convolution ");
    EXPECT_EQ(convert({1, 4, 8, 8}, {4, 1, 3, 3}, 4), "ConvolutionDepthwise ");
    EXPECT_EQ(convert({1, 4, 8, 8}, {8, 1, 3, 3}, 4), "Convolution ");
    EXPECT_EQ(convert({1, 4, 8}, {6, 4, 3}, 1), "Unsqueeze Convolution Squeeze ");
    EXPECT_EQ(convert({1, 4, 8, 8, 8}, {6, 4, 3, 3, 3}, 1), "Convolution3D ");
}

// Case C21: bad attributes end in a sentence.
TEST(OnnxOps, RefusesBadAttributes) {
    const auto conv = [](int64_t group) {
        TestModel m(11);
        m.input("x", {1, 4, 8, 8}).output("y").weight("w", {4, 4, 3, 3}, std::vector<float>(144, 1.0f));
        attr(m.node("Conv", {"x", "w"}, {"y"}), "group", group);
        return m.failure();
    };
    EXPECT_NE(conv(0).find("group 0 must be positive"), std::string::npos);
    EXPECT_NE(conv(3).find("group 3 does not divide 4 channels"), std::string::npos);
    const auto gather = [](int64_t index) {
        TestModel m(11);
        m.input("x", {3}).output("y").ints("i", {index});
        m.node("Gather", {"x", "i"}, {"y"});
        return m.failure();
    };
    EXPECT_NE(gather(7).find("index 7 is outside"), std::string::npos);
    EXPECT_EQ(gather(-1), "");
    TestModel fill(11);
    fill.input("x", {3}).output("y").ints("s", {65536, 65536});
    fill.node("ConstantOfShape", {"s"}, {"y"});
    EXPECT_NE(fill.failure().find("more elements than"), std::string::npos);
}

TEST(OnnxOps, OutputsKeepOrderAndNames) {
    TestModel m(13);
    m.input("x", {2}).output("c").output("x").output("a").output("same");
    m.node("Relu", {"x"}, {"a"});
    m.node("Neg", {"x"}, {"c"});
    m.node("Identity", {"a"}, {"same"});
    Graph graph = m.optimized();
    const auto net = toNet(graph, WriteOptions());
    ASSERT_EQ(net->outputName.size(), 4u);
    EXPECT_EQ(net->outputName[0], "c");
    EXPECT_EQ(net->outputName[2], "a");
    EXPECT_EQ(net->outputName[3], "same");
}

// No axes at all: everything is reduced, or nothing when the node says so.
TEST(OnnxOps, ReduceWithoutAxes) {
    for (int64_t noop : {0, 1}) {
        TestModel m(13);
        m.input("x", {2, 3}).input("axes", {0}, onnx::TensorProto::INT64).output("y");
        attr(m.node("ReduceSum", {"x", "axes"}, {"y"}), "noop_with_empty_axes", noop);
        EXPECT_EQ(typesOf(m.import()), noop ? "Identity " : "Reduction ");
    }
}

TEST(OnnxOps, EinsumAsMatrixProduct) {
    TestModel m(12);
    m.input("a", {2, 3, 4}).input("b", {2, 4, 5}).output("y");
    attr(m.node("Einsum", {"a", "b"}, {"y"}), "equation", "bij, bjk -> bik");
    const Graph graph = m.import();
    EXPECT_EQ(typesOf(graph), "BatchMatMul ");
    EXPECT_EQ(graph.tensors[graph.outputs[0]].dims, (Dims{2, 3, 5}));
    TestModel few(12);
    few.input("a", {2, 3}).input("b", {3, 4}).output("y");
    attr(few.node("Einsum", {"a", "b"}, {"y"}), "equation", "ij,jk,kl->il");
    EXPECT_NE(few.failure().find("another number of operands"), std::string::npos);
}

// The form without endAxis is the one that MNN reads as ONNX does.
TEST(OnnxOps, FlattenHasNoEndAxis) {
    TestModel m(13);
    m.input("x", {2, 3, 4, 5}).output("y");
    attr(m.node("Flatten", {"x"}, {"y"}), "axis", int64_t{2});
    const Graph graph = m.import();
    const OpT* op = firstOf(graph, OpType_Flatten);
    ASSERT_NE(op, nullptr);
    EXPECT_EQ(op->main.AsFlatten()->axis, 2);
    EXPECT_EQ(op->main.AsFlatten()->endAxis, 0);
    EXPECT_EQ(graph.tensors[static_cast<size_t>(op->outputIndexes[0])].dims, (Dims{6, 20}));
}
