#include "backend/cpu/executions/ResampleAxis.hpp"

#include <algorithm>
#include <cmath>

namespace MNN {
namespace {

double scaleOf(const AxisRule& r) { return r.scale > 0.0 ? r.scale : static_cast<double>(r.out) / r.in; }

int nearestOf(NearestRule rule, double place) {
    switch (rule) {
        case NearestRule::Floor:
            return static_cast<int>(std::floor(place));
        case NearestRule::Ceil:
            return static_cast<int>(std::ceil(place));
        case NearestRule::RoundPreferFloor:
            return static_cast<int>(std::ceil(place - 0.5));
        case NearestRule::RoundPreferCeil:
            return static_cast<int>(std::floor(place + 0.5));
    }
    return 0;
}

// Keys' cubic convolution at distance t.
double cubicWeight(double t, double a) {
    t = std::fabs(t);
    if (t <= 1.0) return ((a + 2.0) * t - (a + 3.0)) * t * t + 1.0;
    return t < 2.0 ? ((a * t - 5.0 * a) * t + 8.0 * a) * t - 4.0 * a : 0.0;
}

double filterWeight(const AxisRule& r, double t) {
    return r.filter == ResampleFilter::Linear ? std::max(1.0 - std::fabs(t), 0.0) : cubicWeight(t, r.cubicA);
}

// The filter has `reach` elements on each side of the place, each `stretch` closer than it looks.
struct Footprint {
    int reach;
    double stretch;
};

Footprint footprintOf(const AxisRule& r) {
    const int half = r.filter == ResampleFilter::Linear ? 1 : 2;
    const double stretch = r.antialias ? std::min(scaleOf(r), 1.0) : 1.0;
    // More than the whole input on each side adds nothing that the edge does not say.
    const double reach = std::min(std::ceil(half / stretch), static_cast<double>(r.in) + half);
    return {static_cast<int>(reach), stretch};
}

void filterTaps(const AxisRule& r, const Footprint& f, double place, int* index, float* weight) {
    const int taps = 2 * f.reach;
    const int first = static_cast<int>(std::floor(place)) - f.reach + 1;
    std::vector<double> exact(taps);
    double sum = 0.0;
    for (int t = 0; t < taps; ++t) {
        const int at = first + t;
        const bool inside = at >= 0 && at < r.in;
        exact[t] = r.excludeOutside && !inside ? 0.0 : filterWeight(r, (at - place) * f.stretch);
        index[t] = std::min(std::max(at, 0), r.in - 1);
        sum += exact[t];
    }
    // The plain filters sum to 1 already.
    const bool scaled = (r.excludeOutside || r.antialias) && sum != 0.0;
    for (int t = 0; t < taps; ++t) weight[t] = static_cast<float>(scaled ? exact[t] / sum : exact[t]);
}

bool isIdentity(const AxisTaps& taps, const AxisRule& r) {
    if (r.in != r.out) return false;
    for (int i = 0; i < r.out; ++i) {
        for (int t = 0; t < taps.taps; ++t) {
            const size_t at = static_cast<size_t>(i) * taps.taps + t;
            if (taps.weight[at] != 0.0f && (taps.weight[at] != 1.0f || taps.index[at] != i)) return false;
        }
    }
    return true;
}

}  // namespace

double placeOf(const AxisRule& r, int x) {
    const double step = r.scale > 0.0 ? 1.0 / r.scale : static_cast<double>(r.in) / r.out;
    // (x + 0.5) * in / out keeps halves exact, which a rounded step would not.
    const double center = r.scale > 0.0 ? (x + 0.5) / r.scale : (x + 0.5) * r.in / r.out;
    switch (r.coordinates) {
        case Coordinates::AlignCorners: {
            // ONNX aligns to in * scale, even where that is no whole length.
            const double last = (r.scale > 0.0 ? r.scale * r.in : r.out) - 1.0;
            return r.out > 1 && last > 0.0 ? x * (r.in - 1) / last : 0.0;
        }
        case Coordinates::HalfPixel:
            return center - 0.5;
        case Coordinates::HalfPixelSymmetric: {
            const double adjust = r.out / (scaleOf(r) * r.in);
            return r.in * 0.5 * (1.0 - adjust) + center - 0.5;
        }
        case Coordinates::PytorchHalfPixel:
            return r.out > 1 ? center - 0.5 : 0.0;
        case Coordinates::Asymmetric:
            return (r.scale > 0.0 ? x * step : static_cast<double>(x) * r.in / r.out) + r.offset;
        case Coordinates::HalfPixelNoShift:
            return center;
        case Coordinates::Crop:
            if (r.out == 1) return 0.5 * (r.roiBegin + r.roiEnd) * (r.in - 1);
            return r.roiBegin * (r.in - 1) + x * (r.roiEnd - r.roiBegin) * (r.in - 1) / (r.out - 1);
    }
    return 0.0;
}

AxisTaps makeTaps(const AxisRule& r) {
    AxisTaps result;
    const bool nearest = r.filter == ResampleFilter::Nearest;
    const Footprint footprint = nearest ? Footprint{1, 1.0} : footprintOf(r);
    result.taps = nearest ? 1 : 2 * footprint.reach;
    result.index.resize(static_cast<size_t>(r.out) * result.taps);
    result.weight.assign(result.index.size(), 1.0f);
    if (r.coordinates == Coordinates::Crop) result.outside.resize(r.out);
    for (int x = 0; x < r.out; ++x) {
        const double place = placeOf(r, x);
        // Places far outside all read the edge; clamping first keeps the conversion to int defined.
        const double near = std::min(std::max(place, -2.0 * footprint.reach - 1.0), r.in + 2.0 * footprint.reach);
        const size_t at = static_cast<size_t>(x) * result.taps;
        if (nearest) {
            result.index[at] = std::min(std::max(nearestOf(r.nearest, near), 0), r.in - 1);
        } else {
            filterTaps(r, footprint, near, &result.index[at], &result.weight[at]);
        }
        if (!result.outside.empty()) result.outside[x] = !(place >= 0.0 && place <= r.in - 1);
    }
    result.identity = isIdentity(result, r);
    return result;
}

}  // namespace MNN
