// Which layers are stored in how many bits: the JSON form of MNN's compression parameter file.
#pragma once

#include <map>
#include <string>

#include "graph/Graph.hpp"

namespace MNN {
namespace Converter {

struct LayerPlan {
    int bits = 8;  // 2..8; 0 keeps floats
    bool asymmetric = true;
    int blockSize = -1;
};

struct CompressionPlan {
    std::map<std::string, LayerPlan> layers;  // by op name
};

// Throws ConvertError for a file that asks for more than the storage of weights: pruning, or integers for activations.
CompressionPlan readCompressionPlan(const std::string& path);

// Writes a plan to edit: every layer of the net that has weights to quantise, with the settings in `fallback`.
void writeCompressionPlan(const std::string& path, const NetT& net, const LayerPlan& fallback);

}  // namespace Converter
}  // namespace MNN
