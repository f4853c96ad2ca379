// The `mnn` command as a process: exit status, outputs, JSON, and what it says about what is wrong.
#include <gtest/gtest.h>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include "NetBuilder.hpp"
#include "Process.hpp"
#include "onnx.pb.h"

namespace {

using namespace mnn_test;
using nlohmann::json;

// A .npy file, version 1: magic, length of the header, header, elements.
template <typename T>
std::string npy(const char* type, const std::string& shape, const std::vector<T>& values) {
    std::string header = std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
    header.append(117 - header.size(), ' ');
    header += '\n';
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size());
    bytes += '\0';
    return bytes + header + std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

std::vector<float> elements(const std::string& bytes) {
    if (bytes.size() < 10) return {};
    const size_t begin = 10 + static_cast<uint8_t>(bytes[8]) + 256 * static_cast<uint8_t>(bytes[9]);
    std::vector<float> values((bytes.size() - begin) / sizeof(float));
    std::memcpy(values.data(), bytes.data() + begin, values.size() * sizeof(float));
    return values;
}

std::string asText(const std::vector<uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

// y = -log(x), and a view of it.
class Command : public ::testing::Test {
protected:
    Command() : folder("mnn_command_test") {
        NetBuilder net;
        net.input("x", {1, 4});
        net.unary("log", MNN::UnaryOpOperation_LOG, "x");
        net.unary("neg", MNN::UnaryOpOperation_NEG, "log");
        net.permute("y", {1, 0}, "neg");
        net.output("y");
        model = folder.write("model.mnn", asText(net.bytes()));
    }
    Ended mnn(const std::string& arguments) const {
        const Ended ended = runProcess(MNN_COMMAND, arguments);
        EXPECT_FALSE(ended.crashed) << arguments << "\n" << ended.text;
        return ended;
    }
    std::string input(const std::vector<float>& values) const {
        return " --input x=" +
               shellQuoted(folder.write("x.npy", npy("<f4", "1, " + std::to_string(values.size()) + ",", values)));
    }
    std::string run(const std::vector<float>& values) const {
        return "run " + shellQuoted(model) + input(values) + " --output-dir " + shellQuoted(folder / "out");
    }

    const Folder folder;
    std::string model;
};

TEST_F(Command, RunWritesEveryOutput) {
    for (const char* options : {"", " --threads 4", " --precision low", " --threads 0"}) {
        const Ended ended = mnn(run({1, 2, 4, 0.5f}) + options);
        ASSERT_EQ(ended.status, 0) << ended.text;
        EXPECT_TRUE(ended.mentions("y float32[4,1]")) << ended.text;
        const std::vector<float> y = elements(folder.read("out/y.npy"));
        ASSERT_EQ(y.size(), 4u);
        const double want[] = {0, -std::log(2.0), -std::log(4.0), std::log(2.0)};
        for (int i = 0; i < 4; ++i) EXPECT_NEAR(y[i], want[i], 2e-3);
    }
}

TEST_F(Command, RunTakesAnotherShape) {
    ASSERT_EQ(mnn(run({1, 1, 1, 1, 1, 1})).status, 0);
    EXPECT_EQ(elements(folder.read("out/y.npy")).size(), 6u);
}

TEST_F(Command, RunRefusesWhatIsMissingOrWrong) {
    const Ended none = mnn("run " + shellQuoted(model));
    EXPECT_NE(none.status, 0);
    EXPECT_TRUE(none.mentions("'x' is missing")) << none.text;
    const Ended name = mnn("run " + shellQuoted(model) +
                           " --input z=" + shellQuoted(folder.write("z.npy", npy<float>("<f4", "1,4", {1, 1, 1, 1}))));
    EXPECT_NE(name.status, 0);
    EXPECT_TRUE(name.mentions("no input 'z'")) << name.text;
    for (const std::string& bytes : {std::string(), std::string("text that is no array"),
                                     npy<float>("<f4", "1, 4", {1}), npy<float>("<c8", "1, 4", {1})}) {
        const Ended array =
            mnn("run " + shellQuoted(model) + " --input x=" + shellQuoted(folder.write("bad.npy", bytes)));
        EXPECT_NE(array.status, 0) << array.text;
        EXPECT_NE(array.text, "");
    }
    EXPECT_NE(mnn("run " + shellQuoted(folder / "absent.mnn")).status, 0);
    EXPECT_NE(mnn(run({1, 1, 1, 1}) + " --backend nothing").status, 0);
    EXPECT_NE(mnn("").status, 0);
    EXPECT_NE(mnn("nonsense").status, 0);
}

TEST_F(Command, DumpWritesWhatEachOpMade) {
    const Ended ended = mnn(run({1, 2, 4, 8}) + " --dump " + shellQuoted(folder / "dump"));
    ASSERT_EQ(ended.status, 0) << ended.text;
    const std::vector<float> log = elements(folder.read("dump/log.UnaryOp.0.npy"));
    ASSERT_EQ(log.size(), 4u);
    EXPECT_NEAR(log[3], std::log(8.0), 1e-4);
    EXPECT_TRUE(folder.has("dump/neg.UnaryOp.0.npy"));
}

TEST_F(Command, CheckStopsAtTheFirstNaN) {
    EXPECT_EQ(mnn(run({1, 2, 4, 8}) + " --check").status, 0);
    const Ended ended = mnn(run({1, 2, -4, 8}) + " --check --dump " + shellQuoted(folder / "dump"));
    EXPECT_NE(ended.status, 0);
    EXPECT_TRUE(ended.mentions("op 'log'")) << ended.text;
    EXPECT_TRUE(ended.mentions("NaN at element 2")) << ended.text;
    EXPECT_TRUE(folder.has("dump/log.UnaryOp.0.npy"));
    EXPECT_FALSE(folder.has("dump/neg.UnaryOp.0.npy")) << "nothing runs after the fault";
    EXPECT_TRUE(mnn(run({1, 0, 4, 8}) + " --check").mentions("infinity at element 1"));
}

TEST_F(Command, BenchPrintsATableOrJson) {
    const Ended table = mnn("bench " + shellQuoted(model) + " --loops 3 --warmup 1");
    EXPECT_EQ(table.status, 0) << table.text;
    EXPECT_TRUE(table.mentions("median")) << table.text;
    const Ended ended = mnn("bench " + shellQuoted(folder / "") + " --loops 3 --warmup 0 --threads 2 --json");
    ASSERT_EQ(ended.status, 0) << ended.text;
    const json rows = json::parse(ended.text);
    ASSERT_EQ(rows.size(), 1u) << "a folder stands for its .mnn files";
    for (const char* key :
         {"load_ms", "create_ms", "first_ms", "min_ms", "median_ms", "p95_ms", "p99_ms", "max_ms", "peak_mb"}) {
        EXPECT_TRUE(rows[0].at(key).is_number()) << key;
    }
    EXPECT_LE(rows[0]["min_ms"].get<double>(), rows[0]["median_ms"].get<double>());
    EXPECT_EQ(rows[0]["threads"], 2);
    EXPECT_NE(mnn("bench " + shellQuoted(model) + " --loops 0").status, 0);
}

TEST_F(Command, ProfileCountsEveryCommand) {
    const Ended ended =
        mnn("profile " + shellQuoted(model) + " --loops 2 --json --trace " + shellQuoted(folder / "trace.json"));
    ASSERT_EQ(ended.status, 0) << ended.text;
    const json profile = json::parse(ended.text);
    EXPECT_GE(profile.at("commands").size(), 2u);
    EXPECT_EQ(profile["commands"][0].at("name"), "log");
    EXPECT_GT(profile.at("total_us").get<double>(), 0);
    const json trace = json::parse(folder.read("trace.json"));
    EXPECT_EQ(trace.at("traceEvents").size(), 2 * profile["commands"].size());
    EXPECT_TRUE(mnn("profile " + shellQuoted(model)).mentions("UnaryOp"));
}

TEST_F(Command, InspectShowsWhatIsInsideAndWhatIsLeft) {
    const Ended ended = mnn("inspect " + shellQuoted(model) + " --json");
    ASSERT_EQ(ended.status, 0) << ended.text;
    const json report = json::parse(ended.text);
    EXPECT_EQ(report.at("ops").at("UnaryOp"), 2);
    EXPECT_EQ(report.at("ops").at("Permute"), 1);
    EXPECT_EQ(report.at("inputs")[0][0], "x");
    EXPECT_EQ(report.at("outputs")[0][1], "float32[4,1]");
    EXPECT_TRUE(report.at("rasters").is_array());
    EXPECT_TRUE(mnn("inspect " + shellQuoted(model) + " --shape x=1x7").mentions("float32[7,1]"));
    EXPECT_NE(mnn("inspect " + shellQuoted(model) + " --shape x=1xq").status, 0);
    EXPECT_NE(mnn("inspect " + shellQuoted(model) + " --shape z=1x7").status, 0);
}

TEST_F(Command, BackendsListsTheCpu) {
    const Ended ended = mnn("backends --kernels");
    EXPECT_EQ(ended.status, 0);
    EXPECT_TRUE(ended.mentions("cpu")) << ended.text;
    EXPECT_TRUE(ended.mentions("Convolution")) << ended.text;
}

TEST_F(Command, HelpShowsAnExample) {
    for (const char* command : {"run", "bench", "profile", "inspect", "backends", "conformance"}) {
        const Ended ended = mnn(std::string(command) + " --help");
        EXPECT_EQ(ended.status, 0);
        EXPECT_TRUE(ended.mentions(std::string("Example: mnn ") + command)) << ended.text;
    }
}

std::string tensor(const std::vector<float>& values) {
    onnx::TensorProto t;
    t.set_data_type(onnx::TensorProto::FLOAT);
    t.add_dims(static_cast<int64_t>(values.size()));
    for (float v : values) t.add_float_data(v);
    return t.SerializeAsString();
}

// A test folder of y = op(x) with these reference values.
void writeTest(const Folder& folder, const std::string& name, const std::string& op, const std::vector<float>& y) {
    std::filesystem::create_directories(folder / (name + "/test_data_set_0"));
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(13);
    auto* node = model.mutable_graph()->add_node();
    node->set_op_type(op);
    node->add_input("x");
    node->add_output("y");
    auto* input = model.mutable_graph()->add_input();
    input->set_name("x");
    input->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
    input->mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(2);
    model.mutable_graph()->add_output()->set_name("y");
    folder.write(name + "/model.onnx", model.SerializeAsString());
    folder.write(name + "/test_data_set_0/input_0.pb", tensor({1, -2}));
    folder.write(name + "/test_data_set_0/output_0.pb", tensor(y));
}

TEST_F(Command, ConformanceTellsPassedFromFailed) {
    writeTest(folder, "node/test_neg", "Neg", {-1, 2});
    const Ended passed = mnn("conformance " + shellQuoted(folder / "node"));
    EXPECT_EQ(passed.status, 0) << passed.text;
    EXPECT_TRUE(passed.mentions("1 passed, 0 failed, 0 skipped")) << passed.text;
    writeTest(folder, "node/test_abs", "Abs", {1, 3});
    writeTest(folder, "node/test_wibble", "Wibble", {1, 3});
    const Ended failed =
        mnn("conformance " + shellQuoted(folder / "node") + " --json " + shellQuoted(folder / "result.json"));
    EXPECT_NE(failed.status, 0);
    EXPECT_TRUE(failed.mentions("1 passed, 2 failed, 0 skipped")) << failed.text;
    EXPECT_TRUE(failed.mentions("element 1 is 2.0")) << failed.text;
    const json rows = json::parse(folder.read("result.json"));
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[1].at("test"), "node/test_neg");
    EXPECT_EQ(rows[1].at("result"), "passed");
    EXPECT_EQ(rows[2].at("result"), "failed");
    EXPECT_EQ(mnn("conformance " + shellQuoted(folder / "node") + " --filter test_neg").status, 0);
    EXPECT_NE(mnn("conformance " + shellQuoted(folder / "node") + " --filter nothing").status, 0)
        << "no test is no success";
    EXPECT_NE(mnn("conformance " + shellQuoted(folder / "absent")).status, 0);
}

}  // namespace
