// Tile and BroadcastTo: elements that repeat have stride 0.
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"

namespace MNN {
namespace geometry {

bool lowerTile(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const std::vector<int> from = inputs[0]->shape(), to = outputs[0]->shape();
    if (from.size() != to.size()) return fail(op, inputs, "the output has another rank");
    Tensor* x = ctx.plain(inputs[0]);
    if (TensorUtils::elements(outputs[0]) > TensorUtils::elements(x)) x = singleRegion(x, ctx);
    const std::vector<int64_t> dense = rowMajorStrides(from);
    std::vector<int> dims;
    std::vector<int64_t> strides;
    for (size_t d = 0; d < from.size(); ++d) {
        const int repeats = from[d] == 0 ? 0 : to[d] / from[d];
        if (repeats * from[d] != to[d]) return fail(op, inputs, "the output is no multiple of the input");
        dims.push_back(repeats);
        strides.push_back(0);
        dims.push_back(from[d]);
        strides.push_back(dense[d]);
    }
    core::RegionList regions;
    appendMove(&regions, x, dims, 0, strides, 0, rowMajorStrides(dims));
    setView(outputs[0], std::move(regions), ctx);
    return true;
}

bool lowerBroadcastTo(const Op*, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    setReshape(outputs[0], broadcastTo(inputs[0], outputs[0]->shape(), ctx), ctx);
    return true;
}

}  // namespace geometry
}  // namespace MNN
