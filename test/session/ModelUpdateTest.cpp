// updateSessionToModel: constants that a caller changed come back in the model's buffer.
#include <MNN/MNNDefine.h>
#include <cstdio>
#include <cstring>
#include "SessionTools.hpp"
#include "core/platform/Platform.hpp"

namespace {

using namespace session_test;
using session_test::NetBuilder;

// y = x * w, z = x * v
NetBuilder productNet() {
    NetBuilder net;
    net.input("x", {3});
    net.constant("w", {3}, {1, 2, 3});
    net.constant("v", {3}, {4, 5, 6});
    net.net().oplists.back()->type = OpType_TrainableParam;
    net.constantInts("unused", {2}, {7, 8});
    net.binary("y", BinaryOpOperation_MUL, "x", "w");
    net.binary("z", BinaryOpOperation_MUL, "x", "v");
    net.output("y");
    net.output("z");
    return net;
}

Session* sessionWith(Interpreter* net, std::vector<std::string> saved) {
    ScheduleConfig config = threads(1);
    config.saveTensors = std::move(saved);
    return net->createSession(config);
}

std::vector<float> runOnOnes(Interpreter* net, Session* session, const char* output) {
    fill(net->getSessionInput(session, "x"), {1, 1, 1});
    EXPECT_EQ(net->runSession(session), NO_ERROR);
    return floats(net->getSessionOutput(session, output));
}

std::vector<float> runBuffer(Interpreter* net, const char* output) {
    const auto buffer = net->getModelBuffer();
    const std::unique_ptr<Interpreter> saved(Interpreter::createFromBuffer(buffer.first, buffer.second));
    return saved == nullptr ? std::vector<float>() : runOnOnes(saved.get(), saved->createSession(threads(1)), output);
}

TEST(ModelUpdate, PutsChangedConstantsIntoTheBuffer) {
    const auto net = productNet().interpreter();
    Session* session = sessionWith(net.get(), {"w", "v", "unused"});
    ASSERT_NE(session, nullptr);
    fill(net->getSessionOutput(session, "w"), {10, 20, 30});
    fill(net->getSessionOutput(session, "v"), {-1, -2, -3});
    net->getSessionOutput(session, "unused")->host<int32_t>()[1] = 99;
    EXPECT_EQ(runBuffer(net.get(), "y"), (std::vector<float>{1, 2, 3}));
    ASSERT_EQ(net->updateSessionToModel(session), NO_ERROR);
    EXPECT_EQ(runBuffer(net.get(), "y"), (std::vector<float>{10, 20, 30}));
    EXPECT_EQ(runBuffer(net.get(), "z"), (std::vector<float>{-1, -2, -3}));
    const Net* model = GetNet(net->getModelBuffer().first);
    EXPECT_EQ(model->oplists()->Get(3)->main_as_Blob()->int32s()->Get(1), 99);
    // Later sessions of this interpreter are made from the new model.
    EXPECT_EQ(runOnOnes(net.get(), net->createSession(threads(1)), "y"), (std::vector<float>{10, 20, 30}));
}

TEST(ModelUpdate, LeavesOtherSessionsAlone) {
    const auto net = productNet().interpreter();
    Session* other = net->createSession(threads(1));
    Session* session = sessionWith(net.get(), {"w"});
    fill(net->getSessionOutput(session, "w"), {10, 20, 30});
    EXPECT_EQ(runOnOnes(net.get(), other, "y"), (std::vector<float>{1, 2, 3}));
    ASSERT_EQ(net->updateSessionToModel(session), NO_ERROR);
    EXPECT_EQ(runOnOnes(net.get(), other, "y"), (std::vector<float>{1, 2, 3}));
    net->resizeSession(other, 1);
    EXPECT_EQ(runOnOnes(net.get(), other, "y"), (std::vector<float>{1, 2, 3}));
    // The one that was updated goes on, too.
    EXPECT_EQ(runOnOnes(net.get(), session, "z"), (std::vector<float>{4, 5, 6}));
    // Again, from values that the model now has, and back.
    fill(net->getSessionOutput(session, "w"), {1, 2, 3});
    ASSERT_EQ(net->updateSessionToModel(session), NO_ERROR);
    EXPECT_EQ(runBuffer(net.get(), "y"), (std::vector<float>{1, 2, 3}));
}

TEST(ModelUpdate, WithoutChangesKeepsTheBuffer) {
    const auto net = productNet().interpreter();
    Session* session = sessionWith(net.get(), {"w"});
    const void* before = net->getModelBuffer().first;
    EXPECT_EQ(net->updateSessionToModel(session), NO_ERROR);
    EXPECT_EQ(net->getModelBuffer().first, before);
}

TEST(ModelUpdate, NeverTouchesTheFile) {
    const std::vector<uint8_t> bytes = productNet().bytes();
    const std::string path = testing::TempDir() + "update.mnn";
    std::string why;
    ASSERT_TRUE(platform::writeFileAtomically(path.c_str(), bytes.data(), bytes.size(), &why)) << why;
    const std::unique_ptr<Interpreter> net(Interpreter::createFromFile(path.c_str()));
    Session* session = sessionWith(net.get(), {"w"});
    ASSERT_NE(session, nullptr);
    fill(net->getSessionOutput(session, "w"), {10, 20, 30});
    ASSERT_EQ(net->updateSessionToModel(session), NO_ERROR);
    EXPECT_EQ(runBuffer(net.get(), "y"), (std::vector<float>{10, 20, 30}));
    const auto file = platform::FileView::open(path.c_str(), &why);
    ASSERT_NE(file, nullptr) << why;
    EXPECT_TRUE(file->size() == bytes.size() && std::memcmp(file->data(), bytes.data(), bytes.size()) == 0);
    std::remove(path.c_str());
}

// A constant of doubles, stored as raw bytes, is float32 in the session.
TEST(ModelUpdate, SaysWhichConstantCannotGoBack) {
    NetBuilder builder;
    builder.input("x", {2});
    auto* blob = new BlobT;
    const double values[2] = {1.5, 2.5};
    blob->dims = {2};
    blob->dataType = DataType_DT_DOUBLE;
    blob->dataFormat = MNN_DATA_FORMAT_NCHW;
    blob->uint8s.resize(sizeof(values));
    std::memcpy(blob->uint8s.data(), values, sizeof(values));
    builder.add(OpType_Const, "doubles", {}, OpParameter_Blob, blob);
    builder.binary("y", BinaryOpOperation_MUL, "x", "doubles");
    builder.output("y");
    const auto net = builder.interpreter();
    Session* session = sessionWith(net.get(), {"doubles"});
    ASSERT_NE(session, nullptr);
    EXPECT_EQ(net->updateSessionToModel(session), NO_ERROR);
    fill(net->getSessionOutput(session, "doubles"), {3, 4});
    const Messages messages;
    const void* before = net->getModelBuffer().first;
    EXPECT_EQ(net->updateSessionToModel(session), NOT_SUPPORT);
    EXPECT_TRUE(messages.mention("doubles")) << messages.text();
    EXPECT_EQ(net->getModelBuffer().first, before);
}

TEST(ModelUpdate, RefusesWhatIsNotThere) {
    const auto net = productNet().interpreter(), other = productNet().interpreter();
    Session* session = sessionWith(net.get(), {"w"});
    EXPECT_EQ(net->updateSessionToModel(nullptr), INVALID_VALUE);
    EXPECT_EQ(other->updateSessionToModel(session), INVALID_VALUE);
    net->releaseModel();
    const Messages messages;
    EXPECT_EQ(net->updateSessionToModel(session), INPUT_DATA_ERROR);
    EXPECT_TRUE(messages.mention("released")) << messages.text();
    EXPECT_EQ(net->getModelBuffer().first, nullptr);
}

}  // namespace
