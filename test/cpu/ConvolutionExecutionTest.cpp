// Convolutions as commands: attributes, pad modes, weights from the op or from inputs, activations, refusals. The
// kernels have their own test (ConvTest.cpp).
#include "CpuTestTools.hpp"

namespace MNN {
namespace test {
namespace {

struct Layer {
    OpType type = OpType_Convolution;
    int batch = 1, in = 1, height = 1, width = 1, out = 1, outHeight = 1, outWidth = 1;
    int pack = 4;
    int padTop = 0, padLeft = 0;  // what the attributes should come to
    Convolution2DCommonT common;
};

bool transposed(const Layer& l) { return l.type == OpType_Deconvolution || l.type == OpType_DeconvolutionDepthwise; }
bool depthwise(const Layer& l) {
    return l.type == OpType_ConvolutionDepthwise || l.type == OpType_DeconvolutionDepthwise;
}
int groupsOf(const Layer& l) { return depthwise(l) ? l.in : l.common.group; }
size_t weightCount(const Layer& l) {
    return static_cast<size_t>(l.in) * (l.out / groupsOf(l)) * l.common.kernelY * l.common.kernelX;
}

OpT opOf(const Layer& l, std::vector<float> weight, std::vector<float> bias) {
    OpT op;
    op.type = l.type;
    op.main.type = OpParameter_Convolution2D;
    auto* conv = new Convolution2DT;
    conv->common.reset(new Convolution2DCommonT(l.common));
    conv->weight = std::move(weight);
    conv->bias = std::move(bias);
    op.main.value = conv;
    return op;
}

size_t packedIndex(const std::vector<int>& dims, int pack, int n, int c, int y, int x) {
    const size_t blocks = static_cast<size_t>((dims[1] + pack - 1) / pack);
    return (((n * blocks + c / pack) * dims[2] + y) * dims[3] + x) * pack + c % pack;
}

std::shared_ptr<Tensor> randomImage(const std::vector<int>& dims, int pack, uint32_t seed) {
    const auto t = makeTensor(dims, halide_type_of<float>(), pack);
    const std::vector<float> values =
        randomFloats(static_cast<size_t>(dims[0]) * dims[1] * dims[2] * dims[3], -1, 1, seed);
    size_t i = 0;
    for (int n = 0; n < dims[0]; ++n)
        for (int c = 0; c < dims[1]; ++c)
            for (int y = 0; y < dims[2]; ++y)
                for (int x = 0; x < dims[3]; ++x) t->host<float>()[packedIndex(dims, pack, n, c, y, x)] = values[i++];
    return t;
}

double wanted(const Layer& l, const Tensor& image, const float* weight, const float* bias, int n, int o, int oy,
              int ox) {
    const auto& c = l.common;
    const std::vector<int> dims = {l.batch, l.in, l.height, l.width};
    const int groups = groupsOf(l), gi = l.in / groups, go = l.out / groups, group = o / go;
    double sum = bias != nullptr ? bias[o] : 0.0;
    for (int i = 0; i < gi; ++i) {
        for (int ky = 0; ky < c.kernelY; ++ky) {
            for (int kx = 0; kx < c.kernelX; ++kx) {
                int y = oy * c.strideY + ky * c.dilateY - l.padTop, x = ox * c.strideX + kx * c.dilateX - l.padLeft;
                if (transposed(l)) {
                    y = oy + l.padTop - ky * c.dilateY, x = ox + l.padLeft - kx * c.dilateX;
                    if (y % c.strideY != 0 || x % c.strideX != 0) continue;
                    y /= c.strideY, x /= c.strideX;
                }
                if (y < 0 || x < 0 || y >= l.height || x >= l.width) continue;
                const int channel = group * gi + i;
                const int filter = transposed(l) ? channel * go + o % go : o * gi + i;
                sum += static_cast<double>(image.host<float>()[packedIndex(dims, l.pack, n, channel, y, x)]) *
                       weight[(filter * c.kernelY + ky) * c.kernelX + kx];
            }
        }
    }
    if (c.relu || c.relu6) sum = std::max(0.0, sum);
    return c.relu6 ? std::min(6.0, sum) : sum;
}

void expectLayer(const Layer& l, const Tensor& image, const float* weight, const float* bias, const Tensor& result) {
    const std::vector<int> dims = {l.batch, l.out, l.outHeight, l.outWidth};
    for (int n = 0; n < l.batch; ++n)
        for (int o = 0; o < l.out; ++o)
            for (int y = 0; y < l.outHeight; ++y)
                for (int x = 0; x < l.outWidth; ++x)
                    ASSERT_NEAR(result.host<float>()[packedIndex(dims, l.pack, n, o, y, x)],
                                wanted(l, image, weight, bias, n, o, y, x), 1e-4)
                        << EnumNameOpType(l.type) << " at " << n << "," << o << "," << y << "," << x;
}

void check(const Layer& l, int threads = 1) {
    CpuRig rig(threads);
    const auto image = randomImage({l.batch, l.in, l.height, l.width}, l.pack, 1);
    const std::vector<float> weight = randomFloats(weightCount(l), -1, 1, 2), bias = randomFloats(l.out, -1, 1, 3);
    const std::vector<int> outDims = {l.batch, l.out, l.outHeight, l.outWidth};
    const auto result = makeTensor(outDims, halide_type_of<float>(), l.pack);
    ASSERT_EQ(rig.run(opOf(l, weight, bias), {image}, {result}), NO_ERROR);
    expectLayer(l, *image, weight.data(), bias.data(), *result);
    // The same weights as run-time inputs, without a bias.
    const auto again = makeTensor(outDims, halide_type_of<float>(), l.pack);
    const auto input = makeTensor({static_cast<int>(weight.size())}, weight);
    ASSERT_EQ(rig.run(opOf(l, {}, {}), {image, input}, {again}), NO_ERROR);
    expectLayer(l, *image, weight.data(), nullptr, *again);
    // As constants.
    TensorUtils::describe(input.get())->usage = TensorUsage::Constant;
    const auto biasInput = makeTensor({l.out}, bias);
    const auto third = makeTensor(outDims, halide_type_of<float>(), l.pack);
    ASSERT_EQ(rig.run(opOf(l, {}, {}), {image, input, biasInput}, {third}), NO_ERROR);
    expectLayer(l, *image, weight.data(), bias.data(), *third);
}

Layer layer(OpType type, int in, int out, int kernel, int stride) {
    Layer l;
    l.type = type;
    l.in = in, l.out = out;
    l.height = 7, l.width = 9;
    l.common.kernelY = l.common.kernelX = kernel;
    l.common.strideY = l.common.strideX = stride;
    l.common.outputCount = out;
    return l;
}

TEST(CPUConvolution, PadsAsListOrPair) {
    Layer l = layer(OpType_Convolution, 5, 18, 3, 2);
    l.common.pads = {2, 1, 0, 1};
    l.padTop = 2, l.padLeft = 1;
    l.outHeight = (7 + 2 - 3) / 2 + 1, l.outWidth = (9 + 2 - 3) / 2 + 1;
    l.common.relu = true;
    check(l, 3);
    l.common.pads.clear();
    l.common.padY = 2, l.common.padX = 1;
    l.common.relu = false, l.common.relu6 = true;
    check(l);
}

TEST(CPUConvolution, SameAndValid) {
    Layer l = layer(OpType_Convolution, 17, 20, 3, 2);
    l.pack = 16;
    l.common.padMode = PadMode_SAME;
    l.outHeight = 4, l.outWidth = 5;
    l.padTop = l.padLeft = 1;  // of (4 - 1) * 2 + 3 - 7 = 2 and (5 - 1) * 2 + 3 - 9 = 2
    check(l);
    l.common.padMode = PadMode_VALID;
    l.common.padX = l.common.padY = 5;
    l.padTop = l.padLeft = 0;
    l.outHeight = 3, l.outWidth = 4;
    check(l);
}

TEST(CPUConvolution, Winograd) {
    Layer l = layer(OpType_Convolution, 64, 40, 3, 1);
    l.pack = CpuRig(1).backend()->traits().pack;
    l.height = 30, l.width = 34;
    l.common.padX = l.common.padY = 1;
    l.padTop = l.padLeft = 1;
    l.outHeight = 30, l.outWidth = 34;
    l.common.relu = true;
    for (int threads : {1, 3}) check(l, threads);
}

TEST(CPUConvolution, GroupsAndDilation) {
    Layer l = layer(OpType_Convolution, 12, 18, 2, 1);
    l.batch = 2;
    l.pack = 8;
    l.common.group = 3;
    l.common.dilateY = 3, l.common.dilateX = 2;
    l.outHeight = 4, l.outWidth = 7;
    check(l, 3);
}

TEST(CPUConvolution, Depthwise) {
    Layer l = layer(OpType_ConvolutionDepthwise, 19, 19, 3, 1);
    l.common.padX = l.common.padY = 1;
    l.padTop = l.padLeft = 1;
    l.outHeight = 7, l.outWidth = 9;
    check(l, 3);
}

TEST(CPUConvolution, DepthwiseWithMultiplier) {
    Layer l = layer(OpType_ConvolutionDepthwise, 6, 12, 3, 1);
    l.outHeight = 5, l.outWidth = 7;
    check(l);
}

TEST(CPUConvolution, Deconvolution) {
    for (OpType type : {OpType_Deconvolution, OpType_DeconvolutionDepthwise}) {
        Layer l = layer(type, 10, type == OpType_Deconvolution ? 23 : 10, 4, 2);
        l.common.pads = {1, 1, 1, 1};
        l.padTop = l.padLeft = 1;
        l.outHeight = (7 - 1) * 2 + 4 - 2, l.outWidth = (9 - 1) * 2 + 4 - 2;
        check(l);
        l.common.outPads = {1, 1};
        ++l.outHeight, ++l.outWidth;
        check(l, 3);
        l.common.outPads.clear();
        l.common.pads.clear();
        l.common.padMode = PadMode_SAME;
        l.outHeight = 14, l.outWidth = 18;
        check(l);
    }
}

TEST(CPUConvolution, RefusesWhatDoesNotFit) {
    CpuRig rig(1);
    Layer l = layer(OpType_Convolution, 5, 6, 3, 1);
    l.outHeight = 5, l.outWidth = 7;
    const auto image = randomImage({1, 5, 7, 9}, 4, 1);
    const auto result = makeTensor({1, 6, 5, 7}, halide_type_of<float>(), 4);
    const std::vector<float> weight = randomFloats(weightCount(l), -1, 1, 2);
    EXPECT_EQ(rig.run(opOf(l, std::vector<float>(weight.begin(), weight.end() - 1), {}), {image}, {result}),
              NOT_SUPPORT);
    EXPECT_EQ(rig.run(opOf(l, weight, std::vector<float>(5)), {image}, {result}), NOT_SUPPORT);
    l.common.group = 2;
    EXPECT_EQ(rig.run(opOf(l, weight, {}), {image}, {result}), NOT_SUPPORT);
    l.common.group = 1;
    l.common.strideX = 0;
    EXPECT_EQ(rig.run(opOf(l, weight, {}), {image}, {result}), NOT_SUPPORT);
}

TEST(CPUConvolution, EmptyBatch) {
    CpuRig rig(1);
    Layer l = layer(OpType_Convolution, 5, 6, 3, 1);
    const auto image = makeTensor({0, 5, 7, 9}, halide_type_of<float>(), 4),
               result = makeTensor({0, 6, 5, 7}, halide_type_of<float>(), 4);
    EXPECT_EQ(rig.run(opOf(l, randomFloats(weightCount(l), -1, 1, 2), {}), {image}, {result}), NO_ERROR);
}

}  // namespace
}  // namespace test
}  // namespace MNN
