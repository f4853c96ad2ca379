// If and While through Interpreter: branches, loops, their shapes, and files that get them wrong.
#include <algorithm>
#include <functional>
#include "AllocationWatch.hpp"
#include "SessionTools.hpp"

namespace {

using namespace session_test;
using session_test::NetBuilder;
using Names = std::vector<std::string>;

// The ops of `part` become sub-graph `name` of `net`.
void addSubGraph(NetBuilder* net, const std::string& name, NetBuilder part, const Names& inputs, const Names& outputs) {
    std::unique_ptr<SubGraphProtoT> graph(new SubGraphProtoT);
    graph->name = name;
    graph->tensors = part.net().tensorName;
    graph->nodes = std::move(part.net().oplists);
    const auto index = [&](const std::string& tensor) {
        const auto& all = graph->tensors;
        return static_cast<int>(std::find(all.begin(), all.end(), tensor) - all.begin());
    };
    for (const auto& input : inputs) graph->inputs.push_back(index(input));
    for (const auto& output : outputs) graph->outputs.push_back(index(output));
    net->net().subgraphs.push_back(std::move(graph));
}

std::unique_ptr<StringVecT> strings(const Names& names) {
    std::unique_ptr<StringVecT> v(new StringVecT);
    v->data = names;
    return v;
}

// aliases: what each input is called in the sub-graphs; results: the outputs of then and else that give each output.
void addIf(NetBuilder* net, const std::string& name, const Names& inputs, const Names& outputs,
           const std::vector<Names>& aliases, const std::vector<Names>& results, const std::string& thenGraph = "then",
           const std::string& elseGraph = "else") {
    auto* param = new IfParamT;
    param->then_graph = thenGraph;
    param->else_graph = elseGraph;
    for (const auto& names : aliases) param->aliases_inputs.push_back(strings(names));
    for (const auto& names : results) param->aliases_outputs.push_back(strings(names));
    net->addMany(OpType_If, name, inputs, outputs, OpParameter_IfParam, param);
}

void addWhile(NetBuilder* net, const std::string& name, const Names& inputs, const Names& outputs,
              const std::vector<Names>& aliases, const std::vector<Names>& updates, const Names& results) {
    auto* param = new WhileParamT;
    param->cond_graph = "cond";
    param->body_graph = "body";
    for (const auto& names : aliases) param->aliases_inputs.push_back(strings(names));
    for (const auto& names : updates) param->aliases_updates.push_back(strings(names));
    param->aliases_outputs = results;
    net->addMany(OpType_While, name, inputs, outputs, OpParameter_WhileParam, param);
}

// Inputs: trip count, condition, carried values. Outputs: carried values, stacked ones.
void addCounted(NetBuilder* net, const std::string& name, const Names& inputs, const Names& outputs) {
    auto* param = new WhileParamT;
    param->body_graph = "body";
    net->addMany(OpType_While, name, inputs, outputs, OpParameter_WhileParam, param);
}

void setInt(Interpreter* interpreter, Session* session, const char* name, int value) {
    Tensor* t = interpreter->getSessionInput(session, name);
    ASSERT_NE(t, nullptr);
    t->host<int32_t>()[0] = value;
}

struct Loaded {
    std::unique_ptr<Interpreter> interpreter;
    Session* session = nullptr;

    explicit Loaded(NetBuilder* net) : interpreter(net->interpreter()) {
        if (interpreter != nullptr) session = interpreter->createSession(threads(1));
    }
    void set(const char* name, const std::vector<float>& values) {
        fill(interpreter->getSessionInput(session, name), values);
    }
    void setInt(const char* name, int value) { ::setInt(interpreter.get(), session, name, value); }
    ErrorCode run() { return interpreter->runSession(session); }
    Tensor* out(const char* name) { return interpreter->getSessionOutput(session, name); }
};

// then: x squared, [3]. else: x twice, [6], minus the constant.
void squareOrRepeat(NetBuilder* net) {
    NetBuilder yes, no;
    yes.input("tx", {-1});
    yes.unary("ty", UnaryOpOperation_SQUARE, "tx");
    addSubGraph(net, "then", std::move(yes), {"tx"}, {"ty"});
    no.input("ex", {-1});
    no.concat("twice", 0, {"ex", "ex"});
    no.constant("one", {1}, {1.0f});
    no.binary("ey", BinaryOpOperation_SUB, "twice", "one");
    addSubGraph(net, "else", std::move(no), {"ex"}, {"ey"});
}

NetBuilder branching() {
    NetBuilder net;
    net.input("c", {}, DataType_DT_INT32);
    net.input("x", {3});
    net.unary("n", UnaryOpOperation_NEG, "x");
    squareOrRepeat(&net);
    addIf(&net, "if", {"c", "n"}, {"r"}, {{}, {"tx", "ex"}}, {{"ty", "ey"}});
    net.binary("y", BinaryOpOperation_ADD, "r", "r");
    net.output("y");
    return net;
}

TEST(If, TheBranchGivesShapeAndContent) {
    NetBuilder net = branching();
    Loaded run(&net);
    ASSERT_NE(run.session, nullptr);
    for (int round = 0; round < 3; ++round) {
        run.set("x", {1, 2, 3});
        run.setInt("c", 1);
        ASSERT_EQ(run.run(), NO_ERROR);
        EXPECT_EQ(run.out("y")->shape(), (std::vector<int>{3}));
        EXPECT_EQ(floats(run.out("y")), (std::vector<float>{2, 8, 18}));
        run.setInt("c", 0);
        ASSERT_EQ(run.run(), NO_ERROR);
        EXPECT_EQ(run.out("y")->shape(), (std::vector<int>{6}));
        EXPECT_EQ(floats(run.out("y")), (std::vector<float>{-4, -6, -8, -4, -6, -8}));
    }
}

TEST(If, FollowsResizes) {
    NetBuilder net = branching();
    Loaded run(&net);
    ASSERT_NE(run.session, nullptr);
    for (int n : {3, 5, 1, 3}) {
        Tensor* x = run.interpreter->getSessionInput(run.session, "x");
        run.interpreter->resizeTensor(x, {n});
        run.interpreter->resizeSession(run.session);
        const std::vector<float> values = iota(n, 1.0f);
        for (int c : {0, 1}) {
            run.set("x", values);
            run.setInt("c", c);
            ASSERT_EQ(run.run(), NO_ERROR);
            const std::vector<float> y = floats(run.out("y"));
            ASSERT_EQ(y.size(), static_cast<size_t>(c != 0 ? n : 2 * n));
            for (size_t i = 0; i < y.size(); ++i) {
                const float v = values[i % values.size()];
                EXPECT_EQ(y[i], c != 0 ? 2 * v * v : 2 * (-v - 1)) << n << " " << c << " " << i;
            }
        }
    }
}

// A branch may hand through its input or a constant, and the model may be nothing else.
TEST(If, BranchesWithoutOps) {
    NetBuilder net, yes, no;
    net.input("c", {1}, DataType_DT_INT32);
    net.input("x", {2});
    yes.input("tx", {2});
    addSubGraph(&net, "then", std::move(yes), {"tx"}, {"tx"});
    no.constant("k", {3}, {7, 8, 9});
    addSubGraph(&net, "else", std::move(no), {}, {"k"});
    addIf(&net, "y", {"c", "x"}, {"y"}, {{}, {"tx"}}, {{"tx", "k"}});
    net.output("y");
    Loaded run(&net);
    ASSERT_NE(run.session, nullptr);
    run.set("x", {1, 2});
    run.setInt("c", 1);
    ASSERT_EQ(run.run(), NO_ERROR);
    EXPECT_EQ(floats(run.out("y")), (std::vector<float>{1, 2}));
    run.setInt("c", 0);
    ASSERT_EQ(run.run(), NO_ERROR);
    EXPECT_EQ(floats(run.out("y")), (std::vector<float>{7, 8, 9}));
}

// Packed image tensors go in and come out of a branch with a convolution.
TEST(If, ImagesGoThrough) {
    NetBuilder net, yes, no;
    net.input("c", {1}, DataType_DT_INT32);
    net.input("x", {1, 3, 5, 5});
    net.convolution("before", "x", 3, 5, 3, 1, 1, wave(5 * 27), wave(5));
    yes.input("tx", {1, 5, 5, 5});
    yes.convolution("ty", "tx", 5, 3, 3, 1, 1, wave(3 * 45), wave(3));
    addSubGraph(&net, "then", std::move(yes), {"tx"}, {"ty"});
    no.input("ex", {1, 5, 5, 5});
    addSubGraph(&net, "else", std::move(no), {"ex"}, {"ex"});
    addIf(&net, "if", {"c", "before"}, {"r"}, {{}, {"tx", "ex"}}, {{"ty", "ex"}});
    net.unary("y", UnaryOpOperation_NEG, "r");
    net.output("y");
    Loaded run(&net);
    ASSERT_NE(run.session, nullptr);

    NetBuilder plain;
    plain.input("x", {1, 3, 5, 5});
    plain.convolution("before", "x", 3, 5, 3, 1, 1, wave(5 * 27), wave(5));
    plain.convolution("after", "before", 5, 3, 3, 1, 1, wave(3 * 45), wave(3));
    plain.unary("y1", UnaryOpOperation_NEG, "after");
    plain.unary("y0", UnaryOpOperation_NEG, "before");
    plain.output("y1");
    plain.output("y0");
    Loaded wanted(&plain);
    ASSERT_NE(wanted.session, nullptr);
    wanted.set("x", wave(75));
    ASSERT_EQ(wanted.run(), NO_ERROR);
    for (int c : {1, 0, 1}) {
        run.set("x", wave(75));
        run.setInt("c", c);
        ASSERT_EQ(run.run(), NO_ERROR);
        const std::vector<float> got = floats(run.out("y")), want = floats(wanted.out(c != 0 ? "y1" : "y0"));
        ASSERT_EQ(got.size(), want.size());
        for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-5f);
    }
}

// while (i < n) { v = v * 2 + k; i = i + 1 }
NetBuilder doubling(bool growing = false) {
    NetBuilder net, cond, body;
    net.input("n", {}, DataType_DT_INT32);
    net.input("v", {2});
    net.constant("k", {2}, {1, 10});
    net.constantInts("zero", {}, {0});
    cond.input("ci", {}, DataType_DT_INT32);
    cond.input("cn", {}, DataType_DT_INT32);
    cond.binary("go", BinaryOpOperation_LESS, "ci", "cn");
    addSubGraph(&net, "cond", std::move(cond), {"ci", "cn"}, {"go"});
    body.input("bi", {}, DataType_DT_INT32);
    body.input("bv", {-1});
    body.input("bk", {2});
    body.constantInts("one", {}, {1});
    body.binary("next", BinaryOpOperation_ADD, "bi", "one");
    if (growing) {
        body.concat("nv", 0, {"bv", "bk"});
    } else {
        body.binary("dbl", BinaryOpOperation_ADD, "bv", "bv");
        body.binary("nv", BinaryOpOperation_ADD, "dbl", "bk");
    }
    addSubGraph(&net, "body", std::move(body), {"bi", "bv", "bk"}, {"next", "nv"});
    addWhile(&net, "loop", {"zero", "n", "v", "k"}, {"i", "r"}, {{"ci", "bi"}, {"cn"}, {"bv"}, {"bk"}},
             {{"next", "ci"}, {"next", "bi"}, {"nv", "bv"}}, {"next", "nv"});
    net.unary("y", UnaryOpOperation_NEG, "r");
    net.output("y");
    net.output("i");
    return net;
}

TEST(While, CarriesValues) {
    NetBuilder net = doubling();
    Loaded run(&net);
    ASSERT_NE(run.session, nullptr);
    for (int n : {3, 0, 1, 5}) {
        run.set("v", {1, 2});
        run.setInt("n", n);
        ASSERT_EQ(run.run(), NO_ERROR);
        float a = 1, b = 2;
        for (int i = 0; i < n; ++i) {
            a = a * 2 + 1;
            b = b * 2 + 10;
        }
        EXPECT_EQ(floats(run.out("y")), (std::vector<float>{-a, -b})) << n;
        EXPECT_EQ(run.out("i")->host<int32_t>()[0], n);
    }
}

TEST(While, AValueGrows) {
    NetBuilder net = doubling(true);
    Loaded run(&net);
    ASSERT_NE(run.session, nullptr);
    for (int n : {2, 0, 4, 1}) {
        run.set("v", {5, 6});
        run.setInt("n", n);
        ASSERT_EQ(run.run(), NO_ERROR);
        std::vector<float> want = {-5, -6};
        for (int i = 0; i < n; ++i) want.insert(want.end(), {-1, -10});
        EXPECT_EQ(floats(run.out("y")), want) << n;
    }
}

TEST(While, AllocatesNothingAtTheSameShapes) {
    if (!canWatchAllocations()) GTEST_SKIP() << "the heap cannot be watched here";
    NetBuilder net = doubling();
    Loaded run(&net);
    ASSERT_NE(run.session, nullptr);
    size_t counts[2] = {};
    for (int pass = 0; pass < 2; ++pass) {
        // A session of its own each time: the first run of few rounds and of many must take the same.
        Loaded fresh(&net);
        fresh.set("v", {1, 2});
        fresh.setInt("n", pass == 0 ? 2 : 12);
        AllocationWatch watch;
        const ErrorCode code = fresh.run();
        counts[pass] = watch.count();
        ASSERT_EQ(code, NO_ERROR);
    }
    EXPECT_EQ(counts[0], counts[1]);
    run.setInt("n", 7);
    ASSERT_EQ(run.run(), NO_ERROR);
    AllocationWatch watch;
    const ErrorCode code = run.run();
    const size_t count = watch.count();
    EXPECT_EQ(code, NO_ERROR);
    EXPECT_EQ(count, 0u);
}

// a, b = b, a + b, and every a stacked; what the body hands through unchanged is read where it is.
NetBuilder fibonacci() {
    NetBuilder net, body;
    net.input("n", {}, DataType_DT_INT32);
    net.input("c", {}, DataType_DT_INT32);
    net.input("a", {1});
    net.input("b", {1});
    net.input("w", {1});
    body.input("i", {}, DataType_DT_INT32);
    body.input("go", {}, DataType_DT_INT32);
    body.input("ba", {1});
    body.input("bb", {1});
    body.input("bw", {1});
    body.binary("sum", BinaryOpOperation_ADD, "ba", "bb");
    body.binary("scaled", BinaryOpOperation_MUL, "ba", "bw");
    addSubGraph(&net, "body", std::move(body), {"i", "go", "ba", "bb", "bw"}, {"go", "bb", "sum", "bw", "scaled", "i"});
    addCounted(&net, "loop", {"n", "c", "a", "b", "w"}, {"ra", "rb", "rw", "all", "rounds"});
    for (const char* name : {"ra", "rb", "rw", "all", "rounds"}) net.output(name);
    return net;
}

TEST(CountedLoop, CarriesSwapsAndStacks) {
    NetBuilder net = fibonacci();
    Loaded run(&net);
    ASSERT_NE(run.session, nullptr);
    for (int n : {6, 0, 1, 6}) {
        run.set("a", {0});
        run.set("b", {1});
        run.set("w", {10});
        run.setInt("n", n);
        run.setInt("c", 1);
        ASSERT_EQ(run.run(), NO_ERROR);
        float a = 0, b = 1;
        std::vector<float> all;
        for (int i = 0; i < n; ++i) {
            all.push_back(10 * a);
            const float sum = a + b;
            a = b;
            b = sum;
        }
        EXPECT_EQ(floats(run.out("ra")), std::vector<float>{a});
        EXPECT_EQ(floats(run.out("rb")), std::vector<float>{b});
        EXPECT_EQ(floats(run.out("rw")), std::vector<float>{10});
        EXPECT_EQ(run.out("all")->shape(), (std::vector<int>{n, 1}));
        EXPECT_EQ(floats(run.out("all")), all);
        EXPECT_EQ(run.out("rounds")->shape(), (std::vector<int>{n}));
        for (int i = 0; i < n; ++i) EXPECT_EQ(run.out("rounds")->host<int32_t>()[i], i);
    }
    run.setInt("c", 0);
    ASSERT_EQ(run.run(), NO_ERROR);
    EXPECT_EQ(run.out("all")->shape(), (std::vector<int>{0, 1}));
}

// An If inside a While's body picks what is added; its outputs have another shape each way.
TEST(Nested, IfInsideALoop) {
    NetBuilder net, body, yes, no;
    net.input("n", {}, DataType_DT_INT32);
    net.input("v", {1});
    net.constantInts("true", {}, {1});
    body.input("i", {}, DataType_DT_INT32);
    body.input("go", {}, DataType_DT_INT32);
    body.input("bv", {-1});
    body.constantInts("two", {}, {2});
    body.binary("odd", BinaryOpOperation_MOD, "i", "two");
    addIf(&body, "pick", {"odd", "bv"}, {"nv"}, {{}, {"tx", "ex"}}, {{"ty", "ey"}});
    squareOrRepeat(&net);
    addSubGraph(&net, "body", std::move(body), {"i", "go", "bv"}, {"go", "nv"});
    addCounted(&net, "loop", {"n", "true", "v"}, {"y"});
    net.output("y");
    Loaded run(&net);
    ASSERT_NE(run.session, nullptr);
    for (int n : {0, 1, 2, 5, 4}) {
        run.set("v", {3});
        run.setInt("n", n);
        ASSERT_EQ(run.run(), NO_ERROR);
        std::vector<float> want = {3};
        for (int i = 0; i < n; ++i) {
            if (i % 2 == 1) {
                for (float& v : want) v *= v;
            } else {
                want.insert(want.end(), want.begin(), want.end());
                for (float& v : want) v -= 1;
            }
        }
        EXPECT_EQ(floats(run.out("y")), want) << n;
    }
}

TEST(ControlFlow, CallbacksSeeTheOpsInside) {
    NetBuilder net = branching();
    Loaded run(&net);
    ASSERT_NE(run.session, nullptr);
    run.set("x", {1, 2, 3});
    run.setInt("c", 1);
    std::vector<std::string> seen;
    const TensorCallBack before = [](const std::vector<Tensor*>&, const std::string&) { return true; };
    const TensorCallBack after = [&](const std::vector<Tensor*>&, const std::string& name) {
        seen.push_back(name);
        return name != "ty";
    };
    EXPECT_EQ(run.interpreter->runSessionWithCallBack(run.session, before, after), CALL_BACK_STOP);
    EXPECT_EQ(seen, (std::vector<std::string>{"n", "ty"}));
}

TEST(ControlFlow, OutputOfTheUser) {
    NetBuilder net = branching();
    net.net().outputName = {"r"};
    auto interpreter = net.interpreter();
    interpreter->setSessionMode(Interpreter::Session_Output_User);
    Session* session = interpreter->createSession(threads(1));
    ASSERT_NE(session, nullptr);
    std::vector<float> mine(6, -1.0f);
    interpreter->getSessionOutput(session, "r")->buffer().host = reinterpret_cast<uint8_t*>(mine.data());
    fill(interpreter->getSessionInput(session, "x"), {1, 2, 3});
    setInt(interpreter.get(), session, "c", 1);
    ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
    EXPECT_EQ(mine, (std::vector<float>{1, 4, 9, -1, -1, -1}));
    setInt(interpreter.get(), session, "c", 0);
    ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
    EXPECT_EQ(mine, (std::vector<float>{-2, -3, -4, -2, -3, -4}));
}

// Each way to get a file wrong is refused at createSession, with a sentence that names the op and the sub-graph.
void expectRefused(NetBuilder net, const std::function<void(NetT*)>& spoil, const std::vector<const char*>& parts) {
    spoil(&net.net());
    Messages log;
    Loaded run(&net);
    EXPECT_EQ(run.session, nullptr) << parts.front();
    for (const char* part : parts) EXPECT_TRUE(log.mention(part)) << part << " in: " << log.text();
}

IfParamT* ifOf(NetT* net) {
    for (auto& op : net->oplists) {
        if (op->type == OpType_If) return op->main.AsIfParam();
    }
    return nullptr;
}

WhileParamT* whileOf(NetT* net) {
    for (auto& op : net->oplists) {
        if (op->type == OpType_While) return op->main.AsWhileParam();
    }
    return nullptr;
}

TEST(ControlFlow, BadIfsAreNamed) {
    expectRefused(branching(), [](NetT* net) { ifOf(net)->then_graph = "lost"; }, {"'if'", "lost"});
    expectRefused(branching(), [](NetT* net) { ifOf(net)->else_graph = ""; }, {"'if'", "else"});
    expectRefused(branching(), [](NetT* net) { ifOf(net)->aliases_inputs.pop_back(); }, {"'if'", "then", "tx"});
    expectRefused(branching(), [](NetT* net) { ifOf(net)->aliases_outputs.clear(); }, {"'if'", "aliases_outputs"});
    expectRefused(branching(), [](NetT* net) { ifOf(net)->aliases_outputs[0]->data[1] = "ex2"; }, {"else", "ex2"});
    expectRefused(branching(), [](NetT* net) { ifOf(net)->aliases_outputs[0]->data.pop_back(); }, {"'if'"});
    expectRefused(branching(), [](NetT* net) { net->subgraphs[0]->outputs = {99}; }, {"'if'", "then"});
    expectRefused(branching(), [](NetT* net) { net->subgraphs[0]->outputs = {-1}; }, {"'if'", "then"});
    expectRefused(branching(), [](NetT* net) { net->subgraphs[0]->inputs.clear(); }, {"'if'", "then"});
    expectRefused(branching(), [](NetT* net) { net->subgraphs[0]->nodes.clear(); }, {"'if'", "then"});
}

TEST(ControlFlow, BadLoopsAreNamed) {
    expectRefused(doubling(), [](NetT* net) { whileOf(net)->body_graph = "lost"; }, {"'loop'", "lost"});
    expectRefused(doubling(), [](NetT* net) { whileOf(net)->aliases_updates[0]->data[0] = "x"; }, {"'loop'", "'x'"});
    expectRefused(doubling(), [](NetT* net) { whileOf(net)->aliases_updates[0]->data[1] = "x"; }, {"'loop'", "'x'"});
    expectRefused(doubling(), [](NetT* net) { whileOf(net)->aliases_updates[0]->data.clear(); }, {"'loop'"});
    expectRefused(doubling(), [](NetT* net) { whileOf(net)->aliases_outputs[0] = "x"; }, {"'loop'", "'x'"});
    expectRefused(doubling(), [](NetT* net) { net->subgraphs[0]->outputs.clear(); }, {"'loop'", "cond"});
    expectRefused(doubling(), [](NetT* net) { whileOf(net)->cond_graph = ""; }, {"'loop'", "body"});
    expectRefused(fibonacci(), [](NetT* net) { net->subgraphs[0]->outputs.pop_back(); }, {"'loop'", "body"});
    expectRefused(fibonacci(), [](NetT* net) { net->subgraphs[0]->inputs.pop_back(); }, {"'loop'", "body"});
}

// A sub-graph that holds an If over the sub-graphs `a` and `b`.
void addNest(NetBuilder* net, const std::string& name, const std::string& a, const std::string& b) {
    NetBuilder part;
    part.input("c", {}, DataType_DT_INT32);
    addIf(&part, "if_" + name, {"c"}, {"r"}, {{"c"}}, {{"r", "r"}}, a, b);
    addSubGraph(net, name, std::move(part), {"c"}, {"r"});
}

TEST(ControlFlow, NestingIsBounded) {
    NetBuilder self, deep, wide;
    Messages log;
    self.input("c", {}, DataType_DT_INT32);
    addNest(&self, "a", "b", "b");
    addNest(&self, "b", "a", "a");
    addIf(&self, "top", {"c"}, {"y"}, {{"c"}}, {{"r", "r"}}, "a", "a");
    Loaded one(&self);
    EXPECT_EQ(one.session, nullptr);
    EXPECT_TRUE(log.mention("contains itself")) << log.text();

    // 2^15 copies of the innermost, were they made.
    for (NetBuilder* net : {&deep, &wide}) {
        const int levels = net == &deep ? 40 : 15;
        net->input("c", {}, DataType_DT_INT32);
        for (int i = 0; i < levels; ++i) {
            const std::string inner = "g" + std::to_string(i + 1);
            addNest(net, "g" + std::to_string(i), inner, inner);
        }
        NetBuilder last;
        last.input("c", {}, DataType_DT_INT32);
        last.unary("r", UnaryOpOperation_NEG, "c");
        addSubGraph(net, "g" + std::to_string(levels), std::move(last), {"c"}, {"r"});
        addIf(net, "top", {"c"}, {"y"}, {{"c"}}, {{"r", "r"}}, "g0", "g0");
        log.clear();
        Loaded run(net);
        EXPECT_EQ(run.session, nullptr);
        EXPECT_TRUE(log.mention(net == &deep ? "nested more than" : "sub-graphs")) << log.text();
    }
}

// Conditions and counts that are no single number, and elements of a stack that differ, stop the run with a sentence.
TEST(ControlFlow, WrongValuesStopTheRun) {
    NetBuilder net = branching();
    Loaded run(&net);
    ASSERT_NE(run.session, nullptr);
    Tensor* c = run.interpreter->getSessionInput(run.session, "c");
    run.interpreter->resizeTensor(c, {2});
    run.interpreter->resizeSession(run.session);
    Messages log;
    EXPECT_NE(run.run(), NO_ERROR);
    EXPECT_TRUE(log.mention("'if'")) << log.text();

    NetBuilder growing, body;
    growing.input("n", {}, DataType_DT_INT32);
    growing.input("v", {1});
    growing.constantInts("true", {}, {1});
    body.input("i", {}, DataType_DT_INT32);
    body.input("go", {}, DataType_DT_INT32);
    body.input("bv", {-1});
    body.concat("nv", 0, {"bv", "bv"});
    addSubGraph(&growing, "body", std::move(body), {"i", "go", "bv"}, {"go", "nv", "bv"});
    addCounted(&growing, "loop", {"n", "true", "v"}, {"y", "all"});
    growing.output("y");
    growing.output("all");
    Loaded loop(&growing);
    ASSERT_NE(loop.session, nullptr);
    loop.set("v", {1});
    loop.setInt("n", 1);
    EXPECT_EQ(loop.run(), NO_ERROR);
    loop.setInt("n", 2);
    log.clear();
    EXPECT_NE(loop.run(), NO_ERROR);
    EXPECT_TRUE(log.mention("'loop'")) << log.text();
    loop.setInt("n", 1);
    EXPECT_EQ(loop.run(), NO_ERROR);
    EXPECT_EQ(floats(loop.out("y")), (std::vector<float>{1, 1}));
}

}  // namespace
