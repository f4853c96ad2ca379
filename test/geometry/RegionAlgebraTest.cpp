// Each function of the region algebra, against brute force where there is something to count.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "geometry/RegionRaster.hpp"

using namespace MNN;
using namespace MNN::core;

namespace {

Region makeRegion(Tensor* origin, const Shape& size, const Strides& src, int64_t srcOffset, const Strides& dst,
                  int64_t dstOffset) {
    Region r;
    r.origin = origin;
    r.src.offset = srcOffset;
    r.dst.offset = dstOffset;
    const size_t first = kRegionLoops - size.size();
    for (size_t k = 0; k < size.size(); ++k) {
        r.size[first + k] = size[k];
        r.src.stride[first + k] = src[k];
        r.dst.stride[first + k] = dst[k];
    }
    return r;
}

bool same(const Region& a, const Region& b) {
    return a.origin == b.origin && a.size == b.size && a.src.offset == b.src.offset && a.dst.offset == b.dst.offset &&
           a.src.stride == b.src.stride && a.dst.stride == b.dst.stride;
}

}  // namespace

// Outer loops of any stride (overlapping, backwards, repeated) over a tensor in pieces with gaps, and no shape behind.
TEST(RegionAlgebra, ComposesArbitraryAddressForms) {
    std::mt19937 random(7);
    auto below = [&](int n) { return static_cast<int>(random() % static_cast<uint32_t>(n)); };
    int refused = 0;
    for (int round = 0; round < 4000; ++round) {
        Values real = counting(400), middle;
        const Shape box = {1 + below(3), 1 + below(4), 1 + below(5)};
        const Shape room = {box[0] + below(2), box[1] + below(3), box[2] + below(3)};
        const Strides dst = rowMajorStrides(room);
        RegionList inner;
        const int cut = below(box[1] + 1);
        if (cut > 0) inner.push_back(makeRegion(asOrigin(&real), {box[0], cut, box[2]}, {13, 5, 1}, below(50), dst, 0));
        if (cut < box[1]) {
            inner.push_back(makeRegion(asOrigin(&real), {box[0], box[1] - cut, box[2]}, {-2, 0, 7}, 50 + below(50), dst,
                                       cut * dst[1]));
        }
        const int64_t n = elementsOf(room);
        std::string error;
        middle = raster(inner, n, &error);

        const Shape size = {1 + below(4), 1 + below(4), 1 + below(6)};
        Strides src(3);
        int64_t low = 0, high = 0;
        for (size_t k = 0; k < 3; ++k) {
            src[k] = below(static_cast<int>(n) / 3 + 2) - below(4);
            while (high - low + (size[k] - 1) * std::abs(src[k]) >= n) src[k] /= 2;
            (src[k] < 0 ? low : high) += (size[k] - 1) * src[k];
        }
        const int64_t offset = -low + below(static_cast<int>(n - (high - low)));
        const Region outer = makeRegion(asOrigin(&middle), size, src, offset, rowMajorStrides(size), 0);
        const Values want = raster({outer}, elementsOf(size), &error);
        RegionList got;
        if (!compose(outer, inner, n, &got)) {
            EXPECT_TRUE(got.empty());
            ++refused;
            got.clear();
            ASSERT_TRUE(compose(outer, inner, n, &got, 1000)) << "round " << round;
        }
        ASSERT_EQ(raster(got, elementsOf(size), &error), want) << "round " << round;
        ASSERT_EQ(error, "") << "round " << round;
    }
    std::printf("%d of 4000 arbitrary forms need more than %d Regions\n", refused, kMaxRegions);
    EXPECT_LT(refused, 400);
}

// Loops shuffled, walked backwards and split move the same elements, and get the same normal form.
TEST(RegionAlgebra, NormalFormIsUnique) {
    std::mt19937 random(11);
    auto below = [&](int n) { return static_cast<int>(random() % static_cast<uint32_t>(n)); };
    Values real(1);
    for (int round = 0; round < 500; ++round) {
        const Shape size = {1 + below(3), 2 * (1 + below(3)), 1 + below(4)};
        const Shape room = {size[0], size[1] + below(2), size[2] + below(2)};
        const Strides src = {below(40) - 20, below(20) - 10, below(5)};
        Region r = makeRegion(asOrigin(&real), size, src, 100, rowMajorStrides(room), 3);
        const Region normal = normalize(r);
        EXPECT_TRUE(same(normalize(normal), normal));
        EXPECT_EQ(normal.elements(), r.elements());

        const int split = kRegionLoops - 2;
        r.size[split] /= 2;
        r.size[0] = 2;
        r.src.stride[0] = r.src.stride[split];
        r.dst.stride[0] = r.dst.stride[split];
        r.src.stride[split] *= 2;
        r.dst.stride[split] *= 2;
        for (int k = 0; k < kRegionLoops; ++k) {
            if (below(2)) {
                for (core::View* view : {&r.src, &r.dst}) {
                    view->offset += (r.size[k] - 1) * view->stride[k];
                    view->stride[k] = -view->stride[k];
                }
            }
            const int other = below(kRegionLoops);
            std::swap(r.size[k], r.size[other]);
            std::swap(r.src.stride[k], r.src.stride[other]);
            std::swap(r.dst.stride[k], r.dst.stride[other]);
        }
        EXPECT_TRUE(same(normalize(r), normal)) << "round " << round;
    }
}

TEST(RegionAlgebra, EmptyStaysEmpty) {
    Values real = counting(6);
    const Region empty = normalize(makeRegion(asOrigin(&real), {2, 0, 3}, {3, 3, 1}, 5, {3, 3, 1}, 5));
    EXPECT_EQ(empty.elements(), 0);
    EXPECT_EQ(empty.size[kRegionLoops - 1], 0);
    EXPECT_EQ(empty.src.offset, 0);
    RegionList out;
    EXPECT_TRUE(compose(empty, {copyAll(asOrigin(&real), 6)}, 6, &out));
    EXPECT_TRUE(compose(copyAll(asOrigin(&real), 6), {empty}, 6, &out));
    EXPECT_TRUE(compose(copyAll(asOrigin(&real), 6), {}, 6, &out));
    EXPECT_TRUE(out.empty());
    EXPECT_TRUE(fuseRegions({empty, empty}).empty());
    EXPECT_TRUE(isIdentity(empty, 0));
    EXPECT_TRUE(coversAll({empty}, 0));
    EXPECT_EQ(copyAll(asOrigin(&real), 0).elements(), 0);
    EXPECT_TRUE(packRegions(asOrigin(&real), 1, 0, 4, 4).empty());
    EXPECT_TRUE(packRegions(asOrigin(&real), 0, 4, 4, 4).empty());
    EXPECT_TRUE(fromShape(asOrigin(&real), {2, 0}, {1, 1}, 0, {1, 1}, 0, &out));
    EXPECT_TRUE(out.empty());
}

// What cannot be said leaves the list alone.
TEST(RegionAlgebra, RefusalsLeaveTheOutputAlone) {
    Values real = counting(64), middle(64);
    Tensor* origin = asOrigin(&middle);
    const RegionList turned = {makeRegion(asOrigin(&real), {8, 8}, {1, 8}, 0, {8, 1}, 0)};
    RegionList out = {copyAll(origin, 3)};
    const Region diagonals = makeRegion(origin, {5, 7}, {5, 3}, 0, {1, 5}, 0);
    EXPECT_FALSE(compose(diagonals, turned, 64, &out, 2));
    EXPECT_EQ(out.size(), 1u);
    EXPECT_FALSE(compose(copyAll(origin, 65), turned, 64, &out)) << "reads past the end";
    EXPECT_FALSE(compose(makeRegion(origin, {4}, {1}, -1, {1}, 0), turned, 64, &out)) << "reads before the start";
    const RegionList twice = {makeRegion(asOrigin(&real), {8, 8}, {8, 1}, 0, {0, 1}, 0)};
    EXPECT_FALSE(compose(copyAll(origin, 64), twice, 64, &out)) << "writes an element twice";
    ASSERT_EQ(out.size(), 1u);
    EXPECT_TRUE(same(out[0], copyAll(origin, 3)));
    EXPECT_TRUE(compose(diagonals, turned, 64, &out, 64));
    EXPECT_GT(out.size(), 3u);
}

// Strides 6 and 4 interleave: an address does not decode digit by digit.
TEST(RegionAlgebra, ComposesThroughInterleavedWrites) {
    Values real = counting(6), middle;
    const RegionList inner = {makeRegion(asOrigin(&real), {2, 3}, {3, 1}, 0, {6, 4}, 1)};
    std::string error;
    middle = raster(inner, 16, &error);
    RegionList out;
    ASSERT_TRUE(compose(copyAll(asOrigin(&middle), 16), inner, 16, &out));
    EXPECT_EQ(raster(out, 16, &error), middle);
    EXPECT_EQ(error, "");
}

// Rows and columns change together, in both directions, without a carry.
TEST(RegionAlgebra, DiagonalsAreOneRegion) {
    const int n = 300;
    Values real = counting(n * n), middle;
    const RegionList turned = {makeRegion(asOrigin(&real), {n, n}, {1, n}, 0, {n, 1}, 0)};
    std::string error;
    middle = raster(turned, n * n, &error);
    for (const Region& diagonal : {makeRegion(asOrigin(&middle), {n}, {n + 1}, 0, {1}, 0),
                                   makeRegion(asOrigin(&middle), {n}, {n - 1}, n - 1, {1}, 0),
                                   makeRegion(asOrigin(&middle), {n}, {1 - n}, n * (n - 1), {1}, 0)}) {
        RegionList out;
        ASSERT_TRUE(compose(diagonal, turned, n * n, &out));
        EXPECT_EQ(out.size(), 1u);
        EXPECT_EQ(raster(out, n, &error), raster({diagonal}, n, &error));
        EXPECT_EQ(error, "");
    }
}

// Packing and unpacking is nothing, for channels below, at and above the block, and one Region when it divides.
TEST(RegionAlgebra, UnpackUndoesPack) {
    for (int pack : {4, 8, 16}) {
        for (int channels : {1, pack - 1, pack, pack + 1, 2 * pack, 3 * pack - 1}) {
            const int batch = 2, area = 6, n = batch * channels * area;
            const int blocks = (channels + pack - 1) / pack;
            Values real = counting(n), storage;
            std::string error;
            const RegionList packing = packRegions(asOrigin(&real), batch, channels, area, pack);
            storage = raster(packing, batch * blocks * area * pack, &error);
            ASSERT_EQ(error, "");
            for (int b = 0; b < batch; ++b) {
                for (int c = 0; c < blocks * pack; ++c) {
                    for (int i = 0; i < area; ++i) {
                        const int got = storage[((b * blocks + c / pack) * area + i) * pack + c % pack];
                        ASSERT_EQ(got, c < channels ? 1 + (b * channels + c) * area + i : 0);
                    }
                }
            }
            EXPECT_EQ(packing.size(), channels < pack || channels % pack == 0 ? 1u : 2u);
            RegionList out;
            for (const Region& r : unpackRegions(asOrigin(&storage), batch, channels, area, pack)) {
                ASSERT_TRUE(compose(r, packing, static_cast<int64_t>(storage.size()), &out));
            }
            out = fuseRegions(out);
            ASSERT_EQ(out.size(), 1u) << "channels " << channels << " pack " << pack;
            EXPECT_TRUE(isIdentity(out[0], n));
        }
    }
}

// Split into heads and transposed, as attention does: every step stays one Region and is a strided view.
TEST(RegionAlgebra, HeadsAreStrided) {
    const int batch = 2, length = 5, heads = 3, width = 4;
    Values qkv = counting(batch * length * 3 * heads * width), part(batch * heads * length * width);
    // [batch, length, 3, heads, width]: the keys, as [batch, heads, width, length].
    const int64_t row = 3 * heads * width;
    RegionList keys;
    ASSERT_TRUE(fromShape(asOrigin(&qkv), {batch, heads, width, length}, {length * row, width, 1, row}, heads * width,
                          rowMajorStrides({batch, heads, width, length}), 0, &keys));
    ASSERT_EQ(keys.size(), 1u);
    int64_t offset = 0;
    Strides strides;
    EXPECT_FALSE(asStrided(keys, {batch * heads * width, length}, &offset, &strides)) << "batches lie further apart";
    ASSERT_TRUE(asStrided(keys, {batch, heads * width, 1, length}, &offset, &strides));
    EXPECT_EQ(offset, heads * width);
    EXPECT_EQ(strides, (Strides{length * row, 1, 0, row}));
    ASSERT_TRUE(asStrided(keys, {batch, heads, 2, width / 2, length}, &offset, &strides));
    EXPECT_EQ(strides, (Strides{length * row, width, 2, 1, row}));
    // Back to [batch, length, heads * width], through the virtual tensor.
    RegionList back;
    ASSERT_TRUE(compose(makeRegion(asOrigin(&part), {batch, length, heads * width}, {heads * width * length, 1, length},
                                   0, {length * heads * width, heads * width, 1}, 0),
                        keys, static_cast<int64_t>(part.size()), &back));
    ASSERT_EQ(back.size(), 1u);
    ASSERT_TRUE(asStrided(back, {batch * length, heads, width}, &offset, &strides));
    EXPECT_EQ(strides, (Strides{row, width, 1}));
}

TEST(RegionAlgebra, StridedSeesBroadcastAndRefusesParts) {
    Values real = counting(3);
    Tensor* origin = asOrigin(&real);
    int64_t offset = -1;
    Strides strides;
    const Region repeated = makeRegion(origin, {4, 3}, {0, 1}, 0, {3, 1}, 0);
    ASSERT_TRUE(asStrided({repeated}, {2, 2, 3}, &offset, &strides));
    EXPECT_EQ(strides, (Strides{0, 0, 1}));
    ASSERT_TRUE(asStrided({copyAll(origin, 1)}, {}, &offset, &strides));
    EXPECT_TRUE(strides.empty());
    ASSERT_TRUE(asStrided({copyAll(origin, 1)}, {1, 1}, &offset, &strides));
    EXPECT_EQ(strides, (Strides{0, 0}));
    EXPECT_FALSE(asStrided({repeated}, {13}, &offset, &strides));
    EXPECT_FALSE(asStrided({repeated}, {12}, &offset, &strides)) << "0,1,2,0,1,2 has no stride";
    EXPECT_FALSE(asStrided({copyAll(origin, 2)}, {3}, &offset, &strides)) << "the last element is zero";
    EXPECT_FALSE(asStrided({makeRegion(origin, {2}, {1}, 0, {1}, 1)}, {3}, &offset, &strides)) << "the first is zero";
    EXPECT_FALSE(asStrided({makeRegion(origin, {2}, {1}, 0, {2}, 0)}, {3}, &offset, &strides)) << "the middle is zero";
    EXPECT_FALSE(asStrided({copyAll(origin, 1), copyAll(origin, 1)}, {1}, &offset, &strides));
    EXPECT_FALSE(asStrided({}, {0}, &offset, &strides));
}

// A 3x3 convolution's column matrix of a padded image: 9 Regions at most, whatever the image's size.
TEST(RegionAlgebra, PaddedWindowsStayFew) {
    const int height = 14, width = 15, padded = width + 2;
    Values real = counting(height * width), middle;
    const RegionList pad = {makeRegion(asOrigin(&real), {height, width}, {width, 1}, 0, {padded, 1}, padded + 1)};
    std::string error;
    middle = raster(pad, (height + 2) * padded, &error);
    const Region columns = makeRegion(asOrigin(&middle), {3, 3, height, width}, {padded, 1, padded, 1}, 0,
                                      rowMajorStrides({3, 3, height, width}), 0);
    RegionList out;
    ASSERT_TRUE(compose(columns, pad, static_cast<int64_t>(middle.size()), &out));
    EXPECT_LE(out.size(), 9u);
    EXPECT_EQ(raster(out, 9 * height * width, &error), raster({columns}, 9 * height * width, &error));
    EXPECT_EQ(error, "");
}

// Pieces cut at random become one Region again.
TEST(RegionAlgebra, FusesWhatWasSliced) {
    std::mt19937 random(5);
    auto below = [&](int n) { return static_cast<int>(random() % static_cast<uint32_t>(n)); };
    Values real = counting(1000);
    for (int round = 0; round < 500; ++round) {
        const Shape size = {2 + below(3), 2 + below(3), 2 + below(3)};
        const Region whole =
            makeRegion(asOrigin(&real), size, {50, -below(9), 1 + below(3)}, 100, rowMajorStrides(size), 0);
        const int loop = kRegionLoops - 1 - below(3);
        RegionList pieces;
        for (int begin = 0; begin < whole.size[loop];) {
            const int step = 1 + below(whole.size[loop] - begin);
            pieces.push_back(sliceLoop(whole, loop, begin, step));
            begin += step;
        }
        std::shuffle(pieces.begin(), pieces.end(), random);
        const RegionList fused = fuseRegions(pieces);
        ASSERT_EQ(fused.size(), 1u) << "round " << round;
        EXPECT_TRUE(same(fused[0], normalize(whole))) << "round " << round;
        EXPECT_TRUE(coversAll(pieces, elementsOf(size)));
    }
    const Region head = copyAll(asOrigin(&real), 4);
    EXPECT_EQ(fuseRegions({head, makeRegion(asOrigin(&real), {3}, {2}, 4, {1}, 4)}).size(), 2u);
    Values other = counting(8);
    EXPECT_EQ(fuseRegions({head, makeRegion(asOrigin(&other), {4}, {1}, 4, {1}, 4)}).size(), 2u);
    EXPECT_FALSE(coversAll({head}, 5));
    // As two steps of one loop these would write 0, 4, 8, 6, 10, 14: no longer decoded digit by digit.
    const Region even = makeRegion(asOrigin(&real), {3}, {1}, 0, {4}, 0);
    EXPECT_EQ(fuseRegions({even, makeRegion(asOrigin(&real), {3}, {1}, 3, {4}, 6)}).size(), 2u);
}

TEST(RegionAlgebra, Makers) {
    Values real = counting(1);
    Tensor* origin = asOrigin(&real);
    EXPECT_TRUE(isIdentity(copyAll(origin, 12), 12));
    EXPECT_TRUE(isIdentity(copyAll(origin, 1), 1));
    EXPECT_FALSE(isIdentity(copyAll(origin, 12), 13));
    EXPECT_FALSE(isIdentity(makeRegion(origin, {12}, {1}, 1, {1}, 0), 12));
    EXPECT_FALSE(isIdentity(makeRegion(origin, {3, 4}, {1, 3}, 0, {4, 1}, 0), 12));
    EXPECT_TRUE(isIdentity(makeRegion(origin, {4, 3}, {1, 4}, 0, {1, 4}, 0), 12)) << "in another order";
    EXPECT_FALSE(isIdentity(makeRegion(origin, {2, 3}, {4, 1}, 0, {4, 1}, 0), 6)) << "with gaps";
    const int64_t large = int64_t{3} << 32;
    EXPECT_TRUE(isIdentity(copyAll(origin, large), large));
    const int64_t square = int64_t{50000} * 50000;
    EXPECT_TRUE(isIdentity(copyAll(origin, square), square));

    // Eight loops that do not fuse: the two smallest are unrolled.
    const Shape shape = {3, 2, 3, 3, 2, 3, 3, 3};
    const Strides dst = rowMajorStrides(shape);
    const Strides src = {1, 3, 6, 18, 54, 108, 324, 972};
    real = counting(elementsOf(shape));
    RegionList out;
    ASSERT_TRUE(fromShape(origin, shape, src, 0, dst, 0, &out));
    EXPECT_EQ(out.size(), 4u);
    std::string error;
    const Values got = raster(out, elementsOf(shape), &error);
    EXPECT_EQ(error, "");
    EXPECT_EQ(got[0], 1);
    EXPECT_EQ(got[1], 973);
    EXPECT_EQ(got.back(), elementsOf(shape));
    EXPECT_FALSE(fromShape(origin, shape, src, 0, dst, 0, &out, 3));
    EXPECT_FALSE(fromShape(origin, {2, -1}, {1, 1}, 0, {1, 1}, 0, &out));
    EXPECT_FALSE(fromShape(origin, {2}, {1, 1}, 0, {1}, 0, &out));
    EXPECT_EQ(out.size(), 4u);
}
