// The CPU backend: executions/ prepare primitives, kernels/ hold the SIMD.
#ifndef MNN_CPU_BACKEND_HPP
#define MNN_CPU_BACKEND_HPP

#include <map>
#include <memory>
#include <vector>
#include "backend/cpu/ThreadPool.hpp"
#include "backend/cpu/kernels/Isa.hpp"
#include "core/Backend.hpp"
#include "core/HostMemory.hpp"
#include "core/MemoryPlanner.hpp"

namespace MNN {

class CPURuntime final : public Runtime {
public:
    explicit CPURuntime(const Info& info);
    Backend* onCreate(const BackendConfig* config) const override;
    float onGetMemoryInMB() override;
    cpu::ThreadPool& pool() const { return *mPool; }

private:
    std::unique_ptr<cpu::ThreadPool> mPool;
};

class CPUBackend final : public Backend {
public:
    CPUBackend(const CPURuntime* runtime, const BackendConfig& config);
    ~CPUBackend() override;

    BackendTraits traits() const override;
    Execution* onCreate(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs, const Op* op) override;
    bool canRead(const Op* op, const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs,
                 int index) const override;
    bool canWriteInto(const Op* op, int index) const override;
    bool canRunInPlace(const Op* op, int index) const override;
    void onResizeBegin() override;
    ErrorCode onResizeEnd() override;
    bool onAcquireBuffer(Tensor* tensor, StorageType storage) override;
    bool onReleaseBuffer(Tensor* tensor, StorageType storage) override;
    void onClearBuffer() override;
    bool onCopyBuffer(const Tensor* src, Tensor* dst) const override;
    size_t plannedBytes() const override;
    size_t plannedLowerBound() const override;
    size_t privateBytes() const override { return *mPrivateBytes; }

    // Where Executions get all memory that they keep (packed weights, state), so that it is counted while it lives.
    // nullptr when memory is short.
    std::shared_ptr<HostMemory> allocatePrivate(size_t bytes) const {
        return HostMemory::allocate(bytes, mPrivateBytes);
    }

    cpu::Isa isa() const { return mIsa; }
    BackendConfig::PrecisionMode precision() const { return mConfig.precision; }
    BackendConfig::MemoryMode memoryMode() const { return mConfig.memory; }
    const RuntimeHint& hint() const { return mRuntime->hint(); }
    int threads() const { return mRuntime->pool().threads(); }
    // body(tile, worker); see ThreadPool.
    template <typename F>
    void parallelFor(int tiles, F&& body) const {
        mRuntime->pool().parallelFor(tiles, std::forward<F>(body));
    }

private:
    const CPURuntime* mRuntime;
    BackendConfig mConfig;
    cpu::Isa mIsa;
    MemoryPlanner mPlanner;
    std::map<const Tensor*, int> mLeases;
    std::vector<std::pair<Tensor*, int>> mPlaced;
    std::shared_ptr<HostMemory> mArena;
    size_t mArenaBytes = 0;
    MemoryCount mPrivateBytes;
};

// Makes the Execution of a command. Returns nullptr, after a message, when attributes or types are not supported.
using CPUCreator = Execution* (*)(const Op* op, const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs,
                                  CPUBackend* backend);

// Whose storageShape() gives the lengths for stridedInput() when an input is a view: the first output's (element-wise)
// or the input's own (MatMul, Reduction).
enum class ViewLike : uint8_t { Input, Output };

// What the CPU backend can do with one op type. One row each in CPUExecutions.cpp.
struct CPUExecutionRow {
    OpType type;
    CPUCreator create;
    // Bit i: the kernel reads input i through stridedInput(), so a virtual input of one Region needs no Raster.
    uint32_t readsViews = 0;
    ViewLike viewLike = ViewLike::Input;
    bool inPlace = false;  // may write over an input of the same storage: element i of the output needs element i alone
};

// The row for the op; Extra ops are found by their type string. nullptr when the CPU has no Execution for it.
const CPUExecutionRow* findCPUExecution(const Op* op);
// Every row, for `mnn backends --kernels` and tests.
std::vector<const CPUExecutionRow*> cpuExecutions();

}  // namespace MNN
#endif
