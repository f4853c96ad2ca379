// compose() and asStrided(): reading through the Regions of a virtual tensor.
//
// An inner Region writes addresses offset + sum(d_j * stride_j), d_j < size_j. When the strides are nested (each
// exceeds what the smaller ones reach together) the digits d_j of an address follow by dividing by the strides, largest
// first. The address an outer Region reads is c + sum(x_k * v_k). With v_k = q_k * stride + r_k, digit = floor(c /
// stride) + sum(x_k * q_k) holds for all x when the remainders cannot carry: (c mod stride) + sum(x_k * r_k) < stride.
// Where they can, a loop is split until they cannot; where a digit leaves [0, size_j), the loops are clipped. What
// remains at the last digit is one Region.
#include <algorithm>
#include <numeric>

#include "geometry/RegionLoops.hpp"

namespace MNN {
namespace core {
namespace {

// Search nodes per Region allowed, and Regions tolerated before fusing, per Region allowed after it.
constexpr int kNodesPerRegion = 64;
constexpr int kRawPerRegion = 4;

// stride, size: of the write; src: stride of the read; reach: largest address this digit and the smaller ones make.
struct Digit {
    int64_t stride, size, src, reach;
};

struct Box {
    int count = 0;
    int64_t src = 0, dst = 0;
    Tensor* origin = nullptr;
    Digit digit[kRegionLoops];

    int64_t reach(int level) const { return level < count ? digit[level].reach : 0; }
};

// Loops of an inner Region as digits; they must be canonical and nested.
Box boxOf(const Loops& loops, Tensor* origin) {
    Box box;
    box.src = loops.src;
    box.dst = loops.dst;
    box.origin = origin;
    box.count = std::max(loops.count, 1);
    box.digit[0] = {1, 1, 0, 0};
    int64_t reach = 0;
    for (int k = loops.count - 1; k >= 0; --k) {
        reach += (loops.axis[k].size - 1) * loops.axis[k].dst;
        box.digit[k] = {loops.axis[k].dst, loops.axis[k].size, loops.axis[k].src, reach};
    }
    return box;
}

// The address form divided by a stride: digit = base + sum(x_k * quotient[k]), at most top; the rest is its remainder.
struct Division {
    int64_t base = 0, top = 0;
    int64_t quotient[kMaxAxes], remainder[kMaxAxes];
};

// Divides with remainders in [0, stride); true when no x makes them carry.
bool divideDown(const Loops& loops, int64_t stride, Division* by) {
    by->base = floorDiv(loops.via, stride);
    by->top = by->base;
    int64_t highest = loops.via - by->base * stride;
    for (int k = 0; k < loops.count; ++k) {
        const int64_t via = loops.axis[k].via;
        by->quotient[k] = via < stride ? 0 : stride == 1 ? via : via / stride;
        by->remainder[k] = via - by->quotient[k] * stride;
        by->top += (loops.axis[k].size - 1) * by->quotient[k];
        highest += (loops.axis[k].size - 1) * by->remainder[k];
    }
    return highest < stride;
}

// Divides with the remainders nearest to 0, which walks an anti-diagonal without a carry.
bool divideNearest(const Loops& loops, int64_t stride, Division* by) {
    int64_t lowest = loops.via, highest = loops.via, steps = 0;
    for (int k = 0; k < loops.count; ++k) {
        const int64_t via = loops.axis[k].via, last = loops.axis[k].size - 1;
        by->quotient[k] = (via + stride / 2) / stride;
        by->remainder[k] = via - by->quotient[k] * stride;
        (by->remainder[k] < 0 ? lowest : highest) += last * by->remainder[k];
        steps += last * by->quotient[k];
    }
    by->base = floorDiv(lowest, stride);
    by->top = by->base + steps;
    return floorDiv(highest, stride) == by->base;
}

// Takes the digit out of the address.
void advance(const Digit& digit, const Division& by, Loops* loops) {
    loops->src += by.base * digit.src;
    loops->via -= by.base * digit.stride;
    for (int k = 0; k < loops->count; ++k) {
        loops->axis[k].src += by.quotient[k] * digit.src;
        loops->axis[k].via = by.remainder[k];
    }
}

// Drops loops of size 1 and turns the others so that their addresses rise.
void orient(Loops* loops) {
    for (int k = 0; k < loops->count;) {
        if (loops->axis[k].size == 1) {
            loops->axis[k] = loops->axis[--loops->count];
            continue;
        }
        if (loops->axis[k].via < 0) loops->flip(k);
        ++k;
    }
}

int64_t highestAddress(const Loops& loops) {
    int64_t highest = loops.via;
    for (int k = 0; k < loops.count; ++k) highest += (loops.axis[k].size - 1) * loops.axis[k].via;
    return highest;
}

// Shrinks each loop to the steps from which some address lies in [0, reach]; false when there are none.
bool clipToReach(int64_t reach, Loops* loops) {
    int64_t highest = highestAddress(*loops);
    for (bool changed = true; changed && (loops->via < 0 || highest > reach);) {
        changed = false;
        for (int k = 0; k < loops->count; ++k) {
            const Axis& a = loops->axis[k];
            if (a.via == 0) continue;
            const int64_t span = (a.size - 1) * a.via;
            const int64_t begin = std::max<int64_t>(0, ceilDiv(span - highest, a.via));
            const int64_t end = std::min(a.size, floorDiv(reach - loops->via, a.via) + 1);
            if (begin >= end) return false;
            if (end - begin == a.size) continue;
            highest -= (a.size - end) * a.via;
            loops->cut(k, begin, end - begin);
            changed = true;
        }
    }
    return loops->via <= reach && highest >= 0;
}

// Calls run(begin, size, clean) for consecutive steps of a loop whose remainders are c + x * r with 0 <= c < stride,
// while the other loops add up to `others`: clean when no carry happens within the run.
template <class Run>
bool forEachRun(int64_t c, int64_t r, int64_t size, int64_t others, int64_t stride, Run run) {
    for (int64_t x = 0; x < size;) {
        const int64_t edge = (floorDiv(c + x * r, stride) + 1) * stride;
        const int64_t clean = std::min(size, floorDiv(edge - 1 - others - c, r) + 1);
        if (clean > x) {
            if (!run(x, clean - x, true)) return false;
            x = clean;
            continue;
        }
        const int64_t next = std::min(size, ceilDiv(edge - c, r));
        if (!run(x, next - x, false)) return false;
        x = next;
    }
    return true;
}

class Composer {
public:
    Composer(size_t limit, int64_t nodes, RegionList* out) : mLimit(limit), mNodes(nodes), mOut(out) {}

    // Appends what `outer` reads of `inner`, both canonical.
    bool through(const Loops& outer, const Loops& inner, Tensor* origin);

private:
    bool place(Loops& loops, int level);
    bool placePart(const Loops& loops, int k, int64_t begin, int64_t size, int level);
    bool placeSteps(const Loops& loops, int k, int64_t begin, int64_t size, int level);
    bool splitByPeriod(const Loops& loops, int k, int64_t period, int level);
    bool splitAtCarries(Loops& loops, int level, const Division& by);
    bool clipDigit(Loops& loops, int level, const Division& by);

    size_t mLimit;
    int64_t mNodes;
    RegionList* mOut;
    Box mBox;
};

bool Composer::through(const Loops& outer, const Loops& inner, Tensor* origin) {
    int64_t reach = 0;
    for (int k = inner.count - 1; k >= 0; --k) {
        if (inner.axis[k].dst <= 0) return false;
        if (inner.axis[k].dst > reach) {
            reach += (inner.axis[k].size - 1) * inner.axis[k].dst;
            continue;
        }
        for (int64_t i = 0; i < inner.axis[k].size; ++i) {
            Loops step = inner;
            step.cut(k, i, 1);
            canonicalize(&step);
            if (--mNodes < 0 || !through(outer, step, origin)) return false;
        }
        return true;
    }
    if (outer.via > inner.dst + reach || highestAddress(outer) < inner.dst) return true;
    mBox = boxOf(inner, origin);
    Loops loops = outer;
    loops.via -= inner.dst;
    loops.src = inner.src;
    return place(loops, 0);
}

// Appends the part of `loops` whose remaining address `via` is made by the digits from `level` on.
bool Composer::place(Loops& loops, int level) {
    if (--mNodes < 0) return false;
    orient(&loops);
    if (!clipToReach(mBox.reach(level), &loops)) return true;
    if (level == mBox.count) {
        canonicalize(&loops);
        return appendRegions(loops, mBox.origin, mLimit, mOut);
    }
    const Digit& digit = mBox.digit[level];
    Division by;
    if (!divideDown(loops, digit.stride, &by)) {
        Division nearest;
        if (!divideNearest(loops, digit.stride, &nearest)) return splitAtCarries(loops, level, by);
        by = nearest;
    }
    if (by.base < 0 || by.top >= digit.size) return clipDigit(loops, level, by);
    advance(digit, by, &loops);
    return place(loops, level + 1);
}

bool Composer::placePart(const Loops& loops, int k, int64_t begin, int64_t size, int level) {
    Loops part = loops;
    part.cut(k, begin, size);
    return place(part, level);
}

bool Composer::placeSteps(const Loops& loops, int k, int64_t begin, int64_t size, int level) {
    for (int64_t x = begin; x < begin + size; ++x) {
        if (!placePart(loops, k, x, 1, level)) return false;
    }
    return true;
}

// x = period * x' + x'': steps of x' add a multiple of the digit's stride. When the period does not divide the size,
// the first size % period values of x'' get one x' more than the others.
bool Composer::splitByPeriod(const Loops& loops, int k, int64_t period, int level) {
    if (loops.count == kMaxAxes) return false;
    Loops split = loops;
    Axis& major = split.axis[split.count++];
    major.via = loops.axis[k].via * period;
    major.src = loops.axis[k].src * period;
    major.dst = loops.axis[k].dst * period;
    const int64_t rows = loops.axis[k].size / period, longer = loops.axis[k].size % period;
    if (longer > 0) {
        major.size = rows + 1;
        if (!placePart(split, k, 0, longer, level)) return false;
    }
    major.size = rows;
    return placePart(split, k, longer, period - longer, level);
}

// Splits one loop so that fewer remainders carry: by its period when it is longer, else where the carries are.
bool Composer::splitAtCarries(Loops& loops, int level, const Division& by) {
    const int64_t stride = mBox.digit[level].stride, rest = mBox.reach(level + 1);
    int64_t span = 0;
    for (int k = 0; k < loops.count; ++k) {
        span += (loops.axis[k].size - 1) * by.remainder[k];
        if (by.remainder[k] == 0) continue;
        const int64_t period = stride / std::gcd(by.remainder[k], stride);
        if (loops.axis[k].size > period) return splitByPeriod(loops, k, period, level);
    }
    const int64_t c = loops.via - by.base * stride;
    int best = -1;
    int64_t bestCost = 0;
    for (int k = 0; k < loops.count; ++k) {
        const int64_t r = by.remainder[k], size = loops.axis[k].size;
        if (r == 0) continue;
        int64_t cost = 0;
        forEachRun(c, r, size, span - (size - 1) * r, stride, [&](int64_t begin, int64_t count, bool clean) {
            const bool dead = clean && (c + begin * r) % stride > rest;
            cost += clean ? !dead : 2 * count;
            return cost <= mNodes;
        });
        if (best < 0 || cost < bestCost) {
            best = k;
            bestCost = cost;
        }
    }
    const int64_t r = by.remainder[best], size = loops.axis[best].size;
    return forEachRun(c, r, size, span - (size - 1) * r, stride, [&](int64_t begin, int64_t count, bool clean) {
        return clean ? placePart(loops, best, begin, count, level) : placeSteps(loops, best, begin, count, level);
    });
}

// The digit leaves [0, size) for some steps: drops those, and where they form no box, splits one loop into the steps
// that are inside whatever the others do, and the single ones around them.
bool Composer::clipDigit(Loops& loops, int level, const Division& by) {
    const int64_t last = mBox.digit[level].size - 1;
    bool changed = false;
    int best = -1;
    int64_t bestCost = 0, bestBegin = 0, bestEnd = 0;
    for (int k = 0; k < loops.count; ++k) {
        const int64_t q = by.quotient[k], size = loops.axis[k].size;
        if (q == 0) continue;
        const int64_t others = by.top - by.base - (size - 1) * q;
        const int64_t begin = std::max<int64_t>(0, ceilDiv(-by.base - others, q));
        const int64_t end = std::min(size, floorDiv(last - by.base, q) + 1);
        if (begin >= end) return true;
        if (end - begin < size) {
            loops.cut(k, begin, end - begin);
            changed = true;
            continue;
        }
        const int64_t inBegin = std::min(size, std::max<int64_t>(0, ceilDiv(-by.base, q)));
        const int64_t inEnd = std::max(inBegin, std::min(size, floorDiv(last - others - by.base, q) + 1));
        const int64_t cost = 2 * (size - (inEnd - inBegin)) + (inEnd > inBegin);
        if (best < 0 || cost < bestCost) {
            best = k;
            bestCost = cost;
            bestBegin = inBegin;
            bestEnd = inEnd;
        }
    }
    if (changed) return place(loops, level);
    if (best < 0) return true;
    if (bestEnd > bestBegin && !placePart(loops, best, bestBegin, bestEnd - bestBegin, level)) return false;
    return placeSteps(loops, best, 0, bestBegin, level) &&
           placeSteps(loops, best, bestEnd, loops.axis[best].size - bestEnd, level);
}

}  // namespace

bool compose(const Region& outer, const RegionList& inner, int64_t innerElements, RegionList* out, int maxRegions) {
    Loops reads;
    if (!toLoops(outer, &reads)) return true;
    canonicalize(&reads);
    reads.via = reads.src;
    reads.src = 0;
    for (int k = 0; k < reads.count; ++k) {
        reads.axis[k].via = reads.axis[k].src;
        reads.axis[k].src = 0;
    }
    orient(&reads);
    if (reads.via < 0 || highestAddress(reads) >= innerElements) return false;

    const size_t before = out->size();
    const size_t limit = static_cast<size_t>(std::max(maxRegions, 0));
    const int64_t nodes = kNodesPerRegion * static_cast<int64_t>(limit + inner.size());
    Composer composer(before + kRawPerRegion * limit, nodes, out);
    bool ok = true;
    for (size_t i = 0; ok && i < inner.size(); ++i) {
        Loops writes;
        if (!toLoops(inner[i], &writes)) continue;
        canonicalize(&writes);
        ok = composer.through(reads, writes, inner[i].origin);
    }
    if (ok) fuseFrom(out, before);
    if (ok && out->size() - before <= limit) return true;
    out->resize(before);
    return false;
}

bool asStrided(const RegionList& regions, const std::vector<int>& shape, int64_t* offset,
               std::vector<int64_t>* strides) {
    Loops writes;
    if (regions.size() != 1 || !toLoops(regions[0], &writes)) return false;
    canonicalize(&writes);
    if (!isNested(writes)) return false;
    const Box box = boxOf(writes, regions[0].origin);
    Loops reads;
    reads.via = -box.dst;
    reads.src = box.src;
    int64_t stride = 1;
    for (size_t i = shape.size(); i-- > 0; stride *= shape[i]) {
        if (shape[i] <= 0) return false;
        if (shape[i] == 1) continue;
        if (reads.count == kMaxAxes) return false;
        Axis& axis = reads.axis[reads.count++];
        axis.size = shape[i];
        axis.via = stride;
    }
    for (int level = 0; level < box.count; ++level) {
        Division by;
        if (!divideDown(reads, box.digit[level].stride, &by)) return false;
        if (by.base < 0 || by.top >= box.digit[level].size) return false;
        advance(box.digit[level], by, &reads);
    }
    if (reads.via != 0 || highestAddress(reads) != 0) return false;
    *offset = reads.src;
    strides->assign(shape.size(), 0);
    int next = 0;
    for (size_t i = shape.size(); i-- > 0;) {
        if (shape[i] > 1) (*strides)[i] = reads.axis[next++].src;
    }
    return true;
}

}  // namespace core
}  // namespace MNN
