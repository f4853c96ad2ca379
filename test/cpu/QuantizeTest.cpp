#include <MNN/plugin/PluginKernel.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include "cpu/ExecutionHarness.hpp"

namespace MNN {
namespace {

using namespace harness;

int quantized(float x, float scale, float zero, int low, int high) {
    return static_cast<int>(std::min<float>(std::max<float>(std::round(x * scale) + zero, low), high));
}

TEST(CPUQuantize, EveryStoragePerTensorAndPerChannel) {
    for (const Dims& dims :
         {Dims{2, 5, 3, 7}, Dims{1, 17, 1, 1}, Dims{1, 4, 40, 50}, Dims{3, 33}, Dims{19}, Dims{0, 4, 2, 2}}) {
        const std::vector<float> x = uniform(countOf(dims), 1, -3.0f, 3.0f);
        const int channels = dims.size() > 1 ? dims[1] : 1;
        int64_t area = 1;
        for (size_t d = 2; d < dims.size(); ++d) area *= dims[d];
        for (bool perChannel : {false, true}) {
            QuantizedFloatParamT p;
            p.tensorScale = perChannel ? uniform(channels, 2, 10.0f, 60.0f) : std::vector<float>{40.0f};
            p.zeroPoint = 3;
            p.clampMin = -100;
            p.clampMax = 90;
            std::vector<int8_t> want;
            std::vector<float> back;
            for (size_t i = 0; i < x.size(); ++i) {
                const float scale = p.tensorScale[perChannel && dims.size() > 1 ? i / area % channels : 0];
                want.push_back(static_cast<int8_t>(quantized(x[i], scale, 3, -100, 90)));
                back.push_back((want.back() - 3.0f) * scale);
            }
            for (int pack : {0, 4, 8, 16}) {
                if (dims.size() < 4 && pack > 0) continue;
                for (int threads : {1, 3}) {
                    TensorPtr q = poisoned(dims, halide_type_of<int8_t>(), pack),
                              y = poisoned(dims, halide_type_of<float>(), pack);
                    ASSERT_EQ(runOp(opOf(OpType_FloatToInt8, p), {tensorOf(dims, x, pack)}, {q}, threads), NO_ERROR);
                    EXPECT_EQ(valuesIn<int8_t>(q), want);
                    ASSERT_EQ(runOp(opOf(OpType_Int8ToFloat, p), {q}, {y}, threads), NO_ERROR);
                    EXPECT_EQ(valuesIn<float>(y), back);
                }
            }
        }
    }
}

TEST(CPUQuantize, HalvesGoAwayFromZeroAndEdgesAreClamped) {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> x = {0.5f,   -0.5f, 1.5f, -2.5f, 0.49999997f, -0.49999997f, 1e30f,
                            -1e30f, inf,   -inf, nan,   126.6f,      -128.4f,      8388609.0f};
    const std::vector<int8_t> want = {1, -1, 2, -3, 0, 0, 127, -128, 127, -128, -128, 127, -128, 127};
    for (size_t shift : {0, 5}) {
        std::vector<float> padded(shift, 0.0f);
        padded.insert(padded.end(), x.begin(), x.end());
        padded.resize(40, 0.0f);
        QuantizedFloatParamT p;
        p.tensorScale = {1.0f};
        TensorPtr q = poisoned({40}, halide_type_of<int8_t>());
        ASSERT_EQ(runOp(opOf(OpType_FloatToInt8, p), {tensorOf({40}, padded)}, {q}), NO_ERROR);
        const std::vector<int8_t> got = valuesIn<int8_t>(q);
        EXPECT_EQ(std::vector<int8_t>(got.begin() + shift, got.begin() + shift + want.size()), want);
    }
}

TEST(CPUQuantize, DynamicRange) {
    for (int n : {0, 1, 3, 16, 100, 40000}) {
        const std::vector<float> x = uniform(n, 4, -1.0f, 2.0f);
        TensorPtr q = poisoned({n}, halide_type_of<int8_t>()), scale = poisoned({}, halide_type_of<float>()),
                  zero = poisoned({}, halide_type_of<int8_t>());
        ASSERT_EQ(runOp(opOf(OpType_DynamicQuant), {tensorOf({n}, x)}, {q, scale, zero}, 3), NO_ERROR);
        const float s = valuesIn<float>(scale)[0];
        const int z = valuesIn<int8_t>(zero)[0];
        const std::vector<int8_t> got = valuesIn<int8_t>(q);
        for (int i = 0; i < n; ++i) ASSERT_NEAR((got[i] - z) * s, x[i], s * 0.51f) << i;
    }
}

TEST(CPUQuantize, DequantizeOfTflite) {
    DequantizeT p;
    p.modelFormat = ModeFormat_TFLITE;
    p.inputQuantizedParam.reset(new QuantizedParamT);
    p.inputQuantizedParam->scale = 0.5f;
    p.inputQuantizedParam->zeroPoint = 128;
    TensorPtr y = poisoned({3}, halide_type_of<float>());
    ASSERT_EQ(runOp(opOf(OpType_Dequantize, std::move(p)), {tensorOf<uint8_t>({3}, {0, 128, 255})}, {y}), NO_ERROR);
    EXPECT_EQ(valuesIn<float>(y), (std::vector<float>{-64, 0, 63.5f}));
}

// y = x * factor, with every stage of a plugin's life counted.
class ScalePlugin : public plugin::CPUComputeKernel {
public:
    bool init(plugin::CPUKernelContext* ctx) override {
        if (!ctx->hasAttr("factor")) return false;
        mFactor = ctx->getAttr("factor")->f();
        return ctx->op_type() == "TestScale";
    }
    bool resize(plugin::CPUKernelContext* ctx) override {
        return ctx->input(0)->elementSize() == ctx->output(0)->elementSize();
    }
    bool compute(plugin::CPUKernelContext* ctx) override {
        for (int i = 0; i < ctx->input(0)->elementSize(); ++i)
            ctx->output(0)->host<float>()[i] = ctx->input(0)->host<float>()[i] * mFactor;
        return mFactor > 0.0f;
    }

private:
    float mFactor = 0.0f;
};

TEST(CPUPlugin, RunsTheRegisteredKernel) {
    plugin::ComputeKernelRegistry<plugin::CPUComputeKernel>::add("TestScale", [] { return new ScalePlugin; });
    const auto plugin = [](const char* type, const char* key, float factor) {
        PluginT p;
        p.type = type;
        p.attr.emplace_back(new AttributeT);
        p.attr[0]->key = key;
        p.attr[0]->f = factor;
        return opOf(OpType_Plugin, std::move(p));
    };
    const TensorPtr x = tensorOf<float>({2}, {1, 2}), y = poisoned({2}, halide_type_of<float>());
    ASSERT_EQ(runOp(plugin("TestScale", "factor", 3.0f), {x}, {y}), NO_ERROR);
    EXPECT_EQ(valuesIn<float>(y), (std::vector<float>{3, 6}));
    EXPECT_EQ(runOp(plugin("TestScale", "factor", -1.0f), {x}, {y}), INVALID_VALUE);
    EXPECT_EQ(runOp(plugin("TestScale", "other", 3.0f), {x}, {y}), NO_EXECUTION);
    EXPECT_EQ(runOp(plugin("Nobody", "factor", 3.0f), {x}, {y}), NO_EXECUTION);
    EXPECT_EQ(runOp(plugin("TestScale", "factor", 3.0f), {x}, {poisoned({3}, halide_type_of<float>())}), NOT_SUPPORT);
}

}  // namespace
}  // namespace MNN
