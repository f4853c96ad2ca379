// What a Tensor is inside: its layout, who owns its memory, and the Regions of a virtual tensor.
#ifndef MNN_CORE_TENSORUTILS_HPP
#define MNN_CORE_TENSORUTILS_HPP

#include <MNN/Tensor.hpp>
#include <memory>
#include <string>
#include <vector>
#include "Tensor_generated.h"
#include "core/Region.hpp"

namespace MNN {
class Backend;
class HostMemory;

constexpr int kMaxRank = 8;

// Memory that outlives the tensor that names it: freed when the last owner lets go.
struct MemoryHolder {
    virtual ~MemoryHolder() = default;
};

// Logical order of dimensions and physical storage.
//   NCHW, NHWC   row-major over the dimensions as listed by shape().
//   NC4HW4       dimensions are listed as N, C, spatial...; storage is [N][ceil(C / pack)][spatial][pack]. Lanes past C
//   are
//                undefined. `pack` is 4 for tensors a caller sees and whatever the backend asked for inside.
struct Tensor::InsideDescribe {
    enum class Memory : uint8_t {
        None,     // not placed yet
        Host,     // memory of this tensor's own, or a caller's (see holder)
        Planned,  // a backend's arena or private memory
        Virtual,  // no memory: `regions` say where its elements are
        Alias,    // lives inside `aliasOf`, `aliasOffset` elements from its start
    };
    enum class Usage : uint8_t { Normal, Input, Output, Constant };

    MNN_DATA_FORMAT format = MNN_DATA_FORMAT_NCHW;
    int pack = 4;
    Memory memory = Memory::None;
    Usage usage = Usage::Normal;
    // The content is on the host before step 1 of its segment ends (constants, shape arithmetic).
    bool hostKnown = false;
    Backend* backend = nullptr;
    // Virtual: the content. After materialisation: what the Raster command writes here.
    core::RegionList regions;
    // Some producers write their part of this tensor in place, so `regions` no longer tells everything that is written.
    bool partlyInPlace = false;
    Tensor* aliasOf = nullptr;
    int64_t aliasOffset = 0;
    std::shared_ptr<MemoryHolder> holder;
    // Quantisation of int8 and uint8 tensors: real = scale * (stored - zero). scale 0: not quantised.
    float quantScale = 0.0f;
    float quantZero = 0.0f;
    std::string name;
    halide_dimension_t dims[kMaxRank];
};

using TensorMemory = Tensor::InsideDescribe::Memory;
using TensorUsage = Tensor::InsideDescribe::Usage;

class TensorUtils {
public:
    static Tensor::InsideDescribe* describe(const Tensor* t) { return t->mDescribe; }

    // Copies rank, lengths, type, format and pack; not the memory.
    static void copyShape(const Tensor* src, Tensor* dst);
    static void setShape(Tensor* t, const std::vector<int>& shape);
    // Writes row-major strides for the lengths (NC4HW4: strides of the logical row-major order).
    static void setLinearLayout(Tensor* t);
    static void setFormat(Tensor* t, MNN_DATA_FORMAT format, int pack = 4);

    static bool isVirtual(const Tensor* t) { return describe(t)->memory == TensorMemory::Virtual; }
    static bool isPacked(const Tensor* t) { return describe(t)->format == MNN_DATA_FORMAT_NC4HW4; }
    // Elements as the user counts them.
    static int64_t elements(const Tensor* t);
    // Elements of the storage, pad lanes included.
    static int64_t storageElements(const Tensor* t);
    static size_t storageBytes(const Tensor* t);
    // Row-major dimensions of the storage: shape() for plain layouts, {N, ceil(C/pack), spatial, pack} for NC4HW4.
    static std::vector<int> storageShape(const Tensor* t);
    static bool sameShape(const Tensor* a, const Tensor* b);
    static bool sameStorage(const Tensor* a, const Tensor* b);
    // Makes t virtual with these Regions.
    static void setVirtual(Tensor* t, core::RegionList regions);
    // Allocates host memory owned by the tensor. False when memory is short.
    static bool allocHost(Tensor* t);
    // Makes the tensor the owner of this memory, which has room for its storage.
    static void adoptHost(Tensor* t, const std::shared_ptr<HostMemory>& memory);

    static halide_type_t halideType(DataType type);
    static DataType dataType(halide_type_t type);
    // "float32[1,3,224,224]": for messages.
    static std::string text(const Tensor* t);
};

// How an input is read element by element in an order given by a list of lengths: data + offset + sum(i_d * stride[d]).
// storage is the tensor that holds the memory: the input itself or, when it is virtual, its Region's origin.
struct StridedInput {
    const Tensor* storage = nullptr;
    int64_t offset = 0;
    std::vector<int64_t> stride;

    template <typename T>
    const T* data() const {
        return storage->host<T>() + offset;
    }
};

// How `input` is read in the row-major order of `lengths` (usually storageShape() of the output or of the input
// itself). False when it takes more than one Region, or the lengths do not multiply to the input's storage elements.
bool stridedInput(const Tensor* input, const std::vector<int>& lengths, StridedInput* result);

}  // namespace MNN
#endif
