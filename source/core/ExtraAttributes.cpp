#include "core/ExtraAttributes.hpp"

#include <cstring>

namespace MNN {
namespace extra {

namespace {

const ListValue* list(const Op* op, const char* key) {
    const Attribute* attribute = find(op, key);
    return attribute == nullptr ? nullptr : attribute->list();
}

}  // namespace

const Attribute* find(const Op* op, const char* key) {
    const Extra* extra = op->main_as_Extra();
    if (extra == nullptr || extra->attr() == nullptr) return nullptr;
    for (const Attribute* attribute : *extra->attr()) {
        if (attribute->key() != nullptr && std::strcmp(attribute->key()->c_str(), key) == 0) return attribute;
    }
    return nullptr;
}

int64_t integer(const Op* op, const char* key, int64_t fallback) {
    const Attribute* attribute = find(op, key);
    return attribute == nullptr ? fallback : attribute->i();
}

float real(const Op* op, const char* key, float fallback) {
    const Attribute* attribute = find(op, key);
    return attribute == nullptr ? fallback : attribute->f();
}

std::string text(const Op* op, const char* key, const char* fallback) {
    const Attribute* attribute = find(op, key);
    return attribute == nullptr || attribute->s() == nullptr ? fallback : attribute->s()->str();
}

std::vector<int> integers(const Op* op, const char* key) {
    const ListValue* values = list(op, key);
    if (values == nullptr || values->i() == nullptr) return {};
    return {values->i()->begin(), values->i()->end()};
}

std::vector<float> reals(const Op* op, const char* key) {
    const ListValue* values = list(op, key);
    if (values == nullptr || values->f() == nullptr) return {};
    return {values->f()->begin(), values->f()->end()};
}

std::vector<std::string> texts(const Op* op, const char* key) {
    const ListValue* values = list(op, key);
    if (values == nullptr || values->s() == nullptr) return {};
    std::vector<std::string> result;
    for (const flatbuffers::String* s : *values->s()) result.push_back(s->str());
    return result;
}

}  // namespace extra
}  // namespace MNN
