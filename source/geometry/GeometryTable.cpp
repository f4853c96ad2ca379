// Which op is lowered how. An op without a row is a primitive: an Execution runs it on row-major tensors.
#include <cstring>
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"

namespace MNN {
namespace {

using namespace geometry;

// Channels come second for every op about images; a tensor listed as NHWC is seen through a permutation.
std::vector<int> channelsSecond(int rank) {
    std::vector<int> perm = {0, rank - 1};
    for (int d = 1; d < rank - 1; ++d) perm.push_back(d);
    return perm;
}

std::vector<int> channelsLast(int rank) {
    std::vector<int> perm = {0};
    for (int d = 2; d < rank; ++d) perm.push_back(d);
    perm.push_back(1);
    return perm;
}

template <Lowering lowering>
bool channelFirst(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const int rank = inputs.empty() ? 0 : inputs[0]->dimensions();
    if (rank < 3 || TensorUtils::describe(inputs[0])->format != MNN_DATA_FORMAT_NHWC)
        return lowering(op, inputs, outputs, ctx);
    Tensors turned = inputs, results;
    turned[0] = permute(inputs[0], channelsSecond(rank), ctx);
    for (Tensor* output : outputs) {
        std::vector<int> dims = output->shape();
        if (dims.size() != static_cast<size_t>(rank)) return fail(op, inputs, "the output has another rank");
        dims.insert(dims.begin() + 1, dims.back());
        dims.pop_back();
        results.push_back(ctx.makeTensor(dims, output->getType()));
    }
    if (!lowering(op, turned, results, ctx)) return false;
    for (size_t i = 0; i < outputs.size(); ++i) {
        setReshape(outputs[i], permute(results[i], channelsLast(rank), ctx), ctx);
    }
    return true;
}

const GeometryRow kRows[] = {
    {OpType_Const, lowerNothing},
    {OpType_TrainableParam, lowerNothing},
    {OpType_Input, lowerNothing},

    // Names of the same elements.
    {OpType_Identity, lowerIdentity},
    {OpType_Dropout, lowerIdentity},
    {OpType_Copy, lowerIdentity},
    {OpType_Seq2Out, lowerIdentity},
    {OpType_Reshape, lowerReshape},
    {OpType_QuantizedReshape, lowerReshape},
    {OpType_Squeeze, lowerReshape},
    {OpType_Unsqueeze, lowerReshape},
    {OpType_ExpandDims, lowerReshape},
    {OpType_Flatten, lowerReshape},

    // Moves.
    {OpType_Permute, lowerPermute},
    {OpType_Transpose, lowerTranspose},
    {OpType_ConvertTensor, lowerConvertTensor},
    {OpType_Concat, lowerConcat},
    {OpType_Pack, lowerPack},
    {OpType_Slice, lowerSlice},
    {OpType_SliceTf, lowerSliceTf},
    {OpType_StridedSlice, lowerStridedSlice},
    {OpType_Unpack, lowerUnpack},
    {OpType_Crop, lowerCrop},
    {OpType_Padding, lowerPadding},
    {OpType_Tile, lowerTile},
    {OpType_BroadcastTo, lowerBroadcastTo},
    {OpType_DepthToSpace, lowerDepthToSpace},
    {OpType_SpaceToDepth, lowerSpaceToDepth},
    {OpType_SpaceToBatchND, lowerSpaceToBatch},
    {OpType_BatchToSpaceND, lowerBatchToSpace},
    {OpType_Reverse, lowerReverse},
    {OpType_ReverseSequence, lowerReverseSequence},
    {OpType_Gather, lowerGather},
    {OpType_GatherV2, lowerGather},
    {OpType_Fill, lowerFill},
    {OpType_ZerosLike, lowerZeros},
    {OpType_ZeroGrad, lowerZeros},
    {OpType_EyeLike, lowerEyeLike},
    {OpType_Raster, lowerRasterOp},

    // Values of shapes.
    {OpType_Shape, lowerShape},
    {OpType_Size, lowerSize},
    {OpType_Rank, lowerRank},
    {OpType_PriorBox, lowerPriorBox},

    // Element-wise.
    {OpType_UnaryOp, lowerElementwise},
    {OpType_BinaryOp, lowerElementwise},
    {OpType_Select, lowerElementwise},
    {OpType_Cast, lowerCast},
    {OpType_ReLU, lowerElementwise},
    {OpType_ReLU6, lowerElementwise},
    {OpType_PReLU, channelFirst<lowerPerChannel>},
    {OpType_Scale, channelFirst<lowerPerChannel>},
    {OpType_BatchNorm, channelFirst<lowerBatchNorm>},
    {OpType_Eltwise, lowerEltwise},
    {OpType_AbsVal, lowerAbs},
    {OpType_Bnll, lowerBnll},
    {OpType_Exp, lowerExp},
    {OpType_Log, lowerLog},
    {OpType_Sigmoid, lowerSigmoid},
    {OpType_TanH, lowerTanH},
    {OpType_ELU, lowerElu},
    {OpType_Selu, lowerSelu},
    {OpType_Threshold, lowerThreshold},
    {OpType_SpatialProduct, lowerSpatialProduct},
    {OpType_CastLike, lowerCastLike},

    // Image ops.
    {OpType_Convolution, channelFirst<lowerImage>},
    {OpType_ConvolutionDepthwise, channelFirst<lowerImage>},
    {OpType_Deconvolution, channelFirst<lowerImage>},
    {OpType_DeconvolutionDepthwise, channelFirst<lowerImage>},
    {OpType_ConvInt8, channelFirst<lowerImage>},
    {OpType_DepthwiseConvInt8, channelFirst<lowerImage>},
    {OpType_Pooling, channelFirst<lowerImage>},
    {OpType_Interp, channelFirst<lowerResample>},
    {OpType_Resize, channelFirst<lowerResize>},
    {OpType_GridSample, channelFirst<lowerResample>},
    {OpType_LRN, channelFirst<lowerLrn>},
    {OpType_Normalize, channelFirst<lowerNormalize>},
    {OpType_GroupNorm, channelFirst<lowerGroupNorm>},
    {OpType_InstanceNorm, channelFirst<lowerInstanceNorm>},
    {OpType_Convolution3D, channelFirst<lowerConvolution3D>},
    {OpType_ConvTranspose3D, channelFirst<lowerDeconvolution3D>},
    {OpType_Pooling3D, channelFirst<lowerPooling3D>},
    {OpType_Im2Col, lowerIm2Col},
    {OpType_Col2Im, lowerCol2Im},
    {OpType_Dilation2D, channelFirst<lowerDilation2D>},

    // Row-major numerics.
    {OpType_MatMul, lowerMatMul},
    {OpType_BatchMatMul, lowerBatchMatMul},
    {OpType_InnerProduct, lowerInnerProduct},
    {OpType_Softmax, lowerSoftmax},
    {OpType_Reduction, lowerReduction},
    {OpType_TopKV2, lowerTopK},
    {OpType_ArgMax, lowerArgMax},
    {OpType_ArgMin, lowerArgMax},
    {OpType_CosineSimilarity, lowerCosineSimilarity},
    {OpType_LayerNorm, lowerLayerNorm},
    {OpType_GatedRMSNorm, lowerGatedRmsNorm},
    {OpType_Moments, lowerMoments},

    {OpType_LSTMBlockCell, lowerLstmBlockCell},

    // Lists of tensors.
    {OpType_TensorArray, lowerTensorArray},
    {OpType_TensorArraySize, lowerTensorArraySize},
    {OpType_TensorArrayRead, lowerTensorArrayRead},
    {OpType_TensorArrayWrite, lowerTensorArrayWrite},
    {OpType_TensorArrayInsert, lowerTensorArrayInsert},
    {OpType_TensorArrayErase, lowerTensorArrayErase},
    {OpType_TensorArrayGather, lowerTensorArrayGather},
    {OpType_TensorArrayScatter, lowerTensorArrayScatter},
    {OpType_TensorArraySplit, lowerTensorArraySplit},
    {OpType_TensorArrayConcat, lowerTensorArrayConcat},
};

// Extra ops of engine "MNN", by type.
const ExtraGeometryRow kExtraRows[] = {
    {"Identity", lowerIdentity},
    {"Reshape", lowerReshape},
};

}  // namespace

Lowering findLowering(const Op* op) {
    if (op->type() == OpType_Extra) {
        const Extra* extra = op->main_as_Extra();
        if (extra == nullptr || extra->type() == nullptr) return nullptr;
        for (const ExtraGeometryRow& row : kExtraRows) {
            if (std::strcmp(row.type, extra->type()->c_str()) == 0) return row.onCompute;
        }
        return nullptr;
    }
    for (const GeometryRow& row : kRows) {
        if (row.type == op->type()) return row.onCompute;
    }
    return nullptr;
}

bool lowerOp(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    ctx.setSource(op);
    Tensors real;
    for (Tensor* t : inputs) real.push_back(resolve(t));
    const Lowering lowering = findLowering(op);
    return lowering != nullptr ? lowering(op, real, outputs, ctx) : lowerPrimitive(op, real, outputs, ctx);
}

namespace geometry {

bool lowerPrimitive(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    Tensors sources, targets;
    for (Tensor* t : inputs) sources.push_back(ctx.plain(t));
    for (Tensor* t : outputs) targets.push_back(ctx.plainOutput(t));
    ctx.addWhole(op, sources, targets);
    return true;
}

}  // namespace geometry
}  // namespace MNN
