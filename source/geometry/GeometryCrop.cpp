// Crop and Padding.
#include <algorithm>
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"
#include "geometry/Select.hpp"

namespace MNN {
namespace geometry {

// Dimensions from `axis` on start at an offset (one for all or one each) and take the output's lengths.
bool lowerCrop(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const Crop* param = op->main_as_Crop();
    const std::vector<int> from = inputs[0]->shape(), dims = outputs[0]->shape();
    const int rank = static_cast<int>(from.size());
    if (param == nullptr || dims.size() != from.size()) return fail(op, inputs, "the output has another rank");
    const int axis = param->axis() < 0 ? param->axis() + rank : param->axis();
    const int offsets = param->offset() == nullptr ? 0 : static_cast<int>(param->offset()->size());
    std::vector<Runs> runs;
    for (int d = 0; d < rank; ++d) {
        const int place = offsets == 1 ? 0 : d - axis;
        const int begin = d < axis || place >= offsets ? 0 : param->offset()->Get(place);
        if (begin < 0 || begin + dims[d] > from[d]) return fail(op, inputs, "the crop leaves the input");
        runs.push_back({Run{0, dims[d], begin, 1}});
    }
    setSelection(outputs[0], inputs[0], dims, runs, ctx);
    return true;
}

namespace {

// The input's place that an output place shows; -1 for none. A pad wider than the input bounces back and forth.
int mirrored(int place, int length, bool repeatEdge) {
    if (length <= 1) return length - 1;
    const int period = repeatEdge ? 2 * length : 2 * (length - 1);
    place = ((place % period) + period) % period;
    if (place < length) return place;
    return repeatEdge ? period - 1 - place : period - place;
}

int paddedPlace(PadValueMode mode, int place, int length) {
    switch (mode) {
        case PadValueMode_REFLECT:
            return mirrored(place, length, false);
        case PadValueMode_SYMMETRIC:
            return mirrored(place, length, true);
        case PadValueMode_EDGE:
            return length == 0 ? -1 : std::min(std::max(place, 0), length - 1);
        default:
            return place < 0 || place >= length ? -1 : place;
    }
}

// A tensor of x's type with the padding value, or nullptr when the pads are zeros.
Tensor* padValue(const Tensors& inputs, GeometryContext& ctx) {
    if (inputs.size() < 3 || TensorUtils::elements(inputs[2]) == 0) return nullptr;
    Tensor* value = ctx.plain(inputs[2]);
    const halide_type_t type = inputs[0]->getType();
    if (isHostKnown(value) && type.bits == 32 && value->getType().bits == 32) {
        const bool isFloat = value->getType().code == halide_type_float;
        if (isFloat ? value->host<float>()[0] == 0.0f : value->host<int32_t>()[0] == 0) return nullptr;
    }
    if (value->getType() == type) return value;
    return makeCast(ctx, value, type);
}

}  // namespace

// pads lists begin and end of each dimension; a negative one cuts.
bool lowerPadding(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const PadParam* param = op->main_as_PadParam();
    const PadValueMode mode = param == nullptr ? PadValueMode_CONSTANT : param->mode();
    std::vector<int> pads;
    if (inputs.size() < 2 || !contentInts(inputs[1], &pads))
        return fail(op, inputs, "the pads are not known before the model runs");
    const std::vector<int> from = inputs[0]->shape(), dims = outputs[0]->shape();
    if (pads.size() < 2 * from.size() || dims.size() != from.size())
        return fail(op, inputs, "needs two pads a dimension");
    std::vector<Runs> runs;
    std::vector<Stripe> inside;
    for (size_t d = 0; d < from.size(); ++d) {
        std::vector<int> places(dims[d]);
        for (int i = 0; i < dims[d]; ++i) places[i] = paddedPlace(mode, i - pads[2 * d], from[d]);
        runs.push_back(runsOf(places));
        const Run whole = runs[d].empty() ? Run() : runs[d][0];
        inside.push_back({whole.dst, 1, whole.count});
    }
    Tensor* value = mode == PadValueMode_CONSTANT ? padValue(inputs, ctx) : nullptr;
    if (value == nullptr) {
        setSelection(outputs[0], inputs[0], dims, runs, ctx);
        return true;
    }
    core::RegionList regions;
    appendOutside(&regions, value, std::vector<int64_t>(dims.size(), 0), dims, inside);
    const std::vector<int64_t> srcDense = rowMajorStrides(from), dstDense = rowMajorStrides(dims);
    Tensor* x = ctx.plain(inputs[0]);
    std::vector<int> sizes;
    int64_t src = 0, dst = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
        sizes.push_back(inside[d].count);
        src += std::max(0, -pads[2 * d]) * srcDense[d];
        dst += inside[d].begin * dstDense[d];
    }
    appendMove(&regions, x, sizes, src, srcDense, dst, dstDense);
    setView(outputs[0], std::move(regions), ctx);
    return true;
}

}  // namespace geometry
}  // namespace MNN
