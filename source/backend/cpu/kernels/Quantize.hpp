// float32 to int8 and back, a scale for each lane of a repeating pattern.
#ifndef MNN_CPU_KERNELS_QUANTIZE_HPP
#define MNN_CPU_KERNELS_QUANTIZE_HPP

#include <cstddef>
#include <cstdint>
#include "backend/cpu/kernels/Isa.hpp"

namespace MNN {
namespace cpu {

// Scales and zero points of the lanes of NC4HW4 storage, repeated to fill 16; pattern[i % 16] belongs to element i.
constexpr int kQuantPattern = 16;
struct QuantPattern {
    float scale[kQuantPattern];
    float zero[kQuantPattern];
    float low = -128.0f, high = 127.0f;  // bounds of what is stored
};

struct QuantizeKernels {
    // dst = clamp(round(src * scale) + zero), halves away from 0. NaN gives `low`.
    void (*quantize)(int8_t* dst, const float* src, size_t n, const QuantPattern& pattern);
    // dst = (src - zero) * scale.
    void (*dequantize)(float* dst, const int8_t* src, size_t n, const QuantPattern& pattern);
    // Smallest and largest of n > 0 values.
    void (*range)(const float* src, size_t n, float* low, float* high);
};
const QuantizeKernels& quantizeKernels(Isa isa);

}  // namespace cpu
}  // namespace MNN
#endif
