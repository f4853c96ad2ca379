#include "session/CacheFile.hpp"

#include <MNN/MNNDefine.h>
#include <cstring>
#include "core/Backend.hpp"
#include "core/platform/Platform.hpp"

namespace MNN {
namespace {

constexpr char kMagic[8] = {'M', 'N', 'N', 'c', 'a', 'c', 'h', 'e'};
constexpr uint32_t kVersion = 1;

struct Header {
    char magic[8];
    uint32_t version, entries;
    uint64_t key;
};
struct EntryHeader {
    int32_t backend;
    uint32_t reserved;
    uint64_t bytes;
};

// FNV-1a over words of eight bytes, the last one filled with zeros, and the length.
uint64_t hashOf(const void* data, size_t size, uint64_t seed = 0xcbf29ce484222325u) {
    constexpr uint64_t kPrime = 0x100000001b3u;
    const auto* bytes = static_cast<const uint8_t*>(data);
    uint64_t hash = seed;
    for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        std::memcpy(&word, bytes + i, size - i < sizeof(word) ? size - i : sizeof(word));
        hash = (hash ^ word) * kPrime;
        hash ^= hash >> 29;  // else the high bytes of a word would never reach the low ones of the hash
    }
    return (hash ^ size) * kPrime;
}

template <typename T>
void append(std::vector<uint8_t>* to, const T& value) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    to->insert(to->end(), bytes, bytes + sizeof(T));
}

// Reads from memory that may end anywhere.
class Reader {
public:
    Reader(const uint8_t* data, size_t size) : mData(data), mSize(size) {}
    template <typename T>
    bool take(T* value) {
        const uint8_t* bytes = take(sizeof(T));
        if (bytes != nullptr) std::memcpy(value, bytes, sizeof(T));
        return bytes != nullptr;
    }
    const uint8_t* take(uint64_t size) {
        if (size > mSize - mAt) return nullptr;
        mAt += static_cast<size_t>(size);
        return mData + mAt - size;
    }
    size_t at() const { return mAt; }
    bool atEnd() const { return mAt == mSize; }

private:
    const uint8_t* mData;
    size_t mSize, mAt = 0;
};

}  // namespace

bool CacheFile::read(Entries* entries) const {
    std::string why;
    const auto file = platform::FileView::open(mPath.c_str(), &why);
    if (file == nullptr || file->size() == 0) return false;
    Reader reader(file->data(), file->size());
    Header header;
    if (!reader.take(&header) || std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0 || header.version != kVersion ||
        header.key != mKey) {
        return false;
    }
    for (uint32_t i = 0; i < header.entries; ++i) {
        EntryHeader entry;
        if (!reader.take(&entry)) return false;
        const uint8_t* bytes = reader.take(entry.bytes);
        if (bytes == nullptr) return false;
        (*entries)[entry.backend].assign(bytes, bytes + entry.bytes);
    }
    uint64_t hash = 0;
    const size_t hashed = reader.at();
    return reader.take(&hash) && reader.atEnd() && hash == hashOf(file->data(), hashed);
}

std::vector<uint8_t> CacheFile::bytesOf(const Entries& entries) const {
    std::vector<uint8_t> bytes;
    Header header = {{}, kVersion, static_cast<uint32_t>(entries.size()), mKey};
    std::memcpy(header.magic, kMagic, sizeof(kMagic));
    append(&bytes, header);
    for (const auto& entry : entries) {
        append(&bytes, EntryHeader{entry.first, 0, entry.second.size()});
        bytes.insert(bytes.end(), entry.second.begin(), entry.second.end());
    }
    append(&bytes, hashOf(bytes.data(), bytes.size()));
    return bytes;
}

void CacheFile::offer(const Model& model, const RuntimeInfo& runtimes) {
    if (mPath.empty()) return;
    if (!mRead) {
        mRead = true;
        mKey = hashOf(MNN_VERSION, sizeof(MNN_VERSION), hashOf(model.data(), model.size()));
        if (!read(&mEntries)) mEntries.clear();
    }
    for (const auto& runtime : runtimes.first) {
        const auto found = mEntries.find(runtime.first);
        if (found != mEntries.end()) runtime.second->onSetCache(found->second.data(), found->second.size());
    }
}

ErrorCode CacheFile::update(const RuntimeInfo& runtimes) {
    if (mPath.empty() || !mRead) return NO_ERROR;
    Entries entries = mEntries;
    for (const auto& runtime : runtimes.first) {
        const std::pair<const void*, size_t> kept = runtime.second->onGetCache();
        const auto* bytes = static_cast<const uint8_t*>(kept.first);
        if (bytes != nullptr && kept.second > 0) entries[runtime.first].assign(bytes, bytes + kept.second);
    }
    if (entries == mEntries) return NO_ERROR;
    const std::vector<uint8_t> bytes = bytesOf(entries);
    std::string why;
    if (!platform::writeFileAtomically(mPath.c_str(), bytes.data(), bytes.size(), &why)) {
        MNN_ERROR("cannot write the cache file '%s': %s\n", mPath.c_str(), why.c_str());
        return FILE_CREATE_FAILED;
    }
    mEntries = std::move(entries);
    return NO_ERROR;
}

}  // namespace MNN
