#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/Raster.cpp"
#include "backend/cpu/kernels/Targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include "backend/cpu/kernels/Raster.hpp"

HWY_BEFORE_NAMESPACE();
namespace MNN {
namespace cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kLineBytes = 64;

template <typename T>
constexpr int blockSide() {
    return 16 / static_cast<int>(sizeof(T));
}

// A square of blockSide: dst[i * dstRow + j] = src[j * srcColumn + i].
#if HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR
template <typename T>
HWY_INLINE void transposeBlock(const T* src, ptrdiff_t srcColumn, T* dst, ptrdiff_t dstRow) {
    for (int i = 0; i < blockSide<T>(); ++i) {
        for (int j = 0; j < blockSide<T>(); ++j) dst[i * dstRow + j] = src[j * srcColumn + i];
    }
}
#else
// Interleaving register r with register r + N / 2 moves the top bit of the register number to the bottom of the lane
// number; after log2(N) rounds rows and lanes have changed places.
template <typename T>
HWY_INLINE void transposeBlock(const T* src, ptrdiff_t srcColumn, T* dst, ptrdiff_t dstRow) {
    constexpr int N = blockSide<T>();
    const hn::CappedTag<T, N> d;
    hn::Vec<decltype(d)> a[N], b[N];
    HWY_UNROLL(16)
    for (int j = 0; j < N; ++j) a[j] = hn::LoadU(d, src + j * srcColumn);
    HWY_UNROLL(4)
    for (int round = 1; round < N; round *= 2) {
        HWY_UNROLL(8)
        for (int r = 0; r < N / 2; ++r) {
            b[2 * r] = hn::InterleaveLower(d, a[r], a[r + N / 2]);
            b[2 * r + 1] = hn::InterleaveUpper(d, a[r], a[r + N / 2]);
        }
        HWY_UNROLL(16)
        for (int r = 0; r < N; ++r) a[r] = b[r];
    }
    HWY_UNROLL(16)
    for (int i = 0; i < N; ++i) hn::StoreU(a[i], d, dst + i * dstRow);
}
#endif

template <typename T>
void transposeSlowly(int64_t rows, int64_t columns, const T* src, ptrdiff_t srcColumn, T* dst, ptrdiff_t dstRow) {
    for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) dst[i * dstRow + j] = src[j * srcColumn + i];
    }
}

// rows and columns below a few cache lines.
template <typename T>
void transposeTile(int64_t rows, int64_t columns, const T* src, ptrdiff_t srcColumn, T* dst, ptrdiff_t dstRow) {
    constexpr int64_t N = blockSide<T>();
    const int64_t wholeRows = rows / N * N, wholeColumns = columns / N * N;
    for (int64_t j = 0; j < wholeColumns; j += N) {
        for (int64_t i = 0; i < wholeRows; i += N)
            transposeBlock(src + j * srcColumn + i, srcColumn, dst + i * dstRow + j, dstRow);
    }
    transposeSlowly(rows - wholeRows, columns, src + wholeRows, srcColumn, dst + wholeRows * dstRow, dstRow);
    transposeSlowly(wholeRows, columns - wholeColumns, src + wholeColumns * srcColumn, srcColumn, dst + wholeColumns,
                    dstRow);
}

// Lines whose distance is a large power of two share few places of the first-level cache: such tiles go through a
// buffer, so that every line of either side is touched once.
template <typename T>
bool linesCollide(ptrdiff_t step) {
    return (step * static_cast<ptrdiff_t>(sizeof(T))) % 1024 == 0;
}

template <typename T>
void transposeThroughBuffer(const T* src, ptrdiff_t srcColumn, T* dst, ptrdiff_t dstRow) {
    constexpr int64_t kSide = kLineBytes / sizeof(T);
    HWY_ALIGN T buffer[kSide * kSide];
    transposeTile<T>(kSide, kSide, src, srcColumn, buffer, kSide);
    for (int64_t i = 0; i < kSide; ++i) std::memcpy(dst + i * dstRow, buffer + i * kSide, kLineBytes);
}

// srcRow and dstColumn are 1.
template <typename T>
void transposePlane(const CopyPlane& p, const T* src, T* dst) {
    constexpr int64_t kSide = kLineBytes / sizeof(T);
    const bool collide = linesCollide<T>(p.srcColumn) || linesCollide<T>(p.dstRow);
    for (int64_t i = 0; i < p.rows; i += kSide) {
        const int64_t rows = std::min(kSide, p.rows - i);
        for (int64_t j = 0; j < p.columns; j += kSide) {
            const int64_t columns = std::min(kSide, p.columns - j);
            const T* from = src + j * p.srcColumn + i;
            T* to = dst + i * p.dstRow + j;
            if (collide && rows == kSide && columns == kSide) {
                transposeThroughBuffer(from, p.srcColumn, to, p.dstRow);
            } else {
                transposeTile(rows, columns, from, p.srcColumn, to, p.dstRow);
            }
        }
    }
}

template <int kBytes>
void copyShortRows(const CopyPlane& p, int elementBytes, const uint8_t* src, uint8_t* dst) {
    for (int64_t i = 0; i < p.rows; ++i)
        std::memcpy(dst + i * p.dstRow * elementBytes, src + i * p.srcRow * elementBytes, kBytes);
}

void copyContiguousRows(const CopyPlane& p, int elementBytes, const uint8_t* src, uint8_t* dst) {
    const int64_t bytes = p.columns * elementBytes;
    if (p.rows > 1 && p.srcRow == p.columns && p.dstRow == p.columns) {
        std::memcpy(dst, src, static_cast<size_t>(p.rows * bytes));
        return;
    }
    switch (bytes) {
        case 4:
            return copyShortRows<4>(p, elementBytes, src, dst);
        case 8:
            return copyShortRows<8>(p, elementBytes, src, dst);
        case 16:
            return copyShortRows<16>(p, elementBytes, src, dst);
        case 32:
            return copyShortRows<32>(p, elementBytes, src, dst);
        case 64:
            return copyShortRows<64>(p, elementBytes, src, dst);
        default:
            break;
    }
    for (int64_t i = 0; i < p.rows; ++i) {
        std::memcpy(dst + i * p.dstRow * elementBytes, src + i * p.srcRow * elementBytes, static_cast<size_t>(bytes));
    }
}

// Strided rows of a few elements, the channels of a shuffle say.
template <typename T, int kColumns>
void copyFewColumns(const CopyPlane& p, const T* src, T* dst) {
    for (int64_t i = 0; i < p.rows; ++i) {
        const T* from = src + i * p.srcRow;
        T* to = dst + i * p.dstRow;
        HWY_UNROLL(8)
        for (int j = 0; j < kColumns; ++j) to[j * p.dstColumn] = from[j * p.srcColumn];
    }
}

constexpr int kFewColumns = 8;

template <typename T, int kColumns = kFewColumns>
bool copiedFewColumns(const CopyPlane& p, const T* src, T* dst) {
    if constexpr (kColumns > 1) {
        if (p.columns != kColumns) return copiedFewColumns<T, kColumns - 1>(p, src, dst);
        copyFewColumns<T, kColumns>(p, src, dst);
        return true;
    }
    return false;
}

template <typename T>
void copyRows(const CopyPlane& p, const T* src, T* dst) {
    if (p.srcColumn == 1 && p.dstColumn == 1) {
        return copyContiguousRows(p, sizeof(T), reinterpret_cast<const uint8_t*>(src), reinterpret_cast<uint8_t*>(dst));
    }
    if (copiedFewColumns(p, src, dst)) return;
    for (int64_t i = 0; i < p.rows; ++i) {
        const T* from = src + i * p.srcRow;
        T* to = dst + i * p.dstRow;
        if (p.srcColumn == 0 && p.dstColumn == 1) {
            std::fill(to, to + p.columns, *from);
        } else if (p.dstColumn == 1) {
            for (int64_t j = 0; j < p.columns; ++j) to[j] = from[j * p.srcColumn];
        } else {
            for (int64_t j = 0; j < p.columns; ++j) to[j * p.dstColumn] = from[j * p.srcColumn];
        }
    }
}

CopyPlane swapLoops(const CopyPlane& p) { return {p.columns, p.rows, p.srcColumn, p.srcRow, p.dstColumn, p.dstRow}; }

template <typename T>
void copyAs(CopyPlane p, const void* src, void* dst) {
    const bool both = p.rows > 1 && p.columns > 1;
    if (both && p.dstRow == 1 && p.dstColumn != 1) p = swapLoops(p);
    if (both && p.srcRow == 1 && p.dstColumn == 1 && p.srcColumn != 1) {
        transposePlane(p, static_cast<const T*>(src), static_cast<T*>(dst));
    } else {
        // A pass over all rows for each of a few columns would touch every cache line that often.
        if (both && p.dstColumn != 1 && p.rows <= kFewColumns && p.columns > p.rows) p = swapLoops(p);
        copyRows(p, static_cast<const T*>(src), static_cast<T*>(dst));
    }
}

void copyPlaneOf(const CopyPlane& plane, int elementBytes, const void* src, void* dst) {
    switch (elementBytes) {
        case 1:
            copyAs<uint8_t>(plane, src, dst);
            break;
        case 2:
            copyAs<uint16_t>(plane, src, dst);
            break;
        case 4:
            copyAs<uint32_t>(plane, src, dst);
            break;
        default:
            copyAs<uint64_t>(plane, src, dst);
            break;
    }
}

CopyPlaneFn copyPlaneFn() { return copyPlaneOf; }

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace MNN
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace MNN {
namespace cpu {

CopyPlaneFn copyPlaneKernel(Isa isa) { MNN_SELECT_TARGET(isa, copyPlaneFn) }

}  // namespace cpu
}  // namespace MNN
#endif
