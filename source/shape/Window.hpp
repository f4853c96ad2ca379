// Sliding windows: how many places a kernel has along one spatial dimension.
#ifndef MNN_SHAPE_WINDOW_HPP
#define MNN_SHAPE_WINDOW_HPP

#include "shape/Rule.hpp"

namespace MNN {
namespace shape {

struct Window {
    int64_t kernel = 1, stride = 1, dilation = 1;
    int64_t padBegin = 0, padEnd = 0;
    int64_t extent() const { return (kernel - 1) * dilation + 1; }
};
// One per spatial dimension, outermost first.
using Windows = std::vector<Window>;

enum class Rounding { Floor, Ceil };

bool checkWindows(const Rule& r, const Windows& windows);
// Convolution2DCommon: [y, x]. pads is [top, left, bottom, right] or, when absent, padY and padX on both sides.
bool windows2D(const Rule& r, const Convolution2DCommon* common, Windows* windows);
bool readPads2D(const Rule& r, const flatbuffers::Vector<int32_t>* pads, int padY, int padX, Windows* windows);
// Lists of three (kernels, strides, dilates) and pads [begin..., end...] or one per dimension for both sides.
bool windows3D(const Rule& r, const flatbuffers::Vector<int32_t>* kernels, const flatbuffers::Vector<int32_t>* strides,
               const flatbuffers::Vector<int32_t>* dilates, const flatbuffers::Vector<int32_t>* pads, Windows* windows);

// Places of the window on `in` elements; false after a message when there is none.
bool slide(const Rule& r, int64_t in, const Window& w, PadMode mode, Rounding rounding, int64_t* out);
// The reverse: elements that `in` places of the window cover.
bool unslide(const Rule& r, int64_t in, const Window& w, PadMode mode, int64_t outPad, int64_t* out);

}  // namespace shape
}  // namespace MNN
#endif
