// Case C21: damaged .mnn files give null or an error, never a crash (run under ASan and UBSan), and no absurd
// allocation.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include "AllocationWatch.hpp"
#include "BadModel.hpp"
#include "SessionTools.hpp"

namespace {

using namespace session_test;
using session_test::NetBuilder;

// What a file may take: four times its size and 64 MB.
size_t allowance(size_t size) { return 4 * size + (size_t(64) << 20); }

// MNN_KEEP_BAD_MODEL=FILE keeps the model that was being fed when the test crashed.
void keep(const std::vector<uint8_t>& bytes) {
    static const char* const path = std::getenv("MNN_KEEP_BAD_MODEL");
    if (path == nullptr) return;
    if (FILE* file = std::fopen(path, "wb")) {
        std::fwrite(bytes.data(), 1, bytes.size(), file);
        std::fclose(file);
    }
}

// True when the model loads and runs.
bool feed(const std::vector<uint8_t>& bytes) {
    keep(bytes);
    std::unique_ptr<Interpreter> interpreter;
    {
        AllocationWatch watch;
        interpreter.reset(Interpreter::createFromBuffer(bytes.data(), bytes.size()));
        EXPECT_LE(watch.total(), allowance(bytes.size()));
    }
    if (interpreter == nullptr) return false;
    AllocationWatch watch(allowance(bytes.size()));
    return bad_model::createAndRun(interpreter.get());
}

NetBuilder elementwise() {
    NetBuilder net;
    net.input("x", {2, 3});
    net.constant("k", {3}, {1, 2, 3});
    net.binary("a", BinaryOpOperation_ADD, "x", "k");
    net.unary("b", UnaryOpOperation_SQUARE, "a");
    net.add(OpType_ReLU, "r", {"b"}, OpParameter_Relu, new ReluT);
    net.output("r");
    return net;
}

NetBuilder image() {
    NetBuilder net;
    net.input("x", {1, 3, 6, 6});
    net.convolution("c", "x", 3, 4, 3, 1, 1, wave(108), wave(4));
    auto* pool = new PoolT;
    pool->kernelX = pool->kernelY = pool->strideX = pool->strideY = 2;
    net.add(OpType_Pooling, "p", {"c"}, OpParameter_Pool, pool);
    net.convolution("d", "p", 4, 2, 1, 0, 1, wave(8), wave(2));
    net.output("d");
    return net;
}

NetBuilder views() {
    NetBuilder net;
    net.input("x", {2, 3, 4});
    net.permute("t", {2, 0, 1}, "x");
    net.reshape("r", {4, -1}, "t");
    net.concat("c", 1, {"r", "r"});
    net.constantInts("begin", {2}, {1, 2});
    net.constantInts("size", {2}, {2, 5});
    net.add(OpType_SliceTf, "s", {"c", "begin", "size"});
    net.add(OpType_Shape, "shape", {"s"});
    net.add(OpType_Reshape, "y", {"s", "shape"}, OpParameter_Reshape, new ReshapeT);
    net.output("y");
    return net;
}

NetBuilder matrices() {
    NetBuilder net;
    net.input("x", {2, 3});
    net.input("dims", {2}, DataType_DT_INT32);
    net.constant("w", {3, 4}, wave(12));
    net.add(OpType_MatMul, "m", {"x", "w"}, OpParameter_MatMul, new MatMulT);
    auto* softmax = new AxisT;
    softmax->axis = 1;
    net.add(OpType_Softmax, "s", {"m"}, OpParameter_Axis, softmax);
    net.add(OpType_Reshape, "r", {"s", "dims"}, OpParameter_Reshape, new ReshapeT);
    net.output("r");
    return net;
}

// x squared, or x as it is.
NetBuilder branches() {
    NetBuilder net, part;
    net.input("c", {1}, DataType_DT_INT32);
    net.input("x", {4});
    part.input("in", {4});
    part.unary("out", UnaryOpOperation_SQUARE, "in");
    std::unique_ptr<SubGraphProtoT> graph(new SubGraphProtoT);
    graph->name = "square";
    graph->tensors = part.net().tensorName;
    graph->nodes = std::move(part.net().oplists);
    graph->inputs = {0};
    graph->outputs = {1};
    std::unique_ptr<SubGraphProtoT> same(new SubGraphProtoT);
    same->name = "same";
    same->tensors = {"through"};
    same->inputs = same->outputs = {0};
    net.net().subgraphs.push_back(std::move(graph));
    net.net().subgraphs.push_back(std::move(same));
    auto* param = new IfParamT;
    param->then_graph = "square";
    param->else_graph = "same";
    for (const auto& names : std::vector<std::vector<std::string>>{{}, {"in", "through"}}) {
        param->aliases_inputs.emplace_back(new StringVecT);
        param->aliases_inputs.back()->data = names;
    }
    param->aliases_outputs.emplace_back(new StringVecT);
    param->aliases_outputs.back()->data = {"out", "through"};
    net.addMany(OpType_If, "if", {"c", "x"}, {"y"}, OpParameter_IfParam, param);
    net.output("y");
    return net;
}

std::vector<NetBuilder> models() {
    std::vector<NetBuilder> all;
    all.push_back(branches());
    all.push_back(elementwise());
    all.push_back(image());
    all.push_back(views());
    all.push_back(matrices());
    return all;
}

TEST(BadModel, FilesThatAreNoModel) {
    Messages log;
    EXPECT_FALSE(feed({}));
    EXPECT_TRUE(log.mention("empty")) << log.text();
    EXPECT_FALSE(feed(std::vector<uint8_t>(8, 0)));
    EXPECT_FALSE(feed(std::vector<uint8_t>(4096, 0)));
    EXPECT_FALSE(feed(std::vector<uint8_t>(4096, 0xff)));
    log.clear();
    std::vector<uint8_t> tflite = {0x18, 0, 0, 0, 'T', 'F', 'L', '3'};
    EXPECT_FALSE(feed(tflite));
    tflite.resize(64);
    log.clear();
    EXPECT_FALSE(feed(tflite));
    EXPECT_TRUE(log.mention("TFLite")) << log.text();
    log.clear();
    EXPECT_EQ(Interpreter::createFromFile("no/such/file.mnn"), nullptr);
    EXPECT_TRUE(log.mention("no/such/file.mnn")) << log.text();
    EXPECT_EQ(Interpreter::createFromFile(nullptr), nullptr);
    EXPECT_EQ(Interpreter::createFromBuffer(nullptr, 100), nullptr);
}

TEST(BadModel, CutShort) {
    Messages log;
    for (NetBuilder& net : models()) {
        const std::vector<uint8_t> whole = net.bytes();
        for (int part = 0; part < 16; ++part) {
            const std::vector<uint8_t> cut(whole.begin(),
                                           whole.begin() + static_cast<std::ptrdiff_t>(whole.size() * part / 16));
            log.clear();
            feed(cut);
            if (part < 8) {
                EXPECT_NE(log.text(), "") << part << "/16";
            }
        }
    }
}

TEST(BadModel, EachWordOverwritten) {
    Messages log;
    for (NetBuilder& net : models()) {
        const std::vector<uint8_t> whole = net.bytes();
        for (size_t at = 0; at + 4 <= whole.size(); at += 4) {
            for (uint32_t word : {0u, 0x7fffffffu, 0xffffffffu}) {
                std::vector<uint8_t> damaged = whole;
                std::memcpy(damaged.data() + at, &word, 4);
                feed(damaged);
            }
            log.clear();
        }
    }
}

TEST(BadModel, ThousandRandomMutations) {
    Messages log;
    std::vector<NetBuilder> nets = models();
    std::vector<std::vector<uint8_t>> wholes;
    for (NetBuilder& net : nets) wholes.push_back(net.bytes());
    for (uint32_t seed = 0; seed < 1000; ++seed) {
        std::mt19937 random(seed);
        std::vector<uint8_t> damaged = wholes[seed % wholes.size()];
        const int changes = 1 + static_cast<int>(random() % 6);
        for (int i = 0; i < changes; ++i) {
            uint8_t& byte = damaged[random() % damaged.size()];
            byte =
                random() % 2 != 0 ? static_cast<uint8_t>(random()) : static_cast<uint8_t>(byte ^ (1u << random() % 8));
        }
        feed(damaged);
        log.clear();
    }
}

TEST(BadModel, IntactOnesRun) {
    std::vector<NetBuilder> all = models();
    all.pop_back();  // its dims are all zero here: an error
    for (NetBuilder& net : all) EXPECT_TRUE(feed(net.bytes()));
}

TEST(BadModel, CyclesAndTwoMakersAreNamed) {
    NetBuilder cycle;
    cycle.input("x", {2});
    cycle.binary("a", BinaryOpOperation_ADD, "x", "b");
    cycle.unary("b", UnaryOpOperation_NEG, "a");
    cycle.output("b");
    Messages log;
    EXPECT_FALSE(feed(cycle.bytes()));
    EXPECT_TRUE(log.mention("cycle")) << log.text();

    NetBuilder twice;
    twice.input("x", {2});
    twice.unary("a", UnaryOpOperation_NEG, "x");
    twice.addMany(OpType_ReLU, "second", {"x"}, {"a"}, OpParameter_Relu, new ReluT);
    log.clear();
    EXPECT_FALSE(feed(twice.bytes()));
    EXPECT_TRUE(log.mention("second")) << log.text();
}

}  // namespace
