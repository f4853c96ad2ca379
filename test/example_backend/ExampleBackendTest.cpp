// What a session owes a backend whose memory the host cannot reach: few copies, honest leases, the right side for each
// command.
#include <gtest/gtest.h>
#include "ExampleTest.hpp"

namespace {

using namespace example_test;
using example_test::NetBuilder;

TEST(ExampleBackend, RunsAChainWithoutACopy) {
    NetBuilder net;
    net.input("x", {2, 3});
    net.unary("n", UnaryOpOperation_NEG, "x");
    net.permute("t", {1, 0}, "n");
    net.unary("y", UnaryOpOperation_SQUARE, "t");
    net.output("y");
    Device d(net);
    ASSERT_NE(d.session, nullptr);
    Tensor* x = d.input("x");
    EXPECT_EQ(x->host<void>(), nullptr);
    EXPECT_NE(x->deviceId(), 0u);
    fill(x, {0, 1, 2, 3, 4, 5});
    d.clear();
    ASSERT_EQ(d.run(), NO_ERROR);
    EXPECT_EQ(d.counters().copies(), 0);
    EXPECT_EQ(d.counters().kernels, 2);
    EXPECT_EQ(d.counters().rasters, 1);
    EXPECT_EQ(floats(d.output("y")), (std::vector<float>{0, 9, 1, 16, 4, 25}));
    EXPECT_EQ(d.counters().toHost, 1);
    d.expectSound();
}

TEST(ExampleBackend, CopiesStandOnlyBetweenRuns) {
    NetBuilder net;
    net.input("x", {8});
    net.unary("a", UnaryOpOperation_NEG, "x");
    net.unary("e", UnaryOpOperation_SQUARE, "a");
    net.unary("h1", UnaryOpOperation_SIGN, "e");  // the example has no SIGN: the CPU runs it
    net.unary("h2", UnaryOpOperation_SIGN, "e");  // a second reader there shares the copy
    net.binary("h", BinaryOpOperation_DIV, "h1", "h2");
    net.binary("b", BinaryOpOperation_ADD, "h", "e");
    net.binary("y", BinaryOpOperation_MUL, "b", "h");
    net.output("y");
    Device d(net);
    ASSERT_NE(d.session, nullptr);
    fill(d.input("x"), iota(8, 1.0f));
    d.clear();
    ASSERT_EQ(d.run(), NO_ERROR);
    EXPECT_EQ(d.counters().toHost, 1);
    EXPECT_EQ(d.counters().toDevice, 1);
    EXPECT_EQ(d.counters().within, 0);
    std::vector<float> wanted;
    for (float v : iota(8, 1.0f)) wanted.push_back(1 + v * v);
    EXPECT_EQ(floats(d.output("y")), wanted);
    d.expectSound();
}

TEST(ExampleBackend, AnInputThatOnlyTheCpuReadsStaysOnTheHost) {
    NetBuilder net;
    net.input("x", {4});
    net.input("w", {4});
    net.unary("h", UnaryOpOperation_SIGN, "w");
    net.unary("n", UnaryOpOperation_NEG, "x");
    net.binary("y", BinaryOpOperation_ADD, "h", "n");
    net.output("y");
    Device d(net);
    ASSERT_NE(d.session, nullptr);
    EXPECT_NE(d.input("w")->host<void>(), nullptr);
    EXPECT_EQ(d.input("x")->host<void>(), nullptr);
    for (int round = 0; round < 2; ++round) {
        fill(d.input("x"), iota(4));
        fill(d.input("w"), {-3, 5, 0, 7});
        d.clear();
        ASSERT_EQ(d.run(), NO_ERROR);
        EXPECT_EQ(d.counters().toHost, 0);
        EXPECT_EQ(d.counters().toDevice, 1);
        EXPECT_EQ(floats(d.output("y")), (std::vector<float>{-1, 0, -2, -2}));
        d.interpreter->resizeSession(d.session, 1);
    }
    d.expectSound();
}

TEST(ExampleBackend, ViewsAreRasteredWhereTheyAreRead) {
    NetBuilder net;
    net.input("x", {2, 3});
    net.permute("t", {1, 0}, "x");
    net.unary("h", UnaryOpOperation_SIGN, "t");  // reads the view on the CPU, straight from x's copy
    net.unary("n", UnaryOpOperation_NEG, "t");   // reads it on the device
    net.concat("c", 0, {"h", "n"});
    net.unary("y", UnaryOpOperation_NEG, "c");
    net.output("y");
    Device d(net);
    ASSERT_NE(d.session, nullptr);
    fill(d.input("x"), iota(6));
    d.clear();
    ASSERT_EQ(d.run(), NO_ERROR);
    EXPECT_EQ(d.counters().toHost, 1);
    EXPECT_EQ(d.counters().toDevice, 1);
    EXPECT_EQ(floats(d.output("y")), (std::vector<float>{0, -1, -1, -1, -1, -1, 0, 3, 1, 4, 2, 5}));
    d.expectSound();
}

TEST(ExampleBackend, ConstantsAreUploadedOncePerResize) {
    NetBuilder net;
    net.input("x", {4});
    net.constant("c", {4}, {1, 2, 3, 4});
    net.binary("a", BinaryOpOperation_ADD, "x", "c");
    net.binary("y", BinaryOpOperation_MUL, "a", "c");
    net.output("y");
    Device d(net);
    ASSERT_NE(d.session, nullptr);
    EXPECT_EQ(d.counters().toDevice, 1);
    for (int round = 0; round < 3; ++round) {
        fill(d.input("x"), iota(4));
        d.clear();
        ASSERT_EQ(d.run(), NO_ERROR);
        ASSERT_EQ(d.run(), NO_ERROR);
        EXPECT_EQ(d.counters().copies(), 0);
        EXPECT_EQ(floats(d.output("y")), (std::vector<float>{1, 6, 15, 28}));
        d.clear();
        d.interpreter->resizeSession(d.session, 1);
        EXPECT_EQ(d.counters().toDevice, 1);
    }
    d.expectSound();
}

TEST(ExampleBackend, ConcatOfDeviceTensorsIsWrittenInPlace) {
    NetBuilder net;
    net.input("x", {2, 4});
    net.unary("a", UnaryOpOperation_NEG, "x");
    net.unary("b", UnaryOpOperation_SQUARE, "x");
    net.concat("c", 0, {"a", "b"});
    net.unary("y", UnaryOpOperation_ABS, "c");
    net.output("y");
    Device d(net);
    ASSERT_NE(d.session, nullptr);
    fill(d.input("x"), iota(8));
    d.clear();
    ASSERT_EQ(d.run(), NO_ERROR);
    EXPECT_EQ(d.counters().rasters, 0);
    EXPECT_EQ(floats(d.output("y")), (std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 4, 9, 16, 25, 36, 49}));
    d.expectSound();
}

// dims are computed on the device, so each run reads them back, once, before the second segment's shapes are known.
TEST(ExampleBackend, ShapesFromDeviceContentsStartASegment) {
    NetBuilder net;
    net.input("x", {12});
    net.input("dims", {2});
    net.unary("n", UnaryOpOperation_NEG, "dims");
    net.unary("wanted", UnaryOpOperation_ABS, "n");
    net.unary("m", UnaryOpOperation_NEG, "x");
    net.add(OpType_Reshape, "r", {"m", "wanted"}, OpParameter_Reshape, new ReshapeT);
    net.permute("t", {1, 0}, "r");
    net.unary("y", UnaryOpOperation_NEG, "t");
    net.output("y");
    Device d(net);
    ASSERT_NE(d.session, nullptr);
    for (auto dims : {std::vector<int>{3, 4}, {2, 6}, {2, 6}, {12, 1}}) {
        fill(d.input("x"), iota(12));
        fill(d.input("dims"), {static_cast<float>(dims[0]), static_cast<float>(dims[1])});
        d.clear();
        ASSERT_EQ(d.run(), NO_ERROR);
        EXPECT_EQ(d.counters().toHost, 1);
        EXPECT_EQ(d.counters().toDevice + d.counters().within, 0);
        EXPECT_EQ(d.output("y")->shape(), (std::vector<int>{dims[1], dims[0]}));
        const std::vector<float> y = floats(d.output("y"));
        for (int i = 0; i < 12; ++i) EXPECT_EQ(y[i % dims[1] * dims[0] + i / dims[1]], static_cast<float>(i));
    }
    d.expectSound();
}

TEST(ExampleBackend, ShapesFromAnInputOnTheDevice) {
    NetBuilder net;
    net.input("x", {12});
    net.input("dims", {2}, DataType_DT_INT32);
    net.add(OpType_Reshape, "r", {"x", "dims"}, OpParameter_Reshape, new ReshapeT);
    net.unary("y", UnaryOpOperation_NEG, "r");
    net.output("y");
    Device d(net);
    ASSERT_NE(d.session, nullptr);
    for (auto dims : {std::vector<int>{3, 4}, {4, 3}}) {
        fill(d.input("x"), iota(12));
        std::unique_ptr<Tensor> host(Tensor::create<int>({2}, dims.data(), Tensor::CAFFE));
        ASSERT_TRUE(d.input("dims")->copyFromHostTensor(host.get()));
        ASSERT_EQ(d.run(), NO_ERROR);
        EXPECT_EQ(d.output("y")->shape(), dims);
        EXPECT_EQ(floats(d.output("y"))[11], -11.0f);
    }
    d.expectSound();
}

class ExampleLayouts : public ::testing::TestWithParam<std::tuple<MNN_DATA_FORMAT, Tensor::DimensionType>> {};

TEST_P(ExampleLayouts, CopiesAndMapsConvert) {
    const bool last = std::get<0>(GetParam()) == MNN_DATA_FORMAT_NHWC;
    const Tensor::DimensionType asked = std::get<1>(GetParam());
    NetBuilder net;
    net.input("x", last ? std::vector<int>{2, 3, 4, 5} : std::vector<int>{2, 5, 3, 4}, DataType_DT_FLOAT,
              std::get<0>(GetParam()));
    net.unary("y", UnaryOpOperation_NEG, "x");
    net.output("y");
    Device d(net);
    ASSERT_NE(d.session, nullptr);
    Tensor host(d.input("x"), asked, true);
    for (int i = 0; i < host.elementSize(); ++i) host.host<float>()[i] = static_cast<float>(i);
    ASSERT_TRUE(d.input("x")->copyFromHostTensor(&host));
    ASSERT_EQ(d.run(), NO_ERROR);
    Tensor* y = d.output("y");
    Tensor back(y, asked, true);
    ASSERT_TRUE(y->copyToHostTensor(&back));
    expectNegatedChannels(host, back, asked);

    void* mapped = y->map(Tensor::MAP_TENSOR_READ, asked);
    ASSERT_NE(mapped, nullptr);
    EXPECT_EQ(std::memcmp(mapped, back.host<void>(), back.usize()), 0);
    y->unmap(Tensor::MAP_TENSOR_READ, asked, mapped);

    auto* written = static_cast<float*>(d.input("x")->map(Tensor::MAP_TENSOR_WRITE, asked));
    ASSERT_NE(written, nullptr);
    for (int i = 0; i < host.elementSize(); ++i) written[i] = host.host<float>()[i] = static_cast<float>(2 * i);
    d.input("x")->unmap(Tensor::MAP_TENSOR_WRITE, asked, written);
    ASSERT_EQ(d.run(), NO_ERROR);
    ASSERT_TRUE(y->copyToHostTensor(&back));
    expectNegatedChannels(host, back, asked);
    d.expectSound();
}

INSTANTIATE_TEST_SUITE_P(All, ExampleLayouts,
                         ::testing::Combine(::testing::Values(MNN_DATA_FORMAT_NCHW, MNN_DATA_FORMAT_NHWC,
                                                              MNN_DATA_FORMAT_NC4HW4),
                                            ::testing::Values(Tensor::CAFFE, Tensor::TENSORFLOW, Tensor::CAFFE_C4)));

TEST(ExampleBackend, OutputsByNameInTheModelsOrder) {
    NetBuilder net;
    net.input("x", {3});
    net.unary("c", UnaryOpOperation_NEG, "x");
    net.unary("a", UnaryOpOperation_SIGN, "x");
    net.unary("b", UnaryOpOperation_SQUARE, "c");
    for (const char* name : {"c", "a", "b"}) net.output(name);
    Device d(net);
    ASSERT_NE(d.session, nullptr);
    fill(d.input("x"), {1, 2, 3});
    ASSERT_EQ(d.run(), NO_ERROR);
    EXPECT_EQ(d.interpreter->getSessionOutput(d.session, nullptr), d.output("c"));
    EXPECT_EQ(floats(d.output("c")), (std::vector<float>{-1, -2, -3}));
    EXPECT_EQ(floats(d.output("a")), (std::vector<float>{1, 1, 1}));
    EXPECT_EQ(floats(d.output("b")), (std::vector<float>{1, 4, 9}));
    d.expectSound();
}

TEST(ExampleBackend, OutputsThatAreViews) {
    NetBuilder net;
    net.input("x", {2, 3});
    net.unary("h", UnaryOpOperation_SIGN, "x");
    net.permute("p", {1, 0}, "h");  // of a host tensor: written on the host
    net.permute("q", {1, 0}, "x");  // of a device tensor: written there
    net.unary("d", UnaryOpOperation_NEG, "x");
    for (const char* name : {"p", "q", "d"}) net.output(name);
    Device d(net);
    ASSERT_NE(d.session, nullptr);
    EXPECT_NE(d.output("p")->host<void>(), nullptr);
    EXPECT_EQ(d.output("q")->host<void>(), nullptr);
    fill(d.input("x"), iota(6, 1.0f));
    d.clear();
    ASSERT_EQ(d.run(), NO_ERROR);
    EXPECT_EQ(d.counters().copies(), 1);
    EXPECT_EQ(floats(d.output("p")), (std::vector<float>(6, 1.0f)));
    EXPECT_EQ(floats(d.output("q")), (std::vector<float>{1, 4, 2, 5, 3, 6}));
    d.expectSound();
}

TEST(ExampleBackend, PathsOnDifferentBackendsHandOver) {
    NetBuilder net;
    net.input("x", {4});
    net.unary("a", UnaryOpOperation_NEG, "x");
    net.unary("b", UnaryOpOperation_SQUARE, "a");
    net.unary("y", UnaryOpOperation_NEG, "b");
    net.output("y");
    auto interpreter = net.interpreter();
    ScheduleConfig first, second;
    first.type = MNN_FORWARD_USER_0;
    first.path.outputs = {"a"};
    second.path.inputs = {"b"};
    second.path.outputs = {"y"};
    Session* session = interpreter->createMultiPathSession({first, second});
    ASSERT_NE(session, nullptr);
    int backends[2] = {-1, -1};
    ASSERT_TRUE(interpreter->getSessionInfo(session, Interpreter::BACKENDS, backends));
    EXPECT_EQ(backends[0], MNN_FORWARD_USER_0);
    EXPECT_EQ(backends[1], MNN_FORWARD_CPU);
    for (int n : {4, 7}) {
        interpreter->resizeTensor(interpreter->getSessionInput(session, "x"), {n});
        interpreter->resizeSession(session);
        fill(interpreter->getSessionInput(session, "x"), iota(n));
        ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
        std::vector<float> wanted;
        for (float v : iota(n)) wanted.push_back(-v * v);
        EXPECT_EQ(floats(interpreter->getSessionOutput(session, "y")), wanted);
    }
}

TEST(ExampleBackend, TakesAnOpWhole) {
    NetBuilder net;
    net.input("x", {3});
    net.add(OpType_AbsVal, "y", {"x"});
    net.output("y");
    Device d(net);
    ASSERT_NE(d.session, nullptr);
    fill(d.input("x"), {-1, 2, -3});
    std::string type;
    TensorCallBackWithInfo note = [&](const std::vector<Tensor*>&, const OperatorInfo* info) {
        type = info->type();
        return true;
    };
    ASSERT_EQ(d.interpreter->runSessionWithCallBackInfo(d.session, note, nullptr), NO_ERROR);
    EXPECT_EQ(type, "AbsVal");
    EXPECT_EQ(floats(d.output("y")), (std::vector<float>{1, 2, 3}));
    d.expectSound();
}

// The guard itself: a use outside a lease and stale memory are noticed.
TEST(ExampleGuard, NoticesMistakes) {
    example::ExampleRuntime runtime{Runtime::Info()};
    std::unique_ptr<example::ExampleBackend> backend(static_cast<example::ExampleBackend*>(runtime.onCreate(nullptr)));
    std::unique_ptr<Tensor> a(Tensor::createDevice<float>({4})), b(Tensor::createDevice<float>({4}));
    backend->onResizeBegin();
    ASSERT_TRUE(backend->onAcquireBuffer(a.get(), StorageType::Shared));
    ASSERT_TRUE(backend->onReleaseBuffer(a.get(), StorageType::Shared));
    ASSERT_TRUE(backend->onAcquireBuffer(b.get(), StorageType::Shared));
    const std::vector<int> alive = backend->leasesAround({a.get()}, {b.get()});
    EXPECT_EQ(backend->counters().unleased, 1);
    ASSERT_EQ(backend->onResizeEnd(), NO_ERROR);
    auto* data = reinterpret_cast<float*>(backend->data(b.get()));
    ASSERT_NE(data, nullptr);
    data[0] = 1.0f;
    backend->poisonExcept(alive);
    EXPECT_NE(data[0], data[0]) << "b begins with the command: what it held before is poison";
    backend->onResizeBegin();
    ASSERT_EQ(backend->onResizeEnd(), NO_ERROR);
    EXPECT_EQ(backend->data(b.get()), nullptr) << "the arena it lay in is gone";
    EXPECT_EQ(runtime.memory().faults, 1);
}

}  // namespace
