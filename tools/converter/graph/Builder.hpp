// Appends ops to a Graph. Front ends write an operator as a formula over these calls; what only reads constants is
// folded on the spot, so an importer sees computed shapes and axes as constants.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/Graph.hpp"

namespace MNN {
namespace Converter {

// One entry of an Extra op's attribute list.
struct ExtraAttr {
    std::string key;
    int i = 0;
    float f = 0.0f;
    std::string s;
    std::vector<int> ints;
    std::vector<float> floats;
    std::vector<std::string> strings;

    static ExtraAttr integer(const char* key, int value);
    static ExtraAttr real(const char* key, float value);
    static ExtraAttr text(const char* key, const std::string& value);
    static ExtraAttr list(const char* key, const std::vector<int>& value);
    static ExtraAttr list(const char* key, const std::vector<float>& value);
    static ExtraAttr list(const char* key, const std::vector<std::string>& value);
};

// A tensor cut along an axis into pieces of `size` elements (the last may be shorter); the run time knows how many.
struct EvenPieces {
    Value x = kNone;
    int axis = 0;
    Value size = kNone;  // [1]
    bool dropAxis = false;
};

class Builder {
public:
    explicit Builder(Graph& graph) : mGraph(graph) {}

    // Shape ops of tensors with a known size become constants. The model then only runs at these sizes.
    bool foldShapes = false;

    Graph& graph() { return mGraph; }
    TensorInfo& info(Value value) { return mGraph.tensors[value]; }
    const TensorInfo& info(Value value) const { return mGraph.tensors[value]; }
    DataType type(Value value) const { return info(value).type; }
    bool rankKnown(Value value) const { return info(value).rankKnown; }
    int rank(Value value) const { return static_cast<int>(info(value).dims.size()); }
    // Size of one axis (negative counts from the end), kUnknown when not known now.
    int size(Value value, int axis) const;

    // The name that ops made from now on derive theirs from.
    void setScope(const std::string& name) { mScope = name; }

    Value input(const std::string& name, DataType type, bool rankKnown, const Dims& dims);
    Value constant(BlobT&& blob, DataType sourceType);
    const BlobT* constantOf(Value value) const;
    Value ints(const std::vector<int>& values);                   // 1-D
    Value integer(int value, DataType type = DataType_DT_INT32);  // 0-D
    Value real(float value);                                      // 0-D
    Value reals(const std::vector<float>& values, const Dims& dims);
    // A 0-D constant of x's own stored type, to combine with x.
    Value like(Value x, double value);

    template <class Param>
    Value op(OpType type, Param&& param, const std::vector<Value>& in, DataType outType) {
        return ops(type, std::forward<Param>(param), in, {outType})[0];
    }
    template <class Param>
    Value op(OpType type, Param&& param, const std::vector<Value>& in) {
        return ops(type, std::forward<Param>(param), in, {this->type(in[0])})[0];
    }
    template <class Param>
    std::vector<Value> ops(OpType type, Param&& param, const std::vector<Value>& in,
                           const std::vector<DataType>& outTypes) {
        auto made = std::make_unique<OpT>();
        made->type = type;
        made->main.Set(std::forward<Param>(param));
        return append(std::move(made), in, outTypes);
    }
    Value plain(OpType type, const std::vector<Value>& in, DataType outType);  // an op without parameters
    Value plain(OpType type, const std::vector<Value>& in) { return plain(type, in, this->type(in[0])); }
    std::vector<Value> extra(const char* type, const std::vector<ExtraAttr>& attrs, const std::vector<Value>& in,
                             const std::vector<DataType>& outTypes);

    Value unary(UnaryOpOperation operation, Value x);
    // Compares give bool, everything else a's type.
    Value binary(BinaryOpOperation operation, Value a, Value b);
    Value add(Value a, Value b) { return binary(BinaryOpOperation_ADD, a, b); }
    Value sub(Value a, Value b) { return binary(BinaryOpOperation_SUB, a, b); }
    Value mul(Value a, Value b) { return binary(BinaryOpOperation_MUL, a, b); }
    Value div(Value a, Value b) { return binary(BinaryOpOperation_REALDIV, a, b); }
    Value select(Value condition, Value a, Value b) { return plain(OpType_Select, {condition, a, b}, type(a)); }
    Value clip(Value x, float low, float high);
    Value cast(Value x, DataType type);

    Value reshape(Value x, const std::vector<int>& dims);  // 0 keeps a size, -1 infers one
    Value reshapeTo(Value x, Value shape);                 // to sizes that a tensor holds
    Value shapeOf(Value x);
    Value permute(Value x, const std::vector<int>& perm);
    Value unsqueeze(Value x, const std::vector<int>& axes);
    Value squeeze(Value x, const std::vector<int>& axes);
    Value concat(const std::vector<Value>& parts, int axis);
    Value gather(Value x, Value indices, int axis);
    Value slice(Value x, const std::vector<int>& begin, const std::vector<int>& end, const std::vector<int>& axes,
                const std::vector<int>& steps);
    Value sliceAxis(Value x, int axis, Value begin, Value end);  // bounds are [1]
    Value reduce(ReductionType operation, Value x, const std::vector<int>& axes, bool keepDims);
    Value broadcastTo(Value x, Value shape);
    Value fill(Value dims, Value value);
    Value matmul(Value a, Value b, bool transposeA = false, bool transposeB = false);
    Value softmax(Value x, int axis);
    // A sequence is a list that only lives while a model is imported: ops that take one apart see its members.
    Value sequence(const std::vector<Value>& members);
    Value sequence(const EvenPieces& pieces);
    bool isSequence(Value value) const { return mSequences.count(value) != 0; }
    const std::vector<Value>* membersOf(Value value) const;  // null for a tensor and for even pieces
    const EvenPieces* piecesOf(Value value) const;           // null for anything else
    // Sizes of one axis as a 1-D int tensor of one element; a constant when foldShapes allows it.
    Value axisSize(Value x, int axis);

private:
    std::vector<Value> append(std::unique_ptr<OpT> op, const std::vector<Value>& in,
                              const std::vector<DataType>& outTypes);
    bool foldNow(const OpT& op, const std::vector<Value>& in, const std::vector<DataType>& outTypes,
                 std::vector<Value>& out);
    Value newTensor(DataType type);

    struct Sequence {
        std::vector<Value> members;
        EvenPieces pieces;
    };

    Graph& mGraph;
    std::string mScope = "op";
    std::vector<OpT*> mProducer;
    std::map<Value, Sequence> mSequences;
};

}  // namespace Converter
}  // namespace MNN
