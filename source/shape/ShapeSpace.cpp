// Moves between channels, blocks and batches.
#include "shape/Rules.hpp"

namespace MNN {
namespace shape {
namespace {

// Block lengths and (before, after) pairs per spatial dimension, from the parameters or from inputs 1 and 2.
struct Blocks {
    std::vector<int> block, pairs;
};

void readBlob(const Blob* blob, std::vector<int>* values) {
    if (blob != nullptr && blob->int32s() != nullptr) values->assign(blob->int32s()->begin(), blob->int32s()->end());
}

bool readBlocks(const Rule& r, Blocks* b) {
    if (r.inputs.size() > 2) {
        if (!r.ints(1, &b->block) || !r.ints(2, &b->pairs)) return false;
    } else {
        const auto* p = r.param<SpaceBatch>();
        if (p == nullptr) return false;
        readBlob(p->blockShape(), &b->block);
        readBlob(p->padding(), &b->pairs);
    }
    if (b->block.empty() || b->pairs.size() != 2 * b->block.size()) {
        return r.fail("%zu block lengths and %zu pads; two pads per block are needed", b->block.size(),
                      b->pairs.size());
    }
    if (spatialAxis(r.inputs[0]) + static_cast<int>(b->block.size()) > r.rank(0)) {
        return r.fail("%zu spatial dimensions for an input of rank %d", b->block.size(), r.rank(0));
    }
    for (size_t i = 0; i < b->block.size(); ++i) {
        if (b->block[i] <= 0) return r.fail("the block length %d must be positive", b->block[i]);
        if (b->pairs[2 * i] < 0 || b->pairs[2 * i + 1] < 0) return r.fail("pads and crops must not be negative");
    }
    return true;
}

int64_t blockVolume(const Blocks& b) { return product(Dims(b.block.begin(), b.block.end()), 0, b.block.size()); }

bool blockSize(const Rule& r, int64_t* size) {
    if (!r.arity(1) || !r.rankBetween(0, 4, 4)) return false;
    const auto* p = r.param<DepthSpaceParam>();
    if (p == nullptr) return false;
    *size = p->blockSize();
    return *size > 0 || r.fail("blockSize %d must be positive", p->blockSize());
}

}  // namespace

bool inferSpaceToBatch(const Rule& r) {
    Blocks b;
    if (!r.arity(1) || !r.rankBetween(0, 3, kMaxRank) || !readBlocks(r, &b)) return false;
    Dims dims = dimsOf(r.inputs[0]);
    for (size_t i = 0; i < b.block.size(); ++i) {
        int64_t& length = dims[spatialAxis(r.inputs[0]) + i];
        const int64_t padded = length + b.pairs[2 * i] + b.pairs[2 * i + 1];
        if (padded % b.block[i] != 0) {
            return r.fail("%lld padded elements do not divide by the block length %d", static_cast<long long>(padded),
                          b.block[i]);
        }
        length = padded / b.block[i];
    }
    dims[0] = product({dims[0], blockVolume(b)});
    return r.setLike(0, dims);
}

bool inferBatchToSpace(const Rule& r) {
    Blocks b;
    if (!r.arity(1) || !r.rankBetween(0, 3, kMaxRank) || !readBlocks(r, &b)) return false;
    Dims dims = dimsOf(r.inputs[0]);
    if (dims[0] % blockVolume(b) != 0) return r.fail("the batch does not divide by the block's volume");
    dims[0] /= blockVolume(b);
    for (size_t i = 0; i < b.block.size(); ++i) {
        int64_t& length = dims[spatialAxis(r.inputs[0]) + i];
        length = length * b.block[i] - b.pairs[2 * i] - b.pairs[2 * i + 1];
    }
    return r.setLike(0, dims);
}

bool inferDepthToSpace(const Rule& r) {
    int64_t block = 0;
    if (!blockSize(r, &block)) return false;
    Dims dims = dimsOf(r.inputs[0]);
    const int channel = channelAxis(r.inputs[0]), first = spatialAxis(r.inputs[0]);
    if (dims[channel] % product({block, block}) != 0) {
        return r.fail("%lld channels do not divide by the block %lldx%lld", static_cast<long long>(dims[channel]),
                      static_cast<long long>(block), static_cast<long long>(block));
    }
    dims[channel] /= block * block;
    dims[first] *= block;
    dims[first + 1] *= block;
    return r.setLike(0, dims);
}

bool inferSpaceToDepth(const Rule& r) {
    int64_t block = 0;
    if (!blockSize(r, &block)) return false;
    Dims dims = dimsOf(r.inputs[0]);
    const int channel = channelAxis(r.inputs[0]), first = spatialAxis(r.inputs[0]);
    if (dims[first] % block != 0 || dims[first + 1] % block != 0) {
        return r.fail("the image does not divide into blocks of %lld", static_cast<long long>(block));
    }
    dims[channel] = product({dims[channel], block, block});
    dims[first] /= block;
    dims[first + 1] /= block;
    return r.setLike(0, dims);
}

}  // namespace shape
}  // namespace MNN
