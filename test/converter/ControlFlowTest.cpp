// If, Loop and Scan: imported, optimised, written and run.
#include <gtest/gtest.h>

#include "NetBuilder.hpp"
#include "OnnxModels.hpp"

namespace MNN {
namespace Converter {
namespace {

using Names = std::vector<std::string>;
using Values = std::vector<float>;

onnx::NodeProto* addNode(onnx::GraphProto* graph, const char* op, const Names& in, const Names& out) {
    auto* n = graph->add_node();
    n->set_op_type(op);
    n->set_name(out[0] + "_node");
    for (const auto& name : in) n->add_input(name);
    for (const auto& name : out) n->add_output(name);
    return n;
}
onnx::GraphProto* innerGraph(onnx::NodeProto* node, const char* key, const Names& in, const Names& out) {
    auto* graph = attribute(node, key, onnx::AttributeProto::GRAPH)->mutable_g();
    graph->set_name(key);
    for (const auto& name : in) graph->add_input()->set_name(name);
    for (const auto& name : out) graph->add_output()->set_name(name);
    return graph;
}
void addScalar(onnx::GraphProto* graph, const char* name, int64_t value, int type = onnx::TensorProto::INT64) {
    auto* t = graph->add_initializer();
    t->set_name(name);
    t->set_data_type(type);
    if (type == onnx::TensorProto::FLOAT) {
        t->add_float_data(static_cast<float>(value));
    } else if (type == onnx::TensorProto::BOOL) {
        t->add_int32_data(static_cast<int32_t>(value));
    } else {
        t->add_int64_data(value);
    }
}

// A model from conversion to answers.
class Converted {
public:
    Converted(TestModel& model, int level) {
        Graph graph = model.import();
        optimize(graph, level, false);
        const std::unique_ptr<NetT> net = toNet(graph, WriteOptions());
        subgraphs = net->subgraphs.size();
        flatbuffers::FlatBufferBuilder builder;
        builder.Finish(Net::Pack(builder, net.get()));
        interpreter.reset(Interpreter::createFromBuffer(builder.GetBufferPointer(), builder.GetSize()));
        if (interpreter) session = interpreter->createSession(ScheduleConfig());
    }
    void set(const char* name, const Values& values) {
        Tensor* t = interpreter->getSessionInput(session, name);
        if (t->getType() == halide_type_of<float>()) {
            std::copy(values.begin(), values.end(), t->host<float>());
        } else {
            std::copy(values.begin(), values.end(), t->host<int32_t>());
        }
    }
    ErrorCode run() { return interpreter->runSession(session); }
    Tensor* out(const char* name) { return interpreter->getSessionOutput(session, name); }
    Values values(const char* name) { return mnn_test::floats(out(name)); }

    std::unique_ptr<Interpreter> interpreter;
    Session* session = nullptr;
    size_t subgraphs = 0;
};

class ControlFlow : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Levels, ControlFlow, testing::Values(0, 1));

// then: x * w + b with b from around; else: b alone.
TEST_P(ControlFlow, IfTakesValuesFromAround) {
    TestModel m(16);
    m.input("c", {}, onnx::TensorProto::BOOL).input("x", {2}).weight("w", {2}, {10, 100}).output("y");
    m.node("Neg", {"x"}, {"b"});
    auto* node = m.node("If", {"c"}, {"r"});
    auto* yes = innerGraph(node, "then_branch", {}, {"sum"});
    addNode(yes, "Mul", {"x", "w"}, {"xw"});
    addNode(yes, "Add", {"xw", "b"}, {"sum"});
    auto* no = innerGraph(node, "else_branch", {}, {"b"});
    (void)no;
    m.node("Relu", {"r"}, {"y"});
    Converted model(m, GetParam());
    ASSERT_NE(model.session, nullptr);
    EXPECT_EQ(model.subgraphs, 2u);
    model.set("x", {3, -5});
    model.set("c", {1});
    ASSERT_EQ(model.run(), NO_ERROR);
    EXPECT_EQ(model.values("y"), (Values{27, 0}));
    model.set("c", {0});
    ASSERT_EQ(model.run(), NO_ERROR);
    EXPECT_EQ(model.values("y"), (Values{0, 5}));
}

// A condition that is known now leaves no If, whatever the names in the branches are.
TEST_P(ControlFlow, KnownConditionsAreTakenAtOnce) {
    TestModel m(16);
    m.input("x", {2}).output("y");
    addScalar(m.graph(), "yes", 1, onnx::TensorProto::BOOL);
    addScalar(m.graph(), "no", 0, onnx::TensorProto::BOOL);
    std::string from = "x";
    for (const char* condition : {"yes", "no", "yes"}) {
        auto* node = m.node("If", {condition}, {from + "r"});
        addNode(innerGraph(node, "then_branch", {}, {"t"}), "Exp", {from}, {"t"});
        addNode(innerGraph(node, "else_branch", {}, {"t"}), "Neg", {from}, {"t"});
        from += "r";
    }
    m.node("Identity", {from}, {"y"});
    Graph graph = m.import();
    EXPECT_TRUE(graph.subgraphs.empty());
    optimize(graph, GetParam(), false);
    EXPECT_EQ(firstOf(graph, OpType_If), nullptr);
    if (GetParam() > 0) {
        EXPECT_EQ(typesOf(graph), "UnaryOp UnaryOp UnaryOp ");
    }
}

// sum += x; the running sums are stacked. x comes from around and is no carried value.
TestModel runningSum(bool withTrips, bool withCondition) {
    TestModel m(16);
    m.input("n", {}, onnx::TensorProto::INT64).input("c", {}, onnx::TensorProto::BOOL).input("x", {2}).input("s", {2});
    m.output("total").output("all");
    addScalar(m.graph(), "ten", 10);
    auto* node = m.node("Loop", {withTrips ? "n" : "", withCondition ? "c" : "", "s"}, {"total", "all"});
    auto* body = innerGraph(node, "body", {"i", "go", "sum"}, {"on", "next", "copy"});
    addScalar(body, "limit", 3);
    addNode(body, "Less", {"i", withTrips ? "ten" : "limit"}, {"on"});
    addNode(body, "Add", {"sum", "x"}, {"next"});
    addNode(body, "Identity", {"next"}, {"copy"});
    return m;
}

TEST_P(ControlFlow, LoopCarriesAndStacks) {
    for (bool withCondition : {false, true}) {
        TestModel m = runningSum(true, withCondition);
        Converted model(m, GetParam());
        ASSERT_NE(model.session, nullptr);
        for (int n : {4, 0, 1, 20}) {
            model.set("n", {static_cast<float>(n)});
            if (withCondition) model.set("c", {1});
            model.set("x", {1, 2});
            model.set("s", {100, 200});
            ASSERT_EQ(model.run(), NO_ERROR);
            const int rounds = std::min(n, 11);  // the round with i = 10 is the last
            Values all;
            for (int i = 1; i <= rounds; ++i) {
                all.push_back(100.0f + static_cast<float>(i));
                all.push_back(200.0f + 2.0f * static_cast<float>(i));
            }
            EXPECT_EQ(model.out("all")->shape(), (std::vector<int>{rounds, 2}));
            EXPECT_EQ(model.values("all"), all);
            EXPECT_EQ(model.values("total"),
                      (Values{100.0f + static_cast<float>(rounds), 200.0f + 2.0f * static_cast<float>(rounds)}));
        }
    }
}

TEST_P(ControlFlow, LoopWithoutTripCount) {
    TestModel m = runningSum(false, true);
    Converted model(m, GetParam());
    ASSERT_NE(model.session, nullptr);
    for (float c : {1.0f, 0.0f}) {
        model.set("c", {c});
        model.set("x", {1, 2});
        model.set("s", {0, 0});
        ASSERT_EQ(model.run(), NO_ERROR);
        EXPECT_EQ(model.values("total"), (c != 0 ? Values{4, 8} : Values{0, 0}));
        EXPECT_EQ(model.out("all")->shape(), (std::vector<int>{c != 0 ? 4 : 0, 2}));
    }
}

// v = concat(v, i + w), in a loop in a branch; w comes from two graphs further out.
TEST_P(ControlFlow, NestedGraphsAndAGrowingValue) {
    TestModel m(16);
    m.input("c", {}, onnx::TensorProto::BOOL).input("n", {}, onnx::TensorProto::INT64).input("w", {1}).output("y");
    addScalar(m.graph(), "true", 1, onnx::TensorProto::BOOL);
    m.weight("begin", {1}, {-1});
    auto* node = m.node("If", {"c"}, {"y"});
    auto* yes = innerGraph(node, "then_branch", {}, {"grown"});
    auto* loop = addNode(yes, "Loop", {"n", "true", "begin"}, {"grown"});
    auto* body = innerGraph(loop, "body", {"i", "go", "v"}, {"go", "longer"});
    auto* cast = addNode(body, "Cast", {"i"}, {"if"});
    attr(cast, "to", int64_t(onnx::TensorProto::FLOAT));
    addNode(body, "Add", {"if", "w"}, {"iw"});
    attr(addNode(body, "Concat", {"v", "iw"}, {"longer"}), "axis", int64_t(0));
    addNode(innerGraph(node, "else_branch", {}, {"nw"}), "Neg", {"w"}, {"nw"});
    Converted model(m, GetParam());
    ASSERT_NE(model.session, nullptr);
    EXPECT_EQ(model.subgraphs, 3u);
    for (int n : {3, 0, 5}) {
        model.set("n", {static_cast<float>(n)});
        model.set("w", {10});
        model.set("c", {1});
        ASSERT_EQ(model.run(), NO_ERROR);
        Values want = {-1};
        for (int i = 0; i < n; ++i) want.push_back(10.0f + static_cast<float>(i));
        EXPECT_EQ(model.values("y"), want);
        model.set("c", {0});
        ASSERT_EQ(model.run(), NO_ERROR);
        EXPECT_EQ(model.values("y"), Values{-10});
    }
}

// state += x[:, t]; gives the states along axis 1, from the last column on when reversed.
TEST_P(ControlFlow, ScanAxesAndDirections) {
    const int rows = 2, columns = 3;
    for (int variant = 0; variant < 4; ++variant) {
        const bool backwards = (variant & 1) != 0, turned = (variant & 2) != 0;
        TestModel m(16);
        m.input("s", {rows}).input("x", {rows, -1}).output("last").output("all");
        auto* node = m.node("Scan", {"s", "x"}, {"last", "all"});
        attr(node, "num_scan_inputs", int64_t(1));
        attr(node, "scan_input_axes", std::vector<int64_t>{1});
        attr(node, "scan_output_axes", std::vector<int64_t>{-1});
        attr(node, "scan_input_directions", std::vector<int64_t>{backwards});
        attr(node, "scan_output_directions", std::vector<int64_t>{turned});
        auto* body = innerGraph(node, "body", {"state", "column"}, {"next", "copy"});
        addNode(body, "Add", {"state", "column"}, {"next"});
        addNode(body, "Identity", {"next"}, {"copy"});
        Converted model(m, GetParam());
        ASSERT_NE(model.session, nullptr);
        Tensor* x = model.interpreter->getSessionInput(model.session, "x");
        model.interpreter->resizeTensor(x, {rows, columns});
        model.interpreter->resizeSession(model.session);
        model.set("s", {0, 1000});
        model.set("x", {1, 10, 100, 2, 20, 200});
        ASSERT_EQ(model.run(), NO_ERROR);
        EXPECT_EQ(model.values("last"), (Values{111, 1222}));
        Values all = backwards ? Values{100, 110, 111, 1200, 1220, 1222} : Values{1, 11, 111, 1002, 1022, 1222};
        if (turned) {
            std::reverse(all.begin(), all.begin() + columns);
            std::reverse(all.begin() + columns, all.end());
        }
        EXPECT_EQ(model.out("all")->shape(), (std::vector<int>{rows, columns}));
        EXPECT_EQ(model.values("all"), all) << variant;
    }
}

// A function's body with an If: names inside are the function's, and its attributes reach the branches.
TEST_P(ControlFlow, FunctionsWithBranches) {
    TestModel m(16);
    m.input("c", {}, onnx::TensorProto::BOOL).input("x", {3}).output("y");
    auto* function = m.model.proto.add_functions();
    function->set_name("Pick");
    function->set_domain("own");
    function->add_input("cond");
    function->add_input("v");
    function->add_output("out");
    function->add_attribute("slope");
    function->add_opset_import()->set_version(16);
    auto* neg = function->add_node();
    neg->set_op_type("Neg");
    neg->add_input("v");
    neg->add_output("x");  // also a name of the model
    auto* pick = function->add_node();
    pick->set_op_type("If");
    pick->add_input("cond");
    pick->add_output("out");
    auto* leaky = addNode(innerGraph(pick, "then_branch", {}, {"t"}), "LeakyRelu", {"x"}, {"t"});
    attribute(leaky, "alpha", onnx::AttributeProto::FLOAT)->set_ref_attr_name("slope");
    addNode(innerGraph(pick, "else_branch", {}, {"t"}), "Abs", {"v"}, {"t"});
    auto* call = m.node("Pick", {"c", "x"}, {"y"});
    call->set_domain("own");
    attr(call, "slope", 0.5f);
    Converted model(m, GetParam());
    ASSERT_NE(model.session, nullptr);
    model.set("x", {2, -4, 6});
    model.set("c", {1});
    ASSERT_EQ(model.run(), NO_ERROR);
    EXPECT_EQ(model.values("y"), (Values{-1, 4, -3}));
    model.set("c", {0});
    ASSERT_EQ(model.run(), NO_ERROR);
    EXPECT_EQ(model.values("y"), (Values{2, 4, 6}));
}

TEST(ControlFlowFaults, NameTheNodeInside) {
    TestModel m(16);
    m.input("c", {}, onnx::TensorProto::BOOL).input("x", {2}).output("y");
    auto* node = m.node("If", {"c"}, {"y"});
    addNode(innerGraph(node, "then_branch", {}, {"t"}), "NoSuchOp", {"x"}, {"t"});
    addNode(innerGraph(node, "else_branch", {}, {"e"}), "Neg", {"x"}, {"e"});
    const std::string failure = m.failure();
    EXPECT_NE(failure.find("1 node(s)"), std::string::npos) << failure;
    EXPECT_NE(failure.find("NoSuchOp 't_node'"), std::string::npos) << failure;

    TestModel lost(16);
    lost.input("c", {}, onnx::TensorProto::BOOL).input("x", {2}).output("y");
    node = lost.node("If", {"c"}, {"y"});
    addNode(innerGraph(node, "then_branch", {}, {"t"}), "Neg", {"nowhere"}, {"t"});
    addNode(innerGraph(node, "else_branch", {}, {"e"}), "Neg", {"x"}, {"e"});
    EXPECT_NE(lost.failure().find("nowhere"), std::string::npos) << lost.failure();

    TestModel types(16);
    types.input("c", {}, onnx::TensorProto::BOOL).input("x", {2}).output("y");
    node = types.node("If", {"c"}, {"y"});
    attr(addNode(innerGraph(node, "then_branch", {}, {"t"}), "Cast", {"x"}, {"t"}), "to",
         int64_t(onnx::TensorProto::INT32));
    addNode(innerGraph(node, "else_branch", {}, {"e"}), "Neg", {"x"}, {"e"});
    EXPECT_NE(types.failure().find("another type"), std::string::npos) << types.failure();
}

// The first value's size is not that of later rounds: nothing may be folded with it.
TEST(ControlFlowShapes, SizesOfTheFirstRoundAreNotTrusted) {
    TestModel m(16);
    m.input("n", {}, onnx::TensorProto::INT64).input("v", {2}).output("y");
    addScalar(m.graph(), "true", 1, onnx::TensorProto::BOOL);
    auto* node = m.node("Loop", {"n", "true", "v"}, {"y"});
    auto* body = innerGraph(node, "body", {"i", "go", "b"}, {"go", "next"});
    attr(addNode(body, "Concat", {"b", "b"}, {"bb"}), "axis", int64_t(0));
    addNode(body, "Size", {"bb"}, {"size"});
    attr(addNode(body, "Cast", {"size"}, {"fsize"}), "to", int64_t(onnx::TensorProto::FLOAT));
    addNode(body, "Add", {"bb", "fsize"}, {"next"});
    ImportOptions options;
    options.staticShapes = true;
    Graph graph = importOnnx(m.model, options);
    ASSERT_EQ(graph.subgraphs.size(), 1u);
    EXPECT_NE(firstOf(*graph.subgraphs[0], OpType_Size), nullptr);
    EXPECT_EQ(graph.tensors[graph.outputs[0]].dims, Dims{kUnknown});
}

}  // namespace
}  // namespace Converter
}  // namespace MNN
