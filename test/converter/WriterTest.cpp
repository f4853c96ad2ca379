#include <cmath>
#include <filesystem>
#include <fstream>

#include "NetTools.hpp"
#include "gtest/gtest.h"
#include "writer/NetJson.hpp"
#include "writer/QuantizeGroup.hpp"

using namespace MNN;
using namespace MNN::Converter;
namespace fs = std::filesystem;

namespace {

std::unique_ptr<NetT> convNet(int outputs, int inputs, const WriteOptions& options) {
    TestModel m(11);
    m.input("x", {1, inputs, 4, 4}).output("y").weight("w", {outputs, inputs, 1, 1}, wave(outputs * inputs));
    m.node("Conv", {"x", "w"}, {"y"});
    Graph graph = m.optimized();
    auto net = toNet(graph, options);
    compressWeights(*net, options);
    return net;
}

const Convolution2DT& convOf(const NetT& net) {
    for (const auto& op : net.oplists) {
        if (op->type == OpType_Convolution) return *op->main.AsConvolution2D();
    }
    throw ConvertError("no convolution");
}

// Decodes the dense coding the way its description reads.
std::vector<float> decode(const IDSTQuanT& q, size_t rows) {
    const auto* p = reinterpret_cast<const uint8_t*>(q.buffer.data());
    EXPECT_EQ(*p++, 2);
    size_t dims[2] = {0, 0};
    for (size_t& d : dims) {
        for (int i = 0; i < (q.shapeInt32 ? 4 : 2); ++i) d |= static_cast<size_t>(*p++) << (8 * i);
    }
    EXPECT_EQ(dims[0], rows);
    const size_t map = *p == 0 ? 256 : *p;
    const auto* values = reinterpret_cast<const int8_t*>(++p);
    p += map;
    int bits = 0;
    while ((size_t(1) << bits) < map) ++bits;
    const size_t count = dims[0] * dims[1];
    const bool asymmetric = q.readType > 0;
    std::vector<float> alpha = q.alpha;
    if (q.scaleStorage == ScaleStorageType_FP16) {
        EXPECT_TRUE(alpha.empty());
        for (uint16_t half : q.alphaFp16) alpha.push_back(halfToFloat(half));
    }
    const size_t groups = asymmetric ? alpha.size() / 2 : alpha.size();
    std::vector<float> out(count);
    for (size_t i = 0, at = 0; i < count; ++i) {
        unsigned index = 0;
        for (int b = 0; b < bits; ++b, ++at) index = index << 1 | (p[at / 8] >> (7 - at % 8) & 1);
        const size_t g = i / (count / groups);
        const float value = values[index];
        out[i] = asymmetric ? value * alpha[2 * g + 1] + (alpha[2 * g] - q.aMin * alpha[2 * g + 1]) : value * alpha[g];
    }
    return out;
}

}  // namespace

TEST(Writer, QuantisedWeightsStayWithinHalfAStep) {
    for (int bits = 2; bits <= 8; ++bits) {
        for (int form = 0; form < 8; ++form) {
            WriteOptions options;
            options.weightQuantBits = bits;
            options.weightQuantAsymmetric = form & 1;
            options.weightQuantBlock = form & 2 ? 16 : -1;
            options.weightQuantScaleBit = form & 4 ? 16 : 32;
            const auto net = convNet(3, 32, options);
            const IDSTQuanT& q = *convOf(*net).quanParameter;
            EXPECT_EQ(q.type, 1);
            EXPECT_EQ(q.aMaxOrBits, bits);
            const std::vector<float> got = decode(q, 3), want = wave(96);
            const float step = form & 1 ? 4.0f / ((1 << bits) - 1) : 2.3f / ((1 << (bits - 1)) - 1);
            for (size_t i = 0; i < want.size(); ++i)
                ASSERT_NEAR(got[i], want[i], step * 0.51f + 0.002f) << bits << " " << i;
        }
    }
}

TEST(Writer, HalvesRoundToNearestEven) {
    EXPECT_EQ(floatToHalf(1.0f), 0x3c00);
    EXPECT_EQ(floatToHalf(-2.0f), 0xc000);
    EXPECT_EQ(floatToHalf(1e9f), 0x7bff);
    EXPECT_EQ(floatToHalf(5.9604645e-8f), 0x0001);
    EXPECT_EQ(floatToHalf(1.0f + 1.0f / 2048), 0x3c00);
    EXPECT_EQ(floatToHalf(1.0f + 3.0f / 2048), 0x3c02);
    WriteOptions options;
    options.fp16 = true;
    const auto net = convNet(2, 3, options);
    EXPECT_EQ(convOf(*net).quanParameter->type, 3);
    EXPECT_EQ(convOf(*net).quanParameter->buffer.size(), 12u);
}

TEST(Writer, SavesWholeFilesAndReadsThemBack) {
    const fs::path folder = fs::temp_directory_path() / "mnn_writer_test";
    fs::create_directories(folder);
    const std::string path = (folder / "m.mnn").string();
    WriteOptions options;
    options.saveExternalData = true;
    auto net = convNet(64, 32, options);
    saveNet(*net, options, path);
    EXPECT_EQ(fs::file_size(path + ".weight"), (64 * 32 + 64) * sizeof(float));
    const auto back = readNet(path);
    EXPECT_EQ(convOf(*back).external, (std::vector<int64_t>{0, 64 * 32 * 4, 64 * 4}));
    EXPECT_EQ(back->mnn_uuid.size(), 32u);
    EXPECT_FALSE(fs::exists(path + ".tmp"));
    EXPECT_THROW(saveNet(*net, options, (folder / "no" / "such" / "folder.mnn").string()), ConvertError);
    fs::resize_file(path, fs::file_size(path) / 2);
    EXPECT_THROW(loadNet(path), ConvertError);
    fs::remove_all(folder);
}

// Weights with outliers, which plain ranges serve badly.
TEST(Writer, HqqLosesLessThanThePlainRange) {
    std::vector<float> weights = wave(256);
    for (size_t i = 0; i < weights.size(); ++i) weights[i] *= i % 61 == 0 ? 4.0f : 0.25f;
    for (int bits : {2, 3, 4, 8}) {
        double errors[2] = {0, 0};
        for (bool hqq : {false, true}) {
            QuantizeMethod method;
            method.bits = bits;
            method.hqq = hqq;
            std::vector<int8_t> q(weights.size());
            const QuantizedGroup group = quantizeGroup(weights.data(), weights.size(), method, q.data());
            for (size_t i = 0; i < weights.size(); ++i) {
                EXPECT_GE(q[i], -(1 << (bits - 1)));
                EXPECT_LT(q[i], 1 << (bits - 1));
                const float got = static_cast<float>(q[i] + (1 << (bits - 1))) * group.scale + group.minimum;
                errors[hqq] += std::fabs(got - weights[i]);
            }
        }
        EXPECT_LT(errors[1], errors[0]) << bits;
    }
}

TEST(Writer, QuantisesOddGroups) {
    for (bool asymmetric : {true, false}) {
        for (bool hqq : {true, false}) {
            for (const auto& weights :
                 {std::vector<float>(5, 0.0f), {3.0f}, {-2.0f, -2.0f}, {1e-9f, 2e-9f}, {NAN, 1.0f}}) {
                QuantizeMethod method;
                method.asymmetric = asymmetric;
                method.hqq = hqq;
                method.halfScales = true;
                std::vector<int8_t> q(weights.size(), 99);
                const QuantizedGroup group = quantizeGroup(weights.data(), weights.size(), method, q.data());
                if (std::isnan(weights[0])) continue;
                for (size_t i = 0; i < weights.size(); ++i) {
                    const float got = asymmetric ? static_cast<float>(q[i] + 128) * group.scale + group.minimum
                                                 : static_cast<float>(q[i]) * group.scale;
                    EXPECT_NEAR(got, weights[i], 0.01f);
                }
            }
        }
    }
}

TEST(Writer, APlanSaysHowSingleLayersAreStored) {
    WriteOptions options;
    options.weightQuantBits = 8;
    options.plan.layers["y"] = {4, false, 16};
    const auto planned = convNet(3, 32, options);
    const IDSTQuanT& q = *convOf(*planned).quanParameter;
    EXPECT_EQ(q.aMaxOrBits, 4);
    EXPECT_EQ(q.readType, 0);
    EXPECT_EQ(q.alpha.size(), 6u);
    options.plan.layers["y"].bits = 0;
    EXPECT_EQ(convOf(*convNet(3, 32, options)).quanParameter, nullptr);
}

TEST(Writer, PlansAreReadInBothSpellingsAndWrittenForEditing) {
    const fs::path folder = fs::temp_directory_path() / "mnn_plan_test";
    fs::create_directories(folder);
    const std::string path = (folder / "plan.json").string();
    const auto put = [&](const char* text) { std::ofstream(path) << text; };
    put(R"({"forGuide": true, "algo": [{"type": "QUANTIZE", "quantParams": {"layer": [
        {"opName": "a", "weight": [{"bits": 4, "blockSize": 32, "asymmetric": true}]}]}}]})");
    CompressionPlan plan = readCompressionPlan(path);
    EXPECT_EQ(plan.layers.at("a").bits, 4);
    EXPECT_EQ(plan.layers.at("a").blockSize, 32);
    EXPECT_TRUE(plan.layers.at("a").asymmetric);
    put(R"({"for_guide": true, "algo": [{"quant_params": {"layer": [
        {"op_name": "a", "weight": [{"block_size": 64}]}]}}]})");
    plan = readCompressionPlan(path);
    EXPECT_EQ(plan.layers.at("a").bits, 8);
    EXPECT_EQ(plan.layers.at("a").blockSize, 64);
    EXPECT_FALSE(plan.layers.at("a").asymmetric);
    for (const char* wrong :
         {"", "{", "[]", "{}", R"({"forGuide": false})", R"({"forGuide": true, "algo": [{"type": "PRUNE"}]})",
          R"({"forGuide": true, "algo": [{"quantParams": {"layer": [{"opName": "a", "weight": [{"bits": 9}]}]}}]})",
          R"({"forGuide": true, "algo": [3]})"}) {
        put(wrong);
        EXPECT_THROW(readCompressionPlan(path), ConvertError) << wrong;
    }
    writeCompressionPlan(path, *convNet(3, 32, WriteOptions()), {6, true, 16});
    plan = readCompressionPlan(path);
    ASSERT_EQ(plan.layers.size(), 1u);
    EXPECT_EQ(plan.layers.at("y").bits, 6);
    EXPECT_EQ(plan.layers.at("y").blockSize, 16);
    fs::remove_all(folder);
}

TEST(Writer, WeightsOfTheSideFileComeBack) {
    const fs::path folder = fs::temp_directory_path() / "mnn_side_test";
    fs::create_directories(folder);
    const std::string path = (folder / "m.mnn").string();
    for (int form = 0; form < 4; ++form) {
        WriteOptions options;
        options.fp16 = form == 1;
        options.weightQuantBits = form >= 2 ? 8 : 0;
        options.weightQuantScaleBit = form == 3 ? 16 : 32;
        const auto inside = convNet(64, 32, options);
        auto moved = convNet(64, 32, options);
        options.saveExternalData = true;
        saveNet(*moved, options, path);
        const auto back = loadNet(path);
        back->mnn_uuid.clear();
        EXPECT_EQ(packed(*back), packed(*inside)) << form;
    }
    fs::resize_file(path + ".weight", 100);
    EXPECT_THROW(loadNet(path), ConvertError);
    fs::remove(path + ".weight");
    EXPECT_THROW(loadNet(path), ConvertError);
    EXPECT_NO_THROW(readNet(path));
    fs::remove_all(folder);
}

TEST(Writer, JsonGivesTheSameBytesBack) {
    const fs::path folder = fs::temp_directory_path() / "mnn_json_test";
    fs::create_directories(folder);
    const std::string path = (folder / "m.json").string();
    for (int bits : {0, 4}) {
        WriteOptions options;
        options.weightQuantBits = bits;
        options.weightQuantScaleBit = 16;
        options.authCode = "quotes \" and \\ and \n";
        auto net = convNet(5, 32, options);
        if (bits == 0) {
            Convolution2DT* conv = nullptr;
            for (auto& op : net->oplists) conv = op->main.AsConvolution2D() ? op->main.AsConvolution2D() : conv;
            conv->weight[0] = 0.1f;
            conv->weight[1] = 1.17549435e-38f;
            conv->weight[2] = -INFINITY;
            conv->weight[3] = 16777217.0f;
        }
        writeNetJson(*net, path);
        EXPECT_EQ(packed(*readNetJson(path)), packed(*net)) << bits;
    }
    for (const char* wrong : {"", "{", "{\"oplists\": 3}", "{\"oplists\": [{\"type\": \"NoSuchOp\"}]}", "nonsense"}) {
        std::ofstream(path) << wrong;
        EXPECT_THROW(readNetJson(path), ConvertError) << wrong;
    }
    EXPECT_THROW(readNetJson((folder / "none.json").string()), ConvertError);
    fs::remove_all(folder);
}
