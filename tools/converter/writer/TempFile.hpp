#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "graph/Graph.hpp"

namespace MNN {
namespace Converter {

// A file that appears under its name only when everything has been written.
class TempFile {
public:
    explicit TempFile(const std::string& path) : mPath(path), mTemp(path + ".tmp") {
        mFile.open(mTemp, std::ios::binary | std::ios::trunc);
        if (!mFile) throw ConvertError("cannot write '" + path + "'; is the folder there and writable?");
    }
    ~TempFile() {
        mFile.close();
        if (!mDone) std::remove(mTemp.c_str());
    }
    void write(const void* data, size_t size) {
        mFile.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
        mSize += static_cast<int64_t>(size);
    }
    int64_t size() const { return mSize; }
    void finish() {
        mFile.close();
        if (mFile.fail()) throw ConvertError("cannot write '" + mPath + "'; is the disk full?");
        std::error_code error;
        std::filesystem::rename(mTemp, mPath, error);
        if (error) throw ConvertError("cannot rename '" + mTemp + "' to '" + mPath + "': " + error.message());
        mDone = true;
    }

private:
    const std::string mPath, mTemp;
    std::ofstream mFile;
    int64_t mSize = 0;
    bool mDone = false;
};

inline void writeWholeFile(const std::string& path, const std::string& text) {
    TempFile file(path);
    file.write(text.data(), text.size());
    file.finish();
}

}  // namespace Converter
}  // namespace MNN
