// Resampling along one axis: where an output element lies on the input, and which input elements make it up.
#ifndef MNN_CPU_EXECUTIONS_RESAMPLEAXIS_HPP
#define MNN_CPU_EXECUTIONS_RESAMPLEAXIS_HPP

#include <cstdint>
#include <vector>

namespace MNN {

enum class Coordinates : uint8_t {
    AlignCorners,
    HalfPixel,
    HalfPixelSymmetric,
    PytorchHalfPixel,
    Asymmetric,
    HalfPixelNoShift,  // (x + 0.5) * step: TensorFlow's nearest with half-pixel centres
    Crop,              // of [roiBegin, roiEnd] in units of the input's extent
};
enum class ResampleFilter : uint8_t { Nearest, Linear, Cubic };
enum class NearestRule : uint8_t { Floor, Ceil, RoundPreferFloor, RoundPreferCeil };

struct AxisRule {
    int in = 1, out = 1;
    double scale = 0.0;   // out / in as the model states it, which need not be the ratio of the lengths; 0: that ratio
    double offset = 0.0;  // added to Asymmetric places
    Coordinates coordinates = Coordinates::Asymmetric;
    ResampleFilter filter = ResampleFilter::Nearest;
    NearestRule nearest = NearestRule::Floor;
    double cubicA = -0.75;
    bool excludeOutside = false;  // weights outside the input are 0 and the others scaled up; else the edge is repeated
    bool antialias = false;       // widens the filter when shrinking
    double roiBegin = 0.0, roiEnd = 1.0;
};

// output[i] = sum over t < taps of weight[i * taps + t] * input[index[i * taps + t]]. Indices are inside the input.
struct AxisTaps {
    int taps = 1;
    std::vector<int> index;
    std::vector<float> weight;
    std::vector<bool> outside;  // Crop only: the place is outside the input
    // Every output element is the input element of the same place.
    bool identity = false;
};

// Where output element x lies, in input elements.
double placeOf(const AxisRule& rule, int x);
// in must be positive when out is.
AxisTaps makeTaps(const AxisRule& rule);

}  // namespace MNN
#endif
