// Functions of one array with a parameter for each channel.
#ifndef MNN_CPU_KERNELS_PERCHANNEL_HPP
#define MNN_CPU_KERNELS_PERCHANNEL_HPP

#include <cstddef>
#include "backend/cpu/kernels/Isa.hpp"

namespace MNN {
namespace cpu {

// dst may be src. step is 1 when a (and b) have n elements, 0 when one serves all.
struct PerChannelKernels {
    void (*scale)(float* dst, const float* src, const float* a, const float* b, size_t n, int step);  // src a + b
    void (*prelu)(float* dst, const float* src, const float* a, const float* b, size_t n,
                  int step);  // src < 0 ? src a : src; b unused
};
const PerChannelKernels& perChannelKernels(Isa isa);

}  // namespace cpu
}  // namespace MNN
#endif
