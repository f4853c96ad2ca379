#include "CpuTestTools.hpp"
#include "backend/cpu/kernels/Softmax.hpp"

namespace MNN {
namespace {

using namespace test;
using cpu::Isa;

std::vector<double> softmaxReference(const std::vector<float>& x) {
    double top = -INFINITY, sum = 0;
    for (float v : x) top = std::max(top, static_cast<double>(v));
    std::vector<double> y;
    for (float v : x) y.push_back(std::exp(v - top)), sum += y.back();
    for (double& v : y) v /= sum;
    return y;
}

TEST(SoftmaxKernel, RowsAndColumnsOfEveryLength) {
    for (Isa isa : cpu::availableIsas()) {
        const cpu::SoftmaxKernels& kernels = cpu::softmaxKernels(isa);
        for (size_t n : edgeLengths()) {
            const std::vector<float> x = randomFloats(n, -30, 30, static_cast<uint32_t>(n));
            Guarded<float> y(n, kNaN);
            kernels.row(y.data(), x.data(), n);
            ASSERT_TRUE(y.intact());
            const auto want = softmaxReference(x);
            for (size_t i = 0; i < n; ++i)
                ASSERT_NEAR(y[i], want[i], 5e-6 * want[i] + 1e-38) << cpu::isaName(isa) << " n " << n;
            // The same numbers down columns, side by side with others.
            for (size_t cols : {1, 3, 8, 17, 33}) {
                const std::vector<float> block = randomFloats(n * cols, -30, 30, static_cast<uint32_t>(n + cols));
                Guarded<float> z(n * cols, kNaN);
                kernels.columns(z.data(), block.data(), static_cast<int64_t>(cols), n, cols);
                ASSERT_TRUE(z.intact());
                for (size_t c = 0; c < cols; ++c) {
                    std::vector<float> column;
                    for (size_t r = 0; r < n; ++r) column.push_back(block[r * cols + c]);
                    const auto expected = softmaxReference(column);
                    for (size_t r = 0; r < n; ++r)
                        ASSERT_NEAR(z[r * cols + c], expected[r], 5e-6 * expected[r] + 1e-38);
                }
            }
        }
    }
}

TEST(SoftmaxKernel, ExtremesLikeNumpy) {
    for (Isa isa : cpu::availableIsas()) {
        const auto of = [&](std::vector<float> x) {
            cpu::softmaxKernels(isa).row(x.data(), x.data(), x.size());
            return x;
        };
        EXPECT_EQ(of({-kInf, 0.0f, -kInf}), (std::vector<float>{0, 1, 0}));
        EXPECT_EQ(of({60000.0f, -60000.0f}), (std::vector<float>{1, 0}));
        EXPECT_EQ(of(std::vector<float>(8, 0.0f)), std::vector<float>(8, 0.125f));
        for (float v : of({-kInf, -kInf})) EXPECT_TRUE(std::isnan(v));
        for (float v : of({1.0f, kNaN, 2.0f})) EXPECT_TRUE(std::isnan(v));
    }
}

OpT axisOp(OpType type, int axis) {
    OpT op;
    op.type = type;
    op.main.type = OpParameter_Axis;
    auto* param = new AxisT;
    param->axis = axis;
    op.main.value = param;
    return op;
}

TEST(CPUSoftmax, AnyAxisInPlaceOnThreads) {
    for (int threads : {1, 3}) {
        CpuRig rig(threads);
        for (int axis : {0, 1, 2, -1, -3}) {
            const std::vector<int> shape = {5, 40, 300};
            const std::vector<float> x = randomFloats(5 * 40 * 300, -9, 9);
            auto t = makeTensor(shape, x);
            ASSERT_EQ(NO_ERROR, rig.run(axisOp(OpType_Softmax, axis), {t}, {t}));
            const int at = (axis + 3) % 3, n = shape[at], inside = at == 0 ? 12000 : at == 1 ? 300 : 1;
            for (int r = 0; r < 5 * 40 * 300 / n; ++r) {
                const int first = r / inside * n * inside + r % inside;
                std::vector<float> line;
                for (int a = 0; a < n; ++a) line.push_back(x[first + a * inside]);
                const auto want = softmaxReference(line);
                for (int a = 0; a < n; ++a) ASSERT_NEAR(t->host<float>()[first + a * inside], want[a], 1e-6);
            }
        }
        auto none = makeTensor({2, 0}, halide_type_of<float>());
        EXPECT_EQ(NO_ERROR, rig.run(axisOp(OpType_Softmax, 1), {none}, {none}));
        EXPECT_EQ(INPUT_DATA_ERROR, rig.run(axisOp(OpType_Softmax, 2), {none}, {none}));
        auto ints = makeTensor({2}, halide_type_of<int32_t>());
        EXPECT_EQ(NOT_SUPPORT, rig.run(axisOp(OpType_Softmax, 0), {ints}, {ints}));
    }
}

OpT normOp(LayerNormT param) {
    OpT op;
    op.type = OpType_LayerNorm;
    op.main.type = OpParameter_LayerNorm;
    op.main.value = new LayerNormT(std::move(param));
    return op;
}

std::vector<double> normReference(const float* x, size_t n, double epsilon, bool rms) {
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n && !rms; ++i) mean += x[i] / static_cast<double>(n);
    for (size_t i = 0; i < n; ++i) squares += (x[i] - mean) * (x[i] - mean);
    std::vector<double> y;
    for (size_t i = 0; i < n; ++i) y.push_back((x[i] - mean) / std::sqrt(squares / static_cast<double>(n) + epsilon));
    return y;
}

TEST(CPULayerNorm, LayerAndRmsWithGammaAndBeta) {
    for (int threads : {1, 3}) {
        CpuRig rig(threads);
        for (int n : {1, 3, 8, 17, 67, 1000}) {
            for (int mode = 0; mode < 8; ++mode) {
                const std::vector<float> x = randomFloats(30 * n, 2, 4), gamma = randomFloats(n, 0.5f, 2, 3),
                                         beta = randomFloats(n, -1, 1, 4);
                LayerNormT param;
                param.axis = {-1};
                param.epsilon = 1e-5f;
                param.useRMSNorm = (mode & 1) != 0;
                const bool hasGamma = (mode & 2) != 0, asInputs = (mode & 4) != 0;
                std::vector<std::shared_ptr<Tensor>> inputs;
                inputs.push_back(makeTensor({3, 10, n}, x));
                if (hasGamma && asInputs) {
                    inputs.push_back(makeTensor({n}, gamma));
                    inputs.push_back(makeTensor({n}, beta));
                } else if (hasGamma) {
                    param.gamma = gamma;
                    param.beta = beta;
                }
                auto out = makeTensor({3, 10, n}, halide_type_of<float>());
                const bool rms = param.useRMSNorm;
                ASSERT_EQ(NO_ERROR, rig.run(normOp(std::move(param)), inputs, {out}));
                for (int r = 0; r < 30; ++r) {
                    const auto want = normReference(x.data() + r * n, static_cast<size_t>(n), 1e-5f, rms);
                    for (int i = 0; i < n; ++i) {
                        const double expected = hasGamma ? want[i] * gamma[i] + beta[i] : want[i];
                        ASSERT_NEAR(out->host<float>()[r * n + i], expected, 3e-5) << "n " << n << " mode " << mode;
                    }
                }
            }
        }
    }
}

TEST(CPULayerNorm, ConstantRowsAreFinite) {
    CpuRig rig(1);
    LayerNormT param;
    param.axis = {-1};
    param.epsilon = 1e-5f;
    auto out = makeTensor({1, 2048}, halide_type_of<float>());
    auto x = makeTensor({1, 2048}, std::vector<float>(2048, 300.1f));
    ASSERT_EQ(NO_ERROR, rig.run(normOp(param), {x}, {out}));
    for (float v : valuesOf<float>(out)) ASSERT_NEAR(v, 0, 1e-2);
    param.useRMSNorm = true;
    ASSERT_EQ(NO_ERROR, rig.run(normOp(param), {x}, {out}));
    for (float v : valuesOf<float>(out)) ASSERT_NEAR(v, 1, 1e-6);
}

TEST(CPULayerNorm, Groups) {
    CpuRig rig(3);
    const int channels = 6, groups = 3, spatial = 35;
    const std::vector<float> x = randomFloats(2 * channels * spatial, -1, 3),
                             gamma = randomFloats(channels, 0.5f, 2, 3), beta = randomFloats(channels, -1, 1, 4);
    LayerNormT param;
    param.axis = {-1};
    param.epsilon = 1e-3f;
    param.group = groups;
    param.gamma = gamma;
    param.beta = beta;
    auto out = makeTensor({2, channels, 5, 7}, halide_type_of<float>());
    ASSERT_EQ(NO_ERROR, rig.run(normOp(param), {makeTensor({2, channels, 5, 7}, x)}, {out}));
    for (int r = 0; r < 2 * groups; ++r) {
        const int n = channels / groups * spatial;
        const auto want = normReference(x.data() + r * n, n, 1e-3f, false);
        for (int i = 0; i < n; ++i) {
            const int c = r % groups * 2 + i / spatial;
            ASSERT_NEAR(out->host<float>()[r * n + i], want[i] * gamma[c] + beta[c], 1e-5);
        }
    }
    param.group = 4;
    EXPECT_EQ(INPUT_DATA_ERROR, rig.run(normOp(param), {makeTensor({2, channels, 5, 7}, x)}, {out}));
}

TEST(CPULayerNorm, ResidualForm) {
    CpuRig rig(3);
    const std::vector<float> x = randomFloats(5 * 67, -1, 3), r = randomFloats(5 * 67, -1, 3, 9);
    LayerNormT param;
    param.axis = {-1};
    param.epsilon = 1e-6f;
    param.useRMSNorm = true;
    param.gamma = std::vector<float>(67, 2.0f);
    param.beta = std::vector<float>(67, 0.0f);
    auto out = makeTensor({5, 67}, halide_type_of<float>()), sum = makeTensor({5, 67}, halide_type_of<float>());
    std::vector<float> total(x);
    for (size_t i = 0; i < total.size(); ++i) total[i] += r[i];
    for (int form = 0; form < 2; ++form) {
        std::vector<std::shared_ptr<Tensor>> outputs;
        outputs.push_back(out);
        if (form == 0) outputs.push_back(sum);
        ASSERT_EQ(NO_ERROR, rig.run(normOp(param), {makeTensor({5, 67}, x), makeTensor({5, 67}, r)}, outputs));
        if (form == 0) {
            EXPECT_EQ(valuesOf<float>(sum), total);
        }
        for (int row = 0; row < 5; ++row) {
            const auto want = normReference(total.data() + row * 67, 67, 1e-6f, true);
            for (int i = 0; i < 67; ++i) ASSERT_NEAR(out->host<float>()[row * 67 + i], 2 * want[i], 1e-5);
        }
    }
}

OpT scaleOp(std::vector<float> scale, std::vector<float> bias) {
    OpT op;
    op.type = OpType_Scale;
    op.main.type = OpParameter_Scale;
    auto* param = new ScaleT;
    param->channels = static_cast<int>(scale.size());
    param->scaleData = std::move(scale);
    param->biasData = std::move(bias);
    op.main.value = param;
    return op;
}

OpT preluOp(std::vector<float> slope) {
    OpT op;
    op.type = OpType_PReLU;
    op.main.type = OpParameter_PRelu;
    auto* param = new PReluT;
    param->slopeCount = static_cast<int>(slope.size());
    param->slope = std::move(slope);
    op.main.value = param;
    return op;
}

TEST(CPUPerChannel, PlainPackedAndNhwc) {
    for (int threads : {1, 3}) {
        CpuRig rig(threads);
        for (int channels : {1, 3, 4, 7, 8, 9, 16, 17}) {
            for (int spatial : {1, 5, 90}) {
                const std::vector<float> a = randomFloats(channels, -2, 2, 3), b = randomFloats(channels, -2, 2, 4);
                const std::vector<float> x = randomFloats(2 * channels * spatial, -2, 2);
                const auto value = [&](float v, int c, bool scale) {
                    return scale ? v * a[c] + b[c] : v < 0 ? v * a[c] : v;
                };
                for (bool scale : {true, false}) {
                    const OpT op = scale ? scaleOp(a, b) : preluOp(a);
                    auto out = makeTensor({2, channels, spatial}, halide_type_of<float>());
                    ASSERT_EQ(NO_ERROR, rig.run(op, {makeTensor({2, channels, spatial}, x)}, {out}));
                    for (size_t i = 0; i < x.size(); ++i) {
                        ASSERT_NEAR(out->host<float>()[i], value(x[i], static_cast<int>(i) / spatial % channels, scale),
                                    1e-6);
                    }
                    for (int pack : {4, 8, 16}) {
                        auto in = makeTensor({2, channels, spatial}, halide_type_of<float>(), pack),
                             packed = makeTensor({2, channels, spatial}, halide_type_of<float>(), pack);
                        const int blocks = (channels + pack - 1) / pack;
                        const auto at = [&](int n, int c, int s) {
                            return ((n * blocks + c / pack) * spatial + s) * pack + c % pack;
                        };
                        for (int n = 0; n < 2; ++n) {
                            for (int c = 0; c < channels; ++c) {
                                for (int s = 0; s < spatial; ++s)
                                    in->host<float>()[at(n, c, s)] = x[(n * channels + c) * spatial + s];
                            }
                        }
                        ASSERT_EQ(NO_ERROR, rig.run(op, {in}, {packed}));
                        for (int n = 0; n < 2; ++n) {
                            for (int c = 0; c < channels; ++c) {
                                for (int s = 0; s < spatial; ++s) {
                                    ASSERT_NEAR(packed->host<float>()[at(n, c, s)],
                                                value(x[(n * channels + c) * spatial + s], c, scale), 1e-6);
                                }
                            }
                        }
                    }
                    auto nhwc = makeTensor({2, spatial, channels}, x),
                         nhwcOut = makeTensor({2, spatial, channels}, halide_type_of<float>());
                    TensorUtils::setFormat(nhwc.get(), MNN_DATA_FORMAT_NHWC);
                    TensorUtils::setFormat(nhwcOut.get(), MNN_DATA_FORMAT_NHWC);
                    ASSERT_EQ(NO_ERROR, rig.run(op, {nhwc}, {nhwcOut}));
                    for (size_t i = 0; i < x.size(); ++i)
                        ASSERT_NEAR(nhwcOut->host<float>()[i], value(x[i], static_cast<int>(i) % channels, scale),
                                    1e-6);
                }
            }
        }
        auto x = makeTensor<float>({1, 3, 2}, {-1, 1, -2, 2, -3, 3}),
             out = makeTensor({1, 3, 2}, halide_type_of<float>());
        ASSERT_EQ(NO_ERROR, rig.run(preluOp({0.5f}), {x}, {out}));
        EXPECT_EQ(valuesOf<float>(out), (std::vector<float>{-0.5f, 1, -1, 2, -1.5f, 3}));
        ASSERT_EQ(NO_ERROR, rig.run(preluOp({}), {x, makeTensor<float>({3}, {1, 2, 3})}, {out}));
        EXPECT_EQ(valuesOf<float>(out), (std::vector<float>{-1, 1, -4, 2, -9, 3}));
        EXPECT_EQ(INPUT_DATA_ERROR, rig.run(preluOp({1, 2}), {x}, {out}));
        EXPECT_EQ(NOT_SUPPORT, rig.run(preluOp({}), {x}, {out}));
    }
}

}  // namespace
}  // namespace MNN
