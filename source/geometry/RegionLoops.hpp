// What RegionAlgebra.cpp and RegionCompose.cpp share: a Region under construction, with room for more loops.
#ifndef MNN_GEOMETRY_REGION_LOOPS_HPP
#define MNN_GEOMETRY_REGION_LOOPS_HPP

#include "geometry/RegionAlgebra.hpp"

namespace MNN {
namespace core {

constexpr int kMaxAxes = 16;

// One loop. `via` is its stride in the virtual tensor still to be looked through; 0 once that is resolved.
struct Axis {
    int64_t size = 1, via = 0, src = 0, dst = 0;
};

// A Region being made: offsets, and loops in any order.
struct Loops {
    int count = 0;
    int64_t via = 0, src = 0, dst = 0;
    Axis axis[kMaxAxes];

    // The same move with axis k limited to [begin, begin + size).
    void cut(int k, int64_t begin, int64_t size) {
        Axis& a = axis[k];
        via += begin * a.via;
        src += begin * a.src;
        dst += begin * a.dst;
        a.size = size;
    }

    // The same move with axis k walked backwards.
    void flip(int k) {
        Axis& a = axis[k];
        via += (a.size - 1) * a.via;
        src += (a.size - 1) * a.src;
        dst += (a.size - 1) * a.dst;
        a.via = -a.via;
        a.src = -a.src;
        a.dst = -a.dst;
    }
};

// Loops larger than 1 of a Region, with src and dst filled in; false when it has no elements.
bool toLoops(const Region& region, Loops* loops);

// Brings src and dst into the canonical form of normalize(); `via` must be resolved.
void canonicalize(Loops* loops);

// Appends canonical loops as a Region, or as several when there are too many loops; false (something may have been
// appended) when out would hold more than `limit`.
bool appendRegions(const Loops& loops, Tensor* origin, size_t limit, RegionList* out);

// Writes that decode greedily: each destination stride is positive and exceeds what all smaller ones reach together.
bool isNested(const Loops& canonical);

// fuseRegions on (*regions)[first, end) in place.
void fuseFrom(RegionList* regions, size_t first);

inline int64_t floorDiv(int64_t a, int64_t b) {
    const int64_t q = a / b;
    return q * b > a ? q - 1 : q;
}
inline int64_t ceilDiv(int64_t a, int64_t b) { return -floorDiv(-a, b); }

}  // namespace core
}  // namespace MNN
#endif
