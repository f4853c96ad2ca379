// getSessionInfo(MEMORY): arenas, constants, and what Executions keep.
#include "SessionTools.hpp"
#include "core/HostMemory.hpp"
#include "core/TensorUtils.hpp"
#include "session/Session.hpp"

namespace {

using namespace session_test;
using session_test::NetBuilder;

double megabytes(Interpreter* net, const Session* session) {
    float value = -1.0f;
    EXPECT_TRUE(net->getSessionInfo(session, Interpreter::MEMORY, &value));
    return value;
}

double arenaMegabytes(const Session* session) {
    size_t bytes = 0;
    for (const auto& pipeline : session->pipelines()) bytes += pipeline->plannedBytes();
    return static_cast<double>(bytes) / (1 << 20);
}

constexpr int kChannels = 96;
constexpr double kWeightMegabytes = kChannels * kChannels * 9 * sizeof(float) / double(1 << 20);

NetBuilder convolutionNet() {
    NetBuilder net;
    net.input("x", {1, kChannels, 8, 8});
    net.convolution("y", "x", kChannels, kChannels, 3, 1, 1, wave(kChannels * kChannels * 9), wave(kChannels));
    net.output("y");
    return net;
}

TEST(MemoryInfo, CountsThePackedWeightsOfConvolutions) {
    const auto net = convolutionNet().interpreter();
    Session* session = net->createSession(threads(1));
    ASSERT_NE(session, nullptr);
    const double kept = megabytes(net.get(), session) - arenaMegabytes(session);
    EXPECT_GE(kept, kWeightMegabytes);
    // Winograd's F(4, 3) makes 36 numbers of 9; nothing makes more.
    EXPECT_LE(kept, 4.5 * kWeightMegabytes);
}

TEST(MemoryInfo, CountsWeightsOnceWhateverSizesFollow) {
    const auto net = convolutionNet().interpreter();
    Session* session = net->createSession(threads(1));
    ASSERT_NE(session, nullptr);
    const double before = megabytes(net.get(), session), arena = arenaMegabytes(session);
    Tensor* x = net->getSessionInput(session, "x");
    for (int size : {16, 9, 32, 8}) {
        net->resizeTensor(x, {1, kChannels, size, size});
        net->resizeSession(session);
        ASSERT_EQ(net->runSession(session), NO_ERROR);
        EXPECT_NEAR(megabytes(net.get(), session) - arenaMegabytes(session), before - arena, 1e-4) << size;
    }
    net->resizeSession(session, 1);
    EXPECT_NEAR(megabytes(net.get(), session) - arenaMegabytes(session), before - arena, 1e-4);
}

TEST(MemoryInfo, EverySessionCountsItsOwn) {
    const auto net = convolutionNet().interpreter();
    Session* first = net->createSession(threads(1));
    const double alone = megabytes(net.get(), first);
    Session* second = net->createSession(threads(1));
    EXPECT_NEAR(megabytes(net.get(), second), alone, 1e-4);
    EXPECT_NEAR(megabytes(net.get(), first), alone, 1e-4);
    net->releaseSession(second);
    EXPECT_NEAR(megabytes(net.get(), first), alone, 1e-4);
}

TEST(MemoryInfo, CountsConstantsAndTheirPackedForm) {
    constexpr int kSide = 256;
    constexpr double kMatrix = kSide * kSide * sizeof(float) / double(1 << 20);
    NetBuilder net;
    net.input("x", {4, kSide});
    net.constant("w", {kSide, kSide}, wave(kSide * kSide));
    net.add(MNN::OpType_MatMul, "y", {"x", "w"}, MNN::OpParameter_MatMul, new MNN::MatMulT);
    // A view of the constant is no second one.
    net.reshape("flat", {kSide * kSide / 4, 4}, "w");
    net.binary("z", MNN::BinaryOpOperation_ADD, "flat", "flat");
    net.output("y");
    net.output("z");
    const auto interpreter = net.interpreter();
    Session* session = interpreter->createSession(threads(1));
    ASSERT_NE(session, nullptr);
    const double kept = megabytes(interpreter.get(), session) - arenaMegabytes(session);
    EXPECT_GE(kept, 2 * kMatrix);
    EXPECT_LT(kept, 2.9 * kMatrix);
}

TEST(MemoryCount, FollowsTheBlocks) {
    const MemoryCount count = std::make_shared<std::atomic<size_t>>(0);
    auto first = HostMemory::allocate(100, count);
    const auto shared = first;
    auto second = HostMemory::allocate(23, count);
    EXPECT_EQ(*count, 123u);
    first.reset();
    EXPECT_EQ(*count, 123u);
    second.reset();
    EXPECT_EQ(*count, 100u);
    EXPECT_EQ(HostMemory::allocate(HostMemory::kLimit + 1, count), nullptr);
    EXPECT_EQ(*count, 100u);
}

}  // namespace
