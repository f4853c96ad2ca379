// Case C07: slices from the ends of the integer range, backwards, at run time, empty, and the "focus" block.
#include "OnnxBuilder.hpp"

namespace {

using namespace cases;

using Ints = std::vector<int64_t>;

struct Case {
    Ints starts, ends, axes, steps;
    Data want;
};

TestModel slice(const Ints& shape, const Case& c, bool fixed) {
    TestModel m(13);
    m.input("x", shape).output("y").ints("axes", c.axes).ints("steps", c.steps);
    for (const auto& range : {std::make_pair("starts", c.starts), std::make_pair("ends", c.ends)}) {
        if (fixed)
            m.ints(range.first, range.second);
        else
            m.input(range.first, {static_cast<int64_t>(range.second.size())}, onnx::TensorProto::INT64);
    }
    m.node("Slice", {"x", "starts", "ends", "axes", "steps"}, {"y"});
    return m;
}

// The engine holds indices in 32 bits; beyond them a bound means "to the end", as it does in 64.
Data indices(const Ints& values) {
    Data d{{static_cast<int>(values.size())}, {}};
    for (int64_t v : values)
        d.values.push_back(static_cast<double>(std::min<int64_t>(std::max<int64_t>(v, INT32_MIN), INT32_MAX)));
    return d;
}

void check(const Data& x, const Case& c) {
    const Ints shape(x.shape.begin(), x.shape.end());
    for (bool fixed : {true, false}) {
        SCOPED_TRACE(fixed ? "constant" : "run time");
        Named in{{"x", x}};
        if (!fixed) {
            in["starts"] = indices(c.starts);
            in["ends"] = indices(c.ends);
        }
        expectOutputs(slice(shape, c, fixed), in, {{"y", c.want}});
    }
}

TEST(CaseC07, EndsOfTheIntegerRange) {
    const Data x = ramp({1, 2, 5});
    check(x, {{-1}, {INT64_MIN}, {2}, {-1}, data({1, 2, 5}, {4, 3, 2, 1, 0, 9, 8, 7, 6, 5})});
    check(x, {{1}, {INT64_MAX}, {2}, {2}, data({1, 2, 2}, {1, 3, 6, 8})});
    check(x, {{INT64_MIN}, {INT64_MAX}, {-2}, {1}, x});
    check(x, {{INT64_MAX}, {INT64_MIN}, {2}, {-2}, data({1, 2, 3}, {4, 2, 0, 9, 7, 5})});
}

TEST(CaseC07, NegativeAxesAndEmptyRange) {
    const Data x = ramp({1, 2, 5});
    check(x, {{1, -2}, {2, 5}, {-2, -1}, {1, 1}, data({1, 1, 2}, {8, 9})});
    check(x, {{3}, {3}, {-1}, {1}, data({1, 2, 0}, {})});
    check(x, {{4}, {1}, {2}, {1}, data({1, 2, 0}, {})});
    check(x, {{7}, {9}, {2}, {1}, data({1, 2, 0}, {})});
}

TEST(CaseC07, FourStridedSlicesJoined) {
    TestModel m(13);
    m.input("x", {1, 3, 4, 6})
        .output("y")
        .ints("end", {INT64_MAX, INT64_MAX})
        .ints("axes", {2, 3})
        .ints("step", {2, 2});
    std::vector<std::string> parts;
    const Data x = ramp({1, 3, 4, 6});
    Data want{{1, 12, 2, 3}, {}};
    for (const auto& start : {Ints{0, 0}, Ints{1, 0}, Ints{0, 1}, Ints{1, 1}}) {
        const std::string name = "part" + std::to_string(parts.size());
        m.ints(name + "_start", start);
        m.node("Slice", {"x", name + "_start", "end", "axes", "step"}, {name});
        parts.push_back(name);
        for (int c = 0; c < 3; ++c) {
            for (int64_t h = start[0]; h < 4; h += 2) {
                for (int64_t w = start[1]; w < 6; w += 2)
                    want.values.push_back(x.values[static_cast<size_t>((c * 4 + h) * 6 + w)]);
            }
        }
    }
    attr(m.node("Concat", parts, {"y"}), "axis", int64_t(1));
    expectOutputs(m, {{"x", x}}, {{"y", want}});
}

}  // namespace
