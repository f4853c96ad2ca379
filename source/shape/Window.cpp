#include "shape/Window.hpp"

namespace MNN {
namespace shape {

bool checkWindows(const Rule& r, const Windows& windows) {
    for (const Window& w : windows) {
        if (w.kernel <= 0) return r.fail("kernel size %lld must be positive", static_cast<long long>(w.kernel));
        if (w.stride <= 0) return r.fail("stride %lld must be positive", static_cast<long long>(w.stride));
        if (w.dilation <= 0) return r.fail("dilation %lld must be positive", static_cast<long long>(w.dilation));
        if (w.padBegin < 0 || w.padEnd < 0) {
            return r.fail("padding (%lld, %lld) must not be negative", static_cast<long long>(w.padBegin),
                          static_cast<long long>(w.padEnd));
        }
    }
    return true;
}

bool readPads2D(const Rule& r, const flatbuffers::Vector<int32_t>* pads, int padY, int padX, Windows* windows) {
    Window& y = (*windows)[0];
    Window& x = (*windows)[1];
    const unsigned count = pads ? pads->size() : 0;
    if (count == 4) {
        y.padBegin = pads->Get(0), x.padBegin = pads->Get(1), y.padEnd = pads->Get(2), x.padEnd = pads->Get(3);
    } else if (count == 2) {
        y.padBegin = y.padEnd = pads->Get(0), x.padBegin = x.padEnd = pads->Get(1);
    } else if (count == 0) {
        y.padBegin = y.padEnd = padY, x.padBegin = x.padEnd = padX;
    } else {
        return r.fail("pads has %u numbers; 4 (top, left, bottom, right) or 2 are expected", count);
    }
    return true;
}

bool windows2D(const Rule& r, const Convolution2DCommon* common, Windows* windows) {
    windows->assign(2, Window());
    (*windows)[0].kernel = common->kernelY(), (*windows)[1].kernel = common->kernelX();
    (*windows)[0].stride = common->strideY(), (*windows)[1].stride = common->strideX();
    (*windows)[0].dilation = common->dilateY(), (*windows)[1].dilation = common->dilateX();
    if (common->padMode() == PadMode_CAFFE && !readPads2D(r, common->pads(), common->padY(), common->padX(), windows)) {
        return false;
    }
    return checkWindows(r, *windows);
}

bool windows3D(const Rule& r, const flatbuffers::Vector<int32_t>* kernels, const flatbuffers::Vector<int32_t>* strides,
               const flatbuffers::Vector<int32_t>* dilates, const flatbuffers::Vector<int32_t>* pads,
               Windows* windows) {
    windows->assign(3, Window());
    if (kernels == nullptr || kernels->size() != 3) return r.fail("three kernel sizes are needed");
    if (strides != nullptr && strides->size() != 3) return r.fail("three strides are needed");
    if (dilates != nullptr && dilates->size() != 3) return r.fail("three dilations are needed");
    if (pads != nullptr && pads->size() != 3 && pads->size() != 6 && pads->size() != 0) {
        return r.fail("pads has %u numbers; 3 or 6 are expected", pads->size());
    }
    const unsigned padCount = pads ? pads->size() : 0;
    for (unsigned i = 0; i < 3; ++i) {
        Window& w = (*windows)[i];
        w.kernel = kernels->Get(i);
        if (strides) w.stride = strides->Get(i);
        if (dilates) w.dilation = dilates->Get(i);
        if (padCount > 0) w.padBegin = pads->Get(i), w.padEnd = pads->Get(padCount == 6 ? i + 3 : i);
    }
    return checkWindows(r, *windows);
}

bool slide(const Rule& r, int64_t in, const Window& w, PadMode mode, Rounding rounding, int64_t* out) {
    if (mode == PadMode_SAME) {
        *out = in / w.stride + (in % w.stride != 0 ? 1 : 0);
        return true;
    }
    const int64_t padBegin = mode == PadMode_VALID ? 0 : w.padBegin;
    const int64_t padded = in + padBegin + (mode == PadMode_VALID ? 0 : w.padEnd);
    const int64_t room = padded - w.extent();
    if (in < 0 || room < 0) {
        return r.fail("a kernel of extent %lld does not fit into %lld elements (padding included)",
                      static_cast<long long>(w.extent()), static_cast<long long>(padded));
    }
    *out = room / w.stride + 1;
    if (rounding == Rounding::Ceil && room % w.stride != 0) {
        // The extra place counts only when it starts on the input or its front padding (Caffe, PyTorch and ONNX agree).
        if (*out * w.stride < in + padBegin) ++*out;
    }
    return true;
}

bool unslide(const Rule& r, int64_t in, const Window& w, PadMode mode, int64_t outPad, int64_t* out) {
    if (mode == PadMode_SAME) {
        *out = in * w.stride;
    } else {
        const int64_t pads = mode == PadMode_VALID ? 0 : w.padBegin + w.padEnd;
        *out = (in - 1) * w.stride + w.extent() - pads + outPad;
    }
    if (in == 0) *out = 0;
    if (*out < 0 || (*out == 0 && in > 0)) {
        return r.fail("padding (%lld, %lld) leaves nothing of the output", static_cast<long long>(w.padBegin),
                      static_cast<long long>(w.padEnd));
    }
    return true;
}

}  // namespace shape
}  // namespace MNN
