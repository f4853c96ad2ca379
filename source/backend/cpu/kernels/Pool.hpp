// Pooling of one plane of channel blocks.
#ifndef MNN_CPU_KERNELS_POOL_HPP
#define MNN_CPU_KERNELS_POOL_HPP

#include "backend/cpu/kernels/Isa.hpp"

namespace MNN {
namespace cpu {

// Windows over a plane [height][width][pack]. A window is cut to the plane; its area, when padding counts, to the
// padded plane.
struct PoolShape {
    int inHeight = 0, inWidth = 0, outHeight = 0, outWidth = 0;
    int kernelY = 1, kernelX = 1, strideY = 1, strideX = 1;
    int padTop = 0, padLeft = 0, padBottom = 0, padRight = 0;
    bool countPadding = false;
};

// Rows [rowBegin, rowEnd) of one plane. A window without any element gives the lowest value (max) or 0 (average).
using PoolRows = void (*)(const PoolShape& shape, const float* src, float* dst, int rowBegin, int rowEnd);

struct PoolKernels {
    PoolRows max[4];  // pack 1, 4, 8, 16
    PoolRows average[4];
};
const PoolKernels& poolKernels(Isa isa);

// The index of a pack in these tables, -1 for others.
int packIndex(int pack);

}  // namespace cpu
}  // namespace MNN
#endif
