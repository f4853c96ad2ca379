// Im2Col, Col2Im and Dilation2D: windows of an image, tap by tap.
#include <algorithm>
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"
#include "geometry/Taps.hpp"

namespace MNN {
namespace geometry {
namespace {

struct Window2D {
    WindowAxis y, x;
};

Window2D windowOf(const Convolution2DCommon* c, int H, int W, int OH, int OW) {
    Window2D window;
    window.y = {c->kernelY(), std::max(1, c->strideY()), std::max(1, c->dilateY()), 0};
    window.x = {c->kernelX(), std::max(1, c->strideX()), std::max(1, c->dilateX()), 0};
    const bool listed = c->pads() != nullptr && c->pads()->size() >= 2;
    window.y.pad = windowPad(c->padMode(), window.y, listed ? c->pads()->Get(0) : c->padY(), H, OH);
    window.x.pad = windowPad(c->padMode(), window.x, listed ? c->pads()->Get(1) : c->padX(), W, OW);
    return window;
}

// Places of the window: the shape rule's count, which the output's size confirms.
int placesOf(const WindowAxis& window, PadMode mode, int padBehind, int in) {
    if (mode == PadMode_SAME) return (in + window.stride - 1) / window.stride;
    const int64_t room = int64_t(in) + window.pad + padBehind - windowExtent(window);
    return room < 0 ? 0 : static_cast<int>(room / window.stride) + 1;
}

struct Places {
    Window2D window;
    int rows = 0, columns = 0;
};

Places placesOn(const Convolution2DCommon* c, int H, int W) {
    Places places;
    places.window = windowOf(c, H, W, 0, 0);
    const bool four = c->pads() != nullptr && c->pads()->size() >= 4, caffe = c->padMode() == PadMode_CAFFE;
    const int behindY = !caffe ? 0 : four ? c->pads()->Get(2) : places.window.y.pad;
    const int behindX = !caffe ? 0 : four ? c->pads()->Get(3) : places.window.x.pad;
    places.rows = placesOf(places.window.y, c->padMode(), behindY, H);
    places.columns = placesOf(places.window.x, c->padMode(), behindX, W);
    places.window = windowOf(c, H, W, places.rows, places.columns);
    return places;
}

}  // namespace

// [n, c, h, w] -> [c * kh * kw, n * oh * ow].
bool lowerIm2Col(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const Convolution2D* param = op->main_as_Convolution2D();
    if (param == nullptr || param->common() == nullptr || inputs[0]->dimensions() != 4)
        return fail(op, inputs, "needs an image");
    Tensor* x = ctx.plain(inputs[0]);
    const int N = x->length(0), C = x->length(1), H = x->length(2), W = x->length(3);
    const Places places = placesOn(param->common(), H, W);
    const int KY = places.window.y.kernel, KX = places.window.x.kernel;
    const int64_t area = int64_t(places.rows) * places.columns, line = N * area;
    if (TensorUtils::elements(outputs[0]) != int64_t(C) * KY * KX * line)
        return fail(op, inputs, "the output has another size");
    core::RegionList regions;
    for (int ky = 0; ky < KY; ++ky) {
        for (int kx = 0; kx < KX; ++kx) {
            const Runs rows = tapRun(places.window.y, ky, H, places.rows),
                       columns = tapRun(places.window.x, kx, W, places.columns);
            if (rows.empty() || columns.empty()) continue;
            const Run &row = rows[0], &column = columns[0];
            appendMove(&regions, x, {C, N, row.count, column.count}, int64_t(row.src) * W + column.src,
                       {int64_t(H) * W, int64_t(C) * H * W, int64_t(row.step) * W, column.step},
                       (ky * KX + kx) * line + int64_t(row.dst) * places.columns + column.dst,
                       {KY * KX * line, area, places.columns, 1});
        }
    }
    setView(outputs[0], std::move(regions), ctx);
    return true;
}

// [n, c * kh * kw, oh * ow] -> [n, c, h, w]: patches are added where they overlap.
bool lowerCol2Im(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const Convolution2D* param = op->main_as_Convolution2D();
    if (param == nullptr || param->common() == nullptr || outputs[0]->dimensions() != 4)
        return fail(op, inputs, "needs an image");
    Tensor* x = ctx.plain(inputs[0]);
    const std::vector<int> dims = outputs[0]->shape();
    const int N = dims[0], C = dims[1], H = dims[2], W = dims[3];
    const Places places = placesOn(param->common(), H, W);
    const WindowAxis &wy = places.window.y, &wx = places.window.x;
    const int64_t area = int64_t(places.rows) * places.columns;
    if (TensorUtils::elements(x) != N * C * wy.kernel * wx.kernel * area)
        return fail(op, inputs, "the patches have another size");

    // Taps within one stride of each other never meet, so all of them make one view.
    auto groupEnd = [](const WindowAxis& w, int first) {
        return std::min(w.kernel, first + std::max(1, (w.stride + w.dilation - 1) / w.dilation));
    };
    Tensor* sum = nullptr;
    for (int y0 = 0; y0 < wy.kernel; y0 = groupEnd(wy, y0)) {
        for (int x0 = 0; x0 < wx.kernel; x0 = groupEnd(wx, x0)) {
            core::RegionList regions;
            for (int ky = y0; ky < groupEnd(wy, y0); ++ky) {
                for (int kx = x0; kx < groupEnd(wx, x0); ++kx) {
                    const Scatter row = tapScatter(wy, ky, H, places.rows),
                                  column = tapScatter(wx, kx, W, places.columns);
                    appendMove(&regions, x, {N * C, row.count, column.count},
                               (ky * wx.kernel + kx) * area + int64_t(row.src) * places.columns + column.src,
                               {wy.kernel * wx.kernel * area, places.columns, 1}, int64_t(row.dst) * W + column.dst,
                               {int64_t(H) * W, int64_t(wy.stride) * W, wx.stride});
                }
            }
            Tensor* term = ctx.makeTensor(dims, x->getType());
            setView(term, std::move(regions), ctx);
            sum = sum == nullptr ? term : makeBinary(ctx, BinaryOpOperation_ADD, sum, term);
        }
    }
    if (sum == nullptr) return fail(op, inputs, "the window is empty");
    setReshape(outputs[0], sum, ctx);
    return true;
}

// out = max over the window of x + weight[channel, ky, kx]; places outside the image do not count.
bool lowerDilation2D(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const Convolution2D* param = op->main_as_Convolution2D();
    if (param == nullptr || param->common() == nullptr || inputs[0]->dimensions() != 4)
        return fail(op, inputs, "needs an image");
    const std::vector<int> from = inputs[0]->shape(), to = outputs[0]->shape();
    const Window2D window = windowOf(param->common(), from[2], from[3], to[2], to[3]);
    const int KY = window.y.kernel, KX = window.x.kernel, C = from[1];
    if (param->weight() == nullptr || param->weight()->size() != static_cast<uint32_t>(C * KY * KX)) {
        return fail(op, inputs, "the weights do not match the window");
    }
    Tensor* outside = ctx.constFloat(-3.402823466e38f);
    Tensor* x = ctx.plain(inputs[0]);
    if (outside == nullptr) return false;
    Tensor* best = nullptr;
    for (int ky = 0; ky < KY; ++ky) {
        for (int kx = 0; kx < KX; ++kx) {
            const Runs rows = tapRun(window.y, ky, from[2], to[2]), columns = tapRun(window.x, kx, from[3], to[3]);
            if (rows.empty() || columns.empty()) continue;
            const Run &row = rows[0], &column = columns[0];
            core::RegionList regions;
            appendOutside(&regions, outside, {0, 0, 0, 0}, to,
                          {{0, 1, to[0]}, {0, 1, to[1]}, {row.dst, 1, row.count}, {column.dst, 1, column.count}});
            const int64_t W = from[3];
            appendMove(&regions, x, {from[0] * C, row.count, column.count}, row.src * W + column.src,
                       {from[2] * W, row.step * W, column.step}, int64_t(row.dst) * to[3] + column.dst,
                       {int64_t(to[2]) * to[3], to[3], 1});
            Tensor* seen = ctx.makeTensor(to, x->getType());
            setView(seen, std::move(regions), ctx);
            Tensor* weight = ctx.allocConst({1, C, 1, 1}, halide_type_of<float>());
            if (weight == nullptr) return false;
            for (int c = 0; c < C; ++c) weight->host<float>()[c] = param->weight()->Get((c * KY + ky) * KX + kx);
            Tensor* value = makeBinary(ctx, BinaryOpOperation_ADD, seen, weight);
            best = best == nullptr ? value : makeBinary(ctx, BinaryOpOperation_MAXIMUM, best, value);
        }
    }
    if (best == nullptr) return fail(op, inputs, "the window is empty");
    setReshape(outputs[0], best, ctx);
    return true;
}

}  // namespace geometry
}  // namespace MNN
