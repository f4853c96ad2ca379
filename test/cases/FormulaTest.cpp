// Ops that the converter writes as formulas over others, where sizes or values only come at run time.
#include "OnnxBuilder.hpp"

namespace {

using namespace cases;

constexpr int kInt64 = onnx::TensorProto::INT64;

// Pieces of `each` elements of x, whose length the file does not say: their number, and the one at the input "at".
TEST(Sequence, EvenPiecesOfAnUnknownLength) {
    for (bool fixed : {true, false}) {
        TestModel m(12);
        m.input("x", {2, -1}).input("at", {}, kInt64).output("n").output("piece").output("all");
        if (fixed)
            m.ints("each", {3}, true);
        else
            m.input("each", {}, kInt64);
        attr(m.node("SplitToSequence", {"x", "each"}, {"s"}), "axis", int64_t(1));
        m.node("SequenceLength", {"s"}, {"n"});
        m.node("SequenceAt", {"s", "at"}, {"piece"});
        attr(m.node("ConcatFromSequence", {"s"}, {"joined"}), "axis", int64_t(1));
        m.node("Neg", {"joined"}, {"all"});
        Data all = ramp({2, 7});
        for (double& v : all.values) v = -v;
        struct Row {
            double at;
            Data piece;
        };
        for (const Row& row : {Row{0, data({2, 3}, {0, 1, 2, 7, 8, 9})}, Row{2, data({2, 1}, {6, 13})},
                               Row{-1, data({2, 1}, {6, 13})}, Row{-3, data({2, 3}, {0, 1, 2, 7, 8, 9})}}) {
            SCOPED_TRACE(row.at);
            Named in{{"x", ramp({2, 7})}, {"at", data({}, {row.at})}};
            if (!fixed) in["each"] = data({}, {3});
            expectOutputs(m, in, {{"n", data({}, {3})}, {"piece", row.piece}, {"all", all}});
        }
    }
}

TEST(Sequence, SinglesWithoutTheirAxis) {
    TestModel m(12);
    m.input("x", {-1, 2}).input("at", {}, kInt64).output("n").output("row");
    attr(m.node("SplitToSequence", {"x"}, {"s"}), "keepdims", int64_t(0));
    m.node("SequenceLength", {"s"}, {"n"});
    m.node("SequenceAt", {"s", "at"}, {"row"});
    expectOutputs(m, {{"x", ramp({5, 2})}, {"at", data({}, {3})}}, {{"n", data({}, {5})}, {"row", data({2}, {6, 7})}});
}

TEST(Sequence, SizesAtRunTime) {
    TestModel m(12);
    m.input("x", {-1})
        .input("sizes", {3}, kInt64)
        .output("n")
        .output("a")
        .output("c")
        .ints("first", {0}, true)
        .ints("last", {-1}, true);
    m.node("SplitToSequence", {"x", "sizes"}, {"s"});
    m.node("SequenceLength", {"s"}, {"n"});
    m.node("SequenceAt", {"s", "first"}, {"a"});
    m.node("SequenceAt", {"s", "last"}, {"c"});
    expectOutputs(m, {{"x", ramp({6})}, {"sizes", data({3}, {2, 0, 4})}},
                  {{"n", data({}, {3})}, {"a", data({2}, {0, 1})}, {"c", data({4}, {2, 3, 4, 5})}});
}

TEST(Sequence, RefusesSizesThatDoNotAddUp) {
    TestModel m(12);
    m.input("x", {6}).output("n").ints("sizes", {2, 3});
    m.node("SplitToSequence", {"x", "sizes"}, {"s"});
    m.node("SequenceLength", {"s"}, {"n"});
    EXPECT_NE(m.failure().find("add up to 5"), std::string::npos) << m.failure();
}

TestModel grams(const char* mode, std::vector<int64_t> shape, int64_t shortest, int64_t longest, int64_t skips,
                bool weighted) {
    TestModel m(9);
    m.input("x", std::move(shape), kInt64).output("y");
    auto* node = m.node("TfIdfVectorizer", {"x"}, {"y"});
    attr(node, "mode", mode);
    attr(node, "min_gram_length", shortest);
    attr(node, "max_gram_length", longest);
    attr(node, "max_skip_count", skips);
    attr(node, "ngram_counts", std::vector<int64_t>{0, 2});
    attr(node, "ngram_indexes", std::vector<int64_t>{2, 0, 1, 4});
    attr(node, "pool_int64s", std::vector<int64_t>{2, 3, 2, 3, 3, 3});
    if (weighted) {
        auto* weights = attribute(node, "weights", onnx::AttributeProto::FLOATS);
        for (float w : {1.0f, 2.0f, 3.0f, 4.0f}) weights->add_floats(w);
    }
    return m;
}

TEST(NGrams, CountsWithSkips) {
    // 2 3 3 3: one 2, three 3s; "2 3" once, "3 3" twice side by side; with one between them each once more.
    const Named in{{"x", data({4}, {2, 3, 3, 3})}};
    expectOutputs(grams("TF", {4}, 1, 2, 0, false), in, {{"y", data({5}, {3, 1, 1, 0, 2})}});
    expectOutputs(grams("TF", {-1}, 1, 2, 1, false), in, {{"y", data({5}, {3, 2, 1, 0, 3})}});
    expectOutputs(grams("TF", {4}, 2, 2, 0, false), in, {{"y", data({5}, {0, 1, 0, 0, 2})}});
    expectOutputs(grams("IDF", {4}, 1, 2, 0, true), in, {{"y", data({5}, {2, 3, 1, 0, 4})}});
    expectOutputs(grams("TFIDF", {4}, 1, 2, 0, true), in, {{"y", data({5}, {6, 3, 1, 0, 8})}});
}

TEST(NGrams, RowsAndTooShortOnes) {
    expectOutputs(grams("TF", {-1, -1}, 1, 2, 3, false), {{"x", data({2, 3}, {2, 3, 9, 9, 9, 9})}},
                  {{"y", data({2, 5}, {1, 1, 1, 0, 0, 0, 0, 0, 0, 0})}});
    expectOutputs(grams("TF", {1}, 1, 2, 1, false), {{"x", data({1}, {3})}}, {{"y", data({5}, {1, 0, 0, 0, 0})}});
}

// Constant arguments are computed by the converter, others by the engine: both ways give one matrix.
TEST(MelWeights, ConstantAndRunTimeAgree) {
    const std::vector<double> values = {8, 16, 8192, 0, 4096};
    const char* const names[] = {"bins", "length", "rate", "low", "high"};
    Data matrix[2];
    for (bool fixed : {true, false}) {
        TestModel m(17);
        Named in;
        for (int i = 0; i < 5; ++i) {
            if (fixed && i < 3)
                m.ints(names[i], {static_cast<int64_t>(values[i])}, true);
            else if (fixed)
                m.weight(names[i], {}, {static_cast<float>(values[i])});
            else
                m.input(names[i], {}, i < 3 ? kInt64 : onnx::TensorProto::FLOAT);
            if (!fixed) in[names[i]] = data({}, {values[i]});
        }
        m.input("one", {1}).output("y");
        in["one"] = data({1}, {1});
        m.node("MelWeightMatrix", {"bins", "length", "rate", "low", "high"}, {"w"});
        m.node("Mul", {"w", "one"}, {"y"});
        everyWay(m, in, [&](const Engine& engine) { matrix[fixed] = engine.get("y"); });
    }
    EXPECT_EQ(matrix[1].shape, (std::vector<int>{9, 8}));
    expectNear(matrix[0], matrix[1]);
}

}  // namespace
