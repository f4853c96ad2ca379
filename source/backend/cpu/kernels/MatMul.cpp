#include "backend/cpu/kernels/MatMul.hpp"

#include <algorithm>

namespace MNN {
namespace cpu {
namespace {

// A panel of B of this depth stays in L1 (32 columns * 256 * 4 bytes = 32 KiB) while tiles of A pass by.
constexpr int kDepth = 256;
// Rows of A packed at a time: with kDepth about 300 KiB, part of L2.
constexpr int kPackRows = 294;
// Columns of B packed at a time: the other part.
constexpr int kPackColumns = 512;
// Up to this many rows or columns a product is done as dot products.
constexpr int kDots = 4;
// Below this many multiply-adds a task costs more to hand out than to do.
constexpr int64_t kSmallTask = 1 << 16;

int divideUp(int a, int b) { return (a + b - 1) / b; }
int roundUp(int a, int b) { return divideUp(a, b) * b; }

float clamped(const Clamp& clamp, float x) {
    if (!clamp.active) return x;
    if (x < clamp.low) return clamp.low;
    return x > clamp.high ? clamp.high : x;
}

}  // namespace

bool worthPackingB(int n) { return n > kDots; }

int64_t packedBFloats(const GemmKernels& kernels, int n, int k) {
    return static_cast<int64_t>(divideUp(n, kernels.panel)) * kernels.panel * k;
}

void packMatMulB(const GemmKernels& kernels, float* dst, const float* b, ptrdiff_t bRow, ptrdiff_t bColumn, int n,
                 int k, int panelBegin, int panelEnd) {
    for (int p = panelBegin; p < panelEnd; ++p) {
        const int n0 = p * kernels.panel;
        kernels.pack(dst + static_cast<ptrdiff_t>(n0) * k, kernels.panel, b + n0 * bColumn, bColumn, bRow,
                     std::min(kernels.panel, n - n0), k);
    }
}

void MatMulPlan::prepare(const GemmKernels& kernels, const MatMulShape& shape, int batch, int threads) {
    mKernels = &kernels;
    mShape = shape;
    chooseWay();
    chooseBlocks(batch, threads);
}

void MatMulPlan::chooseWay() {
    const MatMulShape& s = mShape;
    mAInPlace = mBInPlace = false;
    if (s.k == 0) {
        mWay = Way::Fill;
    } else if (s.n <= kDots && s.aColumn == 1 && !s.bPacked) {
        mWay = Way::DotColumns;
    } else if (s.m <= kDots && s.bRow == 1 && !s.bPacked) {
        mWay = Way::DotRows;
    } else {
        mWay = Way::Tiles;
        const bool oneTile = s.m <= mKernels->tileRows[0];
        mAInPlace = s.aColumn == 1 && (oneTile || s.n <= 2 * mKernels->panel);
        mBInPlace = !s.bPacked && oneTile && s.bColumn == 1;
    }
}

void MatMulPlan::chooseBlocks(int batch, int threads) {
    const MatMulShape& s = mShape;
    const int tileRows = mKernels->tileRows[0];
    const int panels = divideUp(s.n, mKernels->panel);
    // A single tile of rows has no use for a panel of B in L1: K stays whole unless B must be packed on the way.
    const bool wholeK = s.m <= tileRows && (s.bPacked || mBInPlace);
    mBlockK = wholeK || s.k <= kDepth * 3 / 2 ? s.k : roundUp(divideUp(s.k, divideUp(s.k, kDepth)), 4);
    mTaskRows = roundUp(std::max(s.m, 1), tileRows);
    mTaskPanels = std::min(std::max(panels, 1), kPackColumns / mKernels->panel);
    const auto count = [&] { return divideUp(s.m, mTaskRows) * divideUp(panels, mTaskPanels); };
    const auto work = [&] {
        return static_cast<int64_t>(mTaskRows) * mTaskPanels * mKernels->panel * std::max(s.k, 1);
    };
    // Enough tasks for an even load; halving the longer side keeps a task's A and B small.
    while (threads > 1 && static_cast<int64_t>(count()) * batch < 4 * threads && work() >= 2 * kSmallTask) {
        const bool canRows = mTaskRows > tileRows, canPanels = mTaskPanels > 1;
        if (!canRows && !canPanels) break;
        if (canRows && (!canPanels || mTaskRows > mTaskPanels * mKernels->panel)) {
            mTaskRows = roundUp(mTaskRows / 2, tileRows);
        } else {
            mTaskPanels = divideUp(mTaskPanels, 2);
        }
    }
    mBlockRows = std::min(mTaskRows, roundUp(kPackRows, tileRows));
    mRowBlocks = divideUp(s.m, mTaskRows);
    mColumnBlocks = divideUp(panels, mTaskPanels);
    mScratchA = mScratchB = 0;
    if (mWay == Way::Tiles) {
        if (!mAInPlace) mScratchA = static_cast<int64_t>(mBlockRows) * mBlockK;
        if (!s.bPacked && !mBInPlace) mScratchB = static_cast<int64_t>(mTaskPanels) * mKernels->panel * mBlockK;
    } else if (mWay != Way::Fill) {
        mScratchB = static_cast<int64_t>(kDots) * s.k;
    }
}

void MatMulPlan::run(int task, const float* a, const float* b, const float* bias, const Clamp& clamp, float* c,
                     float* scratch) const {
    const int panels = divideUp(mShape.n, mKernels->panel);
    const int rowBlock = task % mRowBlocks, columnBlock = task / mRowBlocks;
    Block block;
    block.m0 = rowBlock * mTaskRows;
    block.m1 = std::min(mShape.m, block.m0 + mTaskRows);
    block.panel0 = columnBlock * mTaskPanels;
    block.panel1 = std::min(panels, block.panel0 + mTaskPanels);
    switch (mWay) {
        case Way::Fill:
            return runFill(block, bias, clamp, c);
        case Way::Tiles:
            return runTiles(block, a, b, bias, clamp, c, scratch);
        default:
            return runDots(block, a, b, bias, clamp, c, scratch);
    }
}

void MatMulPlan::runFill(const Block& block, const float* bias, const Clamp& clamp, float* c) const {
    const int n0 = block.panel0 * mKernels->panel, n1 = std::min(mShape.n, block.panel1 * mKernels->panel);
    for (int m = block.m0; m < block.m1; ++m) {
        for (int n = n0; n < n1; ++n) c[m * mShape.cRow + n] = clamped(clamp, bias != nullptr ? bias[n] : 0.0f);
    }
}

void MatMulPlan::runDots(const Block& block, const float* a, const float* b, const float* bias, const Clamp& clamp,
                         float* c, float* scratch) const {
    const MatMulShape& s = mShape;
    const int n0 = block.panel0 * mKernels->panel, n1 = std::min(s.n, block.panel1 * mKernels->panel);
    const int rows = block.m1 - block.m0, columns = n1 - n0;
    // The few vectors are made contiguous; the many rows on the other side already are.
    const auto gather = [&](const float* from, ptrdiff_t step, ptrdiff_t kStep, int count) {
        for (int i = 0; i < count; ++i) {
            for (int k = 0; k < s.k; ++k) scratch[static_cast<ptrdiff_t>(i) * s.k + k] = from[i * step + k * kStep];
        }
    };
    float* out = c + block.m0 * s.cRow + n0;
    if (mWay == Way::DotColumns) {
        const float* y = b + n0 * s.bColumn;
        const bool asItIs = s.bRow == 1;
        if (!asItIs) gather(y, s.bColumn, s.bRow, columns);
        mKernels->dots(out, s.cRow, 1, a + block.m0 * s.aRow, s.aRow, rows, asItIs ? y : scratch,
                       asItIs ? s.bColumn : s.k, columns, s.k);
    } else {
        const float* y = a + block.m0 * s.aRow;
        const bool asItIs = s.aColumn == 1;
        if (!asItIs) gather(y, s.aRow, s.aColumn, rows);
        mKernels->dots(out, 1, s.cRow, b + n0 * s.bColumn, s.bColumn, columns, asItIs ? y : scratch,
                       asItIs ? s.aRow : s.k, rows, s.k);
    }
    if (bias == nullptr && !clamp.active) return;
    for (int m = 0; m < rows; ++m) {
        for (int n = 0; n < columns; ++n) {
            float& value = out[m * s.cRow + n];
            value = clamped(clamp, bias != nullptr ? value + bias[n0 + n] : value);
        }
    }
}

void MatMulPlan::packA(float* dst, const float* a, int rows, int k) const {
    for (int r = 0; r < rows;) {
        const int width = mKernels->tileRows[tileKind(*mKernels, rows - r)];
        mKernels->pack(dst + static_cast<ptrdiff_t>(r) * k, width, a + r * mShape.aRow, mShape.aRow, mShape.aColumn,
                       width, k);
        r += width;
    }
}

void MatMulPlan::tileRows(GemmTile tile, const float* a, const float* packedA, int rows, int columns) const {
    const int lanes = mKernels->lanes;
    const int vectors = columns > lanes ? 2 : 1;
    tile.lastLanes = columns - (vectors - 1) * lanes;
    tile.bTail = mBInPlace && tile.lastLanes < lanes;
    float* c = tile.c;
    for (int r = 0; r < rows;) {
        const int kind = tileKind(*mKernels, rows - r);
        const int count = mKernels->tileRows[kind];
        tile.c = c + r * mShape.cRow;
        if (packedA == nullptr) {
            const float* rowPointers[kMaxTileRows];
            for (int i = 0; i < count; ++i) rowPointers[i] = a + (r + i) * mShape.aRow;
            tile.rows = rowPointers;
            mKernels->inPlace[kind][vectors - 1](tile);
        } else {
            tile.a = packedA + static_cast<ptrdiff_t>(r) * tile.length;
            mKernels->packed[kind][vectors - 1](tile);
        }
        r += count;
    }
}

void MatMulPlan::packB(float* dst, const float* b, const Block& block, int k) const {
    const int panel = mKernels->panel;
    // A few rows at a time: whole rows of B are read in order although panels are narrow.
    constexpr int kRows = 16;
    for (int k0 = 0; k0 < k; k0 += kRows) {
        for (int p = block.panel0; p < block.panel1; ++p) {
            const int n0 = p * panel;
            mKernels->pack(dst + (static_cast<ptrdiff_t>(p - block.panel0) * k + k0) * panel, panel,
                           b + k0 * mShape.bRow + n0 * mShape.bColumn, mShape.bColumn, mShape.bRow,
                           std::min(panel, mShape.n - n0), std::min(kRows, k - k0));
        }
    }
}

void MatMulPlan::runTiles(const Block& block, const float* a, const float* b, const float* bias, const Clamp& clamp,
                          float* c, float* scratch) const {
    const MatMulShape& s = mShape;
    float* const packedB = scratch + mScratchA;
    for (int k0 = 0; k0 < s.k; k0 += mBlockK) {
        const int k = std::min(mBlockK, s.k - k0);
        if (!s.bPacked && !mBInPlace) packB(packedB, b + k0 * s.bRow, block, k);
        const ptrdiff_t segment = 0;
        GemmTile tile = {};
        tile.segmentOffset = &segment;
        tile.segments = tile.fullSegments = 1;
        tile.length = k;
        tile.rowStep = s.cRow;
        tile.vectorStep = mKernels->lanes;
        tile.accumulate = k0 > 0;
        if (k0 + k == s.k) tile.clamp = clamp;
        for (int m0 = block.m0; m0 < block.m1; m0 += mBlockRows) {
            const int rows = std::min(mBlockRows, block.m1 - m0);
            const float* const aBlock = a + m0 * s.aRow + k0 * s.aColumn;
            if (!mAInPlace) packA(scratch, aBlock, rows, k);
            for (int p = block.panel0; p < block.panel1; ++p) {
                const int n0 = p * mKernels->panel;
                tile.bStep = mBInPlace ? s.bRow : mKernels->panel;
                if (s.bPacked) {
                    tile.b = b + (static_cast<ptrdiff_t>(p) * s.k + k0) * mKernels->panel;
                } else if (mBInPlace) {
                    tile.b = b + k0 * s.bRow + n0;
                } else {
                    tile.b = packedB + static_cast<ptrdiff_t>(p - block.panel0) * k * mKernels->panel;
                }
                tile.c = c + m0 * s.cRow + n0;
                tile.bias = bias != nullptr ? bias + n0 : nullptr;
                tileRows(tile, aBlock, mAInPlace ? nullptr : scratch, rows, std::min(mKernels->panel, s.n - n0));
            }
        }
    }
}

}  // namespace cpu
}  // namespace MNN
