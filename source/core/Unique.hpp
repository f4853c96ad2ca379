// The different slices of a tensor along an axis. Shape rules need their number, executions the rest.
#ifndef MNN_CORE_UNIQUE_HPP
#define MNN_CORE_UNIQUE_HPP

#include <MNN/HalideRuntime.h>
#include <cstdint>
#include <vector>

namespace MNN {

struct UniqueSlices {
    std::vector<int> first;    // per different slice: where it occurs first
    std::vector<int> counts;   // and how often
    std::vector<int> inverse;  // per slice of the input: which different slice it is
};

// data is [outer][length][inner]; slices of `length` are compared element by element. Their order is ascending when
// sorted (NaN last and equal to itself), else that of first occurrence. Types: float32, int32, int8, uint8; none for
// others.
UniqueSlices findUnique(const void* data, halide_type_t type, int64_t outer, int length, int64_t inner, bool sorted);

}  // namespace MNN
#endif
