// MatMuls by constants as 1x1 convolutions, whose weights can be integers.
#include "NetTools.hpp"
#include "gtest/gtest.h"

using namespace MNN;
using namespace MNN::Converter;

namespace {

std::unique_ptr<NetT> matmulNet(const std::vector<int64_t>& input, bool transposed, bool bias) {
    TestModel m(13);
    m.input("x", input).output("y");
    m.weight("w", transposed ? std::vector<int64_t>{5, 24} : std::vector<int64_t>{24, 5}, wave(120));
    const char* product = bias ? "p" : "y";
    if (transposed)
        attr(m.node("Gemm", {"x", "w"}, {product}), "transB", int64_t{1});
    else
        m.node("MatMul", {"x", "w"}, {product});
    if (bias) m.weight("b", {5}, wave(5)).node("Add", {"p", "b"}, {"y"});
    Graph graph = m.optimized();
    return toNet(graph, WriteOptions());
}

void expectNear(const std::vector<float>& got, const std::vector<float>& want, float tolerance) {
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got[i], want[i], tolerance) << i;
}

}  // namespace

TEST(MatMulToConv, GivesTheSameForAnyShape) {
    struct Case {
        std::vector<int64_t> declared;
        std::vector<int> shape;
        bool transposed, bias;
    };
    for (const Case& c :
         {Case{{3, 24}, {3, 24}, false, false}, Case{{3, 24}, {3, 24}, true, true},
          Case{{-1, -1, 24}, {2, 7, 24}, false, true}, Case{{-1, 2, -1, 24}, {1, 2, 3, 24}, false, false}}) {
        const auto plain = matmulNet(c.declared, c.transposed, c.bias),
                   made = matmulNet(c.declared, c.transposed, c.bias);
        convolutionsForMatMuls(*made);
        EXPECT_EQ(typesOf(*made).find("MatMul"), std::string::npos);
        EXPECT_NE(typesOf(*made).find("Convolution"), std::string::npos);
        expectNear(runNet(*made, c.shape), runNet(*plain, c.shape), 1e-4f);
    }
}

TEST(MatMulToConv, LeavesNothingOfTheMatrixBehindAndTakesIntegers) {
    const auto plain = matmulNet({4, 24}, false, true);
    auto made = matmulNet({4, 24}, false, true);
    convolutionsForMatMuls(*made);
    WriteOptions options;
    options.weightQuantBits = 8;
    compressWeights(*made, options);
    bool found = false;
    for (const auto& op : made->oplists) {
        EXPECT_TRUE(op->type != OpType_Const || op->main.AsBlob()->float32s.empty()) << op->name;
        const Convolution2DT* conv = op->main.AsConvolution2D();
        if (!conv) continue;
        found = true;
        EXPECT_TRUE(conv->weight.empty());
        ASSERT_NE(conv->quanParameter, nullptr);
        EXPECT_NE(op->name.find("__matmul_converted"), std::string::npos);
    }
    EXPECT_TRUE(found);
    expectNear(runNet(*made, {4, 24}), runNet(*plain, {4, 24}), 0.3f);
}

TEST(MatMulToConv, LeavesProductsOfTwoTensorsAlone) {
    TestModel m(13);
    m.input("x", {3, 4}).input("w", {4, 5}).output("y");
    m.node("MatMul", {"x", "w"}, {"y"});
    Graph graph = m.optimized();
    const auto net = toNet(graph, WriteOptions());
    convolutionsForMatMuls(*net);
    EXPECT_EQ(typesOf(*net), "MatMul ");
}
