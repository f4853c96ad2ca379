// Strided copies: what a Raster does on a CPU.
#ifndef MNN_CPU_KERNELS_RASTER_HPP
#define MNN_CPU_KERNELS_RASTER_HPP

#include <cstdint>

namespace MNN {
namespace cpu {

// Two inner loops of a copy, in elements: for i < rows, j < columns: dst[i * dstRow + j * dstColumn] = src[...].
struct CopyPlane {
    int64_t rows, columns;
    int64_t srcRow, srcColumn, dstRow, dstColumn;
};

// elementBytes is 1, 2, 4 or 8. src and dst do not overlap.
void copyPlane(const CopyPlane& plane, int elementBytes, const void* src, void* dst);

}  // namespace cpu
}  // namespace MNN
#endif
