// If, Loop and Scan. A loop becomes a counted While: what its body takes from around it is handed through as one more
// carried value, and a Scan reads its slices by the number of the round.
#include <algorithm>
#include <climits>

#include "graph/BlobView.hpp"
#include "onnx/Families.hpp"

namespace MNN {
namespace Converter {

namespace {

// The sizes that both know alike.
void joinShape(TensorInfo& to, const TensorInfo& other) {
    to.rankKnown = to.rankKnown && other.rankKnown && to.dims.size() == other.dims.size();
    if (!to.rankKnown) to.dims.clear();
    for (size_t d = 0; d < to.dims.size(); ++d) {
        if (to.dims[d] != other.dims[d]) to.dims[d] = kUnknown;
    }
}

const TensorInfo& outputInfo(const InnerGraph& inner, size_t i) {
    return inner.graph->tensors[inner.graph->outputs[i]];
}

void setShape(Builder& b, Value value, const TensorInfo& like) {
    b.info(value).rankKnown = like.rankKnown;
    b.info(value).dims = like.dims;
}

Outputs importIf(Node& n) {
    Builder& b = n.b;
    if (const BlobT* known = b.constantOf(n.in(0))) {
        const BlobView view(*known);
        if (view.count != 1) n.fail("the condition must be one value");
        return n.inlinedGraph(view.at(0) != 0 ? "then_branch" : "else_branch");
    }
    InnerGraph yes = n.innerGraph("then_branch", {}), no = n.innerGraph("else_branch", {});
    const size_t count = yes.graph->outputs.size();
    if (count != no.graph->outputs.size() || count < n.outputs())
        n.fail("its branches have " + std::to_string(count) + " and " + std::to_string(no.graph->outputs.size()) +
               " outputs, the node has " + std::to_string(n.outputs()));
    std::vector<DataType> types;
    for (size_t i = 0; i < count; ++i) {
        types.push_back(outputInfo(yes, i).type);
        if (storedType(types[i]) != storedType(outputInfo(no, i).type))
            n.fail("output " + std::to_string(i) + " has another type in each branch");
    }
    std::vector<Value> in = {n.in(0)};
    in.insert(in.end(), yes.captured.begin(), yes.captured.end());
    in.insert(in.end(), no.captured.begin(), no.captured.end());
    IfParamT param;
    param.then_graph = yes.graph->name;
    param.else_graph = no.graph->name;
    const Outputs out = b.ops(OpType_If, std::move(param), in, types);
    for (size_t i = 0; i < count; ++i) {
        TensorInfo shape = outputInfo(yes, i);
        joinShape(shape, outputInfo(no, i));
        setShape(b, out[i], shape);
    }
    b.graph().subgraphs.push_back(std::move(yes.graph));
    b.graph().subgraphs.push_back(std::move(no.graph));
    return out;
}

// A loop under construction.
struct LoopPlan {
    Value trips = kNone, condition = kNone;
    std::vector<Value> carried;
    std::vector<Value> fixed;          // read by every round as they are
    GraphImporter::Prologue prologue;  // of the parameters round, condition, carried and fixed values
    bool bodyGivesCondition = true;    // as its first output
};

std::vector<TensorInfo> parametersOf(const Builder& b, const LoopPlan& plan) {
    std::vector<TensorInfo> parameters(2);
    parameters[0] = {"round", DataType_DT_INT64, true, {}};
    parameters[1] = b.info(plan.condition);
    parameters[1].name = "condition";
    for (const auto* values : {&plan.carried, &plan.fixed}) {
        for (Value v : *values) parameters.push_back(b.info(v));
    }
    return parameters;
}

// The first value's shape may not be that of later rounds: what the body does not confirm is not known. An output whose
// rank is not known is taken to keep the input's.
bool loosen(const InnerGraph& body, size_t first, size_t carried, std::vector<TensorInfo>& parameters) {
    bool changed = false;
    for (size_t i = 0; i < carried; ++i) {
        TensorInfo& p = parameters[2 + i];
        TensorInfo joined = p;
        const TensorInfo& next = outputInfo(body, first + i);
        if (next.rankKnown) {
            joinShape(joined, next);
        } else {
            std::fill(joined.dims.begin(), joined.dims.end(), kUnknown);
        }
        changed |= joined.rankKnown != p.rankKnown || joined.dims != p.dims;
        p = joined;
    }
    return changed;
}

// The carried values at the end, then what each round gave besides, stacked.
Outputs buildLoop(Node& n, const LoopPlan& plan) {
    Builder& b = n.b;
    const size_t carried = plan.carried.size(), first = plan.bodyGivesCondition ? 1 : 0;
    std::vector<TensorInfo> parameters = parametersOf(b, plan);
    InnerGraph body;
    do {
        body = n.innerGraph("body", parameters, plan.prologue);
        if (body.graph->outputs.size() < first + carried)
            n.fail("its body has " + std::to_string(body.graph->outputs.size()) + " outputs, at least " +
                   std::to_string(first + carried) + " are needed");
    } while (loosen(body, first, carried, parameters));
    std::vector<Value>& inner = body.graph->outputs;
    for (size_t i = 0; i < carried; ++i) {
        if (storedType(outputInfo(body, first + i).type) != storedType(b.type(plan.carried[i])))
            n.fail("carried value " + std::to_string(i) + " changes its type");
    }
    if (!plan.bodyGivesCondition) inner.insert(inner.begin(), body.graph->inputs[1]);
    // Fixed and captured values are handed through.
    const auto& inputs = body.graph->inputs;
    inner.insert(inner.begin() + 1 + carried, inputs.begin() + 2 + carried, inputs.end());

    std::vector<Value> in = {plan.trips, plan.condition};
    for (const std::vector<Value>& values : {plan.carried, plan.fixed, body.captured})
        in.insert(in.end(), values.begin(), values.end());
    std::vector<DataType> types;
    for (size_t i = 1; i < inner.size(); ++i)
        types.push_back(i + 1 < in.size() ? b.type(in[i + 1]) : outputInfo(body, i).type);
    WhileParamT param;
    param.body_graph = body.graph->name;
    Outputs out = b.ops(OpType_While, std::move(param), in, types);
    for (size_t i = 0; i < carried; ++i) setShape(b, out[i], parameters[2 + i]);
    for (size_t i = in.size() - 2; i < out.size(); ++i) {
        TensorInfo element = outputInfo(body, i + 1);
        element.dims.insert(element.dims.begin(), kUnknown);
        setShape(b, out[i], element);
    }
    b.graph().subgraphs.push_back(std::move(body.graph));
    out.erase(out.begin() + carried, out.begin() + (in.size() - 2));
    return out;
}

Outputs importLoop(Node& n) {
    Builder& b = n.b;
    LoopPlan plan;
    plan.trips = n.has(0) ? n.in(0) : b.integer(INT_MAX, DataType_DT_INT64);
    plan.condition = n.has(1) ? n.in(1) : b.integer(1, DataType_DT_BOOL);
    for (size_t i = 2; i < n.inputs(); ++i) {
        if (b.isSequence(n.in(i)))
            n.fail("carried value " + std::to_string(i - 2) + " is a sequence; only tensors can be carried");
        plan.carried.push_back(n.in(i));
    }
    const Outputs out = buildLoop(n, plan);
    if (out.size() < n.outputs()) n.fail("its body gives fewer values than the node has outputs");
    return out;
}

// An attribute with one entry for each of `count` values, absent: all 0.
std::vector<int> perValue(Node& n, const char* key, size_t count) {
    std::vector<int> values = n.ints(key);
    if (values.empty()) values.assign(count, 0);
    if (values.size() != count)
        n.fail(std::string("attribute '") + key + "' has " + std::to_string(values.size()) + " entries for " +
               std::to_string(count) + " values");
    return values;
}

struct ScanPlan {
    std::vector<Value> states, scanned;
    std::vector<int> axes, reversed;  // of what is scanned; axes are not negative
};

Outputs buildScan(Node& n, const ScanPlan& scan) {
    Builder& b = n.b;
    LoopPlan plan;
    plan.trips = b.axisSize(scan.scanned[0], scan.axes[0]);
    plan.condition = b.integer(1, DataType_DT_BOOL);
    plan.carried = scan.states;
    plan.fixed = scan.scanned;
    plan.bodyGivesCondition = false;
    plan.prologue = [&](Builder& inside, const std::vector<Value>& given) {
        const size_t states = scan.states.size();
        std::vector<Value> arguments(given.begin() + 2, given.begin() + 2 + states);
        for (size_t i = 0; i < scan.scanned.size(); ++i) {
            const Value whole = given[2 + states + i];
            Value at = given[0];
            if (scan.reversed[i]) {
                const Value last = inside.sub(inside.squeeze(inside.axisSize(whole, scan.axes[i]), {0}),
                                              inside.integer(1, DataType_DT_INT64));
                at = inside.sub(last, at);
            }
            arguments.push_back(inside.gather(whole, at, scan.axes[i]));
        }
        return arguments;
    };
    return buildLoop(n, plan);
}

// A stacked output with its first axis turned round or moved, as asked.
Value arrange(Node& n, Value stacked, int axis, bool reversed) {
    Builder& b = n.b;
    if (reversed) stacked = b.slice(stacked, {-1}, {INT_MIN}, {0}, {-1});
    if (axis == 0) return stacked;
    if (!b.rankKnown(stacked))
        n.fail("the rank of a scan output is not known, so it cannot be joined on axis " + std::to_string(axis));
    const int rank = b.rank(stacked);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) n.fail("a scan output axis is outside its " + std::to_string(rank) + " axes");
    std::vector<int> perm;
    for (int d = 1; d < rank; ++d) perm.push_back(d);
    perm.insert(perm.begin() + axis, 0);
    return b.permute(stacked, perm);
}

size_t scanInputs(Node& n, size_t others) {
    const int count = n.i("num_scan_inputs", 0);
    if (count < 1 || n.inputs() < others + static_cast<size_t>(count))
        n.fail("num_scan_inputs is " + std::to_string(count) + ", the node has " + std::to_string(n.inputs()) +
               " inputs");
    return static_cast<size_t>(count);
}

Outputs importScan(Node& n) {
    ScanPlan scan;
    const size_t count = scanInputs(n, 0), states = n.inputs() - count;
    for (size_t i = 0; i < n.inputs(); ++i) (i < states ? scan.states : scan.scanned).push_back(n.in(i));
    scan.axes = perValue(n, "scan_input_axes", count);
    scan.reversed = perValue(n, "scan_input_directions", count);
    for (size_t i = 0; i < count; ++i) {
        if (scan.axes[i] < 0) scan.axes[i] += n.rank(states + i);
        if (scan.axes[i] < 0) n.fail("a scan input axis is outside its input's axes");
    }
    Outputs out = buildScan(n, scan);
    const size_t stacks = out.size() - states;
    const std::vector<int> axes = perValue(n, "scan_output_axes", stacks);
    const std::vector<int> reversed = perValue(n, "scan_output_directions", stacks);
    for (size_t i = 0; i < stacks; ++i) out[states + i] = arrange(n, out[states + i], axes[i], reversed[i] != 0);
    return out;
}

constexpr int kMostBatches = 64;

// The first form of Scan: every input has a batch axis in front, and each batch is scanned for itself.
Outputs importScan8(Node& n) {
    Builder& b = n.b;
    const size_t count = scanInputs(n, 1), states = n.inputs() - count - 1;
    if (n.has(0)) n.fail("sequence_lens is not supported; export with opset 9 or later");
    const std::vector<int> reversed = perValue(n, "directions", count);
    const int batches = b.size(n.in(1), 0);
    if (batches < 1 || batches > kMostBatches)
        n.fail("the number of batches must be known, from 1 to 64; export with opset 9 or later");
    std::vector<std::vector<Value>> parts;
    for (int batch = 0; batch < batches; ++batch) {
        ScanPlan scan;
        for (size_t i = 0; i + 1 < n.inputs(); ++i)
            (i < states ? scan.states : scan.scanned).push_back(b.gather(n.in(i + 1), b.integer(batch), 0));
        scan.axes.assign(count, 0);
        scan.reversed = reversed;
        const Outputs out = buildScan(n, scan);
        parts.resize(out.size());
        for (size_t i = 0; i < out.size(); ++i) parts[i].push_back(b.unsqueeze(out[i], {0}));
    }
    Outputs joined;
    for (const auto& part : parts) joined.push_back(b.concat(part, 0));
    return joined;
}

const OpImporter kRows[] = {
    {"If", 1, importIf},
    {"Loop", 1, importLoop},
    {"Scan", 8, importScan8},
    {"Scan", 9, importScan},
};

}  // namespace

OpFamily controlOps() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

}  // namespace Converter
}  // namespace MNN
