// runSession takes nothing from the heap.
#include "AllocationWatch.hpp"
#include "SessionTools.hpp"

namespace {

using namespace session_test;
using session_test::NetBuilder;

size_t allocationsOfARun(Interpreter* interpreter, Session* session) {
    EXPECT_EQ(interpreter->runSession(session), NO_ERROR);
    EXPECT_EQ(interpreter->runSession(session), NO_ERROR);
    AllocationWatch watch;
    const ErrorCode code = interpreter->runSession(session);
    const size_t count = watch.count();
    EXPECT_EQ(code, NO_ERROR);
    return count;
}

TEST(Allocations, TheWatchSeesThem) {
    if (!canWatchAllocations()) GTEST_SKIP() << "the heap cannot be watched here";
    AllocationWatch watch;
    std::unique_ptr<std::vector<float>> some(new std::vector<float>(1000));
    EXPECT_EQ(watch.count(), 2u);
    EXPECT_GE(watch.largest(), 4000u);
}

TEST(Allocations, NoneInsideRunSession) {
    if (!canWatchAllocations()) GTEST_SKIP() << "the heap cannot be watched here";
    for (int count : {1, 2}) {
        NetBuilder net;
        smallImageNet(&net, 2, 17, 23);
        auto interpreter = net.interpreter();
        Session* session = interpreter->createSession(threads(count));
        ASSERT_NE(session, nullptr);
        fill(interpreter->getSessionInput(session, "x"), wave(2 * 3 * 17 * 23));
        EXPECT_EQ(allocationsOfARun(interpreter.get(), session), 0u) << count << " threads";
    }
}

// Contents that decide shapes are compared each run; as long as they stay, nothing is allocated either.
TEST(Allocations, NoneWhenValueDependentShapesStay) {
    if (!canWatchAllocations()) GTEST_SKIP() << "the heap cannot be watched here";
    NetBuilder net;
    net.input("x", {12});
    net.input("dims", {2}, DataType_DT_INT32);
    net.add(OpType_Reshape, "r", {"x", "dims"}, OpParameter_Reshape, new ReshapeT);
    net.unary("y", UnaryOpOperation_NEG, "r");
    net.output("y");
    auto interpreter = net.interpreter();
    Session* session = interpreter->createSession(threads(1));
    ASSERT_NE(session, nullptr);
    fill(interpreter->getSessionInput(session, "x"), iota(12));
    auto* dims = interpreter->getSessionInput(session, "dims")->host<int32_t>();
    dims[0] = 3;
    dims[1] = 4;
    EXPECT_EQ(allocationsOfARun(interpreter.get(), session), 0u);
    dims[0] = 4;
    dims[1] = 3;
    EXPECT_EQ(allocationsOfARun(interpreter.get(), session), 0u);
    EXPECT_EQ(interpreter->getSessionOutput(session, "y")->shape(), (std::vector<int>{4, 3}));
}

}  // namespace
