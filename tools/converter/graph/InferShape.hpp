// Sizes of tensors as far as they are known before run time: enough for importers that need a rank, and for folding.
#pragma once

#include <vector>

#include "graph/Graph.hpp"

namespace MNN {
namespace Converter {

class Builder;

// Sets rank and sizes of the op's outputs where they follow from its inputs; leaves them unknown otherwise.
void inferShape(Builder& builder, const OpT& op);

// What an ONNX-style Slice reads: per axis of the input, first index, step and number of elements.
struct SliceRange {
    Dims begin, step, count;
};
bool sliceRange(const Dims& dims, const std::vector<int>& begin, const std::vector<int>& end,
                const std::vector<int>& steps, const std::vector<int>& axes, SliceRange& range);

// Sizes when an axis is cut in `parts`: ceil(size / parts) each, the last takes what is left.
std::vector<int> evenSplit(int size, int parts);

// The rules below return false when the request does not fit the input.
bool reducedDims(const Dims& dims, const std::vector<int>& axes, bool keepDims, Dims& out);  // no axes: all
bool reshapedDims(const Dims& dims, const std::vector<int>& request, Dims& out);             // 0 keeps, -1 infers
bool squeezedDims(const Dims& dims, const std::vector<int>& axes, Dims& out);                // no axes: every 1
bool unsqueezedDims(const Dims& dims, const std::vector<int>& axes, Dims& out);
void shapeWindow(const ShapeParamT* param, int rank, int& begin, int& end);

}  // namespace Converter
}  // namespace MNN
