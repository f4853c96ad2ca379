// Convolution, deconvolution and their depthwise forms on every target of this machine, against a plain loop in double
// precision.
#include "backend/cpu/kernels/Conv.hpp"
#include "backend/cpu/kernels/Depthwise.hpp"
#include "backend/cpu/kernels/Winograd.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <random>
#include <vector>

using namespace MNN::cpu;

namespace MNN {
namespace cpu {
void PrintTo(const ConvShape& s, std::ostream* out) {
    *out << (s.transposed ? "deconvolution" : "convolution") << " n" << s.batch << " g" << s.groups << " in "
         << s.inChannels << "x" << s.inHeight << "x" << s.inWidth << " pack " << s.inPack << " out " << s.outChannels
         << "x" << s.outHeight << "x" << s.outWidth << " pack " << s.outPack << " kernel " << s.kernelY << "x"
         << s.kernelX << " stride " << s.strideY << "," << s.strideX << " dilate " << s.dilateY << "," << s.dilateX
         << " pad " << s.padTop << "," << s.padLeft;
}
}  // namespace cpu
}  // namespace MNN

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// A tensor in plain order and the same in packed order, pad lanes NaN.
struct Packed {
    std::vector<float> plain, packed;
    int channels, pixels, pack;

    Packed(int batch, int channels, int pixels, int pack) : channels(channels), pixels(pixels), pack(pack) {
        plain.assign(static_cast<size_t>(batch) * channels * pixels, 0.0f);
        packed.assign(static_cast<size_t>(batch) * ((channels + pack - 1) / pack) * pixels * pack, kNaN);
    }
    size_t packedIndex(size_t i) const {
        const size_t pixel = i % pixels, c = i / pixels % channels, n = i / pixels / channels;
        return ((n * ((channels + pack - 1) / pack) + c / pack) * pixels + pixel) * pack + c % pack;
    }
    void fill(std::mt19937& random) {
        std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
        for (size_t i = 0; i < plain.size(); ++i) packed[packedIndex(i)] = plain[i] = uniform(random);
    }
};

std::vector<double> reference(const ConvShape& s, const std::vector<float>& x, const std::vector<float>& w,
                              const std::vector<float>& bias) {
    std::vector<double> y(static_cast<size_t>(s.batch) * s.outChannels * s.outHeight * s.outWidth);
    const int gi = s.inChannels / s.groups, go = s.outChannels / s.groups;
    const auto add = [&](int n, int g, int i, int o, int iy, int ix, int oy, int ox, int ky, int kx) {
        if (iy < 0 || ix < 0 || iy >= s.inHeight || ix >= s.inWidth) return;
        if (oy < 0 || ox < 0 || oy >= s.outHeight || ox >= s.outWidth) return;
        const int ic = g * gi + i, oc = g * go + o;
        const int filter = s.transposed ? ic * go + o : oc * gi + i;
        y[((static_cast<size_t>(n) * s.outChannels + oc) * s.outHeight + oy) * s.outWidth + ox] +=
            static_cast<double>(x[((static_cast<size_t>(n) * s.inChannels + ic) * s.inHeight + iy) * s.inWidth + ix]) *
            w[(static_cast<size_t>(filter) * s.kernelY + ky) * s.kernelX + kx];
    };
    const int rows = s.transposed ? s.inHeight : s.outHeight, columns = s.transposed ? s.inWidth : s.outWidth;
    for (int n = 0; n < s.batch; ++n)
        for (int g = 0; g < s.groups; ++g)
            for (int o = 0; o < go; ++o)
                for (int i = 0; i < gi; ++i)
                    for (int r = 0; r < rows; ++r)
                        for (int c = 0; c < columns; ++c)
                            for (int ky = 0; ky < s.kernelY; ++ky)
                                for (int kx = 0; kx < s.kernelX; ++kx) {
                                    const int fy = r * s.strideY + ky * s.dilateY - s.padTop;
                                    const int fx = c * s.strideX + kx * s.dilateX - s.padLeft;
                                    if (s.transposed)
                                        add(n, g, i, o, r, c, fy, fx, ky, kx);
                                    else
                                        add(n, g, i, o, fy, fx, r, c, ky, kx);
                                }
    const size_t pixels = static_cast<size_t>(s.outHeight) * s.outWidth;
    for (size_t i = 0; i < y.size(); ++i) y[i] += bias[i / pixels % s.outChannels];
    return y;
}

template <typename Plan>
void runPlan(const Plan& plan, const Packed& x, const std::vector<float>& w, const std::vector<float>& bias,
             const Clamp& clamp, Packed* y) {
    std::vector<float> weights(plan.weightFloats(), kNaN), biases(plan.biasFloats(), kNaN),
        scratch(plan.scratchFloats(), kNaN);
    for (int task = 0; task < plan.weightTasks(); ++task) plan.packWeights(task, w.data(), weights.data());
    plan.packBias(bias.data(), biases.data());
    plan.run(x.packed.data(), weights.data(), biases.data(), clamp, y->packed.data(), scratch.data(),
             [](int tasks, auto&& body) {
                 for (int task = tasks - 1; task >= 0; --task) body(task, 0);
             });
}

void runGeneral(Isa isa, const ConvShape& s, const Packed& x, const std::vector<float>& w,
                const std::vector<float>& bias, const Clamp& clamp, int threads, Packed* y) {
    ConvPlan plan;
    plan.prepare(gemmKernels(isa), s, threads);
    runPlan(plan, x, w, bias, clamp, y);
}

void runDepthwise(Isa isa, const ConvShape& s, const Packed& x, const std::vector<float>& w,
                  const std::vector<float>& bias, const Clamp& clamp, int threads, Packed* y) {
    DepthwisePlan plan;
    plan.prepare(depthwiseRow(isa), s, threads);
    runPlan(plan, x, w, bias, clamp, y);
}

template <int Unit>
void runWinograd(Isa isa, const ConvShape& s, const Packed& x, const std::vector<float>& w,
                 const std::vector<float>& bias, const Clamp& clamp, int threads, Packed* y) {
    WinogradPlan plan;
    plan.prepare(gemmKernels(isa), winogradKernels(isa), s, Unit, threads);
    runPlan(plan, x, w, bias, clamp, y);
}

using RunFn = decltype(&runGeneral);

// slack: how much larger than a direct sum's the error may be.
void check(Isa isa, const ConvShape& s, uint32_t seed, RunFn run = runGeneral, double slack = 1.0) {
    std::mt19937 random(seed);
    Packed x(s.batch, s.inChannels, s.inHeight * s.inWidth, s.inPack);
    x.fill(random);
    std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
    std::vector<float> w(static_cast<size_t>(s.inChannels) * (s.outChannels / s.groups) * s.kernelY * s.kernelX),
        bias(s.outChannels);
    for (float& v : w) v = uniform(random);
    for (float& v : bias) v = uniform(random);
    Clamp clamp;
    if (seed % 3 == 0) clamp = {true, 0.0f, 2.0f};
    const int threads = seed % 2 == 0 ? 1 : 3;
    // Guard floats behind the output show a write past its end.
    Packed y(s.batch, s.outChannels, s.outHeight * s.outWidth, s.outPack);
    const size_t outputs = y.packed.size();
    y.packed.resize(outputs + 16, kNaN);
    run(isa, s, x, w, bias, clamp, threads, &y);
    const std::vector<double> want = reference(s, x.plain, w, bias);
    const double depth = static_cast<double>(s.inChannels / s.groups) * s.kernelY * s.kernelX;
    for (size_t i = 0; i < want.size(); ++i) {
        const double value = clamp.active ? std::min(2.0, std::max(0.0, want[i])) : want[i];
        ASSERT_NEAR(y.packed[y.packedIndex(i)], value, slack * 1e-5 * (1 + 2 * std::sqrt(depth)))
            << isaName(isa) << " " << testing::PrintToString(s) << " threads " << threads << " at " << i;
    }
    for (size_t i = outputs; i < y.packed.size(); ++i)
        ASSERT_TRUE(std::isnan(y.packed[i])) << "written past the output";
}

int outputLength(const ConvShape& s, int in, int kernel, int stride, int dilate, int pads) {
    const int reach = (kernel - 1) * dilate + 1;
    return s.transposed ? (in - 1) * stride + reach - pads : (in + pads - reach) / stride + 1;
}

void setOutput(ConvShape* s, int padBottom, int padRight) {
    s->outHeight = outputLength(*s, s->inHeight, s->kernelY, s->strideY, s->dilateY, s->padTop + padBottom);
    s->outWidth = outputLength(*s, s->inWidth, s->kernelX, s->strideX, s->dilateX, s->padLeft + padRight);
}

ConvShape plainShape(int in, int out, int size, int kernel, int stride, int pad, int inPack, int outPack) {
    ConvShape s;
    s.inChannels = in, s.outChannels = out;
    s.inHeight = s.inWidth = size;
    s.kernelY = s.kernelX = kernel;
    s.strideY = s.strideX = stride;
    s.padTop = s.padLeft = pad;
    s.inPack = inPack, s.outPack = outPack;
    setOutput(&s, pad, pad);
    return s;
}

TEST(ConvKernel, ChannelEdges) {
    uint32_t seed = 0;
    for (Isa isa : availableIsas()) {
        const int pack = isaPack(isa);
        for (int in : {1, 3, pack - 1, pack, pack + 1, 2 * pack + 3}) {
            for (int out : {1, pack - 1, pack, pack + 1, 2 * pack, 2 * pack + 1, 4 * pack + 5}) {
                for (int kernel : {1, 3}) {
                    ++seed;
                    check(isa, plainShape(in, out, 5, kernel, 1, kernel / 2, pack, pack), seed);
                    if (HasFatalFailure()) return;
                }
            }
        }
    }
}

TEST(ConvKernel, EveryPackOnEveryTarget) {
    uint32_t seed = 0;
    for (Isa isa : availableIsas()) {
        for (int inPack : {4, 8, 16}) {
            for (int outPack : {4, 8, 16}) {
                for (int kernel : {1, 3}) {
                    ++seed;
                    check(isa, plainShape(19, 37, 6, kernel, 2, kernel / 2, inPack, outPack), seed);
                    ConvShape s = plainShape(9, 9, 6, 3, 1, 1, inPack, outPack);
                    s.groups = 9;
                    check(isa, s, seed, runDepthwise);
                    if (HasFatalFailure()) return;
                }
            }
        }
    }
}

ConvShape randomShape(std::mt19937& random, bool transposed, bool depthwise) {
    const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
    for (;;) {
        ConvShape s;
        s.transposed = transposed;
        s.batch = pick(1, 2);
        s.groups = depthwise ? pick(1, 35) : pick(0, 2) == 0 ? pick(2, 5) : 1;
        s.inChannels = depthwise ? s.groups : s.groups * pick(1, s.groups > 1 ? 17 : 40);
        s.outChannels = depthwise ? s.groups : s.groups * pick(1, s.groups > 1 ? 17 : 70);
        s.inPack = 4 << pick(0, 2), s.outPack = pick(0, 1) ? s.inPack : 4 << pick(0, 2);
        s.inHeight = pick(1, 12), s.inWidth = pick(1, 21);
        s.kernelY = pick(1, 5), s.kernelX = pick(1, 5);
        s.strideY = pick(1, 3), s.strideX = pick(1, 3);
        s.dilateY = pick(1, 2), s.dilateX = pick(1, 2);
        s.padTop = pick(-1, 3), s.padLeft = pick(-1, 3);
        setOutput(&s, pick(-1, 3), pick(-1, 3));
        if (s.outHeight > 0 && s.outWidth > 0 && s.outHeight < 40 && s.outWidth < 60) return s;
    }
}

TEST(ConvKernel, RandomConvolutions) {
    for (Isa isa : availableIsas()) {
        std::mt19937 random(11);
        for (uint32_t seed = 0; seed < 120 && !HasFatalFailure(); ++seed)
            check(isa, randomShape(random, false, false), seed);
    }
}

TEST(ConvKernel, RandomDeconvolutions) {
    for (Isa isa : availableIsas()) {
        std::mt19937 random(12);
        for (uint32_t seed = 0; seed < 80 && !HasFatalFailure(); ++seed)
            check(isa, randomShape(random, true, false), seed);
    }
}

TEST(ConvKernel, RandomDepthwise) {
    for (Isa isa : availableIsas()) {
        std::mt19937 random(13);
        for (uint32_t seed = 0; seed < 200 && !HasFatalFailure(); ++seed) {
            check(isa, randomShape(random, seed % 4 == 3, true), seed, runDepthwise);
        }
    }
}

TEST(ConvKernel, Winograd) {
    for (Isa isa : availableIsas()) {
        const int lanes = gemmKernels(isa).lanes;
        uint32_t seed = 0;
        for (int size : {1, 2, 3, 4, 5, 8, 13, 30}) {
            for (int channels : {1, lanes, lanes + 3, 3 * lanes}) {
                ConvShape s = plainShape(channels, channels + 2, size, 3, 1, 1, lanes, lanes);
                s.batch = 1 + static_cast<int>(seed % 2);
                check(isa, s, ++seed, runWinograd<2>, 1.0);
                check(isa, s, seed, runWinograd<4>, 2.0);
                if (HasFatalFailure()) return;
            }
        }
        ConvShape valid = plainShape(20, 20, 9, 3, 1, 0, lanes, lanes);
        check(isa, valid, 1, runWinograd<4>, 2.0);
        valid.padLeft = 2;
        setOutput(&valid, 1, 0);
        check(isa, valid, 2, runWinograd<2>, 1.0);
    }
}

TEST(ConvKernel, WinogradIsChosenWhereItPays) {
    const GemmKernels& kernels = gemmKernels(availableIsas().front());
    const int lanes = kernels.lanes;
    EXPECT_EQ(WinogradPlan::chooseUnit(kernels, plainShape(64, 64, 56, 3, 1, 1, lanes, lanes), 4), 4);
    EXPECT_EQ(WinogradPlan::chooseUnit(kernels, plainShape(64, 64, 56, 3, 1, 1, lanes, lanes), 2), 2);
    EXPECT_EQ(WinogradPlan::chooseUnit(kernels, plainShape(64, 64, 56, 3, 1, 1, lanes, lanes), 0), 0);
    EXPECT_EQ(WinogradPlan::chooseUnit(kernels, plainShape(64, 64, 56, 3, 2, 1, lanes, lanes), 4), 0);
    EXPECT_EQ(WinogradPlan::chooseUnit(kernels, plainShape(64, 64, 56, 1, 1, 0, lanes, lanes), 4), 0);
}

TEST(ConvKernel, StripsOfWeightsAndBandsOfInput) {
    for (Isa isa : availableIsas()) {
        const int pack = isaPack(isa);
        check(isa, plainShape(150, 40, 7, 3, 1, 1, pack, pack), 1);  // several strips of K
        check(isa, plainShape(403, 33, 4, 1, 1, 0, pack, pack), 3);
        check(isa, plainShape(20, 4, 257, 3, 1, 1, pack, pack), 2);  // several bands
        if (HasFatalFailure()) return;
    }
}

}  // namespace
