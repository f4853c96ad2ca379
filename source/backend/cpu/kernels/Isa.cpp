#include "backend/cpu/kernels/Isa.hpp"
#include "backend/cpu/kernels/Targets.hpp"

#include <MNN/MNNDefine.h>
#include <cstdlib>
#include <cstring>

namespace MNN {
namespace cpu {
namespace {

std::vector<Isa> detectIsas() {
    std::vector<Isa> found;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
#if HWY_TARGETS & HWY_AVX3
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("fma")) {
        found.push_back(Isa::AVX512);
    }
#endif
#if HWY_TARGETS & HWY_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
        found.push_back(Isa::AVX2);
    }
#endif
#if HWY_TARGETS & HWY_SSE4
    if (__builtin_cpu_supports("sse4.2")) found.push_back(Isa::SSE4);
#endif
#elif defined(__aarch64__)
    found.push_back(Isa::NEON);
#endif
    found.push_back(Isa::Base);
    return found;
}

Isa chooseIsa() {
    const std::vector<Isa>& have = availableIsas();
    const char* wanted = std::getenv("MNN_CPU_ISA");
    if (wanted == nullptr || *wanted == '\0') return have.front();
    for (Isa isa : have) {
        if (std::strcmp(isaName(isa), wanted) == 0) return isa;
    }
    MNN_ERROR("MNN_CPU_ISA=%s cannot run here; using %s\n", wanted, isaName(have.front()));
    return have.front();
}

}  // namespace

const std::vector<Isa>& availableIsas() {
    static const std::vector<Isa> found = detectIsas();
    return found;
}

Isa chosenIsa() {
    static const Isa isa = chooseIsa();
    return isa;
}

const char* isaName(Isa isa) {
    switch (isa) {
        case Isa::SSE4:
            return "sse4";
        case Isa::AVX2:
            return "avx2";
        case Isa::AVX512:
            return "avx512";
        case Isa::NEON:
            return "neon";
        case Isa::SVE:
            return "sve";
        default:
            return "base";
    }
}

int isaPack(Isa isa) {
    switch (isa) {
        case Isa::AVX512:
            return 16;
        case Isa::AVX2:
            return 8;
        default:
            return 4;
    }
}

}  // namespace cpu
}  // namespace MNN
