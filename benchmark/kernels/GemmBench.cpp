// fp32 kernels against the processor's own limit: a loop of nothing but fused multiply-adds on registers.
#include <benchmark/benchmark.h>
#include <vector>
#include "backend/cpu/kernels/MatMul.hpp"

using namespace MNN::cpu;

namespace {

void setFlops(benchmark::State& state, double flopsPerIteration) {
    state.counters["GFLOP/s"] = benchmark::Counter(flopsPerIteration * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

// Every row of A is the same cache line and B is one panel of a few steps: loads cost nothing beside the multiply-adds.
void BM_FmaPeak(benchmark::State& state) {
    const GemmKernels& kernels = gemmKernels(chosenIsa());
    const int k = 256, rows = kernels.tileRows[0];
    std::vector<float> a(static_cast<size_t>(rows) * k, 0.5f), b(static_cast<size_t>(kernels.panel) * k, 0.25f), c(rows * kernels.panel);
    GemmTile tile = {};
    tile.a = a.data();
    tile.b = b.data();
    tile.bStep = 0;
    tile.length = k;
    tile.c = c.data();
    tile.rowStep = kernels.panel;
    tile.vectorStep = kernels.lanes;
    tile.lastLanes = kernels.lanes;
    for (auto _ : state) {
        kernels.packed[0][1](tile);
        benchmark::ClobberMemory();
    }
    setFlops(state, 2.0 * rows * kernels.panel * k);
}
BENCHMARK(BM_FmaPeak);

void BM_MatMul(benchmark::State& state) {
    const int m = static_cast<int>(state.range(0)), n = static_cast<int>(state.range(1)), k = static_cast<int>(state.range(2));
    const bool packedB = state.range(3) != 0;
    const GemmKernels& kernels = gemmKernels(chosenIsa());
    std::vector<float> a(static_cast<size_t>(m) * k, 0.5f), b(static_cast<size_t>(n) * k, 0.25f), c(static_cast<size_t>(m) * n);
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
BENCHMARK(BM_MatMul)->ArgNames({"m", "n", "k", "packed"})
    ->Args({768, 768, 768, 0})->Args({768, 768, 768, 1})->Args({128, 768, 768, 1})->Args({128, 128, 64, 0})
    ->Args({1, 4096, 1024, 0})->Args({1, 4096, 1024, 1})->Args({1024, 1024, 1024, 0});

}  // namespace

BENCHMARK_MAIN();
