// What a convolution can take over from the ops behind it: Scale, bias, activation.
#include "passes/Passes.hpp"

namespace MNN {
namespace Converter {

namespace {

bool isConvolution(const OpT* op) {
    return op && (op->type == OpType_Convolution || op->type == OpType_ConvolutionDepthwise);
}

bool isDeconvolution(const OpT* op) {
    return op && (op->type == OpType_Deconvolution || op->type == OpType_DeconvolutionDepthwise);
}

Convolution2DT* storedWeights(OpT* op) {
    if (!isConvolution(op) && !isDeconvolution(op)) return nullptr;
    Convolution2DT* conv = op->main.AsConvolution2D();
    return conv->weight.empty() || conv->common->relu || conv->common->relu6 ? nullptr : conv;
}

// `second` is folded into `first`, which now makes its result.
void takeOver(Graph& graph, OpT* first, const OpT* second) {
    first->outputIndexes = {second->outputIndexes[0]};
    first->name = second->name;
    eraseOps(graph, {second});
}

// Position of the output channel in the weight: [out, in / group, ...] for convolutions, [in, out / group, ...] for
// transposed ones.
void scaleWeights(Convolution2DT& conv, bool transposed, const std::vector<float>& scale) {
    const size_t outputs = conv.bias.size(), group = conv.common->group;
    if (!transposed) {
        const size_t each = conv.weight.size() / outputs;
        for (size_t i = 0; i < conv.weight.size(); ++i) conv.weight[i] *= scale[i / each];
        return;
    }
    const size_t inputs = conv.common->inputCount, outPerGroup = outputs / group, inPerGroup = inputs / group;
    const size_t area = conv.weight.size() / (inputs * outPerGroup);
    for (size_t i = 0; i < conv.weight.size(); ++i) {
        const size_t o = i / area % outPerGroup, g = i / area / outPerGroup / inPerGroup;
        conv.weight[i] *= scale[g * outPerGroup + o];
    }
}

// Values of a constant that is one number a channel of an NCHW tensor: [1, C, 1, 1], [C, 1, 1], or a single number.
bool channelValues(const BlobT* blob, size_t channels, size_t spatialAxes, std::vector<float>& values) {
    if (!blob || blob->dataType != DataType_DT_FLOAT) return false;
    const std::vector<int>& d = blob->dims;
    if (blob->float32s.size() == 1 && d.size() <= spatialAxes + 2) {
        values.assign(channels, blob->float32s[0]);
        return true;
    }
    if (d.size() != spatialAxes + 1 && d.size() != spatialAxes + 2) return false;
    if (d.size() == spatialAxes + 2 && d[0] != 1) return false;
    for (size_t i = d.size() - spatialAxes; i < d.size(); ++i) {
        if (d[i] != 1) return false;
    }
    values = blob->float32s;
    return values.size() == channels;
}

// Constant of a two-input BinaryOp and the other operand.
bool constantOperand(const GraphIndex& index, const OpT& op, const BlobT*& constant, Value& other) {
    if (op.inputIndexes.size() != 2) return false;
    for (int side = 0; side < 2; ++side) {
        constant = index.constant(op.inputIndexes[side]);
        other = op.inputIndexes[1 - side];
        if (constant) return true;
    }
    return false;
}

bool fuseMatMulBias(Graph& graph, const GraphIndex& index, OpT* add, const BlobT* bias, Value product) {
    OpT* matmul = index.producer(product);
    if (!matmul || matmul->type != OpType_MatMul || matmul->inputIndexes.size() != 2 || !index.onlyReader(product))
        return false;
    const TensorInfo& out = graph.tensors[product];
    const bool fits = bias->dataType == DataType_DT_FLOAT && bias->dims.size() == 1 && out.rankKnown &&
                      out.dims.size() == 2 && out.dims.back() == bias->dims[0];
    if (!fits) return false;
    const Value other = add->inputIndexes[0] == product ? add->inputIndexes[1] : add->inputIndexes[0];
    matmul->inputIndexes.push_back(other);
    // The constant may stand between the product and the sum; it must come before its new reader.
    for (size_t i = 0; i < graph.ops.size(); ++i) {
        if (graph.ops[i].get() != index.producer(other)) continue;
        auto constant = std::move(graph.ops[i]);
        graph.ops.erase(graph.ops.begin() + i);
        graph.ops.insert(graph.ops.begin(), std::move(constant));
        break;
    }
    takeOver(graph, matmul, add);
    return true;
}

bool fuseConvBias(Graph& graph, const GraphIndex& index, OpT* add, const BlobT* constant, Value product) {
    Convolution2DT* conv = storedWeights(index.producer(product));
    std::vector<float> values;
    if (!conv || !index.onlyReader(product) || !channelValues(constant, conv->bias.size(), 2, values)) return false;
    for (size_t i = 0; i < values.size(); ++i) conv->bias[i] += values[i];
    takeOver(graph, index.producer(product), add);
    return true;
}

}  // namespace

bool foldScaleIntoConv(Graph& graph) {
    bool changed = false;
    for (size_t i = 0; i < graph.ops.size(); ++i) {
        OpT* op = graph.ops[i].get();
        if (op->type != OpType_Scale) continue;
        const GraphIndex index(graph);
        OpT* producer = index.producer(op->inputIndexes[0]);
        Convolution2DT* conv = storedWeights(producer);
        const ScaleT& scale = *op->main.AsScale();
        if (!conv || !index.onlyReader(op->inputIndexes[0]) || scale.scaleData.size() != conv->bias.size()) continue;
        scaleWeights(*conv, isDeconvolution(producer), scale.scaleData);
        for (size_t c = 0; c < conv->bias.size(); ++c)
            conv->bias[c] = conv->bias[c] * scale.scaleData[c] + scale.biasData[c];
        takeOver(graph, producer, op);
        --i;
        changed = true;
    }
    return changed;
}

bool fuseBias(Graph& graph) {
    bool changed = false;
    for (size_t i = 0; i < graph.ops.size(); ++i) {
        OpT* op = graph.ops[i].get();
        if (op->type != OpType_BinaryOp || op->main.AsBinaryOp()->opType != BinaryOpOperation_ADD ||
            op->main.AsBinaryOp()->activationType != 0)
            continue;
        const GraphIndex index(graph);
        const BlobT* constant = nullptr;
        Value other = kNone;
        if (!constantOperand(index, *op, constant, other)) continue;
        if (fuseConvBias(graph, index, op, constant, other) || fuseMatMulBias(graph, index, op, constant, other)) {
            --i;
            changed = true;
        }
    }
    return changed;
}

bool fuseActivation(Graph& graph) {
    bool changed = false;
    for (size_t i = 0; i < graph.ops.size(); ++i) {
        OpT* op = graph.ops[i].get();
        const bool relu = op->type == OpType_ReLU && op->main.AsRelu()->slope == 0.0f;
        const bool relu6 =
            op->type == OpType_ReLU6 && op->main.AsRelu6()->minValue == 0.0f && op->main.AsRelu6()->maxValue == 6.0f;
        if (!relu && !relu6) continue;
        const GraphIndex index(graph);
        OpT* producer = index.producer(op->inputIndexes[0]);
        if (!producer || !index.onlyReader(op->inputIndexes[0])) continue;
        if (isConvolution(producer) || isDeconvolution(producer)) {
            Convolution2DCommonT& c = *producer->main.AsConvolution2D()->common;
            if (c.relu || c.relu6) continue;
            c.relu = relu;
            c.relu6 = relu6;
        } else if (producer->type == OpType_BinaryOp && relu && isFloat(producer->main.AsBinaryOp()->T) &&
                   producer->main.AsBinaryOp()->activationType == 0 &&
                   !isCompare(producer->main.AsBinaryOp()->opType)) {
            producer->main.AsBinaryOp()->activationType = 1;
        } else {
            continue;
        }
        takeOver(graph, producer, op);
        --i;
        changed = true;
    }
    return changed;
}

}  // namespace Converter
}  // namespace MNN
