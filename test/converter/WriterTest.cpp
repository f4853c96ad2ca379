#include <cmath>
#include <filesystem>

#include "OnnxModels.hpp"
#include "gtest/gtest.h"

using namespace MNN;
using namespace MNN::Converter;
namespace fs = std::filesystem;

namespace {

std::vector<float> wave(size_t count) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = std::sin(static_cast<float>(i)) * 2.0f - 0.3f;
    return values;
}

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
    const size_t groups = asymmetric ? q.alpha.size() / 2 : q.alpha.size();
    std::vector<float> out(count);
    for (size_t i = 0, at = 0; i < count; ++i) {
        unsigned index = 0;
        for (int b = 0; b < bits; ++b, ++at) index = index << 1 | (p[at / 8] >> (7 - at % 8) & 1);
        const size_t g = i / (count / groups);
        const float value = values[index];
        out[i] = asymmetric ? value * q.alpha[2 * g + 1] + (q.alpha[2 * g] - q.aMin * q.alpha[2 * g + 1])
                            : value * q.alpha[g];
    }
    return out;
}

}  // namespace

TEST(Writer, QuantisedWeightsStayWithinHalfAStep) {
    for (int bits = 2; bits <= 8; ++bits) {
        for (int form = 0; form < 4; ++form) {
            WriteOptions options;
            options.weightQuantBits = bits;
            options.weightQuantAsymmetric = form & 1;
            options.weightQuantBlock = form & 2 ? 16 : -1;
            const auto net = convNet(3, 32, options);
            const IDSTQuanT& q = *convOf(*net).quanParameter;
            EXPECT_EQ(q.type, 1);
            EXPECT_EQ(q.aMaxOrBits, bits);
            const std::vector<float> got = decode(q, 3), want = wave(96);
            const float step = form & 1 ? 4.0f / ((1 << bits) - 1) : 2.3f / ((1 << (bits - 1)) - 1);
            for (size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got[i], want[i], step * 0.51f) << bits << " " << i;
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
    const auto back = loadNet(path);
    EXPECT_EQ(convOf(*back).external, (std::vector<int64_t>{0, 64 * 32 * 4, 64 * 4}));
    EXPECT_EQ(back->mnn_uuid.size(), 32u);
    EXPECT_FALSE(fs::exists(path + ".tmp"));
    EXPECT_THROW(saveNet(*net, options, (folder / "no" / "such" / "folder.mnn").string()), ConvertError);
    fs::resize_file(path, fs::file_size(path) / 2);
    EXPECT_THROW(loadNet(path), ConvertError);
    fs::remove_all(folder);
}
