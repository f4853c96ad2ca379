// Constant tensors as views: Fill, ZerosLike, EyeLike; and Raster as an op of a model file.
#include <algorithm>
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"

namespace MNN {
namespace geometry {

// inputs: dims, value. One element, read again and again.
bool lowerFill(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    if (inputs.size() < 2 || TensorUtils::elements(inputs[1]) < 1) return fail(op, inputs, "needs a value");
    setStridedView(outputs[0], ctx.plain(inputs[1]), 0, std::vector<int64_t>(outputs[0]->dimensions(), 0), ctx);
    return true;
}

// What no Region writes is zero.
bool lowerZeros(const Op*, const Tensors&, const Tensors& outputs, GeometryContext& ctx) {
    for (Tensor* output : outputs) setView(output, {}, ctx);
    return true;
}

// inputs: x of two dimensions, k (the diagonal; 0 without it).
bool lowerEyeLike(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    if (inputs.empty() || outputs[0]->dimensions() != 2) return fail(op, inputs, "needs a matrix");
    std::vector<int> diagonal;
    if (inputs.size() > 1 && !contentInts(inputs[1], &diagonal))
        return fail(op, inputs, "the diagonal is not known before the model runs");
    const int k = diagonal.empty() ? 0 : diagonal[0];
    const int rows = outputs[0]->length(0), columns = outputs[0]->length(1);
    const halide_type_t type = outputs[0]->getType();
    Tensor* one = ctx.allocConst({}, type);
    if (one == nullptr) return false;
    if (type.code == halide_type_float) {
        one->host<float>()[0] = 1.0f;
    } else if (type.bits == 8) {
        one->host<int8_t>()[0] = 1;
    } else {
        one->host<int32_t>()[0] = 1;
    }
    const int row = std::max(0, -k), column = std::max(0, k);
    const int count = std::min(rows - row, columns - column);
    core::RegionList regions;
    if (count > 0) appendMove(&regions, one, {count}, 0, {0}, int64_t(row) * columns + column, {columns + 1});
    setView(outputs[0], std::move(regions), ctx);
    return true;
}

namespace {

constexpr uint32_t kRegionInts = 11;  // source offset, 3 strides, destination offset, 3 strides, 3 sizes

// The move stays inside [0, elements).
bool staysInside(int64_t offset, const int32_t* strides, const int32_t* sizes, int64_t elements) {
    int64_t low = offset, high = offset;
    for (int d = 0; d < 3; ++d) {
        const int64_t reach = int64_t(sizes[d] - 1) * strides[d];
        (reach < 0 ? low : high) += reach;
    }
    return low >= 0 && high < elements;
}

}  // namespace

// Region i reads input i; with fewer inputs the last serves the rest.
bool lowerRasterOp(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const Extra* extra = op->main_as_Extra();
    const Attribute* found = nullptr;
    if (extra != nullptr && extra->attr() != nullptr) {
        for (const Attribute* attribute : *extra->attr()) {
            if (attribute->key() != nullptr && attribute->key()->str() == "region") found = attribute;
        }
    }
    // Without Regions the op is a copy.
    if (found == nullptr) return lowerIdentity(op, inputs, outputs, ctx);
    const auto* list = found->list() == nullptr ? nullptr : found->list()->i();
    if (list == nullptr || list->size() % kRegionInts != 0 || inputs.empty())
        return fail(op, inputs, "the region list is broken");
    core::RegionList regions;
    for (uint32_t i = 0; i < list->size() / kRegionInts; ++i) {
        const int32_t* v = list->data() + i * kRegionInts;
        Tensor* origin = ctx.plain(inputs[std::min<size_t>(i, inputs.size() - 1)]);
        const int32_t* sizes = v + 8;
        if (sizes[0] < 0 || sizes[1] < 0 || sizes[2] < 0) return fail(op, inputs, "a region has a negative size");
        if (sizes[0] == 0 || sizes[1] == 0 || sizes[2] == 0) continue;
        if (!staysInside(v[0], v + 1, sizes, TensorUtils::elements(origin)) ||
            !staysInside(v[4], v + 5, sizes, TensorUtils::elements(outputs[0]))) {
            return fail(op, inputs, "a region leaves its tensor");
        }
        appendMove(&regions, origin, {sizes[0], sizes[1], sizes[2]}, v[0], {v[1], v[2], v[3]}, v[4],
                   {v[5], v[6], v[7]});
    }
    setView(outputs[0], std::move(regions), ctx);
    return true;
}

}  // namespace geometry
}  // namespace MNN
