// Arithmetic per op, for profiles: what the mathematics needs, not what a kernel happens to do.
#include "shape/Rule.hpp"

#include <algorithm>

namespace MNN {
namespace {
using namespace shape;

double elements(const Tensor* t) { return t ? static_cast<double>(TensorUtils::elements(t)) : 0.0; }

double convolution(const Op* op, const Tensors& inputs, const Tensors& outputs) {
    const auto* p = op->main_as_Convolution2D();
    if (p == nullptr || p->common() == nullptr || inputs[0]->dimensions() < 2) return elements(outputs[0]);
    const double kernel = static_cast<double>(p->common()->kernelX()) * p->common()->kernelY();
    const double perGroup = inputs[0]->length(channelAxis(inputs[0])) / std::max(1, p->common()->group());
    switch (op->type()) {
        case OpType_ConvolutionDepthwise:
        case OpType_DepthwiseConvInt8:
            return 2.0 * elements(outputs[0]) * kernel;
        case OpType_DeconvolutionDepthwise:
            return 2.0 * elements(inputs[0]) * kernel;
        case OpType_Deconvolution:
            return 2.0 * elements(inputs[0]) * kernel * p->common()->outputCount() / std::max(1, p->common()->group());
        default:
            return 2.0 * elements(outputs[0]) * kernel * perGroup;
    }
}

double convolution3D(const Op* op, const Tensors& inputs, const Tensors& outputs) {
    const auto* p = op->main_as_Convolution3D();
    if (p == nullptr || p->common() == nullptr || p->common()->kernels() == nullptr) return elements(outputs[0]);
    double kernel = 1.0;
    for (int k : *p->common()->kernels()) kernel *= k;
    const double group = std::max(1, p->common()->group());
    if (op->type() == OpType_ConvTranspose3D)
        return 2.0 * elements(inputs[0]) * kernel * p->common()->outputCount() / group;
    return 2.0 * elements(outputs[0]) * kernel * inputs[0]->length(channelAxis(inputs[0])) / group;
}

double pooling(const Op* op, const Tensors& inputs, const Tensors& outputs) {
    const auto* p = op->main_as_Pool();
    if (p == nullptr || p->isGlobal()) return elements(inputs[0]);
    return elements(outputs[0]) * p->kernelX() * p->kernelY();
}

double matmul(const Op* op, const Tensors& inputs, const Tensors& outputs) {
    const int rank = inputs[0]->dimensions();
    if (rank == 0) return elements(outputs[0]);
    const bool transposed = (op->main_as_MatMul() && op->main_as_MatMul()->transposeA()) ||
                            (op->main_as_BatchMatMulParam() && op->main_as_BatchMatMulParam()->adjX());
    return 2.0 * elements(outputs[0]) * inputs[0]->length(transposed && rank > 1 ? rank - 2 : rank - 1);
}

double innerProduct(const Op* op, const Tensors& inputs, const Tensors& outputs) {
    const auto* p = op->main_as_InnerProduct();
    return p ? 2.0 * elements(inputs[0]) * p->outputCount() : elements(outputs[0]);
}

// Scores and their product with the values.
double attention(const Op*, const Tensors& inputs, const Tensors& outputs) {
    if (inputs.size() < 2 || inputs[1]->dimensions() < 2) return elements(outputs[0]);
    return 4.0 * elements(inputs[0]) * inputs[1]->length(1);
}

// Two products per gate and step: with the input's features and with the hidden state.
double recurrent(const Op*, const Tensors& inputs, const Tensors& outputs) {
    if (inputs.size() < 3 || inputs[0]->dimensions() < 2) return elements(outputs[0]);
    const double steps = static_cast<double>(inputs[0]->length(0)) * inputs[0]->length(1);
    return 2.0 * steps * (elements(inputs[1]) + elements(inputs[2]));
}

double none(const Op*, const Tensors&, const Tensors&) { return 0.0; }
double readAll(const Op*, const Tensors& inputs, const Tensors&) { return elements(inputs[0]); }

struct FlopsRow {
    OpType type;
    double (*count)(const Op*, const Tensors&, const Tensors&);
};
const FlopsRow kRows[] = {
    {OpType_Convolution, convolution},
    {OpType_ConvolutionDepthwise, convolution},
    {OpType_ConvInt8, convolution},
    {OpType_DepthwiseConvInt8, convolution},
    {OpType_Deconvolution, convolution},
    {OpType_DeconvolutionDepthwise, convolution},
    {OpType_Convolution3D, convolution3D},
    {OpType_ConvTranspose3D, convolution3D},
    {OpType_Pooling, pooling},
    {OpType_MatMul, matmul},
    {OpType_BatchMatMul, matmul},
    {OpType_InnerProduct, innerProduct},
    {OpType_Attention, attention},
    {OpType_LSTM, recurrent},
    {OpType_RNN, recurrent},
    {OpType_Reduction, readAll},
    {OpType_ArgMax, readAll},
    {OpType_ArgMin, readAll},
    {OpType_TopKV2, readAll},
    {OpType_Input, none},
    {OpType_Const, none},
    {OpType_TrainableParam, none},
    {OpType_Shape, none},
    {OpType_Rank, none},
    {OpType_Size, none},
    {OpType_Identity, none},
    {OpType_Reshape, none},
    {OpType_Squeeze, none},
    {OpType_Unsqueeze, none},
    {OpType_ExpandDims, none},
    {OpType_Flatten, none},
};

}  // namespace

float opFlops(const Op* op, const Tensors& inputs, const Tensors& outputs) {
    if (outputs.empty()) return 0.0f;
    for (const FlopsRow& row : kRows) {
        if (row.type != op->type()) continue;
        if (inputs.empty() && row.count != none) break;
        return static_cast<float>(row.count(op, inputs, outputs) * 1e-6);
    }
    double total = 0.0;
    for (const Tensor* t : outputs) total += elements(t);
    return static_cast<float>(total * 1e-6);
}

}  // namespace MNN
