#include "geometry/Select.hpp"

#include <algorithm>
#include "geometry/GeometryUtils.hpp"

namespace MNN {
namespace geometry {
namespace {

using core::RegionList;

bool isWhole(const Runs& runs, int from, int to) {
    return from == to && runs.size() == 1 && runs[0].dst == 0 && runs[0].src == 0 && runs[0].count == to &&
           (runs[0].step == 1 || to == 1);
}

// Every combination of one run per dimension is a Region.
void appendProduct(RegionList* regions, Tensor* origin, const std::vector<int>& from, const std::vector<int>& to,
                   const std::vector<Runs>& runs) {
    const std::vector<int64_t> srcDense = rowMajorStrides(from), dstDense = rowMajorStrides(to);
    const size_t rank = from.size();
    std::vector<size_t> pick(rank, 0);
    for (const Runs& list : runs) {
        if (list.empty()) return;
    }
    while (true) {
        std::vector<int> sizes;
        std::vector<int64_t> srcStrides;
        int64_t src = 0, dst = 0;
        for (size_t d = 0; d < rank; ++d) {
            const Run& run = runs[d][pick[d]];
            sizes.push_back(run.count);
            srcStrides.push_back(run.step * srcDense[d]);
            src += run.src * srcDense[d];
            dst += run.dst * dstDense[d];
        }
        appendMove(regions, origin, sizes, src, srcStrides, dst, dstDense);
        size_t d = rank;
        while (d > 0 && ++pick[d - 1] == runs[d - 1].size()) pick[--d] = 0;
        if (d == 0) return;
    }
}

int64_t combinations(const std::vector<Runs>& runs) {
    int64_t n = 1;
    for (const Runs& list : runs) n *= std::max<int64_t>(1, static_cast<int64_t>(list.size()));
    return n;
}

// One dimension after the other, so that the view of a dimension with many runs is materialised alone.
Tensor* selectStepwise(Tensor* input, const std::vector<int>& dims, const std::vector<Runs>& runs,
                       GeometryContext& ctx) {
    for (size_t d = 0; d < runs.size(); ++d) {
        std::vector<int> next = input->shape();
        if (isWhole(runs[d], next[d], dims[d])) continue;
        std::vector<Runs> only;
        for (size_t k = 0; k < runs.size(); ++k) only.push_back(k == d ? runs[d] : wholeRun(next[k]));
        next[d] = dims[d];
        input = select(input, next, only, ctx);
    }
    return input;
}

// Blocks of channels are a dimension like any other while the channels are whole.
bool selectPacked(Tensor* output, Tensor* input, const std::vector<int>& dims, std::vector<Runs> runs,
                  GeometryContext& ctx) {
    const int pack = TensorUtils::describe(input)->pack;
    std::vector<int> from = input->shape(), to = dims;
    if (isWhole(runs[1], from[1], to[1])) {
        const int blocks = (from[1] + pack - 1) / pack;
        from[1] = to[1] = blocks;
        runs[1] = wholeRun(blocks);
        from.push_back(pack);
        to.push_back(pack);
        runs.push_back(wholeRun(pack));
        TensorUtils::setFormat(output, MNN_DATA_FORMAT_NC4HW4, pack);
        RegionList regions;
        appendProduct(&regions, input, from, to, runs);
        setStorageView(output, std::move(regions), ctx);
        return true;
    }
    for (size_t d = 0; d < from.size(); ++d) {
        if (d != 1 && !isWhole(runs[d], from[d], to[d])) return false;
    }
    if (runs[1].size() != 1 || (runs[1][0].step != 1 && runs[1][0].count > 1)) return false;
    const int target = ctx.packFor(to[1]);
    TensorUtils::setFormat(output, MNN_DATA_FORMAT_NC4HW4, target);
    RegionList regions;
    moveChannels(input, runs[1][0].src, to[1], target, runs[1][0].dst, runs[1][0].count, &regions);
    setStorageView(output, std::move(regions), ctx);
    return true;
}

}  // namespace

Runs wholeRun(int length) { return {Run{0, length, 0, 1}}; }

Runs runsOf(const std::vector<int>& indices) {
    Runs runs;
    const int count = static_cast<int>(indices.size());
    for (int i = 0; i < count;) {
        if (indices[i] < 0) {
            ++i;
            continue;
        }
        Run run{i, 1, indices[i], 1};
        if (i + 1 < count && indices[i + 1] >= 0) run.step = indices[i + 1] - indices[i];
        while (i + run.count < count && indices[i + run.count] >= 0 &&
               indices[i + run.count] == run.src + run.step * run.count) {
            ++run.count;
        }
        // Two elements are a run only when nothing longer starts at the second.
        const int next = i + 1;
        const bool longerLater = run.count == 2 && next + 2 < count && indices[next + 1] >= 0 &&
                                 indices[next + 2] >= 0 &&
                                 indices[next + 1] - indices[next] == indices[next + 2] - indices[next + 1];
        if (longerLater) run.count = 1;
        i += run.count;
        runs.push_back(run);
    }
    return runs;
}

void setSelection(Tensor* output, Tensor* input, const std::vector<int>& dims, const std::vector<Runs>& runs,
                  GeometryContext& ctx) {
    if (combinations(runs) > kMaxRegions) {
        Tensor* last = selectStepwise(input, dims, runs, ctx);
        setReshape(output, last, ctx);
        return;
    }
    const bool sameRank = output->dimensions() == input->dimensions() && input->dimensions() >= 2;
    if (TensorUtils::isPacked(input) && sameRank && TensorUtils::describe(output)->usage == TensorUsage::Normal &&
        selectPacked(output, input, dims, runs, ctx)) {
        return;
    }
    Tensor* from = ctx.plain(input);
    RegionList regions;
    appendProduct(&regions, from, from->shape(), dims, runs);
    setView(output, std::move(regions), ctx);
}

Tensor* select(Tensor* input, const std::vector<int>& dims, const std::vector<Runs>& runs, GeometryContext& ctx) {
    Tensor* output = ctx.makeTensor(dims, input->getType());
    if (combinations(runs) <= kMaxRegions) {
        setSelection(output, input, dims, runs, ctx);
        return output;
    }
    int split = 0;
    for (const Runs& list : runs) split += list.size() > 1;
    if (split > 1) return selectStepwise(input, dims, runs, ctx);
    // One dimension with many runs: a Region each, which setView turns into a Raster.
    Tensor* from = ctx.plain(input);
    RegionList regions;
    appendProduct(&regions, from, from->shape(), dims, runs);
    setView(output, std::move(regions), ctx);
    return output;
}

void appendOutside(RegionList* regions, Tensor* origin, const std::vector<int64_t>& srcStrides,
                   const std::vector<int>& dims, const std::vector<Stripe>& stripes) {
    const std::vector<int64_t> dense = rowMajorStrides(dims);
    // Dimensions in front of `outer` stay on the stripes, `outer` leaves them, those behind are whole.
    std::vector<int> sizes = dims;
    int64_t src = 0, dst = 0;
    std::vector<int64_t> from = srcStrides, to = dense;
    for (size_t outer = 0; outer < dims.size(); ++outer) {
        const Stripe& stripe = stripes[outer];
        auto piece = [&](int begin, int size) {
            if (size <= 0) return;
            sizes[outer] = size;
            appendMove(regions, origin, sizes, src + begin * srcStrides[outer], from, dst + begin * dense[outer], to);
        };
        const int last = stripe.begin + (stripe.count - 1) * stripe.step;
        if (stripe.count == 0) {
            piece(0, dims[outer]);
            return;
        }
        piece(0, stripe.begin);
        piece(last + 1, dims[outer] - last - 1);
        if (stripe.step > 1 && stripe.count > 1) {
            std::vector<int> gapSizes = sizes;
            std::vector<int64_t> gapFrom = from, gapTo = to;
            gapSizes[outer] = stripe.count - 1;
            gapFrom[outer] = stripe.step * srcStrides[outer];
            gapTo[outer] = stripe.step * dense[outer];
            gapSizes.push_back(stripe.step - 1);
            gapFrom.push_back(srcStrides[outer]);
            gapTo.push_back(dense[outer]);
            const int64_t begin = stripe.begin + 1;
            appendMove(regions, origin, gapSizes, src + begin * srcStrides[outer], gapFrom, dst + begin * dense[outer],
                       gapTo);
        }
        sizes[outer] = stripe.count;
        from[outer] = stripe.step * srcStrides[outer];
        to[outer] = stripe.step * dense[outer];
        src += stripe.begin * srcStrides[outer];
        dst += stripe.begin * dense[outer];
    }
}

}  // namespace geometry
}  // namespace MNN
