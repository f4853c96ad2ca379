// Output shapes: given an op and its inputs' shapes (and, where declared, contents), set the outputs' shapes and types.
#ifndef MNN_SHAPE_SHAPE_HPP
#define MNN_SHAPE_SHAPE_HPP

#include <vector>
#include "MNN_generated.h"
#include "core/TensorUtils.hpp"

namespace MNN {

using Tensors = std::vector<Tensor*>;

// Sets shape, type and format of every output; false after MNN_ERROR naming op->name, shapes and what is wrong.
// outputs already exist (rank 0, float). Contents that the row asks for are readable through inputs[i]->host<T>().
using ShapeFunction = bool (*)(const Op* op, const Tensors& inputs, const Tensors& outputs);

struct ShapeRow {
    OpType type;
    ShapeFunction infer;
    // Bit i: the content of input i must be on the host before infer runs. It is computed at resize when it comes from
    // shapes and constants; otherwise the op starts a new segment.
    uint32_t contents;
    // Bit i: input i's content decides the output's *size* in a way only the op itself knows (NonZero, Unique, NMS).
    // Same effect as `contents`, named apart so that `mnn inspect` can say why a segment starts.
    uint32_t dataDependent;
};

// The row for the op (Extra ops are found by their type string); nullptr when there is none.
const ShapeRow* findShape(const Op* op);
// Rows of Extra ops (engine "MNN"): by type string.
struct ExtraShapeRow {
    const char* type;
    ShapeRow row;
};

// Runs the op's rule. An op without a row copies the shape, type and format of input 0 to every output, except that an
// Extra op without one is refused.
bool inferShape(const Op* op, const Tensors& inputs, const Tensors& outputs);

// MFLOPs, for profiles and getSessionInfo(FLOPS): multiply-adds count as two.
float opFlops(const Op* op, const Tensors& inputs, const Tensors& outputs);

// Helpers of the rules.
namespace shape {
// Logs "op 'name' (Type): message; inputs float32[1,3], ..." and returns false.
bool fail(const Op* op, const Tensors& inputs, const char* format, ...);
void set(Tensor* t, const std::vector<int>& dims, halide_type_t type, MNN_DATA_FORMAT format);
// Same type and layout family as `like` (NC4HW4 becomes NCHW: shape rules never choose a packed storage).
void setLike(Tensor* t, const std::vector<int>& dims, const Tensor* like);
// axis in [-rank, rank) made non-negative; false otherwise.
bool normalizeAxis(int* axis, int rank);
// numpy broadcasting of all shapes; false when they do not match.
bool broadcast(const Tensors& inputs, std::vector<int>* dims);
// Reads an int32 or float tensor's host content as integers.
std::vector<int> readInts(const Tensor* t);
}  // namespace shape

}  // namespace MNN
#endif
