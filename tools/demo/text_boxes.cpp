#include "text_boxes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace demo {
namespace {

struct Point {
    float x, y;
};

// The pixels of one connected patch of text, and the sum of the map over them.
struct Patch {
    std::vector<Point> points;
    double sum = 0;
};

Patch floodFill(const float* map, int width, int height, int start, float threshold, std::vector<uint8_t>* seen) {
    Patch patch;
    std::vector<int> open(1, start);
    (*seen)[start] = 1;
    while (!open.empty()) {
        const int at = open.back(), x = at % width, y = at / width;
        open.pop_back();
        patch.points.push_back({float(x), float(y)});
        patch.sum += map[at];
        for (int ny = std::max(y - 1, 0); ny <= std::min(y + 1, height - 1); ++ny) {
            for (int nx = std::max(x - 1, 0); nx <= std::min(x + 1, width - 1); ++nx) {
                const int next = ny * width + nx;
                if ((*seen)[next] || map[next] <= threshold) continue;
                (*seen)[next] = 1;
                open.push_back(next);
            }
        }
    }
    return patch;
}

float cross(const Point& o, const Point& a, const Point& b) {
    return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
}

// Andrew's monotone chain.
std::vector<Point> convexHull(std::vector<Point> points) {
    std::sort(points.begin(), points.end(),
              [](const Point& a, const Point& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
    std::vector<Point> hull;
    for (int side = 0; side < 2; ++side) {
        const size_t base = hull.size();
        for (const Point& p : points) {
            while (hull.size() >= base + 2 && cross(hull[hull.size() - 2], hull.back(), p) <= 0) hull.pop_back();
            hull.push_back(p);
        }
        hull.pop_back();
        std::reverse(points.begin(), points.end());
    }
    if (hull.empty()) hull.push_back(points.front());
    return hull;
}

// The rectangle around the hull whose sides run along (x, y). Points are centres of pixels, hence the + 1.
TextBox rectangleAlong(const std::vector<Point>& hull, float x, float y) {
    float low[2] = {1e30f, 1e30f}, high[2] = {-1e30f, -1e30f};
    for (const Point& p : hull) {
        const float along[2] = {p.x * x + p.y * y, p.y * x - p.x * y};
        for (int i = 0; i < 2; ++i) {
            low[i] = std::min(low[i], along[i]);
            high[i] = std::max(high[i], along[i]);
        }
    }
    const float u = (low[0] + high[0]) / 2, v = (low[1] + high[1]) / 2;
    TextBox box;
    box.centreX = u * x - v * y + 0.5f;
    box.centreY = u * y + v * x + 0.5f;
    box.rightX = x;
    box.rightY = y;
    box.width = high[0] - low[0] + 1;
    box.height = high[1] - low[1] + 1;
    return box;
}

// The smallest rectangle has a side on an edge of the hull. Directions are folded to within 45 degrees of level, since
// a line of text is taken to read from left to right.
TextBox smallestRectangle(const std::vector<Point>& hull) {
    TextBox best = rectangleAlong(hull, 1, 0);
    for (size_t i = 0; i < hull.size(); ++i) {
        const Point &a = hull[i], &b = hull[(i + 1) % hull.size()];
        float x = b.x - a.x, y = b.y - a.y;
        const float length = std::sqrt(x * x + y * y);
        if (length == 0) continue;
        if (std::fabs(y) > std::fabs(x)) std::swap(x, y), x = -x;
        if (x < 0) x = -x, y = -y;
        const TextBox box = rectangleAlong(hull, x / length, y / length);
        if (box.width * box.height < best.width * best.height * 0.999f) best = box;
    }
    return best;
}

void sortForReading(std::vector<TextBox>* boxes) {
    std::sort(boxes->begin(), boxes->end(), [](const TextBox& a, const TextBox& b) { return a.centreY < b.centreY; });
    for (size_t begin = 0; begin < boxes->size();) {
        size_t end = begin + 1;
        const TextBox first = (*boxes)[begin];
        while (end < boxes->size() && (*boxes)[end].centreY - first.centreY < first.height / 2) ++end;
        std::sort(boxes->begin() + begin, boxes->begin() + end,
                  [](const TextBox& a, const TextBox& b) { return a.centreX < b.centreX; });
        begin = end;
    }
}

}  // namespace

std::vector<TextBox> findTextBoxes(const float* map, int width, int height, const TextBoxRules& rules) {
    std::vector<TextBox> boxes;
    std::vector<uint8_t> seen(size_t(width) * height);
    for (int at = 0; at < width * height; ++at) {
        if (seen[at] || !(map[at] > rules.threshold)) continue;
        const Patch patch = floodFill(map, width, height, at, rules.threshold, &seen);
        TextBox box = smallestRectangle(convexHull(patch.points));
        box.score = float(patch.sum / double(patch.points.size()));
        if (box.score < rules.minScore || std::min(box.width, box.height) < rules.minSide) continue;
        const float margin = box.width * box.height * rules.unclip / (2 * (box.width + box.height));
        box.width += 2 * margin;
        box.height += 2 * margin;
        boxes.push_back(box);
    }
    sortForReading(&boxes);
    return boxes;
}

}  // namespace demo
