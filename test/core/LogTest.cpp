#include <MNN/Log.hpp>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Heard {
    std::vector<std::pair<int, std::string>> messages;
    static void callback(int level, const char* message, void* user) {
        static_cast<Heard*>(user)->messages.push_back({level, message});
    }
    Heard() { MNNSetLogCallback(callback, this); }
    ~Heard() { MNNSetLogCallback(nullptr, nullptr); }
};

TEST(Log, GivesLevelAndTextWithoutTheNewline) {
    Heard heard;
    MNN_PRINT("%d ops\n", 3);
    MNN_ERROR("op '%s' failed\n", "conv");
    MNN_ERROR("no newline");
    ASSERT_EQ(heard.messages.size(), 3u);
    EXPECT_EQ(heard.messages[0], std::make_pair(static_cast<int>(MNN_LOG_INFO), std::string("3 ops")));
    EXPECT_EQ(heard.messages[1], std::make_pair(static_cast<int>(MNN_LOG_ERROR), std::string("op 'conv' failed")));
    EXPECT_EQ(heard.messages[2].second, "no newline");
}

TEST(Log, LongMessagesAreNotCut) {
    for (size_t length : {1022u, 1023u, 1024u, 1025u, 100000u}) {
        Heard heard;
        const std::string text(length, 'x');
        MNN_ERROR("%s\n", text.c_str());
        ASSERT_EQ(heard.messages.size(), 1u);
        EXPECT_EQ(heard.messages[0].second, text);
    }
}

TEST(Log, TextOfOthersIsNoFormat) {
    Heard heard;
    MNN_ERROR("%s", "100%s %n");
    ASSERT_EQ(heard.messages.size(), 1u);
    EXPECT_EQ(heard.messages[0].second, "100%s %n");
}

TEST(Log, NullRestoresTheDefault) {
    { Heard heard; }
    testing::internal::CaptureStderr();
    MNN_ERROR("to stderr");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "to stderr\n");
}

TEST(Log, ManyThreadsMayLogWhileTheCallbackChanges) {
    std::vector<std::thread> threads;
    MNNLogCallback quiet = [](int, const char*, void*) {};
    MNNSetLogCallback(quiet, nullptr);
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([quiet] {
            for (int n = 0; n < 200; ++n) {
                MNN_ERROR("message %d\n", n);
                if (n % 50 == 0) MNNSetLogCallback(quiet, nullptr);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    MNNSetLogCallback(nullptr, nullptr);
}

}  // namespace
