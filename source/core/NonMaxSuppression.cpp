#include "core/NonMaxSuppression.hpp"

#include <algorithm>

namespace MNN {
namespace {

struct Corners {
    float top, left, bottom, right;
    float area() const { return (bottom - top) * (right - left); }
};

Corners cornersOf(const float* box, bool centerSize) {
    if (centerSize) return {box[0] - box[2] / 2, box[1] - box[3] / 2, box[0] + box[2] / 2, box[1] + box[3] / 2};
    return {std::min(box[0], box[2]), std::min(box[1], box[3]), std::max(box[0], box[2]), std::max(box[1], box[3])};
}

float overlapOf(const Corners& a, const Corners& b) {
    const float areaA = a.area(), areaB = b.area();
    if (!(areaA > 0.0f) || !(areaB > 0.0f)) return 0.0f;
    const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
    const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
    if (!(height > 0.0f) || !(width > 0.0f)) return 0.0f;
    const float common = height * width;
    return common / (areaA + areaB - common);
}

}  // namespace

float boxOverlap(const float* a, const float* b, bool centerSize) {
    return overlapOf(cornersOf(a, centerSize), cornersOf(b, centerSize));
}

std::vector<int> selectBoxes(const float* boxes, const float* scores, int count, const BoxSelection& how) {
    std::vector<int> order, chosen;
    if (how.maxBoxes <= 0) return chosen;
    for (int i = 0; i < count; ++i) {
        if (scores[i] > how.scoreThreshold) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [scores](int a, int b) { return scores[a] > scores[b]; });
    if (how.maxCandidates > 0 && static_cast<int64_t>(order.size()) > how.maxCandidates)
        order.resize(static_cast<size_t>(how.maxCandidates));
    std::vector<Corners> kept;
    for (int candidate : order) {
        if (static_cast<int64_t>(chosen.size()) >= how.maxBoxes) break;
        const Corners box = cornersOf(boxes + 4 * int64_t(candidate), how.centerSize);
        const bool overlaps = std::any_of(
            kept.begin(), kept.end(), [&](const Corners& other) { return overlapOf(box, other) > how.iouThreshold; });
        if (overlaps) continue;
        kept.push_back(box);
        chosen.push_back(candidate);
    }
    return chosen;
}

}  // namespace MNN
