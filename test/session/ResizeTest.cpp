// Case C13: any order of sizes gives what a fresh session gives; case C17: layouts and types at the edges.
#include "SessionTools.hpp"

namespace {

using namespace session_test;
using session_test::NetBuilder;

// Conv 3x3 -> Relu -> every second pixel -> Conv -> mean over places -> fully connected, with free batch, height and
// width.
NetBuilder resizable() {
    NetBuilder net;
    net.input("x", {1, 3, -1, -1});
    net.convolution("conv", "x", 3, 10, 3, 1, 1, wave(10 * 27), wave(10));
    net.add(OpType_ReLU, "relu", {"conv"}, OpParameter_Relu, new ReluT);
    net.convolution("half", "relu", 10, 10, 1, 0, 2, wave(100, 1.0f), wave(10, 1.0f));
    net.unary("act", UnaryOpOperation_SIGMOID, "half");
    net.concat("cat", 1, {"act", "half"});
    net.convolution("fc", "cat", 20, 7, 1, 0, 1, wave(140, 2.0f), wave(7, 2.0f));
    net.permute("y", {0, 2, 3, 1}, "fc");
    net.output("y");
    return net;
}

struct Size {
    int batch, height, width;
};
const Size kSizes[] = {{1, 64, 64}, {1, 96, 48}, {1, 32, 32}, {1, 64, 64}, {3, 64, 64},
                       {1, 1, 16},  {1, 1, 1},   {2, 33, 7},  {1, 64, 64}};

bool resizeTo(Interpreter* interpreter, Session* session, const Size& size) {
    Tensor* x = interpreter->getSessionInput(session, "x");
    interpreter->resizeTensor(x, {size.batch, 3, size.height, size.width});
    interpreter->resizeSession(session);
    fill(x, wave(size.batch * 3 * size.height * size.width, static_cast<float>(size.height)));
    return interpreter->runSession(session) == NO_ERROR;
}

TEST(Resize, AnySequenceEqualsAFreshSession) {
    NetBuilder net = resizable();
    for (int count : {1, 2}) {
        auto interpreter = net.interpreter();
        Messages log;
        Session* session = interpreter->createSession(threads(count));
        ASSERT_NE(session, nullptr);
        EXPECT_EQ(log.text(), "") << "sizes still unknown are nothing to complain about";
        for (const Size& size : kSizes) {
            SCOPED_TRACE(size.height);
            ASSERT_TRUE(resizeTo(interpreter.get(), session, size));
            auto fresh = net.interpreter();
            Session* other = fresh->createSession(threads(count));
            ASSERT_TRUE(resizeTo(fresh.get(), other, size));
            EXPECT_EQ(floats(interpreter->getSessionOutput(session, "y")), floats(fresh->getSessionOutput(other, "y")));
        }
    }
}

TEST(Resize, AFrozenReshapeNamesItselfAndBothShapes) {
    NetBuilder net;
    net.input("x", {1, 512});
    net.unary("n", UnaryOpOperation_NEG, "x");
    net.constantInts("target", {2}, {1, 512});
    net.add(OpType_Reshape, "flatten_7", {"n", "target"}, OpParameter_Reshape, new ReshapeT);
    net.unary("y", UnaryOpOperation_NEG, "flatten_7");
    net.output("y");
    auto interpreter = net.interpreter();
    Session* session = interpreter->createSession(threads(1));
    ASSERT_NE(session, nullptr);
    Tensor* x = interpreter->getSessionInput(session, "x");
    Messages log;
    interpreter->resizeTensor(x, {2, 512});
    interpreter->resizeSession(session);
    EXPECT_TRUE(log.mention("flatten_7")) << log.text();
    EXPECT_TRUE(log.mention("constant")) << log.text();
    EXPECT_TRUE(log.mention("2,512") || log.mention("2, 512")) << log.text();
    EXPECT_TRUE(log.mention("1,512") || log.mention("1, 512")) << log.text();
    EXPECT_NE(interpreter->runSession(session), NO_ERROR);
    int status = -1;
    interpreter->getSessionInfo(session, Interpreter::RESIZE_STATUS, &status);
    EXPECT_EQ(status, 2);
    interpreter->resizeTensor(x, {1, 512});
    interpreter->resizeSession(session);
    fill(x, iota(512));
    ASSERT_EQ(interpreter->runSession(session), NO_ERROR) << "the session recovers";
    EXPECT_EQ(floats(interpreter->getSessionOutput(session, "y")), iota(512));
}

TEST(Resize, AbsurdShapesAreIgnoredWithAMessage) {
    auto interpreter = resizable().interpreter();
    Session* session = interpreter->createSession(threads(1));
    Tensor* x = interpreter->getSessionInput(session, "x");
    const std::vector<int> before = x->shape();
    Messages log;
    interpreter->resizeTensor(x, {1, 3, -5, 4});
    interpreter->resizeTensor(x, {1 << 20, 3, 1 << 20, 4});
    interpreter->resizeTensor(x, std::vector<int>(9, 1));
    EXPECT_EQ(x->shape(), before);
    EXPECT_TRUE(log.mention("resizeTensor")) << log.text();
}

TEST(Resize, WrongChannelsNameTheConvolution) {
    auto interpreter = resizable().interpreter();
    Session* session = interpreter->createSession(threads(1));
    Messages log;
    interpreter->resizeTensor(interpreter->getSessionInput(session, "x"), {1, 4, 8, 8});
    interpreter->resizeSession(session);
    EXPECT_TRUE(log.mention("'conv'")) << log.text();
    EXPECT_NE(interpreter->runSession(session), NO_ERROR);
}

// A slice of a constant whose length follows the input: packed weights of one size must never serve another.
TEST(Resize, ConstantsCutByShapesAreNotConfused) {
    NetBuilder net;
    net.input("x", {2, 4});
    net.constant("table", {8, 3}, iota(24));
    net.add(OpType_Shape, "shape", {"x"});
    net.constantInts("one", {1}, {1});
    net.constantInts("zeros", {2}, {0, 0});
    net.constantInts("three", {1}, {3});
    auto* gather = new GatherT;
    net.add(OpType_GatherV2, "k", {"shape", "one"}, OpParameter_Gather, gather);
    net.concat("size", 0, {"k", "three"});
    net.add(OpType_SliceTf, "rows", {"table", "zeros", "size"});
    net.add(OpType_MatMul, "y", {"x", "rows"}, OpParameter_MatMul, new MatMulT);
    net.output("y");
    auto interpreter = net.interpreter();
    Session* session = interpreter->createSession(threads(1));
    ASSERT_NE(session, nullptr);
    for (int k : {4, 8, 1, 3, 8}) {
        Tensor* x = interpreter->getSessionInput(session, "x");
        interpreter->resizeTensor(x, {2, k});
        interpreter->resizeSession(session);
        fill(x, std::vector<float>(2 * k, 1.0f));
        ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
        std::vector<float> wanted;
        for (int column = 0; column < 3; ++column)
            wanted.push_back(3.0f * k * (k - 1) / 2 + static_cast<float>(k * column));
        wanted.insert(wanted.end(), wanted.begin(), wanted.begin() + 3);
        EXPECT_EQ(floats(interpreter->getSessionOutput(session, "y")), wanted);
    }
}

TEST(Edges, OneOutputChannelIsSixteenNumbers) {
    NetBuilder net;
    net.input("x", {1, 3, 4, 4});
    net.convolution("y", "x", 3, 1, 1, 0, 1, {1.0f, 10.0f, 100.0f}, {0.5f});
    net.output("y");
    auto interpreter = net.interpreter();
    Session* session = interpreter->createSession(threads(1));
    ASSERT_NE(session, nullptr);
    fill(interpreter->getSessionInput(session, "x"), iota(48));
    ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
    Tensor* y = interpreter->getSessionOutput(session, "y");
    EXPECT_EQ(y->shape(), (std::vector<int>{1, 1, 4, 4}));
    EXPECT_EQ(y->elementSize(), 16);
    std::vector<float> wanted;
    for (int i = 0; i < 16; ++i) wanted.push_back(0.5f + static_cast<float>(i + 10 * (16 + i) + 100 * (32 + i)));
    EXPECT_EQ(floats(y), wanted);
    Tensor last(y, Tensor::TENSORFLOW, true);
    EXPECT_EQ(last.shape(), (std::vector<int>{1, 4, 4, 1}));
    ASSERT_TRUE(y->copyToHostTensor(&last));
    EXPECT_EQ(std::vector<float>(last.host<float>(), last.host<float>() + 16), wanted);
    Tensor blocks(y, Tensor::CAFFE_C4, true);
    EXPECT_EQ(blocks.elementSize(), 64);
    ASSERT_TRUE(y->copyToHostTensor(&blocks));
    for (int i = 0; i < 16; ++i) EXPECT_EQ(blocks.host<float>()[4 * i], wanted[i]);
}

TEST(Edges, RanksOneTwoThreeAndZero) {
    for (const std::vector<int>& dims : {std::vector<int>{}, {5}, {448, 448}, {2, 3, 5}}) {
        NetBuilder net;
        net.input("x", dims);
        net.unary("y", UnaryOpOperation_NEG, "x");
        net.output("y");
        auto interpreter = net.interpreter();
        Session* session = interpreter->createSession(threads(1));
        ASSERT_NE(session, nullptr);
        Tensor *x = interpreter->getSessionInput(session, "x"), *y = interpreter->getSessionOutput(session, "y");
        EXPECT_EQ(x->shape(), dims);
        fill(x, iota(x->elementSize(), 1.0f));
        ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
        EXPECT_EQ(y->shape(), dims);
        for (Tensor::DimensionType layout : {Tensor::CAFFE, Tensor::TENSORFLOW}) {
            if (dims.size() > 2 && layout == Tensor::TENSORFLOW) continue;
            Tensor host(y, layout, true);
            ASSERT_TRUE(y->copyToHostTensor(&host));
            EXPECT_EQ(host.elementSize(), x->elementSize());
            EXPECT_EQ(host.host<float>()[host.elementSize() - 1], -static_cast<float>(x->elementSize()));
        }
    }
}

TEST(Edges, EmptyTensorsRun) {
    NetBuilder net;
    net.input("x", {2, 3});
    net.unary("a", UnaryOpOperation_NEG, "x");
    net.concat("y", 0, {"a", "x"});
    net.output("y");
    auto interpreter = net.interpreter();
    Session* session = interpreter->createSession(threads(1));
    ASSERT_NE(session, nullptr);
    for (int n : {0, 2, 0}) {
        interpreter->resizeTensor(interpreter->getSessionInput(session, "x"), {n, 3});
        interpreter->resizeSession(session);
        ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
        EXPECT_EQ(interpreter->getSessionOutput(session, "y")->shape(), (std::vector<int>{2 * n, 3}));
    }
}

// Bools and 64-bit integers are int32 on the host, bytes stay bytes; a wrong host type is an error.
TEST(Edges, HostTypesOfInputs) {
    const std::pair<DataType, halide_type_t> cases[] = {
        {DataType_DT_FLOAT, halide_type_of<float>()},   {DataType_DT_INT32, halide_type_of<int32_t>()},
        {DataType_DT_INT64, halide_type_of<int32_t>()}, {DataType_DT_BOOL, halide_type_of<int32_t>()},
        {DataType_DT_UINT8, halide_type_of<uint8_t>()}, {DataType_DT_INT8, halide_type_of<int8_t>()}};
    for (const auto& one : cases) {
        SCOPED_TRACE(EnumNameDataType(one.first));
        NetBuilder net;
        net.input("x", {2, 3}, one.first);
        net.reshape("y", {3, 2}, "x");
        net.output("y");
        auto interpreter = net.interpreter();
        Session* session = interpreter->createSession(threads(1));
        ASSERT_NE(session, nullptr);
        Tensor* x = interpreter->getSessionInput(session, "x");
        EXPECT_TRUE(x->getType() == one.second);
        std::unique_ptr<Tensor> right(Tensor::create({2, 3}, one.second, nullptr, Tensor::CAFFE));
        std::unique_ptr<Tensor> wrong(Tensor::create({2, 3}, halide_type_of<double>(), nullptr, Tensor::CAFFE));
        std::fill_n(right->host<uint8_t>(), right->usize(), uint8_t(1));
        EXPECT_TRUE(x->copyFromHostTensor(right.get()));
        Messages log;
        EXPECT_FALSE(x->copyFromHostTensor(wrong.get()));
        EXPECT_TRUE(log.mention("type")) << log.text();
        ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
        EXPECT_TRUE(interpreter->getSessionOutput(session, "y")->getType() == one.second);
    }
}

}  // namespace
