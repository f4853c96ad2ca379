// Case C15: threads against the API. ThreadSanitizer runs it too.
#include <atomic>
#include <thread>
#include "SessionTools.hpp"

namespace {

using namespace session_test;
using session_test::NetBuilder;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int kRounds = 15;
#else
constexpr int kRounds = 200;
#endif

std::vector<float> answer(Interpreter* interpreter, const ScheduleConfig& config, int id) {
    Session* session = interpreter->createSession(config);
    if (session == nullptr) return {};
    fill(interpreter->getSessionInput(session, nullptr), wave(192, static_cast<float>(id)));
    if (interpreter->runSession(session) != NO_ERROR) return {};
    std::vector<float> result = floats(interpreter->getSessionOutput(session, nullptr));
    interpreter->releaseSession(session);
    return result;
}

TEST(Threads, EightShareOneInterpreter) {
    NetBuilder net;
    smallImageNet(&net);
    auto interpreter = net.interpreter();
    ASSERT_NE(interpreter, nullptr);
    std::vector<std::vector<float>> expected;
    for (int id = 0; id < 8; ++id) expected.push_back(answer(interpreter.get(), threads(1), id));
    ASSERT_FALSE(expected[0].empty());
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int id = 0; id < 8; ++id) {
        callers.emplace_back([&, id] {
            for (int round = 0; round < kRounds; ++round)
                wrong += answer(interpreter.get(), threads(1), id) != expected[id];
        });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(wrong, 0);
}

// Sessions that share one runtime, and with it one pool of threads.
TEST(Threads, SessionsShareARuntime) {
    NetBuilder net;
    smallImageNet(&net);
    auto interpreter = net.interpreter();
    const RuntimeInfo runtime = Interpreter::createRuntime({threads(4)});
    const std::vector<float> expected = answer(interpreter.get(), threads(1), 3);
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int id = 0; id < 4; ++id) {
        Session* session = interpreter->createSession(threads(4), runtime);
        ASSERT_NE(session, nullptr);
        callers.emplace_back([&, session] {
            for (int round = 0; round < kRounds; ++round) {
                fill(interpreter->getSessionInput(session, nullptr), wave(192, 3.0f));
                wrong += interpreter->runSession(session) != NO_ERROR;
                wrong += floats(interpreter->getSessionOutput(session, nullptr)) != expected;
            }
        });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(wrong, 0);
}

NetBuilder model(int which) {
    NetBuilder net;
    net.input("x", {1, 3, 8, 8});
    std::string last = "x";
    for (int i = 0; i <= which; ++i) {
        last = net.convolution("c" + std::to_string(i), last, 3, 3, which % 2 != 0 ? 3 : 1, which % 2, 1,
                               wave(which % 2 != 0 ? 81 : 9, static_cast<float>(i)), wave(3));
        last = net.unary("u" + std::to_string(i), UnaryOpOperation_TANH, last);
    }
    net.output(last);
    return net;
}

TEST(Threads, FourModelsOfTheirOwnWithFourThreadsEach) {
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int id = 0; id < 4; ++id) {
        callers.emplace_back([&wrong, id] {
            NetBuilder net = model(id);
            auto interpreter = net.interpreter();
            const std::vector<float> expected = answer(interpreter.get(), threads(4), id);
            wrong += expected.empty();
            for (int round = 0; round < kRounds / 4; ++round) {
                if (round % 5 == 4) interpreter = net.interpreter();
                wrong += answer(interpreter.get(), threads(4), id) != expected;
            }
        });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(wrong, 0);
}

}  // namespace
