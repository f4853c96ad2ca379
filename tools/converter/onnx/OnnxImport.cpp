#include "onnx/OnnxImport.hpp"

#include <map>
#include <set>
#include <unordered_map>

#include "onnx/CustomOp.hpp"
#include "onnx/OnnxGraph.hpp"
#include "onnx/OnnxNode.hpp"

namespace MNN {
namespace Converter {

namespace {

constexpr int kMaxDepth = 16;

// What the imports of a model's graphs share.
struct Shared {
    const OnnxModel& model;
    const ImportOptions& options;
    std::vector<std::string> faults;
    std::map<std::string, int> faultCounts;
    int graphs = 0;  // that became graphs of their own
};

// Imports one graph: the model's own, or a branch or body of a node of `around`.
class Importer {
public:
    Importer(Shared& shared, const onnx::GraphProto& proto, Builder& builder, Importer* around = nullptr)
        : mShared(shared),
          mProto(proto),
          mBuilder(builder),
          mGraph(builder.graph()),
          mAround(around),
          mDepth(around ? around->mDepth + 1 : 0) {
        if (mDepth > kMaxDepth) throw ConvertError("graphs nest more than 16 deep");
        for (const auto& init : mProto.initializer()) mInitializers[init.name()] = &init;
    }

    void importModel() {
        addInputs();
        for (const FlatNode& node : flatten(mShared.model)) importNode(node);
        if (!mShared.faults.empty()) throw ConvertError(faultReport());
        addOutputs();
        for (const auto& entry : mShared.model.proto.metadata_props())
            mGraph.metadata.push_back({entry.key(), entry.value()});
    }

    // The graph's outputs when its inputs have these values.
    std::vector<Value> importInner(const std::vector<Value>& arguments, const std::shared_ptr<const Opsets>& opsets) {
        if (static_cast<size_t>(mProto.input_size()) != arguments.size())
            throw ConvertError("graph '" + mProto.name() + "' has " + std::to_string(mProto.input_size()) +
                               " inputs, the node gives it " + std::to_string(arguments.size()));
        for (int i = 0; i < mProto.input_size(); ++i) mValues[mProto.input(i).name()] = arguments[i];
        const size_t faults = mShared.faults.size();
        for (const FlatNode& node : flatten(mShared.model, mProto, opsets)) importNode(node);
        if (mShared.faults.size() > faults) throw ConvertError("");
        std::vector<Value> outputs;
        for (const auto& output : mProto.output()) outputs.push_back(lookup(output.name()));
        return outputs;
    }

    // What it took from `around`, in the order of the inputs that it made for it.
    const std::vector<Value>& captured() const { return mCaptured; }

private:
    // The graphs of one node.
    class Graphs final : public GraphImporter {
    public:
        Graphs(Importer& around, const FlatNode& node) : mAround(around), mNode(node) {}

        InnerGraph apart(const char* key, const onnx::GraphProto& proto, const std::vector<TensorInfo>& parameters,
                         const Prologue& prologue) override {
            InnerGraph made;
            made.graph = std::make_unique<Graph>();
            made.graph->name = mNode.proto.name() + "/" + key + "_" + std::to_string(++mAround.mShared.graphs);
            Builder builder(*made.graph);
            builder.foldShapes = mAround.mBuilder.foldShapes;
            std::vector<Value> values;
            for (const TensorInfo& p : parameters) values.push_back(builder.input(p.name, p.type, p.rankKnown, p.dims));
            Importer inner(mAround.mShared, proto, builder, &mAround);
            builder.setScope(key);
            made.graph->outputs = inner.importInner(prologue ? prologue(builder, values) : values, mNode.opsets);
            for (Value v : made.graph->outputs) {
                if (builder.isSequence(v))
                    throw ConvertError("output '" + builder.info(v).name + "' of its graph '" + proto.name() +
                                       "' is a sequence; only tensors can leave a graph");
            }
            made.captured = inner.captured();
            return made;
        }
        Outputs inlined(const onnx::GraphProto& proto) override {
            return Importer(mAround.mShared, proto, mAround.mBuilder, &mAround).importInner({}, mNode.opsets);
        }

    private:
        Importer& mAround;
        const FlatNode& mNode;
    };

    void addInputs() {
        for (const auto& input : mProto.input()) {
            if (mInitializers.count(input.name())) continue;
            const auto& type = input.type();
            if (!type.has_tensor_type())
                throw ConvertError("graph input '" + input.name() +
                                   "' is not a tensor; sequences, maps and optionals "
                                   "cannot enter a model");
            const DataType element = dataTypeOf(type.tensor_type().elem_type());
            if (element == DataType_DT_STRING)
                throw ConvertError("graph input '" + input.name() + "' is a string tensor, which is not supported");
            Dims dims;
            for (const auto& d : type.tensor_type().shape().dim()) {
                const bool known = d.has_dim_value() && d.dim_value() >= 0 && d.dim_value() <= INT32_MAX;
                dims.push_back(known ? static_cast<int>(d.dim_value()) : kUnknown);
            }
            bool rankKnown = type.tensor_type().has_shape();
            if (mShared.options.batch > 0 && !dims.empty() && dims[0] < 0) dims[0] = mShared.options.batch;
            if (const auto wanted = mShared.options.inputDims.find(input.name());
                wanted != mShared.options.inputDims.end()) {
                checkWanted(input.name(), rankKnown, dims, wanted->second);
                dims = wanted->second;
                rankKnown = true;
            }
            const Value value = mBuilder.input(input.name(), element, rankKnown, dims);
            if (!mValues.emplace(input.name(), value).second)
                throw ConvertError("graph input '" + input.name() + "' is declared twice");
        }
        for (const auto& wanted : mShared.options.inputDims) {
            if (!mValues.count(wanted.first)) throw ConvertError("the model has no input '" + wanted.first + "'");
        }
    }

    static void checkWanted(const std::string& name, bool rankKnown, const Dims& declared, const Dims& wanted) {
        bool fits = !rankKnown || declared.size() == wanted.size();
        for (size_t i = 0; fits && i < declared.size(); ++i) fits = declared[i] < 0 || declared[i] == wanted[i];
        if (!fits)
            throw ConvertError("input '" + name + "' is declared " + describe(declared) + ", not " + describe(wanted));
    }

    // Weights become constants when the first node reads them.
    Value lookup(const std::string& name) {
        const auto known = mValues.find(name);
        if (known != mValues.end()) return known->second;
        const auto absent = mAbsent.find(name);
        if (absent != mAbsent.end()) throw ConvertError(absent->second);
        if (mSpoiled.count(name)) throw ConvertError("");
        const auto init = mInitializers.find(name);
        if (init == mInitializers.end()) return mValues[name] = capture(name);
        mBuilder.setScope(name);
        BlobT blob = decodeTensor(*init->second, mShared.model.path, "initializer '" + name + "'");
        const Value value = mBuilder.constant(std::move(blob), dataTypeOf(init->second->data_type()));
        rename(value, name);
        return mValues[name] = value;
    }

    // A name of a graph around this one. Constants are repeated, so that what is computed from them is folded here too;
    // everything else becomes an input.
    Value capture(const std::string& name) {
        if (!mAround) throw ConvertError("input '" + name + "' is made by no node");
        const Value outer = mAround->lookup(name);
        const Builder& around = mAround->mBuilder;
        if (&around == &mBuilder) return outer;
        if (around.isSequence(outer))
            throw ConvertError("'" + name + "' is a sequence, which cannot enter a branch or a loop");
        if (const BlobT* constant = around.constantOf(outer)) {
            const Value value = mBuilder.constant(BlobT(*constant), around.type(outer));
            rename(value, name);
            return value;
        }
        const TensorInfo info = around.info(outer);
        mCaptured.push_back(outer);
        return mBuilder.input(name, info.type, info.rankKnown, info.dims);
    }

    void importNode(const FlatNode& node) {
        const onnx::NodeProto& proto = node.proto;
        const std::string domain = normalDomain(proto.domain());
        const auto set = node.opsets->find(domain);
        const int opset = set != node.opsets->end() ? set->second : 1;
        const OpImporter* importer = findImporter(domain, proto.op_type(), opset);
        bool spoiled = false;
        for (const auto& name : proto.input()) spoiled |= mSpoiled.count(name) > 0;
        try {
            if (!importer && !mShared.options.allowCustomOps) throw ConvertError(whyUnknown(domain, proto.op_type()));
            if (spoiled) throw ConvertError("");
            std::vector<Value> inputs;
            for (const auto& name : proto.input()) inputs.push_back(name.empty() ? kNone : lookup(name));
            const Value firstNew = static_cast<Value>(mGraph.tensors.size());
            mBuilder.setScope(!proto.name().empty()     ? proto.name()
                              : proto.output_size() > 0 ? proto.output(0)
                                                        : proto.op_type());
            Graphs graphs(*this, node);
            Node context(node, mBuilder, std::move(inputs), opset, mShared.model, graphs);
            bindOutputs(proto, importer ? importer->build(context) : keepCustomOp(context), firstNew);
        } catch (const ConvertError& error) {
            // A node behind a faulty one says nothing new.
            if (*error.what()) {
                mShared.faults.push_back(nodeTitle(proto) + " (opset " + std::to_string(opset) + "): " + error.what());
                ++mShared.faultCounts[proto.op_type()];
            }
            for (const auto& name : proto.output()) mSpoiled.insert(name);
        }
    }

    void bindOutputs(const onnx::NodeProto& proto, const Outputs& outputs, Value firstNew) {
        for (int i = 0; i < proto.output_size(); ++i) {
            const std::string& name = proto.output(i);
            if (name.empty()) continue;
            // Old exporters list outputs that nothing reads; only a reader makes a missing one a fault.
            if (static_cast<size_t>(i) >= outputs.size() || outputs[i] == kNone) {
                mAbsent[name] = "output " + std::to_string(i) + " of " + nodeTitle(proto) + " is not supported";
                continue;
            }
            mValues[name] = outputs[i];
            if (outputs[i] >= firstNew && !mNamed.count(outputs[i])) rename(outputs[i], name);
        }
    }

    void rename(Value value, const std::string& name) {
        mBuilder.info(value).name = name;
        mNamed.insert(value);
        for (size_t i = mGraph.ops.size(); i-- > 0;) {
            OpT& op = *mGraph.ops[i];
            if (op.outputIndexes.empty() || op.outputIndexes[0] != value) continue;
            op.name = name;
            return;
        }
    }

    // Every output is a tensor of its own with the model's name, even when it repeats an input or another output.
    void addOutputs() {
        std::set<Value> taken(mGraph.inputs.begin(), mGraph.inputs.end());
        for (const auto& output : mProto.output()) {
            const bool known =
                mValues.count(output.name()) || mInitializers.count(output.name()) || mAbsent.count(output.name());
            if (!known) throw ConvertError("graph output '" + output.name() + "' is made by no node");
            Value value = lookup(output.name());
            if (mBuilder.isSequence(value))
                throw ConvertError("graph output '" + output.name() +
                                   "' is a sequence; only tensors can leave a model");
            if (!taken.insert(value).second || mBuilder.info(value).name != output.name()) {
                mBuilder.setScope(output.name());
                value = mBuilder.plain(OpType_Identity, {value});
                rename(value, output.name());
                taken.insert(value);
            }
            mGraph.outputs.push_back(value);
        }
    }

    static std::string whyUnknown(const std::string& domain, const std::string& op) {
        if (const OpImporter* newer = findImporter("", op, 1000); newer && domain.empty())
            return "this op exists from opset " + std::to_string(newer->since) +
                   " on; export with that opset or a later one";
        if (!domain.empty())
            return "not an op of ai.onnx, and the model holds no local function of that name; export with standard ops";
        return "not supported; the nearest name that is: " + nearestOp(op);
    }

    std::string faultReport() const {
        std::string text = std::to_string(mShared.faults.size()) + " node(s) cannot be converted:";
        for (const std::string& fault : mShared.faults) text += "\n  " + fault;
        text += "\n by op:";
        for (const auto& entry : mShared.faultCounts) text += " " + entry.first + " x" + std::to_string(entry.second);
        return text;
    }

    Shared& mShared;
    const onnx::GraphProto& mProto;
    Builder& mBuilder;
    Graph& mGraph;
    Importer* mAround;
    const int mDepth;
    std::unordered_map<std::string, const onnx::TensorProto*> mInitializers;
    std::unordered_map<std::string, Value> mValues;
    std::unordered_map<std::string, std::string> mAbsent;  // outputs that importers do not make, and why
    std::vector<Value> mCaptured;
    std::set<Value> mNamed;
    std::set<std::string> mSpoiled;
};

}  // namespace

Graph importOnnx(const OnnxModel& model, const ImportOptions& options) {
    Shared shared{model, options, {}, {}, 0};
    Graph graph;
    Builder builder(graph);
    builder.foldShapes = options.staticShapes;
    Importer(shared, model.proto.graph(), builder).importModel();
    return graph;
}

}  // namespace Converter
}  // namespace MNN
