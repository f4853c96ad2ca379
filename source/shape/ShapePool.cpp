#include "shape/Rules.hpp"
#include "shape/Window.hpp"

namespace MNN {
namespace shape {
namespace {

PadMode padMode(PoolPadType type) {
    if (type == PoolPadType_SAME) return PadMode_SAME;
    return type == PoolPadType_VALID ? PadMode_VALID : PadMode_CAFFE;
}

// A second output holds the flat index of each maximum.
bool setOutputs(const Rule& r, const Dims& dims) {
    if (!r.setLike(0, dims)) return false;
    return r.outputs.size() < 2 || r.set(1, dims, halide_type_of<int32_t>(), formatOf(r.inputs[0]));
}

bool poolAll(const Rule& r, const Windows& windows, PadMode mode, Rounding rounding) {
    Dims dims = dimsOf(r.inputs[0]);
    const int first = spatialAxis(r.inputs[0]), count = r.rank(0) - 2;
    for (int i = 0; i < count; ++i) {
        if (!slide(r, dims[first + i], windows[i], mode, rounding, &dims[first + i])) return false;
    }
    return setOutputs(r, dims);
}

bool poolGlobal(const Rule& r) {
    Dims dims = dimsOf(r.inputs[0]);
    for (int i = 0; i < r.rank(0) - 2; ++i) {
        int64_t& length = dims[spatialAxis(r.inputs[0]) + i];
        if (length == 0) return r.fail("cannot pool over an empty dimension");
        length = 1;
    }
    return setOutputs(r, dims);
}

}  // namespace

bool inferPooling(const Rule& r) {
    if (!r.arity(1) || !r.rankBetween(0, 3, 4)) return false;
    const auto* p = r.param<Pool>();
    if (p == nullptr) return false;
    if (p->isGlobal()) return poolGlobal(r);
    Windows windows(2);
    windows[0].kernel = p->kernelY(), windows[1].kernel = p->kernelX();
    windows[0].stride = p->strideY(), windows[1].stride = p->strideX();
    const PadMode mode = padMode(p->padType());
    if (mode == PadMode_CAFFE && !readPads2D(r, p->pads(), p->padY(), p->padX(), &windows)) return false;
    if (!checkWindows(r, windows)) return false;
    // Only explicit padding rounds up; ceilModel's default is true in models that never meant it.
    const bool ceil = mode == PadMode_CAFFE && p->ceilModel();
    return poolAll(r, windows, mode, ceil ? Rounding::Ceil : Rounding::Floor);
}

bool inferPooling3D(const Rule& r) {
    const auto* p = r.param<Pool3D>();
    if (p == nullptr || !r.arity(1)) return false;
    // MNN's converter writes the global pools of images and sequences so, too.
    if (p->isGlobal()) return r.rankBetween(0, 3, 5) && poolGlobal(r);
    if (!r.rankBetween(0, 5, 5)) return false;
    Windows windows;
    return windows3D(r, p->kernels(), p->strides(), nullptr, p->pads(), &windows) &&
           poolAll(r, windows, padMode(p->padType()), Rounding::Floor);
}

}  // namespace shape
}  // namespace MNN
