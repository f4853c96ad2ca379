// Random chains of view ops, run step by step on arrays and composed, must give the same elements.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <random>

#include "geometry/RegionRaster.hpp"

using namespace MNN;
using namespace MNN::core;

namespace {

// A tensor of a chain: its values, and the Regions over real arrays that should give them.
struct Held {
    Shape shape;
    Values values;
    RegionList regions;
};

class Chain {
public:
    explicit Chain(uint32_t seed) : mRandom(seed) { mTop = real(randomShape()); }

    // Applies one random op; the fault found by it, or nothing.
    std::string step() {
        switch (below(10)) {
            case 0:
                return slice();
            case 1:
                return permute();
            case 2:
                return broadcast();
            case 3:
                return reshapeAligned();
            case 4:
                return below(4) == 0 ? reshapeFreely() : reshapeAligned();
            case 5:
                return pad();
            case 6:
                return reverse();
            case 7:
                return concat();
            case 8:
                return pack();
            default:
                return permute();
        }
    }

    bool gaveUp() const { return mGaveUp; }
    bool brokeAlignment() const { return mFree; }
    size_t regions() const { return mTop->regions.size(); }
    const std::string& text() const { return mText; }

private:
    int below(int n) { return static_cast<int>(mRandom() % static_cast<uint32_t>(n)); }

    Shape randomShape() {
        Shape shape(static_cast<size_t>(1 + below(5)));
        for (int& s : shape) s = 1 + below(6);
        while (elementsOf(shape) > 300) shape[static_cast<size_t>(below(static_cast<int>(shape.size())))] = 1;
        return shape;
    }

    Held* real(const Shape& shape) {
        mViews.emplace_back();
        Held& view = mViews.back();
        view.shape = shape;
        view.values = counting(elementsOf(shape), 1 + 1000 * static_cast<int>(mViews.size()));
        view.regions = {copyAll(asOrigin(&view.values), elementsOf(shape))};
        return &view;
    }

    Held* viewOf(Tensor* origin) {
        for (Held& view : mViews) {
            if (asOrigin(&view.values) == origin) return &view;
        }
        return nullptr;
    }

    // The new top holds `outer`, Regions over the arrays of earlier views.
    std::string apply(const char* name, const Shape& shape, const RegionList& outer) {
        mText += std::string(" ") + name + "[";
        for (int s : shape) mText += std::to_string(s) + " ";
        mText += "]";
        std::string error;
        mViews.emplace_back();
        Held& view = mViews.back();
        view.shape = shape;
        view.values = raster(outer, elementsOf(shape), &error);
        for (const Region& r : outer) {
            Held* origin = viewOf(r.origin);
            const int64_t n = static_cast<int64_t>(origin->values.size());
            if (compose(r, origin->regions, n, &view.regions)) continue;
            mGaveUp = true;
            origin->regions = {copyAll(r.origin, n)};
            if (!compose(r, origin->regions, n, &view.regions)) return "cannot compose with a real tensor";
        }
        view.regions = fuseRegions(view.regions);
        mTop = &view;
        if (!error.empty()) return "step " + error;
        const Values got = raster(view.regions, elementsOf(shape), &error);
        if (!error.empty()) return error;
        return got == view.values ? checkStrided(view) : "wrong elements";
    }

    // What asStrided says must be what the view holds.
    static std::string checkStrided(const Held& view) {
        int64_t offset = 0;
        Strides strides;
        if (!asStrided(view.regions, view.shape, &offset, &strides)) return "";
        if (!coversAll(view.regions, elementsOf(view.shape))) return "asStrided of a partial tensor";
        RegionList direct;
        if (!fromShape(view.regions[0].origin, view.shape, strides, offset, rowMajorStrides(view.shape), 0, &direct)) {
            return "fromShape refused";
        }
        std::string error;
        const Values got = raster(direct, elementsOf(view.shape), &error);
        return got == view.values ? error : "asStrided is wrong";
    }

    RegionList move(Held* from, const Shape& shape, const Strides& src, int64_t srcOffset, const Strides& dst,
                    int64_t dstOffset) {
        RegionList list;
        EXPECT_TRUE(fromShape(asOrigin(&from->values), shape, src, srcOffset, dst, dstOffset, &list, 1000));
        return list;
    }

    std::string slice() {
        Shape shape = mTop->shape;
        Strides strides = rowMajorStrides(shape);
        int64_t offset = 0;
        for (size_t i = 0; i < shape.size(); ++i) {
            if (below(2)) continue;
            const int begin = below(shape[i]), step = 1 + (below(3) == 0 ? below(3) : 0);
            const int count = 1 + below((shape[i] - begin - 1) / step + 1);
            offset += begin * strides[i];
            strides[i] *= step;
            shape[i] = count;
        }
        return apply("slice", shape, move(mTop, shape, strides, offset, rowMajorStrides(shape), 0));
    }

    std::string permute() {
        const size_t rank = mTop->shape.size();
        std::vector<size_t> order(rank);
        std::iota(order.begin(), order.end(), size_t{0});
        std::shuffle(order.begin(), order.end(), mRandom);
        const Strides strides = rowMajorStrides(mTop->shape);
        Shape shape(rank);
        Strides src(rank);
        for (size_t i = 0; i < rank; ++i) {
            shape[i] = mTop->shape[order[i]];
            src[i] = strides[order[i]];
        }
        return apply("permute", shape, move(mTop, shape, src, 0, rowMajorStrides(shape), 0));
    }

    std::string broadcast() {
        Shape shape = mTop->shape;
        Strides src = rowMajorStrides(shape);
        if (shape.size() < 6 && below(2)) {
            const auto at = below(static_cast<int>(shape.size()) + 1);
            shape.insert(shape.begin() + at, 1);
            src.insert(src.begin() + at, 0);
        }
        for (size_t i = 0; i < shape.size(); ++i) {
            if (shape[i] != 1 || elementsOf(shape) > 150) continue;
            shape[i] = 1 + below(4);
            src[i] = 0;
        }
        return apply("broadcast", shape, move(mTop, shape, src, 0, rowMajorStrides(shape), 0));
    }

    std::string reshape(const char* name, const Shape& shape) {
        return apply(name, shape, {copyAll(asOrigin(&mTop->values), elementsOf(shape))});
    }

    // Merges two neighbours or splits one dimension, as models do.
    std::string reshapeAligned() {
        Shape shape = mTop->shape;
        for (int times = 1 + below(2); times > 0; --times) {
            const size_t at = static_cast<size_t>(below(static_cast<int>(shape.size())));
            if (below(2) && at + 1 < shape.size()) {
                shape[at] *= shape[at + 1];
                shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(at) + 1);
            } else if (shape.size() < 6) {
                const int factor = randomDivisor(shape[at]);
                shape[at] /= factor;
                shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at) + 1, factor);
            }
        }
        return reshape("reshape", shape);
    }

    std::string reshapeFreely() {
        Shape shape;
        int64_t left = elementsOf(mTop->shape);
        while (left > 1 && shape.size() < 4) {
            const int factor = randomDivisor(static_cast<int>(left));
            shape.push_back(factor);
            left /= factor;
        }
        shape.push_back(static_cast<int>(left));
        mFree = true;
        return reshape("reshape-freely", shape);
    }

    int randomDivisor(int n) {
        for (;;) {
            const int factor = 1 + below(n);
            if (n % factor == 0) return factor;
        }
    }

    std::string pad() {
        Shape shape = mTop->shape, before(shape.size(), 0);
        for (size_t i = 0; i < shape.size(); ++i) {
            if (below(3) || elementsOf(shape) > 300) continue;
            before[i] = below(3);
            shape[i] += before[i] + below(3);
        }
        const Strides dst = rowMajorStrides(shape);
        int64_t offset = 0;
        for (size_t i = 0; i < shape.size(); ++i) offset += before[i] * dst[i];
        return apply("pad", shape, move(mTop, mTop->shape, rowMajorStrides(mTop->shape), 0, dst, offset));
    }

    std::string reverse() {
        const Shape shape = mTop->shape;
        Strides src = rowMajorStrides(shape);
        int64_t offset = 0;
        for (size_t i = 0; i < shape.size(); ++i) {
            if (below(2)) continue;
            offset += (shape[i] - 1) * src[i];
            src[i] = -src[i];
        }
        return apply("reverse", shape, move(mTop, shape, src, offset, rowMajorStrides(shape), 0));
    }

    std::string concat() {
        Held* first = mTop;
        const size_t axis = static_cast<size_t>(below(static_cast<int>(first->shape.size())));
        Held* second = first;
        if (below(2)) {
            Shape shape = first->shape;
            shape[axis] = 1 + below(3);
            second = real(shape);
        }
        Shape shape = first->shape;
        shape[axis] += second->shape[axis];
        if (elementsOf(shape) > 600) return "";
        const Strides dst = rowMajorStrides(shape);
        RegionList outer = move(first, first->shape, rowMajorStrides(first->shape), 0, dst, 0);
        const RegionList tail =
            move(second, second->shape, rowMajorStrides(second->shape), 0, dst, first->shape[axis] * dst[axis]);
        outer.insert(outer.end(), tail.begin(), tail.end());
        return apply("concat", shape, outer);
    }

    // To NC4HW4 storage; or, from a shape that can be such storage, back.
    std::string pack() {
        const Shape& from = mTop->shape;
        Tensor* origin = asOrigin(&mTop->values);
        if (from.size() == 4 && (from[3] == 4 || from[3] == 8 || from[3] == 16)) {
            const int channels = (from[1] - 1) * from[3] + 1 + below(from[3]);
            return apply("unpack", {from[0], channels, from[2]},
                         unpackRegions(origin, from[0], channels, from[2], from[3]));
        }
        if (from.size() < 2) return "";
        const int lanes = 4 << below(3), channels = from[1];
        const int area = static_cast<int>(elementsOf(from)) / (from[0] * channels);
        const Shape shape = {from[0], (channels + lanes - 1) / lanes, area, lanes};
        if (elementsOf(shape) > 1200) return "";
        return apply("pack", shape, packRegions(origin, from[0], channels, area, lanes));
    }

    std::mt19937 mRandom;
    std::deque<Held> mViews;
    Held* mTop = nullptr;
    bool mGaveUp = false, mFree = false;
    std::string mText;
};

// Chains of `length` ops; prints and returns the share that had to materialise.
double runChains(uint32_t seeds, int length) {
    int gaveUp = 0, gaveUpAligned = 0, aligned = 0;
    size_t most = 0;
    for (uint32_t seed = 0; seed < seeds; ++seed) {
        Chain chain(seed * 31 + static_cast<uint32_t>(length));
        for (int i = 0; i < length; ++i) {
            const std::string fault = chain.step();
            if (!fault.empty()) {
                ADD_FAILURE() << fault << ", seed " << seed << ", length " << length << ":" << chain.text();
                return 1;
            }
        }
        gaveUp += chain.gaveUp();
        aligned += !chain.brokeAlignment();
        gaveUpAligned += chain.gaveUp() && !chain.brokeAlignment();
        most = std::max(most, chain.regions());
    }
    std::printf("length %d: %.2f%% materialise (%.2f%% without free reshapes), at most %zu Regions\n", length,
                100.0 * gaveUp / seeds, 100.0 * gaveUpAligned / std::max(aligned, 1), most);
    return static_cast<double>(gaveUp) / seeds;
}

}  // namespace

TEST(RegionAlgebra, ComposedReadsTheSameElements) {
    for (int length = 1; length <= 4; ++length) EXPECT_LT(runChains(3000, length), 0.005);
    EXPECT_LT(runChains(1500, 7), 0.02);
}
