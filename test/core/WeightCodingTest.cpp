// Every coding of convolution weights, from bytes written out by hand, and files that lie.
#include "core/WeightCoding.hpp"

#include <gtest/gtest.h>
#include <cstring>
#include <vector>
#include "core/Command.hpp"

namespace MNN {
namespace {

using Bytes = std::vector<uint8_t>;

struct Coded {
    IDSTQuanT quan;
    bool plainQuan = false;  // a quan table of type 0
    std::vector<float> weight, bias;
    std::vector<int64_t> external;
    Bytes file;

    bool decode(std::vector<float>* weights, std::vector<float>* biases = nullptr) const {
        OpT op;
        op.main.type = OpParameter_Convolution2D;
        auto* conv = new Convolution2DT;
        if (quan.type != 0 || plainQuan) conv->quanParameter.reset(new IDSTQuanT(quan));
        conv->weight = weight;
        conv->bias = bias;
        conv->external = external;
        op.main.value = conv;
        const OwnedOp owned(op);
        FloatWeights result;
        if (!decodeWeights(owned.get()->main_as_Convolution2D(), file.data(), file.size(), &result)) return false;
        weights->assign(result.weight, result.weight + result.weightCount);
        if (biases != nullptr) biases->assign(result.bias, result.bias + result.biasCount);
        return true;
    }
};

std::vector<int8_t> signedBytes(const Bytes& bytes) {
    std::vector<int8_t> out(bytes.size());
    if (!bytes.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
}

// Two outputs of three weights; map {-2, 0, 3}: two bits an index. Indexes 0 1 2 | 2 2 0.
Bytes denseBytes() { return {2, 2, 0, 3, 0, 3, 0xFE, 0, 3, 0b00011010, 0b10000000}; }

TEST(WeightCoding, PlainFloats) {
    Coded c;
    c.weight = {1, 2, 3};
    c.bias = {4};
    std::vector<float> w, b;
    ASSERT_TRUE(c.decode(&w, &b));
    EXPECT_EQ(w, c.weight);
    EXPECT_EQ(b, c.bias);
}

TEST(WeightCoding, ExternalFloatsAtOddOffsets) {
    for (int type : {0, 8}) {
        Coded c;
        c.quan.type = type;
        const float values[] = {1.5f, -2.0f, 7.0f};
        c.file.assign(3 + sizeof(values), 0);
        std::memcpy(c.file.data() + 3, values, sizeof(values));
        c.external = {3, 8, 4};
        std::vector<float> w, b;
        ASSERT_TRUE(c.decode(&w, &b));
        EXPECT_EQ(w, (std::vector<float>{1.5f, -2.0f}));
        EXPECT_EQ(b, (std::vector<float>{7.0f}));
        c.external = {3, 8, 8};
        EXPECT_FALSE(c.decode(&w, &b));
        c.external = {-1, 8, 4};
        EXPECT_FALSE(c.decode(&w, &b));
        c.external = {INT64_MAX, INT64_MAX, 4};
        EXPECT_FALSE(c.decode(&w, &b));
    }
}

// What MNN's converter writes for pruned float weights.
TEST(WeightCoding, ListedFloats) {
    Coded c;
    c.plainQuan = true;
    c.quan.weightSize = 6;
    c.quan.alpha = {0.5f, -2.0f};
    c.quan.index = {1, 5};
    c.bias = {3};
    std::vector<float> w, b;
    ASSERT_TRUE(c.decode(&w, &b));
    EXPECT_EQ(w, (std::vector<float>{0, 0.5f, 0, 0, 0, -2}));
    EXPECT_EQ(b, c.bias);
    c.quan.index = {1, 6};
    EXPECT_FALSE(c.decode(&w));
    c.quan.index = {1, 2, 3};
    EXPECT_FALSE(c.decode(&w));
    c.quan.index = {1, 2};
    c.quan.weightSize = 0xFFFFFFFF;
    EXPECT_FALSE(c.decode(&w));
}

TEST(WeightCoding, DenseSymmetric) {
    Coded c;
    c.quan.type = 1;
    c.quan.buffer = signedBytes(denseBytes());
    c.quan.alpha = {0.5f, 2.0f};
    c.bias = {1, 2};
    std::vector<float> w, b;
    ASSERT_TRUE(c.decode(&w, &b));
    EXPECT_EQ(w, (std::vector<float>{-1, 0, 1.5f, 6, 6, -4}));
    EXPECT_EQ(b, c.bias);
    // One scale per weight pair: blocks.
    c.quan.alpha = {1, 2, 3};
    ASSERT_TRUE(c.decode(&w));
    EXPECT_EQ(w, (std::vector<float>{-2, 0, 6, 6, 9, -6}));
}

TEST(WeightCoding, DenseAsymmetric) {
    Coded c;
    c.quan.type = 1;
    c.quan.readType = 2;
    c.quan.buffer = signedBytes(denseBytes());
    c.quan.alpha = {10, 0.5f, 20, 2};  // (minimum, scale) of each output
    std::vector<float> w;
    c.quan.aMin = -8;
    ASSERT_TRUE(c.decode(&w));
    EXPECT_EQ(w, (std::vector<float>{13, 14, 15.5f, 42, 42, 32}));  // q * s + (m + 8 * s)
    c.quan.aMin = 1;
    ASSERT_TRUE(c.decode(&w));
    EXPECT_EQ(w, (std::vector<float>{9, 10, 11.5f, 26, 26, 16}));  // q * s + m
    c.quan.aMin = 0;
    ASSERT_TRUE(c.decode(&w));
    EXPECT_EQ(w[1], 10 + 128 * 0.5f);
}

TEST(WeightCoding, HalfScalesAndWideDimensions) {
    Coded c;
    c.quan.type = 1;
    c.quan.shapeInt32 = true;
    Bytes bytes = denseBytes();
    bytes.erase(bytes.begin(), bytes.begin() + 5);
    const Bytes header = {2, 2, 0, 0, 0, 3, 0, 0, 0};
    bytes.insert(bytes.begin(), header.begin(), header.end());
    c.quan.buffer = signedBytes(bytes);
    c.quan.scaleStorage = ScaleStorageType_FP16;
    c.quan.alphaFp16 = {0x3800, 0xC000};  // 0.5, -2
    std::vector<float> w;
    ASSERT_TRUE(c.decode(&w));
    EXPECT_EQ(w, (std::vector<float>{-1, 0, 1.5f, -6, -6, 4}));
}

TEST(WeightCoding, Sparse) {
    Coded c;
    c.quan.type = 2;
    // Six weights, two of them not zero: steps 1 and 3 of four bits; map {-2, 5}, one bit an index: 1 then 0.
    c.quan.buffer = signedBytes({1, 6, 0, 2, 0, 0, 0, 4, 0x13, 2, 0xFE, 5, 0b10000000});
    c.quan.alpha = {2};
    std::vector<float> w;
    ASSERT_TRUE(c.decode(&w));
    EXPECT_EQ(w, (std::vector<float>{0, 10, 0, 0, -4, 0}));
    c.quan.buffer[8] = 0x17;  // the second step runs past the end
    EXPECT_FALSE(c.decode(&w));
}

TEST(WeightCoding, HalfFloats) {
    Coded c;
    c.quan.type = 3;
    c.quan.buffer = signedBytes({0x00, 0x3C, 0x00, 0xC0, 0x01, 0x00, 0x00, 0x7C});
    std::vector<float> w;
    ASSERT_TRUE(c.decode(&w));
    EXPECT_EQ(w[0], 1.0f);
    EXPECT_EQ(w[1], -2.0f);
    EXPECT_EQ(w[2], 1.0f / 16777216);
    EXPECT_TRUE(w[3] > 3e38f);
}

TEST(WeightCoding, RawInt8InTheSideFileWithIndex) {
    Coded c;
    c.quan.type = 4;
    c.quan.weightSize = 4;
    float scale = 0.5f, bias = 9.0f;
    c.file = {7, 0xFD};  // values 7, -3
    c.file.resize(10 + 8, 0);
    std::memcpy(c.file.data() + 2, &scale, 4);
    std::memcpy(c.file.data() + 6, &bias, 4);
    c.file[10] = 3;  // positions 3 and 1
    c.file[14] = 1;
    c.external = {0, 2, 4, 4, 8};
    std::vector<float> w, b;
    ASSERT_TRUE(c.decode(&w, &b));
    EXPECT_EQ(w, (std::vector<float>{0, -1.5f, 0, 3.5f}));
    EXPECT_EQ(b, (std::vector<float>{9}));
    c.file[14] = 4;
    EXPECT_FALSE(c.decode(&w));
}

TEST(WeightCoding, EveryTruncationIsRefused) {
    for (const Bytes& whole : {denseBytes(), Bytes{1, 6, 0, 2, 0, 0, 0, 4, 0x13, 2, 0xFE, 5, 0b10000000}}) {
        Coded c;
        c.quan.type = whole[0] == 2 ? 1 : 2;
        c.quan.alpha = {1};
        std::vector<float> w;
        for (size_t n = 0; n < whole.size(); ++n) {
            c.quan.buffer = signedBytes(Bytes(whole.begin(), whole.begin() + n));
            EXPECT_FALSE(c.decode(&w)) << n << " bytes of " << whole.size();
        }
    }
}

TEST(WeightCoding, Contradictions) {
    Coded c;
    std::vector<float> w;
    c.quan.type = 1;
    c.quan.buffer = signedBytes(denseBytes());
    EXPECT_FALSE(c.decode(&w));  // no scales
    c.quan.alpha = {1, 2, 3, 4};
    EXPECT_FALSE(c.decode(&w));  // 6 weights in 4 groups
    c.quan.alpha = {1};
    c.quan.buffer[9] = int8_t(0xFF);
    EXPECT_FALSE(c.decode(&w));  // an index past the map
    c.quan.type = 77;
    EXPECT_FALSE(c.decode(&w));
}

}  // namespace
}  // namespace MNN
