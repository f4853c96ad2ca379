#include "shape/Rules.hpp"

namespace MNN {
namespace shape {
namespace {

bool setIf(const Rule& r, size_t output, const Dims& dims) {
    return output >= r.outputs.size() || r.setLike(output, dims);
}

// ONNX's form. In: x [steps, batch, features], W [directions, gates * hidden, features], R [directions, gates * hidden,
// hidden], bias [directions, 2 * gates * hidden], initial states [directions, batch, hidden].
// Out: every step [steps, directions, batch, hidden], then the last states [directions, batch, hidden].
bool recurrent(const Rule& r, int64_t gates) {
    if (!r.arity(3) || !r.rankBetween(0, 3, 3) || !r.rankBetween(1, 3, 3) || !r.rankBetween(2, 3, 3)) return false;
    const int64_t steps = r.length(0, 0), batch = r.length(0, 1), features = r.length(0, 2);
    const int64_t directions = r.length(1, 0), hidden = r.length(2, 2);
    const Dims weights{directions, gates * hidden, features}, recurrence{directions, gates * hidden, hidden};
    if (directions != 1 && directions != 2) return r.fail("%lld directions", static_cast<long long>(directions));
    if (dimsOf(r.inputs[1]) != weights) return r.fail("input 1 must be %s", text(weights).c_str());
    if (dimsOf(r.inputs[2]) != recurrence) return r.fail("input 2 must be %s", text(recurrence).c_str());
    const int64_t bias = directions * gates * hidden;
    if (r.has(3)) {
        const int64_t have = TensorUtils::elements(r.inputs[3]);
        if (have != bias && have != 2 * bias)
            return r.fail("the bias must have %lld numbers", static_cast<long long>(2 * bias));
    }
    for (size_t i = 4; i < r.inputs.size(); ++i) {
        if (r.has(i) && TensorUtils::elements(r.inputs[i]) != product({directions, batch, hidden})) {
            return r.fail("input %zu must be an initial state [%lld,%lld,%lld]", i, static_cast<long long>(directions),
                          static_cast<long long>(batch), static_cast<long long>(hidden));
        }
    }
    const Dims state{directions, batch, hidden};
    return r.setLike(0, {steps, directions, batch, hidden}) && setIf(r, 1, state) && setIf(r, 2, state);
}

bool checkBlob(const Rule& r, const char* what, const Blob* blob, int64_t count) {
    const int64_t have = blob && blob->float32s() ? blob->float32s()->size() : 0;
    if (have == 0 || have == count) return true;
    return r.fail("%s has %lld numbers, %lld are needed", what, static_cast<long long>(have),
                  static_cast<long long>(count));
}

}  // namespace

bool inferLstm(const Rule& r) {
    if (!r.arity(1)) return false;
    if (r.inputs.size() > 1) return recurrent(r, 4);
    // Caffe's form holds the weights: the last dimension becomes the hidden size.
    const auto* p = r.param<LSTM>();
    if (p == nullptr || !r.rankBetween(0, 2, 4)) return false;
    if (p->outputCount() <= 0) return r.fail("outputCount %d must be positive", p->outputCount());
    Dims dims = dimsOf(r.inputs[0]);
    const int64_t features = dims.back(), hidden = p->outputCount();
    if (!checkBlob(r, "weightI", p->weightI(), product({4, hidden, features})) ||
        !checkBlob(r, "weightH", p->weightH(), product({4, hidden, hidden})) ||
        !checkBlob(r, "bias", p->bias(), product({4, hidden}))) {
        return false;
    }
    dims.back() = hidden;
    return r.setLike(0, dims);
}

bool inferRnn(const Rule& r) { return recurrent(r, 1); }

namespace {

bool checkGruTable(const Rule& r, const RNNParam* p, int64_t inputs, int64_t units) {
    if (p->fwGateWeight() == nullptr || p->fwCandidateWeight() == nullptr) return r.fail("the weights are missing");
    if (p->isBidirectionalRNN() && (p->bwGateWeight() == nullptr || p->bwCandidateWeight() == nullptr)) {
        return r.fail("the backward weights are missing");
    }
    return checkBlob(r, "fwGateWeight", p->fwGateWeight(), product({inputs, 2, units})) &&
           checkBlob(r, "fwCandidateWeight", p->fwCandidateWeight(), product({inputs, units})) &&
           checkBlob(r, "bwGateWeight", p->bwGateWeight(), product({inputs, 2, units})) &&
           checkBlob(r, "bwCandidateWeight", p->bwCandidateWeight(), product({inputs, units})) &&
           checkBlob(r, "fwGateBias", p->fwGateBias(), 2 * units) &&
           checkBlob(r, "fwCandidateBias", p->fwCandidateBias(), units) &&
           checkBlob(r, "bwGateBias", p->bwGateBias(), 2 * units) &&
           checkBlob(r, "bwCandidateBias", p->bwCandidateBias(), units);
}

// Per direction: gate weights, gate bias, candidate weights, candidate bias, recurrent bias.
bool checkGruInputs(const Rule& r, int64_t directions, int64_t inputs, int64_t units) {
    const int64_t counts[5] = {product({inputs, 2, units}), 2 * units, product({inputs, units}), units, 3 * units};
    for (int64_t i = 0; i < 5 * directions; ++i) {
        const auto at = static_cast<size_t>(i + 1);
        if (!r.has(at)) return r.fail("needs five weight inputs for each direction");
        const int64_t have = TensorUtils::elements(r.inputs[at]), want = counts[i % 5];
        // The recurrent bias may be the hidden gate's alone.
        if (have == want || (i % 5 == 4 && have == units)) continue;
        return r.fail("input %zu has %lld numbers, %lld are needed", at, static_cast<long long>(have),
                      static_cast<long long>(want));
    }
    return true;
}

}  // namespace

// In: x [steps, batch, features], the weights where the table holds none, the initial state where it is given.
// Out: every step (keepAllOutputs), the last state.
bool inferGru(const Rule& r) {
    if (!r.arity(1) || !r.rankBetween(0, 3, 3)) return false;
    const auto* p = r.param<RNNParam>();
    if (p == nullptr) return false;
    const int64_t units = p->numUnits(), directions = p->isBidirectionalRNN() ? 2 : 1;
    const int64_t steps = r.length(0, 0), batch = r.length(0, 1), features = r.length(0, 2);
    if (units <= 0) return r.fail("numUnits %d must be positive", p->numUnits());
    const bool inputs = r.inputs.size() > 2;
    if (!(inputs ? checkGruInputs(r, directions, features + units, units)
                 : checkGruTable(r, p, features + units, units)))
        return false;
    const Dims state{directions, batch, units};
    if (!p->keepAllOutputs()) return r.setLike(0, state);
    return r.setLike(0, {steps, directions, batch, units}) && setIf(r, 1, state);
}

// In: x [batch, features], c, h [batch, cells], w [features + cells, 4 * cells], three peepholes, bias. Seven outputs,
// all [batch, cells].
bool inferLstmBlockCell(const Rule& r) {
    if (!r.arity(8) || !r.rankBetween(0, 2, 2) || !r.rankBetween(1, 2, 2)) return false;
    if (r.param<LSTMBlockCell>() == nullptr) return false;
    const int64_t batch = r.length(0, 0), cells = r.length(1, 1);
    const Dims state{batch, cells}, weights{r.length(0, 1) + cells, 4 * cells};
    if (dimsOf(r.inputs[1]) != state || dimsOf(r.inputs[2]) != state)
        return r.fail("states must be %s", text(state).c_str());
    if (dimsOf(r.inputs[3]) != weights) return r.fail("the weights must be %s", text(weights).c_str());
    if (TensorUtils::elements(r.inputs[7]) != 4 * cells)
        return r.fail("the bias must have %lld numbers", static_cast<long long>(4 * cells));
    for (size_t i = 0; i < r.outputs.size(); ++i) {
        if (!r.setLike(i, state)) return false;
    }
    return true;
}

}  // namespace shape
}  // namespace MNN
