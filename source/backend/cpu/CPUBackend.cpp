#include "backend/cpu/CPUBackend.hpp"

#include <MNN/MNNDefine.h>
#include <algorithm>
#include "core/HostMemory.hpp"
#include "core/LayoutCopy.hpp"
#include "core/TensorUtils.hpp"
#include "core/platform/Platform.hpp"

namespace MNN {

CPURuntime::CPURuntime(const Info& info) : Runtime(info) {
    const int cores = platform::availableCores();
    const int wanted = info.numThread <= 0 ? cores : std::min(info.numThread, cores);
    mInfo.numThread = wanted;
    mPool.reset(new cpu::ThreadPool(wanted));
}

Backend* CPURuntime::onCreate(const BackendConfig* config) const {
    return new CPUBackend(this, config != nullptr ? *config : mInfo.config);
}

float CPURuntime::onGetMemoryInMB() { return 0.0f; }

CPUBackend::CPUBackend(const CPURuntime* runtime, const BackendConfig& config)
    : Backend(MNN_FORWARD_CPU),
      mRuntime(runtime),
      mConfig(config),
      mIsa(cpu::chosenIsa()),
      mPrivateBytes(std::make_shared<std::atomic<size_t>>(0)) {}

CPUBackend::~CPUBackend() = default;

BackendTraits CPUBackend::traits() const {
    BackendTraits traits;
    traits.pack = cpu::isaPack(mIsa);
    return traits;
}

Execution* CPUBackend::onCreate(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs, const Op* op) {
    const CPUExecutionRow* row = findCPUExecution(op);
    return row == nullptr ? nullptr : row->create(op, inputs, outputs, this);
}

bool CPUBackend::canRead(const Op* op, const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs,
                         int index) const {
    const CPUExecutionRow* row = findCPUExecution(op);
    if (row == nullptr || index >= 32 || (row->readsViews >> index & 1) == 0) return false;
    const Tensor* like = row->viewLike == ViewLike::Output ? outputs[0] : inputs[index];
    StridedInput strided;
    return stridedInput(inputs[index], TensorUtils::storageShape(like), &strided);
}

bool CPUBackend::canWriteInto(const Op*, int) const { return true; }

bool CPUBackend::canRunInPlace(const Op* op, int) const {
    const CPUExecutionRow* row = findCPUExecution(op);
    return row != nullptr && row->inPlace;
}

void CPUBackend::onResizeBegin() { onClearBuffer(); }

ErrorCode CPUBackend::onResizeEnd() {
    const size_t bytes = mPlanner.place();
    if (bytes > mArenaBytes || bytes < mArenaBytes / 2) {
        mArena = HostMemory::allocate(bytes);
        if (mArena == nullptr) {
            mArenaBytes = 0;
            MNN_ERROR("out of memory: the activations need %zu bytes\n", bytes);
            return OUT_OF_MEMORY;
        }
        mArenaBytes = bytes;
    }
    auto* base = static_cast<uint8_t*>(mArena == nullptr ? nullptr : mArena->data());
    for (const auto& placed : mPlaced) placed.first->buffer().host = base + mPlanner.offset(placed.second);
    return NO_ERROR;
}

bool CPUBackend::onAcquireBuffer(Tensor* tensor, StorageType storage) {
    TensorUtils::describe(tensor)->backend = this;
    const size_t bytes = TensorUtils::storageBytes(tensor);
    if (bytes > HostMemory::kLimit) {
        MNN_ERROR("tensor %s is too large\n", TensorUtils::text(tensor).c_str());
        return false;
    }
    if (storage == StorageType::Private) {
        const auto memory = allocatePrivate(bytes);
        if (memory == nullptr) {
            MNN_ERROR("out of memory: %zu bytes for %s\n", bytes, TensorUtils::text(tensor).c_str());
            return false;
        }
        TensorUtils::adoptHost(tensor, memory);
        return true;
    }
    TensorUtils::describe(tensor)->memory = TensorMemory::Planned;
    const int lease = mPlanner.acquire(bytes);
    mLeases[tensor] = lease;
    mPlaced.push_back({tensor, lease});
    return true;
}

bool CPUBackend::onReleaseBuffer(Tensor* tensor, StorageType storage) {
    if (storage == StorageType::Private) {
        TensorUtils::describe(tensor)->holder.reset();
        TensorUtils::describe(tensor)->memory = TensorMemory::None;
        tensor->buffer().host = nullptr;
        return true;
    }
    const auto found = mLeases.find(tensor);
    if (found == mLeases.end()) return false;
    mPlanner.release(found->second);
    mLeases.erase(found);
    return true;
}

void CPUBackend::onClearBuffer() {
    mPlanner.clear();
    mLeases.clear();
    mPlaced.clear();
}

bool CPUBackend::onCopyBuffer(const Tensor* src, Tensor* dst) const { return copyLayout(src, dst); }

size_t CPUBackend::plannedBytes() const { return mArenaBytes; }

size_t CPUBackend::plannedLowerBound() const { return mPlanner.lowerBound(); }

Runtime* createCPURuntime(const Runtime::Info& info, std::string*) { return new CPURuntime(info); }

}  // namespace MNN
