// Case C13 for converted models: any order of sizes gives what a fresh session gives, and a frozen Reshape says so.
#include "OnnxBuilder.hpp"

namespace {

using namespace cases;

// Conv 3x3 -> Relu -> every second pixel -> twice as large -> mean -> Flatten -> Gemm, with free batch, height and
// width.
TestModel network() {
    TestModel m(13);
    m.input("x", {-1, 3, -1, -1}).output("y");
    m.weight("w", {8, 3, 3, 3}, wave(8 * 27))
        .weight("b", {8}, wave(8))
        .weight("fw", {5, 8}, wave(40, 1.0f))
        .weight("fb", {5}, wave(5, 2.0f));
    m.ints("zero", {0, 0}).ints("end", {INT64_MAX, INT64_MAX}).ints("axes", {2, 3}).ints("two", {2, 2});
    m.weight("scales", {4}, {1, 1, 2, 2});
    attr(m.node("Conv", {"x", "w", "b"}, {"c"}), "pads", std::vector<int64_t>{1, 1, 1, 1});
    m.node("Relu", {"c"}, {"r"});
    m.node("Slice", {"r", "zero", "end", "axes", "two"}, {"s"});
    auto* resize = m.node("Resize", {"s", "", "scales"}, {"u"});
    attr(resize, "mode", "linear");
    m.node("GlobalAveragePool", {"u"}, {"g"});
    m.node("Flatten", {"g"}, {"f"});
    attr(m.node("Gemm", {"f", "fw", "fb"}, {"y"}), "transB", int64_t(1));
    return m;
}

TEST(CaseC13, AnySequenceOfSizesEqualsAFreshSession) {
    const std::vector<std::vector<int>> sizes = {{1, 3, 64, 64}, {1, 3, 96, 48}, {1, 3, 32, 32},
                                                 {1, 3, 64, 64}, {3, 3, 64, 64}, {1, 3, 1, 16},
                                                 {1, 3, 1, 1},   {2, 3, 33, 7},  {1, 3, 64, 64}};
    for (int level : {0, kDefaultLevel}) {
        const std::vector<uint8_t> bytes = convert(network(), level);
        for (int threads : {1, 4}) {
            Messages log;
            const Engine engine(bytes, threads);
            ASSERT_TRUE(engine.ready()) << log.text();
            EXPECT_EQ(log.text(), "") << "unknown sizes are nothing to complain about";
            for (const std::vector<int>& size : sizes) {
                SCOPED_TRACE(::testing::PrintToString(size));
                const Named in{{"x", waves(size, static_cast<float>(size[2]))}};
                ASSERT_EQ(engine.run(in), MNN::NO_ERROR) << log.text();
                const Engine fresh(bytes, threads);
                ASSERT_EQ(fresh.run(in), MNN::NO_ERROR) << log.text();
                EXPECT_EQ(engine.get("y").shape, (std::vector<int>{size[0], 5}));
                EXPECT_EQ(engine.get("y").values, fresh.get("y").values);
            }
        }
    }
}

// A prompt, then one token, then a longer prompt; the length enters the graph's own arithmetic.
TEST(CaseC13, PrefillThenDecode) {
    TestModel m(13);
    m.input("x", {1, -1, 8})
        .output("y")
        .weight("w", {8, 8}, wave(64))
        .ints("at", {1})
        .ints("heads", {1, -1, 2, 4})
        .ints("flat", {1, -1, 8});
    m.node("MatMul", {"x", "w"}, {"h"});
    m.node("Reshape", {"h", "heads"}, {"split"});
    attr(m.node("Transpose", {"split"}, {"q"}), "perm", std::vector<int64_t>{0, 2, 1, 3});
    attr(m.node("Transpose", {"split"}, {"k"}), "perm", std::vector<int64_t>{0, 2, 3, 1});
    m.node("MatMul", {"q", "k"}, {"scores"});
    m.node("Shape", {"x"}, {"shape"});
    m.node("Gather", {"shape", "at"}, {"length"});
    attr(m.node("Cast", {"length"}, {"real"}), "to", int64_t(onnx::TensorProto::FLOAT));
    m.node("Div", {"scores", "real"}, {"scaled"});
    m.node("Softmax", {"scaled"}, {"p"});
    attr(m.node("Transpose", {"split"}, {"v"}), "perm", std::vector<int64_t>{0, 2, 1, 3});
    m.node("MatMul", {"p", "v"}, {"o"});
    attr(m.node("Transpose", {"o"}, {"joined"}), "perm", std::vector<int64_t>{0, 2, 1, 3});
    m.node("Reshape", {"joined", "flat"}, {"y"});
    for (int level : {0, kDefaultLevel}) {
        const std::vector<uint8_t> bytes = convert(m, level);
        Messages log;
        const Engine engine(bytes, 4);
        ASSERT_TRUE(engine.ready()) << log.text();
        for (int length : {16, 1, 24, 1, 16}) {
            const Named in{{"x", waves({1, length, 8}, static_cast<float>(length))}};
            ASSERT_EQ(engine.run(in), MNN::NO_ERROR) << log.text();
            const Engine fresh(bytes, 4);
            ASSERT_EQ(fresh.run(in), MNN::NO_ERROR);
            EXPECT_EQ(engine.get("y").shape, (std::vector<int>{1, length, 8}));
            EXPECT_EQ(engine.get("y").values, fresh.get("y").values) << length;
        }
    }
}

TEST(CaseC13, AFrozenReshapeNamesItselfBothShapesAndTheConstant) {
    TestModel m(13);
    m.input("x", {-1, 512}).output("y").ints("target", {1, 512});
    m.node("Neg", {"x"}, {"n"});
    m.node("Reshape", {"n", "target"}, {"flatten_7"});
    m.node("Neg", {"flatten_7"}, {"y"});
    for (int level : {0, kDefaultLevel}) {
        Messages log;
        const Engine engine(convert(m, level));
        ASSERT_TRUE(engine.ready()) << log.text();
        EXPECT_EQ(log.text(), "");
        EXPECT_NE(engine.run({{"x", filled({2, 512}, 1)}}), MNN::NO_ERROR);
        EXPECT_TRUE(log.mention("flatten_7")) << log.text();
        EXPECT_TRUE(log.mention("constant")) << log.text();
        EXPECT_TRUE(log.mention("[2,512]")) << log.text();
        EXPECT_TRUE(log.mention("1,512") || log.mention("1, 512")) << log.text();
        EXPECT_EQ(engine.run({{"x", filled({1, 512}, 1)}}), MNN::NO_ERROR) << log.text();
        expectNear(engine.get("y"), filled({1, 512}, 1));
    }
}

}  // namespace
