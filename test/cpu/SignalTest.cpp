// Fourier transforms, deformed convolution and sums of patches, against their definitions.
#include <cmath>
#include "cpu/ExecutionHarness.hpp"

namespace MNN {
namespace {

using namespace harness;

constexpr double kPi = 3.14159265358979323846;

// The sum that defines a bin of a transform of n points of which x holds some, `parts` numbers each, `step` apart.
void addBin(const float* x, int given, int parts, int64_t step, int n, int k, bool inverse, std::vector<float>* out) {
    double re = 0.0, im = 0.0;
    for (int j = 0; j < std::min(n, given); ++j) {
        const double angle = (inverse ? 2 : -2) * kPi * (static_cast<int64_t>(j) * k % n) / n;
        const double a = x[j * step], b = parts == 2 ? x[j * step + 1] : 0.0;
        re += a * std::cos(angle) - b * std::sin(angle);
        im += a * std::sin(angle) + b * std::cos(angle);
    }
    out->push_back(static_cast<float>(inverse ? re / n : re));
    out->push_back(static_cast<float>(inverse ? im / n : im));
}

TEST(CPUDft, EveryLengthAndForm) {
    for (int n : {1, 2, 3, 4, 5, 6, 8, 12, 16, 30, 37, 60, 101, 128, 130}) {
        for (int parts : {1, 2}) {
            for (int form = 0; form < 4; ++form) {
                const bool inverse = form == 1, onesided = form == 2;
                const int given = form == 3 ? n / 2 + 1 : n, bins = onesided ? n / 2 + 1 : n;
                const Dims in = {2, given, 3, parts}, out = {2, bins, 3, 2};
                const std::vector<float> x = uniform(countOf(in), n);
                std::vector<float> want(countOf(out));
                for (int o = 0; o < 2; ++o) {
                    for (int c = 0; c < 3; ++c) {
                        for (int k = 0; k < bins; ++k) {
                            std::vector<float> bin;
                            addBin(&x[flatOf(in, {o, 0, c, 0})], given, parts, 3 * parts, n, k, inverse, &bin);
                            want[flatOf(out, {o, k, c, 0})] = bin[0], want[flatOf(out, {o, k, c, 1})] = bin[1];
                        }
                    }
                }
                std::vector<TensorPtr> inputs;
                inputs.push_back(tensorOf(in, x));
                if (form == 3) inputs.push_back(tensorOf<int>({}, {n}));
                const TensorPtr y = poisoned(out, halide_type_of<float>());
                ASSERT_EQ(runOp(ExtraOp("DFT")
                                    .i("axis", 1)
                                    .i("inverse", inverse)
                                    .i("onesided", onesided)
                                    .i("has_length", form == 3)
                                    .op(),
                                inputs, {y}, 3),
                          NO_ERROR);
                expectNear(valuesIn<float>(y), want, 1e-5f, std::to_string(n) + " form " + std::to_string(form));
            }
        }
    }
}

TEST(CPUStft, FramesOfBothOps) {
    const int samples = 50, length = 12, step = 7, frames = (samples - length) / step + 1, bins = length / 2 + 1;
    const std::vector<float> x = uniform(2 * samples, 1), window = uniform(length, 2, 0.0f, 1.0f);
    for (bool windowed : {false, true}) {
        std::vector<float> want, magnitudes;
        for (int b = 0; b < 2; ++b) {
            for (int f = 0; f < frames; ++f) {
                std::vector<float> frame(x.begin() + b * samples + f * step,
                                         x.begin() + b * samples + f * step + length);
                for (int i = 0; windowed && i < length; ++i) frame[i] *= window[i];
                for (int k = 0; k < bins; ++k) addBin(frame.data(), length, 1, 1, length, k, false, &want);
            }
        }
        for (size_t i = 0; i < want.size(); i += 2) magnitudes.push_back(std::hypot(want[i], want[i + 1]));
        std::vector<TensorPtr> inputs;
        inputs.push_back(tensorOf({2, samples, 1}, x));
        inputs.push_back(tensorOf<int>({}, {step}));
        if (windowed) inputs.push_back(tensorOf({length}, window));
        if (!windowed) inputs.push_back(tensorOf<int>({}, {length}));
        const TensorPtr y = poisoned({2, frames, bins, 2}, halide_type_of<float>());
        ASSERT_EQ(runOp(ExtraOp("STFT").i("onesided", 1).i("has_window", windowed).i("has_length", !windowed).op(),
                        inputs, {y}, 3),
                  NO_ERROR);
        expectNear(valuesIn<float>(y), want, 1e-5f);
        StftParamT p;
        p.n_fft = length;
        p.hop_length = step;
        std::vector<TensorPtr> second;
        second.push_back(tensorOf({2, samples}, x));
        if (windowed) second.push_back(tensorOf({length}, window));
        const TensorPtr z = poisoned({2, frames, bins}, halide_type_of<float>());
        ASSERT_EQ(runOp(opOf(OpType_Stft, p), second, {z}), NO_ERROR);
        expectNear(valuesIn<float>(z), magnitudes, 1e-5f);
    }
}

double deformedAt(const std::vector<float>& x, const Dims& in, int n, int c, double y, double w) {
    double sum = 0.0;
    for (int i = 0; i < in[2]; ++i) {
        for (int j = 0; j < in[3]; ++j) {
            sum +=
                std::max(1 - std::fabs(i - y), 0.0) * std::max(1 - std::fabs(j - w), 0.0) * x[flatOf(in, {n, c, i, j})];
        }
    }
    return sum;
}

TEST(CPUDeformConv, GroupsOffsetsMaskAndBias) {
    for (int variant = 0; variant < 4; ++variant) {
        const int group = variant % 2 + 1, sets = variant / 2 + 1;
        const Dims in = {2, 4, 6, 7}, w = {6, 4 / group, 3, 2};
        const int strideY = 2, strideX = 1, dilateY = 1, dilateX = 2, top = 1, left = 2, oh = (6 + 2 - 3) / 2 + 1,
                  ow = 7 + 3 - 3 + 1;
        const Dims offsetDims = {2, sets * 2 * 6, oh, ow}, maskDims = {2, sets * 6, oh, ow}, out = {2, 6, oh, ow};
        const std::vector<float> x = uniform(countOf(in), 1), weights = uniform(countOf(w), 2),
                                 offset = uniform(countOf(offsetDims), 3, -2.0f, 2.0f), bias = uniform(6, 4),
                                 mask = uniform(countOf(maskDims), 5, 0.0f, 1.0f);
        const bool hasBias = variant != 1, hasMask = variant != 2;
        std::vector<float> want;
        forEachIndex(out, [&](const Dims& o) {
            double sum = hasBias ? bias[o[1]] : 0.0;
            forEachIndex({4 / group, 3, 2}, [&](const Dims& k) {
                const int c = o[1] / (6 / group) * (4 / group) + k[0], set = c / (4 / sets),
                          tap = set * 6 + k[1] * 2 + k[2];
                const double y =
                    o[2] * strideY - top + k[1] * dilateY + offset[flatOf(offsetDims, {o[0], 2 * tap, o[2], o[3]})];
                const double v = o[3] * strideX - left + k[2] * dilateX +
                                 offset[flatOf(offsetDims, {o[0], 2 * tap + 1, o[2], o[3]})];
                const double m = hasMask ? mask[flatOf(maskDims, {o[0], tap, o[2], o[3]})] : 1.0;
                sum += m * weights[flatOf(w, {o[1], k[0], k[1], k[2]})] * deformedAt(x, in, o[0], c, y, v);
            });
            want.push_back(static_cast<float>(sum));
        });
        std::vector<TensorPtr> inputs;
        for (const TensorPtr& t : {tensorOf(in, x), tensorOf(w, weights), tensorOf(offsetDims, offset)})
            inputs.push_back(t);
        if (hasBias) inputs.push_back(tensorOf({6}, bias));
        if (hasMask) inputs.push_back(tensorOf(maskDims, mask));
        const OpT op = ExtraOp("DeformConv")
                           .ints("strides", {strideY, strideX})
                           .ints("dilations", {dilateY, dilateX})
                           .ints("pads", {top, left, 1, 1})
                           .i("group", group)
                           .i("offset_group", sets)
                           .i("has_bias", hasBias)
                           .i("has_mask", hasMask)
                           .op();
        const TensorPtr y = poisoned(out, halide_type_of<float>());
        ASSERT_EQ(runOp(op, inputs, {y}, 3), NO_ERROR);
        expectNear(valuesIn<float>(y), want, 1e-4f);
    }
}

TEST(CPUCol2Im, SumsPatches) {
    const Dims image = {5, 6}, block = {2, 3}, places = {3, 4}, in = {2, 3 * 6, 12}, out = {2, 3, 5, 6};
    const std::vector<float> x = uniform(countOf(in), 1);
    std::vector<float> want(countOf(out), 0.0f);
    forEachIndex({2, 3, 2, 3, 3, 4}, [&](const Dims& i) {
        const int y = i[4] * 2 - 1 + i[2], c = i[5] * 1 - 1 + i[3] * 2;
        if (y < 0 || y >= 5 || c < 0 || c >= 6) return;
        want[flatOf(out, {i[0], i[1], y, c})] += x[flatOf(in, {i[0], i[1] * 6 + i[2] * 3 + i[3], i[4] * 4 + i[5]})];
    });
    const OpT op = ExtraOp("Col2Im").ints("strides", {2, 1}).ints("dilations", {1, 2}).ints("pads", {1, 1, 0, 1}).op();
    const TensorPtr y = poisoned(out, halide_type_of<float>());
    ASSERT_EQ(runOp(op, {tensorOf(in, x), tensorOf<int>({2}, image), tensorOf<int>({2}, block)}, {y}, 3), NO_ERROR);
    expectNear(valuesIn<float>(y), want, 1e-6f);
}

}  // namespace
}  // namespace MNN
