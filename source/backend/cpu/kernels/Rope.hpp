// Rotary position embedding of one head.
#ifndef MNN_CPU_KERNELS_ROPE_HPP
#define MNN_CPU_KERNELS_ROPE_HPP

#include <cstddef>
#include "backend/cpu/kernels/Isa.hpp"

namespace MNN {
namespace cpu {

struct RopeKernels {
    // For i below pairs (<= half), elements i and i + half of src are turned:
    //     dst[i]        = src[i] * cos[i] - src[i + half] * sin[i]
    //     dst[i + half] = src[i + half] * cos[i + half] + src[i] * sin[i + half]
    // The other ones of n (>= half + pairs) are copied. dst may be src.
    void (*rotate)(float* dst, const float* src, const float* cos, const float* sin, size_t half, size_t pairs,
                   size_t n);
};
const RopeKernels& ropeKernels(Isa isa);

}  // namespace cpu
}  // namespace MNN
#endif
