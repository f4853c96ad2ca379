// Reductions of rows and of columns, accumulated so that a million elements lose nothing that shows in float32.
#ifndef MNN_CPU_KERNELS_REDUCE_HPP
#define MNN_CPU_KERNELS_REDUCE_HPP

#include <cstddef>
#include <cstdint>
#include "backend/cpu/kernels/Isa.hpp"

namespace MNN {
namespace cpu {

// The numbers of the schema's ReductionType.
enum class ReduceKind : uint8_t { Sum, AbsSum, SquareSum, Mean, Max, Min, Prod, Any, All, Count };
constexpr int kReduceKinds = static_cast<int>(ReduceKind::Count);

// Columns that one call of a column kernel may have.
constexpr size_t kReduceColumns = 256;

// A partial result: double for float32, int64 for int32. `row` folds n elements into one partial result; `columns`
// folds `rows` rows, `stride` elements apart, of `cols` <= kReduceColumns columns into acc[cols], which starts at
// reduceIdentity().
struct ReduceKernels {
    double (*rowF32[kReduceKinds])(const float* src, size_t n);
    void (*columnsF32[kReduceKinds])(double* acc, const float* src, int64_t stride, size_t rows, size_t cols);
    int64_t (*rowI32[kReduceKinds])(const int32_t* src, size_t n);
    void (*columnsI32[kReduceKinds])(int64_t* acc, const int32_t* src, int64_t stride, size_t rows, size_t cols);
};
const ReduceKernels& reduceKernels(Isa isa);
void addIntegerReductions(ReduceKernels* table);

// What reducing nothing gives, before reduceFinish().
template <typename Acc>
Acc reduceIdentity(ReduceKind kind);
// Two partial results in one.
template <typename Acc>
Acc reduceCombine(ReduceKind kind, Acc a, Acc b);
// The result of n elements from their partial result: divides for Mean.
template <typename Acc>
Acc reduceFinish(ReduceKind kind, Acc partial, int64_t n);

}  // namespace cpu
}  // namespace MNN
#endif
