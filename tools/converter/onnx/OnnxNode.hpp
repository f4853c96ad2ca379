// What an importer sees of one ONNX node, and the table it is found in.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graph/Builder.hpp"
#include "onnx/OnnxGraph.hpp"

namespace MNN {
namespace Converter {

using Outputs = std::vector<Value>;

// A branch or body as a graph of its own. Its inputs are the parameters, then what it takes from around it.
struct InnerGraph {
    std::unique_ptr<Graph> graph;
    std::vector<Value> captured;  // values of the graph around it, in the order of those inputs
};

// Imports the graphs that are attributes of a node.
class GraphImporter {
public:
    virtual ~GraphImporter() = default;
    // Makes the ONNX graph's inputs of the parameters; null: they are the parameters.
    using Prologue = std::function<std::vector<Value>(Builder&, const std::vector<Value>&)>;
    virtual InnerGraph apart(const char* key, const onnx::GraphProto& proto, const std::vector<TensorInfo>& parameters,
                             const Prologue& prologue) = 0;
    // Puts the ops right into the graph around.
    virtual Outputs inlined(const onnx::GraphProto& proto) = 0;
};

class Node {
public:
    Node(const FlatNode& node, Builder& builder, std::vector<Value> inputs, int opset, const OnnxModel& model,
         GraphImporter& graphs)
        : b(builder), opset(opset), mNode(node.proto), mInputs(std::move(inputs)), mModel(model), mGraphs(graphs) {}

    Builder& b;
    const int opset;  // of the node's own domain

    const std::string& op() const { return mNode.op_type(); }
    const onnx::NodeProto& proto() const { return mNode; }

    size_t inputs() const { return mInputs.size(); }
    bool has(size_t i) const { return i < mInputs.size() && mInputs[i] != kNone; }
    Value in(size_t i) const;  // fails when absent
    Value optional(size_t i) const { return has(i) ? mInputs[i] : kNone; }
    const std::vector<Value>& all() const;  // every input, none absent
    DataType type(size_t i = 0) const { return b.type(in(i)); }

    size_t outputs() const { return static_cast<size_t>(mNode.output_size()); }
    bool wants(size_t i) const { return i < outputs() && !mNode.output(static_cast<int>(i)).empty(); }

    bool hasAttr(const char* key) const { return find(key) != nullptr; }
    int i(const char* key, int64_t fallback) const;
    float f(const char* key, float fallback) const;
    std::string s(const char* key, const char* fallback) const;
    std::vector<int> ints(const char* key) const;  // empty when absent
    std::vector<float> floats(const char* key) const;
    std::vector<std::string> strings(const char* key) const;
    bool tensor(const char* key, BlobT& blob, DataType& sourceType) const;

    // Control flow: the graph in an attribute.
    InnerGraph innerGraph(const char* key, const std::vector<TensorInfo>& parameters,
                          const GraphImporter::Prologue& prologue = nullptr) const;
    Outputs inlinedGraph(const char* key) const;

    // Values of a constant input; fails with a sentence when the input is only known at run time.
    std::vector<int> constInts(size_t i) const;
    std::vector<float> constFloats(size_t i) const;
    bool isConstant(size_t i) const { return has(i) && b.constantOf(mInputs[i]) != nullptr; }

    // Rank of an input; fails when it is not known.
    int rank(size_t i) const;
    int axis(const char* key, int64_t fallback, int rank) const;  // made non-negative and checked

    [[noreturn]] void fail(const std::string& reason) const { throw ConvertError(reason); }

private:
    const onnx::AttributeProto* find(const char* key) const;
    const onnx::GraphProto& graphOf(const char* key) const;

    const onnx::NodeProto& mNode;
    std::vector<Value> mInputs;
    const OnnxModel& mModel;
    GraphImporter& mGraphs;
};

// One row of the op table: this importer holds from this opset on, until a later row of the same op.
struct OpImporter {
    const char* op;  // "domain::name" outside ai.onnx
    int since;
    Outputs (*build)(Node& node);
};

struct OpFamily {
    const OpImporter* rows;
    size_t count;
};

// All families, in OpTable.cpp.
const std::vector<OpFamily>& opFamilies();
// The importer of an op at an opset; null when the op is unknown or younger than the opset.
const OpImporter* findImporter(const std::string& domain, const std::string& op, int opset);
std::vector<std::string> supportedOps();
std::string nearestOp(const std::string& op);  // the supported name spelled most alike

}  // namespace Converter
}  // namespace MNN
