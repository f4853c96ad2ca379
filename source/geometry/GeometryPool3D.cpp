// 3-D pooling as two 2-D ones: planes first, then the depth. Exact for averages too, whose counts are products.
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"

namespace MNN {
namespace geometry {
namespace {

int at(const flatbuffers::Vector<int32_t>* v, uint32_t i, int fallback) {
    return v != nullptr && i < v->size() ? v->Get(i) : fallback;
}

PoolT poolOf(const Pool3D* param) {
    PoolT pool;
    pool.type = param->type();
    pool.padType = param->padType();
    pool.countType = AvgPoolCountType_EXCLUDE_PADDING;
    pool.ceilModel = false;
    pool.isGlobal = param->isGlobal();
    pool.kernelX = pool.kernelY = pool.strideX = pool.strideY = 1;
    return pool;
}

// pads lists three numbers or three in front and three behind.
void setPads(const Pool3D* param, int y, int x, PoolT* pool) {
    const auto* pads = param->pads();
    const uint32_t behind = pads != nullptr && pads->size() >= 6 ? 3 : 0;
    auto pad = [&](int d, uint32_t offset) { return d < 0 ? 0 : at(pads, d + offset, 0); };
    pool->padY = pad(y, 0);
    pool->padX = pad(x, 0);
    pool->pads = {pad(y, 0), pad(x, 0), pad(y, behind), pad(x, behind)};
}

// A global pool sees all places of a channel as one row, whatever the number of dimensions: MNN's converter writes the
// global pools of images so, too.
bool lowerGlobal(const Pool3D* param, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const std::vector<int> dims = inputs[0]->shape();
    int places = 1;
    for (size_t i = 2; i < dims.size(); ++i) places *= dims[i];
    Tensor* x = reshape(ctx.plain(inputs[0]), {dims[0], dims[1], 1, places}, ctx);
    Tensor* y = ctx.makeTensor({dims[0], dims[1], 1, 1}, inputs[0]->getType());
    setReshape(outputs[0], makePool(ctx, poolOf(param), x, y), ctx);
    return true;
}

}  // namespace

bool lowerPooling3D(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const Pool3D* param = op->main_as_Pool3D();
    if (param != nullptr && param->isGlobal() && inputs[0]->dimensions() >= 3)
        return lowerGlobal(param, inputs, outputs, ctx);
    if (param == nullptr || inputs[0]->dimensions() != 5) return fail(op, inputs, "needs a volume");
    const std::vector<int> from = inputs[0]->shape(), to = outputs[0]->shape();

    PoolT planes = poolOf(param);
    planes.kernelY = at(param->kernels(), 1, 1);
    planes.kernelX = at(param->kernels(), 2, 1);
    planes.strideY = at(param->strides(), 1, 1);
    planes.strideX = at(param->strides(), 2, 1);
    setPads(param, 1, 2, &planes);
    Tensor* x = reshape(ctx.plain(inputs[0]), {from[0], from[1] * from[2], from[3], from[4]}, ctx);
    Tensor* pooled = ctx.makeTensor({from[0], from[1] * from[2], to[3], to[4]}, inputs[0]->getType());
    makePool(ctx, planes, x, pooled);

    PoolT depth = poolOf(param);
    depth.kernelY = at(param->kernels(), 0, 1);
    depth.strideY = at(param->strides(), 0, 1);
    setPads(param, 0, -1, &depth);
    Tensor* columns = reshape(ctx.plain(pooled), {from[0], from[1], from[2], to[3] * to[4]}, ctx);
    Tensor* y = ctx.makeTensor({from[0], from[1], to[2], to[3] * to[4]}, inputs[0]->getType());
    setReshape(outputs[0], makePool(ctx, depth, columns, y), ctx);
    return true;
}

}  // namespace geometry
}  // namespace MNN
