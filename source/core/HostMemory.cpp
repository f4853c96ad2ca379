#include "core/HostMemory.hpp"

#include <cstdlib>
#include <new>

namespace MNN {

std::shared_ptr<HostMemory> HostMemory::allocate(size_t bytes) {
    constexpr size_t kAlign = 64;
    if (bytes > kLimit) return nullptr;
    const size_t rounded = (bytes + 2 * kAlign - 1) / kAlign * kAlign;
    void* data = ::operator new(rounded, std::align_val_t(kAlign), std::nothrow);
    if (data == nullptr) return nullptr;
    return std::shared_ptr<HostMemory>(new HostMemory(data, bytes));
}

HostMemory::~HostMemory() { ::operator delete(mData, std::align_val_t(64)); }

}  // namespace MNN
