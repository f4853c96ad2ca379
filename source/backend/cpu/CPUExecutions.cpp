// Every Execution of the CPU backend: one row each. An op without a row is lowered by geometry/ onto ops that have one.
#include <cstring>
#include "backend/cpu/CPUBackend.hpp"

namespace MNN {

#define MNN_CPU_CREATOR(name) \
    Execution* create##name(const Op*, const std::vector<Tensor*>&, const std::vector<Tensor*>&, CPUBackend*);
MNN_CPU_CREATOR(CPUArgReduce)
MNN_CPU_CREATOR(CPUBinary)
MNN_CPU_CREATOR(CPUCast)
MNN_CPU_CREATOR(CPUConvolution)
MNN_CPU_CREATOR(CPUCumulate)
MNN_CPU_CREATOR(CPULayerNorm)
MNN_CPU_CREATOR(CPUMatMul)
MNN_CPU_CREATOR(CPUPReLU)
MNN_CPU_CREATOR(CPUPool)
MNN_CPU_CREATOR(CPURaster)
MNN_CPU_CREATOR(CPUReduction)
MNN_CPU_CREATOR(CPUScale)
MNN_CPU_CREATOR(CPUSelect)
MNN_CPU_CREATOR(CPUSoftmax)
MNN_CPU_CREATOR(CPUUnary)

MNN_CPU_CREATOR(CPUDet)
MNN_CPU_CREATOR(CPUEyeLike)
MNN_CPU_CREATOR(CPUFill)
MNN_CPU_CREATOR(CPUGather)
MNN_CPU_CREATOR(CPUGatherElements)
MNN_CPU_CREATOR(CPUGatherND)
MNN_CPU_CREATOR(CPUHistogram)
MNN_CPU_CREATOR(CPUInterp)
MNN_CPU_CREATOR(CPULinSpace)
MNN_CPU_CREATOR(CPUMatrixBandPart)
MNN_CPU_CREATOR(CPUNonMaxSuppression)
MNN_CPU_CREATOR(CPUOneHot)
MNN_CPU_CREATOR(CPURandom)
MNN_CPU_CREATOR(CPURange)
MNN_CPU_CREATOR(CPUReverseSequence)
MNN_CPU_CREATOR(CPUScatterElements)
MNN_CPU_CREATOR(CPUScatterNd)
MNN_CPU_CREATOR(CPUSegment)
MNN_CPU_CREATOR(CPUSetDiff)
MNN_CPU_CREATOR(CPUTopK)
MNN_CPU_CREATOR(CPUUnique)
MNN_CPU_CREATOR(CPUUniqueExtra)
MNN_CPU_CREATOR(CPUUnravelIndex)
MNN_CPU_CREATOR(CPUWhere)
MNN_CPU_CREATOR(CPUGridSample)
MNN_CPU_CREATOR(CPUGridSampleExtra)
MNN_CPU_CREATOR(CPUPoolExtra)
MNN_CPU_CREATOR(CPUROIAlign)
MNN_CPU_CREATOR(CPUROIPooling)
MNN_CPU_CREATOR(CPUCropAndResize)
MNN_CPU_CREATOR(CPURecurrent)
MNN_CPU_CREATOR(CPURecurrentExtra)
MNN_CPU_CREATOR(CPUSequenceGRU)
MNN_CPU_CREATOR(CPUResize)
MNN_CPU_CREATOR(CPUFloatToInt8)
MNN_CPU_CREATOR(CPUInt8ToFloat)
MNN_CPU_CREATOR(CPUDynamicQuant)
MNN_CPU_CREATOR(CPUDequantize)
MNN_CPU_CREATOR(CPUPlugin)
MNN_CPU_CREATOR(CPUDft)
MNN_CPU_CREATOR(CPUStftExtra)
MNN_CPU_CREATOR(CPUStft)
MNN_CPU_CREATOR(CPUDeformConv)
MNN_CPU_CREATOR(CPUCol2Im)
MNN_CPU_CREATOR(CPURope)
MNN_CPU_CREATOR(CPUDetectionOutput)
MNN_CPU_CREATOR(CPUDetectionPostProcess)
MNN_CPU_CREATOR(CPUProposal)
MNN_CPU_CREATOR(CPUSvd)
#undef MNN_CPU_CREATOR

namespace {

constexpr ViewLike kIn = ViewLike::Input, kOut = ViewLike::Output;

// type, creator, inputs read through views, whose lengths, in place
const CPUExecutionRow kRows[] = {
    {OpType_BatchMatMul, createCPUMatMul, 0b11, kIn, false},
    {OpType_Convolution, createCPUConvolution, 0, kIn, false},
    {OpType_ConvolutionDepthwise, createCPUConvolution, 0, kIn, false},
    {OpType_Deconvolution, createCPUConvolution, 0, kIn, false},
    {OpType_DeconvolutionDepthwise, createCPUConvolution, 0, kIn, false},
    {OpType_MatMul, createCPUMatMul, 0b11, kIn, false},
    {OpType_Raster, createCPURaster, 0, kIn, false},
    {OpType_UnaryOp, createCPUUnary, 1, kOut, true},
    {OpType_Sigmoid, createCPUUnary, 1, kOut, true},
    {OpType_TanH, createCPUUnary, 1, kOut, true},
    {OpType_ReLU, createCPUUnary, 1, kOut, true},
    {OpType_ReLU6, createCPUUnary, 1, kOut, true},
    {OpType_ELU, createCPUUnary, 1, kOut, true},
    {OpType_Selu, createCPUUnary, 1, kOut, true},
    {OpType_Threshold, createCPUUnary, 1, kOut, true},
    {OpType_BinaryOp, createCPUBinary, 3, kOut, true},
    {OpType_Select, createCPUSelect, 7, kOut, true},
    {OpType_Cast, createCPUCast, 1, kOut, false},
    {OpType_PReLU, createCPUPReLU, 1, kOut, true},
    {OpType_Scale, createCPUScale, 1, kOut, true},
    {OpType_Reduction, createCPUReduction, 1, kIn, false},
    {OpType_ArgMax, createCPUArgReduce, 0, kIn, false},
    {OpType_ArgMin, createCPUArgReduce, 0, kIn, false},
    {OpType_CumSum, createCPUCumulate, 0, kIn, true},
    {OpType_CumProd, createCPUCumulate, 0, kIn, true},
    {OpType_Softmax, createCPUSoftmax, 0, kIn, true},
    {OpType_LayerNorm, createCPULayerNorm, 0, kIn, true},

    // Sampling, indexing, quantisation, recurrence.
    {OpType_Pooling, createCPUPool, 0, kIn, false},
    {OpType_Interp, createCPUInterp, 0, kIn, false},
    {OpType_Interp3D, createCPUInterp, 0, kIn, false},
    {OpType_GridSample, createCPUGridSample, 0, kIn, false},
    {OpType_Stft, createCPUStft, 0, kIn, false},
    {OpType_FloatToInt8, createCPUFloatToInt8, 0, kIn, false},
    {OpType_Int8ToFloat, createCPUInt8ToFloat, 0, kIn, false},
    {OpType_DynamicQuant, createCPUDynamicQuant, 0, kIn, false},
    {OpType_Dequantize, createCPUDequantize, 0, kIn, false},
    {OpType_Plugin, createCPUPlugin, 0, kIn, false},
    {OpType_LSTM, createCPURecurrent, 0, kIn, false},
    {OpType_RNN, createCPURecurrent, 0, kIn, false},
    {OpType_RNNSequenceGRU, createCPUSequenceGRU, 0, kIn, false},
    {OpType_RoPE, createCPURope, 0b11, kIn, false},
    {OpType_ROIPooling, createCPUROIPooling, 0, kIn, false},
    {OpType_ROIAlign, createCPUROIAlign, 0, kIn, false},
    {OpType_CropAndResize, createCPUCropAndResize, 0, kIn, false},
    {OpType_Gather, createCPUGather, 0, kIn, false},
    {OpType_GatherV2, createCPUGather, 0, kIn, false},
    {OpType_GatherND, createCPUGatherND, 0, kIn, false},
    {OpType_GatherElements, createCPUGatherElements, 0, kIn, false},
    {OpType_ScatterNd, createCPUScatterNd, 0, kIn, false},
    {OpType_ScatterElements, createCPUScatterElements, 0, kIn, false},
    {OpType_TopKV2, createCPUTopK, 0, kIn, false},
    {OpType_Where, createCPUWhere, 0, kIn, false},
    {OpType_Unique, createCPUUnique, 0, kIn, false},
    {OpType_SetDiff1D, createCPUSetDiff, 0, kIn, false},
    {OpType_NonMaxSuppressionV2, createCPUNonMaxSuppression, 0, kIn, false},
    {OpType_DetectionOutput, createCPUDetectionOutput, 0, kIn, false},
    {OpType_DetectionPostProcess, createCPUDetectionPostProcess, 0, kIn, false},
    {OpType_Proposal, createCPUProposal, 0, kIn, false},
    {OpType_Range, createCPURange, 0, kIn, false},
    {OpType_LinSpace, createCPULinSpace, 0, kIn, false},
    {OpType_Fill, createCPUFill, 0, kIn, false},
    {OpType_OneHot, createCPUOneHot, 0, kIn, false},
    {OpType_EyeLike, createCPUEyeLike, 0, kIn, false},
    {OpType_RandomUniform, createCPURandom, 0, kIn, false},
    {OpType_RandomNormal, createCPURandom, 0, kIn, false},
    {OpType_MatrixBandPart, createCPUMatrixBandPart, 0, kIn, false},
    {OpType_Det, createCPUDet, 0, kIn, false},
    {OpType_Svd, createCPUSvd, 0, kIn, false},
    {OpType_UnravelIndex, createCPUUnravelIndex, 0, kIn, false},
    {OpType_Histogram, createCPUHistogram, 0, kIn, false},
    {OpType_Segment, createCPUSegment, 0, kIn, false},
    {OpType_ReverseSequence, createCPUReverseSequence, 0, kIn, false},
};

struct ExtraRow {
    const char* type;
    CPUExecutionRow row;
};

// Extra ops of engine "MNN" (docs/extra-ops.md), by type string.
const ExtraRow kExtraRows[] = {
    {"AveragePool", {OpType_Extra, createCPUPoolExtra, 0, kIn, false}},
    {"GridSample", {OpType_Extra, createCPUGridSampleExtra, 0, kIn, false}},
    {"MaxPool", {OpType_Extra, createCPUPoolExtra, 0, kIn, false}},
    {"Col2Im", {OpType_Extra, createCPUCol2Im, 0, kIn, false}},
    {"DFT", {OpType_Extra, createCPUDft, 0, kIn, false}},
    {"DeformConv", {OpType_Extra, createCPUDeformConv, 0, kIn, false}},
    {"GRU", {OpType_Extra, createCPURecurrentExtra, 0, kIn, false}},
    {"LSTM", {OpType_Extra, createCPURecurrentExtra, 0, kIn, false}},
    {"RNN", {OpType_Extra, createCPURecurrentExtra, 0, kIn, false}},
    {"NonMaxSuppression", {OpType_Extra, createCPUNonMaxSuppression, 0, kIn, false}},
    {"Resize", {OpType_Extra, createCPUResize, 0, kIn, false}},
    {"STFT", {OpType_Extra, createCPUStftExtra, 0, kIn, false}},
    {"Unique", {OpType_Extra, createCPUUniqueExtra, 0, kIn, false}},
};

}  // namespace

std::vector<const CPUExecutionRow*> cpuExecutions() {
    std::vector<const CPUExecutionRow*> rows;
    for (const CPUExecutionRow& row : kRows) rows.push_back(&row);
    for (const ExtraRow& row : kExtraRows) {
        if (row.row.create != nullptr) rows.push_back(&row.row);
    }
    return rows;
}

const CPUExecutionRow* findCPUExecution(const Op* op) {
    if (op->type() == OpType_Extra) {
        const Extra* extra = op->main_as_Extra();
        if (extra == nullptr || extra->type() == nullptr) return nullptr;
        for (const ExtraRow& row : kExtraRows) {
            if (row.row.create != nullptr && std::strcmp(row.type, extra->type()->c_str()) == 0) return &row.row;
        }
        return nullptr;
    }
    for (const CPUExecutionRow& row : kRows) {
        if (row.type == op->type()) return &row;
    }
    return nullptr;
}

}  // namespace MNN
