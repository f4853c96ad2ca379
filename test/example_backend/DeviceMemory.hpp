// A store that host pointers do not name: addresses in it mean nothing outside.
#ifndef EXAMPLE_DEVICEMEMORY_HPP
#define EXAMPLE_DEVICEMEMORY_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace example {

class DeviceMemory {
public:
    // The address of `bytes` new bytes, all NaN as floats. Addresses are never used twice, so a stale one is noticed.
    uint64_t allocate(size_t bytes) {
        const uint64_t address = mNext;
        mNext += (bytes + 4096) / 4096 * 4096;
        mBlocks[address].assign((bytes + 3) / 4 * 4, kPoison);
        return address;
    }
    void release(uint64_t address) { mBlocks.erase(address); }

    // What a kernel of the device may touch. nullptr, counted as a fault, unless all bytes lie in one block.
    uint8_t* at(uint64_t address, size_t bytes) {
        auto block = mBlocks.upper_bound(address);
        if (block != mBlocks.begin()) {
            --block;
            const uint64_t offset = address - block->first;
            if (offset <= block->second.size() && bytes <= block->second.size() - offset)
                return block->second.data() + offset;
        }
        ++faults;
        return nullptr;
    }

    // A float of these bytes is NaN.
    static constexpr uint8_t kPoison = 0xff;
    int faults = 0;

private:
    std::map<uint64_t, std::vector<uint8_t>> mBlocks;
    uint64_t mNext = uint64_t(1) << 40;
};

}  // namespace example
#endif
