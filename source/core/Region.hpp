// A Region moves elements between two strided views; a list of Regions says what a virtual tensor holds.
#ifndef MNN_CORE_REGION_HPP
#define MNN_CORE_REGION_HPP

#include <array>
#include <cstdint>
#include <vector>

namespace MNN {
class Tensor;
namespace core {

// Loops of a Region. MNN's public form has three; six keep one permute of a batched tensor a single Region.
constexpr int kRegionLoops = 6;

// Offsets and strides count elements of the tensor's storage, never bytes. A source stride of 0 repeats an element.
struct View {
    int64_t offset = 0;
    std::array<int64_t, kRegionLoops> stride{};
};

// for i0 < size[0], ..., i5 < size[5]:  dst[dst.offset + sum(i_k * dst.stride[k])] = origin[src.offset + sum(i_k *
// src.stride[k])] Loop 0 is the outermost. Unused loops come first with size 1. Elements of the destination that no
// Region of a tensor writes are zero.
struct Region {
    View src, dst;
    std::array<int32_t, kRegionLoops> size{{1, 1, 1, 1, 1, 1}};
    Tensor* origin = nullptr;

    int64_t elements() const {
        int64_t n = 1;
        for (int32_t s : size) n *= s;
        return n;
    }
};

using RegionList = std::vector<Region>;

}  // namespace core
}  // namespace MNN
#endif
