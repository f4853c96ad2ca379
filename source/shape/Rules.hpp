// Every shape rule, by op family. ShapeTable.cpp says which op uses which.
#ifndef MNN_SHAPE_RULES_HPP
#define MNN_SHAPE_RULES_HPP

#include "shape/Rule.hpp"

namespace MNN {
namespace shape {

// ShapeElementwise.cpp
bool inferSame(const Rule& r);
bool inferBinary(const Rule& r);
bool inferSelect(const Rule& r);
bool inferEltwise(const Rule& r);
bool inferScale(const Rule& r);
bool inferPRelu(const Rule& r);
bool inferBatchNorm(const Rule& r);
bool inferUnary(const Rule& r);
bool inferRelu(const Rule& r);
bool inferRelu6(const Rule& r);
bool inferElu(const Rule& r);
bool inferSelu(const Rule& r);
bool inferLrn(const Rule& r);
bool inferNormalize(const Rule& r);
bool inferSoftmax(const Rule& r);
bool inferCumulate(const Rule& r);
bool inferSpatialProduct(const Rule& r);

// ShapeConvert.cpp
bool inferInput(const Rule& r);
bool inferConst(const Rule& r);
bool inferConvertTensor(const Rule& r);
bool inferCast(const Rule& r);
bool inferDynamicQuant(const Rule& r);

// ShapeConvolution.cpp
bool inferConvolution(const Rule& r);
bool inferDeconvolution(const Rule& r);
bool inferDilation2D(const Rule& r);
bool inferConvolution3D(const Rule& r);
bool inferIm2Col(const Rule& r);
bool inferCol2Im(const Rule& r);
bool inferConvolutionBackFilter(const Rule& r);
bool inferFusedLinear(const Rule& r);

// ShapePool.cpp
bool inferPooling(const Rule& r);
bool inferPooling3D(const Rule& r);

// ShapeReshape.cpp
bool inferReshape(const Rule& r);
bool inferSqueeze(const Rule& r);
bool inferUnsqueeze(const Rule& r);
bool inferExpandDims(const Rule& r);
bool inferFlatten(const Rule& r);

// ShapePermute.cpp
bool inferPermute(const Rule& r);
bool inferTranspose(const Rule& r);

// ShapeConcat.cpp
bool inferConcat(const Rule& r);
bool inferPack(const Rule& r);
bool inferUnpack(const Rule& r);

// ShapeSlice.cpp, ShapeStridedSlice.cpp
bool inferSlice(const Rule& r);
bool inferSliceTf(const Rule& r);
bool inferCrop(const Rule& r);
bool inferStridedSlice(const Rule& r);

// ShapeMatMul.cpp
bool inferMatMul(const Rule& r);
bool inferInnerProduct(const Rule& r);

// ShapeGather.cpp
bool inferGather(const Rule& r);
bool inferGatherNd(const Rule& r);
bool inferGatherElements(const Rule& r);
bool inferScatterNd(const Rule& r);
bool inferScatterElements(const Rule& r);

// ShapeShape.cpp
bool inferShapeOp(const Rule& r);
bool inferCount(const Rule& r);
bool inferPriorBox(const Rule& r);

// ShapeReduce.cpp
bool inferReduction(const Rule& r);
bool inferArgMax(const Rule& r);
bool inferTopK(const Rule& r);
bool inferHistogram(const Rule& r);
bool inferDet(const Rule& r);
bool inferSvd(const Rule& r);
bool inferMatrixBandPart(const Rule& r);
bool inferCosineSimilarity(const Rule& r);

// ShapeFill.cpp
bool inferFill(const Rule& r);
bool inferRange(const Rule& r);
bool inferLinSpace(const Rule& r);
bool inferRandom(const Rule& r);
bool inferOneHot(const Rule& r);
bool inferEyeLike(const Rule& r);

// ShapeExpand.cpp
bool inferPadding(const Rule& r);
bool inferTile(const Rule& r);
bool inferBroadcastTo(const Rule& r);
bool inferReverse(const Rule& r);
bool inferReverseSequence(const Rule& r);
bool inferRaster(const Rule& r);

// ShapeSpace.cpp
bool inferSpaceToBatch(const Rule& r);
bool inferBatchToSpace(const Rule& r);
bool inferDepthToSpace(const Rule& r);
bool inferSpaceToDepth(const Rule& r);

// ShapeInterp.cpp
bool inferInterp(const Rule& r);
bool inferResize(const Rule& r);
bool inferGridSample(const Rule& r);
bool inferCropAndResize(const Rule& r);
bool inferRoi(const Rule& r);
bool inferImageProcess(const Rule& r);

// ShapeSelect.cpp
bool inferWhere(const Rule& r);
bool inferUnique(const Rule& r);
bool inferSetDiff(const Rule& r);
bool inferSegment(const Rule& r);
bool inferNonMaxSuppression(const Rule& r);

// ShapeDetection.cpp
bool inferDetectionOutput(const Rule& r);
bool inferDetectionPostProcess(const Rule& r);
bool inferProposal(const Rule& r);
bool inferUnravelIndex(const Rule& r);
bool inferStft(const Rule& r);

// ShapeRecurrent.cpp
bool inferLstm(const Rule& r);
bool inferRnn(const Rule& r);
bool inferGru(const Rule& r);
bool inferLstmBlockCell(const Rule& r);

// ShapeNorm.cpp, ShapeAttention.cpp
bool inferLayerNorm(const Rule& r);
bool inferGatedRmsNorm(const Rule& r);
bool inferGroupNorm(const Rule& r);
bool inferAttention(const Rule& r);
bool inferFmhaV2(const Rule& r);
bool inferFmhca(const Rule& r);
bool inferSplitGelu(const Rule& r);
bool inferSeqLenToSpatial(const Rule& r);
bool inferLinearAttention(const Rule& r);
bool inferRope(const Rule& r);

// ShapeExtra.cpp
bool inferExtraPool(const Rule& r);
bool inferDeformConv(const Rule& r);
bool inferExtraCol2Im(const Rule& r);
bool inferExtraResize(const Rule& r);
bool inferDft(const Rule& r);
bool inferExtraStft(const Rule& r);
bool inferExtraRecurrent(const Rule& r);

// ShapePlugin.cpp, ShapeTensorArray.cpp
bool inferPlugin(const Rule& r);
bool inferTensorArray(const Rule& r);
bool inferTensorArraySize(const Rule& r);
bool inferTensorArrayRead(const Rule& r);
bool inferTensorArrayWrite(const Rule& r);
bool inferTensorArrayInsert(const Rule& r);
bool inferTensorArrayErase(const Rule& r);
bool inferTensorArrayGather(const Rule& r);
bool inferTensorArrayScatter(const Rule& r);
bool inferTensorArraySplit(const Rule& r);
bool inferTensorArrayConcat(const Rule& r);

}  // namespace shape
}  // namespace MNN
#endif
