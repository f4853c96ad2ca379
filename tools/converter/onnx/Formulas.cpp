#include "onnx/Formulas.hpp"

namespace MNN {
namespace Converter {

Value widen(Builder& b, Value x) { return isSmallInteger(b.type(x)) ? b.cast(x, DataType_DT_INT32) : x; }

Value narrow(Builder& b, Value x, DataType type) {
    if (!isSmallInteger(type) || b.type(x) == type) return x;
    const Value mask = b.integer(255), half = b.integer(128);
    if (type == DataType_DT_UINT8) return b.cast(b.binary(BinaryOpOperation_BITWISE_AND, x, mask), type);
    return b.cast(b.sub(b.binary(BinaryOpOperation_BITWISE_AND, b.add(x, half), mask), half), type);
}

Value binaryAnyType(Builder& b, BinaryOpOperation operation, Value x, Value y) {
    const DataType type = b.type(x);
    const Value r = b.binary(operation, widen(b, x), widen(b, y));
    return isCompare(operation) ? r : narrow(b, r, type);
}

std::vector<int> axesOf(const Node& n, size_t index, const char* key) {
    return n.has(index) ? n.constInts(index) : n.ints(key);
}

std::vector<int> normalAxes(const Node& n, std::vector<int> axes, int rank) {
    for (int& axis : axes) {
        const int given = axis;
        if (axis < 0) axis += rank;
        if (axis < 0 || axis >= rank)
            n.fail("axis " + std::to_string(given) + " is outside the " + std::to_string(rank) + " axes of the input");
    }
    return axes;
}

std::vector<int> iota(int begin, int end) {
    std::vector<int> values;
    for (int i = begin; i < end; ++i) values.push_back(i);
    return values;
}

Value alongAxis(Builder& b, Value vector, int axis, int rank) {
    if (b.rankKnown(vector) && b.rank(vector) != 1) return vector;
    std::vector<int> dims(rank, 1);
    dims[axis] = -1;
    return b.reshape(vector, dims);
}

Value logSoftmaxOf(Builder& b, Value x, int axis) {
    const Value shifted = b.sub(x, b.reduce(ReductionType_MAXIMUM, x, {axis}, true));
    const Value sum = b.reduce(ReductionType_SUM, b.unary(UnaryOpOperation_EXP, shifted), {axis}, true);
    return b.sub(shifted, b.unary(UnaryOpOperation_LOG, sum));
}

Value matmulAnyRank(Builder& b, Value x, Value y) {
    const bool row = b.rankKnown(x) && b.rank(x) == 1, column = b.rankKnown(y) && b.rank(y) == 1;
    if (row) x = b.unsqueeze(x, {0});
    if (column) y = b.unsqueeze(y, {1});
    const Value product = b.matmul(x, y);
    if (!row && !column) return product;
    return b.squeeze(product, row && column ? std::vector<int>{-2, -1} : std::vector<int>{row ? -2 : -1});
}

Value axisPositions(Builder& b, Value x, int axis) {
    const Value size = b.squeeze(b.axisSize(x, axis), {0});
    return b.op(OpType_Range, RangeT(), {b.integer(0), size, b.integer(1)}, DataType_DT_INT32);
}

}  // namespace Converter
}  // namespace MNN
