// What a .mnn file holds, for people.
#pragma once

#include <string>

namespace MNN {
namespace Converter {

void printModelInfo(const std::string& path);

}  // namespace Converter
}  // namespace MNN
