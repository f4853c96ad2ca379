// Attributes of Extra ops by key. A missing key, or one of another type, gives the fallback.
#ifndef MNN_CORE_EXTRAATTRIBUTES_HPP
#define MNN_CORE_EXTRAATTRIBUTES_HPP

#include <cstdint>
#include <string>
#include <vector>
#include "MNN_generated.h"

namespace MNN {
namespace extra {

// The attribute of an Extra op, or nullptr.
const Attribute* find(const Op* op, const char* key);
int64_t integer(const Op* op, const char* key, int64_t fallback);
float real(const Op* op, const char* key, float fallback);
std::string text(const Op* op, const char* key, const char* fallback);
std::vector<int> integers(const Op* op, const char* key);
std::vector<float> reals(const Op* op, const char* key);
std::vector<std::string> texts(const Op* op, const char* key);

}  // namespace extra
}  // namespace MNN
#endif
