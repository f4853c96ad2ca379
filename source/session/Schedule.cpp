#include "session/Schedule.hpp"

#include <MNN/MNNDefine.h>
#include <algorithm>
#include <set>
#include "core/TensorUtils.hpp"
#include "session/Constants.hpp"
#include "session/SubGraphs.hpp"
#include "session/WholeOps.hpp"

namespace MNN {
namespace {

// Of all sub-graphs together: far more than any real model has.
constexpr int kMaxInnerTensors = 1000 * 1000;

std::string nameOf(const Op* op) { return op->name() == nullptr ? std::string() : op->name()->str(); }

bool setInput(const Op* op, Tensor* tensor) {
    const Input* input = op->main_as_Input();
    auto* describe = TensorUtils::describe(tensor);
    describe->usage = TensorUsage::Input;
    if (input == nullptr) return true;
    std::vector<int> dims;
    const uint32_t rank = input->dims() == nullptr ? 0 : input->dims()->size();
    int64_t elements = 1;
    for (uint32_t i = 0; i < rank && elements <= INT32_MAX; ++i) {
        int length = input->dims()->Get(i);
        if (length == -1 && i == 0) length = 1;  // an unknown batch starts as 1, as in MNN
        dims.push_back(length);
        elements *= std::max(length, 1);
    }
    if (rank > static_cast<uint32_t>(kMaxRank) || elements > INT32_MAX) {
        MNN_ERROR("input '%s' has absurd dims\n", nameOf(op).c_str());
        return false;
    }
    tensor->buffer().type = TensorUtils::halideType(input->dtype());
    TensorUtils::setFormat(tensor, input->dformat());
    TensorUtils::setShape(tensor, dims);
    return true;
}

// The ops of a model, or of one of its sub-graphs, and their tensors' names.
struct OpList {
    std::vector<const Op*> ops;
    const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* names = nullptr;
    const TensorDescribes* describes = nullptr;

    explicit OpList(const Net* net)
        : ops(net->oplists()->begin(), net->oplists()->end()),
          names(net->tensorName()),
          describes(net->extraTensorDescribe()) {}
    explicit OpList(const SubGraphProto* graph) : names(graph->tensors()), describes(graph->extraTensorDescribe()) {
        if (graph->nodes() != nullptr) ops.assign(graph->nodes()->begin(), graph->nodes()->end());
    }
    std::string tensorName(int index) const {
        if (names != nullptr && static_cast<uint32_t>(index) < names->size() && names->Get(index) != nullptr)
            return names->Get(index)->str();
        return "tensor" + std::to_string(index);
    }
};

// Names of tensors, and which op makes each.
struct Graph {
    const OpList& list;
    std::vector<int> producer;  // by tensor: index into list.ops, -1 none
    std::map<std::string, int> tensorByName;

    Graph(const OpList& l, size_t tensors) : list(l), producer(tensors, -1) {
        for (size_t i = 0; i < list.ops.size(); ++i) {
            const auto* outputs = list.ops[i]->outputIndexes();
            for (uint32_t k = 0; outputs != nullptr && k < outputs->size(); ++k)
                producer[outputs->Get(k)] = static_cast<int>(i);
        }
        const auto* names = list.names;
        for (uint32_t i = 0; names != nullptr && i < names->size() && i < tensors; ++i) {
            if (names->Get(i) != nullptr) tensorByName.insert({names->Get(i)->str(), static_cast<int>(i)});
        }
    }
};

bool canRunInOrder(const Graph& graph, const std::set<int>& given, const std::vector<int>& order) {
    std::vector<char> made(graph.producer.size(), 0);
    for (size_t t = 0; t < made.size(); ++t) made[t] = graph.producer[t] < 0;
    for (int tensor : given) made[tensor] = 1;
    for (int at : order) {
        const Op* op = graph.list.ops[at];
        for (uint32_t k = 0; op->inputIndexes() != nullptr && k < op->inputIndexes()->size(); ++k) {
            if (!made[op->inputIndexes()->Get(k)]) return false;
        }
        for (uint32_t k = 0; op->outputIndexes() != nullptr && k < op->outputIndexes()->size(); ++k)
            made[op->outputIndexes()->Get(k)] = 1;
    }
    return true;
}

// Depth-first over producers, without recursion: models may be thousands of ops deep.
bool collect(const Graph& graph, const std::vector<int>& wanted, const std::set<int>& given, std::vector<int>* order) {
    enum : char { Unseen, Open, Done };
    const auto& ops = graph.list.ops;
    std::vector<char> state(ops.size(), Unseen);
    std::vector<std::pair<int, uint32_t>> stack;
    for (int tensor : wanted) {
        if (given.count(tensor) != 0 || graph.producer[tensor] < 0 || state[graph.producer[tensor]] != Unseen) continue;
        stack.push_back({graph.producer[tensor], 0});
        state[graph.producer[tensor]] = Open;
        while (!stack.empty()) {
            const int at = stack.back().first;
            const auto* inputs = ops[at]->inputIndexes();
            if (inputs == nullptr || stack.back().second >= inputs->size()) {
                state[at] = Done;
                order->push_back(at);
                stack.pop_back();
                continue;
            }
            const int input = inputs->Get(stack.back().second++);
            const int next = given.count(input) != 0 ? -1 : graph.producer[input];
            if (next < 0 || state[next] == Done) continue;
            if (state[next] == Open) {
                MNN_ERROR("the model has a cycle through op '%s'\n", nameOf(ops[next]).c_str());
                return false;
            }
            state[next] = Open;
            stack.push_back({next, 0});
        }
    }
    // Keep the file's order where it is valid: callbacks and profiles then read like the model.
    std::vector<int> sorted = *order;
    std::sort(sorted.begin(), sorted.end());
    if (canRunInOrder(graph, given, sorted)) *order = sorted;
    return true;
}

bool inputsExist(const Graph& graph, const std::set<int>& given, const std::vector<int>& order) {
    for (int at : order) {
        const Op* op = graph.list.ops[at];
        for (uint32_t k = 0; op->inputIndexes() != nullptr && k < op->inputIndexes()->size(); ++k) {
            const int tensor = op->inputIndexes()->Get(k);
            if (graph.producer[tensor] >= 0 || given.count(tensor) != 0) continue;
            MNN_ERROR("op '%s' (%s) reads tensor %d, which no op makes and which is no input\n", nameOf(op).c_str(),
                      EnumNameOpType(op->type()), tensor);
            return false;
        }
    }
    return true;
}

enum class Names { Tensors, OutputsOfOps, InputsOfOps };

bool findTensors(const Graph& graph, const std::vector<std::string>& names, Names kind, std::vector<int>* tensors) {
    for (const std::string& name : names) {
        bool found = false;
        for (const Op* op : graph.list.ops) {
            if (kind == Names::Tensors || nameOf(op) != name) continue;
            // An Input op begins a path with the tensor it makes.
            const bool takeInputs = kind == Names::InputsOfOps && op->type() != OpType_Input;
            const auto* indexes = takeInputs ? op->inputIndexes() : op->outputIndexes();
            if (indexes == nullptr) continue;
            tensors->insert(tensors->end(), indexes->begin(), indexes->end());
            found = true;
        }
        const auto byName = graph.tensorByName.find(name);
        if (!found && byName != graph.tensorByName.end()) {
            tensors->push_back(byName->second);
            found = true;
        }
        if (!found) {
            MNN_ERROR("the model has no %s named '%s'\n", kind == Names::Tensors ? "tensor" : "op", name.c_str());
            return false;
        }
    }
    return true;
}

// The model's outputs: by name, or every tensor that no op reads.
std::vector<int> modelOutputs(const Net* net, const Graph& graph) {
    std::vector<int> result;
    const auto* names = net->outputName();
    for (uint32_t i = 0; names != nullptr && i < names->size(); ++i) {
        const auto found = graph.tensorByName.find(names->Get(i)->str());
        if (found != graph.tensorByName.end()) result.push_back(found->second);
    }
    if (!result.empty()) return result;
    std::set<int> read;
    for (const Op* op : graph.list.ops) {
        if (op->inputIndexes() != nullptr) read.insert(op->inputIndexes()->begin(), op->inputIndexes()->end());
    }
    for (const Op* op : graph.list.ops) {
        if (isConst(op) || op->type() == OpType_Input || op->outputIndexes() == nullptr) continue;
        for (int index : *op->outputIndexes()) {
            if (read.count(index) == 0) result.push_back(index);
        }
    }
    return result;
}

bool markOutput(const OpList& list, int index, TensorTable* table) {
    Tensor* tensor = table->tensors[index].get();
    auto* describe = TensorUtils::describe(tensor);
    if (describe->usage == TensorUsage::Normal) describe->usage = TensorUsage::Output;
    const std::string name = list.tensorName(index);
    if (!table->outputs.insert({name, tensor}).second) return true;
    table->outputOrder.push_back(name);
    return describe->usage != TensorUsage::Constant || ownConstant(tensor);
}

int tensorCount(const OpList& list) {
    int count = 0;
    for (const Op* op : list.ops) {
        for (const auto* indexes : {op->inputIndexes(), op->outputIndexes()}) {
            for (uint32_t k = 0; indexes != nullptr && k < indexes->size(); ++k)
                count = std::max(count, indexes->Get(k) + 1);
        }
    }
    return count;
}

// `first`: tensors of an earlier copy of the same list, whose constants serve this one too; or empty.
bool makeTensors(const std::shared_ptr<Model>& model, const OpList& list, int count,
                 const std::vector<std::shared_ptr<Tensor>>& first, TensorTable* table) {
    table->tensors.resize(count);
    for (int i = 0; i < count; ++i) {
        if (!first.empty() && TensorUtils::describe(first[i].get())->usage == TensorUsage::Constant) {
            table->tensors[i] = first[i];
            continue;
        }
        table->tensors[i].reset(new Tensor(0));
        TensorUtils::describe(table->tensors[i].get())->name = list.tensorName(i);
    }
    std::vector<char> made(count, 0);
    for (const Op* op : list.ops) {
        for (uint32_t k = 0; op->outputIndexes() != nullptr && k < op->outputIndexes()->size(); ++k) {
            if (made[op->outputIndexes()->Get(k)]++ != 0) {
                MNN_ERROR("tensor '%s' is made by two ops, '%s' is the second\n",
                          list.tensorName(op->outputIndexes()->Get(k)).c_str(), nameOf(op).c_str());
                return false;
            }
        }
        const bool input = op->type() == OpType_Input;
        if (!input && !isConst(op)) continue;
        if (op->outputIndexes() == nullptr || op->outputIndexes()->size() == 0) continue;
        Tensor* tensor = table->tensors[op->outputIndexes()->Get(0)].get();
        if (!input) {
            if (!first.empty()) continue;
            if (!loadConstant(op, model->external(), model, tensor)) return false;
            continue;
        }
        if (!setInput(op, tensor)) return false;
        const std::string name = list.tensorName(op->outputIndexes()->Get(0));
        table->inputs[name] = tensor;
        table->inputOrder.push_back(name);
    }
    return true;
}

// The ops in `order` as nodes over the table's tensors.
bool makeNodes(const std::shared_ptr<Model>& model, const OpList& list, const std::vector<int>& order,
               const TensorTable& table, Nesting* nesting, std::vector<OpNode>* nodes) {
    for (int at : order) {
        const Op* op = list.ops[at];
        if (op->type() == OpType_Input || isConst(op)) continue;
        OpNode node;
        node.op = op;
        for (uint32_t k = 0; op->inputIndexes() != nullptr && k < op->inputIndexes()->size(); ++k)
            node.inputs.push_back(table.tensors[op->inputIndexes()->Get(k)].get());
        for (uint32_t k = 0; op->outputIndexes() != nullptr && k < op->outputIndexes()->size(); ++k)
            node.outputs.push_back(table.tensors[op->outputIndexes()->Get(k)].get());
        if (!makeWhole(*model, list.describes, table, &node)) return false;
        if (isControlFlow(op) && !makeControl(model, nesting, &node)) return false;
        nodes->push_back(std::move(node));
    }
    return true;
}

}  // namespace

bool makeTensors(const std::shared_ptr<Model>& model, TensorTable* table) {
    const OpList list(model->net());
    return makeTensors(model, list, tensorCount(list), {}, table);
}

bool scheduleSubGraph(const std::shared_ptr<Model>& model, const SubGraphProto* proto, Nesting* nesting,
                      SubGraph* graph) {
    const OpList list(proto);
    const int named = list.names == nullptr ? 0 : static_cast<int>(list.names->size());
    const int count = std::max(tensorCount(list), named);
    std::vector<int> inputs, outputs;
    for (const auto& side : {std::make_pair(proto->inputs(), &inputs), std::make_pair(proto->outputs(), &outputs)}) {
        for (uint32_t k = 0; side.first != nullptr && k < side.first->size(); ++k) {
            const int index = side.first->Get(k);
            if (index < 0 || index >= count) {
                MNN_ERROR("sub-graph '%s': input or output %u is no tensor of it\n", graph->name.c_str(), k);
                return false;
            }
            side.second->push_back(index);
        }
    }
    nesting->tensors += count;
    if (nesting->tensors > kMaxInnerTensors) {
        MNN_ERROR("sub-graph '%s': with it the sub-graphs have more than %d tensors\n", graph->name.c_str(),
                  kMaxInnerTensors);
        return false;
    }
    auto& first = nesting->first[proto];
    if (!makeTensors(model, list, count, first, &graph->table)) return false;
    if (first.empty()) first = graph->table.tensors;
    const Graph view(list, count);
    const std::set<int> given(inputs.begin(), inputs.end());
    std::vector<int> order;
    if (!collect(view, outputs, given, &order) || !inputsExist(view, given, order)) return false;
    for (int at : order) {
        if (list.ops[at]->type() != OpType_Input) continue;
        MNN_ERROR("sub-graph '%s': its list of inputs lacks '%s'\n", graph->name.c_str(), nameOf(list.ops[at]).c_str());
        return false;
    }
    for (int index : outputs) {
        if (view.producer[index] < 0 && given.count(index) == 0) {
            MNN_ERROR("sub-graph '%s': no op makes its output '%s'\n", graph->name.c_str(),
                      list.tensorName(index).c_str());
            return false;
        }
        auto* describe = TensorUtils::describe(graph->table.tensors[index].get());
        if (describe->usage == TensorUsage::Normal) describe->usage = TensorUsage::Output;
        graph->outputs.push_back(graph->table.tensors[index].get());
    }
    for (int index : inputs) graph->inputs.push_back(graph->table.tensors[index].get());
    return makeNodes(model, list, order, graph->table, nesting, &graph->nodes);
}

bool schedule(const std::shared_ptr<Model>& model, const ScheduleConfig& config, TensorTable* table, Path* path) {
    const OpList list(model->net());
    const Graph graph(list, table->tensors.size());
    const bool asOps = config.path.mode == ScheduleConfig::Path::Op;
    std::vector<int> outputs, inputs;
    if (!findTensors(graph, config.path.outputs, asOps ? Names::OutputsOfOps : Names::Tensors, &outputs)) return false;
    if (!findTensors(graph, config.path.inputs, asOps ? Names::InputsOfOps : Names::Tensors, &inputs)) return false;
    if (outputs.empty()) outputs = modelOutputs(model->net(), graph);
    if (!findTensors(graph, config.saveTensors, Names::Tensors, &outputs)) return false;

    std::set<int> given;
    for (int index : inputs) {
        Tensor* tensor = table->tensors[index].get();
        given.insert(index);
        if (TensorUtils::describe(tensor)->usage == TensorUsage::Constant) continue;
        TensorUtils::describe(tensor)->usage = TensorUsage::Input;
        path->given.insert(tensor);
        if (table->inputs.insert({list.tensorName(index), tensor}).second)
            table->inputOrder.push_back(list.tensorName(index));
    }
    std::vector<int> order;
    if (!collect(graph, outputs, given, &order) || !inputsExist(graph, given, order)) return false;
    Nesting nesting;
    if (!makeNodes(model, list, order, *table, &nesting, &path->nodes)) return false;
    for (int index : outputs) {
        if (!markOutput(list, index, table)) return false;
    }
    return true;
}

namespace {

// A tensor of the session for `path` alone.
Tensor* ownTensor(Tensor* like, TensorTable* table) {
    std::shared_ptr<Tensor> own(new Tensor(0));
    TensorUtils::describe(own.get())->name = TensorUtils::describe(like)->name;
    table->tensors.push_back(own);
    return own.get();
}

void dropInput(Tensor* tensor, TensorTable* table) {
    const std::string name = TensorUtils::describe(tensor)->name;
    if (table->inputs.erase(name) == 0) return;
    table->inputOrder.erase(std::find(table->inputOrder.begin(), table->inputOrder.end(), name));
    TensorUtils::describe(tensor)->usage = TensorUsage::Output;
}

}  // namespace

void separatePaths(std::vector<Path>* paths, TensorTable* table) {
    std::set<Tensor*> made, promised, placed;
    for (Path& path : *paths) {
        std::map<Tensor*, Tensor*> own;
        std::set<Tensor*> read;
        auto renamed = [&](Tensor* t) {
            const auto found = own.find(t);
            return found == own.end() ? t : found->second;
        };
        for (Tensor* t : path.given) {
            if (made.count(t) != 0) {
                dropInput(t, table);
            } else {
                promised.insert(t);
            }
        }
        for (OpNode& node : path.nodes) {
            for (Tensor*& t : node.inputs) {
                t = renamed(t);
                read.insert(t);
            }
            for (Tensor*& t : node.outputs) {
                // Taken: an earlier path makes it, or begins with it and was promised the caller's values.
                if (promised.count(t) == 0 && made.insert(t).second) continue;
                t = own[t] = ownTensor(t, table);
            }
        }
        for (const auto& input : table->inputs) {
            if (read.count(input.second) != 0 && placed.insert(input.second).second) path.inputs.insert(input.second);
        }
    }
    for (const auto& input : table->inputs) {
        if (placed.insert(input.second).second) paths->front().inputs.insert(input.second);
    }
}

}  // namespace MNN
