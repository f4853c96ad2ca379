// Case C21 for ONNX: what is broken ends in one sentence that names the trouble, never in a crash.
#include <sys/resource.h>
#include <random>
#include "OnnxBuilder.hpp"
#include "Process.hpp"

namespace {

using namespace cases;
using namespace mnn_test;
namespace fs = std::filesystem;

TestModel sample() {
    TestModel m(13);
    m.input("x", {1, 4, 6, 6}).output("y").weight("w", {4, 4, 3, 3}, wave(144)).weight("b", {4}, wave(4));
    m.ints("shape", {1, -1})
        .ints("starts", {1})
        .ints("ends", {INT64_MAX})
        .ints("axes", {1})
        .ints("pads", {0, 1, 0, 1})
        .ints("index", {0, 2});
    attr(m.node("Conv", {"x", "w", "b"}, {"c"}), "pads", std::vector<int64_t>{1, 1, 1, 1});
    m.node("Relu", {"c"}, {"r"});
    auto* pool = m.node("MaxPool", {"r"}, {"p"});
    attr(pool, "kernel_shape", std::vector<int64_t>{2, 2});
    attr(pool, "strides", std::vector<int64_t>{2, 2});
    m.node("Reshape", {"p", "shape"}, {"f"});
    m.node("Slice", {"f", "starts", "ends", "axes"}, {"s"});
    m.node("Pad", {"s", "pads"}, {"d"});
    attr(m.node("Gather", {"d", "index"}, {"g"}), "axis", int64_t(1));
    attr(m.node("Concat", {"g", "d"}, {"j"}), "axis", int64_t(1));
    m.node("Softmax", {"j"}, {"y"});
    return m;
}

// Converts and, when that succeeds, loads the result; the sentence of a refusal comes back.
std::string attempt(const std::string& bytes) {
    MNN::Converter::OnnxModel model;
    try {
        MNN::Converter::parseOnnx(bytes.data(), bytes.size(), model);
        MNN::Converter::Graph graph = MNN::Converter::importOnnx(model, MNN::Converter::ImportOptions());
        MNN::Converter::optimize(graph, kDefaultLevel, false);
        const auto net = MNN::Converter::toNet(graph, MNN::Converter::WriteOptions());
        flatbuffers::FlatBufferBuilder builder;
        builder.Finish(MNN::Net::Pack(builder, net.get()));
        Messages log;
        const Engine engine({builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()});
        return engine.ready() ? "" : "the engine refuses it: " + log.text();
    } catch (const ConvertError& error) {
        EXPECT_STRNE(error.what(), "");
        return error.what();
    }
}

std::string convertCommand(const Folder& folder, const std::string& file) {
    return "-f ONNX --modelFile " + shellQuoted(file) + " --MNNModel " + shellQuoted(folder / "out.mnn") +
           " --bizCode test";
}

// Non-zero, one sentence, no crash, nothing written.
void expectRefused(const Folder& folder, const std::string& file, const std::string& part) {
    const Ended ended = runProcess(MNN_CONVERT_COMMAND, convertCommand(folder, file));
    EXPECT_FALSE(ended.crashed) << ended.text;
    EXPECT_NE(ended.status, 0) << ended.text;
    EXPECT_TRUE(ended.mentions(part)) << ended.text;
    EXPECT_FALSE(folder.has("out.mnn"));
}

// One model, in a file, refused by the command with `part` in the sentence.
void expectRefused(const TestModel& m, const std::string& part) {
    const Folder folder("mnn_case_c21");
    expectRefused(folder, folder.write("m.onnx", m.model.proto.SerializeAsString()), part);
}

TEST(CaseC21, FilesThatAreNoModel) {
    const Folder folder("mnn_case_c21");
    const std::string bytes[] = {"", std::string(8, '\0'), std::string("\x18\0\0\0TFL3", 8), "a text"};
    for (const std::string& content : bytes) expectRefused(folder, folder.write("m.onnx", content), "MNNConvert: ");
    expectRefused(folder, folder / "absent.onnx", "absent.onnx");
}

TEST(CaseC21, CutAtEverySixteenth) {
    const std::string good = sample().model.proto.SerializeAsString();
    EXPECT_EQ(attempt(good), "");
    const Folder folder("mnn_case_c21");
    for (size_t part = 0; part < 16; ++part) {
        const std::string cut = good.substr(0, good.size() * part / 16);
        EXPECT_NE(attempt(cut), "") << part;
        expectRefused(folder, folder.write("m.onnx", cut), "MNNConvert: ");
    }
}

size_t peakBytes() {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<size_t>(usage.ru_maxrss) * 1024;
}

TEST(CaseC21, AThousandMutations) {
    const std::string good = sample().model.proto.SerializeAsString();
    const size_t before = peakBytes();
    for (uint32_t seed = 0; seed < 1000; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        std::string bytes = good;
        for (uint32_t changes = 1 + random() % 4; changes > 0; --changes) {
            const size_t at = random() % bytes.size();
            switch (random() % 4) {
                case 0:
                    bytes[at] = static_cast<char>(random());
                    break;
                case 1:
                    bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
                    break;
                case 2:
                    bytes.erase(at, 1 + random() % 8);
                    break;
                default:
                    bytes.insert(at, 1 + random() % 8, static_cast<char>(random()));
                    break;
            }
        }
        attempt(bytes);
    }
    EXPECT_LT(peakBytes() - before, size_t(64) << 20) << "a damaged size must not become an allocation";
}

TEST(CaseC21, ExternalData) {
    const Folder outside("mnn_case_c21_outside"), folder("mnn_case_c21");
    const float ones[] = {1, 1, 1};
    const std::string values(reinterpret_cast<const char*>(ones), sizeof(ones));
    const std::string elsewhere = outside.write("x", values);
    folder.write("inside.bin", values);
    fs::create_symlink("inside.bin", folder / "sibling.bin");
    fs::create_symlink(elsewhere, folder / "escape.bin");
    const auto withLocation = [&](const std::string& location) {
        TestModel m(13);
        m.input("x", {3}).output("y");
        auto* w = m.graph()->add_initializer();
        w->set_name("w");
        w->set_data_type(onnx::TensorProto::FLOAT);
        w->add_dims(3);
        w->set_data_location(onnx::TensorProto::EXTERNAL);
        auto* entry = w->add_external_data();
        entry->set_key("location");
        entry->set_value(location);
        m.node("Add", {"x", "w"}, {"y"});
        return folder.write("m.onnx", m.model.proto.SerializeAsString());
    };
    for (const std::string& location :
         {std::string("../../x"), elsewhere, std::string("escape.bin"), std::string("gone.bin"), std::string("")}) {
        expectRefused(folder, withLocation(location), "'w'");
    }
    for (const char* location : {"inside.bin", "sibling.bin", "./inside.bin"}) {
        const Ended ended = runProcess(MNN_CONVERT_COMMAND, convertCommand(folder, withLocation(location)));
        EXPECT_EQ(ended.status, 0) << ended.text;
        ASSERT_TRUE(folder.has("out.mnn"));
        const std::string bytes = folder.read("out.mnn");
        const Engine engine({bytes.begin(), bytes.end()});
        ASSERT_EQ(engine.run({{"x", ramp({3})}}), MNN::NO_ERROR);
        expectNear(engine.get("y"), data({3}, {1, 2, 3}));
        fs::remove(folder / "out.mnn");
    }
}

TestModel gather(int64_t index) {
    TestModel m(13);
    m.input("x", {3}).output("y").ints("i", {index});
    m.node("Gather", {"x", "i"}, {"y"});
    return m;
}

TEST(CaseC21, GatherIndex) {
    expectRefused(gather(7), "index 7");
    expectOutputs(gather(-1), {{"x", ramp({3})}}, {{"y", data({1}, {2})}});
}

// An index that only the run time knows is refused by the run, or clamped: never read outside.
TEST(CaseC21, GatherIndexAtRunTime) {
    TestModel m(13);
    m.input("x", {3}).input("i", {2}, onnx::TensorProto::INT64).output("y");
    m.node("Gather", {"x", "i"}, {"y"});
    expectOutputs(m, {{"x", ramp({3})}, {"i", data({2}, {-1, 1})}}, {{"y", data({2}, {2, 1})}});
    Messages log;
    const Engine engine(convert(m, kDefaultLevel));
    if (engine.run({{"x", ramp({3})}, {"i", data({2}, {7, -9})}}) == MNN::NO_ERROR) {
        for (double v : engine.get("y").values) EXPECT_TRUE(v == 0 || v == 1 || v == 2) << v;
    } else {
        EXPECT_NE(log.text(), "");
    }
}

TEST(CaseC21, EinsumWithTooFewInputs) {
    TestModel m(13);
    m.input("a", {2, 3}).input("b", {3, 4}).output("y");
    attr(m.node("Einsum", {"a", "b"}, {"y"}), "equation", "ij,jk,kl->il");
    expectRefused(m, "Einsum");
}

TEST(CaseC21, ConvolutionGroups) {
    for (int64_t group : {int64_t(0), int64_t(3), int64_t(-1), INT64_MAX}) {
        TestModel m(13);
        m.input("x", {1, 4, 8, 8}).output("y").weight("w", {4, 4, 3, 3}, wave(144));
        attr(m.node("Conv", {"x", "w"}, {"y"}), "group", group);
        expectRefused(m, "group");
    }
}

TEST(CaseC21, AbsurdConstantOfShape) {
    TestModel m(13);
    m.input("x", {3}).output("y").ints("s", {17592186044800});
    m.node("ConstantOfShape", {"s"}, {"c"});
    m.node("Add", {"x", "c"}, {"y"});
    expectRefused(m, "ConstantOfShape");
}

TEST(CaseC21, ReshapeToAnotherNumberOfElements) {
    TestModel m(13);
    m.input("x", {2, 3}).output("y").ints("s", {1, 2, 4});
    m.node("Reshape", {"x", "s"}, {"y"});
    expectRefused(m, "Reshape");
}

}  // namespace
