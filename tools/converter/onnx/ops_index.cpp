// Ops that read or write by index, and those whose output length depends on values.
#include "onnx/Families.hpp"
#include "onnx/Formulas.hpp"

namespace MNN {
namespace Converter {

namespace {

void checkConstantIndices(Node& n, size_t input, int size) {
    if (size < 0 || !n.isConstant(input)) return;
    for (int index : n.constInts(input)) {
        if (index < -size || index >= size)
            n.fail("index " + std::to_string(index) + " is outside an axis of " + std::to_string(size));
    }
}

Outputs gather(Node& n) {
    const int axis = n.b.rankKnown(n.in(0)) ? n.axis("axis", 0, n.rank(0)) : n.i("axis", 0);
    checkConstantIndices(n, 1, n.b.size(n.in(0), axis));
    return {n.b.gather(n.in(0), n.in(1), axis)};
}

Outputs gatherElements(Node& n) {
    const int axis = n.b.rankKnown(n.in(0)) ? n.axis("axis", 0, n.rank(0)) : n.i("axis", 0);
    checkConstantIndices(n, 1, n.b.size(n.in(0), axis));
    return {n.b.plain(OpType_GatherElements, {n.in(0), n.in(1), n.b.integer(axis)})};
}

Outputs gatherND(Node& n) {
    AxisT param;
    param.axis = n.i("batch_dims", 0);
    return {n.b.op(OpType_GatherND, std::move(param), {n.in(0), n.in(1)})};
}

// What combines an element with its update. True when there is one.
bool reductionOf(Node& n, BinaryOpT& param) {
    const std::string name = n.s("reduction", "none");
    param.T = storedType(n.type());
    if (name == "add")
        param.opType = BinaryOpOperation_ADD;
    else if (name == "mul")
        param.opType = BinaryOpOperation_MUL;
    else if (name == "max")
        param.opType = BinaryOpOperation_MAXIMUM;
    else if (name == "min")
        param.opType = BinaryOpOperation_MINIMUM;
    else if (name == "none")
        return false;
    else
        n.fail("unknown reduction '" + name + "'");
    return true;
}

Outputs scatterElements(Node& n) {
    Builder& b = n.b;
    const int axis = b.rankKnown(n.in(0)) ? n.axis("axis", 0, n.rank(0)) : n.i("axis", 0);
    checkConstantIndices(n, 1, b.size(n.in(0), axis));
    const std::vector<Value> in = {n.in(0), n.in(1), n.in(2), b.integer(axis)};
    BinaryOpT param;
    // MNN reads the table always, and -1 as no reduction.
    if (!reductionOf(n, param)) param.opType = static_cast<BinaryOpOperation>(-1);
    return {b.op(OpType_ScatterElements, std::move(param), in)};
}

Outputs scatterND(Node& n) {
    Builder& b = n.b;
    const std::vector<Value> in = {n.in(1), n.in(2), b.shapeOf(n.in(0)), n.in(0)};
    BinaryOpT param;
    if (reductionOf(n, param)) return {b.op(OpType_ScatterNd, std::move(param), in, n.type())};
    return {b.plain(OpType_ScatterNd, in, n.type())};
}

// depth and indices may be floats; negative indices count from the end, those out of range give no hot element.
Outputs oneHot(Node& n) {
    Builder& b = n.b;
    const Value depth = b.reshape(b.cast(n.in(1), DataType_DT_INT64), {});
    Value index = b.cast(n.in(0), DataType_DT_INT64);
    const Value negative = b.binary(BinaryOpOperation_LESS, index, b.integer(0));
    index = b.select(negative, b.add(index, depth), index);
    const Value off = b.gather(n.in(2), b.integer(0), 0), on = b.gather(n.in(2), b.integer(1), 0);
    OneHotParamT param;
    param.axis = n.i("axis", -1);
    param.dType = storedType(n.type(2));
    return {b.op(OpType_OneHot, std::move(param), {index, depth, on, off}, n.type(2))};
}

Outputs topK(Node& n) {
    Builder& b = n.b;
    TopKV2T param;
    param.T = storedType(n.type());
    param.sorted = n.i("sorted", 1) != 0;
    param.largest = n.i("largest", 1) != 0;
    const Value k = n.opset < 10 ? b.integer(n.i("k", 1)) : b.reshape(n.in(1), {});
    const int axis = b.rankKnown(n.in(0)) ? n.axis("axis", -1, n.rank(0)) : n.i("axis", -1);
    return b.ops(OpType_TopKV2, std::move(param), {n.in(0), k, b.integer(axis)}, {n.type(), DataType_DT_INT64});
}

// Where lists [count, rank] coordinates of elements that are not zero, in row-major order.
Value nonZeroRows(Builder& b, Value x) {
    const Value wide = widen(b, x);
    const Value truth = b.type(x) == DataType_DT_BOOL ? x : b.binary(BinaryOpOperation_NOTEQUAL, wide, b.like(wide, 0));
    return b.plain(OpType_Where, {truth}, DataType_DT_INT64);
}

Outputs nonZero(Node& n) { return {n.b.permute(nonZeroRows(n.b, n.in(0)), {1, 0})}; }

Outputs compress(Node& n) {
    Builder& b = n.b;
    const Value kept = b.reshape(nonZeroRows(b, n.in(1)), {-1});
    if (n.hasAttr("axis")) return {b.gather(n.in(0), kept, n.i("axis", 0))};
    return {b.gather(b.reshape(n.in(0), {-1}), kept, 0)};
}

Outputs nonMaxSuppression(Node& n) {
    Builder& b = n.b;
    const std::vector<Value> in = {n.in(0), n.in(1), n.has(2) ? b.reshape(n.in(2), {}) : b.integer(0),
                                   n.has(3) ? b.reshape(n.in(3), {}) : b.real(0),
                                   n.has(4) ? b.reshape(n.in(4), {}) : b.real(-kFloatMax)};
    return b.extra("NonMaxSuppression", {ExtraAttr::integer("center_point_box", n.i("center_point_box", 0))}, in,
                   {DataType_DT_INT64});
}

Outputs unique(Node& n) {
    std::vector<ExtraAttr> attrs = {ExtraAttr::integer("sorted", n.i("sorted", 1))};
    if (n.hasAttr("axis")) attrs.push_back(ExtraAttr::integer("axis", n.i("axis", 0)));
    return n.b.extra("Unique", attrs, {n.in(0)}, {n.type(), DataType_DT_INT64, DataType_DT_INT64, DataType_DT_INT64});
}

// The cache with `update` written along `axis` from each batch's own position on; circular wraps around the end.
Outputs tensorScatter(Node& n) {
    Builder& b = n.b;
    const int rank = n.rank(0), axis = n.axis("axis", -2, rank);
    if (axis == 0) n.fail("axis must not be the batch axis");
    const Value cache = n.in(0), update = n.in(1);
    const Value length = b.squeeze(b.axisSize(update, axis), {0}), size = b.squeeze(b.axisSize(cache, axis), {0});
    Value at = b.op(OpType_Range, RangeT(), {b.integer(0), length, b.integer(1)}, DataType_DT_INT32);
    at = b.reshape(at, [&] {
        std::vector<int> d(rank, 1);
        d[axis] = -1;
        return d;
    }());
    if (n.has(2)) at = b.add(at, alongAxis(b, n.in(2), 0, rank));
    if (n.s("mode", "linear") == "circular") at = b.binary(BinaryOpOperation_FLOORMOD, at, size);
    return {b.plain(OpType_ScatterElements, {cache, b.broadcastTo(at, b.shapeOf(update)), update, b.integer(axis)})};
}

const OpImporter kRows[] = {
    {"Gather", 1, gather},
    {"GatherElements", 11, gatherElements},
    {"GatherND", 11, gatherND},
    {"Scatter", 9, scatterElements},
    {"ScatterElements", 11, scatterElements},
    {"ScatterND", 11, scatterND},
    {"TensorScatter", 24, tensorScatter},
    {"OneHot", 9, oneHot},
    {"TopK", 1, topK},
    {"NonZero", 9, nonZero},
    {"Compress", 9, compress},
    {"NonMaxSuppression", 10, nonMaxSuppression},
    {"Unique", 11, unique},
};

}  // namespace

OpFamily indexOps() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

}  // namespace Converter
}  // namespace MNN
