// Splits a matrix product into tasks and cache blocks over the tiles of Gemm.hpp.
#ifndef MNN_CPU_KERNELS_MATMUL_HPP
#define MNN_CPU_KERNELS_MATMUL_HPP

#include "backend/cpu/kernels/Gemm.hpp"

namespace MNN {
namespace cpu {

// C[m][n] = sum over k of A[m][k] * B[k][n] + bias[n]. Steps count floats between neighbours of a row or column of each
// matrix and may be 0 (broadcast) or negative. Rows of C are contiguous.
struct MatMulShape {
    int m = 0, n = 0, k = 0;
    ptrdiff_t aRow = 0, aColumn = 1;
    ptrdiff_t bRow = 0, bColumn = 1;
    ptrdiff_t cRow = 0;
    bool bPacked = false;  // B was packed by packMatMulB; bRow and bColumn are not used
};

// Whether packing a constant B ahead pays: products with very few columns read it as it is.
bool worthPackingB(int n);
// Floats of packed B: panels of GemmKernels::panel columns, each [k][panel].
int64_t packedBFloats(const GemmKernels& kernels, int n, int k);
// Packs the panels from `panelBegin` to `panelEnd`; dst is the start of the whole packed B.
void packMatMulB(const GemmKernels& kernels, float* dst, const float* b, ptrdiff_t bRow, ptrdiff_t bColumn, int n,
                 int k, int panelBegin, int panelEnd);

class MatMulPlan {
public:
    // Prepares `batch` products of one shape for `threads` threads.
    void prepare(const GemmKernels& kernels, const MatMulShape& shape, int batch, int threads);
    // Tasks of one product; task numbers of run() are below tasks().
    int tasks() const { return mRowBlocks * mColumnBlocks; }
    // Scratch each worker needs, in floats.
    int64_t scratchFloats() const { return mScratchA + mScratchB; }
    // Does one task of one product. bias may be nullptr.
    void run(int task, const float* a, const float* b, const float* bias, const Clamp& clamp, float* c,
             float* scratch) const;

private:
    enum class Way : uint8_t { Fill, DotColumns, DotRows, Tiles };
    struct Block {
        int m0, m1, panel0, panel1;
    };

    void chooseWay();
    void chooseBlocks(int batch, int threads);
    void runFill(const Block& block, const float* bias, const Clamp& clamp, float* c) const;
    void runDots(const Block& block, const float* a, const float* b, const float* bias, const Clamp& clamp, float* c,
                 float* scratch) const;
    void runTiles(const Block& block, const float* a, const float* b, const float* bias, const Clamp& clamp, float* c,
                  float* scratch) const;
    void packA(float* dst, const float* a, int rows, int k) const;
    void packB(float* dst, const float* b, const Block& block, int k) const;
    void tileRows(GemmTile tile, const float* a, const float* packedA, int rows, int columns) const;

    const GemmKernels* mKernels = nullptr;
    MatMulShape mShape;
    Way mWay = Way::Tiles;
    bool mAInPlace = false;
    bool mBInPlace = false;
    int mBlockK = 0;
    int mBlockRows = 0;  // rows of A packed at a time
    int mTaskRows = 0;   // rows and panels of a task
    int mTaskPanels = 0;
    int mRowBlocks = 0, mColumnBlocks = 0;
    int64_t mScratchA = 0, mScratchB = 0;
};

}  // namespace cpu
}  // namespace MNN
#endif
