#include "ShapeTest.hpp"

#include <climits>
#include <cmath>

namespace MNN {
namespace test {
namespace {

const halide_type_t kInt = halide_type_of<int>();

Edit reduction(Shape dims, bool keep) {
    return param<ReductionParamT>(OpParameter_ReductionParam,
                                  [=](ReductionParamT* p) { p->dim = dims, p->keepDims = keep; });
}
Edit argMax(int axis, int topK, int outMaxVal) {
    return param<ArgMaxT>(OpParameter_ArgMax,
                          [=](ArgMaxT* p) { p->axis = axis, p->topK = topK, p->outMaxVal = outMaxVal; });
}

TEST(Shape, Reduce) {
    const auto max = OpType_ArgMax;
    check({
        {"one", OpType_Reduction, reduction({1}, false), {{2, 3, 4}}, {{2, 4}}},
        {"keep", OpType_Reduction, reduction({-1, 0}, true), {{2, 3, 4}}, {{1, 3, 1}}},
        {"all", OpType_Reduction, reduction({}, false), {{2, 3, 4}}, {{}}},
        {"all kept", OpType_Reduction, reduction({}, true), {{2, 3}}, {{1, 1}}},
        {"input axes", OpType_Reduction, reduction({}, false), {{2, 3}, In::ofInts({-2})}, {{3}}},
        {"scalar", OpType_Reduction, reduction({0}, true), {In(Shape{})}, {{}}},
        {"empty", OpType_Reduction, reduction({0}, false), {{0, 3}}, {{3}}},
        {"outside", OpType_Reduction, reduction({2}, false), {{2, 3}}, kRefused},
        {"no table", OpType_Reduction, nullptr, {{2, 3}}, kRefused},
        {"argmax", max, argMax(1, 0, 0), {{2, 3, 4}}, {{2, 4}}},
        {"argmax top 2", max, argMax(-1, 2, 0), {{2, 3, 4}}, {{2, 3, 2}}},
        {"argmax values", max, argMax(1, 1, 1), {{2, 3, 4}}, {{2, 1, 4}}},
        {"argmax top 9", max, argMax(1, 9, 0), {{2, 3, 4}}, kRefused},
        {"argmax of nothing", max, argMax(1, 0, 0), {{2, 0, 4}}, kRefused},
        {"topk", OpType_TopKV2, nullptr, {{2, 5}, In::scalar(3)}, {{2, 3}, {2, 3}}},
        {"topk axis", OpType_TopKV2, nullptr, {{2, 5}, In::ofInts({1}), In::ofInts({0})}, {{1, 5}, {1, 5}}},
        {"topk 6", OpType_TopKV2, nullptr, {{2, 5}, In::scalar(6)}, kRefused},
        {"topk scalar", OpType_TopKV2, nullptr, {In(Shape{}), In::scalar(1)}, kRefused},
        {"det", OpType_Det, nullptr, {{7, 3, 3}}, {{7}}},
        {"det oblong", OpType_Det, nullptr, {{3, 4}}, kRefused},
        {"svd", OpType_Svd, nullptr, {{5, 3}}, {{3}, {5, 3}, {3, 3}}},
        {"histogram", OpType_Histogram, argMax(-1, 10, 16), {{4, 4}}, {{16}}},
        {"cosine", OpType_CosineSimilarity, nullptr, {{2, 8, 3}, {2, 8, 3}, In::scalar(1)}, {{2, 3}}},
    });
    EXPECT_EQ(inferOp(max, argMax(1, 0, 0), {{2, 3}}).types[0].code, halide_type_int);
    EXPECT_EQ(inferOp(OpType_TopKV2, nullptr, {{5}, In::scalar(3)}, 2).types[1].code, halide_type_int);
}

TEST(Shape, Numbers) {
    const auto oneHot = [](int axis) {
        return param<OneHotParamT>(OpParameter_OneHotParam, [=](OneHotParamT* p) { p->axis = axis; });
    };
    const auto random = param<RandomUniformT>(OpParameter_RandomUniform);
    const auto range = OpType_Range;
    const auto f = [](float v) { return In::ofFloats({}, {v}); };
    check({
        {"fill", OpType_Fill, nullptr, {In::ofInts({2, 3}), In::scalar(1)}, {{2, 3}}},
        {"fill scalar", OpType_Fill, nullptr, {{0}, In::scalar(1)}, {{}}},
        {"fill too much", OpType_Fill, nullptr, {In::ofInts({INT_MAX, 2}), In::scalar(1)}, kRefused},
        {"fill negative", OpType_Fill, nullptr, {In::ofInts({-1}), In::scalar(1)}, kRefused},
        {"range", range, nullptr, {In::scalar(1), In::scalar(8), In::scalar(3)}, {{3}}},
        {"range down", range, nullptr, {In::scalar(5), In::scalar(0), In::scalar(-2)}, {{3}}},
        {"range empty", range, nullptr, {In::scalar(5), In::scalar(0), In::scalar(2)}, {{0}}},
        {"range float", range, nullptr, {f(0.f), f(1.f), f(0.25f)}, {{4}}},
        {"range 0", range, nullptr, {In::scalar(5), In::scalar(0), In::scalar(0)}, kRefused},
        {"range nan", range, nullptr, {f(0.f), f(NAN), f(1.f)}, kRefused},
        {"range endless", range, nullptr, {f(0.f), f(1e30f), f(1.f)}, kRefused},
        {"linspace", OpType_LinSpace, nullptr, {f(0.f), f(1.f), In::scalar(5)}, {{5}}},
        {"linspace 0", OpType_LinSpace, nullptr, {f(0.f), f(1.f), In::scalar(0)}, kRefused},
        {"random", OpType_RandomUniform, random, {In::ofInts({2, 2})}, {{2, 2}}},
        {"one hot", OpType_OneHot, oneHot(-1), {{2, 3}, In::scalar(7), f(1.f), f(0.f)}, {{2, 3, 7}}},
        {"one hot front", OpType_OneHot, oneHot(0), {{2, 3}, In::scalar(7), f(1.f), f(0.f)}, {{7, 2, 3}}},
        {"one hot axis", OpType_OneHot, oneHot(3), {{2, 3}, In::scalar(7), f(1.f), f(0.f)}, kRefused},
    });
    EXPECT_EQ(inferOp(OpType_Fill, nullptr, {In::ofInts({2}), In::scalar(1)}).types[0].code, halide_type_int);
}

TEST(Shape, PadTileReverse) {
    const auto pad = [](PadValueMode mode) {
        return param<PadParamT>(OpParameter_PadParam, [=](PadParamT* p) { p->mode = mode; });
    };
    const auto constant = pad(PadValueMode_CONSTANT), reflect = pad(PadValueMode_REFLECT);
    const auto pads = [](std::vector<int> v) { return In::ofInts({static_cast<int>(v.size()) / 2, 2}, v); };
    check({
        {"constant", OpType_Padding, constant, {{2, 3}, pads({0, 1, 2, 0})}, {{3, 5}}},
        {"crop", OpType_Padding, constant, {{1, 1, 6}, pads({0, 0, 0, 0, -1, 1})}, {{1, 1, 6}}},
        {"crop too much", OpType_Padding, constant, {{3}, pads({-4, 4})}, kRefused},
        {"short", OpType_Padding, constant, {{2, 3}, pads({0, 1})}, kRefused},
        {"reflect", OpType_Padding, reflect, {{5}, pads({4, 4})}, {{13}}},
        {"reflect too wide", OpType_Padding, reflect, {{3, 2}, pads({0, 0, 2, 0})}, kRefused},
        {"symmetric", OpType_Padding, pad(PadValueMode_SYMMETRIC), {{2}, pads({2, 2})}, {{6}}},
        {"edge of nothing", OpType_Padding, pad(PadValueMode_EDGE), {{0}, pads({1, 0})}, kRefused},
        {"tile", OpType_Tile, nullptr, {{2, 3}, In::ofInts({2, 0})}, {{4, 0}}},
        {"tile short", OpType_Tile, nullptr, {{2, 3}, In::ofInts({2})}, kRefused},
        {"tile wraps", OpType_Tile, nullptr, {{65536, 4}, In::ofInts({65536, 65536})}, kRefused},
        {"broadcast", OpType_BroadcastTo, nullptr, {{3, 1}, In::ofInts({2, 1, 6})}, {{2, 3, 6}}},
        {"broadcast keeps", OpType_BroadcastTo, nullptr, {{3, 1}, In::ofInts({-1, 4})}, {{3, 4}}},
        {"broadcast misfit", OpType_BroadcastTo, nullptr, {{3}, In::ofInts({4})}, kRefused},
        {"reverse", OpType_Reverse, nullptr, {{3, 4}, In::ofInts({-1})}, {{3, 4}}},
        {"reverse axis", OpType_Reverse, nullptr, {{3, 4}, In::ofInts({2})}, kRefused},
    });
}

TEST(Shape, Blocks) {
    const auto block = [](int size) {
        return param<DepthSpaceParamT>(OpParameter_DepthSpaceParam, [=](DepthSpaceParamT* p) { p->blockSize = size; });
    };
    const auto pairs = In::ofInts({2, 2}, {0, 0, 1, 1});
    check({
        {"depth to space", OpType_DepthToSpace, block(2), {{1, 8, 3, 4}}, {{1, 2, 6, 8}}},
        {"nhwc", OpType_DepthToSpace, block(2), {In::nhwc({1, 3, 4, 8})}, {{1, 6, 8, 2}}},
        {"remainder", OpType_DepthToSpace, block(3), {{1, 8, 3, 4}}, kRefused},
        {"block 0", OpType_DepthToSpace, block(0), {{1, 8, 3, 4}}, kRefused},
        {"space to depth", OpType_SpaceToDepth, block(2), {{1, 2, 6, 8}}, {{1, 8, 3, 4}}},
        {"to batch",
         OpType_SpaceToBatchND,
         nullptr,
         {In::nhwc({1, 4, 4, 3}), In::ofInts({2, 2}), pairs},
         {{4, 2, 3, 3}}},
        {"to space",
         OpType_BatchToSpaceND,
         nullptr,
         {In::nhwc({4, 2, 3, 3}), In::ofInts({2, 2}), pairs},
         {{1, 4, 4, 3}}},
        {"batch 3", OpType_BatchToSpaceND, nullptr, {In::nhwc({3, 2, 3, 3}), In::ofInts({2, 2}), pairs}, kRefused},
        {"block 0", OpType_SpaceToBatchND, nullptr, {In::nhwc({1, 4, 4, 3}), In::ofInts({0, 2}), pairs}, kRefused},
    });
}

Edit interp(std::function<void(InterpT*)> edit) { return param<InterpT>(OpParameter_Interp, edit); }

TEST(Shape, Images) {
    const auto scale = interp([](InterpT* p) { p->heightScale = 2.f, p->widthScale = 0.5f; });
    const auto none = interp([](InterpT*) {});
    const auto size = interp([](InterpT* p) { p->outputHeight = 7, p->outputWidth = 9; });
    const In x{1, 3, 5, 8};
    check({
        {"scale", OpType_Interp, scale, {x}, {{1, 3, 10, 4}}},
        {"size", OpType_Interp, size, {x}, {{1, 3, 7, 9}}},
        {"nhwc", OpType_Interp, size, {In::nhwc({1, 5, 8, 3})}, {{1, 7, 9, 3}}},
        {"signal", OpType_Interp, size, {{1, 3, 5}}, {{1, 3, 7}}},
        {"input sizes", OpType_Interp, none, {x, In::ofInts({6, 7})}, {{1, 3, 6, 7}}},
        {"input shape", OpType_Interp, none, {x, In::ofInts({1, 3, 6, 7})}, {{1, 3, 6, 7}}},
        {"input scales", OpType_Interp, none, {x, In::ofFloats({0.6f, 1.5f})}, {{1, 3, 3, 12}}},
        {"input count", OpType_Interp, none, {x, In::ofInts({6, 7, 8})}, kRefused},
        {"nothing said", OpType_Interp, none, {x}, kRefused},
        {"negative", OpType_Interp, none, {x, In::ofFloats({-1.f, 1.f})}, kRefused},
        {"huge", OpType_Interp, none, {x, In::ofFloats({1e9f, 1.f})}, kRefused},
        {"to nothing", OpType_Interp, none, {x, In::ofInts({0, 7})}, kRefused},
        {"volume", OpType_Interp3D, none, {{1, 3, 2, 4, 4}, In::ofInts({4, 8, 8})}, {{1, 3, 4, 8, 8}}},
    });
    const auto grid = param<GridSampleT>(OpParameter_GridSample);
    const auto crop = param<CropAndResizeT>(OpParameter_CropAndResize);
    const auto roi = param<RoiParametersT>(OpParameter_RoiParameters,
                                           [](RoiParametersT* p) { p->pooledHeight = 2, p->pooledWidth = 3; });
    check({
        {"grid", OpType_GridSample, grid, {x, {1, 6, 7, 2}}, {{1, 3, 6, 7}}},
        {"grid 3-D", OpType_GridSample, grid, {{1, 3, 4, 5, 8}, {1, 2, 6, 7, 3}}, {{1, 3, 2, 6, 7}}},
        {"grid coordinates", OpType_GridSample, grid, {x, {1, 6, 7, 3}}, kRefused},
        {"grid batch", OpType_GridSample, grid, {x, {2, 6, 7, 2}}, kRefused},
        {"crop",
         OpType_CropAndResize,
         crop,
         {In::nhwc({2, 9, 9, 3}), {5, 4}, In{5}.as(kInt), In::ofInts({2, 3})},
         {{5, 2, 3, 3}}},
        {"roi", OpType_ROIPooling, roi, {x, {6, 5}}, {{6, 3, 2, 3}}},
        {"roi 4", OpType_ROIPooling, roi, {x, {6, 4}}, kRefused},
        {"align 4 and index", OpType_ROIAlign, roi, {x, {6, 4}, {6}}, {{6, 3, 2, 3}}},
    });
}

TEST(Shape, ValuesDecide) {
    const auto boxes = In::ofFloats({3, 4}, {0, 0, 1, 1, 0, 0, 1, 0.9f, 2, 2, 3, 3});
    const auto scores = In::ofFloats({0.9f, 0.8f, 0.1f});
    const auto half = In::ofFloats({}, {0.5f}), low = In::ofFloats({}, {0.05f});
    const auto nms = OpType_NonMaxSuppressionV2;
    check({
        {"where", OpType_Where, nullptr, {In::ofInts({2, 2}, {1, 0, 2, 3})}, {{3, 2}}},
        {"where float", OpType_Where, nullptr, {In::ofFloats({0.f, NAN})}, {{1, 1}}},
        {"where nothing", OpType_Where, nullptr, {{0, 3}}, {{0, 2}}},
        {"where unknown", OpType_Where, nullptr, {{2}}, kRefused},
        {"unique", OpType_Unique, nullptr, {In::ofInts({3, 1, 3, 2})}, {{3}, {4}}},
        {"unique onnx", OpType_Unique, nullptr, {In::ofInts({3, 1, 3, 2})}, {{3}, {3}, {4}, {3}}},
        {"set difference", OpType_SetDiff1D, nullptr, {In::ofInts({3, 1, 3, 2}), In::ofInts({1})}, {{3}, {3}}},
        {"segment", OpType_Segment, reduction({}, false), {{4, 2}, In::ofInts({0, 0, 2, 2})}, {{3, 2}}},
        {"segment order", OpType_Segment, reduction({}, false), {{2, 2}, In::ofInts({1, 0})}, kRefused},
        {"nms", nms, nullptr, {boxes, scores, In::scalar(3), half, low}, {{2}}},
        {"nms limit", nms, nullptr, {boxes, scores, In::scalar(1), half, low}, {{1}}},
        {"nms negative limit", nms, nullptr, {boxes, scores, In::scalar(-1), half}, {{0}}},
        {"nms scores", nms, nullptr, {boxes, In::ofFloats({1.f, 1.f}), In::scalar(3), half}, kRefused},
    });
}

TEST(Shape, Sequences) {
    const auto lstm = param<LSTMT>(OpParameter_LSTM, [](LSTMT* p) { p->outputCount = 6; });
    const auto norm = param<LayerNormT>(OpParameter_LayerNorm, [](LayerNormT* p) {
        p->axis = {-1}, p->gamma = {1, 1, 1};
    });
    const auto attention = param<AttentionParamT>(OpParameter_AttentionParam);
    const auto rope = param<RoPEParamT>(OpParameter_RoPEParam,
                                        [](RoPEParamT* p) { p->num_head = 4, p->kv_num_head = 2, p->head_dim = 8; });
    const In x{5, 2, 3}, w{1, 24, 3}, r{1, 24, 6};
    check({
        {"lstm", OpType_LSTM, lstm, {x, w, r}, {{5, 1, 2, 6}, {1, 2, 6}, {1, 2, 6}}},
        {"lstm weights", OpType_LSTM, lstm, {x, {1, 24, 4}, r}, kRefused},
        {"lstm of caffe", OpType_LSTM, lstm, {{1, 7, 3}}, {{1, 7, 6}}},
        {"layer norm", OpType_LayerNorm, norm, {{2, 4, 3}}, {{2, 4, 3}}},
        {"layer norm and sum", OpType_LayerNorm, norm, {{2, 3}, {2, 3}}, {{2, 3}, {2, 3}}},
        {"layer norm gamma", OpType_LayerNorm, norm, {{2, 4}}, kRefused},
        {"attention", OpType_Attention, attention, {{1, 7, 4, 8}, {1, 9, 2, 8}, {1, 9, 2, 8}}, {{1, 7, 32}}},
        {"attention heads", OpType_Attention, attention, {{1, 7, 4, 8}, {1, 9, 3, 8}, {1, 9, 3, 8}}, kRefused},
        {"attention no heads", OpType_Attention, attention, {{1, 7, 4, 8}, {1, 9, 0, 8}, {1, 9, 0, 8}}, kRefused},
        {"rope", OpType_RoPE, rope, {{1, 7, 32}, {1, 7, 16}, {7, 8}, {7, 8}}, {{1, 7, 4, 8}, {1, 7, 2, 8}}},
        {"rope width", OpType_RoPE, rope, {{1, 7, 30}, {1, 7, 16}, {7, 8}, {7, 8}}, {}},
    });
}

TEST(Shape, Recurrent3DAndTables) {
    const auto conv3D = [](int group) {
        return param<Convolution3DT>(OpParameter_Convolution3D, [=](Convolution3DT* p) {
            p->common.reset(new Convolution3DCommonT);
            p->common->kernels = {3, 3, 3}, p->common->strides = {1, 2, 2}, p->common->pads = {1, 1, 1};
            p->common->outputCount = 8, p->common->group = group;
        });
    };
    const auto pool3D = param<Pool3DT>(OpParameter_Pool3D, [](Pool3DT* p) {
        p->kernels = {2, 2, 2}, p->strides = {2, 2, 2};
    });
    const In x{1, 4, 6, 8, 8};
    check({
        {"convolution", OpType_Convolution3D, conv3D(1), {x}, {{1, 8, 6, 4, 4}}},
        {"group 3", OpType_Convolution3D, conv3D(3), {x}, kRefused},
        {"transposed", OpType_ConvTranspose3D, conv3D(1), {x}, {{1, 8, 6, 15, 15}}},
        {"pool", OpType_Pooling3D, pool3D, {x}, {{1, 4, 3, 4, 4}}},
        {"global pool of an image",
         OpType_Pooling3D,
         param<Pool3DT>(OpParameter_Pool3D, [](Pool3DT* p) { p->isGlobal = true; }),
         {{1, 4, 8, 8}},
         {{1, 4, 1, 1}}},
        {"pool without kernels", OpType_Pooling3D, param<Pool3DT>(OpParameter_Pool3D), {x}, kRefused},
        {"unravel", OpType_UnravelIndex, nullptr, {{5}, {3}}, {{3, 5}}},
        {"stft",
         OpType_Stft,
         param<StftParamT>(OpParameter_StftParam, [](StftParamT* p) { p->n_fft = 16, p->hop_length = 4; }),
         {{64}, {16}},
         {{13, 9}}},
    });
}

TEST(Shape, TensorArray) {
    const auto array = [](bool dynamic) {
        return param<TensorArrayT>(OpParameter_TensorArray, [=](TensorArrayT* p) { p->dynamic_size = dynamic; });
    };
    const In handle = In::scalar(0);
    check({
        {"new", OpType_TensorArray, array(false), {In::scalar(3)}, {{}, {3}}},
        {"write", OpType_TensorArrayWrite, array(false), {handle, In::scalar(2), {4, 5}, {3}}, {{3, 4, 5}}},
        {"write outside", OpType_TensorArrayWrite, array(false), {handle, In::scalar(3), {4, 5}, {3}}, kRefused},
        {"write grows", OpType_TensorArrayWrite, array(true), {handle, In::scalar(3), {4, 5}, {3}}, {{4, 4, 5}}},
        {"read", OpType_TensorArrayRead, array(false), {handle, In::scalar(1), {3, 4, 5}}, {{4, 5}}},
        {"gather", OpType_TensorArrayGather, array(false), {handle, In::ofInts({0, 2}), {3, 4}}, {{2, 4}}},
        {"concat", OpType_TensorArrayConcat, array(false), {handle, {3, 4, 5}}, {{12, 5}}},
        {"size", OpType_TensorArraySize, array(false), {handle, {3, 4}}, {{}}},
    });
}

TEST(Shape, PluginWithoutAKernel) {
    const auto plugin = param<PluginT>(OpParameter_Plugin, [](PluginT* p) { p->type = "nobody"; });
    EXPECT_FALSE(inferOp(OpType_Plugin, plugin, {{1}}).ok);
}

TEST(Shape, ContentsFollowTheOp) {
    const auto contents = [](OpType type, const Edit& edit, int inputs) {
        OpT object;
        object.type = type;
        edit(&object);
        for (int i = 0; i < inputs; ++i) object.inputIndexes.push_back(i);
        flatbuffers::FlatBufferBuilder builder;
        builder.Finish(CreateOp(builder, &object));
        return findShape(flatbuffers::GetRoot<Op>(builder.GetBufferPointer()))->contents;
    };
    const auto slice = [](int from) {
        return param<StridedSliceParamT>(OpParameter_StridedSliceParam,
                                         [=](StridedSliceParamT* p) { p->fromType = from; });
    };
    EXPECT_EQ(contents(OpType_StridedSlice, slice(0), 5), 0b01110u);
    EXPECT_EQ(contents(OpType_StridedSlice, slice(1), 5), 0b11110u);
    const auto sized = param<Convolution2DT>(OpParameter_Convolution2D, [](Convolution2DT* p) {
        p->common.reset(new Convolution2DCommonT);
        p->common->hasOutputShape = true;
    });
    EXPECT_EQ(contents(OpType_Deconvolution, sized, 2), 0b10u);
    EXPECT_EQ(contents(OpType_Deconvolution, sized, 4), 0b1000u);
}

}  // namespace
}  // namespace test
}  // namespace MNN
