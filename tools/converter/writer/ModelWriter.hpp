// Graph to .mnn file.
#pragma once

#include <memory>
#include <string>

#include "graph/Graph.hpp"

namespace MNN {
namespace Converter {

struct WriteOptions {
    std::string bizCode = "MNN";
    std::string authCode;
    bool fp16 = false;
    int weightQuantBits = 0;  // 2..8; 0 keeps floats
    bool weightQuantAsymmetric = true;
    int weightQuantBlock = -1;  // input channels that share a scale; -1: all
    bool saveExternalData = false;
    bool flushDenormals = true;
};

// Takes the graph apart into the file's tables. Tensor numbers become dense; inputs come first, in the model's order.
std::unique_ptr<NetT> toNet(Graph& graph, const WriteOptions& options);

// Calls visit(op) for every op of the model and of its sub-graphs.
template <class Model, class Visit>
void eachOp(Model& net, const Visit& visit) {
    for (auto& op : net.oplists) visit(*op);
    for (auto& graph : net.subgraphs) {
        for (auto& op : graph->nodes) visit(*op);
    }
}

// Changes how weights are stored, as the options ask.
void compressWeights(NetT& net, const WriteOptions& options);

// Writes beside the destination and renames, so that a failure leaves no half file. Throws ConvertError. Weights go to
// `path`.weight when asked for or when they would not fit in one file.
void saveNet(NetT& net, const WriteOptions& options, const std::string& path);

// Reads and verifies a .mnn file.
std::unique_ptr<NetT> loadNet(const std::string& path);

uint16_t floatToHalf(float value);  // saturates to +-65504

}  // namespace Converter
}  // namespace MNN
