// Ops that only move elements or read sizes.
#include <algorithm>

#include "onnx/Families.hpp"
#include "onnx/Formulas.hpp"

namespace MNN {
namespace Converter {

namespace {

// A constant shape must hold as many elements as the input, where the input's sizes are known.
void checkReshape(Node& n, const std::vector<int>& wanted, bool literalZero) {
    const Value x = n.in(0);
    const bool inputKnown = n.b.rankKnown(x) && elementCount(n.b.info(x).dims) >= 0;
    Dims dims;
    bool infers = false;
    for (size_t i = 0; i < wanted.size(); ++i) {
        const bool copies = wanted[i] == 0 && !literalZero;
        if (wanted[i] < -1 || (wanted[i] == -1 && infers))
            n.fail("shape " + describe(wanted) + " leaves more than one size open");
        if (copies && n.b.rankKnown(x) && static_cast<int>(i) >= n.b.rank(x))
            n.fail("shape " + describe(wanted) + " copies size " + std::to_string(i) +
                   ", which the input does not have");
        infers |= wanted[i] == -1;
        if (wanted[i] != -1) dims.push_back(copies ? n.b.size(x, static_cast<int>(i)) : wanted[i]);
    }
    if (!inputKnown) return;
    const int64_t have = elementCount(n.b.info(x).dims), want = elementCount(dims);
    const bool fits = infers && want > 0 ? have % want == 0 : want == have;
    if (!fits) n.fail("cannot reshape " + describe(n.b.info(x).dims) + " to " + describe(wanted));
}

// MNN's Reshape copies a size where ONNX (allowzero = 0) does. With allowzero = 1 a 0 means 0.
Outputs reshape(Node& n) {
    Builder& b = n.b;
    const bool literalZero = n.i("allowzero", 0) != 0;
    if (n.opset < 5 || n.isConstant(1)) checkReshape(n, n.opset < 5 ? n.ints("shape") : n.constInts(1), literalZero);
    if (n.opset < 5) return {b.reshape(n.in(0), n.ints("shape"))};
    if (literalZero && n.isConstant(1)) {
        const std::vector<int> dims = n.constInts(1);
        const bool empty = std::find(dims.begin(), dims.end(), 0) != dims.end();
        if (empty) return {b.fill(n.in(1), b.like(n.in(0), 0))};
    } else if (literalZero) {
        return b.extra("Reshape", {ExtraAttr::integer("allowzero", 1)}, {n.in(0), n.in(1)}, {n.type()});
    }
    return {b.reshapeTo(n.in(0), b.cast(n.in(1), DataType_DT_INT64))};
}

Outputs flatten(Node& n) {
    Builder& b = n.b;
    const Value x = n.in(0);
    int axis = n.i("axis", 1);
    if (axis < 0) axis += n.rank(0);
    if (axis == 0) return {b.reshape(x, {1, -1})};
    if (axis == 1) return {b.reshape(x, {0, -1})};
    if (axis < 0 || axis > n.rank(0)) n.fail("axis " + std::to_string(axis) + " is outside the input's axes");
    if (axis == n.rank(0)) return {b.reshape(x, {-1, 1})};
    // Without endAxis this op is ONNX's.
    FlattenT param;
    param.axis = axis;
    return {b.op(OpType_Flatten, std::move(param), {x})};
}

template <OpType O>
Outputs squeeze(Node& n) {
    Builder& b = n.b;
    SqueezeParamT param;
    if (n.has(1) && !n.isConstant(1)) return {b.op(O, std::move(param), {n.in(0), n.in(1)})};
    param.squeezeDims = axesOf(n, 1);
    if (O == OpType_Unsqueeze && param.squeezeDims.empty()) return {n.in(0)};
    return {b.op(O, std::move(param), {n.in(0)})};
}

Outputs transpose(Node& n) {
    std::vector<int> perm = n.ints("perm");
    if (perm.empty()) {
        perm = iota(0, n.rank(0));
        std::reverse(perm.begin(), perm.end());
    }
    std::vector<int> seen = perm;
    std::sort(seen.begin(), seen.end());
    const int rank = n.b.rankKnown(n.in(0)) ? n.rank(0) : static_cast<int>(perm.size());
    if (seen != iota(0, rank)) n.fail("perm is not a permutation of the input's axes");
    return {n.b.permute(n.in(0), perm)};
}

Outputs concat(Node& n) { return {n.b.concat(n.all(), n.i("axis", 1))}; }

Outputs split(Node& n) {
    SliceT param;
    param.sourceType = NetSource_ONNX;
    param.axis = n.i("axis", 0);
    std::vector<Value> in = {n.in(0)};
    if (n.opset < 13)
        param.slicePoints = n.ints("split");
    else if (n.has(1) && n.isConstant(1))
        param.slicePoints = n.constInts(1);
    else if (n.has(1))
        in.push_back(n.in(1));
    if (!param.slicePoints.empty() && param.slicePoints.size() != n.outputs())
        n.fail("split has " + std::to_string(param.slicePoints.size()) + " sizes for " + std::to_string(n.outputs()) +
               " outputs");
    return n.b.ops(OpType_Slice, std::move(param), in, std::vector<DataType>(n.outputs(), n.type()));
}

Value strided(Node& n, Value starts, Value ends, Value steps, Value axes) {
    StridedSliceParamT param;
    param.Index = DataType_DT_INT32;
    param.T = storedType(n.type());
    param.fromType = 1;
    return n.b.op(OpType_StridedSlice, std::move(param), {n.in(0), starts, ends, axes, steps});
}

Outputs slice(Node& n) {
    Builder& b = n.b;
    if (n.opset < 10) {
        const std::vector<int> starts = n.ints("starts"), ends = n.ints("ends");
        std::vector<int> axes = n.ints("axes");
        if (axes.empty()) axes = iota(0, static_cast<int>(starts.size()));
        if (starts.size() != ends.size() || axes.size() != starts.size())
            n.fail("starts, ends and axes have different lengths");
        return {b.slice(n.in(0), starts, ends, axes, std::vector<int>(starts.size(), 1))};
    }
    const int count = b.size(n.in(1), 0);
    if (count < 0 && (!n.has(3) || !n.has(4))) n.fail("the length of 'starts' is not known; give axes and steps");
    const Value axes = n.has(3) ? n.in(3) : b.ints(iota(0, count));
    const Value steps = n.has(4) ? n.in(4) : b.ints(std::vector<int>(count, 1));
    if (n.isConstant(1) && n.isConstant(2) && n.constInts(1).size() != n.constInts(2).size())
        n.fail("starts and ends have different lengths");
    if (n.has(4) && n.isConstant(4)) {
        for (int step : n.constInts(4)) {
            if (step == 0) n.fail("a step is 0");
        }
    }
    return {strided(n, n.in(1), n.in(2), steps, axes)};
}

Outputs expand(Node& n) { return {n.b.broadcastTo(n.in(0), n.in(1))}; }

Outputs tile(Node& n) {
    Builder& b = n.b;
    if (n.opset >= 6) return {b.plain(OpType_Tile, {n.in(0), n.in(1)})};
    std::vector<int> times(n.rank(0), 1);
    const int axis = n.constInts(2).at(0);
    if (axis < 0 || axis >= n.rank(0)) n.fail("axis " + std::to_string(axis) + " is outside the input's axes");
    times[axis] = n.constInts(1).at(0);
    return {b.plain(OpType_Tile, {n.in(0), b.ints(times)})};
}

// Reads x around the ends: element i of the result is x[(i - begin) mod size].
Value wrapAxis(Builder& b, Value x, int axis, int begin, int end) {
    const Value size = b.squeeze(b.axisSize(x, axis), {0});
    const Value positions =
        b.op(OpType_Range, RangeT(), {b.integer(-begin), b.add(size, b.integer(end)), b.integer(1)}, DataType_DT_INT32);
    return b.gather(x, b.binary(BinaryOpOperation_FLOORMOD, positions, size), axis);
}

// Begin and end of every axis from ONNX's [begins..., ends...] of the listed axes.
std::vector<int> fullPads(Node& n, const std::vector<int>& pads, const std::vector<int>& axes, int rank) {
    if (pads.size() != axes.size() * 2) n.fail("pads must hold a begin and an end for each padded axis");
    std::vector<int> full(rank * 2, 0);
    for (size_t i = 0; i < axes.size(); ++i) {
        full[axes[i] * 2] = pads[i];
        full[axes[i] * 2 + 1] = pads[i + axes.size()];
    }
    return full;
}

Value padOp(Node& n, Value x, Value pairs, PadValueMode mode, Value value) {
    PadParamT param;
    param.mode = mode;
    std::vector<Value> in = {x, pairs};
    if (value != kNone && mode == PadValueMode_CONSTANT) in.push_back(value);
    return n.b.op(OpType_Padding, std::move(param), in);
}

// Negative pads cut; they are taken off first so that Padding only ever adds.
Value padConstant(Node& n, Value x, std::vector<int> full, const std::string& mode, PadValueMode padMode, Value value) {
    Builder& b = n.b;
    const int rank = static_cast<int>(full.size() / 2);
    std::vector<int> begin(rank, 0), end(rank, INT32_MAX);
    bool cuts = false, grows = false;
    for (int i = 0; i < rank; ++i) {
        if (full[2 * i] < 0) begin[i] = -full[2 * i];
        if (full[2 * i + 1] < 0) end[i] = full[2 * i + 1];
        cuts |= begin[i] != 0 || end[i] != INT32_MAX;
        full[2 * i] = std::max(full[2 * i], 0);
        full[2 * i + 1] = std::max(full[2 * i + 1], 0);
        grows |= full[2 * i] > 0 || full[2 * i + 1] > 0;
    }
    if (cuts) x = b.slice(x, begin, end, iota(0, rank), std::vector<int>(rank, 1));
    if (!grows) return x;
    if (mode == "wrap") {
        for (int i = 0; i < rank; ++i) {
            if (full[2 * i] > 0 || full[2 * i + 1] > 0) x = wrapAxis(b, x, i, full[2 * i], full[2 * i + 1]);
        }
        return x;
    }
    const Value pairs = b.reshape(b.ints(full), {rank, 2});
    return padOp(n, x, pairs, padMode, value);
}

// Run-time pads, brought to MNN's [rank, 2].
Value padPairs(Node& n, Value pads, int rank) {
    Builder& b = n.b;
    if (!n.has(3)) return b.permute(b.reshape(pads, {2, -1}), {1, 0});
    const std::vector<int> axes = normalAxes(n, n.constInts(3), rank);
    const int count = static_cast<int>(axes.size());
    std::vector<Value> parts(rank * 2, kNone);
    for (int i = 0; i < count; ++i) {
        parts[axes[i] * 2] = b.gather(pads, b.ints({i}), 0);
        parts[axes[i] * 2 + 1] = b.gather(pads, b.ints({i + count}), 0);
    }
    for (Value& part : parts) {
        if (part == kNone) part = b.ints({0});
    }
    return b.reshape(b.concat(parts, 0), {rank, 2});
}

Outputs pad(Node& n) {
    Builder& b = n.b;
    const std::string mode = n.s("mode", "constant");
    const PadValueMode padMode = mode == "reflect" ? PadValueMode_REFLECT
                                 : mode == "edge"  ? PadValueMode_EDGE
                                                   : PadValueMode_CONSTANT;
    if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap")
        n.fail("unknown mode '" + mode + "'");
    const Value x = n.in(0);
    Value value = kNone;
    if (n.opset < 11) {
        if (n.f("value", 0.0f) != 0.0f) value = b.like(x, n.f("value", 0.0f));
    } else if (n.has(2)) {
        value = b.reshape(n.in(2), {});
    }
    const bool attribute = n.opset < 11;
    if (attribute || n.isConstant(1)) {
        const std::vector<int> pads = attribute ? n.ints(n.hasAttr("pads") ? "pads" : "paddings") : n.constInts(1);
        const int rank = b.rankKnown(x) ? b.rank(x) : n.has(3) ? n.rank(0) : static_cast<int>(pads.size() / 2);
        const std::vector<int> axes = n.has(3) ? normalAxes(n, n.constInts(3), rank) : iota(0, rank);
        return {padConstant(n, x, fullPads(n, pads, axes, rank), mode, padMode, value)};
    }
    if (mode == "wrap") n.fail("mode wrap needs constant pads");
    return {padOp(n, x, padPairs(n, n.in(1), n.has(3) ? n.rank(0) : 0), padMode, value)};
}

template <OpType O>
Outputs depthSpace(Node& n) {
    DepthSpaceParamT param;
    param.blockSize = n.i("blocksize", 0);
    if (param.blockSize < 1) n.fail("blocksize must be positive");
    param.mode = n.s("mode", "DCR") == "CRD" ? DepthToSpaceMode_CRD : DepthToSpaceMode_DCR;
    return {n.b.op(O, std::move(param), {n.in(0)})};
}

Outputs shape(Node& n) {
    ShapeParamT param;
    param.hasStart = n.hasAttr("start");
    param.start = n.i("start", 0);
    param.hasEnd = n.hasAttr("end");
    param.end = n.i("end", 0);
    return {n.b.op(OpType_Shape, std::move(param), {n.in(0)}, DataType_DT_INT64)};
}

Outputs size(Node& n) {
    SizeT param;
    param.outputDataType = DataType_DT_INT32;
    return {n.b.op(OpType_Size, std::move(param), {n.in(0)}, DataType_DT_INT64)};
}

Outputs eyeLike(Node& n) {
    Builder& b = n.b;
    const DataType to = n.hasAttr("dtype") ? dataTypeOf(n.i("dtype", 1)) : n.type();
    const Value eye = b.plain(OpType_EyeLike, {n.in(0), b.integer(n.i("k", 0))});
    return {isSmallInteger(n.type()) || n.type() == to ? eye : b.cast(eye, to)};
}

// Keeps x[..., r, c] where c - r >= k (upper) or <= k (lower).
Outputs trilu(Node& n) {
    Builder& b = n.b;
    const bool upper = n.i("upper", 1) != 0;
    const Value x = n.in(0);
    const Value distance = b.sub(axisPositions(b, x, -1), b.unsqueeze(axisPositions(b, x, -2), {1}));
    const Value k = n.has(1) ? b.reshape(n.in(1), {}) : b.integer(0);
    const Value keep = b.binary(upper ? BinaryOpOperation_GREATER_EQUAL : BinaryOpOperation_LESS_EQUAL, distance, k);
    return {b.select(keep, x, b.like(x, 0))};
}

Outputs reverseSequence(Node& n) {
    ReverseSequenceParamT param;
    param.batchDim = n.i("batch_axis", 1);
    param.seqDim = n.i("time_axis", 0);
    return {n.b.op(OpType_ReverseSequence, std::move(param), {n.in(0), n.in(1)})};
}

// Per axis: cut (size - target) / 2 off the start when the axis is too long, add (target - size) / 2 when too short.
Outputs centerCropPad(Node& n) {
    Builder& b = n.b;
    Value x = n.in(0);
    const int rank = n.rank(0);
    const std::vector<int> axes = n.hasAttr("axes") ? normalAxes(n, n.ints("axes"), rank) : iota(0, rank);
    const Value axisList = b.ints(axes), zero = b.integer(0), two = b.integer(2);
    const Value target = b.cast(n.in(1), DataType_DT_INT64), size = b.gather(b.shapeOf(x), axisList, 0);
    const Value surplus = b.binary(BinaryOpOperation_MAXIMUM, b.sub(size, target), zero);
    const Value lack = b.binary(BinaryOpOperation_MAXIMUM, b.sub(target, size), zero);
    const Value begin = b.div(surplus, two), kept = b.binary(BinaryOpOperation_MINIMUM, size, target);
    x = strided(n, begin, b.add(begin, kept), b.ints(std::vector<int>(axes.size(), 1)), axisList);
    const Value before = b.div(lack, two), after = b.sub(lack, before);
    std::vector<Value> pairs(rank * 2, b.ints({0}));
    for (size_t i = 0; i < axes.size(); ++i) {
        pairs[axes[i] * 2] = b.gather(before, b.ints({static_cast<int>(i)}), 0);
        pairs[axes[i] * 2 + 1] = b.gather(after, b.ints({static_cast<int>(i)}), 0);
    }
    return {padOp(n, x, b.reshape(b.concat(pairs, 0), {rank, 2}), PadValueMode_CONSTANT, kNone)};
}

const OpImporter kRows[] = {
    {"Reshape", 1, reshape},
    {"Flatten", 1, flatten},
    {"Squeeze", 1, squeeze<OpType_Squeeze>},
    {"Unsqueeze", 1, squeeze<OpType_Unsqueeze>},
    {"Transpose", 1, transpose},
    {"Concat", 1, concat},
    {"Split", 2, split},
    {"Slice", 1, slice},
    {"Expand", 8, expand},
    {"Tile", 1, tile},
    {"Pad", 1, pad},
    {"DepthToSpace", 1, depthSpace<OpType_DepthToSpace>},
    {"SpaceToDepth", 1, depthSpace<OpType_SpaceToDepth>},
    {"Shape", 1, shape},
    {"Size", 1, size},
    {"EyeLike", 9, eyeLike},
    {"Trilu", 14, trilu},
    {"ReverseSequence", 10, reverseSequence},
    {"CenterCropPad", 18, centerCropPad},
};

}  // namespace

OpFamily viewOps() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

}  // namespace Converter
}  // namespace MNN
