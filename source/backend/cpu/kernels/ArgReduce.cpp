#include "backend/cpu/kernels/ArgReduce.hpp"

#include <algorithm>
#include "backend/cpu/kernels/Reduce.hpp"

namespace MNN {
namespace cpu {
namespace {

inline bool better(float x, float best, bool smallest) {
    return (smallest ? x < best : x > best) || (x != x && best == best);
}
inline bool better(int32_t x, int32_t best, bool smallest) { return smallest ? x < best : x > best; }

template <typename T>
void argColumnsOf(int32_t* index, const T* src, int64_t stride, size_t rows, size_t cols, bool smallest) {
    T best[kArgColumns];
    std::copy_n(src, cols, best);
    std::fill_n(index, cols, 0);
    for (size_t r = 1; r < rows; ++r) {
        src += stride;
        for (size_t c = 0; c < cols; ++c) {
            const bool take = better(src[c], best[c], smallest);
            best[c] = take ? src[c] : best[c];
            index[c] = take ? static_cast<int32_t>(r) : index[c];
        }
    }
}

// The extreme value first, with the SIMD reduction, then its place.
template <typename T>
size_t firstOf(const T* src, size_t n, T value) {
    constexpr size_t kBlock = 64;
    size_t i = 0;
    for (; i + kBlock <= n; i += kBlock) {
        int found = 0;
        for (size_t k = 0; k < kBlock; ++k) found |= src[i + k] == value;
        if (found != 0) break;
    }
    while (i < n && src[i] != value) ++i;
    return i;
}

template <typename T, typename Acc>
void cumulateOf(T* dst, const T* src, int64_t stride, size_t rows, size_t cols, bool product, bool exclusive) {
    Acc acc[kArgColumns];
    std::fill_n(acc, cols, product ? Acc(1) : Acc(0));
    for (size_t r = 0; r < rows; ++r, src += stride, dst += stride) {
        for (size_t c = 0; c < cols; ++c) {
            const Acc before = acc[c], x = static_cast<Acc>(src[c]);
            acc[c] = product ? before * x : before + x;
            dst[c] = static_cast<T>(exclusive ? before : acc[c]);
        }
    }
}

}  // namespace

size_t argRow(Isa isa, const float* src, size_t n, bool smallest) {
    const auto kind = static_cast<int>(smallest ? ReduceKind::Min : ReduceKind::Max);
    const auto value = static_cast<float>(reduceKernels(isa).rowF32[kind](src, n));
    if (value == value) return firstOf(src, n, value);
    size_t i = 0;
    while (i + 1 < n && src[i] == src[i]) ++i;
    return i;
}

size_t argRow(Isa isa, const int32_t* src, size_t n, bool smallest) {
    const auto kind = static_cast<int>(smallest ? ReduceKind::Min : ReduceKind::Max);
    return firstOf(src, n, static_cast<int32_t>(reduceKernels(isa).rowI32[kind](src, n)));
}

void argColumns(int32_t* index, const float* src, int64_t stride, size_t rows, size_t cols, bool smallest) {
    argColumnsOf(index, src, stride, rows, cols, smallest);
}
void argColumns(int32_t* index, const int32_t* src, int64_t stride, size_t rows, size_t cols, bool smallest) {
    argColumnsOf(index, src, stride, rows, cols, smallest);
}

void cumulateColumns(float* dst, const float* src, int64_t stride, size_t rows, size_t cols, bool product,
                     bool exclusive) {
    cumulateOf<float, double>(dst, src, stride, rows, cols, product, exclusive);
}
void cumulateColumns(int32_t* dst, const int32_t* src, int64_t stride, size_t rows, size_t cols, bool product,
                     bool exclusive) {
    cumulateOf<int32_t, uint32_t>(dst, src, stride, rows, cols, product, exclusive);
}

}  // namespace cpu
}  // namespace MNN
