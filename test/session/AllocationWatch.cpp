#include "AllocationWatch.hpp"

#include <atomic>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WATCH_BY_HOOKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WATCH_BY_HOOKS 1
#endif
#endif

namespace {

std::atomic<bool> gWatching{false};
std::atomic<size_t> gCount{0}, gLargest{0}, gTotal{0}, gLimit{~size_t(0)};

// False: refuse.
bool note(size_t bytes) {
    if (!gWatching.load(std::memory_order_relaxed)) return true;
    ++gCount;
    gTotal += bytes;
    size_t largest = gLargest.load();
    while (bytes > largest && !gLargest.compare_exchange_weak(largest, bytes)) {
    }
    return bytes <= gLimit.load();
}

}  // namespace

#ifdef WATCH_BY_HOOKS
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*onMalloc)(const volatile void*, size_t),
                                                         void (*onFree)(const volatile void*));
// A request past this gets nullptr, or ends the test where the caller cannot take nullptr.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1:max_allocation_size_mb=512"; }
extern "C" const char* __tsan_default_options() { return "allocator_may_return_null=1:max_allocation_size_mb=512"; }
#elif defined(__GLIBC__)
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void* malloc(size_t bytes) { return note(bytes) ? __libc_malloc(bytes) : nullptr; }
void* calloc(size_t count, size_t bytes) { return note(count * bytes) ? __libc_calloc(count, bytes) : nullptr; }
void* realloc(void* old, size_t bytes) { return note(bytes) ? __libc_realloc(old, bytes) : nullptr; }
void* memalign(size_t alignment, size_t bytes) { return note(bytes) ? __libc_memalign(alignment, bytes) : nullptr; }
void* aligned_alloc(size_t alignment, size_t bytes) {
    return note(bytes) ? __libc_memalign(alignment, bytes) : nullptr;
}
int posix_memalign(void** result, size_t alignment, size_t bytes) {
    *result = note(bytes) ? __libc_memalign(alignment, bytes) : nullptr;
    return *result == nullptr ? 12 : 0;  // ENOMEM
}
}
#endif

namespace session_test {

bool canWatchAllocations() {
#if defined(WATCH_BY_HOOKS) || defined(__GLIBC__)
    return true;
#else
    return false;
#endif
}

AllocationWatch::AllocationWatch(size_t limit) {
#ifdef WATCH_BY_HOOKS
    static const int installed = __sanitizer_install_malloc_and_free_hooks(
        [](const volatile void*, size_t bytes) { note(bytes); }, [](const volatile void*) {});
    (void)installed;
#endif
    gCount = gLargest = gTotal = 0;
    gLimit = limit;
    gWatching = true;
}

AllocationWatch::~AllocationWatch() { gWatching = false; }
size_t AllocationWatch::count() const { return gCount; }
size_t AllocationWatch::largest() const { return gLargest; }
size_t AllocationWatch::total() const { return gTotal; }

}  // namespace session_test
