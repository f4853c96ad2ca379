// Aligned memory on the host, counted by shared_ptr.
#ifndef MNN_CORE_HOSTMEMORY_HPP
#define MNN_CORE_HOSTMEMORY_HPP

#include <atomic>
#include <cstddef>
#include <memory>
#include "core/TensorUtils.hpp"

namespace MNN {

// Bytes of the blocks that were allocated with it and still live. Blocks may outlive whoever reads it.
using MemoryCount = std::shared_ptr<std::atomic<size_t>>;

class HostMemory final : public MemoryHolder {
public:
    // 64-byte aligned, uninitialised, with 64 spare bytes behind it. nullptr when memory is short or bytes is over
    // kLimit.
    static std::shared_ptr<HostMemory> allocate(size_t bytes, MemoryCount count = nullptr);
    ~HostMemory() override;
    void* data() const { return mData; }
    size_t bytes() const { return mBytes; }

    // No tensor of a real model comes near: sizes past it are mistakes of a file.
    static constexpr size_t kLimit = size_t(1) << 40;

private:
    HostMemory(void* data, size_t bytes, size_t align, MemoryCount count);
    void* mData;
    size_t mBytes;
    size_t mAlign;
    MemoryCount mCount;
};

}  // namespace MNN
#endif
