#include "ShapeTest.hpp"

namespace MNN {
namespace test {
namespace {

using Common = Convolution2DCommonT;

Edit convolution(std::function<void(Common*)> edit) {
    return param<Convolution2DT>(OpParameter_Convolution2D, [=](Convolution2DT* p) {
        p->common.reset(new Common);
        p->common->kernelX = p->common->kernelY = 3;
        p->common->outputCount = 8;
        edit(p->common.get());
    });
}
Edit weights(size_t count, size_t bias, int group = 1) {
    return param<Convolution2DT>(OpParameter_Convolution2D, [=](Convolution2DT* p) {
        p->common.reset(new Common);
        p->common->outputCount = 8, p->common->group = group;
        p->weight.resize(count), p->bias.resize(bias);
    });
}

TEST(Shape, Convolution) {
    const In x{1, 4, 9, 11};
    const auto conv = OpType_Convolution;
    check({
        {"no pad", conv, convolution([](Common*) {}), {x}, {{1, 8, 7, 9}}},
        {"pad", conv, convolution([](Common* c) { c->padX = c->padY = 1; }), {x}, {{1, 8, 9, 11}}},
        {"pads",
         conv,
         convolution([](Common* c) {
             c->pads = {0, 1, 2, 3};
         }),
         {x},
         {{1, 8, 9, 13}}},
        {"stride", conv, convolution([](Common* c) { c->strideX = 2, c->strideY = 3; }), {x}, {{1, 8, 3, 5}}},
        {"dilation", conv, convolution([](Common* c) { c->dilateX = 2, c->dilateY = 4; }), {x}, {{1, 8, 1, 7}}},
        {"same",
         conv,
         convolution([](Common* c) { c->padMode = PadMode_SAME, c->strideX = c->strideY = 2; }),
         {x},
         {{1, 8, 5, 6}}},
        {"valid ignores pads",
         conv,
         convolution([](Common* c) { c->padMode = PadMode_VALID, c->padX = 5; }),
         {x},
         {{1, 8, 7, 9}}},
        {"nhwc", conv, convolution([](Common*) {}), {In::nhwc({1, 9, 11, 4})}, {{1, 7, 9, 8}}},
        {"group", conv, convolution([](Common* c) { c->group = 4; }), {x}, {{1, 8, 7, 9}}},
        {"rank 3", conv, convolution([](Common* c) { c->kernelX = 1; }), {{1, 4, 9}}, {{1, 8, 7}}},
        {"rank 3, second dimension",
         conv,
         convolution([](Common* c) { c->kernelX = 1, c->padX = 1; }),
         {{1, 4, 9}},
         kRefused},
        {"batch 0", conv, convolution([](Common*) {}), {{0, 4, 9, 11}}, {{0, 8, 7, 9}}},
        {"weight input", conv, convolution([](Common* c) { c->outputCount = 0; }), {x, {6, 4, 5, 1}}, {{1, 6, 5, 11}}},
        {"weight input misfit", conv, convolution([](Common* c) { c->outputCount = 0; }), {x, {6, 3, 5, 1}}, kRefused},
        {"weights", conv, weights(32, 8), {x}, {{1, 8, 9, 11}}},
        {"weights of a group", conv, weights(16, 8, 2), {x}, {{1, 8, 9, 11}}},
        {"weights short", conv, weights(31, 8), {x}, kRefused},
        {"bias short", conv, weights(32, 7), {x}, kRefused},
        {"group 0", conv, convolution([](Common* c) { c->group = 0; }), {x}, kRefused},
        {"group 3", conv, convolution([](Common* c) { c->group = 3; }), {x}, kRefused},
        {"inputCount", conv, convolution([](Common* c) { c->inputCount = 3; }), {x}, kRefused},
        {"stride 0", conv, convolution([](Common* c) { c->strideX = 0; }), {x}, kRefused},
        {"kernel 0", conv, convolution([](Common* c) { c->kernelY = 0; }), {x}, kRefused},
        {"dilation -1", conv, convolution([](Common* c) { c->dilateY = -1; }), {x}, kRefused},
        {"kernel too large", conv, convolution([](Common* c) { c->kernelY = 10; }), {x}, kRefused},
        {"three pads",
         conv,
         convolution([](Common* c) {
             c->pads = {1, 1, 1};
         }),
         {x},
         kRefused},
        {"output too large", conv, convolution([](Common* c) { c->padX = c->padY = 1 << 30; }), {x}, kRefused},
        {"no channels out", conv, convolution([](Common* c) { c->outputCount = 0; }), {x}, kRefused},
        {"rank 1", conv, convolution([](Common*) {}), {{4}}, kRefused},
        {"no table", conv, nullptr, {x}, kRefused},
        {"no common", conv, param<Convolution2DT>(OpParameter_Convolution2D), {x}, kRefused},
    });
    const auto depthwise = OpType_ConvolutionDepthwise;
    check({
        {"depthwise", depthwise, convolution([](Common* c) { c->outputCount = 4, c->group = 4; }), {x}, {{1, 4, 7, 9}}},
        {"depthwise group 1", depthwise, convolution([](Common* c) { c->outputCount = 4; }), {x}, {{1, 4, 7, 9}}},
        {"depthwise multiplier", depthwise, convolution([](Common*) {}), {x}, kRefused},
    });
}

TEST(Shape, Deconvolution) {
    const In x{1, 4, 5, 5};
    const auto op = OpType_Deconvolution;
    const auto sized = convolution([](Common* c) { c->hasOutputShape = true; });
    check({
        {"stride 2", op, convolution([](Common* c) { c->strideX = c->strideY = 2; }), {x}, {{1, 8, 11, 11}}},
        {"out pads",
         op,
         convolution([](Common* c) {
             c->strideX = c->strideY = 2, c->padX = c->padY = 1, c->outPads = {1, 0};
         }),
         {x},
         {{1, 8, 10, 9}}},
        {"same", op, convolution([](Common* c) { c->strideX = 3, c->padMode = PadMode_SAME; }), {x}, {{1, 8, 5, 15}}},
        {"sized", op, sized, {x, In::ofInts({7, 9})}, {{1, 8, 7, 9}}},
        {"sized by a TensorFlow shape", op, sized, {x, In::ofInts({1, 7, 9, 8})}, {{1, 8, 7, 9}}},
        {"sized badly", op, sized, {x, In::ofInts({7, 9, 8})}, kRefused},
        {"sized negatively", op, sized, {x, In::ofInts({-7, 9})}, kRefused},
        {"padding eats it", op, convolution([](Common* c) { c->padX = 10; }), {x}, kRefused},
        {"group 3", op, convolution([](Common* c) { c->group = 3; }), {x}, kRefused},
    });
}

Edit pool(std::function<void(PoolT*)> edit) {
    return param<PoolT>(OpParameter_Pool, [=](PoolT* p) {
        p->kernelX = p->kernelY = 3, p->strideX = p->strideY = 2;
        edit(p);
    });
}

TEST(Shape, Pooling) {
    const In x{1, 4, 8, 7};
    const auto op = OpType_Pooling;
    check({
        {"ceil", op, pool([](PoolT*) {}), {x}, {{1, 4, 4, 3}}},
        {"floor", op, pool([](PoolT* p) { p->ceilModel = false; }), {x}, {{1, 4, 3, 3}}},
        {"pads",
         op,
         pool([](PoolT* p) {
             p->ceilModel = false, p->pads = {1, 1, 1, 1};
         }),
         {x},
         {{1, 4, 4, 4}}},
        {"ceil drops a place in the back padding",
         op,
         pool([](PoolT* p) { p->kernelX = p->kernelY = 1, p->strideX = p->strideY = 4; }),
         {{1, 1, 3, 5}},
         {{1, 1, 1, 2}}},
        {"same", op, pool([](PoolT* p) { p->padType = PoolPadType_SAME; }), {x}, {{1, 4, 4, 4}}},
        {"valid", op, pool([](PoolT* p) { p->padType = PoolPadType_VALID; }), {x}, {{1, 4, 3, 3}}},
        {"global", op, pool([](PoolT* p) { p->isGlobal = true, p->strideX = 0; }), {x}, {{1, 4, 1, 1}}},
        {"nhwc", op, pool([](PoolT*) {}), {In::nhwc({1, 8, 7, 4})}, {{1, 4, 3, 4}}},
        {"indices", op, pool([](PoolT*) {}), {x}, {{1, 4, 4, 3}, {1, 4, 4, 3}}},
        {"stride 0", op, pool([](PoolT* p) { p->strideX = 0; }), {x}, kRefused},
        {"too large", op, pool([](PoolT* p) { p->kernelX = 9; }), {x}, kRefused},
        {"global of nothing", op, pool([](PoolT* p) { p->isGlobal = true; }), {{1, 4, 0, 7}}, kRefused},
        {"no table", op, nullptr, {x}, kRefused},
    });
}

TEST(Shape, Products) {
    const auto matmul = [](bool a, bool b) {
        return param<MatMulT>(OpParameter_MatMul, [=](MatMulT* p) { p->transposeA = a, p->transposeB = b; });
    };
    const auto batch = param<BatchMatMulParamT>(OpParameter_BatchMatMulParam);
    const auto inner =
        param<InnerProductT>(OpParameter_InnerProduct, [](InnerProductT* p) { p->axis = 1, p->outputCount = 10; });
    check({
        {"plain", OpType_MatMul, matmul(false, false), {{2, 3}, {3, 4}}, {{2, 4}}},
        {"transposed", OpType_MatMul, matmul(true, true), {{3, 2}, {4, 3}}, {{2, 4}}},
        {"row", OpType_MatMul, matmul(false, false), {{3}, {5, 3, 4}}, {{5, 4}}},
        {"column", OpType_MatMul, matmul(false, false), {{5, 2, 3}, {3}}, {{5, 2}}},
        {"dot", OpType_MatMul, matmul(false, false), {{3}, {3}}, {{}}},
        {"inner 0", OpType_MatMul, matmul(false, false), {{2, 0}, {0, 4}}, {{2, 4}}},
        {"mismatch", OpType_MatMul, matmul(false, false), {{2, 3}, {4, 3}}, kRefused},
        {"scalar", OpType_MatMul, matmul(false, false), {In(Shape{}), {3, 4}}, kRefused},
        {"bias", OpType_MatMul, matmul(false, false), {{2, 3}, {3, 4}, {4}}, {{2, 4}}},
        {"bias misfit", OpType_MatMul, matmul(false, false), {{2, 3}, {3, 4}, {3}}, kRefused},
        {"batches", OpType_BatchMatMul, batch, {{7, 1, 2, 3}, {5, 3, 4}}, {{7, 5, 2, 4}}},
        {"batches differ", OpType_BatchMatMul, batch, {{7, 2, 3}, {5, 3, 4}}, kRefused},
        {"no table", OpType_MatMul, nullptr, {{2, 3}, {3, 4}}, kRefused},
        {"inner product", OpType_InnerProduct, inner, {{2, 3, 4, 5}}, {{2, 10}}},
        {"inner product rank 1", OpType_InnerProduct, inner, {{2}}, kRefused},
    });
}

TEST(Shape, Elementwise) {
    const auto binary = [](int op) {
        return param<BinaryOpT>(OpParameter_BinaryOp, [=](BinaryOpT* p) { p->opType = BinaryOpOperation(op); });
    };
    const auto add = binary(BinaryOpOperation_ADD);
    const auto scale = param<ScaleT>(OpParameter_Scale, [](ScaleT* p) { p->scaleData = {1, 2, 3}; });
    const auto softmax = [](int v) { return param<AxisT>(OpParameter_Axis, [=](AxisT* p) { p->axis = v; }); };
    check({
        {"broadcast", OpType_BinaryOp, add, {{4, 1, 3}, {5, 1}}, {{4, 5, 3}}},
        {"scalar", OpType_BinaryOp, add, {In(Shape{}), {5, 1}}, {{5, 1}}},
        {"empty", OpType_BinaryOp, add, {{0, 3}, {1}}, {{0, 3}}},
        {"misfit", OpType_BinaryOp, add, {{4}, {3}}, kRefused},
        {"types", OpType_BinaryOp, add, {{4}, In::ofInts({1, 2, 3, 4})}, kRefused},
        {"no table", OpType_BinaryOp, nullptr, {{4}, {4}}, kRefused},
        {"select", OpType_Select, nullptr, {In{3}.as(halide_type_of<int>()), {2, 1}, In(Shape{})}, {{2, 3}}},
        {"eltwise", OpType_Eltwise, param<EltwiseT>(OpParameter_Eltwise), {{2, 3}, {2, 3}}, {{2, 3}}},
        {"eltwise misfit", OpType_Eltwise, param<EltwiseT>(OpParameter_Eltwise), {{2, 3}, {3}}, kRefused},
        {"scale", OpType_Scale, scale, {{1, 3, 5, 5}}, {{1, 3, 5, 5}}},
        {"scale channels", OpType_Scale, scale, {{1, 4, 5, 5}}, kRefused},
        {"softmax", OpType_Softmax, softmax(-1), {{2, 3}}, {{2, 3}}},
        {"softmax axis", OpType_Softmax, softmax(2), {{2, 3}}, kRefused},
        {"unary no table", OpType_UnaryOp, nullptr, {{2}}, kRefused},
        {"relu no table", OpType_ReLU, nullptr, {{2}}, kRefused},
        {"no rule copies", OpType_Copy, nullptr, {{2, 3}}, {{2, 3}}},
        {"no rule, no input", OpType_Copy, nullptr, {}, kRefused},
    });
    const Result less = inferOp(OpType_BinaryOp, binary(BinaryOpOperation_LESS), {{3}, {3}});
    EXPECT_EQ(less.types[0].code, halide_type_int);
    EXPECT_EQ(less.types[0].bits, 32);
}

TEST(Shape, LayoutAndType) {
    const auto convert = [](MNN_DATA_FORMAT from, MNN_DATA_FORMAT to) {
        return param<TensorConvertInfoT>(OpParameter_TensorConvertInfo,
                                         [=](TensorConvertInfoT* p) { p->source = from, p->dest = to; });
    };
    const auto toC4 = convert(MNN_DATA_FORMAT_NHWC, MNN_DATA_FORMAT_NC4HW4);
    const auto toNhwc = convert(MNN_DATA_FORMAT_NCHW, MNN_DATA_FORMAT_NHWC);
    check({
        {"to nc4hw4", OpType_ConvertTensor, toC4, {In::nhwc({1, 5, 6, 3})}, {{1, 3, 5, 6}}},
        {"to nhwc", OpType_ConvertTensor, toNhwc, {{1, 3, 5, 6}}, {{1, 5, 6, 3}}},
        {"five", OpType_ConvertTensor, toNhwc, {{1, 3, 4, 5, 6}}, {{1, 4, 5, 6, 3}}},
        {"two", OpType_ConvertTensor, toNhwc, {{1, 3}}, {{1, 3}}},
        {"to unknown",
         OpType_ConvertTensor,
         convert(MNN_DATA_FORMAT_NCHW, MNN_DATA_FORMAT_UNKNOWN),
         {{1, 3}},
         kRefused},
    });
    EXPECT_EQ(inferOp(OpType_ConvertTensor, toNhwc, {{1, 3, 5, 6}}).formats[0], MNN_DATA_FORMAT_NHWC);
    EXPECT_EQ(inferOp(OpType_ConvertTensor, toC4, {In::nhwc({1, 5, 6, 3})}).formats[0], MNN_DATA_FORMAT_NCHW);
    const auto cast = [](DataType to) {
        return param<CastParamT>(OpParameter_CastParam, [=](CastParamT* p) { p->dstT = to; });
    };
    const auto typeAfter = [&](DataType to) { return inferOp(OpType_Cast, cast(to), {{2}}).types[0]; };
    EXPECT_EQ(typeAfter(DataType_DT_BOOL).code, halide_type_int);
    EXPECT_EQ(typeAfter(DataType_DT_INT64).bits, 32);
    EXPECT_EQ(typeAfter(DataType_DT_UINT8).bits, 8);
    EXPECT_EQ(typeAfter(DataType_DT_DOUBLE).bits, 32);
}

TEST(Shape, Sources) {
    const auto input = [](Shape dims) { return param<InputT>(OpParameter_Input, [=](InputT* p) { p->dims = dims; }); };
    const auto blob = [](Shape dims) { return param<BlobT>(OpParameter_Blob, [=](BlobT* p) { p->dims = dims; }); };
    check({
        {"input", OpType_Input, input({1, 3, 5, 5}), {}, {{1, 3, 5, 5}}},
        {"open input", OpType_Input, input({-1, 3, -1, 5}), {}, {{-1, 3, -1, 5}}},
        {"broken input", OpType_Input, input({-2, 3}), {}, kRefused},
        {"huge input", OpType_Input, input({1 << 20, 1 << 20}), {}, kRefused},
        {"wrapping input", OpType_Input, input({1 << 30, 1 << 30, 16}), {}, kRefused},
        {"const", OpType_Const, blob({2, 2}), {}, {{2, 2}}},
        {"scalar const", OpType_Const, blob({}), {}, {{}}},
        {"negative const", OpType_Const, blob({-1}), {}, kRefused},
    });
}

TEST(Shape, Flops) {
    const auto conv = convolution([](Common* c) { c->padX = c->padY = 1; });
    EXPECT_FLOAT_EQ(inferOp(OpType_Convolution, conv, {{1, 4, 10, 10}}).mflops, 2 * 8 * 100 * 9 * 4 * 1e-6f);
    const auto matmul = param<MatMulT>(OpParameter_MatMul);
    EXPECT_FLOAT_EQ(inferOp(OpType_MatMul, matmul, {{2, 3}, {3, 4}}).mflops, 2 * 2 * 3 * 4 * 1e-6f);
}

}  // namespace
}  // namespace test
}  // namespace MNN
