// Case C17: layouts, ranks, names and element types at the edges of the API.
#include "OnnxBuilder.hpp"
#include "session/Session.hpp"

namespace {

using namespace cases;

TEST(CaseC17, OneChannelGivesTheSameNumbersInEveryLayout) {
    TestModel m(13);
    m.input("x", {1, 3, 4, 4}).output("y").weight("w", {1, 3, 1, 1}, {1, 10, 100});
    m.node("Conv", {"x", "w"}, {"y"});
    const Data x = ramp({1, 3, 4, 4});
    Data want{{1, 1, 4, 4}, {}};
    for (int i = 0; i < 16; ++i) want.values.push_back(x.values[i] + 10 * x.values[16 + i] + 100 * x.values[32 + i]);
    everyWay(m, {{"x", x}}, [&](const Engine& engine) {
        expectNear(engine.get("y"), want);
        Tensor nhwc(engine.output("y"), Tensor::TENSORFLOW);
        ASSERT_EQ(nhwc.elementSize(), 16);
        ASSERT_TRUE(engine.output("y")->copyToHostTensor(&nhwc));
        EXPECT_EQ(nhwc.shape(), (std::vector<int>{1, 4, 4, 1}));
        for (int i = 0; i < 16; ++i) EXPECT_FLOAT_EQ(nhwc.host<float>()[i], static_cast<float>(want.values[i]));
    });
}

TEST(CaseC17, OutputsOfRankTwoOneAndZero) {
    TestModel m(13);
    m.input("x", {448, 448}).output("same").output("row").output("all");
    m.node("Neg", {"x"}, {"same"});
    auto* row = m.node("ReduceMax", {"x"}, {"row"});
    attr(row, "axes", std::vector<int64_t>{0});
    attr(row, "keepdims", int64_t(0));
    attr(m.node("ReduceMin", {"x"}, {"all"}), "keepdims", int64_t(0));
    Data x = ramp({448, 448}), same = x, row448{{448}, {}};
    for (double& v : same.values) v = -v;
    for (int i = 0; i < 448; ++i) row448.values.push_back(447 * 448 + i);
    expectOutputs(m, {{"x", x}}, {{"same", same}, {"row", row448}, {"all", data({}, {0})}});
}

TEST(CaseC17, OutputsKeepTheModelsOrderAndNames) {
    TestModel m(13);
    m.input("x", {2}).output("c").output("a").output("b");
    m.node("Neg", {"x"}, {"a"});
    m.node("Abs", {"a"}, {"b"});
    m.node("Exp", {"a"}, {"c"});
    everyWay(m, {{"x", data({2}, {1, 2})}}, [](const Engine& engine) {
        EXPECT_EQ(engine.session()->table().outputOrder, (std::vector<std::string>{"c", "a", "b"}));
        EXPECT_EQ(engine.net()->getSessionOutputAll(engine.session()).size(), 3u);
        expectNear(engine.get("a"), data({2}, {-1, -2}));
        expectNear(engine.get("b"), data({2}, {1, 2}));
        expectNear(engine.get("c"), data({2}, {std::exp(-1.0), std::exp(-2.0)}));
    });
}

template <typename T>
bool copies(Tensor* input) {
    std::unique_ptr<Tensor> host(Tensor::create<T>(input->shape(), nullptr, Tensor::CAFFE));
    for (int i = 0; i < host->elementSize(); ++i) host->template host<T>()[i] = static_cast<T>(1);
    return input->copyFromHostTensor(host.get());
}

// bool and int64 are int32 on the host, uint8 stays uint8, and another type is refused in a sentence.
TEST(CaseC17, InputsHaveOneHostTypeEach) {
    struct Row {
        int type;
        halide_type_t host;
    };
    for (const Row& row : {Row{onnx::TensorProto::BOOL, halide_type_of<int32_t>()},
                           Row{onnx::TensorProto::INT64, halide_type_of<int32_t>()},
                           Row{onnx::TensorProto::UINT8, halide_type_of<uint8_t>()},
                           Row{onnx::TensorProto::FLOAT, halide_type_of<float>()}}) {
        SCOPED_TRACE(row.type);
        TestModel m(13);
        m.input("x", {2, 3}, row.type).output("y");
        attr(m.node("Cast", {"x"}, {"y"}), "to", int64_t(onnx::TensorProto::FLOAT));
        everyWay(m, {{"x", filled({2, 3}, 1)}}, [&](const Engine& engine) {
            Messages log;
            Tensor* x = engine.input("x");
            EXPECT_EQ(x->getType(), row.host);
            EXPECT_EQ(copies<float>(x), row.host == halide_type_of<float>());
            EXPECT_EQ(copies<int32_t>(x), row.host == halide_type_of<int32_t>());
            EXPECT_EQ(copies<uint8_t>(x), row.host == halide_type_of<uint8_t>());
            EXPECT_TRUE(log.mention("type")) << log.text();
            ASSERT_EQ(engine.net()->runSession(engine.session()), MNN::NO_ERROR);
            expectNear(engine.get("y"), filled({2, 3}, 1));
        });
    }
}

TEST(CaseC17, RankThreeInputByShapeAlone) {
    TestModel m(13);
    m.input("x", {2, 3, 5}).output("y");
    attr(m.node("Transpose", {"x"}, {"y"}), "perm", std::vector<int64_t>{2, 0, 1});
    everyWay(m, {{"x", ramp({2, 3, 5})}}, [](const Engine& engine) {
        EXPECT_EQ(engine.input("x")->shape(), (std::vector<int>{2, 3, 5}));
        EXPECT_EQ(engine.input("x")->elementSize(), 30);
        const Data y = engine.get("y");
        EXPECT_EQ(y.shape, (std::vector<int>{5, 2, 3}));
        EXPECT_EQ(y.values[1], 5);
        EXPECT_EQ(y.values[6], 1);
    });
}

}  // namespace
