#if defined(__unix__) || defined(__APPLE__)
#include "core/platform/Platform.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__linux__)
#include <sched.h>
#endif
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace MNN {
namespace platform {

std::shared_ptr<FileView> FileView::open(const char* path, std::string* why) {
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        *why = std::strerror(errno);
        return nullptr;
    }
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        *why = "not a regular file";
        close(fd);
        return nullptr;
    }
    std::shared_ptr<FileView> view(new FileView);
    view->mSize = static_cast<size_t>(info.st_size);
    if (view->mSize > 0) {
        void* data = mmap(nullptr, view->mSize, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data == MAP_FAILED) {
            *why = std::strerror(errno);
            close(fd);
            return nullptr;
        }
        view->mData = static_cast<const uint8_t*>(data);
    }
    close(fd);
    return view;
}

FileView::~FileView() {
    if (mData != nullptr) munmap(const_cast<uint8_t*>(mData), mSize);
}

void FileView::dropPages() const {
    if (mData != nullptr) madvise(const_cast<uint8_t*>(mData), mSize, MADV_DONTNEED);
}

bool writeFileAtomically(const char* path, const void* data, size_t size, std::string* why) {
    const std::string temporary = std::string(path) + ".tmp" + std::to_string(getpid());
    FILE* file = std::fopen(temporary.c_str(), "wb");
    if (file == nullptr) {
        *why = std::strerror(errno);
        return false;
    }
    const bool written = size == 0 || std::fwrite(data, 1, size, file) == size;
    const bool closed = std::fclose(file) == 0;
    if (written && closed && std::rename(temporary.c_str(), path) == 0) return true;
    *why = std::strerror(errno);
    std::remove(temporary.c_str());
    return false;
}

bool fileExists(const char* path) { return access(path, F_OK) == 0; }

uint64_t nowUs() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

#if defined(__linux__)
// cgroup v2: "quota period" or "max period".
static int coresOfQuota() {
    FILE* file = std::fopen("/sys/fs/cgroup/cpu.max", "r");
    if (file == nullptr) return INT32_MAX;
    long long quota = 0, period = 0;
    const int fields = std::fscanf(file, "%lld %lld", &quota, &period);
    std::fclose(file);
    if (fields != 2 || quota <= 0 || period <= 0) return INT32_MAX;
    return static_cast<int>((quota + period - 1) / period);
}
#endif

int availableCores() {
    int cores = static_cast<int>(std::thread::hardware_concurrency());
#if defined(__linux__)
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) == 0) cores = CPU_COUNT(&set);
    const int quota = coresOfQuota();
    if (quota < cores) cores = quota;
#endif
    return cores < 1 ? 1 : cores;
}

bool bindThread(const std::vector<int>& cores) {
#if defined(__linux__)
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int core : cores) {
        if (core >= 0 && core < CPU_SETSIZE) CPU_SET(core, &set);
    }
    return sched_setaffinity(0, sizeof(set), &set) == 0;
#else
    (void)cores;
    return false;
#endif
}

void spinPause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

void preferHugePages(void* data, size_t bytes) {
#if defined(MADV_HUGEPAGE)
    madvise(data, bytes, MADV_HUGEPAGE);
#else
    (void)data;
    (void)bytes;
#endif
}

size_t residentBytes() {
#if defined(__linux__)
    FILE* file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr) return 0;
    long long total = 0, resident = 0;
    const int fields = std::fscanf(file, "%lld %lld", &total, &resident);
    std::fclose(file);
    return fields == 2 ? static_cast<size_t>(resident) * static_cast<size_t>(sysconf(_SC_PAGESIZE)) : 0;
#else
    return 0;
#endif
}

size_t peakResidentBytes() {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#if defined(__APPLE__)
    return static_cast<size_t>(usage.ru_maxrss);
#else
    return static_cast<size_t>(usage.ru_maxrss) * 1024;
#endif
}

void* openLibrary(const char* name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }
void* findSymbol(void* library, const char* name) { return dlsym(library, name); }

}  // namespace platform
}  // namespace MNN
#endif
