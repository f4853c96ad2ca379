// Random graphs of device ops, CPU ops and views give what a session on the CPU alone gives, at every size, and no
// kernel ever sees memory that is not leased to it.
#include <gtest/gtest.h>
#include <random>
#include "ExampleTest.hpp"

namespace {

using namespace example_test;
using example_test::NetBuilder;

class GraphMaker {
public:
    explicit GraphMaker(uint32_t seed) : mRandom(seed) {}

    // Shapes are [n, 4] and [n, 8] with any n, or their transposes rows last.
    void make(NetBuilder* net) {
        net->input("x", {3, 4});
        net->input("w", {3, 4});
        net->constant("k", {4}, {0.5f, -1.0f, 2.0f, 3.0f});
        mNames = {"x", "w"};
        const int count = 4 + pick(20);
        for (int i = 0; i < count; ++i) addOne(net, "t" + std::to_string(i));
        net->output(mNames.back());
        net->output(mNames[mNames.size() / 2]);
    }

private:
    int pick(int n) { return static_cast<int>(mRandom() % n); }
    const std::string& any() { return mNames[pick(static_cast<int>(mNames.size()))]; }

    void addOne(NetBuilder* net, const std::string& name) {
        const std::string a = any(), b = any();
        switch (pick(9)) {
            case 0:
                net->unary(name, UnaryOpOperation_NEG, a);
                break;
            case 1:
                net->unary(name, UnaryOpOperation_ABS, a);
                break;
            case 2:
                net->unary(name, UnaryOpOperation_SIGN, a);
                break;
            case 3:
                net->binary(name, BinaryOpOperation_ADD, a, b);
                break;
            case 4:
                net->binary(name, BinaryOpOperation_MINIMUM, a, b);
                break;
            case 5:
                net->binary(name, BinaryOpOperation_MUL, a, "k");
                break;
            case 6: {  // a flip of two halves of the last axis: [n,4] -> [n,2,2] -> swap -> [n,4]
                net->reshape(name + "_r", {-1, 2, 2}, a);
                net->permute(name + "_p", {0, 2, 1}, name + "_r");
                net->reshape(name, {-1, 4}, name + "_p");
                break;
            }
            case 7: {  // joined twice, then folded back by a maximum over halves
                net->concat(name + "_c", 1, {a, b});
                net->unary(name + "_u", pick(2) != 0 ? UnaryOpOperation_NEG : UnaryOpOperation_SIGN, name + "_c");
                net->reshape(name + "_r", {-1, 2, 4}, name + "_u");
                net->permute(name + "_p", {1, 0, 2}, name + "_r");
                net->reshape(name + "_f", {2, -1}, name + "_p");
                net->concat(name + "_d", 0, {name + "_f", name + "_f"});
                net->reshape(name + "_g", {4, -1}, name + "_d");
                net->permute(name + "_h", {1, 0}, name + "_g");
                net->binary(name, BinaryOpOperation_MAXIMUM, a, b);
                net->binary(name + "_m", BinaryOpOperation_MAXIMUM, name + "_h", "k");
                net->output(name + "_m");
                break;
            }
            default:
                net->binary(name, BinaryOpOperation_SUB, a, b);
                break;
        }
        mNames.push_back(name);
    }

    std::mt19937 mRandom;
    std::vector<std::string> mNames;
};

class RandomGraph : public ::testing::TestWithParam<uint32_t> {};

TEST_P(RandomGraph, EqualsTheCpuAtEverySize) {
    NetBuilder net;
    GraphMaker(GetParam()).make(&net);
    Device d(net);
    ASSERT_NE(d.session, nullptr);
    auto reference = net.interpreter();
    ScheduleConfig config;
    config.numThread = 1;
    Session* session = reference->createSession(config);
    ASSERT_NE(session, nullptr);
    for (int n : {3, 5, 1, 8, 3}) {
        for (const char* name : {"x", "w"}) {
            d.interpreter->resizeTensor(d.input(name), {n, 4});
            reference->resizeTensor(reference->getSessionInput(session, name), {n, 4});
        }
        d.interpreter->resizeSession(d.session);
        reference->resizeSession(session);
        for (const char* name : {"x", "w"}) {
            const std::vector<float> values = iota(n * 4, name[0] == 'x' ? -3.0f : 2.5f);
            fill(d.input(name), values);
            fill(reference->getSessionInput(session, name), values);
        }
        for (int run = 0; run < 2; ++run) {
            ASSERT_EQ(d.run(), NO_ERROR);
            ASSERT_EQ(reference->runSession(session), NO_ERROR);
            for (const auto& output : d.interpreter->getSessionOutputAll(d.session)) {
                EXPECT_EQ(floats(output.second), floats(reference->getSessionOutput(session, output.first.c_str())))
                    << "output " << output.first << " at " << n << " rows";
            }
        }
    }
    d.expectSound();
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraph, ::testing::Range(0u, 60u));

// Image ops of the CPU between packed element-wise ops of the device.
TEST(ExampleImages, ConvolutionsFallBackBetweenDeviceOps) {
    NetBuilder net;
    net.input("x", {1, 3, 6, 5});
    net.unary("n", UnaryOpOperation_NEG, "x");
    net.convolution("c1", "n", 3, 6, 3, 1, 1, std::vector<float>(6 * 3 * 9, 0.25f), std::vector<float>(6, 1.0f));
    net.unary("s", UnaryOpOperation_SQUARE, "c1");
    net.binary("a", BinaryOpOperation_ADD, "s", "c1");
    net.convolution("c2", "a", 6, 2, 1, 0, 1, std::vector<float>(12, 0.5f), std::vector<float>(2, 0.0f));
    net.permute("y", {0, 2, 3, 1}, "c2");
    net.output("y");
    Device d(net);
    ASSERT_NE(d.session, nullptr);
    auto reference = net.interpreter();
    Session* session = reference->createSession(ScheduleConfig());
    for (int height : {6, 9, 2}) {
        d.interpreter->resizeTensor(d.input("x"), {1, 3, height, 5});
        d.interpreter->resizeSession(d.session);
        Tensor* x = reference->getSessionInput(session, "x");
        reference->resizeTensor(x, {1, 3, height, 5});
        reference->resizeSession(session);
        fill(d.input("x"), iota(15 * height));
        fill(x, iota(15 * height));
        d.clear();
        ASSERT_EQ(d.run(), NO_ERROR);
        EXPECT_LE(d.counters().copies(), 3);
        ASSERT_EQ(reference->runSession(session), NO_ERROR);
        const std::vector<float> have = floats(d.output("y")), want = floats(reference->getSessionOutput(session, "y"));
        ASSERT_EQ(have.size(), want.size());
        for (size_t i = 0; i < want.size(); ++i)
            ASSERT_NEAR(have[i], want[i], 1e-4f * std::max(1.0f, std::abs(want[i]))) << i;
    }
    d.expectSound();
}

}  // namespace
