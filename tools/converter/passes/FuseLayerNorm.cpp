// Layer and RMS normalisation that exporters write out as formulas.
#include <algorithm>

#include "passes/Match.hpp"

namespace MNN {
namespace Converter {

namespace {

// The mean over the last axes of a tensor, kept as ones. Fills the axes; false for any other reduction.
bool trailingMean(const Graph& graph, const OpT* op, std::vector<int>& axes) {
    if (!isReduction(op, ReductionType_MEAN) || !op->main.AsReductionParam()->keepDims) return false;
    const TensorInfo& x = graph.tensors[op->inputIndexes[0]];
    axes = op->main.AsReductionParam()->dim;
    if (axes.empty()) return false;
    const int rank = static_cast<int>(x.dims.size());
    for (int& axis : axes) {
        if (axis < 0) continue;
        if (!x.rankKnown) return false;
        axis -= rank;
    }
    std::sort(axes.begin(), axes.end());
    for (size_t i = 0; i < axes.size(); ++i) {
        if (axes[i] != static_cast<int>(i) - static_cast<int>(axes.size())) return false;
    }
    return true;
}

// x * x or x ^ 2
bool isSquareOf(const GraphIndex& index, const OpT* op, Value x) {
    float two = 0;
    if (isUnary(op, UnaryOpOperation_SQUARE)) return op->inputIndexes[0] == x;
    if (isBinary(op, BinaryOpOperation_POW))
        return op->inputIndexes[0] == x && scalarConstant(index, op->inputIndexes[1], two) && two == 2.0f;
    return isBinary(op, BinaryOpOperation_MUL) && op->inputIndexes[0] == x && op->inputIndexes[1] == x;
}

// sqrt(mean(square(x)) + epsilon) over the given last axes.
bool isDeviation(const Graph& graph, const GraphIndex& index, const OpT* root, Value x, std::vector<int>& axes,
                 float& epsilon) {
    if (!isUnary(root, UnaryOpOperation_SQRT)) return false;
    const OpT* sum = index.producer(root->inputIndexes[0]);
    Value mean = kNone;
    if (!isBinary(sum, BinaryOpOperation_ADD) || !scalarOperand(index, sum, epsilon, mean)) return false;
    const OpT* reduce = index.producer(mean);
    return trailingMean(graph, reduce, axes) && isSquareOf(index, index.producer(reduce->inputIndexes[0]), x);
}

// A constant with one value for each normalised element.
const BlobT* fullVector(const Graph& graph, const GraphIndex& index, const OpT* op, Value normal, size_t axes) {
    const Value other = op && op->inputIndexes.size() == 2 ? otherOperand(op, normal) : kNone;
    const BlobT* blob = other == kNone ? nullptr : index.constant(other);
    const TensorInfo& x = graph.tensors[normal];
    if (!blob || blob->dataType != DataType_DT_FLOAT || blob->dims.size() != axes || !x.rankKnown) return nullptr;
    return std::equal(blob->dims.begin(), blob->dims.end(), x.dims.end() - axes) ? blob : nullptr;
}

// Absorbs gamma and, for layer norm, beta, then rewrites the last op.
void rewrite(const Graph& graph, const GraphIndex& index, OpT* root, Value x, const std::vector<int>& axes,
             float epsilon, bool rms) {
    LayerNormT param;
    param.axis = axes;
    param.epsilon = epsilon;
    param.useRMSNorm = rms;
    OpT* scale = soleReader(index, root->outputIndexes[0]);
    const BlobT* gamma = isBinary(scale, BinaryOpOperation_MUL)
                             ? fullVector(graph, index, scale, root->outputIndexes[0], axes.size())
                             : nullptr;
    if (gamma) {
        param.gamma = gamma->float32s;
        param.beta.assign(param.gamma.size(), 0.0f);
        root = scale;
        OpT* shift = soleReader(index, root->outputIndexes[0]);
        const BlobT* beta = !rms && isBinary(shift, BinaryOpOperation_ADD)
                                ? fullVector(graph, index, shift, root->outputIndexes[0], axes.size())
                                : nullptr;
        if (beta) {
            param.beta = beta->float32s;
            root = shift;
        }
    }
    becomes(root, OpType_LayerNorm, std::move(param), x);
}

// (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon)
bool layerNormAt(Graph& graph, const GraphIndex& index, OpT* divide) {
    const Value centred = divide->inputIndexes[0];
    const OpT* sub = index.producer(centred);
    std::vector<int> axes, meanAxes;
    float epsilon = 0;
    if (!isBinary(sub, BinaryOpOperation_SUB)) return false;
    const OpT* mean = index.producer(sub->inputIndexes[1]);
    if (!trailingMean(graph, mean, meanAxes) || mean->inputIndexes[0] != sub->inputIndexes[0]) return false;
    const OpT* deviation = index.producer(divide->inputIndexes[1]);
    if (!isDeviation(graph, index, deviation, centred, axes, epsilon) || axes != meanAxes) return false;
    rewrite(graph, index, divide, sub->inputIndexes[0], axes, epsilon, false);
    return true;
}

// x / sqrt(mean(x^2) + epsilon), or x times the reciprocal of that root
bool rmsNormAt(Graph& graph, const GraphIndex& index, OpT* root) {
    std::vector<int> axes;
    float epsilon = 0, one = 0;
    if (isBinary(root, BinaryOpOperation_REALDIV)) {
        const Value x = root->inputIndexes[0];
        if (!isDeviation(graph, index, index.producer(root->inputIndexes[1]), x, axes, epsilon)) return false;
        rewrite(graph, index, root, x, axes, epsilon, true);
        return true;
    }
    for (int side = 0; side < 2; ++side) {
        const Value x = root->inputIndexes[side];
        const OpT* inverse = index.producer(root->inputIndexes[1 - side]);
        Value deviation = kNone;
        if (isUnary(inverse, UnaryOpOperation_RECIPROCAL))
            deviation = inverse->inputIndexes[0];
        else if (isBinary(inverse, BinaryOpOperation_REALDIV) && scalarConstant(index, inverse->inputIndexes[0], one) &&
                 one == 1.0f)
            deviation = inverse->inputIndexes[1];
        if (deviation == kNone || !isDeviation(graph, index, index.producer(deviation), x, axes, epsilon)) continue;
        rewrite(graph, index, root, x, axes, epsilon, true);
        return true;
    }
    return false;
}

}  // namespace

bool fuseLayerNorm(Graph& graph) {
    bool changed = false;
    for (size_t i = 0; i < graph.ops.size(); ++i) {
        OpT* op = graph.ops[i].get();
        const bool divide = isBinary(op, BinaryOpOperation_REALDIV);
        if (!divide && !isBinary(op, BinaryOpOperation_MUL)) continue;
        const GraphIndex index(graph);
        changed |= (divide && layerNormAt(graph, index, op)) || rmsNormAt(graph, index, op);
    }
    if (changed) removeDead(graph);
    return changed;
}

}  // namespace Converter
}  // namespace MNN
