#include "shape/NonMaxSuppression.hpp"

#include <algorithm>
#include <cstddef>

namespace MNN {
namespace {

struct Box {
    float y0, x0, y1, x1;
    float area() const { return (y1 - y0) * (x1 - x0); }
};

Box readBox(const float* b, bool center) {
    if (center) return Box{b[1] - b[3] * 0.5f, b[0] - b[2] * 0.5f, b[1] + b[3] * 0.5f, b[0] + b[2] * 0.5f};
    return Box{std::min(b[0], b[2]), std::min(b[1], b[3]), std::max(b[0], b[2]), std::max(b[1], b[3])};
}

bool overlaps(const Box& a, const Box& b, float threshold) {
    const float height = std::min(a.y1, b.y1) - std::max(a.y0, b.y0);
    const float width = std::min(a.x1, b.x1) - std::max(a.x0, b.x0);
    if (a.area() <= 0.0f || b.area() <= 0.0f || height <= 0.0f || width <= 0.0f) return false;
    const float common = height * width;
    return common / (a.area() + b.area() - common) > threshold;
}

}  // namespace

std::vector<int> nonMaxSuppression(const float* boxes, const float* scores, int count, const NmsOptions& options) {
    std::vector<int> order, selected;
    for (int i = 0; i < count; ++i) {
        const bool candidate = options.hasScoreThreshold ? scores[i] > options.scoreThreshold : scores[i] == scores[i];
        if (candidate) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [=](int a, int b) { return scores[a] > scores[b]; });
    std::vector<Box> kept;
    for (int i : order) {
        if (static_cast<int>(selected.size()) >= options.maxOutput) break;
        const Box box = readBox(boxes + 4 * static_cast<ptrdiff_t>(i), options.centerBox);
        const bool dropped =
            std::any_of(kept.begin(), kept.end(), [&](const Box& k) { return overlaps(k, box, options.iouThreshold); });
        if (dropped) continue;
        kept.push_back(box);
        selected.push_back(i);
    }
    return selected;
}

}  // namespace MNN
