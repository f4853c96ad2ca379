#include "passes/Passes.hpp"

namespace MNN {
namespace Converter {

static bool passesOn(const OpT& op) {
    switch (op.type) {
        case OpType_Identity:
            return true;
        case OpType_Concat:
            return op.inputIndexes.size() == 1;
        case OpType_Cast:
            return op.main.AsCastParam()->srcT == op.main.AsCastParam()->dstT;
        default:
            return false;
    }
}

// An identity that makes a graph output hands its name to the op before it, when nothing else fixes that op's tensor.
static bool handOutputBack(Graph& graph, const GraphIndex& index, const OpT& op) {
    const Value from = op.inputIndexes[0], to = op.outputIndexes[0];
    OpT* producer = index.producer(from);
    if (!producer || producer->type == OpType_Input || producer->type == OpType_Const || index.isOutput(from))
        return false;
    for (Value& v : producer->outputIndexes) {
        if (v == from) v = to;
    }
    if (producer->outputIndexes[0] == to) producer->name = graph.tensors[to].name;
    replaceReads(graph, from, to);
    return true;
}

bool removeIdentity(Graph& graph) {
    bool changed = false;
    for (size_t i = 0; i < graph.ops.size(); ++i) {
        const OpT* op = graph.ops[i].get();
        if (!passesOn(*op)) continue;
        const GraphIndex index(graph);
        if (index.isOutput(op->outputIndexes[0])) {
            if (!handOutputBack(graph, index, *op)) continue;
        } else {
            replaceReads(graph, op->outputIndexes[0], op->inputIndexes[0]);
        }
        eraseOps(graph, {op});
        --i;
        changed = true;
    }
    return changed;
}

}  // namespace Converter
}  // namespace MNN
