// The sub-graphs of If and While ops: found by name, checked, and told which tensor of theirs is which of the op's.
#ifndef MNN_SESSION_SUBGRAPHS_HPP
#define MNN_SESSION_SUBGRAPHS_HPP

#include <cstdarg>
#include <string>
#include <vector>
#include "session/Schedule.hpp"

namespace MNN {

// An input or output of ControlNode::graphs[graph].
struct Port {
    int graph = -1;
    int position = 0;
};

struct SubGraph {
    std::string name;
    TensorTable table;
    std::vector<OpNode> nodes;
    std::vector<Tensor*> inputs, outputs;
    // By input: the input of the op that gives its value, or its first value in a loop.
    std::vector<int> feeds;
    // By input, in a loop: the output whose value it takes for the next round. graph -1: the value never changes.
    std::vector<Port> updates;

    // Makes the nodes and outputs that read input `position` read `tensor`.
    void wire(size_t position, Tensor* tensor);
};

// What an output of a While is.
struct LoopResult {
    enum class Kind : uint8_t {
        Carried,  // the input `port` of a sub-graph, as the last round left it
        Last,     // the output `port` of the last round
        Stacked,  // the output `port` of every round, along a new first axis
    };
    Kind kind = Kind::Carried;
    Port port;
};

struct ControlNode {
    // If: then, else. While: body, condition.
    enum : int { Then = 0, Else = 1, Body = 0, Condition = 1 };
    SubGraph graphs[2];
    // If, by output of the op: which output of the branch gives it.
    std::vector<int> branchResults[2];
    // A While without a condition graph: its inputs are the trip count, the condition, then the carried values; its
    // body takes the round's number, the condition and the carried values and gives the condition, the carried values
    // and what is stacked.
    bool counted = false;
    std::vector<LoopResult> loopResults;
};

// Bounds what a file may ask for: how deep sub-graphs nest, and how many copies of sub-graphs and tensors of theirs a
// path makes. Copies of one sub-graph share its constants.
struct Nesting {
    std::vector<std::string> open;
    int made = 0;
    int64_t tensors = 0;
    std::map<const SubGraphProto*, std::vector<std::shared_ptr<Tensor>>> first;
};

// MNN_ERROR with the op's name and type in front.
void logControl(const Op* op, const char* format, va_list list);

// If, and While over sub-graphs.
bool isControlFlow(const Op* op);

// Sets node->control. False after MNN_ERROR that names op and sub-graph: a name that is missing, a sub-graph inside
// itself, inputs or outputs that do not match.
bool makeControl(const std::shared_ptr<Model>& model, Nesting* nesting, OpNode* node);

// The nodes of `proto` over tensors of their own (in Schedule.cpp). False after MNN_ERROR.
bool scheduleSubGraph(const std::shared_ptr<Model>& model, const SubGraphProto* proto, Nesting* nesting,
                      SubGraph* graph);

}  // namespace MNN
#endif
