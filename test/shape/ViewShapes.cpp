#include "ShapeTest.hpp"

#include <climits>

namespace MNN {
namespace test {
namespace {

Edit axis(int value) {
    return param<AxisT>(OpParameter_Axis, [=](AxisT* p) { p->axis = value; });
}
Edit reshape(Shape dims) {
    return param<ReshapeT>(OpParameter_Reshape, [=](ReshapeT* p) { p->dims = dims; });
}
Edit squeeze(Shape axes) {
    return param<SqueezeParamT>(OpParameter_SqueezeParam, [=](SqueezeParamT* p) { p->squeezeDims = axes; });
}
Edit flatten(int axis, int endAxis) {
    return param<FlattenT>(OpParameter_Flatten, [=](FlattenT* p) { p->axis = axis, p->endAxis = endAxis; });
}
Edit permute(Shape dims) {
    return param<PermuteT>(OpParameter_Permute, [=](PermuteT* p) { p->dims = dims; });
}
Edit split(int axis, Shape points, NetSource source) {
    return param<SliceT>(OpParameter_Slice,
                         [=](SliceT* p) { p->axis = axis, p->slicePoints = points, p->sourceType = source; });
}

TEST(Shape, Reshape) {
    check({
        {"infers -1", OpType_Reshape, reshape({0, -1}), {{2, 3, 4}}, {{2, 12}}},
        {"keeps 0", OpType_Reshape, reshape({0, 0, -1}), {{2, 3, 4, 5}}, {{2, 3, 20}}},
        {"to a scalar", OpType_Reshape, reshape({}), {{1, 1}}, {{}}},
        {"from a scalar", OpType_Reshape, reshape({1, -1}), {In(Shape{})}, {{1, 1}}},
        {"content", OpType_Reshape, reshape({}), {{6}, In::ofInts({3, -1})}, {{3, 2}}},
        {"empty", OpType_Reshape, reshape({-1, 4}), {{0, 4}}, {{0, 4}}},
        {"empty, ambiguous", OpType_Reshape, reshape({0, -1}), {{0, 4}}, kRefused},
        {"two -1", OpType_Reshape, reshape({-1, -1}), {{4}}, kRefused},
        {"remainder", OpType_Reshape, reshape({-1, 5}), {{4, 4}}, kRefused},
        {"negative", OpType_Reshape, reshape({-2, 2}), {{4}}, kRefused},
        {"0 without a dimension", OpType_Reshape, reshape({4, 0}), {{4}}, kRefused},
        {"no parameters", OpType_Reshape, nullptr, {{4}}, kRefused},
        {"content unknown", OpType_Reshape, reshape({}), {{6}, In::ofInts({2}, {})}, kRefused},
        {"rank 9", OpType_Reshape, reshape({1, 1, 1, 1, 1, 1, 1, 1, 1}), {{1}}, kRefused},
        {"no input", OpType_Reshape, reshape({1}), {}, kRefused},
    });
}

TEST(Shape, FrozenReshapeSaysSo) {
    const Result r = inferOp(OpType_Reshape, reshape({1, 512}), {{2, 512}});
    EXPECT_FALSE(r.ok);
    for (const char* part : {"node", "[2,512]", "[1,512]", "fixed constant"}) {
        EXPECT_NE(r.message.find(part), std::string::npos) << r.message;
    }
}

TEST(Shape, UnitAxes) {
    const auto expand = param<ExpandDimsT>(OpParameter_ExpandDims, [](ExpandDimsT* p) { p->axis = -1; });
    check({
        {"squeeze all", OpType_Squeeze, squeeze({}), {{1, 3, 1}}, {{3}}},
        {"squeeze one", OpType_Squeeze, squeeze({-1}), {{1, 3, 1}}, {{1, 3}}},
        {"squeeze by input", OpType_Squeeze, squeeze({}), {{1, 3, 1}, In::ofInts({0})}, {{3, 1}}},
        {"squeeze length 3", OpType_Squeeze, squeeze({1}), {{1, 3}}, kRefused},
        {"squeeze outside", OpType_Squeeze, squeeze({2}), {{1, 3}}, kRefused},
        {"unsqueeze", OpType_Unsqueeze, squeeze({0, -1}), {{3}}, {{1, 3, 1}}},
        {"unsqueeze scalar", OpType_Unsqueeze, squeeze({0}), {In(Shape{})}, {{1}}},
        {"unsqueeze by input", OpType_Unsqueeze, squeeze({}), {{3}, In::ofInts({1})}, {{3, 1}}},
        {"unsqueeze twice", OpType_Unsqueeze, squeeze({0, 0}), {{3}}, kRefused},
        {"unsqueeze outside", OpType_Unsqueeze, squeeze({3}), {{3}}, kRefused},
        {"unsqueeze without axes", OpType_Unsqueeze, nullptr, {{3}}, kRefused},
        {"expand", OpType_ExpandDims, expand, {{2, 3}}, {{2, 3, 1}}},
        {"expand by input", OpType_ExpandDims, expand, {{2, 3}, In::scalar(0)}, {{1, 2, 3}}},
        {"expand no table", OpType_ExpandDims, nullptr, {{2, 3}}, kRefused},
        {"flatten", OpType_Flatten, flatten(1, 0), {{2, 3, 4}}, {{2, 12}}},
        {"flatten 0", OpType_Flatten, flatten(0, 0), {{2, 3, 4}}, {{1, 24}}},
        {"flatten -1", OpType_Flatten, flatten(-1, 0), {{2, 3, 4}}, {{6, 4}}},
        {"flatten rank", OpType_Flatten, flatten(3, 0), {{2, 3, 4}}, {{24, 1}}},
        {"flatten middle", OpType_Flatten, flatten(1, 2), {{2, 3, 4, 5}}, {{2, 12, 5}}},
        {"flatten to the end", OpType_Flatten, flatten(1, -1), {{2, 3, 4, 5}}, {{2, 60}}},
        {"flatten outside", OpType_Flatten, flatten(4, 0), {{2, 3}}, kRefused},
    });
}

TEST(Shape, Permute) {
    check({
        {"permute", OpType_Permute, permute({0, 2, 3, 1}), {{1, 2, 3, 4}}, {{1, 3, 4, 2}}},
        {"negative", OpType_Permute, permute({0, -1, 1}), {{1, 2, 3}}, {{1, 3, 2}}},
        {"twice", OpType_Permute, permute({0, 0, 1}), {{1, 2, 3}}, kRefused},
        {"short", OpType_Permute, permute({1, 0}), {{1, 2, 3}}, kRefused},
        {"outside", OpType_Permute, permute({0, 7}), {{1, 2}}, kRefused},
        {"no table", OpType_Permute, nullptr, {{1, 2}}, kRefused},
        {"transpose", OpType_Transpose, nullptr, {{1, 2, 3}, In::ofInts({2, 1, 0})}, {{3, 2, 1}}},
        {"transpose without order", OpType_Transpose, nullptr, {{1, 2}}, kRefused},
    });
}

TEST(Shape, Concat) {
    const auto pack = [](int axis) {
        return param<PackParamT>(OpParameter_PackParam, [=](PackParamT* p) { p->axis = axis; });
    };
    check({
        {"concat", OpType_Concat, axis(1), {{2, 3}, {2, 4}}, {{2, 7}}},
        {"empty part", OpType_Concat, axis(-1), {{2, 0}, {2, 4}}, {{2, 4}}},
        {"single", OpType_Concat, axis(0), {{2, 3}}, {{2, 3}}},
        {"other lengths", OpType_Concat, axis(1), {{2, 3}, {3, 4}}, kRefused},
        {"other rank", OpType_Concat, axis(0), {{2, 3}, {3}}, kRefused},
        {"scalars", OpType_Concat, axis(0), {In(Shape{}), In(Shape{})}, kRefused},
        {"overflow", OpType_Concat, axis(0), {{INT_MAX}, {1}}, kRefused},
        {"pack", OpType_Pack, pack(1), {{2, 3}, {2, 3}, {2, 3}}, {{2, 3, 3}}},
        {"pack scalars", OpType_Pack, pack(0), {In(Shape{}), In(Shape{})}, {{2}}},
        {"pack differing", OpType_Pack, pack(0), {{2}, {3}}, kRefused},
        {"unpack", OpType_Unpack, axis(1), {{4, 2}}, {{4}, {4}}},
        {"unpack count", OpType_Unpack, axis(0), {{4, 2}}, {}},
    });
}

TEST(Shape, Split) {
    check({
        {"caffe equal", OpType_Slice, split(1, {}, NetSource_CAFFE), {{1, 6}}, {{1, 3}, {1, 3}}},
        {"caffe cuts", OpType_Slice, split(1, {1, 4}, NetSource_CAFFE), {{1, 6}}, {{1, 1}, {1, 3}, {1, 2}}},
        {"caffe cut outside", OpType_Slice, split(1, {7}, NetSource_CAFFE), {{1, 6}}, kRefused},
        {"tf count", OpType_Slice, split(-1, {3}, NetSource_TENSORFLOW), {{1, 6}}, {{1, 2}, {1, 2}, {1, 2}}},
        {"tf sizes", OpType_Slice, split(1, {1, -1}, NetSource_TENSORFLOW), {{1, 6}}, {{1, 1}, {1, 5}}},
        {"tf sizes wrong", OpType_Slice, split(1, {1, 2}, NetSource_TENSORFLOW), {{1, 6}}, kRefused},
        {"onnx uneven", OpType_Slice, split(0, {}, NetSource_ONNX), {{7}}, {{3}, {3}, {1}}},
        {"onnx sizes", OpType_Slice, split(0, {2, 5}, NetSource_ONNX), {{7}}, {{2}, {5}}},
        {"torch chunk", OpType_Slice, split(0, {3}, NetSource_TORCH), {{7}}, {{3}, {3}, {1}}},
        {"torch chunk 0", OpType_Slice, split(0, {0}, NetSource_TORCH), {{7}}, kRefused},
        {"by input", OpType_Slice, split(0, {}, NetSource_ONNX), {{7}, In::ofInts({6, 1})}, {{6}, {1}}},
        {"not equal", OpType_Slice, split(0, {2}, NetSource_TENSORFLOW), {{7}}, {}},
        {"axis outside", OpType_Slice, split(1, {}, NetSource_CAFFE), {{7}}, kRefused},
        {"tf slice", OpType_SliceTf, nullptr, {{4, 5}, In::ofInts({1, 2}), In::ofInts({2, -1})}, {{2, 3}}},
        {"tf slice from the end",
         OpType_SliceTf,
         nullptr,
         {{4, 5}, In::ofInts({-3, -2}), In::ofInts({2, -1})},
         {{2, 2}}},
        {"tf slice before the start", OpType_SliceTf, nullptr, {{4}, In::ofInts({-5}), In::ofInts({1})}, kRefused},
        {"tf slice outside", OpType_SliceTf, nullptr, {{4, 5}, In::ofInts({1, 2}), In::ofInts({4, 1})}, kRefused},
        {"tf slice short", OpType_SliceTf, nullptr, {{4, 5}, In::ofInts({1}), In::ofInts({2})}, kRefused},
    });
    const auto crop = param<CropT>(OpParameter_Crop, [](CropT* p) { p->axis = 2, p->offset = {1, 2}; });
    check({
        {"crop", OpType_Crop, crop, {{1, 3, 8, 8}, {1, 1, 5, 6}}, {{1, 3, 5, 6}}},
        {"crop outside", OpType_Crop, crop, {{1, 3, 8, 8}, {1, 1, 8, 6}}, kRefused},
        {"crop rank", OpType_Crop, crop, {{1, 3, 8, 8}, {5, 6}}, kRefused},
    });
}

struct Masks {
    int begin = 0, end = 0, ellipsis = 0, newAxis = 0, shrink = 0;
};
Edit strided(int fromType, Masks m = Masks()) {
    return param<StridedSliceParamT>(OpParameter_StridedSliceParam, [=](StridedSliceParamT* p) {
        p->fromType = fromType, p->beginMask = m.begin, p->endMask = m.end;
        p->ellipsisMask = m.ellipsis, p->newAxisMask = m.newAxis, p->shrinkAxisMask = m.shrink;
    });
}
std::vector<In> ranges(Shape dims, Shape begin, Shape end, Shape stride) {
    return {In(dims), In::ofInts(begin), In::ofInts(end), In::ofInts(stride)};
}
std::vector<In> ranges(Shape dims, Shape begin, Shape end, Shape stride, Shape axes) {
    return {In(dims), In::ofInts(begin), In::ofInts(end), In::ofInts(axes), In::ofInts(stride)};
}

TEST(Shape, StridedSliceOnnx) {
    const auto op = strided(1);
    check({
        {"reversed", OpType_StridedSlice, op, ranges({1, 2, 5}, {-1}, {INT_MIN}, {-1}, {2}), {{1, 2, 5}}},
        {"to the end", OpType_StridedSlice, op, ranges({1, 2, 5}, {1}, {INT_MAX}, {2}, {2}), {{1, 2, 2}}},
        {"negative axis", OpType_StridedSlice, op, ranges({4, 6}, {0}, {3}, {1}, {-1}), {{4, 3}}},
        {"empty", OpType_StridedSlice, op, ranges({4, 6}, {3}, {2}, {1}, {0}), {{0, 6}}},
        {"clamped", OpType_StridedSlice, op, ranges({4}, {-100}, {100}, {3}, {0}), {{2}}},
        {"no strides", OpType_StridedSlice, op, ranges({4, 6}, {1}, {3}, {1}), {{4, 2}}},
        {"no axes", OpType_StridedSlice, op, {In({4, 6}), In::ofInts({1, 2}), In::ofInts({3, 4})}, {{2, 2}}},
        {"stride 0", OpType_StridedSlice, op, ranges({4}, {0}, {4}, {0}, {0}), kRefused},
        {"axis outside", OpType_StridedSlice, op, ranges({4}, {0}, {4}, {1}, {1}), kRefused},
        {"axis twice", OpType_StridedSlice, op, ranges({4, 4}, {0, 0}, {4, 4}, {1, 1}, {0, 0}), kRefused},
        {"lengths", OpType_StridedSlice, op, ranges({4}, {0, 1}, {4}, {0}), kRefused},
        {"no table", OpType_StridedSlice, nullptr, ranges({4}, {0}, {4}, {1}), kRefused},
        {"stride beyond", OpType_StridedSlice, op, ranges({4}, {0}, {4}, {INT_MAX}, {0}), {{1}}},
        {"stride far back", OpType_StridedSlice, op, ranges({4}, {3}, {INT_MIN}, {INT_MIN}, {0}), {{1}}},
    });
}

TEST(Shape, StridedSliceTensorflow) {
    Masks whole, shrink, fresh, ellipsis;
    whole.begin = whole.end = 1;
    shrink.shrink = 2;
    fresh.newAxis = 1;
    ellipsis.ellipsis = 1;
    check({
        {"plain", OpType_StridedSlice, strided(0), ranges({5, 6}, {1}, {3}, {1}), {{2, 6}}},
        {"masked", OpType_StridedSlice, strided(0, whole), ranges({5, 6}, {3}, {1}, {2}), {{3, 6}}},
        {"masked, backwards", OpType_StridedSlice, strided(0, whole), ranges({5, 6}, {3}, {1}, {-1}), {{5, 6}}},
        {"shrink", OpType_StridedSlice, strided(0, shrink), ranges({5, 6}, {1, -1}, {3, 0}, {1, 1}), {{2}}},
        {"shrink outside", OpType_StridedSlice, strided(0, shrink), ranges({5, 6}, {1, 6}, {3, 7}, {1, 1}), kRefused},
        {"new axis", OpType_StridedSlice, strided(0, fresh), ranges({5, 6}, {0, 1}, {0, 3}, {1, 1}), {{1, 2, 6}}},
        {"ellipsis", OpType_StridedSlice, strided(0, ellipsis), ranges({5, 6, 7}, {0, 1}, {0, 3}, {1, 1}), {{5, 6, 2}}},
        {"too many", OpType_StridedSlice, strided(0), ranges({5}, {0, 0}, {1, 1}, {1, 1}), kRefused},
    });
    auto write = ranges({5, 6}, {1}, {3}, {1});
    write.push_back({2, 6});
    auto misfit = ranges({5, 6}, {1}, {3}, {1});
    misfit.push_back({3, 6});
    check({
        {"write", OpType_StridedSlice, strided(0), write, {{5, 6}}},
        {"write misfit", OpType_StridedSlice, strided(0), misfit, kRefused},
    });
}

TEST(Shape, Gather) {
    check({
        {"axis", OpType_GatherV2, axis(1), {{2, 3, 4}, In::ofInts({2, 2}, {0, 1, 2, 0})}, {{2, 2, 2, 4}}},
        {"axis input", OpType_GatherV2, nullptr, {{2, 3}, In::scalar(0), In::scalar(-1)}, {{2}}},
        {"scalar index", OpType_GatherV2, axis(0), {{5}, In::scalar(0)}, {{}}},
        {"empty indices", OpType_GatherV2, axis(0), {{5, 2}, {0}}, {{0, 2}}},
        {"axis outside", OpType_GatherV2, axis(2), {{2, 3}, {1}}, kRefused},
        {"from nothing", OpType_GatherV2, axis(0), {{0, 3}, {1}}, kRefused},
        {"nd", OpType_GatherND, nullptr, {{2, 3, 4}, {5, 2}}, {{5, 4}}},
        {"nd batch", OpType_GatherND, axis(1), {{2, 3, 4}, {2, 1}}, {{2, 4}}},
        {"nd deep", OpType_GatherND, nullptr, {{2, 3}, {5, 3}}, kRefused},
        {"elements", OpType_GatherElements, nullptr, {{2, 3}, {2, 5}, In::scalar(1)}, {{2, 5}}},
        {"elements long", OpType_GatherElements, nullptr, {{2, 3}, {3, 3}, In::scalar(1)}, kRefused},
        {"scatter", OpType_ScatterNd, nullptr, {{4, 1}, {4, 3}, In::ofInts({8, 3})}, {{8, 3}}},
        {"scatter updates", OpType_ScatterNd, nullptr, {{4, 1}, {4, 2}, In::ofInts({8, 3})}, kRefused},
        {"scatter too large", OpType_ScatterNd, nullptr, {{1, 1}, {1, 65536}, In::ofInts({65536, 65536})}, kRefused},
        {"scatter elements", OpType_ScatterElements, nullptr, {{3, 3}, {2, 3}, {2, 3}, In::scalar(0)}, {{3, 3}}},
        {"scatter shapes", OpType_ScatterElements, nullptr, {{3, 3}, {2, 3}, {2, 2}, In::scalar(0)}, kRefused},
    });
}

TEST(Shape, ShapeOp) {
    const auto window = param<ShapeParamT>(OpParameter_ShapeParam, [](ShapeParamT* p) {
        p->hasStart = true, p->start = 1, p->hasEnd = true, p->end = -1;
    });
    check({
        {"shape", OpType_Shape, nullptr, {{2, 3, 4}}, {{3}}},
        {"shape of a scalar", OpType_Shape, nullptr, {In(Shape{})}, {{0}}},
        {"window", OpType_Shape, window, {{2, 3, 4, 5}}, {{2}}},
        {"window of rank 1", OpType_Shape, window, {{2}}, {{0}}},
        {"rank", OpType_Rank, nullptr, {{2, 3, 4}}, {{}}},
        {"size", OpType_Size, nullptr, {{2, 3, 4}}, {{}}},
    });
    EXPECT_EQ(inferOp(OpType_Shape, nullptr, {{2}}).types[0].code, halide_type_int);
}

}  // namespace
}  // namespace test
}  // namespace MNN
