// Every pair of element types in plain C++; Cast.cpp replaces those worth a SIMD body.
#ifndef MNN_CPU_KERNELS_CASTPLAIN_HPP
#define MNN_CPU_KERNELS_CASTPLAIN_HPP

#include "backend/cpu/kernels/Cast.hpp"

namespace MNN {
namespace cpu {

CastKernels plainCasts();

}  // namespace cpu
}  // namespace MNN
#endif
