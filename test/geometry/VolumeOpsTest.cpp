// 3-D convolution and pooling through 2-D, window ops, lists of tensors.
#include <algorithm>
#include <cmath>
#include "geometry/LoweringHarness.hpp"

namespace MNN {
namespace test {

using geometry::makeOp;

namespace {

struct VolumeCase {
    int group, kernel[3], stride[3], dilation[3], pad[3];
};

const VolumeCase kVolumes[] = {
    {1, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}}, {1, {3, 2, 3}, {1, 1, 1}, {1, 1, 1}, {1, 0, 1}},
    {2, {3, 3, 1}, {2, 1, 2}, {1, 1, 1}, {1, 1, 0}}, {1, {2, 1, 2}, {2, 2, 1}, {2, 1, 1}, {2, 0, 0}},
    {1, {3, 1, 1}, {3, 1, 1}, {1, 1, 1}, {0, 0, 0}},
};

std::unique_ptr<Convolution3DCommonT> commonOf(const VolumeCase& c, int inputs, int outputs) {
    std::unique_ptr<Convolution3DCommonT> common(new Convolution3DCommonT);
    common->kernels.assign(c.kernel, c.kernel + 3);
    common->strides.assign(c.stride, c.stride + 3);
    common->dilates.assign(c.dilation, c.dilation + 3);
    common->pads = {c.pad[0], c.pad[1], c.pad[2], c.pad[0], c.pad[1], c.pad[2]};
    common->group = c.group;
    common->inputCount = inputs;
    common->outputCount = outputs;
    return common;
}

// Calls body(small index, large index, tap) for every pair of places a window joins.
void forEachTap(const VolumeCase& c, const Dims& small, const Dims& large,
                const std::function<void(const Dims&, const Dims&, const Dims&)>& body) {
    forEachIndex(small, [&](const Dims& s) {
        forEachIndex({c.kernel[0], c.kernel[1], c.kernel[2]}, [&](const Dims& k) {
            Dims l(3);
            bool inside = true;
            for (int d = 0; d < 3; ++d) {
                l[d] = s[d] * c.stride[d] - c.pad[d] + k[d] * c.dilation[d];
                inside = inside && l[d] >= 0 && l[d] < large[d];
            }
            if (inside) body(s, l, k);
        });
    });
}

}  // namespace

TEST(VolumeOps, Convolution) {
    for (const VolumeCase& c : kVolumes) {
        Harness h;
        const int N = 2, IC = 4, OC = 6;
        const Dims x = {N, IC, 5, 4, 3}, in = {5, 4, 3};
        Dims out(3);
        for (int d = 0; d < 3; ++d)
            out[d] = (in[d] + 2 * c.pad[d] - (c.kernel[d] - 1) * c.dilation[d] - 1) / c.stride[d] + 1;
        const Dims y = {N, OC, out[0], out[1], out[2]}, w = {OC, IC / c.group, c.kernel[0], c.kernel[1], c.kernel[2]};
        Convolution3DT param;
        param.common = commonOf(c, IC, OC);
        param.common->relu = true;
        param.weight = Harness::noise(w, 1);
        param.bias = Harness::noise({OC}, 2);
        const Values v = Harness::noise(x, 3);
        Tensor* result = h.output(y);
        const Values weight = param.weight, bias = param.bias;
        ASSERT_TRUE(h.lower(makeOp(OpType_Convolution3D, std::move(param)), {h.input(x, v)}, {result}));
        Values want(count(y));
        forEachIndex(y, [&](const Dims& i) { want[flat(y, i)] = bias[i[1]]; });
        forEachTap(c, out, in, [&](const Dims& s, const Dims& l, const Dims& k) {
            for (int n = 0; n < N; ++n) {
                for (int o = 0; o < OC; ++o) {
                    for (int i = 0; i < IC / c.group; ++i) {
                        const int ic = o / (OC / c.group) * (IC / c.group) + i;
                        want[flat(y, {n, o, s[0], s[1], s[2]})] +=
                            v[flat(x, {n, ic, l[0], l[1], l[2]})] * weight[flat(w, {o, i, k[0], k[1], k[2]})];
                    }
                }
            }
        });
        for (float& value : want) value = std::max(value, 0.0f);
        expectNear(h.read(result), want, 1e-5f);
    }
}

TEST(VolumeOps, TransposedConvolution) {
    for (const VolumeCase& c : kVolumes) {
        Harness h;
        const int N = 2, IC = 4, OC = 6;
        const Dims x = {N, IC, 3, 2, 3}, in = {3, 2, 3};
        Dims out(3);
        for (int d = 0; d < 3; ++d)
            out[d] = (in[d] - 1) * c.stride[d] + (c.kernel[d] - 1) * c.dilation[d] + 1 - 2 * c.pad[d];
        if (*std::min_element(out.begin(), out.end()) <= 0) continue;
        const Dims y = {N, OC, out[0], out[1], out[2]}, w = {IC, OC / c.group, c.kernel[0], c.kernel[1], c.kernel[2]};
        Convolution3DT param;
        param.common = commonOf(c, IC, OC);
        param.weight = Harness::noise(w, 1);
        param.bias = Harness::noise({OC}, 2);
        const Values v = Harness::noise(x, 3), weight = param.weight, bias = param.bias;
        Tensor* result = h.output(y);
        ASSERT_TRUE(h.lower(makeOp(OpType_ConvTranspose3D, std::move(param)), {h.input(x, v)}, {result}));
        Values want(count(y));
        forEachIndex(y, [&](const Dims& i) { want[flat(y, i)] = bias[i[1]]; });
        forEachTap(c, in, out, [&](const Dims& s, const Dims& l, const Dims& k) {
            for (int n = 0; n < N; ++n) {
                for (int ic = 0; ic < IC; ++ic) {
                    for (int o = 0; o < OC / c.group; ++o) {
                        const int oc = ic / (IC / c.group) * (OC / c.group) + o;
                        want[flat(y, {n, oc, l[0], l[1], l[2]})] +=
                            v[flat(x, {n, ic, s[0], s[1], s[2]})] * weight[flat(w, {ic, o, k[0], k[1], k[2]})];
                    }
                }
            }
        });
        expectNear(h.read(result), want, 1e-5f);
    }
}

TEST(VolumeOps, Pooling) {
    for (PoolType type : {PoolType_MAXPOOL, PoolType_AVEPOOL}) {
        for (bool global : {false, true}) {
            Harness h;
            VolumeCase c = {1, {3, 2, 3}, {2, 1, 2}, {1, 1, 1}, {1, 0, 1}};
            const Dims x = {2, 3, 5, 4, 3}, in = {5, 4, 3};
            Dims out = {3, 3, 2};
            Pool3DT param;
            param.type = type;
            param.isGlobal = global;
            if (global) {
                out = {1, 1, 1};
                c = {1, {5, 4, 3}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}};
            } else {
                param.kernels.assign(c.kernel, c.kernel + 3);
                param.strides.assign(c.stride, c.stride + 3);
                param.pads.assign(c.pad, c.pad + 3);
            }
            const Values v = Harness::noise(x, 3);
            const Dims y = {2, 3, out[0], out[1], out[2]};
            Tensor* result = h.output(y);
            ASSERT_TRUE(h.lower(makeOp(OpType_Pooling3D, param), {h.input(x, v, 8)}, {result}));
            std::vector<Values> windows(count(y));
            forEachTap(c, out, in, [&](const Dims& s, const Dims& l, const Dims&) {
                for (int n = 0; n < 2; ++n) {
                    for (int ch = 0; ch < 3; ++ch)
                        windows[flat(y, {n, ch, s[0], s[1], s[2]})].push_back(v[flat(x, {n, ch, l[0], l[1], l[2]})]);
                }
            });
            Values want;
            for (const Values& window : windows) {
                float sum = 0;
                for (float value : window) sum += value;
                want.push_back(type == PoolType_MAXPOOL ? *std::max_element(window.begin(), window.end())
                                                        : sum / window.size());
            }
            expectNear(h.read(result), want, 1e-5f);
        }
    }
}

// MNN's converter does not know the rank of what a global pool reads, and writes Pooling3D for all of them.
TEST(VolumeOps, GlobalPoolOfAnImage) {
    Harness h;
    Pool3DT param;
    param.type = PoolType_AVEPOOL;
    param.isGlobal = true;
    Tensor* result = h.output({1, 2, 1, 1});
    ASSERT_TRUE(
        h.lower(makeOp(OpType_Pooling3D, param), {h.input({1, 2, 2, 2}, {1, 2, 3, 6, 5, 5, 5, 9}, 8)}, {result}));
    expectNear(h.read(result), {3, 6}, 1e-6f);
}

namespace {

struct ImageCase {
    int kernelY, kernelX, strideY, strideX, dilateY, dilateX, padY, padX;
};
const ImageCase kImages[] = {
    {1, 1, 1, 1, 1, 1, 0, 0}, {3, 2, 1, 2, 1, 1, 1, 0}, {2, 3, 2, 3, 1, 1, 0, 0}, {3, 3, 2, 1, 1, 2, 2, 1}};

std::unique_ptr<Convolution2DCommonT> commonOf(const ImageCase& c) {
    std::unique_ptr<Convolution2DCommonT> common(new Convolution2DCommonT);
    common->kernelY = c.kernelY, common->kernelX = c.kernelX;
    common->strideY = c.strideY, common->strideX = c.strideX;
    common->dilateY = c.dilateY, common->dilateX = c.dilateX;
    common->padY = c.padY, common->padX = c.padX;
    return common;
}

int placesOf(int in, int kernel, int stride, int dilation, int pad) {
    return (in + 2 * pad - (kernel - 1) * dilation - 1) / stride + 1;
}

}  // namespace

TEST(WindowOps, Im2ColAndCol2Im) {
    for (const ImageCase& c : kImages) {
        const int N = 2, C = 3, H = 6, W = 7;
        const int OH = placesOf(H, c.kernelY, c.strideY, c.dilateY, c.padY),
                  OW = placesOf(W, c.kernelX, c.strideX, c.dilateX, c.padX);
        const Dims dims = {N, C, H, W}, columns = {C, c.kernelY, c.kernelX, N, OH, OW},
                   patches = {N, C, c.kernelY, c.kernelX, OH, OW};
        const Values x = Harness::noise(dims, 1), p = Harness::noise(patches, 2);
        Harness h;
        Convolution2DT param;
        param.common = commonOf(c);
        Tensor* y = h.output({C * c.kernelY * c.kernelX, N * OH * OW});
        ASSERT_TRUE(h.lower(makeOp(OpType_Im2Col, std::move(param)), {h.input(dims, x, 4)}, {y}));
        Convolution2DT back;
        back.common = commonOf(c);
        Tensor* image = h.output(dims);
        ASSERT_TRUE(h.lower(makeOp(OpType_Col2Im, std::move(back)),
                            {h.input({N, C * c.kernelY * c.kernelX, OH * OW}, p), h.constant({2}, {H, W})}, {image}));
        Values want, sums(count(dims), 0.0f);
        forEachIndex(columns, [&](const Dims& i) {
            const int row = i[4] * c.strideY - c.padY + i[1] * c.dilateY,
                      column = i[5] * c.strideX - c.padX + i[2] * c.dilateX;
            const bool inside = row >= 0 && column >= 0 && row < H && column < W;
            want.push_back(inside ? x[flat(dims, {i[3], i[0], row, column})] : 0.0f);
            if (inside)
                sums[flat(dims, {i[3], i[0], row, column})] += p[flat(patches, {i[3], i[0], i[1], i[2], i[4], i[5]})];
        });
        expectNear(h.read(y), want);
        expectNear(h.read(image), sums, 1e-6f);
    }
}

TEST(WindowOps, Dilation) {
    for (const ImageCase& c : kImages) {
        const int C = 3, H = 6, W = 7;
        const int OH = placesOf(H, c.kernelY, c.strideY, c.dilateY, c.padY),
                  OW = placesOf(W, c.kernelX, c.strideX, c.dilateX, c.padX);
        const Dims dims = {2, C, H, W}, to = {2, C, OH, OW};
        const Values x = Harness::noise(dims, 1);
        Harness h;
        Convolution2DT param;
        param.common = commonOf(c);
        param.weight = Harness::noise({C, c.kernelY, c.kernelX}, 2);
        const Values weight = param.weight;
        Tensor* y = h.output(to);
        ASSERT_TRUE(h.lower(makeOp(OpType_Dilation2D, std::move(param)), {h.input(dims, x)}, {y}));
        Values want;
        forEachIndex(to, [&](const Dims& i) {
            float best = -3.402823466e38f;
            forEachIndex({c.kernelY, c.kernelX}, [&](const Dims& k) {
                const int row = i[2] * c.strideY - c.padY + k[0] * c.dilateY,
                          column = i[3] * c.strideX - c.padX + k[1] * c.dilateX;
                if (row < 0 || column < 0 || row >= H || column >= W) return;
                best = std::max(best, x[flat(dims, {i[0], i[1], row, column})] +
                                          weight[flat({C, c.kernelY, c.kernelX}, {i[1], k[0], k[1]})]);
            });
            want.push_back(best);
        });
        expectNear(h.read(y), want, 1e-6f);
    }
}

TEST(TensorArrays, WriteInsertEraseReadConcat) {
    Harness h;
    TensorArrayT param;
    auto op = [&](OpType type) { return makeOp(type, TensorArrayT(param)); };
    Tensor* handle = h.output({}, halide_type_of<int32_t>());
    Tensor* flow = h.output({2, 0});
    ASSERT_TRUE(h.lower(op(OpType_TensorArray), {h.constant({}, {2})}, {handle, flow}));
    auto step = [&](OpType type, int place, Tensor* value, int length) {
        Tensor* next = h.output({length, 2, 3});
        Tensors inputs = {handle, h.constant({}, {place})};
        if (value != nullptr) inputs.push_back(value);
        inputs.push_back(flow);
        EXPECT_TRUE(h.lower(op(type), inputs, {next}));
        flow = next;
    };
    auto value = [&](float v) { return h.input({2, 3}, Values(6, v)); };
    step(OpType_TensorArrayWrite, 1, value(1), 2);
    step(OpType_TensorArrayWrite, 0, value(2), 2);
    step(OpType_TensorArrayInsert, 1, value(3), 3);
    step(OpType_TensorArrayErase, 0, nullptr, 2);
    Values want(6, 3.0f);
    want.resize(12, 1.0f);
    expectNear(h.read(flow), want);
    Tensor* size = h.output({}, halide_type_of<int32_t>());
    Tensor* last = h.output({2, 3});
    ASSERT_TRUE(h.lower(op(OpType_TensorArraySize), {handle, flow}, {size}));
    ASSERT_TRUE(h.lower(op(OpType_TensorArrayRead), {handle, h.constant({}, {-1}), flow}, {last}));
    expectNear(h.read(size), {2});
    expectNear(h.read(last), Values(6, 1.0f));
    param.axis = 1;
    Tensor* joined = h.output({2, 6});
    ASSERT_TRUE(h.lower(op(OpType_TensorArrayConcat), {handle, flow}, {joined}));
    expectNear(h.read(joined), {3, 3, 3, 1, 1, 1, 3, 3, 3, 1, 1, 1});
}

TEST(TensorArrays, SplitScatterGather) {
    Harness h;
    TensorArrayT param;
    param.axis = 1;
    Tensor* handle = h.output({}, halide_type_of<int32_t>());
    Tensor* flow = h.input({1, 0}, {});
    Tensor* split = h.output({2, 2, 2});
    ASSERT_TRUE(h.lower(makeOp(OpType_TensorArraySplit, TensorArrayT(param)),
                        {handle, h.input({2, 4}, Harness::ramp({8})), h.constant({2}, {2, 2}), flow}, {split}));
    expectNear(h.read(split), {1, 2, 5, 6, 3, 4, 7, 8});
    Tensor* scattered = h.output({3, 2, 2});
    ASSERT_TRUE(h.lower(makeOp(OpType_TensorArrayScatter, TensorArrayT(param)),
                        {handle, h.constant({2}, {2, 0}), h.input({2, 2, 2}, Harness::noise({8}, 1)), split},
                        {scattered}));
    Tensor* gathered = h.output({2, 2, 2});
    ASSERT_TRUE(h.lower(makeOp(OpType_TensorArrayGather, TensorArrayT(param)),
                        {handle, h.constant({2}, {2, 1}), scattered}, {gathered}));
    const Values v = Harness::noise({8}, 1);
    expectNear(h.read(gathered), {v[0], v[1], v[2], v[3], 3, 4, 7, 8});
}

}  // namespace test
}  // namespace MNN
