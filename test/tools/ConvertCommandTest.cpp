// The options of MNNConvert, as a user gives them.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "Process.hpp"
#include "converter/NetTools.hpp"

namespace {

using namespace MNN;
using namespace MNN::Converter;
using namespace mnn_test;

// y = MatMul(Relu(Conv(x)) flattened, m)
TestModel smallModel(const std::vector<int64_t>& shape = {1, 32, 2, 2}) {
    TestModel m(13);
    m.input("x", shape).output("y");
    m.weight("w", {16, 32, 1, 1}, wave(512)).weight("m", {64, 4}, wave(256)).ints("s", {-1, 64});
    m.node("Conv", {"x", "w"}, {"c"});
    m.node("Relu", {"c"}, {"r"});
    m.node("Reshape", {"r", "s"}, {"f"});
    m.node("MatMul", {"f", "m"}, {"y"});
    return m;
}

class Convert : public ::testing::Test {
protected:
    Convert() : folder("mnn_convert_test"), model(put(smallModel())) {}

    std::string put(const TestModel& m) const { return folder.write("m.onnx", m.model.proto.SerializeAsString()); }
    Ended onnx(const std::string& options) const {
        return end("-f ONNX --modelFile " + shellQuoted(model) + " --MNNModel " + shellQuoted(folder / "m.mnn") + " " +
                   options);
    }
    static Ended end(const std::string& arguments) {
        const Ended ended = runProcess(MNN_CONVERT_COMMAND, arguments);
        EXPECT_FALSE(ended.crashed) << ended.text;
        return ended;
    }
    std::unique_ptr<NetT> converted(const std::string& options) const {
        const Ended ended = onnx(options);
        EXPECT_EQ(ended.status, 0) << ended.text;
        return loadNet(folder / "m.mnn");
    }
    // Of the one convolution whose name ends so.
    static const Convolution2DT& conv(const NetT& net, const std::string& tail) {
        for (const auto& op : net.oplists) {
            const bool named = op->name.size() >= tail.size() &&
                               op->name.compare(op->name.size() - tail.size(), tail.size(), tail) == 0;
            if (named && op->main.AsConvolution2D()) return *op->main.AsConvolution2D();
        }
        throw ConvertError("no convolution ends in " + tail);
    }

    const Folder folder;
    const std::string model;
};

constexpr const char* kMatMul = "__matmul_converted";

TEST_F(Convert, WeightQuantBitsReachConvolutionsAndMatMuls) {
    const auto net = converted("--weightQuantBits 4 --weightQuantBlock 16");
    for (const char* name : {"", kMatMul}) {
        ASSERT_NE(conv(*net, name).quanParameter, nullptr) << name;
        EXPECT_EQ(conv(*net, name).quanParameter->aMaxOrBits, 4);
    }
    const auto kept = converted("--weightQuantBits 4 --convertMatmulToConv 0");
    EXPECT_NE(typesOf(*kept).find("MatMul"), std::string::npos);
    EXPECT_NE(typesOf(*converted("")).find("MatMul"), std::string::npos);
}

TEST_F(Convert, FormsOfQuantisedWeights) {
    const auto plain = converted("--weightQuantBits 4"), hqq = converted("--weightQuantBits 4 --hqq");
    EXPECT_NE(conv(*plain, kMatMul).quanParameter->alpha, conv(*hqq, kMatMul).quanParameter->alpha);
    const auto forced = converted("--weightQuantBits 4 --hqq --weightQuantAsymmetric 0");
    EXPECT_GT(conv(*forced, kMatMul).quanParameter->readType, 0) << "--hqq is asymmetric";
    EXPECT_EQ(conv(*converted("--weightQuantBits 4 --weightQuantAsymmetric false"), kMatMul).quanParameter->readType,
              0);
    EXPECT_GT(conv(*converted("--weightQuantBits 4 --weightQuantAsymmetric"), kMatMul).quanParameter->readType, 0);
    const auto halves = converted("--weightQuantBits 8 --weightQuantScaleBit 16");
    EXPECT_EQ(conv(*halves, kMatMul).quanParameter->alphaFp16.size(), 8u);
    EXPECT_NE(onnx("--weightQuantBits 8 --weightQuantScaleBit 8").status, 0);
}

TEST_F(Convert, CompressionParamsFileIsWrittenThenObeyed) {
    const std::string plan = folder / "plan.json", option = "--compressionParamsFile " + shellQuoted(plan);
    converted(option + " --weightQuantBits 8");
    nlohmann::json json = nlohmann::json::parse(folder.read("plan.json"));
    auto& layers = json["algo"][0]["quantParams"]["layer"];
    ASSERT_EQ(layers.size(), 2u);
    layers[1]["weight"][0]["bits"] = 3;
    folder.write("plan.json", json.dump());
    const auto net = converted(option);
    EXPECT_EQ(conv(*net, "").quanParameter->aMaxOrBits, 8);
    EXPECT_EQ(conv(*net, kMatMul).quanParameter->aMaxOrBits, 3);
    json["forGuide"] = false;
    folder.write("plan.json", json.dump());
    const Ended refused = onnx(option);
    EXPECT_NE(refused.status, 0);
    EXPECT_TRUE(refused.mentions("forGuide")) << refused.text;
}

TEST_F(Convert, JsonGoesOutAndComesBack) {
    converted("--weightQuantBits 8");
    const std::string json = shellQuoted(folder / "m.json"), again = shellQuoted(folder / "again.mnn");
    Ended ended = end("-f MNN --modelFile " + shellQuoted(folder / "m.mnn") + " --JsonFile " + json);
    EXPECT_EQ(ended.status, 0) << ended.text;
    EXPECT_NO_THROW(nlohmann::json::parse(folder.read("m.json")));
    ended = end("-f JSON --modelFile " + json + " --MNNModel " + again);
    EXPECT_EQ(ended.status, 0) << ended.text;
    EXPECT_EQ(folder.read("again.mnn"), folder.read("m.mnn"));
    folder.write("m.json", "{\"oplists\": [}");
    ended = end("-f JSON --modelFile " + json + " --MNNModel " + again);
    EXPECT_NE(ended.status, 0);
    EXPECT_TRUE(ended.mentions("m.json")) << ended.text;
}

TEST_F(Convert, AModelIsQuantisedAgainWithItsSideFile) {
    converted("--saveExternalData");
    const std::string out = folder / "small.mnn";
    const Ended ended = end("-f MNN --modelFile " + shellQuoted(folder / "m.mnn") + " --MNNModel " + shellQuoted(out) +
                            " --weightQuantBits 8");
    EXPECT_EQ(ended.status, 0) << ended.text;
    const auto net = loadNet(out);
    EXPECT_NE(conv(*net, kMatMul).quanParameter, nullptr);
    EXPECT_TRUE(conv(*net, "").external.empty());
}

TEST_F(Convert, InputConfigFileFixesSizes) {
    put(smallModel({-1, 32, -1, 2}));
    const auto dims = [&](const char* text) {
        folder.write("sizes.txt", text);
        const auto net = converted("--inputConfigFile " + shellQuoted(folder / "sizes.txt"));
        return net->oplists[0]->main.AsInput()->dims;
    };
    EXPECT_EQ(dims("input_size = 1\ninput_names = x\ninput_dims = 3x32x2x2\n"), (std::vector<int>{3, 32, 2, 2}));
    const std::string option = "--inputConfigFile " + shellQuoted(folder / "sizes.txt");
    for (const char* wrong :
         {"", "input_names = x", "input_names = z\ninput_dims = 3x32x2x2", "input_names = x\ninput_dims = 3x32x2",
          "input_names = x\ninput_dims = 3x31x2x2", "input_names = x\ninput_dims = 3x32xax2"}) {
        folder.write("sizes.txt", wrong);
        EXPECT_NE(onnx(option).status, 0) << wrong;
    }
}

TEST_F(Convert, AllowCustomOpKeepsUnknownNodes) {
    TestModel m(13);
    m.input("x", {2}).output("y");
    auto* node = m.node("Frobnicate", {"x"}, {"a"});
    attr(node, "times", int64_t{3});
    attr(node, "by", 0.5f);
    attr(node, "how", "gently");
    attr(node, "axes", std::vector<int64_t>{1, 2});
    m.node("Neg", {"a"}, {"y"});
    put(m);
    EXPECT_NE(onnx("").status, 0);
    const auto net = converted("--allowCustomOp");
    const auto& op = *net->oplists[1];
    ASSERT_EQ(op.type, OpType_Extra);
    const ExtraT& extra = *op.main.AsExtra();
    EXPECT_EQ(extra.engine, "ONNX");
    EXPECT_EQ(extra.type, "Frobnicate");
    ASSERT_EQ(extra.attr.size(), 4u);
    EXPECT_EQ(extra.attr[0]->i, 3);
    EXPECT_EQ(extra.attr[1]->f, 0.5f);
    EXPECT_EQ(extra.attr[2]->s, "gently");
    EXPECT_EQ(extra.attr[3]->list->i, (std::vector<int>{1, 2}));
}

TEST_F(Convert, GeluApproximationIsAskedFor) {
    TestModel m(20);
    m.input("x", {2}).output("y");
    m.node("Gelu", {"x"}, {"y"});
    put(m);
    const auto kind = [](const NetT& net) { return net.oplists.back()->main.AsUnaryOp()->opType; };
    EXPECT_EQ(kind(*converted("")), UnaryOpOperation_GELU_STANDARD);
    EXPECT_EQ(kind(*converted("--useGeluApproximation 1")), UnaryOpOperation_GELU);
    EXPECT_EQ(kind(*converted("--useGeluApproximation 0")), UnaryOpOperation_GELU_STANDARD);
}

TEST_F(Convert, TestConfigSaysHowTheEngineRuns) {
    TestModel m(13);
    m.input("x", {2}).output("y");
    m.node("Neg", {"x"}, {"y"});
    put(m);
    folder.write("input.json", R"({"inputs": [{"name": "x"}], "outputs": ["y"]})");
    folder.write("x.txt", "1 2");
    folder.write("y.txt", "-1 -2");
    const std::string option =
        "--testdir " + shellQuoted(folder / "") + " --testconfig " + shellQuoted(folder / "c.json");
    folder.write("c.json", R"({"backend": 0, "mode": 2, "precision": 1, "hints": [4, 65535]})");
    EXPECT_EQ(onnx(option).status, 0);
    folder.write("c.json", "{");
    EXPECT_NE(onnx(option).status, 0);
    EXPECT_NE(onnx(option + "x").status, 0);
}

TEST_F(Convert, OptionsOfOthersAreNamedOrRefused) {
    const Ended ignored = onnx("--keepInputFormat 1 --forTraining --targetVersion 3.0 --detectSparseSpeedUp");
    EXPECT_EQ(ignored.status, 0) << ignored.text;
    for (const char* name : {"--keepInputFormat", "--forTraining", "--targetVersion", "--detectSparseSpeedUp"})
        EXPECT_TRUE(ignored.mentions(name)) << ignored.text;
    EXPECT_EQ(ignored.text.find("ignored:"), ignored.text.rfind("ignored:")) << "one warning for all: " << ignored.text;
    EXPECT_FALSE(onnx("").mentions("ignored"));
    for (const char* option : {"--prototxt a.prototxt", "--customOpLibs a.so", "--rknn"}) {
        const Ended refused = onnx(option);
        EXPECT_NE(refused.status, 0) << option;
        EXPECT_TRUE(refused.mentions("not supported") || refused.mentions("RKNN")) << refused.text;
    }
    EXPECT_NE(onnx("--noSuchOption").status, 0);
    const Ended help = end("--help");
    for (const char* name : {"--benchmarkModel", "--transformerFuse", "--groupConvNative", "Refused", "Ignored"})
        EXPECT_TRUE(help.mentions(name)) << name;
}

}  // namespace
