// What a .mnn file holds, for people.
#pragma once

#include <string>

namespace MNN {
namespace Converter {

void printModelInfo(const std::string& path);
void writeModelJson(const std::string& path, const std::string& jsonPath);

}  // namespace Converter
}  // namespace MNN
