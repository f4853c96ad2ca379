// The Geometry Compiler: lowers each op to Commands of primitives; view ops become Regions on virtual tensors.
#ifndef MNN_GEOMETRY_GEOMETRY_HPP
#define MNN_GEOMETRY_GEOMETRY_HPP

#include <MNN/MNNForwardType.h>
#include <map>
#include <memory>
#include <string>
#include <vector>
#include "MNN_generated.h"
#include "core/Backend.hpp"
#include "core/Command.hpp"
#include "core/TensorUtils.hpp"
#include "geometry/RegionAlgebra.hpp"

namespace MNN {

using Tensors = std::vector<Tensor*>;

// What a lowering may use. Everything about the backend is plain data; tensors made here live as long as `buffer`.
class GeometryContext {
public:
    GeometryContext(CommandBuffer* buffer, const BackendTraits& traits, const BackendConfig& config);

    const BackendTraits& traits() const { return mTraits; }
    const BackendConfig& config() const { return mConfig; }

    // A new intermediate tensor (plain row-major unless packed later).
    Tensor* makeTensor(const std::vector<int>& dims, halide_type_t type, MNN_DATA_FORMAT format = MNN_DATA_FORMAT_NCHW);
    // A constant on the host, to be filled by the caller before it returns: usage Constant, hostKnown. nullptr when
    // memory is short.
    Tensor* allocConst(const std::vector<int>& dims, halide_type_t type, MNN_DATA_FORMAT format = MNN_DATA_FORMAT_NCHW);
    Tensor* constInts(const std::vector<int>& values);
    Tensor* constFloat(float value);  // rank 0

    // t in plain row-major storage: t itself, or a virtual tensor reading t's packed storage (one per tensor, shared).
    Tensor* plain(Tensor* t);
    // t (rank >= 2, dims N, C, spatial...) in NC4HW4 storage with this pack: itself or a shared virtual tensor.
    Tensor* packed(Tensor* t, int pack);
    // The channel block for this many channels: traits().pack, or a smaller power of two (not below 4) when padding
    // would waste over a quarter.
    int packFor(int channels) const;
    // The tensor that an image op should write for `output`: output itself, switched to NC4HW4 storage, when its layout
    // is free (usage Normal); else a new packed tensor that output becomes a view of.
    Tensor* packedOutput(Tensor* output, int pack);

    // The tensor that an op without a packed form should write for `output`: output itself, or a new row-major tensor
    // when output is a caller's NC4HW4 tensor, which then becomes a view of it.
    Tensor* plainOutput(Tensor* output);

    // Appends a command; source is the model op being lowered (set by the compiler).
    Command* add(const OpT& op, const Tensors& inputs, const Tensors& outputs);
    Command* add(std::shared_ptr<OwnedOp> op, const Tensors& inputs, const Tensors& outputs);
    // Appends the op as it is. (In all three an input that only renames a real tensor is replaced by that tensor.)
    Command* addWhole(const Op* op, const Tensors& inputs, const Tensors& outputs);

    void setSource(const Op* op) { mSource = op; }
    const Op* source() const { return mSource; }
    CommandBuffer* buffer() { return mBuffer; }

    // Drops cached views of tensors; called between segments.
    void clearViews();

private:
    CommandBuffer* mBuffer;
    BackendTraits mTraits;
    BackendConfig mConfig;
    const Op* mSource = nullptr;
    // (tensor, pack) -> the virtual tensor that shows it in that storage; pack 1 is row-major.
    std::map<std::pair<Tensor*, int>, Tensor*> mViews;
    // Row-major virtual tensor -> the packed tensor it shows, so that packing it again costs nothing.
    std::map<Tensor*, Tensor*> mShows;
};

// Lowers one op. Either appends commands that write `outputs`, or makes outputs virtual (setView below), or both.
// inputs may be virtual or packed: call ctx.plain() on those that must be row-major. False after MNN_ERROR.
using Lowering = bool (*)(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx);

struct GeometryRow {
    OpType type;
    Lowering onCompute;
};
struct ExtraGeometryRow {
    const char* type;
    Lowering onCompute;
};

// nullptr: the op is a primitive already; its plain inputs and outputs go to an Execution as they are.
Lowering findLowering(const Op* op);

// Lowers `op` with its row, or passes it through with plain inputs.
bool lowerOp(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx);

namespace geometry {

// Makes output a view; the Regions write output's elements in row-major order. Composes every Region (whose origins may
// be virtual) down to real tensors. Where that takes more than kMaxRegions, or more than kFineRegions of under
// kMinRegionBytes each, the virtual origin is materialised by a Raster command first.
constexpr int kMaxRegions = 16;
constexpr int kFineRegions = 4;
constexpr int kMinRegionBytes = 256;
void setView(Tensor* output, core::RegionList regions, GeometryContext& ctx);
// output has input's elements in the same row-major order (Reshape, Squeeze, Identity, ...), in packed storage when
// input has it and both are the same batch, channels and places.
void setReshape(Tensor* output, Tensor* input, GeometryContext& ctx);
// output[i] = input[offset + sum(i_d * stride[d])] over output's shape; input plain.
void setStridedView(Tensor* output, Tensor* input, int64_t offset, const std::vector<int64_t>& strides,
                    GeometryContext& ctx);
// A virtual tensor of `dims` reading input with numpy broadcasting (stride 0). Returns input when nothing changes.
Tensor* broadcastTo(Tensor* input, const std::vector<int>& dims, GeometryContext& ctx);
// A virtual tensor with input's elements in the same order under other dims.
Tensor* reshape(Tensor* input, const std::vector<int>& dims, GeometryContext& ctx);
// A virtual tensor: output dim d is input dim perm[d].
Tensor* permute(Tensor* input, const std::vector<int>& perm, GeometryContext& ctx);
std::vector<int64_t> rowMajorStrides(const std::vector<int>& dims);

// Makers of primitive ops; each appends a command and returns its output (made when out is nullptr; shape by the
// inputs).
Tensor* makeUnary(GeometryContext& ctx, UnaryOpOperation kind, Tensor* x, Tensor* out = nullptr);
// Binary and Select broadcast their inputs.
Tensor* makeBinary(GeometryContext& ctx, BinaryOpOperation kind, Tensor* a, Tensor* b, Tensor* out = nullptr);
Tensor* makeSelect(GeometryContext& ctx, Tensor* condition, Tensor* a, Tensor* b, Tensor* out = nullptr);
Tensor* makeCast(GeometryContext& ctx, Tensor* x, halide_type_t type, Tensor* out = nullptr);
// x is read as [outside, axis, inside]; out has that many elements with axis = 1.
Tensor* makeReduce(GeometryContext& ctx, ReductionType kind, Tensor* x, int outside, int axis, int inside,
                   Tensor* out = nullptr);
Tensor* makeMatMul(GeometryContext& ctx, Tensor* a, Tensor* b, bool transposeA, bool transposeB, Tensor* bias = nullptr,
                   Tensor* out = nullptr);
Tensor* makeSoftmax(GeometryContext& ctx, Tensor* x, int axis, Tensor* out = nullptr);
Tensor* makeLayerNorm(GeometryContext& ctx, Tensor* x, int inside, float epsilon, bool rms, Tensor* gamma, Tensor* beta,
                      Tensor* out = nullptr);
Tensor* makePool(GeometryContext& ctx, const PoolT& pool, Tensor* x, Tensor* out);
// Makes a virtual tensor real: a Raster command in front of its first reader writes it.
void makeRaster(GeometryContext& ctx, Tensor* virtualTensor);

}  // namespace geometry
}  // namespace MNN
#endif
