// The nodes of a model in an order that can be executed, with local functions inlined.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "onnx/OnnxReader.hpp"

namespace MNN {
namespace Converter {

using Opsets = std::map<std::string, int>;  // domain ("" for ai.onnx) to version

struct FlatNode {
    onnx::NodeProto proto;
    std::shared_ptr<const Opsets> opsets;
};

// "" and "ai.onnx" are one domain.
std::string normalDomain(const std::string& domain);
std::string nodeTitle(const onnx::NodeProto& node);  // "Conv 'layer1/conv'", for messages

// Throws ConvertError for cycles, inputs that nothing makes, names made twice and endless functions.
std::vector<FlatNode> flatten(const OnnxModel& model);
// The nodes of a branch or body, which may read names of the graphs around it.
std::vector<FlatNode> flatten(const OnnxModel& model, const onnx::GraphProto& graph,
                              const std::shared_ptr<const Opsets>& opsets);

}  // namespace Converter
}  // namespace MNN
