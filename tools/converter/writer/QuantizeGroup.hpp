// Integers for a group of weights that share a scale.
#pragma once

#include <cstddef>
#include <cstdint>

namespace MNN {
namespace Converter {

struct QuantizeMethod {
    int bits = 8;  // 2..8
    bool asymmetric = true;
    bool hqq = false;  // with asymmetric: moves the minimum to where the larger part of the weights comes out best
    bool halfScales = false;  // minimum and scale are kept as halves: the integers fit the rounded ones
};

// Asymmetric: weight = (q + 2^(bits-1)) * scale + minimum. Symmetric: weight = q * scale.
struct QuantizedGroup {
    float minimum = 0, scale = 0;
};

// Writes q in [-2^(bits-1), 2^(bits-1) - 1].
QuantizedGroup quantizeGroup(const float* weights, size_t count, const QuantizeMethod& method, int8_t* q);

uint16_t floatToHalf(float value);  // saturates to +-65504
float halfToFloat(uint16_t half);

}  // namespace Converter
}  // namespace MNN
