#include <string>
#include <unordered_map>

#include "passes/Passes.hpp"

namespace MNN {
namespace Converter {

namespace {

// Ops larger than this (weights) are not compared: packing them costs more than the rare duplicate saves.
constexpr size_t kMaxPacked = 1 << 16;

bool repeatable(const OpT& op) {
    if (op.type == OpType_RandomUniform || op.type == OpType_RandomNormal || op.type == OpType_Input) return false;
    if (const BlobT* blob = op.main.AsBlob())
        return blob->float32s.size() + blob->int32s.size() + blob->int8s.size() + blob->uint8s.size() < kMaxPacked / 8;
    if (const Convolution2DT* conv = op.main.AsConvolution2D()) return conv->weight.empty();
    if (const Convolution3DT* conv = op.main.AsConvolution3D()) return conv->weight.empty();
    return true;
}

// Everything that decides an op's result, as bytes.
std::string fingerprint(OpT& op) {
    std::string name, key;
    std::vector<int> outputs;
    name.swap(op.name);
    outputs.swap(op.outputIndexes);
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(Op::Pack(builder, &op));
    key.assign(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
    name.swap(op.name);
    outputs.swap(op.outputIndexes);
    return key + "/" + std::to_string(op.outputIndexes.size());
}

}  // namespace

bool mergeDuplicates(Graph& graph) {
    std::unordered_map<std::string, const OpT*> seen;
    std::vector<const OpT*> gone;
    const GraphIndex index(graph);
    std::vector<Value> renamed(graph.tensors.size());
    for (size_t i = 0; i < renamed.size(); ++i) renamed[i] = static_cast<Value>(i);
    for (auto& op : graph.ops) {
        for (Value& v : op->inputIndexes) v = renamed[v];
        if (!repeatable(*op)) continue;
        const auto entry = seen.emplace(fingerprint(*op), op.get());
        if (entry.second) continue;
        bool named = false;
        for (Value v : op->outputIndexes) named |= index.isOutput(v);
        if (named) continue;  // each graph output keeps a tensor of its own
        for (size_t k = 0; k < op->outputIndexes.size(); ++k)
            renamed[op->outputIndexes[k]] = entry.first->second->outputIndexes[k];
        gone.push_back(op.get());
    }
    eraseOps(graph, gone);
    return !gone.empty();
}

}  // namespace Converter
}  // namespace MNN
