// Ops whose value is known from shapes alone.
#include "shape/Rules.hpp"

#include <algorithm>
#include <cmath>

namespace MNN {
namespace shape {

bool inferShapeOp(const Rule& r) {
    if (!r.arity(1)) return false;
    const int rank = r.rank(0);
    int start = 0, end = rank;
    if (const auto* p = r.op->main_as_ShapeParam()) {
        const auto clamp = [rank](int v) { return std::min(std::max(v < 0 ? v + rank : v, 0), rank); };
        if (p->hasStart()) start = clamp(p->start());
        if (p->hasEnd()) end = clamp(p->end());
    }
    return r.set(0, {std::max(end - start, 0)}, halide_type_of<int32_t>(), r.op->defaultDimentionFormat());
}

// Rank and Size.
bool inferCount(const Rule& r) {
    return r.arity(1) && r.set(0, {}, halide_type_of<int32_t>(), r.op->defaultDimentionFormat());
}

// [1, 2, h * w * priors * 4]: boxes, then variances. Caffe adds ratio 1 and drops ratios it already has.
bool inferPriorBox(const Rule& r) {
    if (!r.arity(1) || !r.rankBetween(0, 4, 4)) return false;
    const auto* p = r.param<PriorBox>();
    if (p == nullptr) return false;
    const int64_t minSizes = p->minSizes() ? p->minSizes()->size() : 0;
    const int64_t maxSizes = p->maxSizes() ? p->maxSizes()->size() : 0;
    if (minSizes == 0) return r.fail("no minSizes");
    if (maxSizes != 0 && maxSizes != minSizes) return r.fail("as many maxSizes as minSizes are needed");
    std::vector<float> ratios{1.0f};
    for (unsigned i = 0; p->aspectRatios() != nullptr && i < p->aspectRatios()->size(); ++i) {
        const float ratio = p->aspectRatios()->Get(i);
        const bool known =
            std::any_of(ratios.begin(), ratios.end(), [=](float v) { return std::fabs(v - ratio) < 1e-6f; });
        if (known) continue;
        ratios.push_back(ratio);
        if (p->flip()) ratios.push_back(1.0f / ratio);
    }
    const int64_t priors = minSizes * static_cast<int64_t>(ratios.size()) + maxSizes;
    const int first = spatialAxis(r.inputs[0]);
    const int64_t count = product({r.length(0, first), r.length(0, first + 1), priors, 4});
    return r.set(0, {1, 2, count}, halide_type_of<float>(), MNN_DATA_FORMAT_NCHW);
}

}  // namespace shape
}  // namespace MNN
