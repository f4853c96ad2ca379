#include "backend/cpu/kernels/Raster.hpp"

#include <algorithm>
#include <cstring>

namespace MNN {
namespace cpu {
namespace {

// Side of the square that a transpose moves at a time: both its rows and its columns stay in the first-level cache.
constexpr int64_t kTile = 16;

template <typename T>
void transposePlane(const CopyPlane& p, const T* src, T* dst) {
    for (int64_t i0 = 0; i0 < p.rows; i0 += kTile) {
        const int64_t i1 = std::min(i0 + kTile, p.rows);
        for (int64_t j0 = 0; j0 < p.columns; j0 += kTile) {
            const int64_t j1 = std::min(j0 + kTile, p.columns);
            for (int64_t i = i0; i < i1; ++i) {
                for (int64_t j = j0; j < j1; ++j) dst[i * p.dstRow + j * p.dstColumn] = src[i * p.srcRow + j * p.srcColumn];
            }
        }
    }
}

template <typename T>
void copyRows(const CopyPlane& p, const T* src, T* dst) {
    for (int64_t i = 0; i < p.rows; ++i) {
        const T* from = src + i * p.srcRow;
        T* to = dst + i * p.dstRow;
        if (p.srcColumn == 1 && p.dstColumn == 1) {
            std::memcpy(to, from, static_cast<size_t>(p.columns) * sizeof(T));
        } else if (p.srcColumn == 0 && p.dstColumn == 1) {
            std::fill(to, to + p.columns, *from);
        } else if (p.dstColumn == 1) {
            for (int64_t j = 0; j < p.columns; ++j) to[j] = from[j * p.srcColumn];
        } else {
            for (int64_t j = 0; j < p.columns; ++j) to[j * p.dstColumn] = from[j * p.srcColumn];
        }
    }
}

template <typename T>
void copyAs(const CopyPlane& p, const void* src, void* dst) {
    const bool transposed = p.rows > 1 && p.columns > 1 && p.srcRow == 1 && p.srcColumn != 1;
    if (transposed) {
        transposePlane(p, static_cast<const T*>(src), static_cast<T*>(dst));
    } else {
        copyRows(p, static_cast<const T*>(src), static_cast<T*>(dst));
    }
}

}  // namespace

void copyPlane(const CopyPlane& plane, int elementBytes, const void* src, void* dst) {
    switch (elementBytes) {
        case 1: copyAs<uint8_t>(plane, src, dst); break;
        case 2: copyAs<uint16_t>(plane, src, dst); break;
        case 4: copyAs<uint32_t>(plane, src, dst); break;
        default: copyAs<uint64_t>(plane, src, dst); break;
    }
}

}  // namespace cpu
}  // namespace MNN
