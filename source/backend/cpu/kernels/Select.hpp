// dst[i] = condition[i] != 0 ? a[i] : b[i].
#ifndef MNN_CPU_KERNELS_SELECT_HPP
#define MNN_CPU_KERNELS_SELECT_HPP

#include <cstddef>
#include <cstdint>
#include "backend/cpu/kernels/Isa.hpp"

namespace MNN {
namespace cpu {

// Steps of 0 or 1 for the condition, a and b.
using SelectFn = void (*)(void* dst, const void* condition, const void* a, const void* b, size_t n, const int* steps);

struct SelectKernels {
    // By bytes of the condition (int32 or uint8) and of the values.
    SelectFn bool32value32, bool32value16, bool32value8;
    SelectFn bool8value32, bool8value16, bool8value8;
};
const SelectKernels& selectKernels(Isa isa);

}  // namespace cpu
}  // namespace MNN
#endif
