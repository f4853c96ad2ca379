#include "ExampleBackend.hpp"

#include <algorithm>
#include <cstring>
#include "ExampleExecutions.hpp"
#include "core/LayoutCopy.hpp"
#include "core/TensorUtils.hpp"

namespace example {

using MNN::TensorMemory;
using MNN::TensorUtils;

namespace {

const Tensor* rootOf(const Tensor* t) {
    while (TensorUtils::describe(t)->memory == TensorMemory::Alias) t = TensorUtils::describe(t)->aliasOf;
    return t;
}

bool isOurs(const Tensor* t) {
    const Backend* home = TensorUtils::describe(t)->backend;
    return home != nullptr && home->type() == MNN_FORWARD_USER_0;
}

MNN::Runtime* createRuntime(const MNN::Runtime::Info& info, std::string*) { return new ExampleRuntime(info); }

}  // namespace

Backend* ExampleRuntime::onCreate(const BackendConfig*) const { return new ExampleBackend(this); }

MNN::BackendTraits ExampleBackend::traits() const {
    MNN::BackendTraits traits;
    traits.pack = 4;
    traits.hostMemory = false;
    return traits;
}

MNN::Execution* ExampleBackend::onCreate(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs,
                                         const Op* op) {
    return createExecution(inputs, outputs, op, this);
}

// Geometry would make a UnaryOp of it.
bool ExampleBackend::keepsWhole(const Op* op) const { return op->type() == MNN::OpType_AbsVal; }

bool ExampleBackend::canWriteInto(const Op*, int) const { return true; }

bool ExampleBackend::canRunInPlace(const Op* op, int) const { return op->type() != MNN::OpType_Raster; }

MNN::ErrorCode ExampleBackend::onResizeEnd() {
    freeArena();
    mArenaBytes = mPlanner.place();
    mArena = mRuntime->memory().allocate(mArenaBytes);
    for (size_t i = 0; i < mLeases.size(); ++i)
        mLeases[i].tensor->buffer().device = mArena + mPlanner.offset(static_cast<int>(i));
    return MNN::NO_ERROR;
}

void ExampleBackend::freeArena() {
    if (mArenaBytes != 0) mRuntime->memory().release(mArena);
    mArenaBytes = 0;
}

bool ExampleBackend::onAcquireBuffer(Tensor* tensor, StorageType storage) {
    auto* describe = TensorUtils::describe(tensor);
    const size_t bytes = TensorUtils::storageBytes(tensor);
    describe->backend = this;
    describe->memory = TensorMemory::Planned;
    tensor->buffer().host = nullptr;
    if (storage == StorageType::Private) {
        tensor->buffer().device = mPrivate[tensor] = mRuntime->memory().allocate(bytes);
        return true;
    }
    mNumbers[tensor] = mPlanner.acquire(bytes);
    mLeases.push_back({tensor, bytes, true});
    return true;
}

bool ExampleBackend::onReleaseBuffer(Tensor* tensor, StorageType storage) {
    if (storage == StorageType::Private) {
        mRuntime->memory().release(mPrivate[tensor]);
        return mPrivate.erase(tensor) != 0;
    }
    const auto number = mNumbers.find(tensor);
    if (number == mNumbers.end()) return false;
    mPlanner.release(number->second);
    mLeases[number->second].alive = false;
    mNumbers.erase(number);
    return true;
}

void ExampleBackend::onClearBuffer() {
    mPlanner.clear();
    mLeases.clear();
    mNumbers.clear();
}

uint8_t* ExampleBackend::data(const Tensor* tensor) const {
    const int64_t width = tensor->getType().bytes();
    const size_t bytes = TensorUtils::storageBytes(tensor);
    uint64_t offset = 0;
    while (TensorUtils::describe(tensor)->memory == TensorMemory::Alias) {
        offset += TensorUtils::describe(tensor)->aliasOffset * width;
        tensor = TensorUtils::describe(tensor)->aliasOf;
    }
    return mRuntime->memory().at(tensor->buffer().device + offset, bytes);
}

bool ExampleBackend::onCopyBuffer(const Tensor* src, Tensor* dst) const {
    const bool from = isOurs(src), to = isOurs(dst);
    ++(from && to ? counters().within : from ? counters().toHost : counters().toDevice);
    // copyLayout converts between layouts and packs and says what does not fit; a device would run a kernel here.
    Tensor source(src->dimensions()), target(dst->dimensions());
    TensorUtils::copyShape(src, &source);
    TensorUtils::copyShape(dst, &target);
    source.buffer().host = from ? data(src) : src->host<uint8_t>();
    target.buffer().host = to ? data(dst) : dst->host<uint8_t>();
    return MNN::copyLayout(&source, &target);
}

bool ExampleBackend::isLeased(const Tensor* root) const {
    return mNumbers.count(root) != 0 || mPrivate.count(root) != 0;
}

std::vector<int> ExampleBackend::leasesAround(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs) {
    for (const auto* tensors : {&inputs, &outputs}) {
        for (const Tensor* t : *tensors) {
            const Tensor* root = rootOf(t);
            const bool leased =
                isOurs(root) && static_cast<ExampleBackend*>(TensorUtils::describe(root)->backend)->isLeased(root);
            if (!leased) ++counters().unleased;
        }
    }
    std::vector<int> numbers;
    for (const auto& lease : mNumbers) {
        // A lease that begins with this command holds nothing yet, unless others wrote their part of it in place
        // before.
        const bool begins = std::find(outputs.begin(), outputs.end(), lease.first) != outputs.end();
        if (!begins || TensorUtils::describe(lease.first)->partlyInPlace) numbers.push_back(lease.second);
    }
    return numbers;
}

void ExampleBackend::poisonExcept(const std::vector<int>& leases) {
    uint8_t* arena = mRuntime->memory().at(mArena, mArenaBytes);
    if (arena == nullptr) return;
    std::vector<bool> kept(mArenaBytes, false);
    for (int lease : leases) {
        const auto begin = kept.begin() + static_cast<std::ptrdiff_t>(mPlanner.offset(lease));
        std::fill(begin, begin + static_cast<std::ptrdiff_t>(mLeases[lease].bytes), true);
    }
    for (size_t i = 0; i < mArenaBytes; ++i) {
        if (!kept[i]) arena[i] = DeviceMemory::kPoison;
    }
}

bool addExampleBackend() {
    static const MNN::BackendEntry entry = {MNN_FORWARD_USER_0, "example", createRuntime};
    return MNN::MNNAddBackend(&entry);
}

}  // namespace example
