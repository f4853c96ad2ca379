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

}  // namespace shape
}  // namespace MNN
#endif
