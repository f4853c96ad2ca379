#include "geometry/GeometryUtils.hpp"

#include <algorithm>
#include <limits>

namespace MNN {
namespace geometry {

using core::RegionList;

int64_t product(const std::vector<int>& dims, int begin, int end) {
    int64_t n = 1;
    for (int d = begin; d < end; ++d) n *= dims[d];
    return n;
}

int64_t product(const std::vector<int>& dims) { return product(dims, 0, static_cast<int>(dims.size())); }

bool fail(const Op* op, const Tensors& inputs, const char* message) {
    std::string shapes;
    for (const Tensor* t : inputs) shapes += (shapes.empty() ? "" : ", ") + TensorUtils::text(t);
    MNN_ERROR("op '%s' (%s): %s; inputs %s\n", op->name() == nullptr ? "" : op->name()->c_str(),
              EnumNameOpType(op->type()), message, shapes.c_str());
    return false;
}

ImageSize imageSize(const Tensor* t) {
    ImageSize size;
    if (t->dimensions() > 0) size.batch = t->length(0);
    if (t->dimensions() > 1) size.channels = t->length(1);
    for (int d = 2; d < t->dimensions(); ++d) size.area *= t->length(d);
    return size;
}

int storagePack(const Tensor* t) {
    return TensorUtils::isPacked(t) && t->dimensions() >= 2 ? TensorUtils::describe(t)->pack : 1;
}

namespace {

// Where channel c of batch 0, place 0 lies in a storage, for c in one run: runs end where a block ends.
struct ChannelStorage {
    int64_t area;
    int pack;
    int64_t batchStride;

    ChannelStorage(int channels, int64_t spatial, int block)
        : area(spatial),
          pack(block),
          batchStride((static_cast<int64_t>(channels) + block - 1) / block * block * spatial) {}
    // With one place a block is followed by the next, so nothing ends a run.
    bool isLinear() const { return pack == 1 || area == 1; }
    int64_t offset(int channel) const {
        return isLinear() ? channel * area : channel / pack * pack * area + channel % pack;
    }
    int64_t channelStride() const { return isLinear() ? area : 1; }
    int64_t placeStride() const { return pack; }
    int runLeft(int channel) const { return isLinear() ? std::numeric_limits<int>::max() : pack - channel % pack; }
    int period() const { return isLinear() ? 1 : pack; }
};

}  // namespace

void moveChannels(Tensor* src, int srcBegin, int dstChannels, int dstPack, int dstBegin, int count,
                  RegionList* regions) {
    const ImageSize size = imageSize(src);
    if (size.area <= 0 || size.area > std::numeric_limits<int>::max()) return;
    const ChannelStorage from(size.channels, size.area, storagePack(src)), to(dstChannels, size.area, dstPack);
    // Runs repeat with the larger of the two blocks (both powers of two): the first period says it all.
    const int period = std::max(from.period(), to.period());
    const bool linear = period == 1;
    auto append = [&](int begin, int repeats, int length) {
        appendMove(
            regions, src, {size.batch, repeats, static_cast<int>(size.area), length}, from.offset(srcBegin + begin),
            {from.batchStride, period * size.area, from.placeStride(), from.channelStride()},
            to.offset(dstBegin + begin), {to.batchStride, period * size.area, to.placeStride(), to.channelStride()});
    };
    if (linear) {
        if (count > 0) append(0, 1, count);
        return;
    }
    for (int begin = 0; begin < std::min(period, count);) {
        const int run = std::min(from.runLeft(srcBegin + begin), to.runLeft(dstBegin + begin));
        const int length = std::min({run, count - begin, period - begin});
        const int repeats = (count - begin - length) / period + 1;
        append(begin, repeats, length);
        const int rest = count - begin - repeats * period;
        if (rest > 0) append(begin + repeats * period, 1, std::min(rest, length));
        begin += length;
    }
}

void appendMove(RegionList* regions, Tensor* origin, const std::vector<int>& sizes, int64_t srcOffset,
                const std::vector<int64_t>& srcStrides, int64_t dstOffset, const std::vector<int64_t>& dstStrides) {
    if (product(sizes) == 0) return;
    if (!core::fromShape(origin, sizes, srcStrides, srcOffset, dstStrides, dstOffset, regions,
                         std::numeric_limits<int>::max())) {
        MNN_ERROR("a view of %s cannot be said in Regions\n", TensorUtils::text(origin).c_str());
    }
}

bool isHostKnown(const Tensor* t) {
    return TensorUtils::describe(t)->hostKnown && !TensorUtils::isVirtual(t) && t->host<void>() != nullptr;
}

std::vector<int> hostInts(const Tensor* t) {
    const int64_t count = TensorUtils::elements(t);
    std::vector<int> values(count);
    for (int64_t i = 0; i < count; ++i) {
        values[i] =
            t->getType().code == halide_type_float ? static_cast<int>(t->host<float>()[i]) : t->host<int32_t>()[i];
    }
    return values;
}

bool contentInts(const Tensor* t, std::vector<int>* values) {
    values->clear();
    if (TensorUtils::elements(t) == 0) return true;
    if (TensorUtils::isVirtual(t) || t->host<void>() == nullptr) return false;
    *values = hostInts(t);
    return true;
}

bool normalizeAxis(int* axis, int rank) {
    if (*axis < 0) *axis += rank;
    return *axis >= 0 && *axis < rank;
}

OpT makeOp(OpType type) {
    OpT op;
    op.type = type;
    return op;
}

}  // namespace geometry
}  // namespace MNN
