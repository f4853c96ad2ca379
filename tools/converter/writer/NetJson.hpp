// A net as JSON text, and back. The text names tables, fields and enums as the schema does.
#pragma once

#include <memory>
#include <string>

#include "graph/Graph.hpp"

namespace MNN {
namespace Converter {

void writeNetJson(const NetT& net, const std::string& path);

// Throws ConvertError, naming the line, when the text does not fit the schema.
std::unique_ptr<NetT> readNetJson(const std::string& path);
std::unique_ptr<NetT> parseNetJson(const std::string& text, const std::string& path);

}  // namespace Converter
}  // namespace MNN
