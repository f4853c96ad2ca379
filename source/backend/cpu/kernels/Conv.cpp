#include "backend/cpu/kernels/Conv.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

namespace MNN {
namespace cpu {
namespace {

// Weights that stay in L2 while tiles of pixels pass by: 128 KiB. Larger strips cost fewer visits to the output.
constexpr int64_t kStripFloats = 32768;
// A band of padded input: small enough for L2 beside the weights, or one image if that is smaller.
constexpr int64_t kBandFloats = 1 << 20;
constexpr int kMinBandRows = 4;
// Input that the pixels of one task read, so that the panels of weights find it in L2: 768 KiB.
constexpr int64_t kTaskInputFloats = 192 << 10;
constexpr int kTasksPerThread = 4;

int divideUp(int a, int b) { return (a + b - 1) / b; }
int modulo(int a, int b) { return (a % b + b) % b; }

}  // namespace

AxisTaps axisTaps(bool transposed, int residue, int out, int kernel, int stride, int dilate, int pad) {
    AxisTaps taps;
    if (!transposed) {
        taps.count = out;
        taps.step = stride;
        for (int k = 0; k < kernel; ++k) {
            taps.offset.push_back(k * dilate - pad);
            taps.kernel.push_back(k);
        }
        return taps;
    }
    // Output o collects input i through kernel element k where o = i * stride + k * dilate - pad.
    taps.first = modulo(residue - pad, stride);
    taps.period = stride;
    taps.count = out > taps.first ? divideUp(out - taps.first, stride) : 0;
    for (int k = 0; k < kernel; ++k) {
        if (k * dilate % stride != residue) continue;
        taps.offset.push_back((taps.first + pad - k * dilate) / stride);
        taps.kernel.push_back(k);
    }
    return taps;
}

// What the tiles of one task have in common.
struct ConvPlan::Work {
    const Task* task;
    const Phase* phase;
    int y0;               // first output row of the band
    int pixelEnd;         // task's pixels, clipped to the band
    const float* planes;  // of the group
    const float* weight;  // of the phase and group
    const float* bias;    // of the group
    Clamp clamp;
    float* result;
};

void ConvPlan::prepare(const GemmKernels& kernels, const ConvShape& shape, int threads) {
    mKernels = &kernels;
    mShape = shape;
    mGroupIn = shape.inChannels / shape.groups;
    mGroupOut = shape.outChannels / shape.groups;
    mInBlocks = divideUp(mGroupIn, shape.inPack);
    mPanels = divideUp(mGroupOut, kernels.panel);
    mImageFloats =
        static_cast<int64_t>(divideUp(shape.inChannels, shape.inPack)) * shape.inPack * shape.inHeight * shape.inWidth;
    mResultFloats = static_cast<int64_t>(divideUp(shape.outChannels, shape.outPack)) * shape.outPack * shape.outHeight *
                    shape.outWidth;
    mDirectStore = shape.outPack % kernels.lanes == 0 && (shape.groups == 1 || mGroupOut % kernels.lanes == 0);
    makePhases();
    placeInput();
    makeSegments();
    makeTasks(threads);
}

void ConvPlan::makePhases() {
    const ConvShape& s = mShape;
    mPhases.clear();
    mWeightFloats = 0;
    mRows = 0;
    for (int qy = 0; qy < (s.transposed ? s.strideY : 1); ++qy) {
        for (int qx = 0; qx < (s.transposed ? s.strideX : 1); ++qx) {
            Phase phase;
            phase.y = axisTaps(s.transposed, qy, s.outHeight, s.kernelY, s.strideY, s.dilateY, s.padTop);
            phase.x = axisTaps(s.transposed, qx, s.outWidth, s.kernelX, s.strideX, s.dilateX, s.padLeft);
            phase.weightOffset = mWeightFloats;
            mWeightFloats += static_cast<int64_t>(depth(phase)) * mPanels * mKernels->panel;
            mRows = std::max(mRows, phase.y.count);
            mPhases.push_back(std::move(phase));
        }
    }
    mWeightFloats *= s.groups;
}

void ConvPlan::placeInput() {
    const ConvShape& s = mShape;
    struct Reach {
        int low = INT_MAX, high = INT_MIN, end = INT_MIN;
        void add(const AxisTaps& taps) {
            if (taps.count == 0) return;
            for (int offset : taps.offset) {
                low = std::min(low, offset);
                high = std::max(high, offset);
                end = std::max(end, (taps.count - 1) * taps.step + offset + 1);
            }
        }
    } y, x;
    for (const Phase& phase : mPhases) {
        y.add(phase.y);
        x.add(phase.x);
    }
    const bool noTaps = y.low > y.high || x.low > x.high;
    const bool groupsCutBlocks = s.groups > 1 && mGroupIn % s.inPack != 0;
    mPadded = !noTaps && (y.low < 0 || x.low < 0 || y.end > s.inHeight || x.end > s.inWidth || groupsCutBlocks);
    mBandRows = std::max(1, mRows);
    if (!mPadded) {
        mOriginY = mOriginX = 0;
        mPlaneHeight = s.inHeight;
        mPlaneWidth = s.inWidth;
        return;
    }
    mOriginY = y.low;
    mOriginX = x.low;
    mPlaneWidth = x.end - x.low;
    chooseBand(y.low, y.high);
}

void ConvPlan::chooseBand(int minOffsetY, int maxOffsetY) {
    const int step = mPhases[0].y.step;
    const int64_t rowFloats = static_cast<int64_t>(mShape.groups) * mInBlocks * mShape.inPack * mPlaneWidth;
    const int64_t planeRows = std::max<int64_t>(1, kBandFloats / rowFloats);
    const int64_t fitting = (planeRows - (maxOffsetY - minOffsetY) - 1) / step + 1;
    mBandRows = static_cast<int>(std::min<int64_t>(mRows, std::max<int64_t>(kMinBandRows, fitting)));
    mBandRows = std::max(1, divideUp(mRows, divideUp(std::max(mRows, 1), std::max(mBandRows, 1))));
    mPlaneHeight = (mBandRows - 1) * step + maxOffsetY - minOffsetY + 1;
    mBandFloats = rowFloats * mPlaneHeight;
    mPadChunks = mShape.groups * mInBlocks < 8 ? std::min(4, mPlaneHeight) : 1;
}

void ConvPlan::makeSegments() {
    for (Phase& phase : mPhases) {
        phase.segmentOffset.clear();
        for (int block = 0; block < mInBlocks; ++block) {
            for (int y : phase.y.offset) {
                for (int x : phase.x.offset) {
                    const ptrdiff_t row = static_cast<ptrdiff_t>(block) * mPlaneHeight + y - mOriginY;
                    phase.segmentOffset.push_back((row * mPlaneWidth + x - mOriginX) * mShape.inPack);
                }
            }
        }
    }
}

void ConvPlan::makeTasks(int threads) {
    mTasks.clear();
    const int tileRows = mKernels->tileRows[0];
    int64_t pixelsOfAll = 0;
    for (const Phase& phase : mPhases) {
        pixelsOfAll += static_cast<int64_t>(std::min(mBandRows, phase.y.count)) * phase.x.count * mShape.groups;
    }
    const int64_t wanted = threads > 1 ? static_cast<int64_t>(kTasksPerThread) * threads : 1;
    for (int index = 0; index < static_cast<int>(mPhases.size()); ++index) {
        const Phase& phase = mPhases[index];
        const int pixels = std::min(mBandRows, phase.y.count) * phase.x.count;
        if (pixels == 0) continue;
        const int tiles = divideUp(pixels, tileRows);
        // This phase's share of the wanted tasks.
        const int share = static_cast<int>(std::max<int64_t>(1, wanted * pixels / std::max<int64_t>(1, pixelsOfAll)));
        const int64_t inputOfPixel = static_cast<int64_t>(mGroupIn) * phase.y.step * phase.x.step;
        const int forCache =
            static_cast<int>(divideUp(pixels, std::max<int>(tileRows, kTaskInputFloats / inputOfPixel)));
        // Panels first where weights outweigh the input: each block of pixels reads all weights again.
        const bool heavyWeights = static_cast<int64_t>(depth(phase)) * mGroupOut > pixels * inputOfPixel;
        const int wantedPixelBlocks = heavyWeights ? divideUp(share, mPanels) : std::min(share, std::max(1, tiles / 4));
        const int pixelBlocks = std::max(forCache, wantedPixelBlocks);
        const int panelBlocks = std::min(mPanels, divideUp(share, pixelBlocks));
        const int blockPixels = divideUp(tiles, pixelBlocks) * tileRows;
        const int blockPanels = divideUp(mPanels, panelBlocks);
        for (int group = 0; group < mShape.groups; ++group) {
            for (int panel = 0; panel < mPanels; panel += blockPanels) {
                for (int pixel = 0; pixel < pixels; pixel += blockPixels) {
                    mTasks.push_back(
                        {index, group, panel, std::min(mPanels, panel + blockPanels), pixel, pixel + blockPixels});
                }
            }
        }
    }
}

int ConvPlan::weightTasks() const { return mShape.groups * mPanels; }

void ConvPlan::packWeights(int task, const float* weight, float* packed) const {
    const int group = task / mPanels, panel = task % mPanels;
    const int kernel = mShape.kernelY * mShape.kernelX;
    const ptrdiff_t outStep = static_cast<ptrdiff_t>(mShape.transposed ? 1 : mGroupIn) * kernel;
    const ptrdiff_t inStep = static_cast<ptrdiff_t>(mShape.transposed ? mGroupOut : 1) * kernel;
    const float* source = weight + static_cast<ptrdiff_t>(group) * mGroupIn * mGroupOut * kernel +
                          static_cast<ptrdiff_t>(panel) * mKernels->panel * outStep;
    const int columns = std::min(mKernels->panel, mGroupOut - panel * mKernels->panel);
    for (const Phase& phase : mPhases) {
        float* to = packed + group * groupWeightFloats() + phase.weightOffset +
                    static_cast<int64_t>(panel) * depth(phase) * mKernels->panel;
        for (int c = 0; c < mGroupIn; c += mShape.inPack) {
            const int channels = std::min(mShape.inPack, mGroupIn - c);
            for (int ky : phase.y.kernel) {
                for (int kx : phase.x.kernel) {
                    mKernels->pack(to, mKernels->panel, source + c * inStep + ky * mShape.kernelX + kx, outStep, inStep,
                                   columns, channels);
                    to += channels * mKernels->panel;
                }
            }
        }
    }
}

void ConvPlan::packBias(const float* bias, float* packed) const {
    std::fill(packed, packed + biasFloats(), 0.0f);
    if (bias == nullptr) return;
    for (int group = 0; group < mShape.groups; ++group) {
        std::copy(bias + group * mGroupOut, bias + (group + 1) * mGroupOut, packed + group * mPanels * mKernels->panel);
    }
}

void ConvPlan::padTask(int task, int y0, const float* image, float* scratch) const {
    const int chunk = task % mPadChunks, plane = task / mPadChunks;
    const int group = plane / mInBlocks, block = plane % mInBlocks;
    const int rowsOfChunk = divideUp(mPlaneHeight, mPadChunks);
    const ptrdiff_t rowFloats = static_cast<ptrdiff_t>(mPlaneWidth) * mShape.inPack;
    const int end = std::min(mPlaneHeight, (chunk + 1) * rowsOfChunk);
    for (int row = chunk * rowsOfChunk; row < end; ++row) {
        padRow(group, block, y0 * mPhases[0].y.step + mOriginY + row, image,
               scratch + (static_cast<ptrdiff_t>(plane) * mPlaneHeight + row) * rowFloats);
    }
}

void ConvPlan::padRow(int group, int block, int y, const float* image, float* row) const {
    const int pack = mShape.inPack;
    const int left = std::min(std::max(0, -mOriginX), mPlaneWidth);
    const int from = std::max(0, mOriginX);
    const int count =
        y < 0 || y >= mShape.inHeight ? 0 : std::max(0, std::min(mPlaneWidth - left, mShape.inWidth - from));
    std::fill(row, row + left * pack, 0.0f);
    std::fill(row + (left + count) * pack, row + mPlaneWidth * pack, 0.0f);
    if (count == 0) {
        std::fill(row, row + mPlaneWidth * pack, 0.0f);
        return;
    }
    const ptrdiff_t planeFloats = static_cast<ptrdiff_t>(mShape.inHeight) * mShape.inWidth * pack;
    const float* source = image + (static_cast<ptrdiff_t>(y) * mShape.inWidth + from) * pack;
    float* to = row + left * pack;
    const int first = group * mGroupIn + block * pack;
    if (first % pack == 0) {
        std::memcpy(to, source + first / pack * planeFloats, sizeof(float) * count * pack);
        return;
    }
    // The group begins within a block: its channels come from the end of one and the beginning of the next.
    const int lanes = std::min(pack, mGroupIn - block * pack), run = std::min(lanes, pack - first % pack);
    const float* begin = source + first / pack * planeFloats;
    mKernels->copyRuns(to, pack, begin + first % pack, pack, run, count);
    if (run < lanes) mKernels->copyRuns(to + run, pack, begin + planeFloats, pack, lanes - run, count);
}

void ConvPlan::computeTask(int index, int y0, const float* planes, const float* weight, const float* bias,
                           const Clamp& clamp, float* result) const {
    const Task& task = mTasks[index];
    const Phase& phase = mPhases[task.phase];
    Work work;
    work.task = &task;
    work.phase = &phase;
    work.y0 = y0;
    work.pixelEnd = std::min(task.pixel1, std::max(0, std::min(mBandRows, phase.y.count - y0)) * phase.x.count);
    if (work.pixelEnd <= task.pixel0) return;
    const int64_t planeFloats = static_cast<int64_t>(mPlaneHeight) * mPlaneWidth * mShape.inPack;
    // A padded copy has the blocks of each group by themselves; groups of the input in place are whole blocks.
    work.planes = planes + task.group * mInBlocks * planeFloats;
    work.weight = weight + task.group * groupWeightFloats() + phase.weightOffset;
    work.bias = bias + static_cast<ptrdiff_t>(task.group) * mPanels * mKernels->panel;
    work.clamp = clamp;
    work.result = result;
    const int64_t panelFloats = static_cast<int64_t>(depth(phase)) * mKernels->panel;
    const int segments = static_cast<int>(phase.segmentOffset.size());
    if (panelFloats <= kStripFloats * 3 / 2 || !mDirectStore) {
        // Several whole panels stay in L1 (a quarter of the strip).
        const int together =
            static_cast<int>(std::max<int64_t>(1, kStripFloats / 4 / std::max<int64_t>(1, panelFloats)));
        for (int panel = task.panel0; panel < task.panel1; panel += together) {
            computeSegments(work, 0, segments, panel, std::min(task.panel1, panel + together));
        }
        return;
    }
    const int strips = static_cast<int>((panelFloats + kStripFloats - 1) / kStripFloats);
    const int strip = divideUp(segments, strips);
    for (int panel = task.panel0; panel < task.panel1; ++panel) {
        for (int s = 0; s < segments; s += strip)
            computeSegments(work, s, std::min(segments, s + strip), panel, panel + 1);
    }
}

void ConvPlan::computeSegments(const Work& work, int segment0, int segment1, int panel0, int panel1) const {
    const Phase& phase = *work.phase;
    const int full = mGroupIn / mShape.inPack * taps(phase), last = mGroupIn % mShape.inPack;
    const int depth0 = std::min(segment0, full) * mShape.inPack + std::max(0, segment0 - full) * last;
    GemmTile tile = {};
    tile.segmentOffset = phase.segmentOffset.data() + segment0;
    tile.segments = segment1 - segment0;
    tile.fullSegments = std::max(0, std::min(full, segment1) - segment0);
    tile.length = mShape.inPack;
    tile.lastLength = last;
    tile.b = work.weight + static_cast<ptrdiff_t>(depth0) * mKernels->panel;
    tile.bStep = mKernels->panel;
    tile.accumulate = segment0 > 0;
    if (segment1 == static_cast<int>(phase.segmentOffset.size())) tile.clamp = work.clamp;
    // Tiles may run over the end of an image row where the results lie without gaps.
    const bool dense = phase.y.period == 1 && phase.x.period == 1;
    const int width = phase.x.count;
    int y = work.task->pixel0 / width, x = work.task->pixel0 % width;
    for (int pixel = work.task->pixel0; pixel < work.pixelEnd;) {
        const int left = work.pixelEnd - pixel;
        const int kind = tileKind(*mKernels, dense ? left : std::min(left, width - x));
        computeTile(work, tile, kind, y, x, panel0, panel1);
        pixel += mKernels->tileRows[kind];
        x += mKernels->tileRows[kind];
        while (x >= width) x -= width, ++y;
    }
}

void ConvPlan::computeTile(const Work& work, GemmTile tile, int kind, int y, int x, int panel0, int panel1) const {
    const Phase& phase = *work.phase;
    const int rows = mKernels->tileRows[kind], lanes = mKernels->lanes, panel = mKernels->panel;
    const int outPack = mShape.outPack;
    const ptrdiff_t outPlane = static_cast<ptrdiff_t>(mShape.outHeight) * mShape.outWidth * outPack;
    const auto channelOffset = [&](int channel) { return channel / outPack * outPlane + channel % outPack; };
    const ptrdiff_t outRow = phase.y.first + static_cast<ptrdiff_t>(work.y0 + y) * phase.y.period;
    float* const outPixel =
        work.result + (outRow * mShape.outWidth + phase.x.first + static_cast<ptrdiff_t>(x) * phase.x.period) * outPack;

    const float* pixels[kMaxTileRows];
    const ptrdiff_t rowFloats = static_cast<ptrdiff_t>(phase.y.step) * mPlaneWidth * mShape.inPack;
    const ptrdiff_t pixelFloats = static_cast<ptrdiff_t>(phase.x.step) * mShape.inPack;
    const float* row = work.planes + y * rowFloats;
    for (int r = 0; r < rows; ++r) {
        pixels[r] = row + x * pixelFloats;
        if (++x == phase.x.count) x = 0, row += rowFloats;
    }
    tile.rows = pixels;
    tile.rowStep = static_cast<ptrdiff_t>(phase.x.period) * outPack;
    const float* const weight = tile.b;
    const ptrdiff_t panelFloats = static_cast<ptrdiff_t>(depth(phase)) * panel;
    for (int p = panel0; p < panel1; ++p) {
        const int columns = std::min(panel, mGroupOut - p * panel);
        const int vectors = columns > lanes ? 2 : 1;
        const int channel = work.task->group * mGroupOut + p * panel;
        tile.b = weight + p * panelFloats;
        tile.bias = work.bias + p * panel;
        // Lanes past the last channel are pads of the output and may take anything.
        tile.lastLanes = lanes;
        if (mDirectStore) {
            tile.c = outPixel + channelOffset(channel);
            tile.vectorStep = channelOffset(channel + lanes) - channelOffset(channel);
            mKernels->inPlace[kind][vectors - 1](tile);
        } else {
            alignas(64) float values[kMaxTileRows * kMaxPanel];
            GemmTile apart = tile;
            apart.c = values;
            apart.rowStep = panel;
            apart.vectorStep = lanes;
            mKernels->inPlace[kind][vectors - 1](apart);
            storeScattered(values, rows, columns, channel, outPixel, tile.rowStep);
        }
    }
}

void ConvPlan::storeScattered(const float* values, int rows, int columns, int channel, float* pixel,
                              ptrdiff_t pixelStep) const {
    const int outPack = mShape.outPack;
    const ptrdiff_t outPlane = static_cast<ptrdiff_t>(mShape.outHeight) * mShape.outWidth * outPack;
    for (int c = 0; c < columns;) {
        const int lane = (channel + c) % outPack;
        const int run = std::min(columns - c, outPack - lane);
        float* to = pixel + (channel + c) / outPack * outPlane + lane;
        mKernels->copyRuns(to, pixelStep, values + c, mKernels->panel, run, rows);
        c += run;
    }
}

}  // namespace cpu
}  // namespace MNN
