// setCacheFile and updateCacheFile: what a backend wants to keep comes back in the next process; the CPU keeps nothing.
#include <cstdio>
#include <fstream>
#include <iterator>
#include "SessionTools.hpp"
#include "core/Backend.hpp"
#include "core/platform/Platform.hpp"

namespace {

using namespace session_test;
using session_test::NetBuilder;

// A CPU that keeps a text.
struct Kept {
    std::string offered;  // by the last onSetCache
    int offers = 0;
    std::string keeps;  // for onGetCache
};
Kept& kept() {
    static Kept state;
    return state;
}

class KeepingRuntime final : public Runtime {
public:
    explicit KeepingRuntime(const Info& info) : Runtime(info) {
        Info cpu = info;
        cpu.type = MNN_FORWARD_CPU;
        std::string why;
        mCpu.reset(findBackend(MNN_FORWARD_CPU)->create(cpu, &why));
    }
    Backend* onCreate(const BackendConfig* config) const override { return mCpu->onCreate(config); }
    bool onSetCache(const void* buffer, size_t size) override {
        kept().offered.assign(static_cast<const char*>(buffer), size);
        ++kept().offers;
        return true;
    }
    std::pair<const void*, size_t> onGetCache() override { return {kept().keeps.data(), kept().keeps.size()}; }

private:
    std::unique_ptr<Runtime> mCpu;
};

Runtime* createKeeping(const Runtime::Info& info, std::string*) { return new KeepingRuntime(info); }
const BackendEntry kKeeping = {MNN_FORWARD_USER_3, "keeping", createKeeping};

class CacheFileTest : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(MNNAddBackend(&kKeeping));
        kept() = Kept();
        mPath = testing::TempDir() + "session.cache";
        std::remove(mPath.c_str());
    }
    void TearDown() override { std::remove(mPath.c_str()); }

    // As a process does it: load, run, update.
    ErrorCode process(MNNForwardType type, float weight = 2.0f) {
        kept().offered.clear();
        kept().offers = 0;
        NetBuilder builder;
        builder.input("x", {2});
        builder.constant("w", {2}, {weight, 3});
        builder.binary("y", BinaryOpOperation_MUL, "x", "w");
        builder.output("y");
        const auto net = builder.interpreter();
        net->setCacheFile(mPath.c_str());
        ScheduleConfig config = threads(1);
        config.type = type;
        Session* session = net->createSession(config);
        if (session == nullptr) return INVALID_VALUE;
        fill(net->getSessionInput(session, nullptr), {1, 1});
        EXPECT_EQ(net->runSession(session), NO_ERROR);
        EXPECT_EQ(floats(net->getSessionOutput(session, nullptr)), (std::vector<float>{weight, 3}));
        return net->updateCacheFile(session);
    }
    std::string content() const {
        std::ifstream file(mPath, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    }
    void write(const std::string& bytes) const {
        std::ofstream(mPath, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    std::string mPath;
};

TEST_F(CacheFileTest, TheCpuWritesNothing) {
    EXPECT_EQ(process(MNN_FORWARD_CPU), NO_ERROR);
    EXPECT_FALSE(platform::fileExists(mPath.c_str()));
    write("somebody's own file");
    EXPECT_EQ(process(MNN_FORWARD_CPU), NO_ERROR);
    EXPECT_EQ(content(), "somebody's own file");
}

TEST_F(CacheFileTest, ABackendFindsAgainWhatItKept) {
    kept().keeps = "kernels";
    EXPECT_EQ(process(MNN_FORWARD_USER_3), NO_ERROR);
    EXPECT_EQ(kept().offers, 0);
    const std::string first = content();
    EXPECT_FALSE(first.empty());
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(process(MNN_FORWARD_USER_3), NO_ERROR);
        EXPECT_EQ(kept().offered, "kernels");
        EXPECT_EQ(content(), first) << "the file grows";
    }
    kept().keeps = "more kernels";
    EXPECT_EQ(process(MNN_FORWARD_USER_3), NO_ERROR);
    EXPECT_EQ(kept().offered, "kernels");
    EXPECT_EQ(process(MNN_FORWARD_USER_3), NO_ERROR);
    EXPECT_EQ(kept().offered, "more kernels");
}

TEST_F(CacheFileTest, AModelHasOnlyItsOwn) {
    kept().keeps = "kernels";
    EXPECT_EQ(process(MNN_FORWARD_USER_3, 2.0f), NO_ERROR);
    EXPECT_EQ(process(MNN_FORWARD_USER_3, 5.0f), NO_ERROR);
    EXPECT_EQ(kept().offers, 0);
    EXPECT_EQ(process(MNN_FORWARD_USER_3, 5.0f), NO_ERROR);
    EXPECT_EQ(kept().offered, "kernels");
}

TEST_F(CacheFileTest, TornAndForeignFilesAreReplaced) {
    kept().keeps = "kernels";
    EXPECT_EQ(process(MNN_FORWARD_USER_3), NO_ERROR);
    const std::string good = content();
    std::vector<std::string> broken = {"", "x", "no cache of ours, but long enough to hold a header and more",
                                       good + "x"};
    for (size_t size = 0; size < good.size(); ++size) broken.push_back(good.substr(0, size));
    for (size_t at = 0; at < good.size(); ++at) {
        broken.push_back(good);
        broken.back()[at] = static_cast<char>(broken.back()[at] ^ 0x81);
    }
    for (size_t i = 0; i < broken.size(); ++i) {
        write(broken[i]);
        ASSERT_EQ(process(MNN_FORWARD_USER_3), NO_ERROR);
        ASSERT_EQ(kept().offers, 0) << i;
        ASSERT_EQ(content(), good) << i;
    }
}

TEST_F(CacheFileTest, AFolderThatCannotBeWrittenCostsOnlyTheCache) {
    kept().keeps = "kernels";
    mPath = testing::TempDir() + "no such folder/session.cache";
    const Messages messages;
    EXPECT_EQ(process(MNN_FORWARD_USER_3), FILE_CREATE_FAILED);
    EXPECT_TRUE(messages.mention("no such folder")) << messages.text();
}

TEST_F(CacheFileTest, WithoutAFileNothingHappens) {
    kept().keeps = "kernels";
    mPath.clear();
    EXPECT_EQ(process(MNN_FORWARD_USER_3), NO_ERROR);
    EXPECT_EQ(kept().offers, 0);
}

}  // namespace
