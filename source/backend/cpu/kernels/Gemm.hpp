// fp32 products: tiles of C held in registers, columns of C along the vector lanes. Matrix products, convolutions and
// deconvolutions all end in the tiles of this file.
#ifndef MNN_CPU_KERNELS_GEMM_HPP
#define MNN_CPU_KERNELS_GEMM_HPP

#include <cstddef>
#include <cstdint>
#include "backend/cpu/kernels/Isa.hpp"

namespace MNN {
namespace cpu {

// Largest values over all targets, for arrays on the stack.
constexpr int kMaxTileRows = 14;
constexpr int kMaxPanel = 32;

// Bounds of a fused activation. Not `active`: values pass unchanged, NaN included.
struct Clamp {
    bool active = false;
    float low = 0.0f;
    float high = 0.0f;
};

// One tile: C[r][n] = init[n] + sum over k of A[r][k] * B[k][n].
//
// K is a chain of `segments` runs: run s covers `length` values of k (the runs from `fullSegments` on: `lastLength`)
// and reads A at rows[r][segmentOffset[s] + i]. A packed A ignores this and reads a[k * tileRows + r] for k below
// `length`. B is read as b[k * bStep + n]. Value r, column v * lanes + l of the tile is stored at c[r * rowStep + v *
// vectorStep + l].
struct GemmTile {
    const float* const* rows;
    const float* a;
    const float* b;
    ptrdiff_t bStep;
    const ptrdiff_t* segmentOffset;
    int segments;
    int fullSegments;
    int length;
    int lastLength;
    float* c;
    ptrdiff_t rowStep;
    ptrdiff_t vectorStep;
    int lastLanes;      // columns of the last vector that exist: others are neither read (B, bias, C) nor written
    bool bTail;         // B, too, ends at lastLanes (it is read in place); packed panels are whole
    bool accumulate;    // init is the present content of C
    const float* bias;  // else it is this, one value a column; nullptr: 0
    Clamp clamp;
};

using GemmTileFn = void (*)(const GemmTile& tile);

struct GemmKernels {
    int lanes;
    int panel;        // columns of a packed panel of B: 2 * lanes
    int tileRows[5];  // rows of the tiles there are, largest first; the last is 1
    int tileKinds;
    GemmTileFn inPlace[5][2];  // [kind of tile][vectors - 1], A read through row pointers
    GemmTileFn packed[5][2];   // A packed

    // dst[k * width + l] = src[l * laneStep + k * kStep] for l < lanes, 0 for lanes <= l < width.
    void (*pack)(float* dst, int width, const float* src, ptrdiff_t laneStep, ptrdiff_t kStep, int lanes, int k);
    // dst[i * dstStep + l] = src[i * srcStep + l] for i < count, l < run: the channels of a block that a group owns.
    void (*copyRuns)(float* dst, ptrdiff_t dstStep, const float* src, ptrdiff_t srcStep, int run, int count);
    // out[p * outStepX + q * outStepY] = sum over k of x[p * xStep + k] * y[q * yStep + k]: for products with very few
    // columns, where k is contiguous on both sides.
    void (*dots)(float* out, ptrdiff_t outStepX, ptrdiff_t outStepY, const float* x, ptrdiff_t xStep, int xCount,
                 const float* y, ptrdiff_t yStep, int yCount, int k);
};

const GemmKernels& gemmKernels(Isa isa);

// The largest kind of tile that `rows` fill.
inline int tileKind(const GemmKernels& kernels, int rows) {
    int kind = 0;
    while (kernels.tileRows[kind] > rows) ++kind;
    return kind;
}

}  // namespace cpu
}  // namespace MNN
#endif
