#include "writer/QuantizeGroup.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace MNN {
namespace Converter {

uint16_t floatToHalf(float value) {
    const float limited = std::min(std::max(value, -65504.0f), 65504.0f);
    uint32_t bits;
    std::memcpy(&bits, &limited, 4);
    const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
    const int exponent = static_cast<int>((bits >> 23) & 255) - 127 + 15;
    uint32_t mantissa = bits & 0x7fffff;
    if (value != value) return static_cast<uint16_t>(sign | 0x7e00);
    if (exponent < -10) return sign;
    // Round to nearest even at the bit where a half's fraction ends.
    const int shift = exponent <= 0 ? 14 - exponent : 13;
    if (exponent <= 0) mantissa |= 0x800000;
    const uint32_t half = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), middle = 1u << (shift - 1);
    const uint32_t rounded = half + (rest > middle || (rest == middle && (half & 1)));
    return static_cast<uint16_t>(sign | ((exponent <= 0 ? 0 : exponent << 10) + rounded));
}

float halfToFloat(uint16_t half) {
    const int exponent = half >> 10 & 31, mantissa = half & 1023;
    float value = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                                : std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
    if (exponent == 31) value = mantissa == 0 ? INFINITY : NAN;
    return half & 0x8000 ? -value : value;
}

namespace {

// The settings of the method's authors (half-quadratic quantisation, HQQ).
constexpr float kHqqNorm = 0.7f, kHqqBeta = 10.0f, kHqqKappa = 1.01f;
constexpr int kHqqRounds = 20;

QuantizedGroup symmetricGroup(const float* w, size_t count, int bits) {
    float top = 0;
    for (size_t i = 0; i < count; ++i) top = std::max(top, std::fabs(w[i]));
    return {0, top / static_cast<float>((1 << (bits - 1)) - 1)};
}

QuantizedGroup asymmetricGroup(const float* w, size_t count, int bits) {
    const auto range = std::minmax_element(w, w + count);
    return {*range.first, (*range.second - *range.first) / static_cast<float>((1 << bits) - 1)};
}

// Steps from the minimum, 0 to 2^bits - 1.
float stepOf(float w, float minimum, float scale, int bits) {
    // In this order a NaN becomes 0.
    return std::min(std::max(0.0f, std::round((w - minimum) / scale)), static_cast<float>((1 << bits) - 1));
}

// Nearer to zero by |x|^(p-1) / beta, not past it: what minimises |e|^p + beta / 2 (e - x)^2, nearly.
float shrink(float x, float beta) {
    const float size = std::fabs(x);
    const float less = size > 0 ? size - std::pow(size, kHqqNorm - 1) / beta : 0.0f;
    return less > 0 ? std::copysign(less, x) : 0.0f;
}

// Errors of a few outliers are split off, and the minimum is fitted to the rest; as long as the mean error falls.
QuantizedGroup hqqGroup(const float* w, size_t count, int bits) {
    QuantizedGroup group = asymmetricGroup(w, count, bits), best = group;
    if (!(group.scale > 0)) return group;
    double least = INFINITY;
    float beta = kHqqBeta;
    for (int round = 0; round <= kHqqRounds; ++round, beta *= kHqqKappa) {
        double error = 0, minimum = 0;
        for (size_t i = 0; i < count; ++i) {
            const float scaled = stepOf(w[i], group.minimum, group.scale, bits) * group.scale;
            const float difference = w[i] - (scaled + group.minimum);
            error += std::fabs(difference);
            minimum += w[i] - shrink(difference, beta) - scaled;
        }
        if (error >= least) break;
        least = error;
        best = group;
        group.minimum = static_cast<float>(minimum / static_cast<double>(count));
    }
    return best;
}

float asHalf(float value) {
    const float rounded = halfToFloat(floatToHalf(value));
    // A scale must not vanish.
    return rounded == 0 && value > 0 ? halfToFloat(1) : rounded;
}

}  // namespace

QuantizedGroup quantizeGroup(const float* weights, size_t count, const QuantizeMethod& method, int8_t* q) {
    const int bits = method.bits, low = -(1 << (bits - 1)), high = (1 << (bits - 1)) - 1;
    QuantizedGroup group = !method.asymmetric ? symmetricGroup(weights, count, bits)
                           : method.hqq       ? hqqGroup(weights, count, bits)
                                              : asymmetricGroup(weights, count, bits);
    if (method.halfScales) group = {halfToFloat(floatToHalf(group.minimum)), asHalf(group.scale)};
    for (size_t i = 0; i < count; ++i) {
        float value = 0;
        if (method.asymmetric)
            value = static_cast<float>(low) +
                    (group.scale > 0 ? stepOf(weights[i], group.minimum, group.scale, bits) : 0.0f);
        else if (group.scale > 0)
            value = std::min(std::max(static_cast<float>(-high), std::round(weights[i] / group.scale)),
                             static_cast<float>(high));
        q[i] = static_cast<int8_t>(value);
    }
    return group;
}

}  // namespace Converter
}  // namespace MNN
