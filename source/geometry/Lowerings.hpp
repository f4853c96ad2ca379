// Every lowering, by file; GeometryTable.cpp says which op each serves.
#ifndef MNN_GEOMETRY_LOWERINGS_HPP
#define MNN_GEOMETRY_LOWERINGS_HPP

#include "geometry/Geometry.hpp"

namespace MNN {
namespace geometry {

#define MNN_LOWERING(name) bool name(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx)

// GeometryTable.cpp: an op that an Execution runs as it is, on row-major tensors.
MNN_LOWERING(lowerPrimitive);

// GeometryElementwise.cpp
MNN_LOWERING(lowerElementwise);
MNN_LOWERING(lowerCast);
MNN_LOWERING(lowerPerChannel);
MNN_LOWERING(lowerEltwise);
MNN_LOWERING(lowerBatchNorm);
MNN_LOWERING(lowerAbs);
MNN_LOWERING(lowerBnll);
MNN_LOWERING(lowerExp);
MNN_LOWERING(lowerLog);
MNN_LOWERING(lowerSigmoid);
MNN_LOWERING(lowerTanH);
MNN_LOWERING(lowerElu);
MNN_LOWERING(lowerSelu);
MNN_LOWERING(lowerThreshold);
MNN_LOWERING(lowerSpatialProduct);
MNN_LOWERING(lowerCastLike);

// GeometryReshape.cpp
MNN_LOWERING(lowerReshape);
MNN_LOWERING(lowerIdentity);
MNN_LOWERING(lowerNothing);

// GeometryPermute.cpp
MNN_LOWERING(lowerPermute);
MNN_LOWERING(lowerTranspose);
MNN_LOWERING(lowerConvertTensor);

// GeometryConcat.cpp
MNN_LOWERING(lowerConcat);
MNN_LOWERING(lowerPack);

// GeometryImage.cpp
MNN_LOWERING(lowerImage);
MNN_LOWERING(lowerResample);
MNN_LOWERING(lowerResize);

// GeometryMatMul.cpp
MNN_LOWERING(lowerMatMul);
MNN_LOWERING(lowerBatchMatMul);
MNN_LOWERING(lowerInnerProduct);

// GeometrySoftmax.cpp, GeometryLRN.cpp
MNN_LOWERING(lowerSoftmax);
MNN_LOWERING(lowerLrn);

// GeometrySlice.cpp, GeometryCrop.cpp
MNN_LOWERING(lowerSlice);
MNN_LOWERING(lowerSliceTf);
MNN_LOWERING(lowerUnpack);
MNN_LOWERING(lowerStridedSlice);
MNN_LOWERING(lowerCrop);
MNN_LOWERING(lowerPadding);

// GeometryTile.cpp, GeometrySpaceDepth.cpp, GeometryReverse.cpp
MNN_LOWERING(lowerTile);
MNN_LOWERING(lowerBroadcastTo);
MNN_LOWERING(lowerDepthToSpace);
MNN_LOWERING(lowerSpaceToDepth);
MNN_LOWERING(lowerSpaceToBatch);
MNN_LOWERING(lowerBatchToSpace);
MNN_LOWERING(lowerReverse);
MNN_LOWERING(lowerReverseSequence);

// GeometryGather.cpp, GeometryFill.cpp
MNN_LOWERING(lowerGather);
MNN_LOWERING(lowerFill);
MNN_LOWERING(lowerZeros);
MNN_LOWERING(lowerEyeLike);
MNN_LOWERING(lowerRasterOp);

// GeometryHost.cpp
MNN_LOWERING(lowerShape);
MNN_LOWERING(lowerSize);
MNN_LOWERING(lowerRank);
MNN_LOWERING(lowerPriorBox);

// GeometryReduce.cpp, GeometryCosineSimilarity.cpp, GeometryTopK.cpp
MNN_LOWERING(lowerReduction);
MNN_LOWERING(lowerCosineSimilarity);
MNN_LOWERING(lowerTopK);
MNN_LOWERING(lowerArgMax);

// GeometryNorm.cpp
MNN_LOWERING(lowerLayerNorm);
MNN_LOWERING(lowerGroupNorm);
MNN_LOWERING(lowerInstanceNorm);
MNN_LOWERING(lowerGatedRmsNorm);
MNN_LOWERING(lowerNormalize);
MNN_LOWERING(lowerMoments);

// GeometryLSTMBlockCell.cpp
MNN_LOWERING(lowerLstmBlockCell);

// GeometryConv3D.cpp, GeometryPool3D.cpp, GeometryIm2Col.cpp
MNN_LOWERING(lowerConvolution3D);
MNN_LOWERING(lowerDeconvolution3D);
MNN_LOWERING(lowerPooling3D);
MNN_LOWERING(lowerIm2Col);
MNN_LOWERING(lowerCol2Im);
MNN_LOWERING(lowerDilation2D);

// GeometryTensorArray.cpp
MNN_LOWERING(lowerTensorArray);
MNN_LOWERING(lowerTensorArraySize);
MNN_LOWERING(lowerTensorArrayRead);
MNN_LOWERING(lowerTensorArrayWrite);
MNN_LOWERING(lowerTensorArrayInsert);
MNN_LOWERING(lowerTensorArrayErase);
MNN_LOWERING(lowerTensorArrayGather);
MNN_LOWERING(lowerTensorArrayScatter);
MNN_LOWERING(lowerTensorArraySplit);
MNN_LOWERING(lowerTensorArrayConcat);

#undef MNN_LOWERING

}  // namespace geometry
}  // namespace MNN
#endif
