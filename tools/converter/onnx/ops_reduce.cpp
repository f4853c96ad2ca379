// Reductions, running sums and the index of an extreme.
#include "onnx/Families.hpp"
#include "onnx/Formulas.hpp"

namespace MNN {
namespace Converter {

namespace {

// Reduces x as the node's axes and keepdims say. Axes may be an input that only the run time knows.
Value reduceAs(Node& n, ReductionType operation, Value x, bool keep) {
    Builder& b = n.b;
    const bool empty = n.has(1) && b.size(n.in(1), 0) == 0;  // an input that is declared to hold no axes
    if (n.has(1) && !n.isConstant(1) && !empty) {
        ReductionParamT param;
        param.operation = operation;
        param.keepDims = keep;
        param.dType = storedType(b.type(x));
        return b.op(OpType_Reduction, std::move(param), {x, n.in(1)});
    }
    std::vector<int> axes = empty ? std::vector<int>() : axesOf(n, 1);
    if (axes.empty() && n.i("noop_with_empty_axes", 0) != 0) return x;
    if (b.rankKnown(n.in(0))) {
        axes = normalAxes(n, axes, n.rank(0));
        if (axes.empty()) axes = iota(0, n.rank(0));
        if (n.rank(0) == 0) return x;
    }
    return b.reduce(operation, x, axes, keep);
}

Value reduceAs(Node& n, ReductionType operation, Value x) { return reduceAs(n, operation, x, n.i("keepdims", 1) != 0); }

template <ReductionType O>
Outputs reduce(Node& n) {
    return {narrow(n.b, reduceAs(n, O, widen(n.b, n.in(0))), n.type())};
}

Outputs reduceL1(Node& n) { return {reduceAs(n, ReductionType_SUM, n.b.unary(UnaryOpOperation_ABS, n.in(0)))}; }

Outputs reduceSumSquare(Node& n) { return {reduceAs(n, ReductionType_SUM, n.b.mul(n.in(0), n.in(0)))}; }

Outputs reduceL2(Node& n) {
    const Value x = n.b.cast(n.in(0), DataType_DT_FLOAT);
    const Value sum = reduceAs(n, ReductionType_SUM, n.b.mul(x, x));
    return {n.b.cast(n.b.unary(UnaryOpOperation_SQRT, sum), n.type())};
}

Outputs reduceLogSum(Node& n) {
    const Value sum = reduceAs(n, ReductionType_SUM, n.b.cast(n.in(0), DataType_DT_FLOAT));
    return {n.b.cast(n.b.unary(UnaryOpOperation_LOG, sum), n.type())};
}

// Shifted by the maximum, so that exp cannot overflow.
Outputs reduceLogSumExp(Node& n) {
    Builder& b = n.b;
    const Value x = b.cast(n.in(0), DataType_DT_FLOAT);
    const Value shifted = b.sub(x, reduceAs(n, ReductionType_MAXIMUM, x, true));
    const Value sum = reduceAs(n, ReductionType_SUM, b.unary(UnaryOpOperation_EXP, shifted));
    const Value top = reduceAs(n, ReductionType_MAXIMUM, x);
    return {b.cast(b.add(b.unary(UnaryOpOperation_LOG, sum), top), n.type())};
}

// The last of equal extremes is the first one seen from the end.
template <OpType O>
Outputs arg(Node& n) {
    Builder& b = n.b;
    const int axis = b.rankKnown(n.in(0)) ? n.axis("axis", 0, n.rank(0)) : n.i("axis", 0);
    const bool last = n.i("select_last_index", 0) != 0;
    Value x = widen(b, n.in(0));
    if (last) x = b.plain(OpType_Reverse, {x, b.ints({axis})});
    ArgMaxT param;
    param.axis = axis;
    param.topK = 1;
    Value index = b.op(O, std::move(param), {x}, DataType_DT_INT64);
    if (last) index = b.sub(b.sub(b.squeeze(b.axisSize(n.in(0), axis), {0}), b.integer(1)), index);
    return {n.i("keepdims", 1) != 0 ? b.unsqueeze(index, {axis}) : index};
}

Outputs cumSum(Node& n) {
    CumSumT param;
    param.exclusive = n.i("exclusive", 0) != 0;
    param.reverse = n.i("reverse", 0) != 0;
    return {n.b.op(OpType_CumSum, std::move(param), {n.in(0), n.b.reshape(n.in(1), {})})};
}

const OpImporter kRows[] = {
    {"ReduceSum", 1, reduce<ReductionType_SUM>},
    {"ReduceMean", 1, reduce<ReductionType_MEAN>},
    {"ReduceMax", 1, reduce<ReductionType_MAXIMUM>},
    {"ReduceMin", 1, reduce<ReductionType_MINIMUM>},
    {"ReduceProd", 1, reduce<ReductionType_PROD>},
    {"ReduceL1", 1, reduceL1},
    {"ReduceL2", 1, reduceL2},
    {"ReduceSumSquare", 1, reduceSumSquare},
    {"ReduceLogSum", 1, reduceLogSum},
    {"ReduceLogSumExp", 1, reduceLogSumExp},
    {"ArgMax", 1, arg<OpType_ArgMax>},
    {"ArgMin", 1, arg<OpType_ArgMin>},
    {"CumSum", 11, cumSum},
};

}  // namespace

OpFamily reduceOps() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

}  // namespace Converter
}  // namespace MNN
