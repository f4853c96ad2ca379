#include "geometry/Taps.hpp"

#include <algorithm>

namespace MNN {
namespace geometry {

Scatter tapScatter(const WindowAxis& window, int tap, int in, int out) {
    // first: the smallest o with o * stride + shift >= 0; last: the largest with o * stride + shift < in.
    const int shift = tap * window.dilation - window.pad;
    const int first = shift >= 0 ? 0 : (-shift + window.stride - 1) / window.stride;
    const int last = in - 1 - shift < 0 ? -1 : std::min(out - 1, (in - 1 - shift) / window.stride);
    if (last < first) return Scatter();
    return {last - first + 1, first, first * window.stride + shift};
}

Runs tapRun(const WindowAxis& window, int tap, int in, int out) {
    const Scatter scatter = tapScatter(window, tap, in, out);
    if (scatter.count == 0) return {};
    return {Run{scatter.src, scatter.count, scatter.dst, window.stride}};
}

int64_t windowExtent(const WindowAxis& window) { return int64_t(window.kernel - 1) * window.dilation + 1; }

int windowPad(PadMode mode, const WindowAxis& window, int pad, int in, int out) {
    if (mode == PadMode_CAFFE) return pad;
    if (mode == PadMode_VALID) return 0;
    const int64_t total = int64_t(out - 1) * window.stride + windowExtent(window) - in;
    return static_cast<int>(std::max<int64_t>(total, 0) / 2);
}

}  // namespace geometry
}  // namespace MNN
