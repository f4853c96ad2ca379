// Image ops: convolution, pooling, resampling run on NC4HW4 storage; a tensor of fewer than four dimensions is seen as
// an image.
#include <algorithm>
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"

namespace MNN {
namespace geometry {
namespace {

// N, C, spatial... as N, C, H, W: a sequence is an image of width 1, as the shape rules have it.
std::vector<int> imageDims(const Tensor* t) {
    std::vector<int> dims = t->shape();
    while (dims.size() < 4) dims.push_back(1);
    return dims;
}

// The tensor an image op writes for output, whose own dimensions may be fewer than four.
Tensor* imageOutput(Tensor* output, GeometryContext& ctx) {
    if (output->dimensions() >= 4) return ctx.packedOutput(output, ctx.packFor(output->length(1)));
    Tensor* image = ctx.makeTensor(imageDims(output), output->getType());
    TensorUtils::setFormat(image, MNN_DATA_FORMAT_NC4HW4, ctx.packFor(image->length(1)));
    setReshape(output, image, ctx);
    return image;
}

}  // namespace

bool lowerImage(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    if (inputs.empty() || inputs[0]->dimensions() > 4)
        return fail(op, inputs, "needs an image of at most four dimensions");
    const std::vector<int> dims = imageDims(inputs[0]);
    Tensors operands = {ctx.packed(reshape(inputs[0], dims, ctx), ctx.packFor(dims[1]))};
    for (size_t i = 1; i < inputs.size(); ++i) operands.push_back(ctx.plain(inputs[i]));
    Tensors images;
    for (Tensor* output : outputs) images.push_back(imageOutput(output, ctx));
    ctx.addWhole(op, operands, images);
    return true;
}

// Resampling keeps volumes (five dimensions) row-major.
bool lowerResample(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    if (inputs[0]->dimensions() <= 4) return lowerImage(op, inputs, outputs, ctx);
    return lowerPrimitive(op, inputs, outputs, ctx);
}

// Scale-only bilinear resize of old files.
bool lowerResize(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const Resize* param = op->main_as_Resize();
    if (param == nullptr) return fail(op, inputs, "Resize without scales");
    InterpT interp;
    interp.widthScale = 1.0f / param->xScale();
    interp.heightScale = 1.0f / param->yScale();
    interp.resizeType = 2;
    Tensors operands = {ctx.packed(inputs[0], ctx.packFor(inputs[0]->length(1)))};
    ctx.add(makeOp(OpType_Interp, std::move(interp)), operands, {imageOutput(outputs[0], ctx)});
    return true;
}

}  // namespace geometry
}  // namespace MNN
