// Which op is lowered how. An op without a row is a primitive: an Execution runs it on row-major tensors.
#include <cstring>
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"

namespace MNN {
namespace {

using namespace geometry;

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

    // Element-wise.
    {OpType_UnaryOp, lowerElementwise},
    {OpType_BinaryOp, lowerElementwise},
    {OpType_Select, lowerElementwise},
    {OpType_Cast, lowerElementwise},
    {OpType_ReLU, lowerElementwise},
    {OpType_ReLU6, lowerElementwise},
    {OpType_PReLU, lowerPerChannel},
    {OpType_Scale, lowerPerChannel},
    {OpType_BatchNorm, lowerBatchNorm},
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
    {OpType_Convolution, lowerImage},
    {OpType_ConvolutionDepthwise, lowerImage},
    {OpType_Deconvolution, lowerImage},
    {OpType_DeconvolutionDepthwise, lowerImage},
    {OpType_ConvInt8, lowerImage},
    {OpType_DepthwiseConvInt8, lowerImage},
    {OpType_Pooling, lowerImage},
    {OpType_Interp, lowerResample},
    {OpType_Resize, lowerResize},
    {OpType_GridSample, lowerResample},
    {OpType_LRN, lowerLrn},

    // Row-major numerics.
    {OpType_MatMul, lowerMatMul},
    {OpType_BatchMatMul, lowerBatchMatMul},
    {OpType_InnerProduct, lowerInnerProduct},
    {OpType_Softmax, lowerSoftmax},
};

// Extra ops of engine "MNN", by type.
const ExtraGeometryRow kExtraRows[] = {
    {"Identity", lowerIdentity},
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
