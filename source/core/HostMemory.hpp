// Aligned memory on the host, counted by shared_ptr.
#ifndef MNN_CORE_HOSTMEMORY_HPP
#define MNN_CORE_HOSTMEMORY_HPP

#include <cstddef>
#include <memory>
#include "core/TensorUtils.hpp"

namespace MNN {

class HostMemory final : public MemoryHolder {
public:
    // 64-byte aligned, uninitialised, with 64 spare bytes behind it. nullptr when memory is short or bytes is over
    // kLimit.
    static std::shared_ptr<HostMemory> allocate(size_t bytes);
    ~HostMemory() override;
    void* data() const { return mData; }
    size_t bytes() const { return mBytes; }

    // No tensor of a real model comes near: sizes past it are mistakes of a file.
    static constexpr size_t kLimit = size_t(1) << 40;

private:
    HostMemory(void* data, size_t bytes, size_t align) : mData(data), mBytes(bytes), mAlign(align) {}
    void* mData;
    size_t mBytes;
    size_t mAlign;
};

}  // namespace MNN
#endif
