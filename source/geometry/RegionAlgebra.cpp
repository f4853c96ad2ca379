#include "geometry/RegionAlgebra.hpp"

#include <algorithm>
#include <limits>

#include "geometry/RegionLoops.hpp"

namespace MNN {
namespace core {
namespace {

constexpr int64_t kMaxSize = std::numeric_limits<int32_t>::max();
// A longer list is fused only among neighbours, which bounds the cost of a list of thousands.
constexpr size_t kFuseWindow = 32;

Region emptyRegion(Tensor* origin) {
    Region region;
    region.origin = origin;
    region.size[kRegionLoops - 1] = 0;
    return region;
}

Region toRegion(const Loops& loops, Tensor* origin) {
    Region region;
    region.origin = origin;
    region.src.offset = loops.src;
    region.dst.offset = loops.dst;
    const int first = kRegionLoops - loops.count;
    for (int k = 0; k < loops.count; ++k) {
        region.size[first + k] = static_cast<int32_t>(loops.axis[k].size);
        region.src.stride[first + k] = loops.axis[k].src;
        region.dst.stride[first + k] = loops.axis[k].dst;
    }
    return region;
}

bool writesOutside(const Axis& a, const Axis& b) { return a.dst != b.dst ? a.dst > b.dst : a.src > b.src; }

bool sameStride(const Axis& a, const Axis& b) { return a.src == b.src && a.dst == b.dst; }

bool sameAxes(const Axis* a, const Axis* b, int count) {
    for (int k = 0; k < count; ++k) {
        if (a[k].size != b[k].size || !sameStride(a[k], b[k])) return false;
    }
    return true;
}

// Is b the continuation of a after `size` steps of axis?
bool follows(const Loops& a, const Loops& b, const Axis& axis, int64_t size) {
    return b.src - a.src == size * axis.src && b.dst - a.dst == size * axis.dst;
}

// The loops agree but for the size of one: does b continue a along it?
bool joinEqualCount(const Loops& a, const Loops& b, Loops* joined) {
    int differing = -1;
    for (int k = 0; k < a.count; ++k) {
        if (!sameStride(a.axis[k], b.axis[k])) return false;
        if (a.axis[k].size == b.axis[k].size) continue;
        if (differing >= 0) return false;
        differing = k;
    }
    for (int k = 0; k < a.count; ++k) {
        if ((differing >= 0 && k != differing) || !follows(a, b, a.axis[k], a.axis[k].size)) continue;
        *joined = a;
        joined->axis[k].size += b.axis[k].size;
        return true;
    }
    return false;
}

// `more` has one loop more than `less`, which is one further step of it: behind (more is a), or before.
bool joinOneStep(const Loops& a, const Loops& b, Loops* joined) {
    const bool behind = a.count > b.count;
    const Loops& more = behind ? a : b;
    const Loops& less = behind ? b : a;
    for (int k = 0; k < more.count; ++k) {
        if (!sameAxes(more.axis, less.axis, k) || !sameAxes(more.axis + k + 1, less.axis + k, less.count - k)) continue;
        if (!follows(a, b, more.axis[k], behind ? a.axis[k].size : 1)) continue;
        *joined = a;
        joined->count = more.count;
        std::copy(more.axis, more.axis + more.count, joined->axis);
        joined->axis[k].size += 1;
        return true;
    }
    return false;
}

// Two moves of one form, anywhere: a new loop of size 2.
bool joinAsLoop(const Loops& a, const Loops& b, Loops* joined) {
    if (a.count != b.count || a.count == kRegionLoops || !sameAxes(a.axis, b.axis, a.count)) return false;
    *joined = a;
    Axis& added = joined->axis[joined->count++];
    added = Axis();
    added.size = 2;
    added.src = b.src - a.src;
    added.dst = b.dst - a.dst;
    return true;
}

// One Region for two normal ones, a writing first. A merged Region stays nested, or composing through it gets dear.
bool joinRegions(const Region& a, const Region& b, bool asLoop, Region* joined) {
    if (a.origin != b.origin) return false;
    Loops first, second, both;
    toLoops(a, &first);
    toLoops(b, &second);
    bool ok = false;
    if (asLoop) {
        ok = joinAsLoop(first, second, &both);
    } else if (first.count == second.count) {
        ok = joinEqualCount(first, second, &both);
    } else if (first.count == second.count + 1 || first.count + 1 == second.count) {
        ok = joinOneStep(first, second, &both);
    }
    if (!ok) return false;
    for (int k = 0; k < both.count; ++k) {
        if (both.axis[k].size > kMaxSize) return false;
    }
    canonicalize(&both);
    if (!isNested(both)) return false;
    *joined = toRegion(both, a.origin);
    return true;
}

bool fusePass(RegionList* regions, size_t first, bool asLoop) {
    bool changed = false;
    for (size_t i = first; i < regions->size(); ++i) {
        for (size_t j = i + 1; j < regions->size() && j - i <= kFuseWindow;) {
            if (joinRegions((*regions)[i], (*regions)[j], asLoop, &(*regions)[i])) {
                regions->erase(regions->begin() + static_cast<std::ptrdiff_t>(j));
                changed = true;
                j = i + 1;
            } else {
                ++j;
            }
        }
    }
    return changed;
}

// Both directions of packing differ only in which view is which: dst of the result is the packed storage.
RegionList packedViews(Tensor* origin, int batch, int channels, int area, int pack, bool toPacked) {
    RegionList regions;
    const int full = channels / pack, tail = channels % pack;
    const int64_t plane = area, blocks = full + (tail > 0 ? 1 : 0);
    const std::vector<int64_t> plain = {channels * plane, pack * plane, 1, plane};
    const std::vector<int64_t> packed = {blocks * plane * pack, plane * pack, pack, 1};
    const auto& src = toPacked ? plain : packed;
    const auto& dst = toPacked ? packed : plain;
    if (full > 0) fromShape(origin, {batch, full, area, pack}, src, 0, dst, 0, &regions);
    if (tail > 0) fromShape(origin, {batch, 1, area, tail}, src, full * src[1], dst, full * dst[1], &regions);
    return regions;
}

}  // namespace

bool toLoops(const Region& region, Loops* loops) {
    loops->count = 0;
    loops->via = 0;
    loops->src = region.src.offset;
    loops->dst = region.dst.offset;
    for (int k = 0; k < kRegionLoops; ++k) {
        if (region.size[k] <= 0) return false;
        if (region.size[k] == 1) continue;
        Axis& axis = loops->axis[loops->count++];
        axis.size = region.size[k];
        axis.via = 0;
        axis.src = region.src.stride[k];
        axis.dst = region.dst.stride[k];
    }
    return true;
}

void canonicalize(Loops* loops) {
    int kept = 0;
    for (int k = 0; k < loops->count; ++k) {
        if (loops->axis[k].size == 1) continue;
        if (loops->axis[k].dst < 0) loops->flip(k);
        const Axis axis = loops->axis[k];
        int at = kept++;
        for (; at > 0 && writesOutside(axis, loops->axis[at - 1]); --at) loops->axis[at] = loops->axis[at - 1];
        loops->axis[at] = axis;
    }
    loops->count = 0;
    for (int k = 0; k < kept; ++k) {
        const Axis inner = loops->axis[k];
        Axis* outer = loops->count > 0 ? &loops->axis[loops->count - 1] : nullptr;
        if (outer && outer->src == inner.src * inner.size && outer->dst == inner.dst * inner.size &&
            outer->size <= kMaxSize / inner.size) {
            const int64_t size = outer->size * inner.size;
            *outer = inner;
            outer->size = size;
        } else {
            loops->axis[loops->count++] = inner;
        }
    }
}

bool appendRegions(const Loops& loops, Tensor* origin, size_t limit, RegionList* out) {
    if (loops.count <= kRegionLoops) {
        if (out->size() >= limit) return false;
        out->push_back(toRegion(loops, origin));
        return true;
    }
    int smallest = 0;
    for (int k = 1; k < loops.count; ++k) {
        if (loops.axis[k].size < loops.axis[smallest].size) smallest = k;
    }
    for (int64_t i = 0; i < loops.axis[smallest].size; ++i) {
        Loops step = loops;
        step.cut(smallest, i, 1);
        canonicalize(&step);
        if (!appendRegions(step, origin, limit, out)) return false;
    }
    return true;
}

bool isNested(const Loops& canonical) {
    int64_t reach = 0;
    for (int k = canonical.count - 1; k >= 0; --k) {
        if (canonical.axis[k].dst <= reach) return false;
        reach += (canonical.axis[k].size - 1) * canonical.axis[k].dst;
    }
    return true;
}

void fuseFrom(RegionList* regions, size_t first) {
    if (regions->size() - first < 2) return;
    std::sort(regions->begin() + static_cast<std::ptrdiff_t>(first), regions->end(),
              [](const Region& a, const Region& b) { return a.dst.offset < b.dst.offset; });
    while (fusePass(regions, first, false) || fusePass(regions, first, true)) {
    }
}

Region normalize(const Region& region) {
    Loops loops;
    if (!toLoops(region, &loops)) return emptyRegion(region.origin);
    canonicalize(&loops);
    return toRegion(loops, region.origin);
}

Region sliceLoop(const Region& region, int loop, int32_t begin, int32_t size) {
    Region slice = region;
    slice.src.offset += begin * region.src.stride[loop];
    slice.dst.offset += begin * region.dst.stride[loop];
    slice.size[loop] = size;
    return slice;
}

RegionList fuseRegions(RegionList regions) {
    size_t kept = 0;
    for (const Region& region : regions) {
        const Region normal = normalize(region);
        if (normal.elements() > 0) regions[kept++] = normal;
    }
    regions.resize(kept);
    fuseFrom(&regions, 0);
    return regions;
}

bool isIdentity(const Region& region, int64_t elements) {
    Loops loops;
    if (!toLoops(region, &loops)) return elements == 0;
    canonicalize(&loops);
    if (loops.src != 0 || loops.dst != 0 || region.elements() != elements) return false;
    int64_t stride = 1;
    for (int k = loops.count - 1; k >= 0; --k) {
        if (loops.axis[k].src != stride || loops.axis[k].dst != stride) return false;
        stride *= loops.axis[k].size;
    }
    return true;
}

bool coversAll(const RegionList& regions, int64_t elements) {
    int64_t written = 0;
    for (const Region& region : regions) written += region.elements();
    return written == elements;
}

std::vector<int64_t> rowMajorStrides(const std::vector<int>& shape) {
    std::vector<int64_t> strides(shape.size());
    int64_t stride = 1;
    for (size_t i = shape.size(); i-- > 0;) {
        strides[i] = stride;
        stride *= shape[i];
    }
    return strides;
}

Region copyAll(Tensor* origin, int64_t n) {
    int64_t rows = n > kMaxSize ? ceilDiv(n, kMaxSize) : 1;
    while (rows < (1 << 16) && n % rows != 0) ++rows;
    if (n <= 0 || n % rows != 0 || n / rows > kMaxSize) return emptyRegion(origin);
    const int64_t columns = n / rows;
    Region region;
    region.origin = origin;
    region.size[kRegionLoops - 2] = static_cast<int32_t>(rows);
    region.size[kRegionLoops - 1] = static_cast<int32_t>(columns);
    region.src.stride[kRegionLoops - 2] = region.dst.stride[kRegionLoops - 2] = rows > 1 ? columns : 0;
    region.src.stride[kRegionLoops - 1] = region.dst.stride[kRegionLoops - 1] = columns > 1 ? 1 : 0;
    return region;
}

bool fromShape(Tensor* origin, const std::vector<int>& shape, const std::vector<int64_t>& srcStrides, int64_t srcOffset,
               const std::vector<int64_t>& dstStrides, int64_t dstOffset, RegionList* out, int maxRegions) {
    if (srcStrides.size() != shape.size() || dstStrides.size() != shape.size()) return false;
    Loops loops;
    loops.src = srcOffset;
    loops.dst = dstOffset;
    bool empty = false;
    for (size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] < 0) return false;
        empty = empty || shape[i] == 0;
        if (shape[i] == 1) continue;
        if (loops.count == kMaxAxes) return false;
        Axis& axis = loops.axis[loops.count++];
        axis.size = shape[i];
        axis.src = srcStrides[i];
        axis.dst = dstStrides[i];
    }
    if (empty) return true;
    canonicalize(&loops);
    const size_t before = out->size();
    if (appendRegions(loops, origin, before + static_cast<size_t>(maxRegions), out)) return true;
    out->resize(before);
    return false;
}

RegionList packRegions(Tensor* origin, int batch, int channels, int area, int pack) {
    return packedViews(origin, batch, channels, area, pack, true);
}

RegionList unpackRegions(Tensor* origin, int batch, int channels, int area, int pack) {
    return packedViews(origin, batch, channels, area, pack, false);
}

}  // namespace core
}  // namespace MNN
