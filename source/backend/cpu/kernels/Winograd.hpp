// 3 x 3 convolution of stride 1 by Winograd's minimal filtering: F(2, 3) needs 16 products for 4 outputs of a channel
// pair instead of 36, F(4, 3) 36 for 16 instead of 144. The products are matrix products over tiles, one for each
// position of the transformed tile, done with the tiles of Gemm.hpp.
//
// Transforms follow Toom and Cook with the points 0, 1, -1, infinity for F(2, 3), and 0, +-sqrt(1/2), +-sqrt(2),
// infinity for F(4, 3): that choice keeps the coefficients near 1, and the rounding error a few times that of a direct
// sum.
#ifndef MNN_CPU_KERNELS_WINOGRAD_HPP
#define MNN_CPU_KERNELS_WINOGRAD_HPP

#include "backend/cpu/kernels/Conv.hpp"

namespace MNN {
namespace cpu {

// A tile of inputs or outputs of one channel block that may stick out of its plane: rows y0..y1 and columns x0..x1 of
// it exist.
struct WinogradTile {
    int y0, y1, x0, x1;
    ptrdiff_t rowStep;  // floats between rows of the plane
};

struct WinogradKernels {
    int lanes;
    // to[(i * side + j) * toStep + l] from the side * side inputs at `from` (the tile's corner, which may lie outside
    // the plane).
    void (*input)(int unit, float* to, ptrdiff_t toStep, const float* from, const WinogradTile& tile);
    // unit * unit outputs at `to` from from[(i * side + j) * fromStep + l].
    void (*output)(int unit, float* to, const WinogradTile& tile, const float* from, ptrdiff_t fromStep,
                   const float* bias, const Clamp& clamp);
};
const WinogradKernels& winogradKernels(Isa isa);

class WinogradPlan {
public:
    // The unit (2 or 4) that should be quicker than a direct convolution, or 0. largest: the largest unit allowed.
    static int chooseUnit(const GemmKernels& kernels, const ConvShape& shape, int largest);

    // unit outputs along each side of a tile.
    void prepare(const GemmKernels& kernels, const WinogradKernels& transforms, const ConvShape& shape, int unit,
                 int threads);

    int64_t weightFloats() const {
        return static_cast<int64_t>(positions()) * mPanels * mKernels->panel * mShape.inChannels;
    }
    int64_t biasFloats() const { return static_cast<int64_t>(mPanels) * mKernels->panel; }
    int weightTasks() const { return mPanels; }
    void packWeights(int task, const float* weight, float* packed) const;
    void packBias(const float* bias, float* packed) const;
    // Floats of scratch: one block of tiles, or one for each worker.
    int64_t scratchFloats() const { return blockFloats() * (mPrivateBlocks ? mThreads : 1); }

    template <typename ParallelFor>
    void run(const float* input, const float* weight, const float* bias, const Clamp& clamp, float* output,
             float* scratch, ParallelFor&& parallelFor) const {
        const int blocks = mShape.batch * blocksOfImage();
        const auto block = [&](int index, float* room, auto&& each) {
            each(mInBlocks, [&](int i, int) { transformInput(index, i, input, room); });
            each(positions() * mPanelGroups, [&](int i, int) { multiply(index, i, weight, room); });
            each(mOutBlocks, [&](int i, int) { transformOutput(index, i, bias, clamp, room, output); });
        };
        if (!mPrivateBlocks) {
            for (int i = 0; i < blocks; ++i) block(i, scratch, parallelFor);
            return;
        }
        parallelFor(blocks, [&](int i, int worker) {
            block(i, scratch + worker * blockFloats(), [](int tasks, auto&& body) {
                for (int task = 0; task < tasks; ++task) body(task, 0);
            });
        });
    }

private:
    struct Block {
        int image, tile0, tiles;
    };
    int side() const { return mUnit + 2; }
    int positions() const { return side() * side(); }
    int blocksOfImage() const { return (mTiles + mBlockTiles - 1) / mBlockTiles; }
    // A line more than the tiles need keeps the positions of one tile out of each other's cache sets.
    ptrdiff_t inStep() const { return static_cast<ptrdiff_t>(mInBlocks * mBlockTiles + 1) * mKernels->lanes; }
    ptrdiff_t outStep() const { return static_cast<ptrdiff_t>(mOutBlocks * mBlockTiles + 1) * mKernels->lanes; }
    int64_t blockFloats() const { return positions() * (inStep() + outStep()); }
    Block blockAt(int index) const;
    void transformInput(int block, int channelBlock, const float* input, float* room) const;
    void multiply(int block, int task, const float* weight, float* room) const;
    void multiplyPanel(const Block& block, int position, int panel, const float* weight, float* room) const;
    void transformOutput(int block, int channelBlock, const float* bias, const Clamp& clamp, const float* room,
                         float* output) const;

    const GemmKernels* mKernels = nullptr;
    const WinogradKernels* mTransforms = nullptr;
    ConvShape mShape;
    int mUnit = 2;
    int mThreads = 1;
    int mInBlocks = 0, mOutBlocks = 0, mPanels = 0;
    int mPanelGroups = 1;         // parts of the panels that one task of multiply() takes
    int mTilesX = 0, mTiles = 0;  // of an image
    int mBlockTiles = 1;
    bool mPrivateBlocks = false;  // each worker has a block of its own; else all work on one
    std::vector<ptrdiff_t> mSegments;
};

}  // namespace cpu
}  // namespace MNN
#endif
