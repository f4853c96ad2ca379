#if defined(_WIN32)
#include "core/platform/Platform.hpp"

#define NOMINMAX
#include <windows.h>
#include <psapi.h>
#include <chrono>
#include <cstdio>

namespace MNN {
namespace platform {

std::shared_ptr<FileView> FileView::open(const char* path, std::string* why) {
    HANDLE file =
        CreateFileA(path, GENERIC_READ, FILE_SHARE_READ, nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
    if (file == INVALID_HANDLE_VALUE) {
        *why = "cannot open";
        return nullptr;
    }
    LARGE_INTEGER size;
    GetFileSizeEx(file, &size);
    std::shared_ptr<FileView> view(new FileView);
    view->mSize = static_cast<size_t>(size.QuadPart);
    if (view->mSize > 0) {
        HANDLE mapping = CreateFileMappingA(file, nullptr, PAGE_READONLY, 0, 0, nullptr);
        if (mapping != nullptr)
            view->mData = static_cast<const uint8_t*>(MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0));
        if (mapping != nullptr) CloseHandle(mapping);
        if (view->mData == nullptr) {
            *why = "cannot map";
            view.reset();
        }
    }
    CloseHandle(file);
    return view;
}

FileView::~FileView() {
    if (mData != nullptr) UnmapViewOfFile(mData);
}

void FileView::dropPages() const {}

bool writeFileAtomically(const char* path, const void* data, size_t size, std::string* why) {
    const std::string temporary = std::string(path) + ".tmp" + std::to_string(GetCurrentProcessId());
    FILE* file = std::fopen(temporary.c_str(), "wb");
    if (file == nullptr) {
        *why = "cannot create";
        return false;
    }
    const bool written = size == 0 || std::fwrite(data, 1, size, file) == size;
    const bool closed = std::fclose(file) == 0;
    if (written && closed && MoveFileExA(temporary.c_str(), path, MOVEFILE_REPLACE_EXISTING)) return true;
    *why = "cannot write";
    std::remove(temporary.c_str());
    return false;
}

bool fileExists(const char* path) { return GetFileAttributesA(path) != INVALID_FILE_ATTRIBUTES; }

uint64_t nowUs() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

int availableCores() {
    DWORD_PTR process = 0, system = 0;
    int cores = 0;
    if (GetProcessAffinityMask(GetCurrentProcess(), &process, &system)) {
        for (; process != 0; process &= process - 1) ++cores;
    }
    return cores < 1 ? 1 : cores;
}

bool bindThread(const std::vector<int>& cores) {
    DWORD_PTR mask = 0;
    for (int core : cores) {
        if (core >= 0 && core < static_cast<int>(8 * sizeof(mask))) mask |= DWORD_PTR(1) << core;
    }
    return mask != 0 && SetThreadAffinityMask(GetCurrentThread(), mask) != 0;
}

void spinPause() { YieldProcessor(); }

void preferHugePages(void*, size_t) {}

size_t residentBytes() {
    PROCESS_MEMORY_COUNTERS counters;
    return GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof(counters)) ? counters.WorkingSetSize : 0;
}

size_t peakResidentBytes() {
    PROCESS_MEMORY_COUNTERS counters;
    return GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof(counters)) ? counters.PeakWorkingSetSize : 0;
}

void* openLibrary(const char* name) { return reinterpret_cast<void*>(LoadLibraryA(name)); }
void* findSymbol(void* library, const char* name) {
    return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

}  // namespace platform
}  // namespace MNN
#endif
