// Compares a converted model with the numbers of another framework.
#pragma once

#include <string>

namespace MNN {
namespace Converter {

// `folder` holds input.json ({"inputs": [{"name", "shape"}], "outputs": [name]}), <input>.txt for each input and
// <output>.txt (or <position>.txt) for each output: numbers with white space between. Prints what was compared and
// returns true when the largest difference of every output, relative to its largest value, is below `threshold`.
// `config` is empty, or a JSON file that says how the engine runs: numbers "backend", "mode" (threads), "precision",
// "memory" and "power", and "hints", a list of hint, value, hint, value...
bool testFolder(const std::string& model, const std::string& folder, double threshold, const std::string& config);

}  // namespace Converter
}  // namespace MNN
