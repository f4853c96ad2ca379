// Weighted sums of elements along a row, and of whole rows.
#ifndef MNN_CPU_KERNELS_RESAMPLE_HPP
#define MNN_CPU_KERNELS_RESAMPLE_HPP

#include <cstddef>
#include "backend/cpu/kernels/Isa.hpp"

namespace MNN {
namespace cpu {

// dst[i][l] = sum over t < taps of weight[i * taps + t] * src[index[i * taps + t]][l], for i < n and l < pack.
using ResampleRow = void (*)(float* dst, const float* src, const int* index, const float* weight, int taps, int n);
// dst[i] = sum over t < taps of weight[t] * rows[t][i], for i < n. Rows of weight 0 are not read.
using BlendRows = void (*)(float* dst, const float* const* rows, const float* weight, int taps, size_t n);

struct ResampleKernels {
    ResampleRow row[4];  // pack 1, 4, 8, 16: packIndex of Pool.hpp
    ResampleRow
        sample[4];  // the same for scattered places: elements of weight 0 are not read, and 0 comes of none at all
    BlendRows blend;
};
const ResampleKernels& resampleKernels(Isa isa);

}  // namespace cpu
}  // namespace MNN
#endif
