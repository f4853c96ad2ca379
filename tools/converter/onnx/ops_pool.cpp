// Poolings. What MNN's Pool table can say becomes Pooling; the rest an Extra of ONNX's own name.
#include <cmath>
#include <limits>

#include "onnx/Families.hpp"
#include "onnx/Formulas.hpp"
#include "onnx/Window.hpp"

namespace MNN {
namespace Converter {

namespace {

bool all(const std::vector<int>& values, int value) {
    for (int v : values) {
        if (v != value) return false;
    }
    return true;
}

PoolT poolParam(const Window& w, PoolType type, bool ceil, AvgPoolCountType count) {
    PoolT p;
    p.type = type;
    p.kernelY = w.kernel[0];
    p.kernelX = w.kernel[1];
    p.strideY = w.stride[0];
    p.strideX = w.stride[1];
    p.padY = w.begin[0];
    p.padX = w.begin[1];
    p.pads = {w.begin[0], w.begin[1], w.end[0], w.end[1]};
    p.padType = w.autoPad == AutoPad::SameUpper ? PoolPadType_SAME : PoolPadType_CAFFE;
    p.ceilModel = ceil;
    p.countType = count;
    return p;
}

Outputs poolExtra(Node& n, const char* type, const Window& w, bool ceil, bool includePad) {
    std::vector<int> pads = w.begin;
    pads.insert(pads.end(), w.end.begin(), w.end.end());
    const char* mode = w.autoPad == AutoPad::SameUpper   ? "SAME_UPPER"
                       : w.autoPad == AutoPad::SameLower ? "SAME_LOWER"
                                                         : "NOTSET";
    std::vector<DataType> types = {n.type()};
    if (n.wants(1)) types.push_back(DataType_DT_INT64);
    return n.b.extra(
        type,
        {ExtraAttr::list("kernel_shape", w.kernel), ExtraAttr::list("strides", w.stride),
         ExtraAttr::list("dilations", w.dilation), ExtraAttr::list("pads", pads), ExtraAttr::text("auto_pad", mode),
         ExtraAttr::integer("ceil_mode", ceil), ExtraAttr::integer("count_include_pad", includePad),
         ExtraAttr::integer("storage_order", n.i("storage_order", 0))},
        {n.in(0)}, types);
}

void widenToPlane(Window& w) {
    for (auto* list : {&w.kernel, &w.stride, &w.dilation}) list->insert(list->begin(), 1);
    w.begin.insert(w.begin.begin(), 0);
    w.end.insert(w.end.begin(), 0);
}

Outputs pool(Node& n, PoolType type) {
    Builder& b = n.b;
    const std::vector<int> kernel = n.ints("kernel_shape");
    const int axes = static_cast<int>(kernel.size());
    Window w = readWindow(n, axes, kernel);
    const bool ceil = n.i("ceil_mode", 0) != 0, includePad = n.i("count_include_pad", 0) != 0;
    const bool average = type == PoolType_AVEPOOL;
    if (w.autoPad == AutoPad::SameLower && fixedSamePads(w)) w.autoPad = AutoPad::Explicit;
    const AvgPoolCountType count = includePad ? AvgPoolCountType_INCLUDE_PADDING : AvgPoolCountType_EXCLUDE_PADDING;
    const bool plain = all(w.dilation, 1) && !n.wants(1) && w.autoPad != AutoPad::SameLower && isFloat(n.type());
    if (plain && axes == 2) return {b.op(OpType_Pooling, poolParam(w, type, ceil, count), {n.in(0)})};
    if (plain && axes == 1) {
        widenToPlane(w);
        return {b.squeeze(b.op(OpType_Pooling, poolParam(w, type, ceil, count), {b.unsqueeze(n.in(0), {2})}), {2})};
    }
    const bool noPads = all(w.begin, 0) && all(w.end, 0);
    if (plain && axes == 3 && !ceil && w.autoPad == AutoPad::Explicit && (noPads || !average)) {
        Pool3DT p;
        p.type = type;
        p.kernels = w.kernel;
        p.strides = w.stride;
        p.pads = w.begin;
        p.pads.insert(p.pads.end(), w.end.begin(), w.end.end());
        return {b.op(OpType_Pooling3D, std::move(p), {n.in(0)})};
    }
    return poolExtra(n, average ? "AveragePool" : "MaxPool", w, ceil, includePad);
}

Outputs maxPool(Node& n) { return pool(n, PoolType_MAXPOOL); }
Outputs averagePool(Node& n) { return pool(n, PoolType_AVEPOOL); }

// Sum over a window is the average that counts padding, times the window's area.
Outputs lpPool(Node& n) {
    Builder& b = n.b;
    const std::vector<int> kernel = n.ints("kernel_shape");
    Window w = readWindow(n, static_cast<int>(kernel.size()), kernel);
    const float p = n.hasAttr("p") && n.opset < 2 ? n.f("p", 2.0f) : static_cast<float>(n.i("p", 2));
    if (w.autoPad == AutoPad::SameLower && fixedSamePads(w)) w.autoPad = AutoPad::Explicit;
    const bool flat = kernel.size() == 1;
    if (flat) widenToPlane(w);
    if (w.kernel.size() != 2 || !all(w.dilation, 1) || w.autoPad == AutoPad::SameLower)
        n.fail("only 1-D and 2-D windows without dilation are supported");
    Value x = b.binary(BinaryOpOperation_POW, b.unary(UnaryOpOperation_ABS, n.in(0)), b.real(p));
    if (flat) x = b.unsqueeze(x, {2});
    const bool ceil = n.i("ceil_mode", 0) != 0;
    x = b.op(OpType_Pooling, poolParam(w, PoolType_AVEPOOL, ceil, AvgPoolCountType_INCLUDE_PADDING), {x});
    x = b.mul(x, b.real(static_cast<float>(w.kernel[0]) * static_cast<float>(w.kernel[1])));
    x = b.binary(BinaryOpOperation_POW, x, b.real(1.0f / p));
    return {flat ? b.squeeze(x, {2}) : x};
}

Outputs globalPool(Node& n, PoolType type) {
    Builder& b = n.b;
    if (b.rankKnown(n.in(0)) && b.rank(n.in(0)) != 4) {
        if (b.rank(n.in(0)) < 3) n.fail("the input needs at least one spatial axis");
        const ReductionType op = type == PoolType_MAXPOOL ? ReductionType_MAXIMUM : ReductionType_MEAN;
        return {b.reduce(op, n.in(0), iota(2, b.rank(n.in(0))), true)};
    }
    PoolT p;
    p.type = type;
    p.isGlobal = true;
    p.ceilModel = false;
    return {b.op(OpType_Pooling, std::move(p), {n.in(0)})};
}

Outputs globalMaxPool(Node& n) { return globalPool(n, PoolType_MAXPOOL); }
Outputs globalAveragePool(Node& n) { return globalPool(n, PoolType_AVEPOOL); }

Outputs globalLpPool(Node& n) {
    Builder& b = n.b;
    const float p = static_cast<float>(n.i("p", 2));
    const Value powers = b.binary(BinaryOpOperation_POW, b.unary(UnaryOpOperation_ABS, n.in(0)), b.real(p));
    const Value sum = b.reduce(ReductionType_SUM, powers, iota(2, n.rank(0)), true);
    return {b.binary(BinaryOpOperation_POW, sum, b.real(1.0f / p))};
}

// Indices count in the tensor that the kernel, strides and pads imply; output_shape only adds zeros at the end.
Outputs maxUnpool(Node& n) {
    Builder& b = n.b;
    const std::vector<int> kernel = n.ints("kernel_shape");
    const int axes = static_cast<int>(kernel.size());
    const Window w = readWindow(n, axes, kernel);
    std::vector<int> strides(2, 1), offsets(2, 0);
    for (int i = 0; i < axes; ++i) {
        strides.push_back(w.stride[i]);
        offsets.push_back(kernel[i] - w.stride[i] - w.begin[i] - w.end[i]);
    }
    const Value shape = b.add(b.mul(b.shapeOf(n.in(0)), b.ints(strides)), b.ints(offsets));
    const Value zeros = b.reshape(b.fill(shape, b.like(n.in(0), 0)), {-1});
    const Value flat =
        b.plain(OpType_ScatterElements, {zeros, b.reshape(n.in(1), {-1}), b.reshape(n.in(0), {-1}), b.integer(0)});
    const Value unpooled = b.reshapeTo(flat, shape);
    if (!n.has(2)) return {unpooled};
    const Value grow = b.unsqueeze(b.sub(b.cast(n.in(2), DataType_DT_INT64), shape), {1});
    const Value pairs = b.concat({b.sub(grow, grow), grow}, 1);
    PadParamT param;
    return {b.op(OpType_Padding, std::move(param), {unpooled, pairs})};
}

const OpImporter kRows[] = {
    {"MaxPool", 1, maxPool},
    {"AveragePool", 1, averagePool},
    {"LpPool", 1, lpPool},
    {"GlobalMaxPool", 1, globalMaxPool},
    {"GlobalAveragePool", 1, globalAveragePool},
    {"GlobalLpPool", 1, globalLpPool},
    {"MaxUnpool", 9, maxUnpool},
};

}  // namespace

OpFamily poolOps() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

}  // namespace Converter
}  // namespace MNN
