#include <filesystem>
#include <fstream>

#include "OnnxModels.hpp"
#include "gtest/gtest.h"

using namespace MNN::Converter;
namespace fs = std::filesystem;

namespace {

// A folder that goes away with the test.
struct Folder {
    Folder() : path(fs::temp_directory_path() / "mnn_external_data_test") {
        fs::remove_all(path);
        fs::create_directories(path / "model");
    }
    ~Folder() { fs::remove_all(path); }
    const fs::path path;
};

std::string externalFailure(const Folder& folder, const std::string& location, const char* length = "12") {
    TestModel m(13);
    m.input("x", {3}).output("y");
    auto* w = m.graph()->add_initializer();
    w->set_name("w");
    w->set_data_type(onnx::TensorProto::FLOAT);
    w->add_dims(3);
    w->set_data_location(onnx::TensorProto::EXTERNAL);
    const auto entry = [&](const char* key, const std::string& value) {
        auto* e = w->add_external_data();
        e->set_key(key);
        e->set_value(value);
    };
    entry("location", location);
    entry("length", length);
    m.node("Add", {"x", "w"}, {"y"});
    m.model.path = (folder.path / "model" / "m.onnx").string();
    std::ofstream(m.model.path) << "x";
    return m.failure();
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST(OnnxReader, RefusesWhatIsNotAModel) {
    OnnxModel model;
    EXPECT_THROW(parseOnnx("", 0, model), ConvertError);
    EXPECT_THROW(parseOnnx("\0\0\0\0\0\0\0\0", 8, model), ConvertError);
    EXPECT_THROW(parseOnnx("\x18\0\0\0TFL3", 8, model), ConvertError);
    EXPECT_THROW(readOnnx("does/not/exist.onnx", model), ConvertError);
}

TEST(OnnxReader, NamesNodeOfMissingInputAndCycle) {
    TestModel missing(13);
    missing.input("x", {2}).output("y");
    missing.node("Add", {"x", "nothing"}, {"y"});
    EXPECT_TRUE(has(missing.failure(), "Add 'Add_1': input 'nothing' is made by no node"));
    TestModel cycle(13);
    cycle.input("x", {2}).output("y");
    cycle.node("Add", {"x", "b"}, {"a"});
    cycle.node("Relu", {"a"}, {"b"});
    cycle.node("Relu", {"b"}, {"y"});
    EXPECT_TRUE(has(cycle.failure(), "cycle"));
}

TEST(OnnxReader, SortsNodes) {
    TestModel m(13);
    m.input("x", {2}).output("y");
    m.node("Neg", {"a"}, {"y"});
    m.node("Relu", {"x"}, {"a"});
    EXPECT_EQ(typesOf(m.import()), "ReLU UnaryOp ");
}

TEST(OnnxReader, ListsEveryUnsupportedNode) {
    TestModel m(13);
    m.input("x", {2}).output("y");
    m.node("Exq", {"x"}, {"a"});
    m.node("Relu", {"a"}, {"b"});
    m.node("Frobnicate", {"b"}, {"c"});
    m.node("Mish", {"c"}, {"y"});
    const std::string text = m.failure();
    EXPECT_TRUE(has(text, "3 node(s)")) << text;
    EXPECT_TRUE(has(text, "Exq 'Exq_1' (opset 13)")) << text;
    EXPECT_TRUE(has(text, "the nearest name that is: Exp")) << text;
    EXPECT_TRUE(has(text, "Frobnicate 'Frobnicate_3'")) << text;
    EXPECT_TRUE(has(text, "from opset 18 on")) << text;
}

TEST(OnnxReader, KeepsExternalDataInTheModelsFolder) {
    const Folder folder;
    const std::string bytes(12, '\0');
    std::ofstream(folder.path / "outside.bin") << bytes;
    std::ofstream(folder.path / "model" / "inside.bin") << bytes;
    fs::create_symlink("inside.bin", folder.path / "model" / "sibling.bin");
    fs::create_symlink("../outside.bin", folder.path / "model" / "escape.bin");
    EXPECT_EQ(externalFailure(folder, "inside.bin"), "");
    EXPECT_EQ(externalFailure(folder, "sibling.bin"), "");
    EXPECT_TRUE(has(externalFailure(folder, "../outside.bin"), "leaves the model's folder"));
    EXPECT_TRUE(has(externalFailure(folder, "escape.bin"), "leaves the model's folder"));
    EXPECT_TRUE(has(externalFailure(folder, (folder.path / "outside.bin").string()), "relative"));
    EXPECT_TRUE(has(externalFailure(folder, "missing.bin"), "is missing"));
    EXPECT_TRUE(has(externalFailure(folder, "inside.bin", "13"), "needs 12 bytes"));
    EXPECT_TRUE(has(externalFailure(folder, "inside.bin", "99999999999999999999"), "valid number"));
}

TEST(OnnxReader, ChecksTensorSizes) {
    TestModel m(13);
    m.input("x", {2}).output("y").weight("w", {1 << 30, 1 << 30}, {1.0f});
    m.node("Add", {"x", "w"}, {"y"});
    EXPECT_TRUE(has(m.failure(), "too large"));
    TestModel fewer(13);
    fewer.input("x", {2}).output("y").weight("w", {1000, 1000}, {1.0f});
    fewer.node("Add", {"x", "w"}, {"y"});
    EXPECT_TRUE(has(fewer.failure(), "holds 4 bytes"));
}

TEST(OnnxReader, Int64SaturatesExactly) {
    TestModel m(13);
    m.input("x", {5}).output("y").ints("s", {-1}).ints("e", {INT64_MIN}).ints("a", {0}).ints("t", {-1});
    m.node("Slice", {"x", "s", "e", "a", "t"}, {"y"});
    const Graph graph = m.import();
    bool found = false;
    for (const auto& op : graph.ops) {
        const auto* blob = op->main.AsBlob();
        found |= blob && blob->int32s == std::vector<int>{INT32_MIN};
    }
    EXPECT_TRUE(found);
    EXPECT_EQ(graph.tensors[graph.outputs[0]].dims, Dims{5});
}

TEST(OnnxReader, InlinesLocalFunctions) {
    TestModel m(13);
    m.input("x", {2}).output("y");
    auto* f = m.model.proto.add_functions();
    f->set_domain("own");
    f->set_name("Times");
    f->add_input("a");
    f->add_output("b");
    f->add_attribute("factor");
    auto* c = f->add_node();
    c->set_op_type("Constant");
    c->add_output("k");
    attribute(c, "value_float", onnx::AttributeProto::FLOAT)->set_ref_attr_name("factor");
    auto* mul = f->add_node();
    mul->set_op_type("Mul");
    mul->add_input("a");
    mul->add_input("k");
    mul->add_output("b");
    auto* call = m.node("Times", {"x"}, {"t"});
    call->set_domain("own");
    attr(call, "factor", 3.0f);
    m.node("Neg", {"t"}, {"y"});
    const Graph graph = m.import();
    EXPECT_EQ(typesOf(graph), "BinaryOp UnaryOp ");
    EXPECT_EQ(firstOf(graph, MNN::OpType_Const)->main.AsBlob()->float32s, std::vector<float>{3.0f});
}

// Any bytes either convert or are refused in a sentence.
TEST(OnnxReader, SurvivesDamagedFiles) {
    TestModel m(11);
    m.input("x", {1, 2, 5, 5}).output("y").weight("w", {2, 2, 3, 3}, std::vector<float>(36, 0.5f)).ints("s", {1, -1});
    attr(m.node("Conv", {"x", "w"}, {"c"}), "pads", std::vector<int64_t>{1, 1, 1, 1});
    m.node("Relu", {"c"}, {"r"});
    m.node("Reshape", {"r", "s"}, {"f"});
    m.node("Softmax", {"f"}, {"y"});
    const std::string good = m.model.proto.SerializeAsString();
    const auto attempt = [](const std::string& bytes) {
        OnnxModel model;
        try {
            parseOnnx(bytes.data(), bytes.size(), model);
            Graph graph = importOnnx(model, ImportOptions());
            optimize(graph, 1, false);
            toNet(graph, WriteOptions());
        } catch (const ConvertError&) {
        }
    };
    attempt(good);
    for (size_t cut = 0; cut < good.size(); cut += good.size() / 64 + 1) attempt(good.substr(0, cut));
    for (size_t i = 0; i < good.size(); ++i) {
        for (unsigned char value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
            std::string damaged = good;
            damaged[i] = static_cast<char>(value);
            attempt(damaged);
        }
    }
}
