// What a strided slice takes of each dimension, for the shape rule and the lowering.
#ifndef MNN_SHAPE_STRIDEDSLICE_HPP
#define MNN_SHAPE_STRIDEDSLICE_HPP

#include "shape/Rule.hpp"

namespace MNN {
namespace shape {

// Elements begin, begin + stride, ... (count of them) of one input dimension.
struct SliceRange {
    int64_t begin = 0, stride = 1, count = 0;
};

struct SliceSpec {
    std::vector<SliceRange> ranges;  // one per input dimension
    Dims sliced;                     // the output's shape: new axes inserted, shrunk ones dropped
};

// begin, end and stride as numpy reads them: negative values count from the end, everything is clamped.
SliceRange sliceRange(int64_t length, int64_t begin, int64_t end, int64_t stride);

// In when fromType is 0: x, begin, end [, stride [, a value to write]] and TensorFlow's masks. Else as ONNX: x, begin,
// end
// [, axes [, stride]]. False after a message.
bool stridedSlice(const Op* op, const Tensors& inputs, SliceSpec* spec);
// The op overwrites the slice of a copy of x with its fifth input.
bool isSliceWrite(const Op* op, const Tensors& inputs);

}  // namespace shape
}  // namespace MNN
#endif
