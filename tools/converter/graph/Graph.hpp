// The graph every front end builds, every pass rewrites and the writer saves: MNN ops over numbered tensors.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "MNN_generated.h"

namespace MNN {
namespace Converter {

// A fault in the model or in the request, as one sentence for the user.
struct ConvertError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

using Value = int;            // index of a tensor
constexpr Value kNone = -1;   // an optional input that is absent
constexpr int kUnknown = -1;  // a size that only the run time knows
using Dims = std::vector<int>;

struct TensorInfo {
    std::string name;
    DataType type = DataType_DT_FLOAT;  // the source model's type; the engine stores storedType(type)
    bool rankKnown = false;
    Dims dims;  // meaningful when rankKnown; kUnknown entries allowed
};

// If and While ops name graphs of their own, which take nothing from around them but their inputs.
//   If     inputs: condition, the then-graph's inputs, the else-graph's inputs.
//   While  (counted) inputs: trip count, condition, carried values. Its body's inputs: round, condition, carried
//          values; outputs: condition, carried values, values that are stacked along a new first axis.
struct Graph {
    std::string name;                       // of a graph inside another
    std::vector<std::unique_ptr<OpT>> ops;  // in an order that can be executed
    std::vector<TensorInfo> tensors;
    std::vector<Value> inputs;
    std::vector<Value> outputs;  // named as the source model names them
    std::vector<std::pair<std::string, std::string>> metadata;
    NetSource source = NetSource_ONNX;
    std::vector<std::unique_ptr<Graph>> subgraphs;
};

// The type the engine keeps for a source type: 64-bit, 16-bit and bool integers become int32, all floats become float.
DataType storedType(DataType type);
bool isFloat(DataType type);
bool isSmallInteger(DataType type);           // int8 and uint8, the integers that keep their width
bool isCompare(BinaryOpOperation operation);  // the result is a truth value

// Number of elements; 0 for an empty tensor, -1 when a size is unknown or the product does not fit in int32.
int64_t elementCount(const Dims& dims);
std::string describe(const Dims& dims);

// Who makes and who reads each tensor. Built from a graph; stale after the graph changes.
struct GraphIndex {
    explicit GraphIndex(const Graph& graph);
    OpT* producer(Value value) const { return value < 0 ? nullptr : mProducer[value]; }
    const std::vector<OpT*>& readers(Value value) const { return mReaders[value]; }
    bool isOutput(Value value) const { return mOutput[value]; }
    // True when `reader` alone sees this tensor, so that it may be fused away.
    bool onlyReader(Value value) const { return mReaders[value].size() == 1 && !mOutput[value]; }
    const BlobT* constant(Value value) const;

private:
    std::vector<OpT*> mProducer;
    std::vector<std::vector<OpT*>> mReaders;
    std::vector<char> mOutput;
};

}  // namespace Converter
}  // namespace MNN
