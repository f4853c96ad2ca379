// The file of Interpreter::setCacheFile: what runtimes want to find again in the next process.
#ifndef MNN_SESSION_CACHEFILE_HPP
#define MNN_SESSION_CACHEFILE_HPP

#include <MNN/ErrorCode.hpp>
#include <MNN/Interpreter.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>
#include "session/Model.hpp"

namespace MNN {

// Layout, in the byte order of the machine: magic[8], uint32 version, uint32 entries, uint64 key; for each entry int32
// backend type, uint32 0, uint64 bytes, then the bytes; uint64 hash of all that. The key is a hash of the model and the
// library's version. What a backend keys its own entry by (device, driver, kernels) is its business.
class CacheFile {
public:
    CacheFile() = default;
    // Without a path nothing is read or written.
    explicit CacheFile(std::string path) : mPath(std::move(path)) {}

    // Gives each runtime what the file holds for it. The file is read the first time.
    void offer(const Model& model, const RuntimeInfo& runtimes);
    // Writes the file when the runtimes have something to keep that it does not hold, for the model of the first
    // offer(). FILE_CREATE_FAILED after MNN_ERROR.
    ErrorCode update(const RuntimeInfo& runtimes);

private:
    using Entries = std::map<int32_t, std::vector<uint8_t>>;  // by backend type
    bool read(Entries* entries) const;
    std::vector<uint8_t> bytesOf(const Entries& entries) const;

    std::string mPath;
    uint64_t mKey = 0;
    bool mRead = false;
    Entries mEntries;
};

}  // namespace MNN
#endif
