// Places leases with known lifetimes into one arena.
#ifndef MNN_CORE_MEMORYPLANNER_HPP
#define MNN_CORE_MEMORYPLANNER_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace MNN {

// acquire() and release() in the order of execution give each lease its lifetime; place() then packs all of them
// offline.
class MemoryPlanner {
public:
    static constexpr size_t kAlignment = 64;

    // Starts a lease of `bytes` (rounded up to the alignment) and returns its number.
    int acquire(size_t bytes);
    // Ends it: leases acquired later may use its bytes. A lease never released lives to the end.
    void release(int lease);
    // Chooses an offset for every lease; returns the bytes of the arena.
    size_t place();
    // Valid after place().
    size_t offset(int lease) const { return mLeases[lease].offset; }
    // The largest sum of bytes alive at one time: no plan can be smaller.
    size_t lowerBound() const;
    void clear();

private:
    struct Lease {
        size_t bytes = 0;
        size_t offset = 0;
        int begin = 0;
        int end = INT32_MAX;
    };
    std::vector<Lease> mLeases;
    int mTime = 0;
};

}  // namespace MNN
#endif
