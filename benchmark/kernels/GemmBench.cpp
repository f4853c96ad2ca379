// fp32 products against the processor's own limit: a loop of nothing but fused multiply-adds on registers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/GemmBench.cpp"
#include "backend/cpu/kernels/Targets.hpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "backend/cpu/kernels/MatMul.hpp"

#ifndef MNN_FMA_LOOP
#define MNN_FMA_LOOP
struct FmaLoop {
    float (*run)();
    double flops;
};
#endif

HWY_BEFORE_NAMESPACE();
namespace MNN {
namespace cpu {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// Independent sums: more than the latency of a multiply-add times the number of its ports.
constexpr int kSums = 12, kRounds = 1000;

float multiplyAdds() {
    const hn::CappedTag<float, 16> d;
    const auto factor = hn::Set(d, 0.75f), plus = hn::Set(d, 0.5f);
    hn::Vec<decltype(d)> sum[kSums];
    for (int i = 0; i < kSums; ++i) sum[i] = hn::Set(d, static_cast<float>(i));
    for (int round = 0; round < kRounds; ++round) {
        _Pragma("GCC unroll 16") for (int i = 0; i < kSums; ++i) sum[i] = hn::MulAdd(sum[i], factor, plus);
    }
    for (int i = 1; i < kSums; ++i) sum[0] = hn::Add(sum[0], sum[i]);
    return hn::GetLane(sum[0]);
}

}  // namespace

FmaLoop fmaLoop() { return {multiplyAdds, 2.0 * kSums * kRounds * hn::MaxLanes(hn::CappedTag<float, 16>())}; }

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace MNN
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <benchmark/benchmark.h>
#include <vector>

namespace MNN {
namespace cpu {
FmaLoop fmaLoop(Isa isa) { MNN_SELECT_TARGET(isa, fmaLoop) }
}  // namespace cpu
}  // namespace MNN

using namespace MNN::cpu;

namespace {

void setFlops(benchmark::State& state, double flopsPerIteration) {
    state.counters["GFLOP/s"] =
        benchmark::Counter(flopsPerIteration * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void BM_FmaPeak(benchmark::State& state) {
    const FmaLoop loop = fmaLoop(chosenIsa());
    for (auto _ : state) benchmark::DoNotOptimize(loop.run());
    setFlops(state, loop.flops);
}
BENCHMARK(BM_FmaPeak);

void BM_MatMul(benchmark::State& state) {
    const int m = static_cast<int>(state.range(0)), n = static_cast<int>(state.range(1)),
              k = static_cast<int>(state.range(2));
    const bool packedB = state.range(3) != 0;
    const GemmKernels& kernels = gemmKernels(chosenIsa());
    std::vector<float> a(static_cast<size_t>(m) * k, 0.5f), b(static_cast<size_t>(n) * k, 0.25f),
        c(static_cast<size_t>(m) * n);
    std::vector<float> panels(packedBFloats(kernels, n, k));
    packMatMulB(kernels, panels.data(), b.data(), n, 1, n, k, 0, (n + kernels.panel - 1) / kernels.panel);
    MatMulShape shape;
    shape.m = m, shape.n = n, shape.k = k;
    shape.aRow = k, shape.bRow = n, shape.cRow = n;
    shape.bPacked = packedB;
    MatMulPlan plan;
    plan.prepare(kernels, shape, 1, 1);
    std::vector<float> scratch(plan.scratchFloats());
    for (auto _ : state) {
        for (int task = 0; task < plan.tasks(); ++task) {
            plan.run(task, a.data(), packedB ? panels.data() : b.data(), nullptr, Clamp(), c.data(), scratch.data());
        }
        benchmark::ClobberMemory();
    }
    setFlops(state, 2.0 * m * n * k);
}
BENCHMARK(BM_MatMul)
    ->ArgNames({"m", "n", "k", "packed"})
    ->Args({768, 768, 768, 0})
    ->Args({768, 768, 768, 1})
    ->Args({128, 768, 768, 1})
    ->Args({128, 128, 64, 0})
    ->Args({1, 4096, 1024, 0})
    ->Args({1, 4096, 1024, 1})
    ->Args({1024, 1024, 1024, 0});

}  // namespace

BENCHMARK_MAIN();
#endif
