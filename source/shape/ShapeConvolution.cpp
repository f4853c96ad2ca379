#include "shape/Rules.hpp"
#include "shape/Window.hpp"

namespace MNN {
namespace shape {
namespace {

// The output of an image op: batch, channel and spatial lengths in the input's own order. Spatial lengths past the
// input's rank must be one.
bool setImage(const Rule& r, int64_t channel, const Dims& spatial, halide_type_t type) {
    Dims dims = dimsOf(r.inputs[0]);
    const int first = spatialAxis(r.inputs[0]), count = r.rank(0) - 2;
    for (int i = 0; i < static_cast<int>(spatial.size()); ++i) {
        if (i < count) {
            dims[first + i] = spatial[i];
        } else if (spatial[i] != 1) {
            return r.fail("an input of rank %d cannot hold an output of %lld along its missing dimension", r.rank(0),
                          static_cast<long long>(spatial[i]));
        }
    }
    dims[channelAxis(r.inputs[0])] = channel;
    return r.set(0, dims, type, formatOf(r.inputs[0]));
}

Dims spatialOf(const Rule& r, size_t count) {
    Dims spatial(count, 1);
    for (size_t i = 0; i < count && static_cast<int>(i) < r.rank(0) - 2; ++i) {
        spatial[i] = r.length(0, spatialAxis(r.inputs[0]) + static_cast<int>(i));
    }
    return spatial;
}

bool slideAll(const Rule& r, const Windows& windows, PadMode mode, Dims* spatial) {
    *spatial = spatialOf(r, windows.size());
    for (size_t i = 0; i < windows.size(); ++i) {
        if (!slide(r, (*spatial)[i], windows[i], mode, Rounding::Floor, &(*spatial)[i])) return false;
    }
    return true;
}

bool checkCount(const Rule& r, const char* what, unsigned have, int64_t want) {
    if (have == 0 || have == want) return true;
    return r.fail("%s has %u numbers, %lld are needed", what, have, static_cast<long long>(want));
}

struct Channels {
    int64_t in = 0, out = 0, group = 1;
};

bool checkChannels(const Rule& r, const Channels& c, int inputCount) {
    const auto in = static_cast<long long>(c.in), out = static_cast<long long>(c.out),
               group = static_cast<long long>(c.group);
    if (c.group <= 0) return r.fail("group %lld must be positive", group);
    if (c.out <= 0) return r.fail("%lld output channels; at least one is needed", out);
    if (c.in % c.group != 0) return r.fail("%lld input channels do not divide into %lld groups", in, group);
    if (c.out % c.group != 0) return r.fail("%lld output channels do not divide into %lld groups", out, group);
    if (inputCount > 0 && inputCount != c.in && product({inputCount, c.group}) != c.in) {
        return r.fail("the input has %lld channels, the weights are for %d", in, inputCount);
    }
    return true;
}

bool isDepthwise(const Op* op) {
    return op->type() == OpType_ConvolutionDepthwise || op->type() == OpType_DeconvolutionDepthwise ||
           op->type() == OpType_DepthwiseConvInt8;
}

// Channels of a 2-D convolution; weights given as an input ([out, in / group, kh, kw], transposed ones [in, out /
// group, kh, kw]) say what the parameters leave open.
bool channels2D(const Rule& r, const Convolution2DCommon* common, bool transposed, Windows* windows, Channels* c) {
    c->in = r.length(0, channelAxis(r.inputs[0]));
    c->group = isDepthwise(r.op) && common->group() >= 0 ? c->in : common->group();
    c->out = common->outputCount();
    const bool weightInput = r.inputs.size() > 1 && c->out == 0 && r.has(1) && r.rank(1) == 4;
    if (weightInput) {
        c->out = transposed ? product({r.length(1, 1), c->group}) : r.length(1, 0);
        (*windows)[0].kernel = r.length(1, 2);
        (*windows)[1].kernel = r.length(1, 3);
    } else if (isDepthwise(r.op) && c->out == 0) {
        c->out = c->in;
    }
    if (isDepthwise(r.op)) {
        if (c->in == 0) c->group = 1;
        if (c->out != c->in) {
            return r.fail("a depthwise op gives one output per input channel: %lld in, %lld out",
                          static_cast<long long>(c->in), static_cast<long long>(c->out));
        }
        return checkWindows(r, *windows);
    }
    return checkWindows(r, *windows) && checkChannels(r, *c, common->inputCount());
}

bool checkWeights(const Rule& r, const Convolution2D* p, const Windows& w, const Channels& c, bool transposed) {
    const int64_t kernel = product({w[0].kernel, w[1].kernel});
    const int64_t count =
        transposed ? product({c.in, c.out / c.group, kernel}) : product({c.out, c.in / c.group, kernel});
    if (r.inputs.size() > 1 && r.has(1) && r.rank(1) == 4 && p->weight() == nullptr &&
        TensorUtils::elements(r.inputs[1]) != count) {
        return r.fail("the weight input has %lld numbers, %lld are needed",
                      static_cast<long long>(TensorUtils::elements(r.inputs[1])), static_cast<long long>(count));
    }
    if (c.in == 0) return true;
    if (p->weight() && !checkCount(r, "weight", p->weight()->size(), count)) return false;
    return p->bias() == nullptr || checkCount(r, "bias", p->bias()->size(), c.out);
}

halide_type_t convolutionType(const Rule& r, const Convolution2D* p) {
    const bool quantized = r.op->type() == OpType_ConvInt8 || r.op->type() == OpType_DepthwiseConvInt8;
    if (!quantized) return r.inputs[0]->getType();
    return p->symmetricQuan() ? typeOf(p->symmetricQuan()->outputDataType()) : halide_type_of<int8_t>();
}

const Convolution2DCommon* common2D(const Rule& r, const Convolution2D** parameters) {
    if (!r.arity(1)) return nullptr;
    const auto* p = r.param<Convolution2D>();
    if (p == nullptr || !r.rankBetween(0, 2, 4)) return nullptr;
    if (p->common() == nullptr) r.fail("the convolution's common parameters are missing");
    *parameters = p;
    return p->common();
}

// Sizes asked for by the last input: spatial only, or a whole shape in the order of the model it came from.
bool requestedSpatial(const Rule& r, Dims* spatial) {
    std::vector<int> shape;
    if (!r.ints(r.inputs.size() - 1, &shape)) return false;
    size_t first = 0;
    if (shape.size() == spatial->size() + 2) {
        first = r.op->defaultDimentionFormat() == MNN_DATA_FORMAT_NHWC ? 1 : 2;
    } else if (shape.size() != spatial->size()) {
        return r.fail("the output shape input has %zu numbers; %zu or %zu are expected", shape.size(), spatial->size(),
                      spatial->size() + 2);
    }
    for (size_t i = 0; i < spatial->size(); ++i) (*spatial)[i] = shape[first + i];
    return true;
}

bool unslideAll(const Rule& r, const Windows& windows, PadMode mode, const flatbuffers::Vector<int32_t>* outPads,
                Dims* spatial) {
    *spatial = spatialOf(r, windows.size());
    for (size_t i = 0; i < windows.size(); ++i) {
        const int outPad = outPads && i < outPads->size() ? outPads->Get(static_cast<unsigned>(i)) : 0;
        if (outPad < 0) return r.fail("output padding %d must not be negative", outPad);
        if (!unslide(r, (*spatial)[i], windows[i], mode, outPad, &(*spatial)[i])) return false;
    }
    return true;
}

}  // namespace

bool inferConvolution(const Rule& r) {
    const Convolution2D* p = nullptr;
    const auto* common = common2D(r, &p);
    Windows windows;
    Channels channels;
    Dims spatial;
    return common != nullptr && windows2D(r, common, &windows) && channels2D(r, common, false, &windows, &channels) &&
           checkWeights(r, p, windows, channels, false) && slideAll(r, windows, common->padMode(), &spatial) &&
           setImage(r, channels.out, spatial, convolutionType(r, p));
}

bool inferDeconvolution(const Rule& r) {
    const Convolution2D* p = nullptr;
    const auto* common = common2D(r, &p);
    Windows windows;
    Channels channels;
    if (common == nullptr || !windows2D(r, common, &windows) || !channels2D(r, common, true, &windows, &channels) ||
        !checkWeights(r, p, windows, channels, true)) {
        return false;
    }
    Dims spatial(2, 1);
    if (common->hasOutputShape()) {
        if (!r.arity(2) || !requestedSpatial(r, &spatial)) return false;
    } else if (!unslideAll(r, windows, common->padMode(), common->outPads(), &spatial)) {
        return false;
    }
    return setImage(r, channels.out, spatial, r.inputs[0]->getType());
}

// In: x, filter [channels, kh, kw] as weights; the channels stay.
bool inferDilation2D(const Rule& r) {
    const Convolution2D* p = nullptr;
    const auto* common = common2D(r, &p);
    Windows windows;
    Dims spatial;
    return common != nullptr && windows2D(r, common, &windows) && slideAll(r, windows, common->padMode(), &spatial) &&
           setImage(r, r.length(0, channelAxis(r.inputs[0])), spatial, r.inputs[0]->getType());
}

bool inferConvolution3D(const Rule& r) {
    if (!r.arity(1) || !r.rankBetween(0, 5, 5)) return false;
    const auto* p = r.param<Convolution3D>();
    if (p == nullptr) return false;
    const auto* common = p->common();
    if (common == nullptr) return r.fail("the convolution's common parameters are missing");
    Windows windows;
    Channels c;
    c.in = r.length(0, channelAxis(r.inputs[0])), c.out = common->outputCount(), c.group = common->group();
    if (!windows3D(r, common->kernels(), common->strides(), common->dilates(), common->pads(), &windows) ||
        !checkChannels(r, c, common->inputCount())) {
        return false;
    }
    const bool transposed = r.op->type() == OpType_ConvTranspose3D;
    const int64_t kernel = product({windows[0].kernel, windows[1].kernel, windows[2].kernel});
    const int64_t count =
        transposed ? product({c.in, c.out / c.group, kernel}) : product({c.out, c.in / c.group, kernel});
    if (p->weight() && !checkCount(r, "weight", p->weight()->size(), count)) return false;
    if (p->bias() && !checkCount(r, "bias", p->bias()->size(), c.out)) return false;
    Dims spatial(3, 1);
    if (transposed && common->hasOutputShape()) {
        if (!r.arity(2) || !requestedSpatial(r, &spatial)) return false;
    } else if (transposed) {
        if (!unslideAll(r, windows, common->padMode(), common->outPads(), &spatial)) return false;
    } else if (!slideAll(r, windows, common->padMode(), &spatial)) {
        return false;
    }
    return setImage(r, c.out, spatial, r.inputs[0]->getType());
}

// [n, c, h, w] -> [c * kh * kw, n * oh * ow].
bool inferIm2Col(const Rule& r) {
    const Convolution2D* p = nullptr;
    const auto* common = common2D(r, &p);
    Windows w;
    Dims spatial;
    if (common == nullptr || !windows2D(r, common, &w) || !slideAll(r, w, common->padMode(), &spatial)) return false;
    const int64_t channel = r.length(0, channelAxis(r.inputs[0]));
    return r.set(0, {product({channel, w[0].kernel, w[1].kernel}), product({r.length(0, 0), spatial[0], spatial[1]})},
                 r.inputs[0]->getType(), MNN_DATA_FORMAT_NCHW);
}

// In: x [n, c * kh * kw, places], the spatial output shape [h, w] -> [n, c, h, w].
bool inferCol2Im(const Rule& r) {
    if (!r.arity(2) || !r.rankBetween(0, 2, 3)) return false;
    const auto* p = r.param<Convolution2D>();
    if (p == nullptr) return false;
    if (p->common() == nullptr) return r.fail("the common parameters are missing");
    Windows w;
    std::vector<int> shape;
    if (!windows2D(r, p->common(), &w) || !r.ints(1, &shape)) return false;
    if (shape.size() != 2) return r.fail("the output shape has %zu numbers, 2 are expected", shape.size());
    const int64_t kernel = product({w[0].kernel, w[1].kernel});
    const int64_t rows = r.length(0, r.rank(0) - 2), batch = r.rank(0) == 3 ? r.length(0, 0) : 1;
    int64_t oh = 0, ow = 0;
    if (!slide(r, shape[0], w[0], p->common()->padMode(), Rounding::Floor, &oh) ||
        !slide(r, shape[1], w[1], p->common()->padMode(), Rounding::Floor, &ow)) {
        return false;
    }
    if (rows % kernel != 0 || r.length(0, r.rank(0) - 1) != product({oh, ow})) {
        return r.fail("patches of %lld values at %lldx%lld places are needed", static_cast<long long>(kernel),
                      static_cast<long long>(oh), static_cast<long long>(ow));
    }
    return r.set(0, {batch, rows / kernel, shape[0], shape[1]}, r.inputs[0]->getType(), MNN_DATA_FORMAT_NCHW);
}

// In: x, dy -> the weights' gradient.
bool inferConvolutionBackFilter(const Rule& r) {
    const Convolution2D* p = nullptr;
    const auto* common = common2D(r, &p);
    if (common == nullptr || !r.arity(2) || !r.rankBetween(1, 2, 4)) return false;
    Windows w;
    if (!windows2D(r, common, &w)) return false;
    const int64_t group = common->group(), in = r.length(0, channelAxis(r.inputs[0]));
    const int64_t out = r.length(1, channelAxis(r.inputs[1]));
    if (group <= 0 || in % group != 0 || out % group != 0) return r.fail("channels do not divide into groups");
    return r.set(0, {out, in / group, w[0].kernel, w[1].kernel}, r.inputs[0]->getType(), MNN_DATA_FORMAT_NCHW);
}

// One linear projection per member: the last dimension becomes its output count; act_silu_mul folds two into one.
bool inferFusedLinear(const Rule& r) {
    if (!r.arity(1)) return false;
    const auto* p = r.param<FusedLinearParam>();
    if (p == nullptr) return false;
    if (p->convs() == nullptr || p->convs()->size() == 0) return r.fail("no member convolutions");
    if (!r.rankBetween(0, 2, kMaxRank)) return false;
    const size_t needed = p->act_silu_mul() ? 1 : p->convs()->size();
    if (r.outputs.size() != needed) return r.fail("%zu outputs for %zu projections", r.outputs.size(), needed);
    for (size_t i = 0; i < needed; ++i) {
        const auto* common = p->convs()->Get(static_cast<unsigned>(i))->common();
        if (common == nullptr || common->outputCount() <= 0) return r.fail("projection %zu has no output count", i);
        Dims dims = dimsOf(r.inputs[0]);
        // Channels stand second in the form a 1x1 convolution takes ([n, c, 1, 1]) and last otherwise.
        const bool image =
            dims.size() == 4 && dims[2] == 1 && dims[3] == 1 && formatOf(r.inputs[0]) == MNN_DATA_FORMAT_NCHW;
        dims[image ? 1 : dims.size() - 1] = common->outputCount();
        if (!r.setLike(i, dims)) return false;
    }
    return true;
}

}  // namespace shape
}  // namespace MNN
