// The one list of backends: built-in ones first, then those an application adds.
#include <mutex>
#include "core/Backend.hpp"

namespace MNN {

Runtime* createCPURuntime(const Runtime::Info& info, std::string* why);

namespace {

const BackendEntry kBuiltIn[] = {
    {MNN_FORWARD_CPU, "cpu", createCPURuntime},
};

std::vector<const BackendEntry*>& added() {
    static std::vector<const BackendEntry*> entries;
    return entries;
}

}  // namespace

bool MNNAddBackend(const BackendEntry* entry) {
    if (entry == nullptr || entry->create == nullptr) return false;
    added().push_back(entry);
    return true;
}

std::vector<const BackendEntry*> allBackends() {
    std::vector<const BackendEntry*> result(added().rbegin(), added().rend());
    for (const BackendEntry& entry : kBuiltIn) result.push_back(&entry);
    return result;
}

const BackendEntry* findBackend(MNNForwardType type) {
    for (const BackendEntry* entry : allBackends()) {
        if (entry->type == type) return entry;
    }
    return nullptr;
}

}  // namespace MNN
