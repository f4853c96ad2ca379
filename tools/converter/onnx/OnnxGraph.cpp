#include "onnx/OnnxGraph.hpp"

#include <functional>
#include <queue>

namespace MNN {
namespace Converter {

namespace {

constexpr size_t kMaxNodes = 2000000;
constexpr int kMaxFunctionDepth = 64;

template <class Imports>
std::shared_ptr<const Opsets> readOpsets(const Imports& imports) {
    auto opsets = std::make_shared<Opsets>();
    for (const auto& entry : imports) (*opsets)[normalDomain(entry.domain())] = static_cast<int>(entry.version());
    if (!opsets->count("")) (*opsets)[""] = 13;
    return opsets;
}

using Attributes = google::protobuf::RepeatedPtrField<onnx::AttributeProto>;

// The value of a function's attribute in this call: the caller's, else the function's default; null when neither.
const onnx::AttributeProto* attributeOfCall(const onnx::NodeProto& call, const onnx::FunctionProto& function,
                                            const std::string& name) {
    for (const auto& a : call.attribute()) {
        if (a.name() == name) return &a;
    }
    for (const auto& a : function.attribute_proto()) {
        if (a.name() == name) return &a;
    }
    return nullptr;
}

void bindAttributes(const onnx::NodeProto& call, const onnx::FunctionProto& function, Attributes* attributes,
                    int depth) {
    Attributes bound;
    for (const auto& attr : *attributes) {
        const auto* given =
            attr.ref_attr_name().empty() ? &attr : attributeOfCall(call, function, attr.ref_attr_name());
        if (!given) continue;  // not passed and no default: the inner op's own default holds
        onnx::AttributeProto copy = *given;
        copy.set_name(attr.name());
        // A graph that the caller passes has nothing of the function in it.
        if (given == &attr && copy.has_g() && depth < 32) {
            for (auto& node : *copy.mutable_g()->mutable_node())
                bindAttributes(call, function, node.mutable_attribute(), depth + 1);
        }
        *bound.Add() = std::move(copy);
    }
    *attributes = std::move(bound);
}

// Renames what a branch or body takes from around it; names of its own stay.
template <class Rename>
void renameOuter(onnx::GraphProto* graph, std::set<std::string> own, const Rename& rename, int depth) {
    if (depth > 32) return;
    for (const auto& input : graph->input()) own.insert(input.name());
    for (const auto& init : graph->initializer()) own.insert(init.name());
    for (const auto& node : graph->node()) own.insert(node.output().begin(), node.output().end());
    const auto renameUnlessOwn = [&](std::string* name) {
        if (!own.count(*name)) rename(name);
    };
    for (auto& node : *graph->mutable_node()) {
        for (auto& name : *node.mutable_input()) renameUnlessOwn(&name);
        for (auto& attr : *node.mutable_attribute()) {
            if (attr.has_g()) renameOuter(attr.mutable_g(), own, rename, depth + 1);
        }
    }
    for (auto& output : *graph->mutable_output()) renameUnlessOwn(output.mutable_name());
}

class Inliner {
public:
    Inliner(const OnnxModel& model, std::vector<FlatNode>& out) : mModel(model), mOut(out) {
        for (const auto& f : model.proto.functions()) mFunctions[key(f.domain(), f.name(), f.overload())] = &f;
    }

    void add(const onnx::NodeProto& node, const std::shared_ptr<const Opsets>& opsets, int depth) {
        const auto found = mFunctions.find(key(node.domain(), node.op_type(), node.overload()));
        if (found == mFunctions.end()) {
            if (mOut.size() >= kMaxNodes) throw ConvertError("the graph has more than 2000000 nodes");
            mOut.push_back({node, opsets});
            return;
        }
        if (depth >= kMaxFunctionDepth)
            throw ConvertError(nodeTitle(node) + ": local functions call each other without end");
        inlineCall(node, *found->second, depth);
    }

private:
    static std::string key(const std::string& domain, const std::string& name, const std::string& overload) {
        return normalDomain(domain) + "::" + name + "::" + overload;
    }

    // Names inside a function are private to the call; parameters are replaced by the caller's names.
    void inlineCall(const onnx::NodeProto& call, const onnx::FunctionProto& function, int depth) {
        const std::string prefix =
            (call.name().empty() ? function.name() : call.name()) + "#" + std::to_string(++mCalls);
        std::map<std::string, std::string> names;
        for (int i = 0; i < function.input_size(); ++i)
            names[function.input(i)] = i < call.input_size() ? call.input(i) : "";
        for (int i = 0; i < function.output_size(); ++i) {
            const bool wanted = i < call.output_size() && !call.output(i).empty();
            // An output that only repeats an input needs a node of its own to carry the name.
            if (wanted && names.count(function.output(i)))
                addIdentity(names[function.output(i)], call.output(i));
            else if (wanted)
                names[function.output(i)] = call.output(i);
        }
        const auto opsets = readOpsets(function.opset_import());
        const auto rename = [&](std::string* name) {
            if (name->empty()) return;
            const auto known = names.find(*name);
            *name = known != names.end() ? known->second : prefix + "/" + *name;
        };
        for (const auto& inner : function.node()) {
            onnx::NodeProto node = inner;
            for (auto& name : *node.mutable_input()) rename(&name);
            for (auto& name : *node.mutable_output()) rename(&name);
            node.set_name(prefix + "/" + inner.name());
            for (auto& attr : *node.mutable_attribute()) {
                if (attr.has_g()) renameOuter(attr.mutable_g(), {}, rename, 0);
            }
            bindAttributes(call, function, node.mutable_attribute(), 0);
            add(node, opsets, depth + 1);
        }
    }

    void addIdentity(const std::string& from, const std::string& to) {
        onnx::NodeProto node;
        node.set_op_type("Identity");
        node.set_name(to);
        node.add_input(from);
        node.add_output(to);
        mOut.push_back({node, std::make_shared<Opsets>(Opsets{{"", 13}})});
    }

    const OnnxModel& mModel;
    std::vector<FlatNode>& mOut;
    std::map<std::string, const onnx::FunctionProto*> mFunctions;
    int mCalls = 0;
};

// Names that a node's sub-graphs take from outside.
void outerNames(const onnx::GraphProto& graph, std::set<std::string>& wanted, int depth) {
    if (depth > 32) return;
    std::set<std::string> own, inner;
    for (const auto& input : graph.input()) own.insert(input.name());
    for (const auto& init : graph.initializer()) own.insert(init.name());
    for (const auto& node : graph.node()) {
        for (const auto& name : node.input()) inner.insert(name);
        for (const auto& attr : node.attribute()) {
            if (attr.has_g()) outerNames(attr.g(), inner, depth + 1);
        }
    }
    for (const auto& output : graph.output()) inner.insert(output.name());
    for (const auto& node : graph.node()) {
        for (const auto& name : node.output()) own.insert(name);
    }
    for (const auto& name : inner) {
        if (!name.empty() && !own.count(name)) wanted.insert(name);
    }
}

std::set<std::string> readNames(const onnx::NodeProto& node) {
    std::set<std::string> names;
    for (const auto& name : node.input()) {
        if (!name.empty()) names.insert(name);
    }
    for (const auto& attr : node.attribute()) {
        if (attr.has_g()) outerNames(attr.g(), names, 0);
    }
    return names;
}

// Stable: among nodes that are ready, the one that comes first in the file goes first.
// Names that nothing makes are refused unless they may come from `around`.
std::vector<FlatNode> sorted(std::vector<FlatNode>& nodes, const std::set<std::string>& given, bool around) {
    std::map<std::string, size_t> maker;
    for (size_t i = 0; i < nodes.size(); ++i) {
        for (const auto& name : nodes[i].proto.output()) {
            if (name.empty()) continue;
            if (given.count(name) || !maker.emplace(name, i).second)
                throw ConvertError(nodeTitle(nodes[i].proto) + ": output '" + name + "' is made twice");
        }
    }
    std::vector<std::vector<size_t>> readers(nodes.size());
    std::vector<size_t> waiting(nodes.size(), 0);
    for (size_t i = 0; i < nodes.size(); ++i) {
        for (const auto& name : readNames(nodes[i].proto)) {
            const auto found = maker.find(name);
            if (found != maker.end()) {
                readers[found->second].push_back(i);
                ++waiting[i];
            } else if (!around && !given.count(name)) {
                throw ConvertError(nodeTitle(nodes[i].proto) + ": input '" + name + "' is made by no node");
            }
        }
    }
    std::priority_queue<size_t, std::vector<size_t>, std::greater<size_t>> ready;
    for (size_t i = 0; i < nodes.size(); ++i) {
        if (waiting[i] == 0) ready.push(i);
    }
    std::vector<FlatNode> order;
    std::vector<char> done(nodes.size(), 0);
    while (!ready.empty()) {
        const size_t i = ready.top();
        ready.pop();
        done[i] = 1;
        for (size_t r : readers[i]) {
            if (--waiting[r] == 0) ready.push(r);
        }
        order.push_back(std::move(nodes[i]));
    }
    for (size_t i = 0; i < nodes.size(); ++i) {
        if (!done[i]) throw ConvertError(nodeTitle(nodes[i].proto) + ": the graph has a cycle through this node");
    }
    return order;
}

}  // namespace

std::string normalDomain(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

std::string nodeTitle(const onnx::NodeProto& node) {
    const std::string& name = !node.name().empty() ? node.name() : node.output_size() > 0 ? node.output(0) : "";
    const std::string domain = normalDomain(node.domain());
    return (domain.empty() ? "" : domain + "::") + node.op_type() + " '" + name + "'";
}

static std::vector<FlatNode> flatten(const OnnxModel& model, const onnx::GraphProto& graph,
                                     const std::shared_ptr<const Opsets>& opsets, bool around) {
    std::vector<FlatNode> nodes;
    Inliner inliner(model, nodes);
    for (const auto& node : graph.node()) inliner.add(node, opsets, 0);
    std::set<std::string> given;
    for (const auto& input : graph.input()) given.insert(input.name());
    for (const auto& init : graph.initializer()) given.insert(init.name());
    return sorted(nodes, given, around);
}

std::vector<FlatNode> flatten(const OnnxModel& model) {
    return flatten(model, model.proto.graph(), readOpsets(model.proto.opset_import()), false);
}

std::vector<FlatNode> flatten(const OnnxModel& model, const onnx::GraphProto& graph,
                              const std::shared_ptr<const Opsets>& opsets) {
    return flatten(model, graph, opsets, true);
}

}  // namespace Converter
}  // namespace MNN
