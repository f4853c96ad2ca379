// Softmax of rows and of columns, and layer normalisation of rows.
#ifndef MNN_CPU_KERNELS_SOFTMAX_HPP
#define MNN_CPU_KERNELS_SOFTMAX_HPP

#include <cstddef>
#include <cstdint>
#include "backend/cpu/kernels/Isa.hpp"

namespace MNN {
namespace cpu {

// Columns that one call of a column kernel may have.
constexpr size_t kSoftmaxColumns = 256;

// dst may be src. The largest element is subtracted first; a row of -inf alone, or one with NaN or +inf, gives NaN like
// numpy.
struct SoftmaxKernels {
    void (*row)(float* dst, const float* src, size_t n);
    // `rows` elements, `stride` apart, of each of `cols` <= kSoftmaxColumns columns.
    void (*columns)(float* dst, const float* src, int64_t stride, size_t rows, size_t cols);
};
const SoftmaxKernels& softmaxKernels(Isa isa);

struct RowStatistics {
    float mean;     // 0 for the root mean square
    float inverse;  // 1 / sqrt(variance + epsilon), or of the mean square
};

// dst may be src.
struct NormKernels {
    RowStatistics (*layer)(const float* src, size_t n, float epsilon);
    RowStatistics (*rootMeanSquare)(const float* src, size_t n, float epsilon);
    // (src[i] - mean) * inverse * gamma[i] + beta[i]; either may be nullptr.
    void (*apply)(float* dst, const float* src, size_t n, RowStatistics statistics, const float* gamma,
                  const float* beta);
    // src[i] * scale + bias
    void (*applyScalar)(float* dst, const float* src, size_t n, float scale, float bias);
};
const NormKernels& normKernels(Isa isa);

}  // namespace cpu
}  // namespace MNN
#endif
