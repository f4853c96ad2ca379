// Rewrites of a Graph that keep its results. Each pass is one file; the table in Passes.cpp orders them.
#pragma once

#include "graph/Graph.hpp"

namespace MNN {
namespace Converter {

struct Pass {
    const char* name;
    bool (*run)(Graph& graph);  // true when it changed something
};

// Level 0 only removes what nothing reads; from 1 on the whole table runs until nothing changes. The
// graphs of If and While ops are treated alike.
void optimize(Graph& graph, int level, bool dump);

bool removeDead(Graph& graph);         // ops whose results nothing reads
bool removeIdentity(Graph& graph);     // ops that pass their input on unchanged
bool mergeDuplicates(Graph& graph);    // equal ops on equal inputs
bool foldScaleIntoConv(Graph& graph);  // Scale (a BatchNorm) after a convolution
bool fuseBias(Graph& graph);           // constant Add after a convolution or MatMul
bool fuseActivation(Graph& graph);     // ReLU and ReLU6 after a convolution, ReLU after a BinaryOp
bool fuseGelu(Graph& graph);
bool fuseSwish(Graph& graph);      // x * sigmoid(x), x * relu6(x + 3) / 6
bool fuseLayerNorm(Graph& graph);  // mean, variance, rsqrt, gamma, beta written out

// The tanh form of Gelu in place of the erf form: faster, and not quite the same.
void approximateGelu(Graph& graph);

// Makes every reader (and graph output) of `from` read `to`.
void replaceReads(Graph& graph, Value from, Value to);
// Takes out the ops marked by type Op pointer in `gone`.
void eraseOps(Graph& graph, const std::vector<const OpT*>& gone);
// A new constant placed first in the graph.
Value addConstant(Graph& graph, BlobT&& blob, const std::string& name);
// The single value of a constant; false when it is not one.
bool scalarConstant(const GraphIndex& index, Value value, float& result);

}  // namespace Converter
}  // namespace MNN
