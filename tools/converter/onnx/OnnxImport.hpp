// ONNX model to Graph.
#pragma once

#include <map>
#include <string>

#include "graph/Graph.hpp"
#include "onnx/OnnxReader.hpp"

namespace MNN {
namespace Converter {

struct ImportOptions {
    int batch = 0;                          // replaces an unknown first size of the inputs; 0 keeps it
    bool staticShapes = false;              // fold the sizes of inputs into the graph
    bool allowCustomOps = false;            // unknown nodes become Extra ops of engine ONNX
    std::map<std::string, Dims> inputDims;  // in place of what the model declares, by input
};

// Throws ConvertError. When nodes are not supported the message lists every one of them: name, op, opset and what is
// the matter or the nearest thing that works.
Graph importOnnx(const OnnxModel& model, const ImportOptions& options);

}  // namespace Converter
}  // namespace MNN
