// Ops of type Extra, engine "MNN" (docs/extra-ops.md): ONNX semantics that the parameter tables cannot say.
#include "shape/Rules.hpp"
#include "shape/Window.hpp"

#include <algorithm>
#include <cmath>
#include "core/ExtraAttributes.hpp"

namespace MNN {
namespace shape {
namespace {

using Ints = std::vector<int>;

int entry(const Ints& list, size_t i, int fallback) { return i < list.size() ? list[i] : fallback; }

bool listFits(const Rule& r, const char* what, const Ints& list, size_t count) {
    if (list.empty() || list.size() == count) return true;
    return r.fail("%s has %zu numbers, %zu are expected", what, list.size(), count);
}

// Windows from the attributes, one per spatial axis.
bool windowsOf(const Rule& r, const Ints& kernel, Windows* windows) {
    const size_t count = kernel.size();
    const Ints strides = extra::integers(r.op, "strides"), dilations = extra::integers(r.op, "dilations");
    const Ints pads = extra::integers(r.op, "pads");
    if (!listFits(r, "strides", strides, count) || !listFits(r, "dilations", dilations, count) ||
        !listFits(r, "pads", pads, 2 * count)) {
        return false;
    }
    windows->assign(count, Window());
    for (size_t i = 0; i < count; ++i) {
        Window& w = (*windows)[i];
        w.kernel = kernel[i], w.stride = entry(strides, i, 1), w.dilation = entry(dilations, i, 1);
        w.padBegin = entry(pads, i, 0), w.padEnd = entry(pads, i + count, 0);
    }
    return checkWindows(r, *windows);
}

PadMode autoPad(const Rule& r) {
    const std::string mode = extra::text(r.op, "auto_pad", "NOTSET");
    if (mode == "SAME_UPPER" || mode == "SAME_LOWER") return PadMode_SAME;
    return mode == "VALID" ? PadMode_VALID : PadMode_CAFFE;
}

}  // namespace

// MaxPool and AveragePool.
bool inferExtraPool(const Rule& r) {
    if (!r.arity(1) || !r.rankBetween(0, 3, 5)) return false;
    const Ints kernel = extra::integers(r.op, "kernel_shape");
    const size_t count = r.rank(0) - 2;
    if (kernel.size() != count)
        return r.fail("kernel_shape has %zu numbers for %zu spatial axes", kernel.size(), count);
    Windows windows;
    if (!windowsOf(r, kernel, &windows)) return false;
    const PadMode mode = autoPad(r);
    const bool ceil = mode == PadMode_CAFFE && extra::integer(r.op, "ceil_mode", 0) != 0;
    Dims dims = dimsOf(r.inputs[0]);
    for (size_t i = 0; i < count; ++i) {
        int64_t& length = dims[spatialAxis(r.inputs[0]) + i];
        if (!slide(r, length, windows[i], mode, ceil ? Rounding::Ceil : Rounding::Floor, &length)) return false;
    }
    if (!r.setLike(0, dims)) return false;
    return r.outputs.size() < 2 || r.set(1, dims, halide_type_of<int32_t>(), formatOf(r.inputs[0]));
}

// In: x, w [out, in / group, kh, kw], offset [n, offset groups * 2 * kh * kw, oh, ow] [, bias] [, mask].
bool inferDeformConv(const Rule& r) {
    if (!r.arity(3)) return false;
    for (size_t i = 0; i < 3; ++i) {
        if (!r.rankBetween(i, 4, 4)) return false;
    }
    Windows w;
    if (!windowsOf(r, {r.inputs[1]->length(2), r.inputs[1]->length(3)}, &w)) return false;
    const int64_t group = extra::integer(r.op, "group", 1), sets = extra::integer(r.op, "offset_group", 1);
    const int64_t in = r.length(0, 1), out = r.length(1, 0), taps = product({w[0].kernel, w[1].kernel});
    if (group <= 0 || sets <= 0 || in % group != 0 || out % group != 0 || in % sets != 0) {
        return r.fail("channels do not divide into %lld groups and %lld offset groups", static_cast<long long>(group),
                      static_cast<long long>(sets));
    }
    if (r.length(1, 1) != in / group) return r.fail("the weights are for %d channels a group", r.inputs[1]->length(1));
    Dims dims{r.length(0, 0), out, 0, 0};
    for (int i = 0; i < 2; ++i) {
        if (!slide(r, r.length(0, 2 + i), w[i], PadMode_CAFFE, Rounding::Floor, &dims[2 + i])) return false;
    }
    const Dims offset{dims[0], product({sets, 2, taps}), dims[2], dims[3]};
    const Dims mask{dims[0], product({sets, taps}), dims[2], dims[3]};
    if (dimsOf(r.inputs[2]) != offset) return r.fail("the offset must be %s", text(offset).c_str());
    size_t next = 3;
    if (extra::integer(r.op, "has_bias", 0) != 0) {
        if (!r.arity(next + 1)) return false;
        if (TensorUtils::elements(r.inputs[next++]) != out)
            return r.fail("the bias needs one number per output channel");
    }
    if (extra::integer(r.op, "has_mask", 0) != 0) {
        if (!r.arity(next + 1)) return false;
        if (dimsOf(r.inputs[next]) != mask) return r.fail("the mask must be %s", text(mask).c_str());
    }
    return r.setLike(0, dims);
}

// In: x [n, channels * block, places], the image's shape, the block's shape.
bool inferExtraCol2Im(const Rule& r) {
    Ints image, block;
    if (!r.arity(3) || !r.rankBetween(0, 3, 3) || !r.ints(1, &image) || !r.ints(2, &block)) return false;
    if (image.empty() || image.size() != block.size()) return r.fail("image and block must have one rank");
    Windows windows;
    if (!windowsOf(r, block, &windows)) return false;
    const int64_t volume = product(Dims(block.begin(), block.end()), 0, block.size());
    Dims dims{r.length(0, 0), r.length(0, 1) / volume}, places;
    for (size_t i = 0; i < image.size(); ++i) {
        places.push_back(0);
        if (!slide(r, image[i], windows[i], PadMode_CAFFE, Rounding::Floor, &places[i])) return false;
        dims.push_back(image[i]);
    }
    if (r.length(0, 1) % volume != 0 || r.length(0, 2) != product(places, 0, places.size())) {
        return r.fail("patches of %lld values at %s places are needed", static_cast<long long>(volume),
                      text(places).c_str());
    }
    return r.setLike(0, dims);
}

namespace {

// The axes that scales and sizes are about.
bool resizeAxes(const Rule& r, Ints* axes) {
    *axes = extra::integers(r.op, "axes");
    if (axes->empty()) {
        for (int i = 0; i < r.rank(0); ++i) axes->push_back(i);
    }
    for (int& value : *axes) {
        if (!r.axis(value, r.rank(0), &value)) return false;
    }
    return true;
}

bool resizeByScales(const Rule& r, size_t input, const Ints& axes, Dims* dims) {
    const Tensor* t = r.inputs[input];
    if (t->getType().code != halide_type_float || t->getType().bits != 32) return r.fail("scales must be float32");
    if (TensorUtils::elements(t) != static_cast<int64_t>(axes.size()) || t->host<float>() == nullptr) {
        return r.fail("scales must be known and list %zu numbers", axes.size());
    }
    for (size_t i = 0; i < axes.size(); ++i) {
        const float scale = t->host<float>()[i], length = std::floor(static_cast<float>((*dims)[axes[i]]) * scale);
        if (!(scale > 0.0f) || !(length < 2147483648.0f))
            return r.fail("cannot scale dimension %d by %g", axes[i], scale);
        (*dims)[axes[i]] = static_cast<int64_t>(length);
    }
    return true;
}

bool resizeBySizes(const Rule& r, size_t input, const Ints& axes, Dims* dims) {
    Ints sizes;
    if (!r.ints(input, &sizes)) return false;
    if (sizes.size() != axes.size())
        return r.fail("sizes lists %zu numbers, %zu are expected", sizes.size(), axes.size());
    const std::string policy = extra::text(r.op, "keep_aspect_ratio_policy", "stretch");
    const bool larger = policy == "not_smaller", stretch = policy.empty() || policy == "stretch";
    double scale = 0.0;
    for (size_t i = 0; i < axes.size(); ++i) {
        const int64_t length = (*dims)[axes[i]];
        if (!stretch && length <= 0) return r.fail("dimension %d is empty and has no aspect ratio", axes[i]);
        const double own = stretch ? 0.0 : static_cast<double>(sizes[i]) / static_cast<double>(length);
        scale = i == 0 ? own : (larger ? std::max(scale, own) : std::min(scale, own));
    }
    for (size_t i = 0; i < axes.size(); ++i) {
        int64_t& length = (*dims)[axes[i]];
        const double kept = std::floor(scale * static_cast<double>(length) + 0.5);
        if (!stretch && !(kept < 2147483648.0)) return r.fail("dimension %d would be too large", axes[i]);
        length = stretch ? sizes[i] : static_cast<int64_t>(kept);
    }
    return true;
}

}  // namespace

// In: x, then those of roi, scales, sizes that the flags announce.
bool inferExtraResize(const Rule& r) {
    if (!r.arity(2)) return false;
    Ints axes;
    if (!resizeAxes(r, &axes)) return false;
    const bool scales = extra::integer(r.op, "has_scales", 0) != 0, sizes = extra::integer(r.op, "has_sizes", 0) != 0;
    size_t input = extra::integer(r.op, "has_roi", 0) != 0 ? 2 : 1;
    Dims dims = dimsOf(r.inputs[0]);
    if (scales && sizes && r.has(input) && TensorUtils::elements(r.inputs[input]) == 0) ++input;
    if (!scales && !sizes) return r.fail("neither scales nor sizes are given");
    if (!r.arity(input + 1)) return false;
    const bool byScales = scales && r.inputs[input]->getType().code == halide_type_float;
    if (!(byScales ? resizeByScales(r, input, axes, &dims) : resizeBySizes(r, input, axes, &dims))) return false;
    const bool emptyIn = TensorUtils::elements(r.inputs[0]) == 0;
    if (emptyIn && product(dims, 0, dims.size()) > 0) return r.fail("an empty input cannot be resized");
    return r.setLike(0, dims);
}

// In: x [..., 1 or 2] [, length]. The last axis of the result is (real, imaginary).
bool inferDft(const Rule& r) {
    if (!r.arity(1) || !r.rankBetween(0, 2, kMaxRank)) return false;
    const int rank = r.rank(0);
    const int64_t parts = r.length(0, rank - 1);
    int axis = 0, length = 0;
    if (parts != 1 && parts != 2) return r.fail("the last axis must be 1 (real) or 2 (complex)");
    if (!r.axis(static_cast<int>(extra::integer(r.op, "axis", -2)), rank, &axis)) return false;
    if (axis == rank - 1) return r.fail("the transformed axis cannot be the last one");
    Dims dims = dimsOf(r.inputs[0]);
    length = static_cast<int>(dims[axis]);
    if (extra::integer(r.op, "has_length", 0) != 0 && (!r.arity(2) || !r.scalar(1, &length))) return false;
    if (length <= 0) return r.fail("a transform of %d points", length);
    const bool onesided = extra::integer(r.op, "onesided", 0) != 0;
    if (onesided && extra::integer(r.op, "inverse", 0) != 0) return r.fail("a one-sided inverse is not defined");
    dims[axis] = onesided ? length / 2 + 1 : length;
    dims[rank - 1] = 2;
    return r.setLike(0, dims);
}

// In: signal [batch, samples, 1 or 2], step [, window] [, frame length]. Out: [batch, frames, bins, 2].
bool inferExtraStft(const Rule& r) {
    int step = 0, frame = 0;
    if (!r.arity(2) || !r.rankBetween(0, 2, 3) || !r.scalar(1, &step)) return false;
    const bool window = extra::integer(r.op, "has_window", 0) != 0;
    const size_t lengthInput = window ? 3 : 2;
    if (extra::integer(r.op, "has_length", 0) != 0) {
        if (!r.arity(lengthInput + 1) || !r.scalar(lengthInput, &frame)) return false;
    } else if (window && r.arity(3)) {
        frame = static_cast<int>(TensorUtils::elements(r.inputs[2]));
    }
    if (step <= 0 || frame <= 0) return r.fail("frames of %d samples every %d samples", frame, step);
    const int64_t samples = r.length(0, 1);
    if (samples < frame)
        return r.fail("%lld samples do not fill a frame of %d", static_cast<long long>(samples), frame);
    if (window && r.arity(3) && TensorUtils::elements(r.inputs[2]) > frame)
        return r.fail("the window is longer than a frame");
    const bool onesided = extra::integer(r.op, "onesided", 1) != 0;
    return r.setLike(0, {r.length(0, 0), (samples - frame) / step + 1, onesided ? frame / 2 + 1 : frame, 2});
}

namespace {

// Sizes of an ONNX recurrent layer.
struct Recurrent {
    int64_t steps = 0, batch = 0, features = 0, directions = 1, hidden = 0, gates = 1;
};

// The op lists only the inputs it has; `inputs` gives their positions in ONNX.
bool checkRecurrentInputs(const Rule& r, const Recurrent& n) {
    const Ints positions = extra::integers(r.op, "inputs");
    const int64_t rows = product({n.directions, n.gates, n.hidden});
    // W, R, B, sequence lengths, first h, first c, peepholes.
    const int64_t counts[] = {product({rows, n.features}),
                              product({rows, n.hidden}),
                              2 * rows,
                              n.batch,
                              product({n.directions, n.batch, n.hidden}),
                              product({n.directions, n.batch, n.hidden}),
                              product({3, n.directions, n.hidden})};
    for (size_t i = 1; i < r.inputs.size(); ++i) {
        const int place = entry(positions, i, static_cast<int>(i));
        if (place < 1 || place > 7) return r.fail("input %zu has the unknown place %d", i, place);
        if (!r.has(i) || TensorUtils::elements(r.inputs[i]) != counts[place - 1]) {
            return r.fail("input %zu (place %d) must have %lld numbers", i, place,
                          static_cast<long long>(counts[place - 1]));
        }
    }
    return true;
}

}  // namespace

// LSTM, GRU and RNN. layout 0: x [steps, batch, features], Y [steps, directions, batch, hidden], states [directions,
// batch, hidden]. layout 1: batch first everywhere.
bool inferExtraRecurrent(const Rule& r) {
    if (!r.arity(3) || !r.rankBetween(0, 3, 3) || !r.rankBetween(1, 3, 3) || !r.rankBetween(2, 3, 3)) return false;
    const std::string type = r.op->main_as_Extra()->type()->str(),
                      direction = extra::text(r.op, "direction", "forward");
    const bool batchFirst = extra::integer(r.op, "layout", 0) != 0;
    Recurrent n;
    n.steps = r.length(0, batchFirst ? 1 : 0), n.batch = r.length(0, batchFirst ? 0 : 1), n.features = r.length(0, 2);
    n.directions = direction == "bidirectional" ? 2 : 1;
    n.gates = type == "LSTM" ? 4 : (type == "GRU" ? 3 : 1);
    n.hidden = extra::integer(r.op, "hidden_size", r.length(2, 2));
    if (n.hidden <= 0) return r.fail("hidden_size %lld must be positive", static_cast<long long>(n.hidden));
    if (r.length(1, 0) != n.directions) return r.fail("the weights are for %d directions", r.inputs[1]->length(0));
    if (!checkRecurrentInputs(r, n)) return false;
    Dims all{n.steps, n.directions, n.batch, n.hidden}, state{n.directions, n.batch, n.hidden};
    if (batchFirst) all = {n.batch, n.steps, n.directions, n.hidden}, state = {n.batch, n.directions, n.hidden};
    for (size_t i = 0; i < r.outputs.size(); ++i) {
        if (!r.setLike(i, i == 0 ? all : state)) return false;
    }
    return true;
}

}  // namespace shape
}  // namespace MNN
