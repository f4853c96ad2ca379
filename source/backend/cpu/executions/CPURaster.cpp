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
            addTiles(region);
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
        mCPU->parallelFor(static_cast<int>(mTiles.size()), [&](int index, int) { copyTile(mTiles[index], bytes, base); });
        return NO_ERROR;
    }

private:
    // The innermost four loops of a Region, for a range of the flattened two outermost ones.
    struct Tile {
        Region region;
        int64_t begin, end;
    };

    void addTiles(const Region& region) {
        const int64_t outer = int64_t(region.size[0]) * region.size[1] * region.size[2] * region.size[3];
        const int64_t inner = std::max<int64_t>(region.elements() / outer, 1);
        const int64_t step = std::max<int64_t>(kTileElements / inner, 1);
        for (int64_t begin = 0; begin < outer; begin += step) mTiles.push_back({region, begin, std::min(begin + step, outer)});
    }

    static void copyTile(const Tile& tile, int bytes, uint8_t* base) {
        const Region& r = tile.region;
        const uint8_t* source = r.origin->host<uint8_t>();
        const cpu::CopyPlane plane = {r.size[4],       r.size[5],       r.src.stride[4],
                                      r.src.stride[5], r.dst.stride[4], r.dst.stride[5]};
        for (int64_t outer = tile.begin; outer < tile.end; ++outer) {
            int64_t from = r.src.offset, to = r.dst.offset, rest = outer;
            for (int k = 3; k >= 0; --k) {
                const int64_t i = rest % r.size[k];
                rest /= r.size[k];
                from += i * r.src.stride[k];
                to += i * r.dst.stride[k];
            }
            cpu::copyPlane(plane, bytes, source + from * bytes, base + to * bytes);
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
