#include <gtest/gtest.h>
#include <numeric>
#include "NetBuilder.hpp"

namespace {

using namespace MNN;
using mnn_test::fill;
using mnn_test::floats;
using mnn_test::NetBuilder;

std::vector<float> iota(int n, float first = 0.0f) {
    std::vector<float> v(n);
    std::iota(v.begin(), v.end(), first);
    return v;
}

TEST(Session, RunsAChainOfElementwiseOps) {
    NetBuilder net;
    net.input("x", {2, 3});
    net.constant("two", {}, {2.0f});
    net.binary("double", BinaryOpOperation_MUL, "x", "two");
    net.unary("y", UnaryOpOperation_NEG, "double");
    net.output("y");
    auto interpreter = net.interpreter();
    ASSERT_NE(interpreter, nullptr);
    Session* session = interpreter->createSession(ScheduleConfig());
    ASSERT_NE(session, nullptr);
    fill(interpreter->getSessionInput(session, "x"), iota(6));
    ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
    EXPECT_EQ(floats(interpreter->getSessionOutput(session, nullptr)), (std::vector<float>{0, -2, -4, -6, -8, -10}));
}

TEST(Session, ViewsAloneBecomeOneCopy) {
    NetBuilder net;
    net.input("x", {2, 3});
    net.permute("t", {1, 0}, "x");
    net.reshape("r", {1, 6}, "t");
    net.concat("y", 0, {"r", "r"});
    net.output("y");
    auto interpreter = net.interpreter();
    Session* session = interpreter->createSession(ScheduleConfig());
    ASSERT_NE(session, nullptr);
    fill(interpreter->getSessionInput(session, "x"), iota(6));
    int commands = 0;
    TensorCallBack count = [&](const std::vector<Tensor*>&, const std::string&) { return ++commands > 0; };
    ASSERT_EQ(interpreter->runSessionWithCallBack(session, count, nullptr), NO_ERROR);
    EXPECT_EQ(commands, 1);
    EXPECT_EQ(floats(interpreter->getSessionOutput(session, nullptr)),
              (std::vector<float>{0, 3, 1, 4, 2, 5, 0, 3, 1, 4, 2, 5}));
}

// The first reader takes the view as it is, the second needs it written: the copy has to come before both.
TEST(Session, AViewMayBeAbsorbedByOneReaderAndCopiedForAnother) {
    NetBuilder net;
    net.input("x", {2, 3});
    net.permute("t", {1, 0}, "x");
    net.unary("a", UnaryOpOperation_NEG, "t");
    net.add(OpType_CumSum, "b", {"t", "axis"}, OpParameter_CumSum, new CumSumT);
    net.binary("y", BinaryOpOperation_ADD, "a", "b");
    net.constantInts("axis", {}, {0});
    net.output("y");
    auto interpreter = net.interpreter();
    Session* session = interpreter->createSession(ScheduleConfig());
    ASSERT_NE(session, nullptr);
    fill(interpreter->getSessionInput(session, "x"), iota(6));
    ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
    // t is {0 3, 1 4, 2 5}, its running sums {0 3, 1 7, 3 12}.
    EXPECT_EQ(floats(interpreter->getSessionOutput(session, nullptr)), (std::vector<float>{0, 0, 0, 3, 1, 7}));
}

TEST(Session, AContiguousViewIsNotCopied) {
    NetBuilder net;
    net.input("x", {2, 3});
    net.unary("n", UnaryOpOperation_NEG, "x");
    net.reshape("r", {6}, "n");
    net.constantInts("axis", {}, {0});
    net.add(OpType_CumSum, "y", {"r", "axis"}, OpParameter_CumSum, new CumSumT);
    net.output("y");
    auto interpreter = net.interpreter();
    Session* session = interpreter->createSession(ScheduleConfig());
    ASSERT_NE(session, nullptr);
    fill(interpreter->getSessionInput(session, "x"), iota(6));
    int commands = 0;
    TensorCallBack count = [&](const std::vector<Tensor*>&, const std::string&) { return ++commands > 0; };
    ASSERT_EQ(interpreter->runSessionWithCallBack(session, count, nullptr), NO_ERROR);
    EXPECT_EQ(commands, 2);
    EXPECT_EQ(floats(interpreter->getSessionOutput(session, nullptr)), (std::vector<float>{0, -1, -3, -6, -10, -15}));
}

TEST(Session, ResizesToAnyOrderOfShapes) {
    NetBuilder net;
    net.input("x", {1, 4});
    net.unary("a", UnaryOpOperation_SQUARE, "x");
    net.binary("y", BinaryOpOperation_ADD, "a", "x");
    net.output("y");
    auto interpreter = net.interpreter();
    Session* session = interpreter->createSession(ScheduleConfig());
    ASSERT_NE(session, nullptr);
    for (int n : {4, 9, 1, 16, 9}) {
        Tensor* x = interpreter->getSessionInput(session, "x");
        interpreter->resizeTensor(x, {n, 4});
        interpreter->resizeSession(session);
        fill(x, iota(4 * n, 1.0f));
        ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
        const auto y = floats(interpreter->getSessionOutput(session, "y"));
        ASSERT_EQ(y.size(), static_cast<size_t>(4 * n));
        for (int i = 0; i < 4 * n; ++i) EXPECT_EQ(y[i], (i + 1.0f) * (i + 1.0f) + i + 1.0f);
    }
}

TEST(Session, ShapesComputedFromShapesAreKnownAtResize) {
    NetBuilder net;
    net.input("x", {2, 6});
    net.add(OpType_Shape, "shape", {"x"});
    net.constantInts("three", {2}, {3, 4});
    net.constantInts("zero", {2}, {0, 0});
    net.binary("dims", BinaryOpOperation_MAXIMUM, "three", "zero");
    net.add(OpType_Reshape, "r", {"x", "dims"}, OpParameter_Reshape, new ReshapeT);
    net.unary("y", UnaryOpOperation_NEG, "r");
    net.output("y");
    auto interpreter = net.interpreter();
    Session* session = interpreter->createSession(ScheduleConfig());
    ASSERT_NE(session, nullptr);
    EXPECT_EQ(interpreter->getSessionOutput(session, "y")->shape(), (std::vector<int>{3, 4}));
}

TEST(Session, ShapeFromAnInputStartsASegment) {
    NetBuilder net;
    net.input("x", {12});
    net.input("dims", {2}, DataType_DT_INT32);
    net.unary("n", UnaryOpOperation_NEG, "x");
    net.add(OpType_Reshape, "r", {"n", "dims"}, OpParameter_Reshape, new ReshapeT);
    net.unary("y", UnaryOpOperation_NEG, "r");
    net.output("y");
    auto interpreter = net.interpreter();
    Session* session = interpreter->createSession(ScheduleConfig());
    ASSERT_NE(session, nullptr);
    for (auto dims :
         {std::vector<int>{3, 4}, std::vector<int>{2, 6}, std::vector<int>{2, 6}, std::vector<int>{12, 1}}) {
        fill(interpreter->getSessionInput(session, "x"), iota(12));
        std::copy(dims.begin(), dims.end(), interpreter->getSessionInput(session, "dims")->host<int32_t>());
        ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
        Tensor* y = interpreter->getSessionOutput(session, "y");
        EXPECT_EQ(y->shape(), dims);
        EXPECT_EQ(floats(y), iota(12));
    }
}

}  // namespace
