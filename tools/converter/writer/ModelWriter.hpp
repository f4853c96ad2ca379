// Graph to .mnn file.
#pragma once

#include <memory>
#include <string>

#include "graph/Graph.hpp"
#include "writer/CompressionPlan.hpp"

namespace MNN {
namespace Converter {

struct WriteOptions {
    std::string bizCode = "MNN";
    std::string authCode;
    bool fp16 = false;
    int weightQuantBits = 0;  // 2..8; 0 keeps floats
    bool weightQuantAsymmetric = true;
    int weightQuantBlock = -1;     // input channels that share a scale; -1: all
    bool hqq = false;              // see QuantizeMethod
    int weightQuantScaleBit = 32;  // or 16
    CompressionPlan plan;          // what single layers want instead
    bool saveExternalData = false;
    bool flushDenormals = true;
};

// Takes the graph apart into the file's tables. Tensor numbers become dense; inputs come first, in the model's order.
std::unique_ptr<NetT> toNet(Graph& graph, const WriteOptions& options);

// MNN runs some image ops on NC4HW4 tensors alone: ConvertTensor ops go around them. To libMNN they are views.
void packForMNN(NetT& net);

// MatMuls by a constant matrix become 1x1 convolutions, the ops whose weights can be integers. The new op is named
// `NAME__matmul_converted`, as in the compression plans of MNN.
void convolutionsForMatMuls(NetT& net);

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

// Reads and verifies a .mnn file, without the weights in its side file.
std::unique_ptr<NetT> readNet(const std::string& path);
// The same, and the weights in `path`.weight become part of the net.
std::unique_ptr<NetT> loadNet(const std::string& path);

}  // namespace Converter
}  // namespace MNN
