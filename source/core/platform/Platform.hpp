// Everything that depends on the operating system. One implementation file per system.
#ifndef MNN_CORE_PLATFORM_HPP
#define MNN_CORE_PLATFORM_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include "core/TensorUtils.hpp"

namespace MNN {
namespace platform {

// A whole file in memory, read-only; mapped where the system can.
class FileView final : public MemoryHolder {
public:
    // nullptr when the file cannot be opened; *why then says the reason.
    static std::shared_ptr<FileView> open(const char* path, std::string* why);
    ~FileView() override;
    const uint8_t* data() const { return mData; }
    size_t size() const { return mSize; }
    // Tells the system that the pages are not needed for now; they are read again on the next access.
    void dropPages() const;

private:
    FileView() = default;
    const uint8_t* mData = nullptr;
    size_t mSize = 0;
};

// Writes `size` bytes beside `path` and renames the result onto it: readers see the old file or the whole new one.
bool writeFileAtomically(const char* path, const void* data, size_t size, std::string* why);
bool fileExists(const char* path);

// Microseconds of a clock that never goes back.
uint64_t nowUs();

// Cores that this process may use (affinity mask and container quota), at least 1.
int availableCores();
// Binds the calling thread to these cores; false when the system refuses.
bool bindThread(const std::vector<int>& cores);
// Tells the core that the caller spins.
void spinPause();

// Asks for large pages behind this memory; a wish that the system may ignore.
void preferHugePages(void* data, size_t bytes);

// Resident memory of this process now and at its peak, in bytes; 0 when unknown.
size_t residentBytes();
size_t peakResidentBytes();

// Shared libraries opened at run time. nullptr when absent.
void* openLibrary(const char* name);
void* findSymbol(void* library, const char* name);

}  // namespace platform
}  // namespace MNN
#endif
