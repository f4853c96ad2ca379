// Every coding of convolution weights, built with the object API, gives what the weights that it stands for give as
// floats.
#include <gtest/gtest.h>
#include <cstdio>
#include <cstring>
#include <fstream>
#include "NetBuilder.hpp"

namespace {

using namespace MNN;
using mnn_test::NetBuilder;

constexpr int kIn = 4, kOut = 3, kCount = kIn * kOut;
const std::vector<int8_t> kCodes = {-7, 3, 0, 5, 1, -2, 7, 0, 4, -8, 2, 6};
const std::vector<float> kBias = {0.5f, -1.0f, 2.0f};

using Bytes = std::vector<int8_t>;

template <typename T>
void append(Bytes* bytes, const std::vector<T>& values) {
    const size_t at = bytes->size();
    bytes->resize(at + values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(bytes->data() + at, values.data(), values.size() * sizeof(T));
}

// Most significant bit first.
Bytes pack(const std::vector<int>& numbers, int bits) {
    Bytes packed((numbers.size() * bits + 7) / 8, 0);
    for (size_t i = 0; i < numbers.size(); ++i) {
        for (int b = 0; b < bits; ++b) {
            const size_t at = i * bits + b;
            if (numbers[i] >> (bits - 1 - b) & 1) packed[at / 8] = static_cast<int8_t>(packed[at / 8] | 0x80 >> at % 8);
        }
    }
    return packed;
}

Bytes header() { return {2, kOut, 0, kIn, 0}; }

// The values -8 to 7 as the map: four bits a code.
Bytes valueMap() {
    Bytes map = {16};
    for (int v = -8; v < 8; ++v) map.push_back(static_cast<int8_t>(v));
    return map;
}

Bytes dense() {
    Bytes bytes = header();
    append(&bytes, valueMap());
    std::vector<int> indexes;
    for (int8_t code : kCodes) indexes.push_back(code + 8);
    append(&bytes, pack(indexes, 4));
    return bytes;
}

Bytes sparse() {
    Bytes bytes = header();
    std::vector<int> steps, indexes;
    int last = 0;
    for (int i = 0; i < kCount; ++i) {
        if (kCodes[i] == 0) continue;
        steps.push_back(i - last);
        indexes.push_back(kCodes[i] + 8);
        last = i;
    }
    append(&bytes, std::vector<uint32_t>{static_cast<uint32_t>(steps.size())});
    bytes.push_back(2);  // bits of a step
    append(&bytes, pack(steps, 2));
    append(&bytes, valueMap());
    append(&bytes, pack(indexes, 4));
    return bytes;
}

std::vector<float> scaled(const std::vector<float>& scales, const std::vector<float>& offsets = {}) {
    std::vector<float> w;
    const size_t run = kCount / scales.size();
    for (size_t i = 0; i < kCount; ++i)
        w.push_back(static_cast<float>(kCodes[i]) * scales[i / run] + (offsets.empty() ? 0.0f : offsets[i / run]));
    return w;
}

void expectSame(NetBuilder& coded, const std::vector<float>& weights, const char* sideFile = nullptr) {
    NetBuilder plain;
    plain.input("x", {2, kIn, 3, 3});
    plain.output(plain.convolution("y", "x", kIn, kOut, 1, 0, 1, weights, kBias));
    std::vector<float> results[2], x(2 * kIn * 9);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(static_cast<int>(i * 7 % 11) - 5);
    for (int i = 0; i < 2; ++i) {
        auto net = (i == 0 ? plain : coded).interpreter();
        ASSERT_NE(net, nullptr);
        if (i == 1 && sideFile != nullptr) net->setExternalFile(sideFile);
        Session* session = net->createSession(ScheduleConfig());
        ASSERT_NE(session, nullptr);
        mnn_test::fill(net->getSessionInput(session, nullptr), x);
        ASSERT_EQ(net->runSession(session), NO_ERROR);
        results[i] = mnn_test::floats(net->getSessionOutput(session, nullptr));
    }
    ASSERT_EQ(results[0].size(), results[1].size());
    for (size_t i = 0; i < results[0].size(); ++i) EXPECT_NEAR(results[0][i], results[1][i], 1e-4f) << i;
}

struct Coding {
    IDSTQuanT quan;
    std::vector<float> weight;
    std::vector<int64_t> external;

    void build(NetBuilder* net) const {
        net->input("x", {2, kIn, 3, 3});
        net->output(
            net->convolution("y", "x", kIn, kOut, 1, 0, 1, weight, external.empty() ? kBias : std::vector<float>()));
        Convolution2DT* conv = net->net().oplists.back()->main.AsConvolution2D();
        conv->quanParameter.reset(new IDSTQuanT(quan));
        conv->external = external;
    }
    void expect(const std::vector<float>& weights, const char* sideFile = nullptr) const {
        NetBuilder net;
        build(&net);
        expectSame(net, weights, sideFile);
    }
};

TEST(HandmadeCodings, DenseSymmetric) {
    Coding c;
    c.quan.type = 1;
    c.quan.buffer = dense();
    c.quan.alpha = {0.5f, 0.25f, 2.0f};
    c.expect(scaled({0.5f, 0.25f, 2.0f}));
    c.quan.alpha = {0.5f, 0.25f, 2.0f, 1.0f, 4.0f, 0.125f};  // two blocks for each output
    c.expect(scaled(c.quan.alpha));
}

TEST(HandmadeCodings, DenseAsymmetric) {
    Coding c;
    c.quan.type = 1;
    c.quan.buffer = dense();
    c.quan.readType = kOut;
    c.quan.aMin = -8;
    c.quan.aMaxOrBits = 4;
    c.quan.alpha = {-4, 0.5f, -1, 0.25f, -10, 2};  // (value of code -8, scale) of each output
    c.expect(scaled({0.5f, 0.25f, 2.0f}, {0, 1, 6}));
    c.quan.scaleStorage = ScaleStorageType_FP16;
    c.quan.alphaFp16 = {0xC400, 0x3800, 0xBC00, 0x3400, 0xC900, 0x4000};
    c.quan.alpha.clear();
    c.expect(scaled({0.5f, 0.25f, 2.0f}, {0, 1, 6}));
}

TEST(HandmadeCodings, Sparse) {
    Coding c;
    c.quan.type = 2;
    c.quan.buffer = sparse();
    c.quan.alpha = {0.5f, 0.25f, 2.0f};
    c.expect(scaled(c.quan.alpha));
}

TEST(HandmadeCodings, HalfFloats) {
    Coding c;
    c.quan.type = 3;
    const std::vector<uint16_t> halves = {0x3C00, 0xC000, 0x3800, 0x0000, 0x4200, 0xB400,
                                          0x4900, 0x3C00, 0x2E66, 0x8000, 0x4000, 0xBC00};
    append(&c.quan.buffer, halves);
    c.expect({1, -2, 0.5f, 0, 3, -0.25f, 10, 1, 0.0999756f, 0, 2, -1});
}

TEST(HandmadeCodings, RawBytes) {
    Coding c;
    c.quan.type = 4;
    c.quan.buffer = kCodes;
    c.quan.alpha = {0.5f, 0.25f, 2.0f};
    c.quan.has_scaleInt = false;
    c.expect(scaled(c.quan.alpha));
}

TEST(HandmadeCodings, ListedFloats) {
    Coding c;
    c.quan.type = 0;
    c.quan.weightSize = kCount;
    c.quan.alpha = {0.5f, -3.0f};
    c.quan.index = {2, 11};
    c.expect({0, 0, 0.5f, 0, 0, 0, 0, 0, 0, 0, 0, -3});
}

// In the side file the pieces follow each other: codes, scales, bias, index.
TEST(HandmadeCodings, SideFile) {
    const std::string path = testing::TempDir() + "handmade_codings.weight";
    for (int type : {1, 4, 8}) {
        Coding c;
        c.quan.type = type;
        const std::vector<float> scales = {0.5f, 0.25f, 2.0f}, floats = scaled(scales);
        Bytes file = {1, 2, 3, 4, 5}, codes = type == 1 ? dense() : kCodes;
        if (type == 8) {
            codes.clear();
            append(&codes, floats);
        }
        c.external = {static_cast<int64_t>(file.size()), static_cast<int64_t>(codes.size())};
        append(&file, codes);
        if (type != 8) {
            append(&file, scales);
            c.external.push_back(static_cast<int64_t>(scales.size() * sizeof(float)));
        }
        append(&file, kBias);
        c.external.push_back(static_cast<int64_t>(kBias.size() * sizeof(float)));
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
        c.expect(floats, path.c_str());
    }
    std::remove(path.c_str());
}

}  // namespace
