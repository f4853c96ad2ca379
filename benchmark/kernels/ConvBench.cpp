// The convolutions of ResNet50 on 224 x 224 images, one by one and all together; compare with BM_FmaPeak of GemmBench.
#include <benchmark/benchmark.h>
#include <algorithm>
#include <memory>
#include <vector>
#include "backend/cpu/ThreadPool.hpp"
#include "backend/cpu/kernels/Conv.hpp"

using namespace MNN::cpu;

namespace {

struct Layer {
    int in, out, size, kernel, stride;
    int times;  // in the network
};

const Layer kResNet50[] = {
    {3, 64, 224, 7, 2, 1},     {64, 64, 56, 1, 1, 1},    {64, 64, 56, 3, 1, 3},    {64, 256, 56, 1, 1, 4},
    {256, 64, 56, 1, 1, 2},    {256, 128, 56, 1, 1, 1},  {128, 128, 56, 3, 2, 1},  {128, 512, 28, 1, 1, 4},
    {256, 512, 56, 1, 2, 1},   {512, 128, 28, 1, 1, 3},  {128, 128, 28, 3, 1, 3},  {512, 256, 28, 1, 1, 1},
    {256, 256, 28, 3, 2, 1},   {256, 1024, 14, 1, 1, 6}, {512, 1024, 28, 1, 2, 1}, {1024, 256, 14, 1, 1, 5},
    {256, 256, 14, 3, 1, 5},   {1024, 512, 14, 1, 1, 1}, {512, 512, 14, 3, 2, 1},  {512, 2048, 7, 1, 1, 3},
    {1024, 2048, 14, 1, 2, 1}, {2048, 512, 7, 1, 1, 2},  {512, 512, 7, 3, 1, 2},
};

class Runner {
public:
    Runner(const Layer& layer, ThreadPool& pool) : mPool(pool) {
        const int pack = isaPack(chosenIsa());
        mShape.inChannels = layer.in, mShape.outChannels = layer.out;
        mShape.inHeight = mShape.inWidth = layer.size;
        mShape.kernelY = mShape.kernelX = layer.kernel;
        mShape.strideY = mShape.strideX = layer.stride;
        mShape.padTop = mShape.padLeft = layer.kernel / 2;
        mShape.outHeight = mShape.outWidth = (layer.size - 1) / layer.stride + 1;
        mShape.inPack = layer.in < pack ? 4 : pack;
        mShape.outPack = pack;
        mPlan.prepare(gemmKernels(chosenIsa()), mShape, pool.threads());
        const int pixels = layer.size * layer.size, outPixels = mShape.outHeight * mShape.outWidth;
        mInput.assign(static_cast<size_t>((layer.in + pack - 1) / pack * pack) * pixels, 0.5f);
        mOutput.assign(static_cast<size_t>(layer.out) * outPixels, 0.0f);
        mWeight.assign(static_cast<size_t>(mPlan.weightFloats()), 0.25f);
        mBias.assign(static_cast<size_t>(mPlan.biasFloats()), 0.0f);
        mScratch.resize(static_cast<size_t>(mPlan.scratchFloats()));
        mFlops = 2.0 * layer.in * layer.out * layer.kernel * layer.kernel * outPixels;
    }
    void run() {
        mPlan.run(mInput.data(), mWeight.data(), mBias.data(), Clamp(), mOutput.data(), mScratch.data(),
                  [&](int tasks, auto&& body) { mPool.parallelFor(tasks, body); });
        benchmark::ClobberMemory();
    }
    double flops() const { return mFlops; }

private:
    ThreadPool& mPool;
    ConvShape mShape;
    ConvPlan mPlan;
    std::vector<float> mInput, mOutput, mWeight, mBias, mScratch;
    double mFlops;
};

void setFlops(benchmark::State& state, double flops) {
    state.counters["GFLOP/s"] = benchmark::Counter(flops * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void BM_Layer(benchmark::State& state) {
    ThreadPool pool(static_cast<int>(state.range(1)));
    Runner runner(kResNet50[state.range(0)], pool);
    for (auto _ : state) runner.run();
    setFlops(state, runner.flops());
}

void BM_ResNet50(benchmark::State& state) {
    ThreadPool pool(static_cast<int>(state.range(0)));
    std::vector<std::unique_ptr<Runner>> runners;
    double flops = 0.0;
    for (const Layer& layer : kResNet50) {
        for (int i = 0; i < layer.times; ++i) {
            runners.emplace_back(new Runner(layer, pool));
            flops += runners.back()->flops();
        }
    }
    for (auto _ : state) {
        for (auto& runner : runners) runner->run();
    }
    setFlops(state, flops);
}

void addLayers(benchmark::internal::Benchmark* bench) {
    for (int threads : {1, 2}) {
        for (int i = 0; i < static_cast<int>(std::size(kResNet50)); ++i) bench->Args({i, threads});
    }
}
BENCHMARK(BM_Layer)->ArgNames({"layer", "threads"})->Apply(addLayers)->UseRealTime();
BENCHMARK(BM_ResNet50)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
