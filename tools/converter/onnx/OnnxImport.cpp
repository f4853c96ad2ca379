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

class Importer {
public:
    Importer(const OnnxModel& model, const ImportOptions& options)
        : mModel(model), mOptions(options), mBuilder(mGraph) {
        mBuilder.foldShapes = options.staticShapes;
    }

    Graph run() {
        for (const auto& init : mModel.proto.graph().initializer()) mInitializers[init.name()] = &init;
        addInputs();
        for (const FlatNode& node : flatten(mModel)) importNode(node);
        if (!mFaults.empty()) throw ConvertError(faultReport());
        addOutputs();
        for (const auto& entry : mModel.proto.metadata_props()) mGraph.metadata.push_back({entry.key(), entry.value()});
        return std::move(mGraph);
    }

private:
    void addInputs() {
        for (const auto& input : mModel.proto.graph().input()) {
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
            if (mOptions.batch > 0 && !dims.empty() && dims[0] < 0) dims[0] = mOptions.batch;
            if (const auto wanted = mOptions.inputDims.find(input.name()); wanted != mOptions.inputDims.end()) {
                checkWanted(input.name(), rankKnown, dims, wanted->second);
                dims = wanted->second;
                rankKnown = true;
            }
            const Value value = mBuilder.input(input.name(), element, rankKnown, dims);
            if (!mValues.emplace(input.name(), value).second)
                throw ConvertError("graph input '" + input.name() + "' is declared twice");
        }
        for (const auto& wanted : mOptions.inputDims) {
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
        const auto init = mInitializers.find(name);
        if (init == mInitializers.end()) throw ConvertError("input '" + name + "' is made by no node");
        mBuilder.setScope(name);
        BlobT blob = decodeTensor(*init->second, mModel.path, "initializer '" + name + "'");
        const Value value = mBuilder.constant(std::move(blob), dataTypeOf(init->second->data_type()));
        rename(value, name);
        return mValues[name] = value;
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
            if (!importer && !mOptions.allowCustomOps) throw ConvertError(whyUnknown(domain, proto.op_type()));
            if (spoiled) throw ConvertError("");
            std::vector<Value> inputs;
            for (const auto& name : proto.input()) inputs.push_back(name.empty() ? kNone : lookup(name));
            const Value firstNew = static_cast<Value>(mGraph.tensors.size());
            mBuilder.setScope(!proto.name().empty()     ? proto.name()
                              : proto.output_size() > 0 ? proto.output(0)
                                                        : proto.op_type());
            Node context(node, mBuilder, std::move(inputs), opset, mModel);
            bindOutputs(proto, importer ? importer->build(context) : keepCustomOp(context), firstNew);
        } catch (const ConvertError& error) {
            // A node behind a faulty one says nothing new.
            if (*error.what()) {
                mFaults.push_back(nodeTitle(proto) + " (opset " + std::to_string(opset) + "): " + error.what());
                ++mFaultCounts[proto.op_type()];
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
        for (const auto& output : mModel.proto.graph().output()) {
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
        if (op == "If" || op == "Loop" || op == "Scan")
            return "control flow is not supported yet; export with a constant condition or an unrolled loop";
        return "not supported; the nearest name that is: " + nearestOp(op);
    }

    std::string faultReport() const {
        std::string text = std::to_string(mFaults.size()) + " node(s) cannot be converted:";
        for (const std::string& fault : mFaults) text += "\n  " + fault;
        text += "\n by op:";
        for (const auto& entry : mFaultCounts) text += " " + entry.first + " x" + std::to_string(entry.second);
        return text;
    }

    const OnnxModel& mModel;
    const ImportOptions& mOptions;
    Graph mGraph;
    Builder mBuilder;
    std::unordered_map<std::string, const onnx::TensorProto*> mInitializers;
    std::unordered_map<std::string, Value> mValues;
    std::unordered_map<std::string, std::string> mAbsent;  // outputs that importers do not make, and why
    std::set<Value> mNamed;
    std::set<std::string> mSpoiled;
    std::vector<std::string> mFaults;
    std::map<std::string, int> mFaultCounts;
};

}  // namespace

Graph importOnnx(const OnnxModel& model, const ImportOptions& options) { return Importer(model, options).run(); }

}  // namespace Converter
}  // namespace MNN
