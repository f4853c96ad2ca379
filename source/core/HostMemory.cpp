#include "core/HostMemory.hpp"

#include <new>
#include "core/platform/Platform.hpp"

namespace MNN {

namespace {

constexpr size_t kLine = 64;
// Weights and arenas of this size are walked end to end: 2 MB pages save most of their TLB misses.
constexpr size_t kHugePage = size_t(2) << 20;
constexpr size_t kHugeFrom = size_t(4) << 20;

}  // namespace

std::shared_ptr<HostMemory> HostMemory::allocate(size_t bytes, MemoryCount count) {
    if (bytes > kLimit) return nullptr;
    const size_t align = bytes >= kHugeFrom ? kHugePage : kLine;
    const size_t rounded = (bytes + 2 * kLine - 1) / kLine * kLine;
    void* data = ::operator new(rounded, std::align_val_t(align), std::nothrow);
    if (data == nullptr) return nullptr;
    if (align == kHugePage) platform::preferHugePages(data, rounded);
    return std::shared_ptr<HostMemory>(new HostMemory(data, bytes, align, std::move(count)));
}

HostMemory::HostMemory(void* data, size_t bytes, size_t align, MemoryCount count)
    : mData(data), mBytes(bytes), mAlign(align), mCount(std::move(count)) {
    if (mCount != nullptr) *mCount += mBytes;
}

HostMemory::~HostMemory() {
    ::operator delete(mData, std::align_val_t(mAlign));
    if (mCount != nullptr) *mCount -= mBytes;
}

}  // namespace MNN
