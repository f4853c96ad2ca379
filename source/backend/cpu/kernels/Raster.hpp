// Strided copies: what a Raster does on a CPU.
#ifndef MNN_CPU_KERNELS_RASTER_HPP
#define MNN_CPU_KERNELS_RASTER_HPP

#include <cstdint>
#include "backend/cpu/kernels/Isa.hpp"

namespace MNN {
namespace cpu {

// Two inner loops of a copy, in elements: for i < rows, j < columns: dst[i * dstRow + j * dstColumn] = src[...].
struct CopyPlane {
    int64_t rows, columns;
    int64_t srcRow, srcColumn, dstRow, dstColumn;
};

// elementBytes is 1, 2, 4 or 8. src and dst do not overlap, and no element of dst is written twice.
using CopyPlaneFn = void (*)(const CopyPlane& plane, int elementBytes, const void* src, void* dst);
CopyPlaneFn copyPlaneKernel(Isa isa);

}  // namespace cpu
}  // namespace MNN
#endif
