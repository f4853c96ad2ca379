// Shared by the lowering files: moves between layouts, element-wise plumbing, host contents.
#ifndef MNN_GEOMETRY_UTILS_HPP
#define MNN_GEOMETRY_UTILS_HPP

#include <MNN/MNNDefine.h>
#include <utility>
#include <vector>
#include "geometry/Geometry.hpp"

namespace MNN {
namespace geometry {

// Product of dims[begin, end).
int64_t product(const std::vector<int>& dims, int begin, int end);
int64_t product(const std::vector<int>& dims);

// Logs "op 'name' (Type): message; inputs float32[1,3]" and returns false.
bool fail(const Op* op, const Tensors& inputs, const char* message);

// Batch, channels and the product of the rest of a tensor listed as N, C, spatial...
struct ImageSize {
    int batch = 1;
    int channels = 1;
    int64_t area = 1;
};
ImageSize imageSize(const Tensor* t);
// Channels of a block of the storage: 1 for row-major.
int storagePack(const Tensor* t);

// Appends the move of `count` channels of `src`, in whatever storage it has, to channel `dstBegin` of a storage with
// `dstChannels` channels and block `dstPack`; batch and area are those of src.
void moveChannels(Tensor* src, int srcBegin, int dstChannels, int dstPack, int dstBegin, int count,
                  core::RegionList* regions);

// Appends the move over all indices of sizes; the Regions are as few as six loops allow.
void appendMove(core::RegionList* regions, Tensor* origin, const std::vector<int>& sizes, int64_t srcOffset,
                const std::vector<int64_t>& srcStrides, int64_t dstOffset, const std::vector<int64_t>& dstStrides);

// As setView, for Regions that write output's storage as it is (packed or row-major).
void setStorageView(Tensor* output, core::RegionList regions, GeometryContext& ctx);
// The real tensor behind views that only rename it (same shape, type and storage); t itself otherwise.
Tensor* resolve(Tensor* t);
// t as a tensor that one Region can read: materialised when it is virtual and takes several.
Tensor* singleRegion(Tensor* t, GeometryContext& ctx);

// Prepares an element-wise command: chooses packed storage when an input of output's shape has it, broadcasts every
// input to output. Returns the tensor to write; the tensors to read are left in *inputs.
Tensor* prepareElementwise(GeometryContext& ctx, Tensors* inputs, Tensor* output);

// x * scale[c] + bias[c], channel on axis 1; biasData may be empty.
Tensor* makeScale(GeometryContext& ctx, Tensor* x, std::vector<float> scaleData, std::vector<float> biasData,
                  Tensor* out = nullptr);

// A rank-1 constant; nullptr when memory is short.
Tensor* constFloats(GeometryContext& ctx, const float* values, int count);

// Whether the content is a constant for as long as these shapes hold.
bool isHostKnown(const Tensor* t);
// Integers of an int32 or float tensor on the host.
std::vector<int> hostInts(const Tensor* t);
// The content of an input that the op's shape rule asks for: it is on the host. False when it is not.
bool contentInts(const Tensor* t, std::vector<int>* values);

// axis in [-rank, rank) made non-negative; false otherwise.
bool normalizeAxis(int* axis, int rank);

// Reduces the dimensions that are marked; out has the elements that are left, under any shape.
Tensor* makeReduceDims(GeometryContext& ctx, ReductionType kind, Tensor* x, const std::vector<bool>& reduced,
                       Tensor* out = nullptr);

// An op with its parameter table, to be passed to GeometryContext::add.
template <typename Param>
OpT makeOp(OpType type, Param param) {
    OpT op;
    op.type = type;
    op.main.Set(std::move(param));
    return op;
}
OpT makeOp(OpType type);

}  // namespace geometry
}  // namespace MNN
#endif
