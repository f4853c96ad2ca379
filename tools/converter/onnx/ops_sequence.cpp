// Sequences of tensors are taken apart while importing: lengths and positions must be known then.
#include <algorithm>

#include "onnx/Families.hpp"
#include "onnx/Formulas.hpp"

namespace MNN {
namespace Converter {

namespace {

const std::vector<Value>& members(Node& n, size_t i) {
    const std::vector<Value>* list = n.b.membersOf(n.in(i));
    if (!list) n.fail("input " + std::to_string(i) + " must be a sequence that is built inside the graph");
    return *list;
}

// The position input, counted from the end when negative; `fallback` when absent.
size_t position(Node& n, size_t i, size_t count, size_t fallback) {
    if (!n.has(i)) return fallback;
    const std::vector<int> given = n.constInts(i);
    if (given.size() != 1) n.fail("the position must be one number");
    const int64_t at = given[0] < 0 ? given[0] + static_cast<int64_t>(count) : given[0];
    if (at < 0 || at > static_cast<int64_t>(count)) n.fail("position " + std::to_string(given[0]) + " is outside the sequence");
    return static_cast<size_t>(at);
}

Outputs construct(Node& n) { return {n.b.sequence(n.all())}; }

Outputs empty(Node& n) { return {n.b.sequence({})}; }

Outputs at(Node& n) {
    const std::vector<Value>& list = members(n, 0);
    const size_t i = position(n, 1, list.size(), list.size());
    if (i >= list.size()) n.fail("the position is outside the sequence");
    return {list[i]};
}

Outputs length(Node& n) {
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
    std::vector<Value> list = members(n, 0);
    if (list.empty()) n.fail("the sequence is empty");
    const int axis = n.i("axis", 0);
    if (n.i("new_axis", 0) != 0) {
        for (Value& v : list) v = b.unsqueeze(v, {axis});
    }
    return {b.concat(list, axis)};
}

Outputs splitToSequence(Node& n) {
    Builder& b = n.b;
    const int axis = n.axis("axis", 0, n.rank(0)), size = b.size(n.in(0), axis);
    if (size < 0) n.fail("the size of the axis that is split must be known");
    std::vector<int> sizes(size, 1);
    const bool single = !n.has(1);
    if (!single) {
        sizes = n.constInts(1);
        const bool scalar = b.rank(n.in(1)) == 0;
        if (scalar) {
            const int each = sizes.at(0);
            if (each < 1) n.fail("split must be positive");
            sizes.clear();
            for (int left = size; left > 0; left -= each) sizes.push_back(std::min(left, each));
        }
    }
    if (sizes.empty() || sizes.size() > 4096) n.fail("the number of pieces is out of range");
    SliceT param;
    param.sourceType = NetSource_ONNX;
    param.axis = axis;
    param.slicePoints = sizes;
    std::vector<Value> parts = b.ops(OpType_Slice, std::move(param), {n.in(0)}, std::vector<DataType>(sizes.size(), n.type()));
    if (single && n.i("keepdims", 1) == 0) {
        for (Value& v : parts) v = b.squeeze(v, {axis});
    }
    return {b.sequence(parts)};
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
