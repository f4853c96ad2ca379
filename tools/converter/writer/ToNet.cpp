#include <map>
#include <set>

#include "writer/ModelWriter.hpp"

namespace MNN {
namespace Converter {

namespace {

class Numbering {
public:
    // Sub-graphs put their own name before those of their tensors, so that no two graphs share one.
    explicit Numbering(const Graph& graph)
        : mGraph(graph), mPrefix(graph.name.empty() ? graph.name : graph.name + "/"), mNew(graph.tensors.size(), -1) {}

    int operator()(Value value) {
        if (mNew[value] < 0) {
            mNew[value] = static_cast<int>(mNames.size());
            std::string name = mPrefix + mGraph.tensors[value].name;
            while (!mTaken.insert(name).second) name += "_" + std::to_string(value);
            mNames.push_back(name);
        }
        return mNew[value];
    }
    std::vector<std::string> names() { return std::move(mNames); }
    std::vector<std::string> namesOf(const std::vector<Value>& values) {
        std::vector<std::string> names;
        for (Value v : values) names.push_back(mNames[(*this)(v)]);
        return names;
    }

private:
    const Graph& mGraph;
    const std::string mPrefix;
    std::vector<int> mNew;
    std::vector<std::string> mNames;
    std::set<std::string> mTaken;
};

// Metadata travels as a packed Extra of type Meta.
std::unique_ptr<ExtraInfoT> extraInfo(const Graph& graph, const WriteOptions& options) {
    auto info = std::make_unique<ExtraInfoT>();
    info->version = MNN_CONVERTER_VERSION;
    info->name = options.authCode;
    if (graph.metadata.empty()) return info;
    ExtraT meta;
    meta.type = "Meta";
    meta.engine = "MNN";
    for (const auto& entry : graph.metadata) {
        auto attr = std::make_unique<AttributeT>();
        attr->key = entry.first;
        attr->s = entry.second;
        meta.attr.push_back(std::move(attr));
    }
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(Extra::Pack(builder, &meta));
    const auto* bytes = reinterpret_cast<const int8_t*>(builder.GetBufferPointer());
    info->buffer.assign(bytes, bytes + builder.GetSize());
    return info;
}

// How a sub-graph that is written calls its inputs and outputs.
struct Border {
    std::vector<std::string> inputs, outputs;
};
using Borders = std::map<std::string, Border>;

std::unique_ptr<StringVecT> strings(std::vector<std::string> names) {
    auto list = std::make_unique<StringVecT>();
    list->data = std::move(names);
    return list;
}

// Tells an If what its inputs and outputs are called in its sub-graphs. A counted While goes by position.
void nameBorders(OpT& op, const Borders& borders) {
    IfParamT* param = op.main.AsIfParam();
    if (!param) return;
    const Border &yes = borders.at(param->then_graph), &no = borders.at(param->else_graph);
    param->aliases_inputs.push_back(strings({}));
    for (const std::string& name : yes.inputs) param->aliases_inputs.push_back(strings({name}));
    for (const std::string& name : no.inputs) param->aliases_inputs.push_back(strings({name}));
    for (size_t i = 0; i < yes.outputs.size(); ++i)
        param->aliases_outputs.push_back(strings({yes.outputs[i], no.outputs[i]}));
}

std::set<std::string> usedGraphs(const Graph& graph) {
    std::set<std::string> names;
    for (const auto& op : graph.ops) {
        if (const IfParamT* param = op->main.AsIfParam()) names.insert({param->then_graph, param->else_graph});
        if (const WhileParamT* param = op->main.AsWhileParam()) names.insert(param->body_graph);
    }
    return names;
}

// Moves the ops of `graph` to `to`, and the sub-graphs that they use to the net.
void writeOps(Graph& graph, Numbering& number, std::vector<std::unique_ptr<OpT>>& to, NetT& net) {
    Borders borders;
    const std::set<std::string> used = usedGraphs(graph);
    for (auto& inside : graph.subgraphs) {
        if (!used.count(inside->name)) continue;
        Numbering numberInside(*inside);
        auto made = std::make_unique<SubGraphProtoT>();
        made->name = inside->name;
        for (Value v : inside->inputs) made->inputs.push_back(numberInside(v));
        for (Value v : inside->outputs) made->outputs.push_back(numberInside(v));
        borders[inside->name] = {numberInside.namesOf(inside->inputs), numberInside.namesOf(inside->outputs)};
        writeOps(*inside, numberInside, made->nodes, net);
        made->tensors = numberInside.names();
        net.subgraphs.push_back(std::move(made));
    }
    for (auto& op : graph.ops) {
        nameBorders(*op, borders);
        for (int& v : op->inputIndexes) v = number(v);
        for (int& v : op->outputIndexes) v = number(v);
        to.push_back(std::move(op));
    }
}

}  // namespace

std::unique_ptr<NetT> toNet(Graph& graph, const WriteOptions& options) {
    auto net = std::make_unique<NetT>();
    Numbering number(graph);
    // Names of the model's own inputs and outputs are taken before any other tensor can want them.
    for (Value v : graph.inputs) number(v);
    for (Value v : graph.outputs) number(v);
    writeOps(graph, number, net->oplists, *net);
    for (Value v : graph.outputs) net->outputName.push_back(graph.tensors[v].name);
    net->tensorName = number.names();
    net->tensorNumber = static_cast<int>(net->tensorName.size());
    net->sourceType = graph.source;
    net->bizCode = options.bizCode;
    net->usage = Usage_INFERENCE;
    net->extraInfo = extraInfo(graph, options);
    graph = Graph();
    packForMNN(*net);
    return net;
}

}  // namespace Converter
}  // namespace MNN
