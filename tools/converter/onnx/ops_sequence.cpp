// Sequences of tensors are taken apart while importing: a list of members, or a tensor cut into even pieces whose
// number only the run time knows.
#include <algorithm>

#include "onnx/Families.hpp"
#include "onnx/Formulas.hpp"

namespace MNN {
namespace Converter {

namespace {

const std::vector<Value>& members(Node& n, size_t i) {
    const std::vector<Value>* list = n.b.membersOf(n.in(i));
    if (n.b.piecesOf(n.in(i))) n.fail("the length of the sequence must be known; it depends on sizes of the run time");
    if (!list) n.fail("input " + std::to_string(i) + " must be a sequence that is built inside the graph");
    return *list;
}

// The position input, counted from the end when negative; `fallback` when absent.
size_t position(Node& n, size_t i, size_t count, size_t fallback) {
    if (!n.has(i)) return fallback;
    const std::vector<int> given = n.constInts(i);
    if (given.size() != 1) n.fail("the position must be one number");
    const int64_t at = given[0] < 0 ? given[0] + static_cast<int64_t>(count) : given[0];
    if (at < 0 || at > static_cast<int64_t>(count))
        n.fail("position " + std::to_string(given[0]) + " is outside the sequence");
    return static_cast<size_t>(at);
}

Outputs construct(Node& n) { return {n.b.sequence(n.all())}; }

Outputs empty(Node& n) { return {n.b.sequence(std::vector<Value>())}; }

// The number of pieces as [1]: the axis over the piece's size, rounded up.
Value countPieces(Builder& b, const EvenPieces& pieces) {
    const Value size = b.axisSize(pieces.x, pieces.axis);
    const Value padded = b.sub(b.add(size, pieces.size), b.integer(1));
    return b.binary(BinaryOpOperation_FLOORDIV, padded, pieces.size);
}

Value pieceAt(Node& n, const EvenPieces& pieces, Value index) {
    Builder& b = n.b;
    const Value given = b.reshape(index, {1});
    const Value negative = b.binary(BinaryOpOperation_LESS, given, b.integer(0));
    const Value at = b.select(negative, b.add(given, countPieces(b, pieces)), given);
    const Value begin = b.mul(at, pieces.size);
    const Value piece = b.sliceAxis(pieces.x, pieces.axis, begin, b.add(begin, pieces.size));
    return pieces.dropAxis ? b.squeeze(piece, {pieces.axis}) : piece;
}

Outputs at(Node& n) {
    if (const EvenPieces* pieces = n.b.piecesOf(n.in(0))) return {pieceAt(n, *pieces, n.in(1))};
    const std::vector<Value>& list = members(n, 0);
    const size_t i = position(n, 1, list.size(), list.size());
    if (i >= list.size()) n.fail("the position is outside the sequence");
    return {list[i]};
}

Outputs length(Node& n) {
    if (const EvenPieces* pieces = n.b.piecesOf(n.in(0))) return {n.b.squeeze(countPieces(n.b, *pieces), {0})};
    return {n.b.integer(static_cast<int>(members(n, 0).size()), DataType_DT_INT64)};
}

Outputs insert(Node& n) {
    std::vector<Value> list = members(n, 0);
    list.insert(list.begin() + position(n, 2, list.size(), list.size()), n.in(1));
    return {n.b.sequence(list)};
}

Outputs erase(Node& n) {
    std::vector<Value> list = members(n, 0);
    if (list.empty()) n.fail("the sequence is empty");
    const size_t i = position(n, 1, list.size(), list.size() - 1);
    if (i >= list.size()) n.fail("the position is outside the sequence");
    list.erase(list.begin() + i);
    return {n.b.sequence(list)};
}

Outputs concatSequence(Node& n) {
    Builder& b = n.b;
    const int axis = n.i("axis", 0);
    const bool newAxis = n.i("new_axis", 0) != 0;
    const EvenPieces* pieces = b.piecesOf(n.in(0));
    if (pieces && pieces->axis == axis && pieces->dropAxis == newAxis) return {pieces->x};
    std::vector<Value> list = members(n, 0);
    if (list.empty()) n.fail("the sequence is empty");
    if (newAxis) {
        for (Value& v : list) v = b.unsqueeze(v, {axis});
    }
    return {b.concat(list, axis)};
}

constexpr int kMostPieces = 4096;

// Piece i ends where the sum of the first i + 1 sizes is; the sizes come at run time, their number is known.
Value piecesOfSizes(Node& n, int axis, int count) {
    Builder& b = n.b;
    const Value sizes = n.in(1);
    const Value ends = b.op(OpType_CumSum, CumSumT(), {sizes, b.integer(0)});
    const Value begins = b.sub(ends, sizes);
    std::vector<Value> parts;
    for (int i = 0; i < count; ++i)
        parts.push_back(b.sliceAxis(n.in(0), axis, b.gather(begins, b.ints({i}), 0), b.gather(ends, b.ints({i}), 0)));
    return b.sequence(parts);
}

// Sizes that are known now. Empty pieces are as good as others.
Value piecesOfSizes(Node& n, int axis, const std::vector<int>& sizes, bool dropAxis) {
    Builder& b = n.b;
    SliceT param;
    param.sourceType = NetSource_ONNX;
    param.axis = axis;
    param.slicePoints = sizes;
    std::vector<Value> parts =
        b.ops(OpType_Slice, std::move(param), {n.in(0)}, std::vector<DataType>(sizes.size(), n.type()));
    if (dropAxis) {
        for (Value& v : parts) v = b.squeeze(v, {axis});
    }
    return b.sequence(parts);
}

// One size for all pieces: each of them when the axis is known now, else by arithmetic at run time.
Value evenPieces(Node& n, int axis, bool dropAxis) {
    Builder& b = n.b;
    const int size = b.size(n.in(0), axis);
    const int known = !n.has(1) ? 1 : n.isConstant(1) ? n.constInts(1).at(0) : kUnknown;
    if (known != kUnknown && known < 1) n.fail("split must be positive");
    if (size < 0 || known == kUnknown)
        return b.sequence(EvenPieces{n.in(0), axis, n.has(1) ? b.reshape(n.in(1), {1}) : b.ints({1}), dropAxis});
    std::vector<int> sizes;
    for (int left = size; left > 0; left -= sizes.back()) {
        sizes.push_back(std::min(left, known));
        if (sizes.size() > kMostPieces)
            n.fail("the sequence would have more than " + std::to_string(kMostPieces) + " members");
    }
    if (sizes.empty()) return b.sequence(std::vector<Value>());
    return piecesOfSizes(n, axis, sizes, dropAxis);
}

Outputs splitToSequence(Node& n) {
    Builder& b = n.b;
    const int axis = n.axis("axis", 0, n.rank(0));
    if (!n.has(1)) return {evenPieces(n, axis, n.i("keepdims", 1) == 0)};
    if (n.rank(1) == 0) return {evenPieces(n, axis, false)};
    const int count = b.size(n.in(1), 0);
    if (count < 1 || count > kMostPieces)
        n.fail("the number of pieces must be known, from 1 to " + std::to_string(kMostPieces));
    if (!n.isConstant(1)) return {piecesOfSizes(n, axis, count)};
    const std::vector<int> sizes = n.constInts(1);
    int64_t sum = 0;
    for (int size : sizes) {
        if (size < 0) n.fail("a piece has " + std::to_string(size) + " elements");
        sum += size;
    }
    const int whole = b.size(n.in(0), axis);
    if (whole >= 0 && sum != whole)
        n.fail("the pieces add up to " + std::to_string(sum) + ", the axis has " + std::to_string(whole));
    return {piecesOfSizes(n, axis, sizes, false)};
}

const OpImporter kRows[] = {
    {"SequenceConstruct", 11, construct},
    {"SequenceEmpty", 11, empty},
    {"SequenceAt", 11, at},
    {"SequenceLength", 11, length},
    {"SequenceInsert", 11, insert},
    {"SequenceErase", 11, erase},
    {"ConcatFromSequence", 11, concatSequence},
    {"SplitToSequence", 11, splitToSequence},
};

}  // namespace

OpFamily sequenceOps() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

}  // namespace Converter
}  // namespace MNN
