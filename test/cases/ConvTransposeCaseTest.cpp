// Case C03: auto_pad and output_padding of ConvTranspose.
#include "OnnxBuilder.hpp"

namespace {

using namespace cases;

struct Setup {
    const char* autoPad;
    int stride, outputPadding;
    std::vector<int64_t> pads;
};

// Ones [1,1,5,5] under a 3x3 kernel of ones.
TestModel ones(const Setup& s) {
    TestModel m(11);
    m.input("x", {1, 1, 5, 5}).output("y").weight("w", {1, 1, 3, 3}, std::vector<float>(9, 1.0f));
    auto* node = m.node("ConvTranspose", {"x", "w"}, {"y"});
    if (*s.autoPad) attr(node, "auto_pad", s.autoPad);
    if (!s.pads.empty()) attr(node, "pads", s.pads);
    attr(node, "strides", std::vector<int64_t>{s.stride, s.stride});
    if (s.outputPadding > 0) attr(node, "output_padding", std::vector<int64_t>{s.outputPadding, s.outputPadding});
    return m;
}

// With ones everywhere each result is the product of how many taps meet in its row and in its column.
void expectTaps(const Setup& s, const std::vector<double>& taps) {
    SCOPED_TRACE(std::string(s.autoPad) + " stride " + std::to_string(s.stride));
    const int n = static_cast<int>(taps.size());
    Data want{{1, 1, n, n}, {}};
    for (double row : taps) {
        for (double column : taps) want.values.push_back(row * column);
    }
    expectOutputs(ones(s), {{"x", filled({1, 1, 5, 5}, 1)}}, {{"y", want}});
}

TEST(CaseC03, SameUpper) {
    expectTaps({"SAME_UPPER", 2, 0, {}}, {1, 1, 2, 1, 2, 1, 2, 1, 2, 1});
    expectTaps({"SAME_UPPER", 1, 0, {}}, {2, 3, 3, 3, 2});
}

TEST(CaseC03, SameLowerPutsTheOddPadAtTheStart) {
    expectTaps({"SAME_LOWER", 2, 0, {}}, {1, 2, 1, 2, 1, 2, 1, 2, 1, 1});
    expectTaps({"SAME_LOWER", 1, 0, {}}, {2, 3, 3, 3, 2});
}

TEST(CaseC03, OutputPadding) {
    expectTaps({"", 2, 1, {}}, {1, 1, 2, 1, 2, 1, 2, 1, 2, 1, 1, 0});
    expectTaps({"", 2, 1, {1, 1, 1, 1}}, {1, 2, 1, 2, 1, 2, 1, 2, 1, 1});
    expectTaps({"SAME_UPPER", 2, 1, {}}, {1, 2, 1, 2, 1, 2, 1, 2, 1, 1});
    expectTaps({"SAME_LOWER", 2, 1, {}}, {1, 2, 1, 2, 1, 2, 1, 2, 1, 1});
}

TEST(CaseC03, ValidAndOutputShape) {
    expectTaps({"VALID", 2, 0, {}}, {1, 1, 2, 1, 2, 1, 2, 1, 2, 1, 1});
    TestModel m = ones({"", 2, 0, {}});
    attr(m.graph()->mutable_node(0), "output_shape", std::vector<int64_t>{9, 9});
    everyWay(m, {{"x", filled({1, 1, 5, 5}, 1)}}, [](const Engine& engine) {
        const Data y = engine.get("y");
        EXPECT_EQ(y.shape, (std::vector<int>{1, 1, 9, 9}));
        EXPECT_EQ(std::vector<double>(y.values.begin(), y.values.begin() + 9),
                  (std::vector<double>{1, 2, 1, 2, 1, 2, 1, 2, 1}));
    });
}

}  // namespace
