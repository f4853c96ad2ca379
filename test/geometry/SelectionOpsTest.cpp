// Ops that choose elements: slices, pads, reversals, gathers, blocks; each against its definition.
#include <algorithm>
#include <cmath>
#include "geometry/LoweringHarness.hpp"
#include "geometry/Select.hpp"

namespace MNN {
namespace test {

using geometry::makeOp;

namespace {

const int kPacks[] = {1, 4, 8};

OpT sliceOp(int begin = 0, int end = 0, int ellipsis = 0, int newAxis = 0, int shrink = 0, int fromType = 0) {
    StridedSliceParamT param;
    param.beginMask = begin;
    param.endMask = end;
    param.ellipsisMask = ellipsis;
    param.newAxisMask = newAxis;
    param.shrinkAxisMask = shrink;
    param.fromType = fromType;
    return makeOp(OpType_StridedSlice, param);
}

OpT padOp(PadValueMode mode) {
    PadParamT param;
    param.mode = mode;
    return makeOp(OpType_Padding, param);
}

int reflected(int i, int n, bool repeatEdge) {
    if (n == 1) return 0;
    while (i < 0 || i >= n) {
        if (i < 0) i = repeatEdge ? -i - 1 : -i;
        if (i >= n) i = repeatEdge ? 2 * n - 1 - i : 2 * n - 2 - i;
    }
    return i;
}

}  // namespace

TEST(Runs, ReadWhatTheIndicesSay) {
    std::mt19937 random(3);
    for (int round = 0; round < 300; ++round) {
        std::vector<int> indices(random() % 12);
        for (int& i : indices) i = static_cast<int>(random() % 6) - 1;
        std::vector<int> got(indices.size(), -1);
        for (const geometry::Run& run : geometry::runsOf(indices)) {
            for (int k = 0; k < run.count; ++k) {
                ASSERT_EQ(got[run.dst + k], -1);
                got[run.dst + k] = run.src + k * run.step;
            }
        }
        EXPECT_EQ(got, indices);
    }
    EXPECT_EQ(geometry::runsOf({0, 1, 2, 5, 4, 3, 7, 7, 7}).size(), 3u);
}

TEST(SelectionOps, SplitKeepsPackedStorage) {
    for (int pack : kPacks) {
        for (int axis : {0, 1, 2, 3, -3}) {
            Harness h;
            const Dims dims = {4, 20, 5, 6};
            const int at = axis < 0 ? axis + 4 : axis;
            Dims first = dims, second = dims;
            first[at] = dims[at] / 3 + 1;
            second[at] = dims[at] - first[at];
            SliceT param;
            param.axis = axis;
            const Values x = Harness::ramp(dims);
            Tensor* a = h.output(first);
            Tensor* b = h.output(second);
            ASSERT_TRUE(h.lower(makeOp(OpType_Slice, param), {h.input(dims, x, pack)}, {a, b}));
            EXPECT_EQ(TensorUtils::isPacked(a), pack > 1);
            Values wantA, wantB;
            forEachIndex(first, [&](const Dims& i) { wantA.push_back(x[flat(dims, i)]); });
            forEachIndex(second, [&](Dims i) {
                i[at] += first[at];
                wantB.push_back(x[flat(dims, i)]);
            });
            expectNear(h.read(a), wantA);
            expectNear(h.read(b), wantB);
        }
    }
}

TEST(SelectionOps, SliceTfAndUnpack) {
    for (int pack : kPacks) {
        Harness h;
        const Dims dims = {2, 9, 4, 3}, to = {1, 5, 2, 3};
        const Values x = Harness::ramp(dims);
        Tensor* in = h.input(dims, x, pack);
        Tensor* y = h.output(to);
        ASSERT_TRUE(
            h.lower(makeOp(OpType_SliceTf), {in, h.constant({4}, {1, 3, -3, 0}), h.constant({4}, {1, 5, 2, 3})}, {y}));
        Values want;
        forEachIndex(to, [&](const Dims& i) { want.push_back(x[flat(dims, {i[0] + 1, i[1] + 3, i[2] + 1, i[3]})]); });
        expectNear(h.read(y), want);
        AxisT param;
        param.axis = 2;
        Tensors parts;
        for (int i = 0; i < 4; ++i) parts.push_back(h.output({2, 9, 3}));
        ASSERT_TRUE(h.lower(makeOp(OpType_Unpack, param), {in}, parts));
        for (int k = 0; k < 4; ++k) {
            want.clear();
            forEachIndex({2, 9, 3}, [&](const Dims& i) { want.push_back(x[flat(dims, {i[0], i[1], k, i[2]})]); });
            expectNear(h.read(parts[k]), want);
        }
    }
}

TEST(SelectionOps, StridedSliceMasksAndNegativeSteps) {
    const Dims dims = {2, 9, 5, 4};
    const Values x = Harness::ramp(dims);
    for (int pack : kPacks) {
        Harness h;
        Tensor* in = h.input(dims, x, pack);
        // x[::-1, ..., 1::2]
        Tensor* y = h.output({2, 9, 5, 2});
        ASSERT_TRUE(h.lower(sliceOp(1, 1 | 4, 2),
                            {in, h.constant({3}, {0, 0, 1}), h.constant({3}, {0, 0, 0}), h.constant({3}, {-1, 1, 2})},
                            {y}));
        Values want;
        forEachIndex({2, 9, 5, 2}, [&](const Dims& i) {
            want.push_back(x[flat(dims, {1 - i[0], i[1], i[2], 2 * i[3] + 1})]);
        });
        expectNear(h.read(y), want);
        // x[1, newaxis, 2:8:3, :, -1]
        Tensor* z = h.output({1, 2, 5});
        ASSERT_TRUE(h.lower(
            sliceOp(8, 8, 0, 2, 1 | 16),
            {in, h.constant({5}, {1, 0, 2, 0, -1}), h.constant({5}, {2, 0, 8, 0, 0}), h.constant({5}, {1, 1, 3, 1, 1})},
            {z}));
        want.clear();
        forEachIndex({2, 5}, [&](const Dims& i) { want.push_back(x[flat(dims, {1, 2 + 3 * i[0], i[1], 3})]); });
        expectNear(h.read(z), want);
    }
}

TEST(SelectionOps, OnnxSliceClamps) {
    Harness h;
    Tensor* x = h.input({1, 2, 5}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    Tensor* y = h.output({1, 2, 5});
    ASSERT_TRUE(h.lower(
        sliceOp(0, 0, 0, 0, 0, 1),
        {x, h.constant({1}, {-1}), h.constant({1}, {INT32_MIN}), h.constant({1}, {2}), h.constant({1}, {-1})}, {y}));
    expectNear(h.read(y), {4, 3, 2, 1, 0, 9, 8, 7, 6, 5});
    Tensor* z = h.output({1, 2, 2});
    ASSERT_TRUE(h.lower(
        sliceOp(0, 0, 0, 0, 0, 1),
        {x, h.constant({1}, {1}), h.constant({1}, {INT32_MAX}), h.constant({1}, {2}), h.constant({1}, {2})}, {z}));
    expectNear(h.read(z), {1, 3, 6, 8});
    Tensor* empty = h.output({1, 0, 5});
    ASSERT_TRUE(h.lower(sliceOp(0, 0, 0, 0, 0, 1),
                        {x, h.constant({1}, {2}), h.constant({1}, {1}), h.constant({1}, {1}), h.constant({1}, {1})},
                        {empty}));
    expectNear(h.read(empty), {});
}

TEST(SelectionOps, StridedSliceWrites) {
    struct Range {
        int begin, end, step;
    };
    const std::vector<std::pair<Range, Range>> cases = {{{0, 4, 1}, {1, 3, 1}},
                                                        {{0, 4, 2}, {0, 5, 3}},
                                                        {{3, 0, -2}, {4, 0, -1}},
                                                        {{1, 1, 1}, {0, 5, 1}},
                                                        {{2, 3, 1}, {1, 5, 2}}};
    const Dims dims = {2, 4, 5};
    const Values x = Harness::ramp(dims);
    for (int pack : {1, 4}) {
        for (const auto& c : cases) {
            auto indices = [](Range r) {
                Dims list;
                for (int i = r.begin; r.step > 0 ? i < r.end : i > r.end; i += r.step) list.push_back(i);
                return list;
            };
            const Dims rows = indices(c.first), columns = indices(c.second);
            const Dims sliced = {2, static_cast<int>(rows.size()), static_cast<int>(columns.size())};
            const Values v = Harness::noise(sliced, 5, -9, -1);
            Harness h;
            Tensor* y = h.output(dims);
            ASSERT_TRUE(h.lower(sliceOp(1, 1),
                                {h.input(dims, x, pack), h.constant({3}, {0, c.first.begin, c.second.begin}),
                                 h.constant({3}, {0, c.first.end, c.second.end}),
                                 h.constant({3}, {1, c.first.step, c.second.step}), h.input(sliced, v)},
                                {y}));
            Values want = x;
            forEachIndex(sliced, [&](const Dims& i) {
                want[flat(dims, {i[0], rows[i[1]], columns[i[2]]})] = v[flat(sliced, i)];
            });
            expectNear(h.read(y), want);
        }
    }
}

TEST(SelectionOps, Crop) {
    for (int pack : kPacks) {
        Harness h;
        const Dims dims = {2, 9, 6, 7}, to = {2, 9, 3, 4};
        CropT param;
        param.axis = 2;
        param.offset = {1, 2};
        const Values x = Harness::ramp(dims);
        Tensor* y = h.output(to);
        ASSERT_TRUE(h.lower(makeOp(OpType_Crop, param), {h.input(dims, x, pack), h.output(to)}, {y}));
        EXPECT_EQ(TensorUtils::isPacked(y), pack > 1);
        Values want;
        forEachIndex(to, [&](const Dims& i) { want.push_back(x[flat(dims, {i[0], i[1], i[2] + 1, i[3] + 2})]); });
        expectNear(h.read(y), want);
    }
}

TEST(SelectionOps, PaddingInEveryMode) {
    const std::vector<std::vector<int>> padLists = {{0, 0, 0, 0, 1, 2, 2, 1},
                                                    {0, 0, 1, 2, 0, 0, 3, 1},
                                                    {1, 0, 0, 0, -1, 2, 1, -1},
                                                    {1, 1, 1, 1, 1, 1, 1, 1},
                                                    {0, 0, 0, 0, 4, 0, 0, 9}};
    for (int mode = PadValueMode_CONSTANT; mode <= PadValueMode_EDGE; ++mode) {
        for (const auto& pads : padLists) {
            for (int pack : kPacks) {
                for (float value : {0.0f, 2.5f}) {
                    const Dims dims = {2, 9, 3, 4};
                    Dims to = dims;
                    for (int d = 0; d < 4; ++d) to[d] += pads[2 * d] + pads[2 * d + 1];
                    Harness h;
                    const Values x = Harness::noise(dims, 9);
                    Tensors inputs = {h.input(dims, x, pack), h.constant({4, 2}, pads)};
                    if (mode == PadValueMode_CONSTANT) inputs.push_back(h.constantFloats({}, {value}));
                    Tensor* y = h.output(to);
                    ASSERT_TRUE(h.lower(padOp(static_cast<PadValueMode>(mode)), inputs, {y}));
                    Values want;
                    forEachIndex(to, [&](Dims i) {
                        bool inside = true;
                        for (int d = 0; d < 4; ++d) {
                            i[d] -= pads[2 * d];
                            if (mode == PadValueMode_EDGE) i[d] = std::min(std::max(i[d], 0), dims[d] - 1);
                            if (mode == PadValueMode_REFLECT) i[d] = reflected(i[d], dims[d], false);
                            if (mode == PadValueMode_SYMMETRIC) i[d] = reflected(i[d], dims[d], true);
                            inside = inside && i[d] >= 0 && i[d] < dims[d];
                        }
                        want.push_back(inside ? x[flat(dims, i)] : value);
                    });
                    expectNear(h.read(y), want);
                }
            }
        }
    }
}

TEST(SelectionOps, ReflectionWiderThanTheInputBouncesBack) {
    Harness h;
    Tensor* y = h.output({3, 4});
    ASSERT_TRUE(h.lower(padOp(PadValueMode_REFLECT),
                        {h.input({3, 2}, {1.0f, 1.2f, 2.3f, 3.4f, 4.5f, 5.7f}), h.constant({4}, {0, 0, 2, 0})}, {y}));
    expectNear(h.read(y), {1.0f, 1.2f, 1.0f, 1.2f, 2.3f, 3.4f, 2.3f, 3.4f, 4.5f, 5.7f, 4.5f, 5.7f});
}

TEST(SelectionOps, TileAndBroadcast) {
    for (int pack : kPacks) {
        Harness h;
        const Dims dims = {2, 5, 1, 3}, to = {4, 5, 2, 9}, wide = {2, 5, 7, 3};
        const Values x = Harness::ramp(dims);
        Tensor* in = h.input(dims, x, pack);
        Tensor* y = h.output(to);
        ASSERT_TRUE(h.lower(makeOp(OpType_Tile), {in, h.constant({4}, {2, 1, 2, 3})}, {y}));
        Values want;
        forEachIndex(to, [&](const Dims& i) { want.push_back(x[flat(dims, {i[0] % 2, i[1], 0, i[3] % 3})]); });
        expectNear(h.read(y), want);
        Tensor* z = h.output(wide);
        ASSERT_TRUE(h.lower(makeOp(OpType_BroadcastTo), {in, h.constant({4}, wide)}, {z}));
        want.clear();
        forEachIndex(wide, [&](const Dims& i) { want.push_back(x[flat(dims, {i[0], i[1], 0, i[3]})]); });
        expectNear(h.read(z), want);
    }
}

TEST(SelectionOps, DepthToSpaceAndBack) {
    for (int pack : kPacks) {
        for (bool last : {false, true}) {
            for (DepthToSpaceMode mode : {DepthToSpaceMode_DCR, DepthToSpaceMode_CRD}) {
                if (last && pack > 1) continue;
                Harness h;
                const int b = 2, N = 2, C = 3, H = 2, W = 3;
                const Dims deep = last ? Dims{N, H, W, C * b * b} : Dims{N, C * b * b, H, W};
                const Dims wide = last ? Dims{N, H * b, W * b, C} : Dims{N, C, H * b, W * b};
                DepthSpaceParamT param;
                param.blockSize = b;
                param.mode = mode;
                const Values x = Harness::ramp(deep);
                Tensor* in = h.input(deep, x, pack);
                Tensor* y = h.output(wide);
                Tensor* back = h.output(deep);
                if (last) {
                    for (Tensor* t : {in, y, back}) TensorUtils::setFormat(t, MNN_DATA_FORMAT_NHWC);
                }
                ASSERT_TRUE(h.lower(makeOp(OpType_DepthToSpace, param), {in}, {y}));
                Values want;
                forEachIndex(wide, [&](const Dims& i) {
                    const int c = last ? i[3] : i[1], yy = last ? i[1] : i[2], xx = last ? i[2] : i[3];
                    const int bi = yy % b, bj = xx % b;
                    const int channel = mode == DepthToSpaceMode_DCR ? (bi * b + bj) * C + c : (c * b + bi) * b + bj;
                    const Dims at = last ? Dims{i[0], yy / b, xx / b, channel} : Dims{i[0], channel, yy / b, xx / b};
                    want.push_back(x[flat(deep, at)]);
                });
                expectNear(h.read(y), want);
                ASSERT_TRUE(h.lower(makeOp(OpType_SpaceToDepth, param), {y}, {back}));
                expectNear(h.read(back), x);
            }
        }
    }
}

TEST(SelectionOps, SpaceToBatchAndBack) {
    for (bool last : {false, true}) {
        for (int pack : kPacks) {
            if (last && pack > 1) continue;
            Harness h;
            const int N = 2, C = 5, H = 3, W = 4;  // padded to 4 x 6, blocks 2 x 3
            const Dims dims = last ? Dims{N, H, W, C} : Dims{N, C, H, W};
            const Dims to = last ? Dims{N * 6, 2, 2, C} : Dims{N * 6, C, 2, 2};
            const Values x = Harness::ramp(dims);
            Tensor* in = h.input(dims, x, pack);
            Tensor* y = h.output(to);
            Tensor* back = h.output(dims);
            if (last) {
                for (Tensor* t : {in, y, back}) TensorUtils::setFormat(t, MNN_DATA_FORMAT_NHWC);
            }
            Tensor* block = h.constant({2}, {2, 3});
            Tensor* pads = h.constant({2, 2}, {1, 0, 0, 2});
            ASSERT_TRUE(h.lower(makeOp(OpType_SpaceToBatchND), {in, block, pads}, {y}));
            Values want;
            forEachIndex(to, [&](const Dims& i) {
                const int place = i[0] / N, n = i[0] % N, c = last ? i[3] : i[1];
                const int yy = (last ? i[1] : i[2]) * 2 + place / 3 - 1, xx = (last ? i[2] : i[3]) * 3 + place % 3;
                const bool inside = yy >= 0 && yy < H && xx < W;
                want.push_back(inside ? x[flat(dims, last ? Dims{n, yy, xx, c} : Dims{n, c, yy, xx})] : 0.0f);
            });
            expectNear(h.read(y), want);
            ASSERT_TRUE(h.lower(makeOp(OpType_BatchToSpaceND), {y, block, pads}, {back}));
            expectNear(h.read(back), x);
        }
    }
}

TEST(SelectionOps, Reversals) {
    for (int pack : kPacks) {
        Harness h;
        const Dims dims = {3, 5, 4};
        const Values x = Harness::ramp(dims);
        Tensor* in = h.input(dims, x, pack);
        Tensor* y = h.output(dims);
        ASSERT_TRUE(h.lower(makeOp(OpType_Reverse), {in, h.constant({2}, {0, -1})}, {y}));
        Values want;
        forEachIndex(dims, [&](const Dims& i) { want.push_back(x[flat(dims, {2 - i[0], i[1], 3 - i[2]})]); });
        expectNear(h.read(y), want);
        ReverseSequenceParamT param;
        param.batchDim = 0;
        param.seqDim = 1;
        const Dims lengths = {5, 0, 3};
        Tensor* z = h.output(dims);
        ASSERT_TRUE(h.lower(makeOp(OpType_ReverseSequence, param), {in, h.constant({3}, lengths)}, {z}));
        want.clear();
        forEachIndex(dims, [&](const Dims& i) {
            const int t = i[1] < lengths[i[0]] ? lengths[i[0]] - 1 - i[1] : i[1];
            want.push_back(x[flat(dims, {i[0], t, i[2]})]);
        });
        expectNear(h.read(z), want);
    }
}

TEST(SelectionOps, GatherWithConstantIndices) {
    const Dims dims = {4, 9, 3};
    const Values x = Harness::ramp(dims);
    for (int axis : {0, 1, 2, -1}) {
        for (int pack : kPacks) {
            for (const Dims& shape : {Dims{}, Dims{3}, Dims{2, 2}}) {
                Harness h;
                const int at = axis < 0 ? axis + 3 : axis;
                std::vector<int> indices = {2, 0, -1, 1};
                indices.resize(count(shape));
                Dims to = dims;
                to.erase(to.begin() + at);
                to.insert(to.begin() + at, shape.begin(), shape.end());
                Tensor* y = h.output(to);
                ASSERT_TRUE(h.lower(makeOp(OpType_GatherV2),
                                    {h.input(dims, x, pack), h.constant(shape, indices), h.constant({}, {axis})}, {y}));
                EXPECT_EQ(h.commands(OpType_GatherV2), 0);
                Values want;
                forEachIndex(to, [&](const Dims& i) {
                    Dims from(i.begin(), i.begin() + at);
                    const Dims place(i.begin() + at, i.begin() + at + shape.size());
                    const int index = indices[flat(shape, place)];
                    from.push_back(index < 0 ? index + dims[at] : index);
                    from.insert(from.end(), i.begin() + at + shape.size(), i.end());
                    want.push_back(x[flat(dims, from)]);
                });
                expectNear(h.read(y), want);
            }
        }
    }
}

TEST(SelectionOps, GatherOutsideTheAxisIsRefused) {
    Harness h;
    EXPECT_FALSE(h.lower(makeOp(OpType_GatherV2), {h.input({3}, {1, 2, 3}), h.constant({1}, {7})}, {h.output({1})}));
}

TEST(SelectionOps, FillZerosEye) {
    Harness h;
    Tensor* fill = h.output({2, 3});
    Tensor* zeros = h.output({4});
    Tensor* eye = h.output({3, 4});
    ASSERT_TRUE(h.lower(makeOp(OpType_Fill), {h.constant({2}, {2, 3}), h.constantFloats({}, {1.5f})}, {fill}));
    ASSERT_TRUE(h.lower(makeOp(OpType_ZerosLike), {h.input({4}, {1, 2, 3, 4})}, {zeros}));
    ASSERT_TRUE(h.lower(makeOp(OpType_EyeLike), {h.input({3, 4}, Harness::ramp({12})), h.constant({}, {-1})}, {eye}));
    expectNear(h.read(fill), Values(6, 1.5f));
    expectNear(h.read(zeros), Values(4, 0.0f));
    expectNear(h.read(eye), {0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0});
}

TEST(SelectionOps, RasterOfAModelFile) {
    Harness h;
    ExtraT extra;
    std::unique_ptr<AttributeT> region(new AttributeT);
    region->key = "region";
    region->list.reset(new ListValueT);
    // The transpose of a 2x3 matrix, then row 0 of the second input behind it.
    region->list->i = {0, 0, 1, 3, 0, 0, 2, 1, 1, 3, 2, 0, 0, 0, 1, 6, 0, 0, 1, 1, 1, 2};
    extra.attr.push_back(std::move(region));
    Tensor* y = h.output({8});
    ASSERT_TRUE(h.lower(makeOp(OpType_Raster, std::move(extra)),
                        {h.input({2, 3}, Harness::ramp({6})), h.input({2}, {8, 9})}, {y}));
    expectNear(h.read(y), {1, 4, 2, 5, 3, 6, 8, 9});
    ExtraT broken;
    region.reset(new AttributeT);
    region->key = "region";
    region->list.reset(new ListValueT);
    region->list->i = {0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 9};
    broken.attr.push_back(std::move(region));
    EXPECT_FALSE(h.lower(makeOp(OpType_Raster, std::move(broken)), {h.input({2}, {8, 9})}, {h.output({8})}));
}

TEST(SelectionOps, ChainsOfViewsStayOneRegion) {
    Harness h;
    const Dims dims = {2, 12, 4, 4};
    const Values x = Harness::ramp(dims);
    // Shuffle the channels of three groups: reshape, permute, reshape.
    Tensor* split = geometry::reshape(h.input(dims, x), {2, 3, 4, 16}, h.context());
    Tensor* turned = geometry::permute(split, {0, 2, 1, 3}, h.context());
    Tensor* y = geometry::reshape(turned, dims, h.context());
    EXPECT_EQ(TensorUtils::describe(y)->regions.size(), 1u);
    Values want;
    forEachIndex(dims, [&](const Dims& i) {
        want.push_back(x[flat(dims, {i[0], i[1] % 3 * 4 + i[1] / 3, i[2], i[3]})]);
    });
    expectNear(h.read(y), want);
}

TEST(HostOps, ShapeSizeRank) {
    Harness h;
    Tensor* x = h.input({2, 3, 4}, Harness::ramp({24}));
    ShapeParamT param;
    param.hasStart = true;
    param.start = -2;
    const halide_type_t ints = halide_type_of<int32_t>();
    Tensor* shape = h.output({3}, ints);
    Tensor* window = h.output({2}, ints);
    Tensor* size = h.output({}, ints);
    Tensor* rank = h.output({}, ints);
    ASSERT_TRUE(h.lower(makeOp(OpType_Shape), {x}, {shape}));
    ASSERT_TRUE(h.lower(makeOp(OpType_Shape, param), {x}, {window}));
    ASSERT_TRUE(h.lower(makeOp(OpType_Size), {x}, {size}));
    ASSERT_TRUE(h.lower(makeOp(OpType_Rank), {x}, {rank}));
    EXPECT_TRUE(TensorUtils::describe(shape)->hostKnown);
    expectNear(h.read(shape), {2, 3, 4});
    expectNear(h.read(window), {3, 4});
    expectNear(h.read(size), {24});
    expectNear(h.read(rank), {3});
}

TEST(HostOps, PriorBox) {
    Harness h;
    PriorBoxT param;
    param.minSizes = {4};
    param.maxSizes = {9};
    param.aspectRatios = {4};
    param.flip = true;
    param.variances = {0.1f, 0.1f, 0.2f, 0.2f};
    param.offset = 0.5f;
    const int boxes = 1 * 2 * 4;
    Tensor* y = h.output({1, 2, boxes * 4});
    ASSERT_TRUE(h.lower(makeOp(OpType_PriorBox, param),
                        {h.input({1, 1, 1, 2}, {0, 0}), h.input({1, 1, 10, 20}, Harness::ramp({200}))}, {y}));
    const Values got = h.read(y);
    // The first place is centred at (5, 5): square 4, square 6, 8 x 2, 2 x 8, of an image 20 wide and 10 high.
    const float want[4][4] = {{3, 3, 7, 7}, {2, 2, 8, 8}, {1, 4, 9, 6}, {4, 1, 6, 9}};
    for (int b = 0; b < 4; ++b) {
        for (int k = 0; k < 4; ++k) EXPECT_NEAR(got[b * 4 + k], want[b][k] / (k % 2 == 0 ? 20 : 10), 1e-6f);
    }
    EXPECT_FLOAT_EQ(got[boxes * 4 + 2], 0.2f);
}

}  // namespace test
}  // namespace MNN
