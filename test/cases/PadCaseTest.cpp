// Case C05: pads that cut, mirror or repeat, given by the file or at run time.
#include "OnnxBuilder.hpp"

namespace {

using namespace cases;

// Pads in the file when `fixed`, else as the graph input "p".
TestModel pad(const char* mode, const std::vector<int64_t>& shape, const std::vector<int64_t>& pads, bool fixed) {
    TestModel m(13);
    m.input("x", shape).output("y");
    if (fixed)
        m.ints("p", pads);
    else
        m.input("p", {static_cast<int64_t>(pads.size())}, onnx::TensorProto::INT64);
    attr(m.node("Pad", {"x", "p"}, {"y"}), "mode", mode);
    return m;
}

struct Case {
    const char* mode;
    Data x;
    std::vector<int64_t> pads;
    Data want;
};

void check(const Case& c) {
    const std::vector<int64_t> shape(c.x.shape.begin(), c.x.shape.end());
    for (bool fixed : {true, false}) {
        SCOPED_TRACE(std::string(c.mode) + (fixed ? ", constant pads" : ", pads at run time"));
        Named in{{"x", c.x}};
        if (!fixed) in["p"] = {{static_cast<int>(c.pads.size())}, std::vector<double>(c.pads.begin(), c.pads.end())};
        expectOutputs(pad(c.mode, shape, c.pads, fixed), in, {{"y", c.want}});
    }
}

TEST(CaseC05, Constant) {
    check({"constant", ramp({1, 1, 6}), {0, 0, -1, 0, 0, 1}, data({1, 1, 6}, {1, 2, 3, 4, 5, 0})});
    check({"constant", ramp({2, 2}, 1), {1, 0, 0, 1}, data({3, 3}, {0, 0, 0, 1, 2, 0, 3, 4, 0})});
}

TEST(CaseC05, ReflectOneRow) {
    check({"reflect", ramp({3, 4}), {1, 0, 0, 0}, data({4, 4}, {4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})});
    check({"reflect", ramp({1, 5}), {0, 4, 0, 4}, data({1, 13}, {4, 3, 2, 1, 0, 1, 2, 3, 4, 3, 2, 1, 0})});
}

TEST(CaseC05, Edge) {
    check({"edge", ramp({2, 3}), {1, 2, 0, 1}, data({3, 6}, {0, 0, 0, 1, 2, 2, 0, 0, 0, 1, 2, 2, 3, 3, 3, 4, 5, 5})});
    check({"edge", ramp({1, 4}), {0, -1, 0, 2}, data({1, 5}, {1, 2, 3, 3, 3})});
}

// A refusal, or the mirror image going back and forth; never zeros.
void refusedOr(const Case& c) {
    const std::vector<int64_t> shape(c.x.shape.begin(), c.x.shape.end());
    for (bool fixed : {true, false}) {
        SCOPED_TRACE(fixed ? "constant pads" : "pads at run time");
        Messages log;
        const TestModel m = pad(c.mode, shape, c.pads, fixed);
        Named in{{"x", c.x}};
        if (!fixed) in["p"] = {{static_cast<int>(c.pads.size())}, std::vector<double>(c.pads.begin(), c.pads.end())};
        std::vector<uint8_t> bytes;
        try {
            bytes = convert(m, kDefaultLevel);
        } catch (const ConvertError& error) {
            EXPECT_NE(std::string(error.what()).find("Pad"), std::string::npos) << error.what();
            continue;
        }
        const Engine engine(bytes);
        if (!engine.ready() || engine.run(in) != MNN::NO_ERROR) {
            EXPECT_TRUE(log.mention("'y'") || log.mention("Pad")) << log.text();
            continue;
        }
        expectNear(engine.get("y"), c.want);
    }
}

TEST(CaseC05, ReflectWiderThanTheAxis) {
    refusedOr({"reflect",
               data({3, 2}, {1.0, 1.2, 2.3, 3.4, 4.5, 5.7}),
               {0, 2, 0, 0},
               data({3, 4}, {1.0, 1.2, 1.0, 1.2, 2.3, 3.4, 2.3, 3.4, 4.5, 5.7, 4.5, 5.7})});
}

TEST(CaseC05, ReflectAfterCutting) {
    // Four of five elements are cut off before the one that is left is mirrored.
    refusedOr({"reflect", ramp({1, 5}), {0, -4, 0, 4}, data({1, 5}, {4, 3, 2, 1, 0})});
    refusedOr({"reflect", ramp({1, 5}), {0, 4, 0, -4}, data({1, 5}, {4, 3, 2, 1, 0})});
}

}  // namespace
