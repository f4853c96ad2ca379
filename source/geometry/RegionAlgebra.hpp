// Pure functions on Regions: no op, no backend, and an origin is only compared, never dereferenced.
// A virtual tensor is a list of Regions that write disjoint parts of its row-major element space [0, elements).
#ifndef MNN_GEOMETRY_REGION_ALGEBRA_HPP
#define MNN_GEOMETRY_REGION_ALGEBRA_HPP

#include <cstddef>
#include <cstdint>
#include <vector>
#include "core/Region.hpp"

namespace MNN {
namespace core {

// Past this many Regions a virtual tensor is better materialised.
constexpr int kMaxRegions = 16;

/** Canonical form: no loops of size 1, destination strides positive and descending (the innermost loop is last), and
 *  neighbours that are contiguous in source and destination fused (up to 2^31 - 1 steps). Regions that move the same
 *  elements and differ only in loop order, direction or splits become equal. An empty one becomes size {1,1,1,1,1,0}
 *  and no offsets or strides. */
Region normalize(const Region& region);

/** The Region whose loop `loop` runs over [begin, begin + size) only. */
Region sliceLoop(const Region& region, int loop, int32_t begin, int32_t size);

/** outer.origin is a virtual tensor of `innerElements` elements that holds `inner`. Appends to *out normal Regions that
 * read the real origins and write what `outer` writes; elements no inner Region writes are zero and produce nothing.
 * Exact. Returns false, with *out as it was, when that needs more than `maxRegions` Regions, when the search gets too
 * long, when `outer` reads outside the virtual tensor, or when an inner Region writes an element twice. */
bool compose(const Region& outer, const RegionList& inner, int64_t innerElements, RegionList* out,
             int maxRegions = kMaxRegions);

/** Normalises, drops empty Regions and merges pairs that one Region can say, until none is left. Sorted by the first
 *  element written. */
RegionList fuseRegions(RegionList regions);

/** Is this a plain copy of origin[0, elements) to [0, elements)? */
bool isIdentity(const Region& region, int64_t elements);

/** Is each of `elements` elements written? Relies on the Regions writing disjoint elements inside [0, elements). */
bool coversAll(const RegionList& regions, int64_t elements);

/** When the list is one Region and element idx of a row-major tensor of `shape` is origin[*offset + sum(idx *
 * *strides)], says so; dimensions of size 1 get stride 0. Sees through fused and split loops. False, with nothing
 * written, when it is not so, or when there are no elements. */
bool asStrided(const RegionList& regions, const std::vector<int>& shape, int64_t* offset,
               std::vector<int64_t>* strides);

/** Element strides of a dense row-major tensor. */
std::vector<int64_t> rowMajorStrides(const std::vector<int>& shape);

/** Copies origin[0, n) to [0, n). An n above 2^31 - 1 is split into two loops by a divisor below 2^16; without one the
 *  Region is empty. */
Region copyAll(Tensor* origin, int64_t n);

/** Appends the move over all indices of `shape` from srcOffset + sum(idx * srcStrides) to dstOffset +
 *  sum(idx * dstStrides): one normal Region, or several when more than kRegionLoops loops remain, or none when a size
 * is 0. False, with *out as it was, when that takes more than `maxRegions`, when a size is negative or when the three
 * lengths differ. */
bool fromShape(Tensor* origin, const std::vector<int>& shape, const std::vector<int64_t>& srcStrides, int64_t srcOffset,
               const std::vector<int64_t>& dstStrides, int64_t dstOffset, RegionList* out,
               int maxRegions = kMaxRegions);

/** Reads row-major [batch][channels][area], writes packed storage [batch][ceil(channels / pack)][area][pack]. Pad lanes
 *  are not written. */
RegionList packRegions(Tensor* origin, int batch, int channels, int area, int pack);

/** The inverse of packRegions: reads packed storage, writes row-major [batch][channels][area]. */
RegionList unpackRegions(Tensor* origin, int batch, int channels, int area, int pack);

}  // namespace core
}  // namespace MNN
#endif
