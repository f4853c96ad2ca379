// Counts what the whole test binary takes from the heap, and can refuse large requests.
#ifndef MNN_TEST_ALLOCATIONWATCH_HPP
#define MNN_TEST_ALLOCATIONWATCH_HPP

#include <cstddef>

namespace session_test {

// Whether this build can watch: with glibc, and with sanitizers that have hooks.
bool canWatchAllocations();

class AllocationWatch {
public:
    // Requests of more than `limit` bytes get nullptr while the watch lives (without sanitizers, which have a limit of
    // their own).
    explicit AllocationWatch(size_t limit = ~size_t(0));
    ~AllocationWatch();
    size_t count() const;
    size_t largest() const;
    size_t total() const;
};

}  // namespace session_test
#endif
