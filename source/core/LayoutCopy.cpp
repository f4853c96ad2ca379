#include "core/LayoutCopy.hpp"

#include <MNN/MNNDefine.h>
#include <cstring>
#include "core/TensorUtils.hpp"

namespace MNN {
namespace {

// Any layout seen as [batch][channel][spatial]: the offset of (n, c, s) is n * batchStride + (c / pack) * blockStride +
// (c % pack) * channelStride + s * spatialStride.
struct Canonical {
    int64_t batch = 1, channels = 1, spatial = 1;
    int64_t pack = 1, batchStride = 0, blockStride = 0, channelStride = 0, spatialStride = 0;
};

Canonical canonical(const Tensor* t) {
    Canonical c;
    const int rank = t->dimensions();
    const auto* describe = TensorUtils::describe(t);
    const bool last = describe->format == MNN_DATA_FORMAT_NHWC;
    if (rank > 0) c.batch = t->length(0);
    if (rank > 1) c.channels = t->length(last ? rank - 1 : 1);
    for (int i = 1; i < rank; ++i) {
        if (i != (last ? rank - 1 : 1)) c.spatial *= t->length(i);
    }
    if (last) {
        c.blockStride = 1;
        c.spatialStride = c.channels;
        c.batchStride = c.spatial * c.channels;
    } else if (describe->format == MNN_DATA_FORMAT_NC4HW4 && rank > 1) {
        c.pack = describe->pack;
        c.channelStride = 1;
        c.spatialStride = c.pack;
        c.blockStride = c.spatial * c.pack;
        c.batchStride = (c.channels + c.pack - 1) / c.pack * c.blockStride;
    } else {
        c.blockStride = c.spatial;
        c.spatialStride = 1;
        c.batchStride = c.channels * c.spatial;
    }
    return c;
}

template <typename T>
void copyAs(const Canonical& a, const Canonical& b, const T* src, T* dst) {
    for (int64_t n = 0; n < a.batch; ++n) {
        for (int64_t c = 0; c < a.channels; ++c) {
            const T* from = src + n * a.batchStride + c / a.pack * a.blockStride + c % a.pack * a.channelStride;
            T* to = dst + n * b.batchStride + c / b.pack * b.blockStride + c % b.pack * b.channelStride;
            if (a.spatialStride == 1 && b.spatialStride == 1) {
                std::memcpy(to, from, static_cast<size_t>(a.spatial) * sizeof(T));
                continue;
            }
            for (int64_t s = 0; s < a.spatial; ++s) to[s * b.spatialStride] = from[s * a.spatialStride];
        }
    }
}

bool sameLayout(const Tensor* a, const Tensor* b) {
    const auto* x = TensorUtils::describe(a);
    const auto* y = TensorUtils::describe(b);
    return x->format == y->format && (x->format != MNN_DATA_FORMAT_NC4HW4 || x->pack == y->pack);
}

}  // namespace

bool copyLayout(const Tensor* src, Tensor* dst) {
    const auto* from = src->host<uint8_t>();
    auto* to = dst->host<uint8_t>();
    if (!(src->getType() == dst->getType())) {
        MNN_ERROR("copy between tensors of different types: %s to %s; make the host tensor of the same type\n",
                  TensorUtils::text(src).c_str(), TensorUtils::text(dst).c_str());
        return false;
    }
    const Canonical a = canonical(src), b = canonical(dst);
    const bool plainBoth = !TensorUtils::isPacked(src) && !TensorUtils::isPacked(dst);
    const bool flat = (sameLayout(src, dst) || (plainBoth && (src->dimensions() < 3 || dst->dimensions() < 3))) &&
                      TensorUtils::storageElements(src) == TensorUtils::storageElements(dst);
    if (!flat && (a.batch != b.batch || a.channels != b.channels || a.spatial != b.spatial)) {
        MNN_ERROR("copy between tensors of different shapes: %s to %s\n", TensorUtils::text(src).c_str(),
                  TensorUtils::text(dst).c_str());
        return false;
    }
    const size_t bytes = TensorUtils::storageBytes(dst);
    if (bytes == 0) return true;
    if (from == nullptr || to == nullptr) {
        MNN_ERROR("copy between tensors without memory: %s to %s; run resizeSession first\n",
                  TensorUtils::text(src).c_str(), TensorUtils::text(dst).c_str());
        return false;
    }
    if (flat) {
        std::memmove(to, from, bytes);
        return true;
    }
    if (TensorUtils::isPacked(dst)) std::memset(to, 0, bytes);
    switch (src->getType().bytes()) {
        case 1:
            copyAs(a, b, from, to);
            return true;
        case 2:
            copyAs(a, b, src->host<uint16_t>(), dst->host<uint16_t>());
            return true;
        case 4:
            copyAs(a, b, src->host<uint32_t>(), dst->host<uint32_t>());
            return true;
        case 8:
            copyAs(a, b, src->host<uint64_t>(), dst->host<uint64_t>());
            return true;
        default:
            MNN_ERROR("copy of unknown element size: %s\n", TensorUtils::text(src).c_str());
            return false;
    }
}

}  // namespace MNN
