// Formulas that importers of several families share.
#pragma once

#include <vector>

#include "onnx/OnnxNode.hpp"

namespace MNN {
namespace Converter {

// int8 and uint8 arithmetic runs in int32; narrow() wraps the result back into the small type.
Value widen(Builder& b, Value x);
Value narrow(Builder& b, Value x, DataType type);

// One of {x, y} by broadcasting, for integers of any width.
Value binaryAnyType(Builder& b, BinaryOpOperation operation, Value x, Value y);

// Axes from input `index` when the op takes them so, else from the attribute; empty when neither is there.
std::vector<int> axesOf(const Node& n, size_t index, const char* key = "axes");

// Negative axes made non-negative, and checked against the rank.
std::vector<int> normalAxes(const Node& n, std::vector<int> axes, int rank);

// [begin, end) as a list.
std::vector<int> iota(int begin, int end);

// A per-channel vector [C] shaped to broadcast on `axis` of a tensor with this rank.
Value alongAxis(Builder& b, Value vector, int axis, int rank);

Value logSoftmaxOf(Builder& b, Value x, int axis);

// NumPy's rules: a 1-D operand is a row on the left and a column on the right, and its axis is dropped again.
Value matmulAnyRank(Builder& b, Value x, Value y);

// 0, 1, ... up to the size of an axis.
Value axisPositions(Builder& b, Value x, int axis);

// The largest finite float.
constexpr float kFloatMax = 3.402823466e+38f;

}  // namespace Converter
}  // namespace MNN
