// ConvertTensor ops around what MNN computes in blocks of channels alone.
#include "NetTools.hpp"
#include "gtest/gtest.h"

using namespace MNN;
using namespace MNN::Converter;

namespace {

TestModel normOf(bool afterConvolution) {
    TestModel m(13);
    m.input("x", {1, 3, 4, 4}).output("y");
    for (const char* name : {"scale", "variance"}) m.weight(name, {3}, {0.5f, 1, 2});
    for (const char* name : {"bias", "mean"}) m.weight(name, {3}, {0.1f, 0, -1});
    if (afterConvolution) m.weight("w", {3, 3, 1, 1}, wave(9)).node("Conv", {"x", "w"}, {"c"});
    m.node("BatchNormalization", {afterConvolution ? "c" : "x", "scale", "bias", "mean", "variance"}, {"y"});
    return m;
}

std::unique_ptr<NetT> netOf(TestModel m) {
    Graph graph = m.import();
    return toNet(graph, WriteOptions());
}

}  // namespace

TEST(PackedOps, ScaleGetsBlocksOfChannels) {
    EXPECT_EQ(typesOf(*netOf(normOf(false))), "ConvertTensor Scale ConvertTensor ");
    EXPECT_EQ(typesOf(*netOf(normOf(true))), "Convolution ConvertTensor Scale ConvertTensor ");
}

TEST(PackedOps, TheOutputKeepsItsNameAndItsValues) {
    const auto net = netOf(normOf(false));
    EXPECT_EQ(net->outputName, std::vector<std::string>{"y"});
    const OpT& last = *net->oplists.back();
    EXPECT_EQ(net->tensorName[static_cast<size_t>(last.outputIndexes[0])], "y");
    EXPECT_EQ(last.main.AsTensorConvertInfo()->source, MNN_DATA_FORMAT_NC4HW4);
    EXPECT_EQ(last.main.AsTensorConvertInfo()->dest, MNN_DATA_FORMAT_NCHW);
    const std::vector<float> got = runNet(*net, {1, 3, 4, 4}), x = wave(48);
    ASSERT_EQ(got.size(), 48u);
    const float scale[] = {0.5f, 1, 2}, bias[] = {0.1f, 0, -1};
    for (size_t i = 0; i < 48; ++i) {
        const size_t c = i / 16;
        EXPECT_NEAR(got[i], (x[i] - bias[c]) / std::sqrt(scale[c] + 1e-5f) * scale[c] + bias[c], 1e-5f);
    }
}

TEST(PackedOps, SlopesOfPReLUToo) {
    TestModel m(13);
    m.input("x", {1, 2, 3, 3}).output("y").weight("slope", {2, 1, 1}, {0.25f, 0.5f});
    m.node("PRelu", {"x", "slope"}, {"y"});
    const auto net = netOf(std::move(m));
    EXPECT_EQ(typesOf(*net), "ConvertTensor PReLU ConvertTensor ");
    const std::vector<float> got = runNet(*net, {1, 2, 3, 3}), x = wave(18);
    ASSERT_EQ(got.size(), 18u);
    for (size_t i = 0; i < 18; ++i) EXPECT_FLOAT_EQ(got[i], x[i] < 0 ? x[i] * (i < 9 ? 0.25f : 0.5f) : x[i]);
}
