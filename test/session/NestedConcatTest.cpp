// Concats of concats write each part once, where the outermost one wants it, and give what copies give.
#include <random>

#include "SessionTools.hpp"
#include "session/Session.hpp"

namespace {

using namespace session_test;
using session_test::NetBuilder;

struct Ran {
    std::map<std::string, std::vector<float>> outputs;
    int rasters = 0;
};

Ran run(NetBuilder& net, bool copied, int count) {
    Ran ran;
    auto interpreter = net.interpreter();
    if (copied) {
        interpreter->setSessionHint(Interpreter::GEOMETRY_COMPUTE_MASK,
                                    Interpreter::GEOMETRCOMPUTEMASK_ALL & ~Interpreter::GEOMETRCOMPUTEMASK_FUSEREGION);
    }
    Session* session = interpreter->createSession(threads(count));
    EXPECT_NE(session, nullptr);
    if (session == nullptr) return ran;
    // Twice: what the first run left in memory must not matter.
    for (float phase : {1.0f, 0.0f}) {
        Tensor* x = interpreter->getSessionInput(session, "x");
        fill(x, wave(x->elementSize(), phase));
        EXPECT_EQ(interpreter->runSession(session), NO_ERROR);
    }
    for (const auto& output : interpreter->getSessionOutputAll(session))
        ran.outputs[output.first] = floats(output.second);
    for (const Step& step : session->pipelines()[0]->steps(0)) {
        ran.rasters += step.kind == Step::Kind::Execute && step.command->op->type() == OpType_Raster;
    }
    return ran;
}

std::string convolved(NetBuilder* net, const std::string& name, const std::string& x, int inputs, int outputs) {
    return net->convolution(name, x, inputs, outputs, 1, 0, 1, wave(inputs * outputs, static_cast<float>(inputs)),
                            wave(outputs));
}

// As a dense block: every layer reads all that came before it, joined.
NetBuilder denseBlock(int layers, int first, int growth, int batch) {
    NetBuilder net;
    net.input("x", {batch, 3, 5, 4});
    std::string all = convolved(&net, "first", "x", 3, first);
    int channels = first;
    for (int i = 0; i < layers; ++i) {
        const std::string n = std::to_string(i);
        net.unary("act" + n, UnaryOpOperation_SIGMOID, all);
        convolved(&net, "part" + n, "act" + n, channels, growth);
        all = net.concat("all" + n, 1, {all, "part" + n});
        channels += growth;
    }
    net.unary("y", UnaryOpOperation_TANH, all);
    net.output("y");
    return net;
}

void expectSame(const Ran& got, const Ran& want) {
    ASSERT_EQ(got.outputs.size(), want.outputs.size());
    for (const auto& output : want.outputs) EXPECT_EQ(got.outputs.at(output.first), output.second) << output.first;
}

TEST(NestedConcat, ADenseBlockCopiesNothing) {
    NetBuilder net = denseBlock(6, 32, 16, 1);
    const Ran nested = run(net, false, 2);
    expectSame(nested, run(net, true, 2));
    // The input alone changes its layout, and the output.
    EXPECT_LE(nested.rasters, 2);
}

TEST(NestedConcat, PartsThatDoNotLieInOnePieceAreCopied) {
    for (const auto& sizes : {std::pair<int, int>{5, 3}, {16, 7}, {3, 16}}) {
        NetBuilder net = denseBlock(4, sizes.first, sizes.second, 1);
        expectSame(run(net, false, 1), run(net, true, 1));
    }
    NetBuilder batches = denseBlock(4, 16, 16, 3);
    expectSame(run(batches, false, 2), run(batches, true, 2));
}

// Any mix of concats of earlier values, twice the same, inputs and outputs among them.
NetBuilder randomNet(uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<uint32_t>(n)); };
    const bool image = below(2) != 0;
    const int batch = 1 + below(4) / 3;
    NetBuilder net;
    net.input("x", image ? std::vector<int>{batch, 8, 3, 2} : std::vector<int>{batch, 8});
    std::vector<std::pair<std::string, int>> values = {{"x", 8}};
    const int steps = 4 + below(9);
    for (int i = 0; i < steps; ++i) {
        const std::string name = "v" + std::to_string(i);
        const auto a = values[static_cast<size_t>(below(static_cast<int>(values.size())))];
        const int kind = below(5);
        if (kind == 0) {
            values.push_back({net.unary(name, UnaryOpOperation_SIGMOID, a.first), a.second});
        } else if (kind == 1 && image) {
            values.push_back({convolved(&net, name, a.first, a.second, 16), 16});
        } else {
            std::vector<std::string> parts = {a.first};
            int channels = a.second;
            for (int more = 1 + below(2); more > 0; --more) {
                const auto b = values[static_cast<size_t>(below(static_cast<int>(values.size())))];
                if (channels + b.second > 200) continue;
                parts.push_back(b.first);
                channels += b.second;
            }
            values.push_back({net.concat(name, 1, parts), channels});
            // A reader that wants the joined tensor whole.
            if (below(2)) net.output(net.unary(name + "_read", UnaryOpOperation_NEG, name));
        }
        if (below(4) == 0) net.output(name);
    }
    net.output(net.unary("y", UnaryOpOperation_SQUARE, values.back().first));
    return net;
}

TEST(NestedConcat, RandomNetsGiveWhatCopiesGive) {
    for (uint32_t seed = 0; seed < 150; ++seed) {
        SCOPED_TRACE(seed);
        NetBuilder net = randomNet(seed);
        expectSame(run(net, false, 1), run(net, true, 1));
        if (testing::Test::HasFailure()) return;
    }
}

TEST(NestedConcat, AnInnerOneThatIsAnOutputStaysTheCallers) {
    NetBuilder net;
    net.input("x", {1, 8});
    net.unary("a", UnaryOpOperation_NEG, "x");
    net.unary("b", UnaryOpOperation_SQUARE, "x");
    net.concat("inner", 1, {"a", "b"});
    net.unary("c", UnaryOpOperation_ABS, "inner");
    net.concat("outer", 1, {"inner", "c"});
    net.output("inner");
    net.output("outer");
    auto interpreter = net.interpreter();
    interpreter->setSessionMode(Interpreter::Session_Output_User);
    Session* session = interpreter->createSession(threads(1));
    ASSERT_NE(session, nullptr);
    std::vector<float> inner(16, NAN), outer(32, NAN);
    interpreter->getSessionOutput(session, "inner")->buffer().host = reinterpret_cast<uint8_t*>(inner.data());
    interpreter->getSessionOutput(session, "outer")->buffer().host = reinterpret_cast<uint8_t*>(outer.data());
    fill(interpreter->getSessionInput(session, "x"), iota(8));
    ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
    for (size_t i = 0; i < 8; ++i) {
        const float v = static_cast<float>(i);
        EXPECT_EQ(inner[i], -v);
        EXPECT_EQ(inner[8 + i], v * v);
        EXPECT_EQ(outer[i], -v);
        EXPECT_EQ(outer[8 + i], v * v);
        EXPECT_EQ(outer[16 + i], v);
        EXPECT_EQ(outer[24 + i], v * v);
    }
}

}  // namespace
