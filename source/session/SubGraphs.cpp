#include "session/SubGraphs.hpp"

#include <MNN/MNNDefine.h>
#include <algorithm>
#include "core/TensorUtils.hpp"

namespace MNN {
namespace {

// Real models stay far below both; without them a small file could ask for any amount of memory.
constexpr size_t kMaxDepth = 16;
constexpr int kMaxGraphs = 4096;

using Names = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;
using NameLists = flatbuffers::Vector<flatbuffers::Offset<StringVec>>;

int findName(const std::vector<Tensor*>& tensors, const std::string& name) {
    for (size_t i = 0; i < tensors.size(); ++i) {
        if (TensorUtils::describe(tensors[i])->name == name) return static_cast<int>(i);
    }
    return -1;
}

class Maker {
public:
    Maker(const std::shared_ptr<Model>& model, Nesting* nesting, OpNode* node)
        : mModel(model), mNesting(nesting), mNode(node), mControl(new ControlNode) {}

    bool make() {
        const bool made = mNode->op->type() == OpType_If ? makeIf() : makeWhile();
        if (made) mNode->control = mControl;
        return made;
    }

private:
    bool fail(const char* format, ...) const {
        va_list list;
        va_start(list, format);
        logControl(mNode->op, format, list);
        va_end(list);
        return false;
    }

    const SubGraphProto* find(const std::string& name) const {
        const auto* all = mModel->net()->subgraphs();
        for (uint32_t i = 0; all != nullptr && i < all->size(); ++i) {
            if (all->Get(i)->name() != nullptr && all->Get(i)->name()->str() == name) return all->Get(i);
        }
        return nullptr;
    }

    bool open(const flatbuffers::String* name, const char* role, SubGraph* graph) {
        if (name == nullptr || name->size() == 0) return fail("names no %s sub-graph", role);
        graph->name = name->str();
        const SubGraphProto* proto = find(graph->name);
        const auto& open = mNesting->open;
        if (proto == nullptr) return fail("the model has no sub-graph '%s'", graph->name.c_str());
        if (std::find(open.begin(), open.end(), graph->name) != open.end())
            return fail("sub-graph '%s' contains itself", graph->name.c_str());
        if (open.size() >= kMaxDepth)
            return fail("sub-graph '%s' is nested more than %zu deep", graph->name.c_str(), kMaxDepth);
        if (++mNesting->made > kMaxGraphs)
            return fail("with sub-graph '%s' the model uses more than %d sub-graphs", graph->name.c_str(), kMaxGraphs);
        mNesting->open.push_back(graph->name);
        const bool made = scheduleSubGraph(mModel, proto, mNesting, graph);
        mNesting->open.pop_back();
        if (!made) return fail("its sub-graph '%s' cannot be used", graph->name.c_str());
        graph->feeds.assign(graph->inputs.size(), -1);
        graph->updates.assign(graph->inputs.size(), Port());
        return true;
    }

    // Entry i lists the inputs of the sub-graphs that input i of the op gives the value of.
    bool feedByName(const NameLists* lists, int graphs) {
        const uint32_t count = lists == nullptr ? 0 : lists->size();
        if (count > mNode->inputs.size())
            return fail("aliases_inputs has %u entries, the op has %zu inputs", count, mNode->inputs.size());
        for (uint32_t i = 0; i < count; ++i) {
            const Names* names = lists->Get(i)->data();
            for (uint32_t k = 0; names != nullptr && k < names->size(); ++k) {
                for (int g = 0; g < graphs; ++g) {
                    const int at = findName(mControl->graphs[g].inputs, names->Get(k)->str());
                    if (at >= 0) mControl->graphs[g].feeds[at] = static_cast<int>(i);
                }
            }
        }
        for (int g = 0; g < graphs; ++g) {
            const SubGraph& graph = mControl->graphs[g];
            for (size_t p = 0; p < graph.feeds.size(); ++p) {
                if (graph.feeds[p] >= 0) continue;
                return fail("no input of the op gives input '%s' of sub-graph '%s'",
                            TensorUtils::describe(graph.inputs[p])->name.c_str(), graph.name.c_str());
            }
        }
        return true;
    }

    bool makeIf() {
        const IfParam* param = mNode->op->main_as_IfParam();
        if (param == nullptr || mNode->inputs.empty()) return fail("needs a condition and an IfParam");
        SubGraph* graphs = mControl->graphs;
        if (!open(param->then_graph(), "then", &graphs[ControlNode::Then]) ||
            !open(param->else_graph(), "else", &graphs[ControlNode::Else]) || !feedByName(param->aliases_inputs(), 2))
            return false;
        const NameLists* lists = param->aliases_outputs();
        const uint32_t count = lists == nullptr ? 0 : lists->size();
        if (count != mNode->outputs.size())
            return fail("aliases_outputs has %u entries, the op has %zu outputs", count, mNode->outputs.size());
        for (uint32_t i = 0; i < count; ++i) {
            const Names* names = lists->Get(i)->data();
            if (names == nullptr || names->size() != 2) return fail("output %u is not named in both sub-graphs", i);
            for (int g = 0; g < 2; ++g) {
                const int at = findName(graphs[g].outputs, names->Get(g)->str());
                if (at < 0)
                    return fail("sub-graph '%s' has no output '%s'", graphs[g].name.c_str(), names->Get(g)->c_str());
                mControl->branchResults[g].push_back(at);
            }
        }
        return true;
    }

    bool makeWhile() {
        const WhileParam* param = mNode->op->main_as_WhileParam();
        SubGraph* graphs = mControl->graphs;
        mControl->counted = param->cond_graph() == nullptr || param->cond_graph()->size() == 0;
        if (!open(param->body_graph(), "body", &graphs[ControlNode::Body])) return false;
        if (mControl->counted) return bindCounted(&graphs[ControlNode::Body]);
        if (!open(param->cond_graph(), "condition", &graphs[ControlNode::Condition])) return false;
        if (graphs[ControlNode::Condition].outputs.size() != 1)
            return fail("sub-graph '%s' has %zu outputs, a condition has 1",
                        graphs[ControlNode::Condition].name.c_str(), graphs[ControlNode::Condition].outputs.size());
        return feedByName(param->aliases_inputs(), 2) && updateByName(param->aliases_updates()) &&
               resultByName(param->aliases_outputs());
    }

    bool bindCounted(SubGraph* body) {
        const size_t inputs = mNode->inputs.size(), outputs = mNode->outputs.size();
        if (body->inputs.size() < 2 || body->inputs.size() != inputs || body->outputs.size() != outputs + 1 ||
            outputs + 2 < inputs) {
            return fail("%zu inputs and %zu outputs do not fit the %zu inputs and %zu outputs of sub-graph '%s'",
                        inputs, outputs, body->inputs.size(), body->outputs.size(), body->name.c_str());
        }
        for (size_t p = 0; p < inputs; ++p) {
            body->feeds[p] = static_cast<int>(p);
            if (p > 0) update(ControlNode::Body, p, {ControlNode::Body, static_cast<int>(p) - 1});
        }
        for (size_t i = 0; i < outputs; ++i) {
            LoopResult result;
            const bool carried = i + 2 < inputs;
            result.kind = carried ? LoopResult::Kind::Carried : LoopResult::Kind::Stacked;
            result.port = {ControlNode::Body, static_cast<int>(carried ? i + 2 : i + 1)};
            mControl->loopResults.push_back(result);
        }
        return true;
    }

    // An output that repeats the very input it would update changes nothing.
    void update(int graph, size_t position, Port source) {
        SubGraph& to = mControl->graphs[graph];
        if (source.graph == graph && to.outputs[source.position] == to.inputs[position]) return;
        to.updates[position] = source;
    }

    Port findOutput(const std::string& name) const {
        for (int g = 0; g < 2; ++g) {
            const int at = findName(mControl->graphs[g].outputs, name);
            if (at >= 0) return {g, at};
        }
        return Port();
    }

    // Each entry: the output, then the input that takes its value for the next round, in either sub-graph.
    bool updateByName(const NameLists* lists) {
        for (uint32_t i = 0; lists != nullptr && i < lists->size(); ++i) {
            const Names* names = lists->Get(i)->data();
            if (names == nullptr || names->size() != 2)
                return fail("entry %u of aliases_updates is no pair of names", i);
            const Port source = findOutput(names->Get(0)->str());
            if (source.graph < 0)
                return fail("no sub-graph has the output '%s' to update from", names->Get(0)->c_str());
            bool found = false;
            for (int g = 0; g < 2; ++g) {
                const int at = findName(mControl->graphs[g].inputs, names->Get(1)->str());
                if (at < 0) continue;
                update(g, at, source);
                found = true;
            }
            if (!found) return fail("no sub-graph has the input '%s' to update", names->Get(1)->c_str());
        }
        return true;
    }

    // The input that is updated from `source`; graph -1 when there is none.
    Port carriedFrom(Port source) const {
        for (int g = 0; g < 2; ++g) {
            const auto& updates = mControl->graphs[g].updates;
            for (size_t p = 0; p < updates.size(); ++p) {
                if (updates[p].graph == source.graph && updates[p].position == source.position)
                    return {g, static_cast<int>(p)};
            }
        }
        return Port();
    }

    bool resultByName(const Names* names) {
        const uint32_t count = names == nullptr ? 0 : names->size();
        if (count != mNode->outputs.size())
            return fail("aliases_outputs has %u entries, the op has %zu outputs", count, mNode->outputs.size());
        for (uint32_t i = 0; i < count; ++i) {
            const std::string name = names->Get(i)->str();
            LoopResult result;
            for (int g = 0; g < 2 && result.port.graph < 0; ++g) {
                const int at = findName(mControl->graphs[g].inputs, name);
                if (at >= 0) result.port = {g, at};
            }
            const Port output = findOutput(name);
            if (result.port.graph < 0 && output.graph >= 0) {
                result.port = carriedFrom(output);
                if (result.port.graph < 0) {
                    result.kind = LoopResult::Kind::Last;
                    result.port = output;
                }
            }
            if (result.port.graph < 0) return fail("no sub-graph has the tensor '%s' for output %u", name.c_str(), i);
            mControl->loopResults.push_back(result);
        }
        return true;
    }

    const std::shared_ptr<Model>& mModel;
    Nesting* mNesting;
    OpNode* mNode;
    std::shared_ptr<ControlNode> mControl;
};

}  // namespace

void SubGraph::wire(size_t position, Tensor* tensor) {
    Tensor* own = inputs[position];
    inputs[position] = tensor;
    std::replace(outputs.begin(), outputs.end(), own, tensor);
    for (OpNode& node : nodes) std::replace(node.inputs.begin(), node.inputs.end(), own, tensor);
}

void logControl(const Op* op, const char* format, va_list list) {
    char text[256];
    vsnprintf(text, sizeof(text), format, list);
    MNN_ERROR("op '%s' (%s): %s\n", op->name() == nullptr ? "" : op->name()->c_str(), EnumNameOpType(op->type()), text);
}

bool isControlFlow(const Op* op) {
    return op->type() == OpType_If || (op->type() == OpType_While && op->main_type() == OpParameter_WhileParam);
}

bool makeControl(const std::shared_ptr<Model>& model, Nesting* nesting, OpNode* node) {
    return Maker(model, nesting, node).make();
}

}  // namespace MNN
