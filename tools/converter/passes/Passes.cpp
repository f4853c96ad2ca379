#include "passes/Passes.hpp"

#include <algorithm>
#include <cstdio>
#include <unordered_set>

#include "graph/BlobView.hpp"

namespace MNN {
namespace Converter {

namespace {

// Patterns that are made of several ops come before the passes that fuse single ops into their neighbours.
const Pass kPasses[] = {
    {"RemoveIdentity", removeIdentity},
    {"MergeDuplicates", mergeDuplicates},
    {"FuseGelu", fuseGelu},
    {"FuseSwish", fuseSwish},
    {"FuseLayerNorm", fuseLayerNorm},
    {"FoldScaleIntoConv", foldScaleIntoConv},
    {"FuseBias", fuseBias},
    {"FuseActivation", fuseActivation},
    {"RemoveDead", removeDead},
};

constexpr int kMaxRounds = 16;

}  // namespace

void optimize(Graph& graph, int level, bool dump) {
    for (auto& inside : graph.subgraphs) optimize(*inside, level, dump);
    removeDead(graph);
    bool changed = level > 0;
    for (int round = 0; changed && round < kMaxRounds; ++round) {
        changed = false;
        for (const Pass& pass : kPasses) {
            const size_t before = graph.ops.size();
            const bool did = pass.run(graph);
            if (dump && did) std::printf("pass %-18s ops %zu -> %zu\n", pass.name, before, graph.ops.size());
            changed |= did;
        }
    }
    removeDead(graph);
}

void replaceReads(Graph& graph, Value from, Value to) {
    for (auto& op : graph.ops) std::replace(op->inputIndexes.begin(), op->inputIndexes.end(), from, to);
    std::replace(graph.outputs.begin(), graph.outputs.end(), from, to);
}

void eraseOps(Graph& graph, const std::vector<const OpT*>& gone) {
    const std::unordered_set<const OpT*> set(gone.begin(), gone.end());
    graph.ops.erase(std::remove_if(graph.ops.begin(), graph.ops.end(),
                                   [&](const std::unique_ptr<OpT>& op) { return set.count(op.get()) > 0; }),
                    graph.ops.end());
}

Value addConstant(Graph& graph, BlobT&& blob, const std::string& name) {
    auto op = std::make_unique<OpT>();
    op->type = OpType_Const;
    op->name = name;
    op->defaultDimentionFormat = MNN_DATA_FORMAT_NCHW;
    TensorInfo info;
    info.name = name;
    info.type = blob.dataType;
    info.rankKnown = true;
    info.dims = blob.dims;
    op->main.Set(std::move(blob));
    const Value value = static_cast<Value>(graph.tensors.size());
    graph.tensors.push_back(std::move(info));
    op->outputIndexes = {value};
    graph.ops.insert(graph.ops.begin(), std::move(op));
    return value;
}

bool scalarConstant(const GraphIndex& index, Value value, float& result) {
    const BlobT* blob = index.constant(value);
    if (!blob) return false;
    const BlobView view(*blob);
    if (view.count != 1) return false;
    result = static_cast<float>(view.at(0));
    return true;
}

bool removeDead(Graph& graph) {
    std::vector<char> wanted(graph.tensors.size(), 0);
    for (Value v : graph.outputs) wanted[v] = 1;
    std::vector<const OpT*> gone;
    for (size_t i = graph.ops.size(); i-- > 0;) {
        const OpT& op = *graph.ops[i];
        bool live = op.type == OpType_Input;  // a model's inputs are part of its contract
        for (Value v : op.outputIndexes) live |= wanted[v] != 0;
        if (!live)
            gone.push_back(&op);
        else
            for (Value v : op.inputIndexes) wanted[v] = 1;
    }
    eraseOps(graph, gone);
    return !gone.empty();
}

}  // namespace Converter
}  // namespace MNN
