// One tap of a sliding window along one dimension: which places of the output read which places of the input.
#ifndef MNN_GEOMETRY_TAPS_HPP
#define MNN_GEOMETRY_TAPS_HPP

#include "geometry/Select.hpp"

namespace MNN {
namespace geometry {

struct WindowAxis {
    int kernel = 1;
    int stride = 1;
    int dilation = 1;
    int pad = 0;  // in front
};

// Places o of `out` with 0 <= o * stride - pad + tap * dilation < in read that place; the others read nothing.
Runs tapRun(const WindowAxis& window, int tap, int in, int out);
// The reverse: place o * stride - pad + tap * dilation of a tensor of `in` places shows place o of `out`.
// The result steps through the destination, so it is a source range, a first destination and a destination step.
struct Scatter {
    int count = 0;
    int src = 0;
    int dst = 0;
};
Scatter tapScatter(const WindowAxis& window, int tap, int in, int out);

// Pads in front for `padMode`, from the sizes where the mode is SAME and from `pad` where it is CAFFE.
int windowPad(PadMode mode, const WindowAxis& window, int pad, int in, int out);
// Places from the first tap to the last.
int64_t windowExtent(const WindowAxis& window);

}  // namespace geometry
}  // namespace MNN
#endif
