// Where the largest or smallest element of a row is; running sums and products.
#ifndef MNN_CPU_KERNELS_ARGREDUCE_HPP
#define MNN_CPU_KERNELS_ARGREDUCE_HPP

#include <cstddef>
#include <cstdint>
#include "backend/cpu/kernels/Isa.hpp"

namespace MNN {
namespace cpu {

// Columns that one call of a column function may have.
constexpr size_t kArgColumns = 256;

// The first index of the largest (smallest) of n > 0 elements; NaN beats everything, like numpy.
size_t argRow(Isa isa, const float* src, size_t n, bool smallest);
size_t argRow(Isa isa, const int32_t* src, size_t n, bool smallest);
// The same down each of `cols` <= kArgColumns columns, rows `stride` elements apart.
void argColumns(int32_t* index, const float* src, int64_t stride, size_t rows, size_t cols, bool smallest);
void argColumns(int32_t* index, const int32_t* src, int64_t stride, size_t rows, size_t cols, bool smallest);

// dst may be src. Row r of `cols` <= kArgColumns columns holds the sum (product) of rows up to r, without r when
// exclusive; a negative stride with pointers to the last row runs in reverse. Floats accumulate in double, integers
// wrap.
void cumulateColumns(float* dst, const float* src, int64_t stride, size_t rows, size_t cols, bool product,
                     bool exclusive);
void cumulateColumns(int32_t* dst, const int32_t* src, int64_t stride, size_t rows, size_t cols, bool product,
                     bool exclusive);

}  // namespace cpu
}  // namespace MNN
#endif
