// Evaluates ops whose inputs are all constants. It knows the view, index and arithmetic ops that shape computations and
// weight preparation are made of; anything else is left to the engine.
#pragma once

#include <vector>

#include "graph/Graph.hpp"

namespace MNN {
namespace Converter {

// Fills `out` (one blob an output) and returns true, or returns false when the op is not known here, the values do not
// allow it (division by zero, index out of range) or the result would be too large to be worth storing.
bool foldConstant(const OpT& op, const std::vector<const BlobT*>& in, std::vector<BlobT>& out);

// Shape and Size of a tensor whose sizes are all known.
bool foldShapeOp(const OpT& op, const Dims& dims, BlobT& out);

}  // namespace Converter
}  // namespace MNN
