// Concat computes nothing: each input becomes Regions of the output. Pack is Concat on a new axis.
#include <algorithm>
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"

namespace MNN {
namespace geometry {
namespace {

// inside: elements of one step on the axis; axisStride: steps of the output.
void concatPlain(const Tensors& parts, const std::vector<int64_t>& steps, int64_t outside, int64_t inside,
                 Tensor* output, GeometryContext& ctx) {
    int64_t total = 0, begin = 0;
    for (int64_t n : steps) total += n;
    core::RegionList regions;
    for (size_t i = 0; i < parts.size(); ++i) {
        const int64_t block = steps[i] * inside;
        if (block > 0) {
            appendMove(&regions, ctx.plain(parts[i]), {static_cast<int>(outside), static_cast<int>(block)}, 0,
                       {block, 1}, begin * inside, {total * inside, 1});
        }
        begin += steps[i];
    }
    setView(output, std::move(regions), ctx);
}

// Packed inputs joined on the channels give a packed output: whole blocks where the offset is a multiple of the block.
void concatChannels(const Tensors& parts, Tensor* output, GeometryContext& ctx) {
    const int channels = output->length(1), pack = ctx.packFor(channels);
    TensorUtils::setFormat(output, MNN_DATA_FORMAT_NC4HW4, pack);
    core::RegionList regions;
    int begin = 0;
    for (Tensor* part : parts) {
        moveChannels(part, 0, channels, pack, begin, part->length(1), &regions);
        begin += part->length(1);
    }
    setStorageView(output, std::move(regions), ctx);
}

}  // namespace

bool lowerConcat(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const Axis* param = op->main_as_Axis();
    const int rank = outputs[0]->dimensions();
    int axis = param == nullptr ? 0 : param->axis();
    if (!normalizeAxis(&axis, rank)) return fail(op, inputs, "the axis is outside the rank");
    Tensors parts;
    std::vector<int64_t> steps;
    for (Tensor* t : inputs) {
        // An empty part may have another rank.
        if (TensorUtils::elements(t) == 0) continue;
        if (t->dimensions() != rank) return fail(op, inputs, "the inputs differ in rank");
        parts.push_back(t);
        steps.push_back(t->length(axis));
    }
    const bool packed = !parts.empty() && std::all_of(parts.begin(), parts.end(), TensorUtils::isPacked);
    if (packed && axis == 1 && TensorUtils::describe(outputs[0])->usage == TensorUsage::Normal) {
        concatChannels(parts, outputs[0], ctx);
        return true;
    }
    const std::vector<int> dims = outputs[0]->shape();
    concatPlain(parts, steps, product(dims, 0, axis), product(dims, axis + 1, rank), outputs[0], ctx);
    return true;
}

bool lowerPack(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const PackParam* param = op->main_as_PackParam();
    const int rank = outputs[0]->dimensions();
    int axis = param == nullptr ? 0 : param->axis();
    if (!normalizeAxis(&axis, rank)) return fail(op, inputs, "the axis is outside the rank");
    const std::vector<int> dims = outputs[0]->shape();
    concatPlain(inputs, std::vector<int64_t>(inputs.size(), 1), product(dims, 0, axis), product(dims, axis + 1, rank),
                outputs[0], ctx);
    return true;
}

}  // namespace geometry
}  // namespace MNN
