// Session modes, callbacks, session info, releaseModel.
#include "SessionTools.hpp"

namespace {

using namespace session_test;
using session_test::NetBuilder;

NetBuilder negation() {
    NetBuilder net;
    net.input("x", {2, 3});
    net.unary("n", UnaryOpOperation_SQUARE, "x");
    net.unary("y", UnaryOpOperation_NEG, "n");
    net.output("y");
    return net;
}

TEST(Modes, InputFromTheUserIsReadInPlace) {
    auto interpreter = negation().interpreter();
    interpreter->setSessionMode(Interpreter::Session_Input_User);
    Session* session = interpreter->createSession(threads(1));
    ASSERT_NE(session, nullptr);
    Tensor* x = interpreter->getSessionInput(session, "x");
    {
        Messages log;
        EXPECT_EQ(interpreter->runSession(session), INPUT_DATA_ERROR);
        EXPECT_TRUE(log.mention("'x'")) << log.text();
    }
    std::vector<float> first = iota(6), second = iota(6, 10.0f);
    for (std::vector<float>* mine : {&first, &second, &first}) {
        const std::vector<float> before = *mine;
        x->buffer().host = reinterpret_cast<uint8_t*>(mine->data());
        ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
        EXPECT_EQ(x->host<float>(), mine->data());
        EXPECT_EQ(*mine, before) << "the caller's input must not be written";
        std::vector<float> wanted;
        for (float v : before) wanted.push_back(-v * v);
        EXPECT_EQ(floats(interpreter->getSessionOutput(session, "y")), wanted);
    }
    interpreter->resizeTensor(x, {1, 3});
    interpreter->resizeSession(session);
    x->buffer().host = reinterpret_cast<uint8_t*>(second.data());
    ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
    EXPECT_EQ(floats(interpreter->getSessionOutput(session, "y")), (std::vector<float>{-100, -121, -144}));
}

TEST(Modes, OutputOfTheUserIsWrittenDirectly) {
    auto interpreter = negation().interpreter();
    interpreter->setSessionMode(Interpreter::Session_Output_User);
    Session* session = interpreter->createSession(threads(1));
    ASSERT_NE(session, nullptr);
    Tensor *x = interpreter->getSessionInput(session, "x"), *y = interpreter->getSessionOutput(session, "y");
    fill(x, iota(6));
    ASSERT_EQ(interpreter->runSession(session), NO_ERROR) << "without memory of the caller's the session's own serves";
    EXPECT_EQ(floats(y)[2], -4.0f);

    std::vector<float> mine(6, NAN), other(12, NAN);
    y->buffer().host = reinterpret_cast<uint8_t*>(mine.data());
    ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
    EXPECT_EQ(mine, (std::vector<float>{0, -1, -4, -9, -16, -25}));

    interpreter->resizeTensor(x, {4, 3});
    y->buffer().host = reinterpret_cast<uint8_t*>(other.data());
    interpreter->resizeSession(session);
    EXPECT_EQ(y->host<float>(), other.data()) << "it stays set over a resize";
    fill(x, iota(12));
    ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
    EXPECT_EQ(other[11], -121.0f);
    EXPECT_EQ(mine[5], -25.0f) << "the old memory is left alone";

    interpreter->resizeTensor(x, {2, 3});
    y->buffer().host = nullptr;
    interpreter->resizeSession(session);
    ASSERT_NE(y->host<float>(), nullptr) << "nullptr gives the session's memory back";
    fill(x, iota(6));
    ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
    EXPECT_EQ(floats(y)[5], -25.0f);
}

// Concat's parts are written in place into the output: they must follow it.
TEST(Modes, OutputOfTheUserTakesPartsWrittenInPlace) {
    NetBuilder net;
    net.input("x", {2, 4});
    net.unary("a", UnaryOpOperation_NEG, "x");
    net.unary("b", UnaryOpOperation_SQUARE, "x");
    net.concat("y", 0, {"a", "b"});
    net.permute("v", {1, 0}, "a");
    net.output("y");
    net.output("v");
    auto interpreter = net.interpreter();
    interpreter->setSessionMode(Interpreter::Session_Output_User);
    Session* session = interpreter->createSession(threads(2));
    ASSERT_NE(session, nullptr);
    for (int round = 0; round < 3; ++round) {
        std::vector<float> y(16, NAN), v(8, NAN);
        interpreter->getSessionOutput(session, "y")->buffer().host = reinterpret_cast<uint8_t*>(y.data());
        interpreter->getSessionOutput(session, "v")->buffer().host = reinterpret_cast<uint8_t*>(v.data());
        if (round == 2) interpreter->resizeSession(session, 1);
        fill(interpreter->getSessionInput(session, "x"), iota(8));
        ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
        EXPECT_EQ(y, (std::vector<float>{0, -1, -2, -3, -4, -5, -6, -7, 0, 1, 4, 9, 16, 25, 36, 49}));
        EXPECT_EQ(v, (std::vector<float>{0, -4, -1, -5, -2, -6, -3, -7}));
    }
}

TEST(Modes, OutputOfTheUserTakesValuesKnownAtResize) {
    NetBuilder net;
    net.input("x", {2, 5});
    net.add(OpType_Shape, "shape", {"x"});
    net.add(OpType_Reshape, "y", {"x", "shape"}, OpParameter_Reshape, new ReshapeT);
    net.output("shape");
    net.output("y");
    auto interpreter = net.interpreter();
    interpreter->setSessionMode(Interpreter::Session_Output_User);
    Session* session = interpreter->createSession(threads(1));
    ASSERT_NE(session, nullptr);
    int32_t mine[2] = {-1, -1};
    interpreter->getSessionOutput(session, "shape")->buffer().host = reinterpret_cast<uint8_t*>(mine);
    ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
    EXPECT_EQ(mine[0], 2);
    EXPECT_EQ(mine[1], 5);
    interpreter->resizeTensor(interpreter->getSessionInput(session, "x"), {3, 7});
    interpreter->resizeSession(session);
    ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
    EXPECT_EQ(mine[0], 3);
    EXPECT_EQ(mine[1], 7);
}

TEST(Modes, ResizeDeferWaits) {
    auto interpreter = negation().interpreter();
    interpreter->setSessionMode(Interpreter::Session_Resize_Defer);
    Session* session = interpreter->createSession(threads(1));
    ASSERT_NE(session, nullptr);
    int status = -1;
    ASSERT_TRUE(interpreter->getSessionInfo(session, Interpreter::RESIZE_STATUS, &status));
    EXPECT_EQ(status, 2);
    {
        Messages log;
        EXPECT_NE(interpreter->runSession(session), NO_ERROR);
        EXPECT_TRUE(log.mention("resizeSession")) << log.text();
    }
    interpreter->resizeSession(session);
    ASSERT_TRUE(interpreter->getSessionInfo(session, Interpreter::RESIZE_STATUS, &status));
    EXPECT_EQ(status, 0);
    fill(interpreter->getSessionInput(session, nullptr), iota(6));
    EXPECT_EQ(interpreter->runSession(session), NO_ERROR);
}

TEST(Callbacks, SeeEachOpSkipAndStop) {
    auto interpreter = negation().interpreter();
    Session* session = interpreter->createSession(threads(1));
    ASSERT_NE(session, nullptr);
    fill(interpreter->getSessionInput(session, "x"), iota(6, 1.0f));
    std::vector<std::string> names;
    TensorCallBackWithInfo before = [&](const std::vector<Tensor*>& inputs, const OperatorInfo* info) {
        EXPECT_EQ(inputs.size(), 1u);
        EXPECT_EQ(info->type(), "UnaryOp");
        EXPECT_GE(info->flops(), 0.0f);
        names.push_back(info->name());
        return true;
    };
    TensorCallBackWithInfo after = [&](const std::vector<Tensor*>& outputs, const OperatorInfo* info) {
        EXPECT_EQ(outputs[0]->shape(), (std::vector<int>{2, 3}));
        names.push_back("after " + info->name());
        return true;
    };
    ASSERT_EQ(interpreter->runSessionWithCallBackInfo(session, before, after), NO_ERROR);
    EXPECT_EQ(names, (std::vector<std::string>{"n", "after n", "y", "after y"}));

    // Skipping `y`: its memory keeps what the caller writes there.
    Tensor* y = interpreter->getSessionOutput(session, "y");
    TensorCallBack skip = [&](const std::vector<Tensor*>&, const std::string& name) {
        if (name == "y") std::fill_n(y->host<float>(), 6, 7.0f);
        return name != "y";
    };
    ASSERT_EQ(interpreter->runSessionWithCallBack(session, skip, nullptr), NO_ERROR);
    EXPECT_EQ(floats(y), std::vector<float>(6, 7.0f));

    TensorCallBack stop = [&](const std::vector<Tensor*>&, const std::string& name) { return name != "n"; };
    EXPECT_EQ(interpreter->runSessionWithCallBack(session, nullptr, stop), CALL_BACK_STOP);
    EXPECT_EQ(floats(y), std::vector<float>(6, 7.0f));
    ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
    EXPECT_EQ(floats(y)[1], -4.0f);
}

TEST(Callbacks, AreNotCalledInReleaseMode) {
    auto interpreter = negation().interpreter();
    interpreter->setSessionMode(Interpreter::Session_Release);
    Session* session = interpreter->createSession(threads(1));
    ASSERT_NE(session, nullptr);
    fill(interpreter->getSessionInput(session, "x"), iota(6));
    int calls = 0;
    TensorCallBack count = [&](const std::vector<Tensor*>&, const std::string&) { return ++calls > 0; };
    ASSERT_EQ(interpreter->runSessionWithCallBack(session, count, count), NO_ERROR);
    EXPECT_EQ(calls, 0);
}

TEST(ReleaseModel, SessionsGoOnAndNewOnesAreRefused) {
    NetBuilder net;
    smallImageNet(&net);
    auto interpreter = net.interpreter();
    Session* session = interpreter->createSession(threads(1));
    ASSERT_NE(session, nullptr);
    fill(interpreter->getSessionInput(session, "x"), wave(192));
    ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
    const std::vector<float> y = floats(interpreter->getSessionOutput(session, "y"));
    EXPECT_NE(interpreter->getModelBuffer().first, nullptr);
    interpreter->releaseModel();
    interpreter->releaseModel();
    EXPECT_EQ(interpreter->getModelBuffer().first, nullptr);
    ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
    EXPECT_EQ(floats(interpreter->getSessionOutput(session, "y")), y);
    interpreter->resizeTensor(interpreter->getSessionInput(session, "x"), {2, 3, 4, 4});
    interpreter->resizeSession(session);
    fill(interpreter->getSessionInput(session, "x"), wave(96));
    ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
    Messages log;
    EXPECT_EQ(interpreter->createSession(threads(1)), nullptr);
    EXPECT_TRUE(log.mention("released")) << log.text();
    EXPECT_TRUE(interpreter->releaseSession(session));
    EXPECT_FALSE(interpreter->releaseSession(session));
}

TEST(SessionInfo, TellsTheTruth) {
    NetBuilder net;
    smallImageNet(&net);
    auto interpreter = net.interpreter();
    Session* session = interpreter->createSession(threads(1));
    ASSERT_NE(session, nullptr);
    float memory = 0.0f, flops = 0.0f;
    int backend = -1, count = 0, status = -1;
    ASSERT_TRUE(interpreter->getSessionInfo(session, Interpreter::MEMORY, &memory));
    ASSERT_TRUE(interpreter->getSessionInfo(session, Interpreter::FLOPS, &flops));
    ASSERT_TRUE(interpreter->getSessionInfo(session, Interpreter::BACKENDS, &backend));
    ASSERT_TRUE(interpreter->getSessionInfo(session, Interpreter::THREAD_NUMBER, &count));
    ASSERT_TRUE(interpreter->getSessionInfo(session, Interpreter::RESIZE_STATUS, &status));
    EXPECT_GT(memory, 0.0f);
    EXPECT_LT(memory, 1.0f);
    // Two per multiply-add of the three convolutions, in millions; the rest is small.
    const float convolutions = 2e-6f * (64 * 6 * 27 + 64 * 36 + 16 * 4 * 108);
    EXPECT_GE(flops, convolutions * 0.99f);
    EXPECT_LE(flops, convolutions * 1.2f);
    EXPECT_EQ(backend, MNN_FORWARD_CPU);
    EXPECT_EQ(count, 1);
    EXPECT_EQ(status, 0);
    EXPECT_FALSE(interpreter->getSessionInfo(session, Interpreter::MEMORY, nullptr));
    EXPECT_FALSE(interpreter->getSessionInfo(session, Interpreter::ALL, &memory));
    EXPECT_FALSE(interpreter->getSessionInfo(nullptr, Interpreter::MEMORY, &memory));
}

TEST(NullArguments, AreRefused) {
    auto interpreter = negation().interpreter();
    EXPECT_EQ(interpreter->runSession(nullptr), INVALID_VALUE);
    EXPECT_EQ(interpreter->getSessionInput(nullptr, "x"), nullptr);
    EXPECT_EQ(interpreter->getSessionOutput(nullptr, "x"), nullptr);
    EXPECT_TRUE(interpreter->getSessionOutputAll(nullptr).empty());
    interpreter->resizeTensor(nullptr, {1});
    interpreter->resizeSession(nullptr);
    EXPECT_EQ(interpreter->getBackend(nullptr, nullptr), nullptr);
}

}  // namespace
