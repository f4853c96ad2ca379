#include <algorithm>
#include <cmath>
#include "Families.hpp"

namespace mnn_primitives {
namespace {

using mnn_test::NetBuilder;
using Names = std::vector<std::string>;

struct Quantization {
    std::vector<float> scale;  // one, or one per channel
    int zero = 0, low = -128, high = 127;
    float of(const Index& at) const { return scale.size() == 1 ? scale[0] : scale[at[1]]; }
};

MNN::QuantizedFloatParamT* paramOf(const Quantization& q) {
    auto* param = new MNN::QuantizedFloatParamT;
    param->tensorScale = q.scale;
    param->zeroPoint = static_cast<int8_t>(q.zero);
    param->clampMin = static_cast<int8_t>(q.low);
    param->clampMax = static_cast<int8_t>(q.high);
    return param;
}

std::string textOf(const Quantization& q) {
    return (q.scale.size() == 1 ? " one scale" : " a scale per channel") + std::string(" zero ") +
           std::to_string(q.zero);
}

// y = clamp(round(x * scale) + zero), halves away from zero; FloatToInt8's scale is the reciprocal of a step.
Case quantizeCase(Array x, const Quantization& q) {
    Case c;
    c.title = "Quantize to int8" + textOf(q);
    c.inputs = {plain(std::move(x))};
    c.build = [q](NetBuilder& net, const Names& in) {
        net.add(MNN::OpType_FloatToInt8, "y", in, MNN::OpParameter_QuantizedFloatParam, paramOf(q));
    };
    c.reference = [q](const std::vector<Array>& in) {
        return std::vector<Array>{generate(Type::Int8, in[0].shape, [&](const Index& at) {
            return std::min<double>(std::max<double>(std::round(in[0].at(at) * q.of(at)) + q.zero, q.low), q.high);
        })};
    };
    return c;
}

Case dequantizeCase(Array x, const Quantization& q) {
    Case c;
    c.title = "Quantize back to float" + textOf(q);
    c.inputs = {plain(std::move(x))};
    c.build = [q](NetBuilder& net, const Names& in) {
        net.add(MNN::OpType_Int8ToFloat, "y", in, MNN::OpParameter_QuantizedFloatParam, paramOf(q));
    };
    c.reference = [q](const std::vector<Array>& in) {
        return std::vector<Array>{
            generate(Type::Float, in[0].shape, [&](const Index& at) { return (in[0].at(at) - q.zero) * q.of(at); })};
    };
    return c;
}

}  // namespace

void quantizeCases(const Visit& visit) {
    Random random(21);
    for (int channels : edgeSizes()) {
        if (channels == 0) continue;
        std::vector<float> scales;
        for (int i = 0; i < channels; ++i) scales.push_back(8.0f * (1 + i % 5));
        visitFronts(quantizeCase(random.floats({2, channels, 3, 5}), {{20.0f}, 3, -128, 127}), visit);
        visitFronts(dequantizeCase(random.ints({2, channels, 3, 5}, -128, 127, Type::Int8), {{0.125f}, 3, -128, 127}),
                    visit);
        if (channels == 1) continue;
        visit(quantizeCase(random.floats({2, channels, 3, 5}), {scales, 0, -100, 100}));
        visit(dequantizeCase(random.ints({2, channels, 3, 5}, -128, 127, Type::Int8), {scales, 0, -128, 127}));
    }
}

}  // namespace mnn_primitives
