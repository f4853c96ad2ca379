// The SIMD targets that kernels are compiled for, and which of them this machine runs.
#ifndef MNN_CPU_KERNELS_ISA_HPP
#define MNN_CPU_KERNELS_ISA_HPP

#include <cstdint>
#include <vector>

namespace MNN {
namespace cpu {

// In rising order of preference within one processor family.
enum class Isa : uint8_t { Base, SSE4, AVX2, AVX512, NEON, SVE };

// Every target that is both compiled in and runnable here, best first. Never empty.
const std::vector<Isa>& availableIsas();

// The best available target, or the one named by the environment variable MNN_CPU_ISA (base, sse4, avx2, avx512, neon,
// sve; ignored with an error message when it cannot run here). Read once per process.
Isa chosenIsa();

const char* isaName(Isa isa);

// float lanes of a register, which is also the channel block of NC4HW4 tensors: 4, 8 or 16.
int isaPack(Isa isa);

}  // namespace cpu
}  // namespace MNN
#endif
