// DepthToSpace, SpaceToDepth, BatchToSpaceND, SpaceToBatchND: blocks of places against channels or batches.
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"
#include "geometry/Select.hpp"

namespace MNN {
namespace geometry {
namespace {

// A digit of the output's row-major index: its length and its stride in the input.
struct Digit {
    int size;
    int64_t stride;
};

void setDigits(Tensor* output, Tensor* input, const std::vector<Digit>& digits, GeometryContext& ctx) {
    std::vector<int> dims;
    std::vector<int64_t> strides;
    for (const Digit& digit : digits) {
        dims.push_back(digit.size);
        strides.push_back(digit.stride);
    }
    core::RegionList regions;
    appendMove(&regions, input, dims, 0, strides, 0, rowMajorStrides(dims));
    setView(output, std::move(regions), ctx);
}

bool isChannelLast(const Tensor* t) { return TensorUtils::describe(t)->format == MNN_DATA_FORMAT_NHWC; }

}  // namespace

// Depth is (i, j, c) in mode DCR and (c, i, j) in mode CRD, i and j being the place in the block.
bool lowerDepthToSpace(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const DepthSpaceParam* param = op->main_as_DepthSpaceParam();
    if (param == nullptr || param->blockSize() <= 0 || inputs[0]->dimensions() != 4)
        return fail(op, inputs, "needs an image and a block");
    const int b = param->blockSize();
    const bool last = isChannelLast(inputs[0]), columnMajor = param->mode() == DepthToSpaceMode_CRD;
    Tensor* x = ctx.plain(inputs[0]);
    const int N = x->length(0), C = x->length(last ? 3 : 1), H = x->length(last ? 1 : 2), W = x->length(last ? 2 : 3);
    if (C % (b * b) != 0) return fail(op, inputs, "the channels do not fill the blocks");
    const int depth = C / (b * b);
    const int64_t channel = last ? 1 : int64_t(H) * W, row = last ? int64_t(W) * C : W, column = last ? C : 1;
    const Digit n{N, int64_t(C) * H * W}, h{H, row}, w{W, column};
    const Digit i{b, channel * (columnMajor ? b : b * depth)}, j{b, channel * (columnMajor ? 1 : depth)};
    const Digit c{depth, channel * (columnMajor ? b * b : 1)};
    setDigits(outputs[0], x, last ? std::vector<Digit>{n, h, i, w, j, c} : std::vector<Digit>{n, c, h, i, w, j}, ctx);
    return true;
}

bool lowerSpaceToDepth(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const DepthSpaceParam* param = op->main_as_DepthSpaceParam();
    if (param == nullptr || param->blockSize() <= 0 || inputs[0]->dimensions() != 4)
        return fail(op, inputs, "needs an image and a block");
    const int b = param->blockSize();
    const bool last = isChannelLast(inputs[0]), columnMajor = param->mode() == DepthToSpaceMode_CRD;
    Tensor* x = ctx.plain(inputs[0]);
    const int N = x->length(0), C = x->length(last ? 3 : 1), H = x->length(last ? 1 : 2), W = x->length(last ? 2 : 3);
    if (H % b != 0 || W % b != 0) return fail(op, inputs, "the image does not split into blocks");
    const int64_t channel = last ? 1 : int64_t(H) * W, row = last ? int64_t(W) * C : W, column = last ? C : 1;
    const Digit n{N, int64_t(C) * H * W}, h{H / b, b * row}, w{W / b, b * column}, i{b, row}, j{b, column},
        c{C, channel};
    std::vector<Digit> digits = columnMajor ? std::vector<Digit>{c, i, j} : std::vector<Digit>{i, j, c};
    if (last) {
        digits.insert(digits.begin(), {n, h, w});
    } else {
        digits.insert(digits.begin(), n);
        digits.insert(digits.end(), {h, w});
    }
    setDigits(outputs[0], x, digits, ctx);
    return true;
}

namespace {

// Blocks and their pads or crops, one pair per block dimension, from the inputs or the parameters.
struct BatchBlocks {
    std::vector<int> block, pads;
    int first = 1;  // the first blocked dimension
};

std::vector<int> blobInts(const Blob* blob) {
    if (blob == nullptr || blob->int32s() == nullptr) return {};
    return std::vector<int>(blob->int32s()->begin(), blob->int32s()->end());
}

bool readBlocks(const Op* op, const Tensors& inputs, BatchBlocks* blocks) {
    const SpaceBatch* param = op->main_as_SpaceBatch();
    if (inputs.size() >= 3) {
        if (!contentInts(inputs[1], &blocks->block) || !contentInts(inputs[2], &blocks->pads)) {
            return fail(op, inputs, "the blocks are not known before the model runs");
        }
    } else if (param != nullptr) {
        blocks->block = blobInts(param->blockShape());
        blocks->pads = blobInts(param->padding());
    }
    blocks->first = isChannelLast(inputs[0]) ? 1 : 2;
    const size_t count = blocks->block.size();
    if (count == 0 || blocks->pads.size() != 2 * count ||
        blocks->first + count > static_cast<size_t>(inputs[0]->dimensions())) {
        return fail(op, inputs, "blocks and pads do not fit the input");
    }
    for (int b : blocks->block) {
        if (b <= 0) return fail(op, inputs, "a block is empty");
    }
    return true;
}

}  // namespace

// The batch of the output is (place in the block, batch).
bool lowerSpaceToBatch(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    BatchBlocks blocks;
    if (!readBlocks(op, inputs, &blocks)) return false;
    const int count = static_cast<int>(blocks.block.size()), first = blocks.first;
    Tensor* x = ctx.plain(inputs[0]);
    std::vector<int> dims = x->shape();
    std::vector<Runs> runs;
    for (size_t d = 0; d < dims.size(); ++d) {
        const int k = static_cast<int>(d) - first;
        const bool blocked = k >= 0 && k < count;
        const int before = blocked ? blocks.pads[2 * k] : 0, after = blocked ? blocks.pads[2 * k + 1] : 0;
        if (before < 0 || after < 0) return fail(op, inputs, "a pad is negative");
        runs.push_back({Run{before, dims[d], 0, 1}});
        dims[d] += before + after;
        if (blocked && dims[d] % blocks.block[k] != 0)
            return fail(op, inputs, "the padded input does not split into blocks");
    }
    Tensor* padded = select(x, dims, runs, ctx);
    padded = ctx.plain(padded);
    const std::vector<int64_t> dense = rowMajorStrides(dims);
    std::vector<Digit> digits;
    for (int k = 0; k < count; ++k) digits.push_back({blocks.block[k], dense[first + k]});
    for (int d = 0; d < static_cast<int>(dims.size()); ++d) {
        const bool blocked = d >= first && d < first + count;
        const int b = blocked ? blocks.block[d - first] : 1;
        digits.push_back({dims[d] / b, dense[d] * b});
    }
    setDigits(outputs[0], padded, digits, ctx);
    return true;
}

bool lowerBatchToSpace(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    BatchBlocks blocks;
    if (!readBlocks(op, inputs, &blocks)) return false;
    const int count = static_cast<int>(blocks.block.size()), first = blocks.first;
    Tensor* x = ctx.plain(inputs[0]);
    const std::vector<int> from = x->shape();
    int64_t places = 1;
    for (int b : blocks.block) places *= b;
    if (from[0] % places != 0) return fail(op, inputs, "the batch is no multiple of the block");
    const int batch = static_cast<int>(from[0] / places);
    const std::vector<int64_t> dense = rowMajorStrides(from);
    std::vector<Digit> digits = {{batch, dense[0]}};
    std::vector<int> dims = {batch};
    int64_t placeStride = from[0] / blocks.block[0] * dense[0];
    for (int d = 1; d < static_cast<int>(from.size()); ++d) {
        digits.push_back({from[d], dense[d]});
        dims.push_back(from[d]);
        const int k = d - first;
        if (k < 0 || k >= count) continue;
        digits.push_back({blocks.block[k], placeStride});
        dims.back() *= blocks.block[k];
        if (k + 1 < count) placeStride /= blocks.block[k + 1];
    }
    Tensor* spread = ctx.makeTensor(dims, x->getType());
    setDigits(spread, x, digits, ctx);
    const std::vector<int> to = outputs[0]->shape();
    if (to.size() != dims.size()) return fail(op, inputs, "the output has another rank");
    std::vector<Runs> runs;
    for (int d = 0; d < static_cast<int>(dims.size()); ++d) {
        const int k = d - first;
        const int before = k >= 0 && k < count ? blocks.pads[2 * k] : 0;
        if (before < 0 || before + to[d] > dims[d]) return fail(op, inputs, "the crop leaves the image");
        runs.push_back({Run{0, to[d], before, 1}});
    }
    setSelection(outputs[0], spread, to, runs, ctx);
    return true;
}

}  // namespace geometry
}  // namespace MNN
