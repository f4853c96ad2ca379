// The one table of shape rules.
#include "shape/Rules.hpp"

#include <cstring>
#include "core/ExtraAttributes.hpp"

namespace MNN {
namespace {
using namespace shape;

constexpr uint32_t in(int i) { return 1u << i; }
template <typename... More>
constexpr uint32_t in(int i, More... more) {
    return in(i) | in(more...);
}

// type, rule, inputs whose content it reads, inputs whose content decides the size
const ShapeRow kRows[] = {
    // Sources
    {OpType_Input, run<inferInput>, 0, 0},
    {OpType_Const, run<inferConst>, 0, 0},
    {OpType_TrainableParam, run<inferConst>, 0, 0},

    // Element-wise and normalisation
    {OpType_BinaryOp, run<inferBinary>, 0, 0},
    {OpType_Select, run<inferSelect>, 0, 0},
    {OpType_UnaryOp, run<inferUnary>, 0, 0},
    {OpType_Eltwise, run<inferEltwise>, 0, 0},
    {OpType_ReLU, run<inferRelu>, 0, 0},
    {OpType_ReLU6, run<inferRelu6>, 0, 0},
    {OpType_PReLU, run<inferPRelu>, 0, 0},
    {OpType_ELU, run<inferElu>, 0, 0},
    {OpType_Threshold, run<inferElu>, 0, 0},
    {OpType_Selu, run<inferSelu>, 0, 0},
    {OpType_Scale, run<inferScale>, 0, 0},
    {OpType_BatchNorm, run<inferBatchNorm>, 0, 0},
    {OpType_InstanceNorm, run<inferBatchNorm>, 0, 0},
    {OpType_LRN, run<inferLrn>, 0, 0},
    {OpType_Normalize, run<inferNormalize>, 0, 0},
    {OpType_Softmax, run<inferSoftmax>, 0, 0},
    {OpType_CumSum, run<inferCumulate>, in(1), 0},
    {OpType_CumProd, run<inferCumulate>, 0, 0},
    {OpType_SpatialProduct, run<inferSpatialProduct>, 0, 0},
    {OpType_Sigmoid, run<inferSame>, 0, 0},
    {OpType_TanH, run<inferSame>, 0, 0},
    {OpType_Identity, run<inferSame>, 0, 0},
    {OpType_ZerosLike, run<inferSame>, 0, 0},
    {OpType_ZeroGrad, run<inferSame>, 0, 0},

    // Type and layout
    {OpType_Cast, run<inferCast>, 0, 0},
    {OpType_CastLike, run<inferCast>, 0, 0},
    {OpType_Int8ToFloat, run<inferCast>, 0, 0},
    {OpType_FloatToInt8, run<inferCast>, 0, 0},
    {OpType_Dequantize, run<inferCast>, 0, 0},
    {OpType_DynamicQuant, run<inferDynamicQuant>, 0, 0},
    {OpType_ConvertTensor, run<inferConvertTensor>, 0, 0},

    // Convolution and pooling
    {OpType_Convolution, run<inferConvolution>, 0, 0},
    {OpType_ConvolutionDepthwise, run<inferConvolution>, 0, 0},
    {OpType_ConvInt8, run<inferConvolution>, 0, 0},
    {OpType_DepthwiseConvInt8, run<inferConvolution>, 0, 0},
    {OpType_Deconvolution, run<inferDeconvolution>, 0, 0},
    {OpType_DeconvolutionDepthwise, run<inferDeconvolution>, 0, 0},
    {OpType_Convolution3D, run<inferConvolution3D>, 0, 0},
    {OpType_ConvTranspose3D, run<inferConvolution3D>, 0, 0},
    {OpType_Dilation2D, run<inferDilation2D>, 0, 0},
    {OpType_Im2Col, run<inferIm2Col>, 0, 0},
    {OpType_Col2Im, run<inferCol2Im>, in(1), 0},
    {OpType_Conv2DBackPropFilter, run<inferConvolutionBackFilter>, 0, 0},
    {OpType_FusedLinear, run<inferFusedLinear>, 0, 0},
    {OpType_Pooling, run<inferPooling>, 0, 0},
    {OpType_Pooling3D, run<inferPooling3D>, 0, 0},
    {OpType_PoolGrad, run<inferSame>, 0, 0},

    // Views
    {OpType_Reshape, run<inferReshape>, in(1), 0},
    {OpType_QuantizedReshape, run<inferReshape>, in(1), 0},
    {OpType_Squeeze, run<inferSqueeze>, in(1), 0},
    {OpType_Unsqueeze, run<inferUnsqueeze>, in(1), 0},
    {OpType_ExpandDims, run<inferExpandDims>, in(1), 0},
    {OpType_Flatten, run<inferFlatten>, 0, 0},
    {OpType_Permute, run<inferPermute>, 0, 0},
    {OpType_Transpose, run<inferTranspose>, in(1), 0},
    {OpType_Concat, run<inferConcat>, 0, 0},
    {OpType_QuantizedConcat, run<inferConcat>, 0, 0},
    {OpType_Pack, run<inferPack>, 0, 0},
    {OpType_Unpack, run<inferUnpack>, 0, 0},
    {OpType_Slice, run<inferSlice>, in(1), 0},
    {OpType_SliceTf, run<inferSliceTf>, in(1, 2), 0},
    {OpType_StridedSlice, run<inferStridedSlice>, in(1, 2, 3), 0},
    {OpType_Crop, run<inferCrop>, 0, 0},

    // Products
    {OpType_MatMul, run<inferMatMul>, 0, 0},
    {OpType_BatchMatMul, run<inferMatMul>, 0, 0},
    {OpType_InnerProduct, run<inferInnerProduct>, 0, 0},

    // Indexing
    {OpType_Gather, run<inferGather>, in(2), 0},
    {OpType_GatherV2, run<inferGather>, in(2), 0},
    {OpType_GatherND, run<inferGatherNd>, 0, 0},
    {OpType_GatherElements, run<inferGatherElements>, in(2), 0},
    {OpType_ScatterNd, run<inferScatterNd>, in(2), 0},
    {OpType_ScatterElements, run<inferScatterElements>, in(3), 0},

    // Values known from shapes
    {OpType_Shape, run<inferShapeOp>, 0, 0},
    {OpType_Rank, run<inferCount>, 0, 0},
    {OpType_Size, run<inferCount>, 0, 0},
    {OpType_PriorBox, run<inferPriorBox>, 0, 0},

    // Reductions
    {OpType_Reduction, run<inferReduction>, in(1), 0},
    {OpType_ArgMax, run<inferArgMax>, 0, 0},
    {OpType_ArgMin, run<inferArgMax>, 0, 0},
    {OpType_TopKV2, run<inferTopK>, in(1, 2), 0},
    {OpType_Histogram, run<inferHistogram>, 0, 0},
    {OpType_Det, run<inferDet>, 0, 0},
    {OpType_Svd, run<inferSvd>, 0, 0},
    {OpType_MatrixBandPart, run<inferMatrixBandPart>, 0, 0},
    {OpType_CosineSimilarity, run<inferCosineSimilarity>, in(2), 0},

    // Tensors made from numbers
    {OpType_Fill, run<inferFill>, in(0), 0},
    {OpType_Range, run<inferRange>, in(0, 1, 2), 0},
    {OpType_LinSpace, run<inferLinSpace>, in(2), 0},
    {OpType_RandomUniform, run<inferRandom>, in(0), 0},
    {OpType_RandomNormal, run<inferRandom>, in(0), 0},
    {OpType_OneHot, run<inferOneHot>, in(1), 0},
    {OpType_EyeLike, run<inferEyeLike>, in(1), 0},

    // Views that repeat, pad, reverse or regroup
    {OpType_Padding, run<inferPadding>, in(1), 0},
    {OpType_Tile, run<inferTile>, in(1), 0},
    {OpType_BroadcastTo, run<inferBroadcastTo>, in(1), 0},
    {OpType_Reverse, run<inferReverse>, in(1), 0},
    {OpType_ReverseSequence, run<inferReverseSequence>, in(1), 0},
    {OpType_Raster, run<inferRaster>, 0, 0},
    {OpType_SpaceToBatchND, run<inferSpaceToBatch>, in(1, 2), 0},
    {OpType_BatchToSpaceND, run<inferBatchToSpace>, in(1, 2), 0},
    {OpType_DepthToSpace, run<inferDepthToSpace>, 0, 0},
    {OpType_SpaceToDepth, run<inferSpaceToDepth>, 0, 0},

    // Images
    {OpType_Interp, run<inferInterp>, in(1), 0},
    {OpType_Interp3D, run<inferInterp>, in(1), 0},
    {OpType_Resize, run<inferResize>, 0, 0},
    {OpType_GridSample, run<inferGridSample>, in(2), 0},
    {OpType_CropAndResize, run<inferCropAndResize>, in(3), 0},
    {OpType_ROIPooling, run<inferRoi>, 0, 0},
    {OpType_ROIAlign, run<inferRoi>, 0, 0},
    {OpType_ImageProcess, run<inferImageProcess>, 0, 0},

    // Sizes that follow from values
    {OpType_Where, run<inferWhere>, 0, in(0)},
    {OpType_Unique, run<inferUnique>, 0, in(0)},
    {OpType_SetDiff1D, run<inferSetDiff>, 0, in(0, 1)},
    {OpType_Segment, run<inferSegment>, 0, in(1)},
    {OpType_NonMaxSuppressionV2, run<inferNonMaxSuppression>, in(2, 3, 4), in(0, 1)},

    // Result tables
    {OpType_DetectionOutput, run<inferDetectionOutput>, 0, 0},
    {OpType_DetectionPostProcess, run<inferDetectionPostProcess>, 0, 0},
    {OpType_Proposal, run<inferProposal>, 0, 0},
    {OpType_UnravelIndex, run<inferUnravelIndex>, 0, 0},
    {OpType_Stft, run<inferStft>, 0, 0},

    // Sequences
    {OpType_LSTM, run<inferLstm>, 0, 0},
    {OpType_RNN, run<inferRnn>, 0, 0},
    {OpType_RNNSequenceGRU, run<inferGru>, 0, 0},
    {OpType_LSTMBlockCell, run<inferLstmBlockCell>, 0, 0},
    {OpType_LayerNorm, run<inferLayerNorm>, 0, 0},
    {OpType_GatedRMSNorm, run<inferGatedRmsNorm>, 0, 0},
    {OpType_GroupNorm, run<inferGroupNorm>, 0, 0},
    {OpType_Attention, run<inferAttention>, 0, 0},
    {OpType_FmhaV2, run<inferFmhaV2>, 0, 0},
    {OpType_Fmhca, run<inferFmhca>, 0, 0},
    {OpType_SplitGeLU, run<inferSplitGelu>, 0, 0},
    {OpType_SeqLen2Spatial, run<inferSeqLenToSpatial>, 0, 0},
    {OpType_LinearAttention, run<inferLinearAttention>, 0, 0},
    {OpType_RoPE, run<inferRope>, 0, 0},

    // User kernels and lists
    {OpType_Plugin, run<inferPlugin>, 0, 0},
    {OpType_TensorArray, run<inferTensorArray>, in(0), 0},
    {OpType_TensorArraySize, run<inferTensorArraySize>, 0, 0},
    {OpType_TensorArrayRead, run<inferTensorArrayRead>, in(1), 0},
    {OpType_TensorArrayWrite, run<inferTensorArrayWrite>, in(1), 0},
    {OpType_TensorArrayInsert, run<inferTensorArrayInsert>, in(1), 0},
    {OpType_TensorArrayErase, run<inferTensorArrayErase>, in(1), 0},
    {OpType_TensorArrayGather, run<inferTensorArrayGather>, in(1), 0},
    {OpType_TensorArrayScatter, run<inferTensorArrayScatter>, in(1), 0},
    {OpType_TensorArraySplit, run<inferTensorArraySplit>, in(2), 0},
    {OpType_TensorArrayConcat, run<inferTensorArrayConcat>, 0, 0},
};

// Which input holds a content can depend on the op: axes are input 4 of an ONNX slice, and TensorFlow writes the value
// there.
const ShapeRow kSliceWithAxes = {OpType_StridedSlice, run<inferStridedSlice>, in(1, 2, 3, 4), 0};
// A transposed convolution that is told its output shape finds it in its last input.
const ShapeRow kSizedDeconvolution[] = {
    {OpType_Deconvolution, run<inferDeconvolution>, in(1), 0},
    {OpType_Deconvolution, run<inferDeconvolution>, in(2), 0},
    {OpType_Deconvolution, run<inferDeconvolution>, in(3), 0},
};
const ShapeRow kSizedDeconvolution3D[] = {
    {OpType_ConvTranspose3D, run<inferConvolution3D>, in(1), 0},
    {OpType_ConvTranspose3D, run<inferConvolution3D>, in(2), 0},
    {OpType_ConvTranspose3D, run<inferConvolution3D>, in(3), 0},
};

const ShapeRow* sizedDeconvolution(const Op* op) {
    const auto* p2 = op->main_as_Convolution2D();
    const auto* p3 = op->main_as_Convolution3D();
    const bool sized2 = p2 && p2->common() && p2->common()->hasOutputShape();
    const bool sized3 = p3 && p3->common() && p3->common()->hasOutputShape();
    const unsigned inputs = op->inputIndexes() ? op->inputIndexes()->size() : 0;
    if ((!sized2 && !sized3) || inputs < 2 || inputs > 4) return nullptr;
    return sized2 ? &kSizedDeconvolution[inputs - 2] : &kSizedDeconvolution3D[inputs - 2];
}

// Extra ops of engine "MNN", by type string.
const ExtraShapeRow kExtraRows[] = {
    {"Identity", {OpType_Extra, run<inferSame>, 0, 0}},
    {"LSTM", {OpType_Extra, run<inferExtraRecurrent>, 0, 0}},
    {"GRU", {OpType_Extra, run<inferExtraRecurrent>, 0, 0}},
    {"RNN", {OpType_Extra, run<inferExtraRecurrent>, 0, 0}},
    {"Resize", {OpType_Extra, run<inferExtraResize>, in(1, 2, 3), 0}},
    {"MaxPool", {OpType_Extra, run<inferExtraPool>, 0, 0}},
    {"AveragePool", {OpType_Extra, run<inferExtraPool>, 0, 0}},
    {"Reshape", {OpType_Extra, run<inferReshape>, in(1), 0}},
    {"NonMaxSuppression", {OpType_Extra, run<inferNonMaxSuppression>, in(2, 3, 4), in(0, 1)}},
    {"Unique", {OpType_Extra, run<inferUnique>, 0, in(0)}},
    {"GridSample", {OpType_Extra, run<inferGridSample>, 0, 0}},
    {"Col2Im", {OpType_Extra, run<inferExtraCol2Im>, in(1, 2), 0}},
    {"DeformConv", {OpType_Extra, run<inferDeformConv>, 0, 0}},
    {"DFT", {OpType_Extra, run<inferDft>, in(1), 0}},
    {"STFT", {OpType_Extra, run<inferExtraStft>, in(1, 2), 0}},
};
// The frame length stands behind the window, when there is one.
const ShapeRow kStftWithWindow = {OpType_Extra, run<inferExtraStft>, in(1, 3), 0};

const ShapeRow* extraRow(const Op* op) {
    const Extra* p = op->main_as_Extra();
    if (p == nullptr || p->type() == nullptr) return nullptr;
    if (p->engine() != nullptr && strcmp(p->engine()->c_str(), "MNN") != 0) return nullptr;
    const char* type = p->type()->c_str();
    if (strcmp(type, "STFT") == 0 && extra::integer(op, "has_window", 0) != 0) return &kStftWithWindow;
    for (const ExtraShapeRow& row : kExtraRows) {
        if (strcmp(row.type, type) == 0) return &row.row;
    }
    return nullptr;
}

const ShapeRow* specialRow(const Op* op) {
    switch (op->type()) {
        case OpType_StridedSlice: {
            const auto* p = op->main_as_StridedSliceParam();
            return p != nullptr && p->fromType() != 0 ? &kSliceWithAxes : nullptr;
        }
        case OpType_Deconvolution:
        case OpType_DeconvolutionDepthwise:
        case OpType_ConvTranspose3D:
            return sizedDeconvolution(op);
        case OpType_Extra:
            return extraRow(op);
        default:
            return nullptr;
    }
}

}  // namespace

const ShapeRow* findShape(const Op* op) {
    if (const ShapeRow* row = specialRow(op)) return row;
    for (const ShapeRow& row : kRows) {
        if (row.type == op->type()) return &row;
    }
    return nullptr;
}

bool inferShape(const Op* op, const Tensors& inputs, const Tensors& outputs) {
    const ShapeRow* row = findShape(op);
    if (row == nullptr && op->type() == OpType_Extra) {
        return shape::fail(op, inputs, "this op is of a kind that the library does not know");
    }
    return row ? row->infer(op, inputs, outputs) : run<inferSame>(op, inputs, outputs);
}

}  // namespace MNN
