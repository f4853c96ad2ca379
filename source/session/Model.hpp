// A .mnn file in memory, verified.
#ifndef MNN_SESSION_MODEL_HPP
#define MNN_SESSION_MODEL_HPP

#include <memory>
#include <string>
#include <vector>
#include "MNN_generated.h"
#include "core/Backend.hpp"
#include "core/HostMemory.hpp"
#include "core/platform/Platform.hpp"

namespace MNN {

// Immutable after load, so sessions in several threads share it.
class Model {
public:
    // nullptr after MNN_ERROR saying what is wrong with the file. verify = false skips the FlatBuffers check (hint
    // STRICT_CHECK_MODEL 0), not the checks of indexes.
    static std::shared_ptr<Model> fromFile(const char* path, bool verify);
    // Copies the buffer.
    static std::shared_ptr<Model> fromBuffer(const void* buffer, size_t size, bool verify);

    const Net* net() const { return mNet; }
    const uint8_t* data() const { return mData; }
    size_t size() const { return mSize; }
    const std::string& path() const { return mPath; }
    // Maps the side file (`<model>.weight` unless set). True when no op needs one.
    bool openExternal(const std::string& path);
    Backend::ExternalData external() const;
    void dropPages() const;

    // Bytes for a place of the file.
    struct Change {
        size_t offset;
        const void* data;
        size_t bytes;
    };
    // A copy in memory with these changes; name and side file are the same. nullptr after MNN_ERROR when memory is
    // short.
    std::shared_ptr<Model> changed(const std::vector<Change>& changes) const;

private:
    bool adopt(bool verify);

    std::string mPath;
    std::shared_ptr<platform::FileView> mFile;
    std::shared_ptr<platform::FileView> mExternal;
    std::shared_ptr<HostMemory> mCopy;
    const uint8_t* mData = nullptr;
    size_t mSize = 0;
    const Net* mNet = nullptr;
};

}  // namespace MNN
#endif
