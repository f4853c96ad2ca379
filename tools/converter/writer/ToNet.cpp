#include <set>

#include "writer/ModelWriter.hpp"

namespace MNN {
namespace Converter {

namespace {

class Numbering {
public:
    explicit Numbering(const Graph& graph) : mGraph(graph), mNew(graph.tensors.size(), -1) {}

    int operator()(Value value) {
        if (mNew[value] < 0) {
            mNew[value] = static_cast<int>(mNames.size());
            std::string name = mGraph.tensors[value].name;
            while (!mTaken.insert(name).second) name += "_" + std::to_string(value);
            mNames.push_back(name);
        }
        return mNew[value];
    }
    std::vector<std::string> names() { return std::move(mNames); }

private:
    const Graph& mGraph;
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

}  // namespace

std::unique_ptr<NetT> toNet(Graph& graph, const WriteOptions& options) {
    auto net = std::make_unique<NetT>();
    Numbering number(graph);
    // Names of the model's own inputs and outputs are taken before any other tensor can want them.
    for (Value v : graph.inputs) number(v);
    for (Value v : graph.outputs) number(v);
    for (auto& op : graph.ops) {
        for (int& v : op->inputIndexes) v = number(v);
        for (int& v : op->outputIndexes) v = number(v);
        net->oplists.push_back(std::move(op));
    }
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
