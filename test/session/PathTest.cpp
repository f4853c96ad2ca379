// Multi-path sessions, saved tensors, names.
#include "SessionTools.hpp"

namespace {

using namespace session_test;
using session_test::NetBuilder;

// x -> a = -x -> b = a^2 -> y = -b; a -> z = |a|
NetBuilder forked() {
    NetBuilder net;
    net.input("x", {4});
    net.unary("a", UnaryOpOperation_NEG, "x");
    net.unary("b", UnaryOpOperation_SQUARE, "a");
    net.unary("y", UnaryOpOperation_NEG, "b");
    net.unary("z", UnaryOpOperation_ABS, "a");
    net.output("y");
    net.output("z");
    return net;
}

ScheduleConfig path(std::vector<std::string> inputs, std::vector<std::string> outputs,
                    ScheduleConfig::Path::Mode mode = ScheduleConfig::Path::Op) {
    ScheduleConfig config;
    config.path.inputs = std::move(inputs);
    config.path.outputs = std::move(outputs);
    config.path.mode = mode;
    return config;
}

TEST(Paths, RunOneAfterAnother) {
    auto interpreter = forked().interpreter();
    Session* session = interpreter->createMultiPathSession({path({}, {"a"}), path({"b"}, {"y"})});
    ASSERT_NE(session, nullptr);
    EXPECT_EQ(interpreter->getSessionInputAll(session).size(), 1u);
    for (int n : {4, 9, 2}) {
        Tensor* x = interpreter->getSessionInput(session, "x");
        interpreter->resizeTensor(x, {n});
        interpreter->resizeSession(session);
        fill(x, iota(n));
        ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
        std::vector<float> a, y;
        for (float v : iota(n)) a.push_back(-v), y.push_back(-v * v);
        EXPECT_EQ(floats(interpreter->getSessionOutput(session, "a")), a);
        EXPECT_EQ(floats(interpreter->getSessionOutput(session, "y")), y);
    }
}

// Both paths compute `a`; neither may disturb the other's memory.
TEST(Paths, OverlappingOnesAreIndependent) {
    NetBuilder net;
    net.input("x", {64});
    std::string last = net.unary("a0", UnaryOpOperation_NEG, "x");
    for (int i = 1; i < 8; ++i)
        last = net.binary("a" + std::to_string(i), BinaryOpOperation_ADD, last, i % 2 != 0 ? "x" : "a0");
    net.binary("y", BinaryOpOperation_SUB, last, "a1");
    net.binary("m", BinaryOpOperation_MUL, last, "a3");
    net.binary("z", BinaryOpOperation_SUB, "m", "a0");
    net.output("y");
    net.output("z");
    auto whole = net.interpreter();
    Session* reference = whole->createSession(threads(1));
    ASSERT_NE(reference, nullptr);
    auto interpreter = net.interpreter();
    Session* session = interpreter->createMultiPathSession({path({}, {"z"}), path({}, {"y"}), path({}, {"z", "y"})});
    ASSERT_NE(session, nullptr);
    for (int round = 0; round < 3; ++round) {
        fill(interpreter->getSessionInput(session, "x"), wave(64, static_cast<float>(round)));
        fill(whole->getSessionInput(reference, "x"), wave(64, static_cast<float>(round)));
        ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
        ASSERT_EQ(whole->runSession(reference), NO_ERROR);
        for (const char* name : {"y", "z"}) {
            EXPECT_EQ(floats(interpreter->getSessionOutput(session, name)),
                      floats(whole->getSessionOutput(reference, name)));
        }
    }
}

TEST(Paths, ByTensorNamesFromTheMiddle) {
    auto interpreter = forked().interpreter();
    Session* session = interpreter->createSession(path({"b"}, {"y"}, ScheduleConfig::Path::Tensor));
    ASSERT_NE(session, nullptr);
    Tensor* b = interpreter->getSessionInput(session, "b");
    ASSERT_NE(b, nullptr);
    interpreter->resizeTensor(b, {3});
    interpreter->resizeSession(session);
    fill(b, {1, 2, 3});
    ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
    EXPECT_EQ(floats(interpreter->getSessionOutput(session, "y")), (std::vector<float>{-1, -2, -3}));
}

// The first path begins at `b` with the caller's values, although a later path computes `b` too.
TEST(Paths, ABeginningKeepsTheCallersValues) {
    auto interpreter = forked().interpreter();
    ScheduleConfig first = path({"b"}, {"y"}, ScheduleConfig::Path::Tensor),
                   second = path({}, {"b"}, ScheduleConfig::Path::Tensor);
    Session* session = interpreter->createMultiPathSession({first, second});
    ASSERT_NE(session, nullptr);
    interpreter->resizeTensor(interpreter->getSessionInput(session, "b"), {2});
    interpreter->resizeSession(session);
    fill(interpreter->getSessionInput(session, "b"), {5, 6});
    fill(interpreter->getSessionInput(session, "x"), iota(4));
    for (int run = 0; run < 2; ++run) {
        ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
        EXPECT_EQ(floats(interpreter->getSessionOutput(session, "y")), (std::vector<float>{-5, -6}));
    }
}

TEST(Paths, ALaterPathWaitsForShapesOfAnEarlierOne) {
    NetBuilder net;
    net.input("x", {12});
    net.input("dims", {2}, DataType_DT_INT32);
    net.add(OpType_Reshape, "r", {"x", "dims"}, OpParameter_Reshape, new ReshapeT);
    net.unary("n", UnaryOpOperation_NEG, "r");
    net.unary("y", UnaryOpOperation_NEG, "n");
    net.output("y");
    auto interpreter = net.interpreter();
    Session* session = interpreter->createMultiPathSession({path({}, {"n"}), path({"y"}, {"y"})});
    ASSERT_NE(session, nullptr);
    for (auto dims : {std::vector<int>{3, 4}, {2, 6}, {2, 6}}) {
        fill(interpreter->getSessionInput(session, "x"), iota(12));
        std::copy(dims.begin(), dims.end(), interpreter->getSessionInput(session, "dims")->host<int32_t>());
        ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
        EXPECT_EQ(interpreter->getSessionOutput(session, "y")->shape(), dims);
        EXPECT_EQ(floats(interpreter->getSessionOutput(session, "y")), iota(12));
    }
}

TEST(Paths, SavedTensorsAreReadableAfterARun) {
    auto interpreter = forked().interpreter();
    ScheduleConfig config;
    config.saveTensors = {"b", "a"};
    Session* session = interpreter->createSession(config);
    ASSERT_NE(session, nullptr);
    fill(interpreter->getSessionInput(session, "x"), iota(4));
    ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
    EXPECT_EQ(floats(interpreter->getSessionOutput(session, "a")), (std::vector<float>{0, -1, -2, -3}));
    EXPECT_EQ(floats(interpreter->getSessionOutput(session, "b")), (std::vector<float>{0, 1, 4, 9}));
    EXPECT_EQ(floats(interpreter->getSessionOutput(session, "y")), (std::vector<float>{0, -1, -4, -9}));
    EXPECT_EQ(interpreter->getSessionOutputAll(session).size(), 4u);
}

TEST(Paths, UnknownNamesAreNamed) {
    auto interpreter = forked().interpreter();
    Messages log;
    EXPECT_EQ(interpreter->createSession(path({}, {"nowhere"})), nullptr);
    EXPECT_TRUE(log.mention("nowhere")) << log.text();
    ScheduleConfig save;
    save.saveTensors = {"lost"};
    EXPECT_EQ(interpreter->createSession(save), nullptr);
    EXPECT_TRUE(log.mention("lost")) << log.text();
    EXPECT_EQ(interpreter->createMultiPathSession({}), nullptr);
    Session* session = interpreter->createSession(threads(1));
    ASSERT_NE(session, nullptr);
    log.clear();
    EXPECT_EQ(interpreter->getSessionInput(session, "ghost"), nullptr);
    EXPECT_EQ(interpreter->getSessionOutput(session, "phantom"), nullptr);
    EXPECT_TRUE(log.mention("ghost") && log.mention("phantom")) << log.text();
}

TEST(Paths, OutputsKeepTheModelsOrder) {
    NetBuilder net;
    net.input("x", {2});
    for (const char* name : {"c", "a", "b"}) net.unary(name, UnaryOpOperation_NEG, "x");
    for (const char* name : {"c", "a", "b"}) net.output(name);
    auto interpreter = net.interpreter();
    Session* session = interpreter->createSession(threads(1));
    ASSERT_NE(session, nullptr);
    EXPECT_EQ(interpreter->getSessionOutput(session, nullptr), interpreter->getSessionOutput(session, "c"));
    EXPECT_EQ(interpreter->getSessionOutputAll(session).size(), 3u);
}

}  // namespace
