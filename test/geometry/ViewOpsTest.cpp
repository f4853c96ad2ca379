// View ops: each against its definition, row-major and packed.
#include "geometry/LoweringHarness.hpp"

namespace MNN {
namespace test {

using geometry::makeOp;

namespace {

// dims of a few ranks, with and without a ragged channel block.
const std::vector<Dims> kShapes = {{2, 3, 4, 5}, {1, 8, 3, 2}, {2, 9, 1, 1}, {3, 17, 2, 3},
                                   {1, 1, 4, 4}, {2, 16, 5},   {4, 7}};
const int kPacks[] = {1, 4, 8};

OpT axisOp(OpType type, int axis) {
    AxisT param;
    param.axis = axis;
    return makeOp(type, param);
}

}  // namespace

TEST(ViewOps, ReshapeKeepsTheOrder) {
    for (const Dims& dims : kShapes) {
        for (int pack : kPacks) {
            Harness h;
            Tensor* y = h.output({static_cast<int>(count(dims))});
            ASSERT_TRUE(h.lower(makeOp(OpType_Reshape), {h.input(dims, Harness::ramp(dims), pack)}, {y}));
            expectNear(h.read(y), Harness::ramp(dims));
            EXPECT_EQ(h.commands(OpType_Raster), 0);
        }
    }
}

TEST(ViewOps, UnsqueezeOfAPackedTensorStaysPacked) {
    Harness h;
    Tensor* y = h.output({2, 9, 1, 5});
    ASSERT_TRUE(h.lower(makeOp(OpType_Unsqueeze), {h.input({2, 9, 5}, Harness::ramp({2, 9, 5}), 8)}, {y}));
    EXPECT_TRUE(TensorUtils::isPacked(y));
    EXPECT_EQ(TensorUtils::describe(y)->regions.size(), 1u);
    expectNear(h.read(y), Harness::ramp({2, 9, 5}));
}

TEST(ViewOps, PackingBackCostsNothing) {
    for (int channels : {1, 7, 8, 9, 20}) {
        Harness h;
        Tensor* x = h.input({2, channels, 3, 3}, Harness::ramp({2, channels, 3, 3}), 8);
        EXPECT_EQ(h.context().packed(h.context().plain(x), 8), x);
        Tensor* y = h.output(x->shape());
        ASSERT_TRUE(h.lower(makeOp(OpType_Identity), {x}, {y}));
        EXPECT_EQ(geometry::resolve(y), x);
    }
}

TEST(ViewOps, RepackingBetweenBlocks) {
    for (int channels : {1, 3, 4, 5, 8, 13, 16, 31, 32, 35}) {
        for (int from : {1, 4, 8, 16}) {
            for (int to : {1, 4, 8, 16}) {
                Harness h;
                const Dims dims = {2, channels, 3};
                Tensor* x = h.input(dims, Harness::ramp(dims), from);
                Tensor* y = to == 1 ? h.context().plain(x) : h.context().packed(x, to);
                expectNear(h.read(y), Harness::ramp(dims));
                EXPECT_LE(TensorUtils::describe(y)->regions.size(), 3u) << channels << " " << from << "->" << to;
            }
        }
    }
}

TEST(ViewOps, Permute) {
    const Dims perm = {0, 2, 3, 1};
    for (const Dims& dims : kShapes) {
        if (dims.size() != 4) continue;
        for (int pack : kPacks) {
            Harness h;
            Dims to;
            for (int p : perm) to.push_back(dims[p]);
            PermuteT param;
            param.dims = perm;
            Tensor* y = h.output(to);
            const Values x = Harness::ramp(dims);
            ASSERT_TRUE(h.lower(makeOp(OpType_Permute, param), {h.input(dims, x, pack)}, {y}));
            Values want;
            forEachIndex(to, [&](const Dims& i) { want.push_back(x[flat(dims, {i[0], i[3], i[1], i[2]})]); });
            expectNear(h.read(y), want);
            Tensor* back = h.output(dims);
            TensorConvertInfoT convert;
            convert.source = MNN_DATA_FORMAT_NHWC;
            convert.dest = MNN_DATA_FORMAT_NC4HW4;
            ASSERT_TRUE(h.lower(makeOp(OpType_ConvertTensor, convert), {y}, {back}));
            expectNear(h.read(back), x);
        }
    }
}

TEST(ViewOps, TransposeWithoutPermutationReverses) {
    Harness h;
    Tensor* y = h.output({4, 3, 2});
    ASSERT_TRUE(h.lower(makeOp(OpType_Transpose), {h.input({2, 3, 4}, Harness::ramp({2, 3, 4}))}, {y}));
    Values want;
    forEachIndex({4, 3, 2}, [&](const Dims& i) { want.push_back(flat({2, 3, 4}, {i[2], i[1], i[0]}) + 1.0f); });
    expectNear(h.read(y), want);
}

TEST(ViewOps, ConcatOnEveryAxisAndLayout) {
    for (int channels : {3, 4, 8, 12, 17}) {
        for (int axis : {0, 1, 2, -1}) {
            for (int pack : {1, 4, 8}) {
                Harness h;
                Dims a = {2, channels, 3, 2}, b = a, to = a;
                const int at = axis < 0 ? axis + 4 : axis;
                b[at] = axis == 1 ? 5 : 2;
                to[at] = a[at] + b[at] + a[at];
                const Values va = Harness::noise(a, 1), vb = Harness::noise(b, 2);
                Tensor* x = h.input(a, va, pack);
                Tensor* y = h.output(to);
                ASSERT_TRUE(h.lower(axisOp(OpType_Concat, axis), {x, h.input(b, vb, pack), x}, {y}));
                Values want;
                forEachIndex(to, [&](const Dims& i) {
                    Dims j = i;
                    const bool first = j[at] < a[at], second = !first && j[at] < a[at] + b[at];
                    if (!first) j[at] -= second ? a[at] : a[at] + b[at];
                    want.push_back(second ? vb[flat(b, j)] : va[flat(a, j)]);
                });
                expectNear(h.read(y), want);
            }
        }
    }
}

TEST(ViewOps, ConcatOfMorePartsThanRegionsIsMaterialised) {
    Harness h;
    Tensors parts;
    Values want;
    for (int i = 0; i < 40; ++i) {
        parts.push_back(h.input({3}, {i + 0.0f, i + 0.25f, i + 0.5f}));
        for (float v : {i + 0.0f, i + 0.25f, i + 0.5f}) want.push_back(v);
    }
    Tensor* y = h.output({120});
    ASSERT_TRUE(h.lower(axisOp(OpType_Concat, 0), parts, {y}));
    EXPECT_EQ(h.commands(OpType_Raster), 1);
    EXPECT_FALSE(TensorUtils::isVirtual(y));
    expectNear(h.read(y), want);
}

TEST(ViewOps, AReaderOfAViewThatIsMaterialisedLaterStillSeesIt) {
    Harness h;
    Tensor* list = h.input({3}, {1, 2, 3});
    Values want = {1, 2, 3};
    std::vector<std::pair<Tensor*, Values>> readers;
    for (int i = 0; i < 40; ++i) {
        Tensor* longer = h.output({static_cast<int>(want.size()) + 2});
        ASSERT_TRUE(h.lower(axisOp(OpType_Concat, 0), {list, h.input({2}, {i + 0.25f, i + 0.5f})}, {longer}));
        want.push_back(i + 0.25f);
        want.push_back(i + 0.5f);
        Tensor* negative = geometry::makeUnary(h.context(), UnaryOpOperation_NEG, longer);
        readers.push_back({negative, want});
        list = longer;
    }
    EXPECT_GT(h.commands(OpType_Raster), 1);
    for (auto& reader : readers) {
        for (float& v : reader.second) v = -v;
        expectNear(h.read(reader.first), reader.second);
    }
}

TEST(ViewOps, Pack) {
    for (int axis : {0, 1, 2, -1}) {
        Harness h;
        const Dims dims = {3, 4};
        Dims to = dims;
        const int at = axis < 0 ? axis + 3 : axis;
        to.insert(to.begin() + at, 2);
        PackParamT param;
        param.axis = axis;
        const Values a = Harness::noise(dims, 1), b = Harness::noise(dims, 2);
        Tensor* y = h.output(to);
        ASSERT_TRUE(h.lower(makeOp(OpType_Pack, param), {h.input(dims, a), h.input(dims, b)}, {y}));
        Values want;
        forEachIndex(to, [&](const Dims& i) {
            Dims j = i;
            j.erase(j.begin() + at);
            want.push_back((i[at] == 0 ? a : b)[flat(dims, j)]);
        });
        expectNear(h.read(y), want);
    }
}

TEST(ViewOps, CallersTensorsKeepTheirLayout) {
    Harness h;
    const Dims dims = {1, 5, 2, 2};
    Tensor* y = h.output(dims);
    TensorUtils::setFormat(y, MNN_DATA_FORMAT_NC4HW4, 4);
    TensorUtils::describe(y)->usage = TensorUsage::Output;
    ASSERT_TRUE(h.lower(makeOp(OpType_Identity), {h.input(dims, Harness::ramp(dims), 8)}, {y}));
    EXPECT_EQ(TensorUtils::describe(y)->pack, 4);
    expectNear(h.read(y), Harness::ramp(dims));
}

}  // namespace test
}  // namespace MNN
