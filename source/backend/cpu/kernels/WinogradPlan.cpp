#include <algorithm>
#include <cmath>
#include "backend/cpu/kernels/Winograd.hpp"

namespace MNN {
namespace cpu {
namespace {

// Transformed inputs and outputs of a block: what stays in L2 beside a panel of weights. 1 MiB.
constexpr int64_t kBlockFloats = 256 << 10;
// A channel pair of panels shared out among workers when all work on one block.
constexpr int kMaxPanelGroups = 4;

int divideUp(int a, int b) { return (a + b - 1) / b; }

// G of F(2, 3) and F(4, 3): row i holds (1, p, p^2) / product of (p - other points) for point p, the last row (0, 0,
// 1).
struct Filter {
    double rows[6][3];
};

Filter filterOf(int unit) {
    const double half = std::sqrt(0.5), two = std::sqrt(2.0);
    const std::vector<double> points =
        unit == 2 ? std::vector<double>{0, 1, -1} : std::vector<double>{0, half, -half, two, -two};
    Filter filter = {};
    for (size_t i = 0; i < points.size(); ++i) {
        double scale = 1.0;
        for (size_t j = 0; j < points.size(); ++j) {
            if (j != i) scale *= points[i] - points[j];
        }
        filter.rows[i][0] = 1.0 / scale;
        filter.rows[i][1] = points[i] / scale;
        filter.rows[i][2] = points[i] * points[i] / scale;
    }
    filter.rows[points.size()][2] = 1.0;
    return filter;
}

// Rows that `rows` cost in tiles: tiles of one or two rows run at the pace of four.
int paidRows(const GemmKernels& kernels, int rows) {
    const int full = rows / kernels.tileRows[0] * kernels.tileRows[0];
    const int rest = rows - full;
    return full + (rest == 0 ? 0 : std::max(4, rest + 2));
}

}  // namespace

int WinogradPlan::chooseUnit(const GemmKernels& kernels, const ConvShape& s, int largest) {
    const bool fits = !s.transposed && s.groups == 1 && s.kernelY == 3 && s.kernelX == 3 && s.strideY == 1 &&
                      s.strideX == 1 && s.dilateY == 1 && s.dilateX == 1 && s.inPack == kernels.lanes &&
                      s.outPack == kernels.lanes;
    if (!fits || s.inChannels < 16 || s.outChannels < 16) return 0;
    // Costs in cycles: two multiply-adds of vectors a cycle, eight bytes of weights a cycle (they come from beyond L2),
    // and the instructions of the transforms.
    const double pairs = static_cast<double>(s.inChannels) * s.outChannels;
    const double pixels = static_cast<double>(s.batch) * s.outHeight * s.outWidth;
    const auto cost = [&](double products, double positions) {
        return products * pairs / (2 * kernels.lanes) + positions * pairs * sizeof(float) / 8;
    };
    // Direct work also pays for the rim of its padded copy and for visiting sums twice.
    double best = cost(9 * pixels, 9) * 0.9;
    int unit = 0;
    for (int candidate : {2, 4}) {
        if (candidate > largest) continue;
        const int positions = (candidate + 2) * (candidate + 2);
        const int tiles = divideUp(s.outHeight, candidate) * divideUp(s.outWidth, candidate);
        const double blocks = divideUp(s.inChannels, kernels.lanes) + divideUp(s.outChannels, kernels.lanes);
        const double transforms = static_cast<double>(s.batch) * tiles * blocks * positions * 3;
        const double total =
            cost(static_cast<double>(s.batch) * positions * paidRows(kernels, tiles), positions) + transforms;
        if (total < best) {
            best = total;
            unit = candidate;
        }
    }
    return unit;
}

void WinogradPlan::prepare(const GemmKernels& kernels, const WinogradKernels& transforms, const ConvShape& shape,
                           int unit, int threads) {
    mKernels = &kernels;
    mTransforms = &transforms;
    mShape = shape;
    mUnit = unit;
    mThreads = threads;
    const int lanes = kernels.lanes;
    mInBlocks = divideUp(shape.inChannels, lanes);
    mOutBlocks = divideUp(shape.outChannels, lanes);
    mPanels = divideUp(shape.outChannels, kernels.panel);
    mTilesX = divideUp(shape.outWidth, unit);
    mTiles = mTilesX * divideUp(shape.outHeight, unit);
    const int64_t tileFloats = static_cast<int64_t>(positions()) * (mInBlocks + mOutBlocks) * lanes;
    const int rows = kernels.tileRows[0];
    const int64_t fitting = std::max<int64_t>(1, kBlockFloats / tileFloats / rows) * rows;
    mBlockTiles = static_cast<int>(std::min<int64_t>(std::max(1, mTiles), fitting));
    // Blocks of about the same size, whole tiles of rows each.
    const int blocks = divideUp(mTiles, mBlockTiles);
    if (blocks > 1) mBlockTiles = divideUp(divideUp(mTiles, blocks), rows) * rows;
    mPrivateBlocks = threads > 1 && shape.batch * blocksOfImage() >= 2 * threads;
    mPanelGroups = threads > 1 && !mPrivateBlocks ? std::min(mPanels, kMaxPanelGroups) : 1;
    mSegments.clear();
    for (int b = 0; b < mInBlocks; ++b) mSegments.push_back(static_cast<ptrdiff_t>(b) * mBlockTiles * lanes);
}

void WinogradPlan::packWeights(int task, const float* weight, float* packed) const {
    const Filter filter = filterOf(mUnit);
    const int n = side(), panel = mKernels->panel, in = mShape.inChannels;
    for (int c = 0; c < in; ++c) {
        for (int l = 0; l < panel; ++l) {
            const int out = task * panel + l;
            double half[6][3] = {}, whole[6][6] = {};
            if (out < mShape.outChannels) {
                const float* g = weight + (static_cast<ptrdiff_t>(out) * in + c) * 9;
                for (int i = 0; i < n; ++i) {
                    for (int x = 0; x < 3; ++x) {
                        for (int y = 0; y < 3; ++y) half[i][x] += filter.rows[i][y] * g[y * 3 + x];
                    }
                    for (int j = 0; j < n; ++j) {
                        for (int x = 0; x < 3; ++x) whole[i][j] += half[i][x] * filter.rows[j][x];
                    }
                }
            }
            for (int i = 0; i < n; ++i) {
                for (int j = 0; j < n; ++j) {
                    packed[((static_cast<ptrdiff_t>(i * n + j) * mPanels + task) * in + c) * panel + l] =
                        static_cast<float>(whole[i][j]);
                }
            }
        }
    }
}

void WinogradPlan::packBias(const float* bias, float* packed) const {
    std::fill(packed, packed + biasFloats(), 0.0f);
    if (bias != nullptr) std::copy(bias, bias + mShape.outChannels, packed);
}

WinogradPlan::Block WinogradPlan::blockAt(int index) const {
    Block block;
    block.image = index / blocksOfImage();
    block.tile0 = index % blocksOfImage() * mBlockTiles;
    block.tiles = std::min(mBlockTiles, mTiles - block.tile0);
    return block;
}

void WinogradPlan::transformInput(int index, int channelBlock, const float* input, float* room) const {
    const Block block = blockAt(index);
    const int lanes = mKernels->lanes, height = mShape.inHeight, width = mShape.inWidth;
    const float* plane =
        input + (static_cast<ptrdiff_t>(block.image) * mInBlocks + channelBlock) * height * width * lanes;
    float* to = room + static_cast<ptrdiff_t>(channelBlock) * mBlockTiles * lanes;
    WinogradTile tile;
    tile.rowStep = static_cast<ptrdiff_t>(width) * lanes;
    for (int t = 0; t < block.tiles; ++t) {
        const int y = (block.tile0 + t) / mTilesX * mUnit - mShape.padTop,
                  x = (block.tile0 + t) % mTilesX * mUnit - mShape.padLeft;
        tile.y0 = std::max(0, -y), tile.y1 = std::min(side(), height - y);
        tile.x0 = std::max(0, -x), tile.x1 = std::min(side(), width - x);
        mTransforms->input(mUnit, to + t * lanes, inStep(),
                           plane + y * tile.rowStep + static_cast<ptrdiff_t>(x) * lanes, tile);
    }
}

void WinogradPlan::multiply(int index, int task, const float* weight, float* room) const {
    const Block block = blockAt(index);
    const int position = task / mPanelGroups, group = task % mPanelGroups;
    const int first = mPanels * group / mPanelGroups, last = mPanels * (group + 1) / mPanelGroups;
    for (int panel = first; panel < last; ++panel) multiplyPanel(block, position, panel, weight, room);
}

void WinogradPlan::multiplyPanel(const Block& block, int position, int panel, const float* weight, float* room) const {
    const int lanes = mKernels->lanes, width = mKernels->panel;
    const int vectors = mShape.outChannels - panel * width > lanes ? 2 : 1;
    const float* const in = room + position * inStep();
    float* const out =
        room + positions() * inStep() + position * outStep() + static_cast<ptrdiff_t>(panel) * 2 * mBlockTiles * lanes;
    GemmTile tile = {};
    tile.segmentOffset = mSegments.data();
    tile.segments = mInBlocks;
    tile.fullSegments = mShape.inChannels / lanes;
    tile.length = lanes;
    tile.lastLength = mShape.inChannels % lanes;
    tile.b = weight + (static_cast<ptrdiff_t>(position) * mPanels + panel) * mShape.inChannels * width;
    tile.bStep = width;
    tile.rowStep = lanes;
    tile.vectorStep = static_cast<ptrdiff_t>(mBlockTiles) * lanes;
    tile.lastLanes = lanes;
    const float* rows[kMaxTileRows];
    tile.rows = rows;
    for (int t = 0; t < block.tiles;) {
        const int kind = tileKind(*mKernels, block.tiles - t);
        const int count = mKernels->tileRows[kind];
        for (int r = 0; r < count; ++r) rows[r] = in + (t + r) * lanes;
        tile.c = out + t * lanes;
        mKernels->inPlace[kind][vectors - 1](tile);
        t += count;
    }
}

void WinogradPlan::transformOutput(int index, int channelBlock, const float* bias, const Clamp& clamp,
                                   const float* room, float* output) const {
    const Block block = blockAt(index);
    const int lanes = mKernels->lanes, height = mShape.outHeight, width = mShape.outWidth;
    float* plane = output + (static_cast<ptrdiff_t>(block.image) * mOutBlocks + channelBlock) * height * width * lanes;
    const float* from = room + positions() * inStep() + static_cast<ptrdiff_t>(channelBlock) * mBlockTiles * lanes;
    WinogradTile tile = {};
    tile.rowStep = static_cast<ptrdiff_t>(width) * lanes;
    for (int t = 0; t < block.tiles; ++t) {
        const int y = (block.tile0 + t) / mTilesX * mUnit, x = (block.tile0 + t) % mTilesX * mUnit;
        tile.y1 = std::min(mUnit, height - y);
        tile.x1 = std::min(mUnit, width - x);
        mTransforms->output(mUnit, plane + y * tile.rowStep + static_cast<ptrdiff_t>(x) * lanes, tile, from + t * lanes,
                            outStep(), bias + channelBlock * lanes, clamp);
    }
}

}  // namespace cpu
}  // namespace MNN
