// Raster: writes a tensor from the Regions it was a view of.
#include <algorithm>
#include <cstring>
#include "backend/cpu/CPUBackend.hpp"
#include "backend/cpu/kernels/Raster.hpp"
#include "core/TensorUtils.hpp"

namespace MNN {
namespace {

using core::Region;

// Elements that one tile should move: enough to pay for claiming it.
constexpr int64_t kTileElements = 16 * 1024;
// Cuts of a plane fall on whole cache lines of any element.
constexpr int64_t kCut = 64;
constexpr int kRow = core::kRegionLoops - 2, kColumn = core::kRegionLoops - 1;

void swapLoops(Region* r, int a, int b) {
    std::swap(r->size[a], r->size[b]);
    std::swap(r->src.stride[a], r->src.stride[b]);
    std::swap(r->dst.stride[a], r->dst.stride[b]);
}

// Makes the plane of the two innermost loops the one that copies best: along the destination's elements, and along the
// source's or else as long as can be, since each plane costs a call. The order of the loops is free: no element is
// written twice.
Region arranged(Region r) {
    for (int k = 0; k < kColumn; ++k) {
        if (r.size[k] > 1 && r.dst.stride[k] == 1) swapLoops(&r, k, kColumn);
    }
    if (r.size[kColumn] > 1 && r.src.stride[kColumn] == 1 && r.size[kRow] > 1) return r;
    const auto along = [&r](int k) { return r.size[k] > 1 && r.src.stride[k] == 1; };
    int best = kRow;
    for (int k = 0; k < kRow; ++k) {
        if (!along(best) && (along(k) || r.size[k] > r.size[best])) best = k;
    }
    swapLoops(&r, best, kRow);
    return r;
}

class CPURaster final : public Execution {
public:
    explicit CPURaster(CPUBackend* backend) : Execution(backend), mCPU(backend) {}

    ErrorCode onResize(const std::vector<Tensor*>&, const std::vector<Tensor*>& outputs) override {
        mTiles.clear();
        const Tensor* output = outputs[0];
        int64_t written = 0;
        for (const Region& region : TensorUtils::describe(output)->regions) {
            if (region.elements() == 0) continue;
            written += region.elements();
            addTiles(arranged(region));
        }
        // In-place parts were taken out of the list; they are counted by whoever took them.
        mZero = written < TensorUtils::storageElements(output) && !TensorUtils::describe(output)->partlyInPlace;
        return NO_ERROR;
    }

    ErrorCode onExecute(const std::vector<Tensor*>&, const std::vector<Tensor*>& outputs) override {
        Tensor* output = outputs[0];
        const int bytes = output->getType().bytes();
        uint8_t* base = output->host<uint8_t>();
        if (mZero) std::memset(base, 0, TensorUtils::storageBytes(output));
        const cpu::CopyPlaneFn copy = cpu::copyPlaneKernel(mCPU->isa());
        mCPU->parallelFor(static_cast<int>(mTiles.size()),
                          [&](int index, int) { copyTile(mTiles[index], copy, bytes, base); });
        return NO_ERROR;
    }

private:
    // The innermost two loops of a Region, for a range of the flattened outer ones.
    struct Tile {
        Region region;
        int64_t begin, end;
    };

    void addTiles(const Region& region) {
        const int64_t plane = int64_t(region.size[kRow]) * region.size[kColumn];
        if (plane > 2 * kTileElements && region.size[kRow] > 1) {
            return addParts(region, kRow, std::max<int64_t>(kTileElements / region.size[kColumn] / kCut, 1) * kCut);
        }
        if (plane > 8 * kTileElements) return addParts(region, kColumn, 4 * kTileElements);
        addOuter(region);
    }

    // Cuts a loop into parts of `length`.
    void addParts(const Region& region, int loop, int64_t length) {
        if (region.size[loop] <= length) return loop == kRow ? addColumns(region) : addOuter(region);
        for (int64_t begin = 0; begin < region.size[loop]; begin += length) {
            Region part = region;
            part.size[loop] = static_cast<int32_t>(std::min(length, region.size[loop] - begin));
            part.src.offset += begin * region.src.stride[loop];
            part.dst.offset += begin * region.dst.stride[loop];
            if (loop == kRow) {
                addColumns(part);
            } else {
                addOuter(part);
            }
        }
    }

    // Rows that are long themselves are cut once more.
    void addColumns(const Region& region) {
        const int64_t plane = int64_t(region.size[kRow]) * region.size[kColumn];
        if (plane <= 8 * kTileElements) return addOuter(region);
        addParts(region, kColumn, std::max<int64_t>(2 * kTileElements / region.size[kRow] / kCut, 1) * kCut);
    }

    void addOuter(const Region& region) {
        const int64_t inner = int64_t(region.size[kRow]) * region.size[kColumn], outer = region.elements() / inner;
        const int64_t step = std::max<int64_t>(kTileElements / inner, 1);
        for (int64_t begin = 0; begin < outer; begin += step)
            mTiles.push_back({region, begin, std::min(begin + step, outer)});
    }

    static void copyTile(const Tile& tile, cpu::CopyPlaneFn copy, int bytes, uint8_t* base) {
        const Region& r = tile.region;
        const uint8_t* source = r.origin->host<uint8_t>();
        const cpu::CopyPlane plane = {r.size[kRow],          r.size[kColumn],    r.src.stride[kRow],
                                      r.src.stride[kColumn], r.dst.stride[kRow], r.dst.stride[kColumn]};
        for (int64_t outer = tile.begin; outer < tile.end; ++outer) {
            int64_t from = r.src.offset, to = r.dst.offset, rest = outer;
            for (int k = kRow - 1; k >= 0; --k) {
                const int64_t i = rest % r.size[k];
                rest /= r.size[k];
                from += i * r.src.stride[k];
                to += i * r.dst.stride[k];
            }
            copy(plane, bytes, source + from * bytes, base + to * bytes);
        }
    }

    CPUBackend* mCPU;
    std::vector<Tile> mTiles;
    bool mZero = false;
};

}  // namespace

Execution* createCPURaster(const Op*, const std::vector<Tensor*>&, const std::vector<Tensor*>&, CPUBackend* backend) {
    return new CPURaster(backend);
}

}  // namespace MNN
