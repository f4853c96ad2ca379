// Quantised ops, as formulas over float and int32: integer sums stay exact in float up to 2^24.
#include <algorithm>

#include "onnx/Families.hpp"
#include "onnx/Formulas.hpp"
#include "onnx/Window.hpp"

namespace MNN {
namespace Converter {

namespace {

// A scale or zero point shaped to meet x: a single number as it is, one per slice along `axis`, or one per block.
Value spread(Node& n, Value parameter, Value x) {
    Builder& b = n.b;
    const int block = n.i("block_size", 0);
    const bool single = b.rankKnown(parameter) && elementCount(b.info(parameter).dims) == 1;
    if (single) return b.reshape(parameter, {});
    if (!b.rankKnown(x)) n.rank(0);
    const int rank = b.rank(x), axis = n.axis("axis", 1, rank);
    if (block <= 0) return alongAxis(b, parameter, axis, rank);
    // Every value covers `block` elements of the axis: repeat it, then cut what the last block has too much.
    const Value tiled = b.unsqueeze(parameter, {axis + 1});
    std::vector<int> times(rank + 1, 1), dims(rank, 0);
    times[axis + 1] = block;
    if (!b.rankKnown(parameter)) n.fail("the scale's shape is not known");
    for (int i = 0; i < rank; ++i) dims[i] = b.size(parameter, i);
    if (dims[axis] < 0 || dims[axis] > INT32_MAX / block) n.fail("the scale's shape is not known");
    dims[axis] *= block;
    if (std::count(dims.begin(), dims.end(), kUnknown) > 1) n.fail("the scale's shape is not known");
    const Value repeated = b.reshape(b.plain(OpType_Tile, {tiled, b.ints(times)}), dims);
    const int size = b.size(x, axis);
    return size >= 0 && size < dims[axis] ? b.slice(repeated, {0}, {size}, {axis}, {1}) : repeated;
}

struct Range {
    float low, high;
};

Range rangeOf(Node& n, DataType type) {
    switch (type) {
        case DataType_DT_UINT8:
            return {0, 255};
        case DataType_DT_INT8:
            return {-128, 127};
        case DataType_DT_UINT16:
            return {0, 65535};
        case DataType_DT_INT16:
            return {-32768, 32767};
        default:
            n.fail("quantising to this type is not supported; use int8, uint8, int16 or uint16");
    }
}

// saturate(round(x / scale) + zero)
Value quantize(Node& n, Value x, Value scale, Value zero, DataType type, Range range) {
    Builder& b = n.b;
    Value q = b.unary(UnaryOpOperation_ROUND, b.div(b.cast(x, DataType_DT_FLOAT), scale));
    if (zero != kNone) q = b.add(q, b.cast(zero, DataType_DT_FLOAT));
    return b.cast(b.clip(q, range.low, range.high), type);
}

Value centred(Builder& b, Value x, Value zero) {
    const Value real = b.cast(x, DataType_DT_FLOAT);
    return zero == kNone ? real : b.sub(real, b.cast(zero, DataType_DT_FLOAT));
}

Outputs quantizeLinear(Node& n) {
    Builder& b = n.b;
    DataType type = DataType_DT_UINT8;
    int onnxType = n.i("output_dtype", 0);
    if (n.has(2))
        type = n.type(2);
    else if (onnxType != 0)
        type = dataTypeOf(onnxType);
    Range range = {0, 0};
    if (onnxType == onnx::TensorProto::INT4)
        range = {-8, 7};
    else if (onnxType == onnx::TensorProto::UINT4)
        range = {0, 15};
    else
        range = rangeOf(n, type);
    const Value x = n.in(0), zero = n.has(2) ? spread(n, n.in(2), x) : kNone;
    return {quantize(n, x, spread(n, b.cast(n.in(1), DataType_DT_FLOAT), x), zero, type, range)};
}

Outputs dequantizeLinear(Node& n) {
    Builder& b = n.b;
    const Value x = n.in(0), zero = n.has(2) ? spread(n, n.in(2), x) : kNone;
    return {b.mul(centred(b, x, zero), spread(n, b.cast(n.in(1), DataType_DT_FLOAT), x))};
}

// Scale and zero point from the tensor's own range, which always holds 0.
Outputs dynamicQuantizeLinear(Node& n) {
    Builder& b = n.b;
    const Value flat = b.reshape(n.in(0), {-1}), nil = b.real(0);
    const Value high = b.binary(BinaryOpOperation_MAXIMUM, b.reduce(ReductionType_MAXIMUM, flat, {0}, false), nil);
    const Value low = b.binary(BinaryOpOperation_MINIMUM, b.reduce(ReductionType_MINIMUM, flat, {0}, false), nil);
    const Value scale = b.div(b.sub(high, low), b.real(255));
    const Value zero = b.unary(UnaryOpOperation_ROUND, b.clip(b.div(b.sub(nil, low), scale), 0, 255));
    const Value zeroPoint = b.cast(zero, DataType_DT_UINT8);
    return {quantize(n, n.in(0), scale, zeroPoint, DataType_DT_UINT8, {0, 255}), scale, zeroPoint};
}

// One value per output channel (or one in all) shaped for NCHW-like tensors.
Value perChannel(Node& n, Value parameter, int rank) {
    Builder& b = n.b;
    if (b.rankKnown(parameter) && elementCount(b.info(parameter).dims) == 1) return b.reshape(parameter, {});
    return alongAxis(b, parameter, 1, rank);
}

// The same for the weight, whose output channels are axis 0.
Value perFilter(Node& n, Value parameter, int rank) {
    Builder& b = n.b;
    if (b.rankKnown(parameter) && elementCount(b.info(parameter).dims) == 1) return b.reshape(parameter, {});
    return alongAxis(b, parameter, 0, rank);
}

Outputs convInteger(Node& n) {
    Builder& b = n.b;
    const int rank = n.rank(1);
    const Value wZero = n.has(3) ? perFilter(n, n.in(3), rank) : kNone;
    const Value sum = convolve(n, centred(b, n.in(0), n.optional(2)), centred(b, n.in(1), wZero), kNone);
    return {b.cast(sum, DataType_DT_INT32)};
}

// Inputs: x, xScale, xZero, w, wScale, wZero, yScale, yZero, bias (int32 in units of xScale * wScale).
Outputs qLinearConv(Node& n) {
    Builder& b = n.b;
    const int rank = n.rank(3);
    const Value x = centred(b, n.in(0), b.reshape(n.in(2), {}));
    const Value w = centred(b, n.in(3), perFilter(n, n.in(5), rank));
    const Value bias = n.has(8) ? b.cast(n.in(8), DataType_DT_FLOAT) : kNone;
    const Value sum = convolve(n, x, w, bias);
    const Value scale = b.mul(b.reshape(n.in(1), {}), perChannel(n, n.in(4), rank));
    const DataType type = n.type(7);
    const Value yScale = b.reshape(n.in(6), {}), yZero = b.reshape(n.in(7), {});
    return {quantize(n, b.mul(sum, scale), yScale, yZero, type, rangeOf(n, type))};
}

// A row parameter ([M] or [M, 1]) of the left operand; a column parameter of the right one broadcasts as it is.
Value perRow(Builder& b, Value parameter) {
    const bool vector = b.rankKnown(parameter) && b.rank(parameter) == 1 && b.size(parameter, 0) != 1;
    return vector ? b.unsqueeze(parameter, {1}) : parameter;
}

Outputs matmulInteger(Node& n) {
    Builder& b = n.b;
    const Value aZero = n.has(2) ? perRow(b, n.in(2)) : kNone;
    const Value product = matmulAnyRank(b, centred(b, n.in(0), aZero), centred(b, n.in(1), n.optional(3)));
    return {b.cast(product, DataType_DT_INT32)};
}

// Inputs: a, aScale, aZero, b, bScale, bZero, yScale, yZero.
Outputs qLinearMatmul(Node& n) {
    Builder& b = n.b;
    const Value product = matmulAnyRank(b, centred(b, n.in(0), perRow(b, n.in(2))), centred(b, n.in(3), n.in(5)));
    const Value scale = b.mul(perRow(b, b.cast(n.in(1), DataType_DT_FLOAT)), b.cast(n.in(4), DataType_DT_FLOAT));
    const DataType type = n.type(7);
    const Value yScale = perRow(b, b.cast(n.in(6), DataType_DT_FLOAT));
    return {quantize(n, b.mul(product, scale), yScale, perRow(b, n.in(7)), type, rangeOf(n, type))};
}

const OpImporter kRows[] = {
    {"QuantizeLinear", 10, quantizeLinear},
    {"DequantizeLinear", 10, dequantizeLinear},
    {"DynamicQuantizeLinear", 11, dynamicQuantizeLinear},
    {"ConvInteger", 10, convInteger},
    {"QLinearConv", 10, qLinearConv},
    {"MatMulInteger", 10, matmulInteger},
    {"QLinearMatMul", 10, qLinearMatmul},
};

}  // namespace

OpFamily quantOps() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

}  // namespace Converter
}  // namespace MNN
