// Recurrent layers: Extra LSTM, GRU and RNN (ONNX), the LSTM and RNN ops of the tables, and RNNSequenceGRU.
#include <algorithm>
#include "backend/cpu/executions/PlainTensors.hpp"
#include "backend/cpu/executions/RecurrentLayer.hpp"
#include "core/ExtraAttributes.hpp"

namespace MNN {
namespace {

// Inputs by their place in ONNX.
enum Slot { kX, kW, kR, kB, kLengths, kHidden0, kCell0, kPeephole, kSlots };

struct InputPlaces {
    int at[kSlots] = {0, 1, 2, -1, -1, -1, -1, -1};  // -1: absent
    const Tensor* find(const Tensors& inputs, Slot slot) const { return at[slot] < 0 ? nullptr : inputs[at[slot]]; }
    const float* floats(const Tensors& inputs, Slot slot) const {
        const Tensor* t = find(inputs, slot);
        return t == nullptr ? nullptr : t->host<float>();
    }
};

// In: x, w, r and more by place. Out: y [, last hidden [, last cell]].
class CPURecurrent final : public Execution {
public:
    CPURecurrent(CPUBackend* backend, const RecurrentRule& rule, const InputPlaces& places, bool biasIsSum,
                 std::string name)
        : Execution(backend), mLayer(backend, rule), mPlaces(places), mBiasIsSum(biasIsSum), mName(std::move(name)) {}

    bool packConstants(const Tensors& inputs) {
        for (Slot slot : {kW, kR}) {
            const Tensor* t = inputs[mPlaces.at[slot]];
            if (TensorUtils::describe(t)->usage != TensorUsage::Constant || t->host<float>() == nullptr) return true;
        }
        RecurrentWeights weights[2];
        gather(inputs, weights);
        return mLayer.packAhead(weights);
    }

    ErrorCode onResize(const Tensors& inputs, const Tensors& outputs) override {
        const RecurrentRule& rule = mLayer.rule();
        mSteps = inputs[0]->length(rule.batchFirst ? 1 : 0);
        mBatch = inputs[0]->length(rule.batchFirst ? 0 : 1);
        if (inputs[0]->length(2) != rule.features || !fits(inputs, outputs)) {
            return fault(INPUT_DATA_ERROR, mName, inputs, "inputs or outputs have the wrong number of elements");
        }
        return mLayer.resize(mSteps, mBatch);
    }

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        RecurrentData data;
        const Tensor* lengths = mPlaces.find(inputs, kLengths);
        if (lengths != nullptr) {
            data.lengths = lengths->host<int32_t>();
            for (int b = 0; b < mBatch; ++b) {
                if (data.lengths[b] < 0 || data.lengths[b] > mSteps) {
                    return fault(INVALID_VALUE, mName, inputs, "a sequence length is out of range");
                }
            }
        }
        data.x = inputs[0]->host<float>();
        data.firstHidden = mPlaces.floats(inputs, kHidden0);
        data.firstCell = mPlaces.floats(inputs, kCell0);
        data.y = outputs[0]->host<float>();
        if (outputs.size() > 1) data.lastHidden = outputs[1]->host<float>();
        if (outputs.size() > 2) data.lastCell = outputs[2]->host<float>();
        RecurrentWeights weights[2];
        gather(inputs, weights);
        mLayer.run(weights, data);
        return NO_ERROR;
    }

private:
    bool fits(const Tensors& inputs, const Tensors& outputs) const {
        const RecurrentRule& rule = mLayer.rule();
        const int64_t rows = int64_t(rule.directions) * rule.gates() * rule.hidden;
        const int64_t state = int64_t(rule.directions) * mBatch * rule.hidden;
        const int64_t counts[kSlots] = {int64_t(mSteps) * mBatch * rule.features,
                                        rows * rule.features,
                                        rows * rule.hidden,
                                        mBiasIsSum ? rows : 2 * rows,
                                        mBatch,
                                        state,
                                        state,
                                        int64_t(3) * rule.directions * rule.hidden};
        for (int slot = 0; slot < kSlots; ++slot) {
            const Tensor* t = mPlaces.find(inputs, static_cast<Slot>(slot));
            if (t != nullptr && TensorUtils::elements(t) != counts[slot]) return false;
        }
        for (size_t i = 0; i < outputs.size(); ++i) {
            if (TensorUtils::elements(outputs[i]) != (i == 0 ? state * mSteps : state)) return false;
        }
        return true;
    }

    void gather(const Tensors& inputs, RecurrentWeights* weights) const {
        const RecurrentRule& rule = mLayer.rule();
        const int64_t rows = int64_t(rule.gates()) * rule.hidden;
        const float* bias = mPlaces.floats(inputs, kB);
        const float* peephole = mPlaces.floats(inputs, kPeephole);
        for (int d = 0; d < rule.directions; ++d) {
            weights[d].w = mPlaces.floats(inputs, kW) + d * rows * rule.features;
            weights[d].r = mPlaces.floats(inputs, kR) + d * rows * rule.hidden;
            if (bias != nullptr) weights[d].inputBias = bias + d * rows * (mBiasIsSum ? 1 : 2);
            if (bias != nullptr && !mBiasIsSum) weights[d].stateBias = weights[d].inputBias + rows;
            if (peephole != nullptr) weights[d].peephole = peephole + d * 3 * rule.hidden;
        }
    }

    RecurrentLayer mLayer;
    InputPlaces mPlaces;
    bool mBiasIsSum;
    std::string mName;
    int mSteps = 0, mBatch = 0;
};

void setDefaultActivations(RecurrentRule* rule) {
    for (CellActivation* f : rule->activation) {
        f[0].kind = rule->cell == Cell::RNN ? CellActivation::Kind::Tanh : CellActivation::Kind::Sigmoid;
        f[1].kind = f[2].kind = CellActivation::Kind::Tanh;
    }
}

// Alphas and betas are listed for the functions that have any, in order.
bool readActivations(const Op* op, RecurrentRule* rule) {
    setDefaultActivations(rule);
    const std::vector<std::string> names = extra::texts(op, "activations");
    const std::vector<float> alphas = extra::reals(op, "activation_alpha"), betas = extra::reals(op, "activation_beta");
    if (names.empty()) return true;
    const size_t each = rule->cell == Cell::LSTM ? 3 : rule->cell == Cell::GRU ? 2 : 1;
    if (names.size() != each * rule->directions) return false;
    size_t alpha = 0, beta = 0;
    for (size_t i = 0; i < names.size(); ++i) {
        CellActivation& f = rule->activation[i / each][i % each];
        bool hasAlpha = false, hasBeta = false;
        if (!findActivation(names[i], &f, &hasAlpha, &hasBeta)) return false;
        if (hasAlpha && alpha < alphas.size()) f.alpha = alphas[alpha++];
        if (hasBeta && beta < betas.size()) f.beta = betas[beta++];
    }
    return true;
}

bool readRule(const Op* op, const Tensors& inputs, RecurrentRule* rule) {
    const std::string type = op->main_as_Extra()->type()->str(), direction = extra::text(op, "direction", "forward");
    rule->cell = type == "LSTM" ? Cell::LSTM : type == "GRU" ? Cell::GRU : Cell::RNN;
    rule->directions = direction == "bidirectional" ? 2 : 1;
    rule->firstReversed = direction == "reverse";
    rule->hidden = static_cast<int>(extra::integer(op, "hidden_size", inputs[2]->length(2)));
    rule->features = inputs[0]->length(2);
    rule->batchFirst = extra::integer(op, "layout", 0) != 0;
    rule->coupledForget = extra::integer(op, "input_forget", 0) != 0;
    rule->linearBeforeReset = extra::integer(op, "linear_before_reset", 0) != 0;
    rule->clip = extra::real(op, "clip", 0.0f);
    const bool named = direction == "forward" || direction == "reverse" || direction == "bidirectional";
    return named && rule->hidden > 0 && readActivations(op, rule);
}

bool allFloat(const Tensors& inputs, const Tensors& outputs, const InputPlaces& places) {
    for (size_t i = 0; i < inputs.size(); ++i) {
        const bool integer = static_cast<int>(i) == places.at[kLengths];
        if (integer ? !isInt32(inputs[i]) : !isFloat32(inputs[i])) return false;
    }
    return std::all_of(outputs.begin(), outputs.end(), isFloat32);
}

Execution* finish(CPURecurrent* made, const Op* op, const Tensors& inputs, const Tensors& outputs) {
    std::unique_ptr<CPURecurrent> execution(made);
    if (!execution->packConstants(inputs)) return refuse(op, inputs, outputs, "out of memory for the weights");
    return execution.release();
}

bool ranksFit(const Tensors& inputs) {
    return inputs.size() >= 3 && inputs[0]->dimensions() == 3 && inputs[1]->dimensions() == 3 &&
           inputs[2]->dimensions() == 3;
}

// Weights that an op's parameter table holds, in the order of RecurrentRule's gates.
struct StoredWeights {
    std::vector<float> w, r, inputBias, stateBias;
    RecurrentWeights view() const {
        return {w.data(), r.data(), inputBias.empty() ? nullptr : inputBias.data(),
                stateBias.empty() ? nullptr : stateBias.data(), nullptr};
    }
};

// In: x, perhaps the weights that are stored, perhaps the first hidden state. Out: y or, when only the end is asked
// for, the last hidden state.
class CPUStoredRecurrent final : public Execution {
public:
    struct Form {
        bool allSteps;
        size_t stateInput;  // where the first hidden state is, when there are that many inputs
    };
    CPUStoredRecurrent(CPUBackend* backend, const RecurrentRule& rule, std::vector<StoredWeights> weights, Form form,
                       std::string name)
        : Execution(backend),
          mLayer(backend, rule),
          mWeights(std::move(weights)),
          mForm(form),
          mName(std::move(name)) {}

    bool prepare() {
        RecurrentWeights views[2];
        for (size_t d = 0; d < mWeights.size(); ++d) views[d] = mWeights[d].view();
        if (!mLayer.packAhead(views)) return false;
        for (StoredWeights& stored : mWeights) {
            std::vector<float>().swap(stored.w);
            std::vector<float>().swap(stored.r);
        }
        return true;
    }

    ErrorCode onResize(const Tensors& inputs, const Tensors& outputs) override {
        const RecurrentRule& rule = mLayer.rule();
        const Tensor* x = inputs[0];
        const int rank = x->dimensions();
        // Batch first (Caffe) everything between batch and features is steps; a matrix is one sequence.
        const int outer = rank == 2 ? 1 : x->length(0);
        const int64_t inner = TensorUtils::elements(x) / std::max<int64_t>(int64_t(outer) * rule.features, 1);
        const int steps = rule.batchFirst ? static_cast<int>(inner) : outer,
                  batch = rule.batchFirst ? outer : static_cast<int>(inner);
        const int64_t state = int64_t(rule.directions) * batch * rule.hidden;
        bool good = x->length(rank - 1) == rule.features &&
                    TensorUtils::elements(outputs[0]) == (mForm.allSteps ? state * steps : state);
        if (const Tensor* first = firstHidden(inputs)) good = good && TensorUtils::elements(first) == state;
        if (outputs.size() > 1) good = good && TensorUtils::elements(outputs[1]) == state;
        if (!good) return fault(INPUT_DATA_ERROR, mName, inputs, "inputs or outputs have the wrong number of elements");
        return mLayer.resize(steps, batch);
    }

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        RecurrentData data;
        data.x = inputs[0]->host<float>();
        if (const Tensor* first = firstHidden(inputs)) data.firstHidden = first->host<float>();
        (mForm.allSteps ? data.y : data.lastHidden) = outputs[0]->host<float>();
        if (mForm.allSteps && outputs.size() > 1) data.lastHidden = outputs[1]->host<float>();
        RecurrentWeights views[2];
        for (size_t d = 0; d < mWeights.size(); ++d) views[d] = mWeights[d].view();
        mLayer.run(views, data);
        return NO_ERROR;
    }

private:
    const Tensor* firstHidden(const Tensors& inputs) const {
        return inputs.size() > mForm.stateInput ? inputs[mForm.stateInput] : nullptr;
    }

    RecurrentLayer mLayer;
    std::vector<StoredWeights> mWeights;
    Form mForm;
    std::string mName;
};

struct Floats {
    const float* data = nullptr;
    int64_t count = 0;
    // The data when there are this many, else nullptr.
    const float* of(int64_t wanted) const { return count == wanted ? data : nullptr; }
};

Floats floatsOf(const Blob* blob) {
    if (blob == nullptr || blob->float32s() == nullptr) return Floats();
    return {blob->float32s()->data(), blob->float32s()->size()};
}

Floats floatsOf(const Tensor* t) {
    const bool known =
        TensorUtils::describe(t)->usage == TensorUsage::Constant && isFloat32(t) && t->host<float>() != nullptr;
    return known ? Floats{t->host<float>(), TensorUtils::elements(t)} : Floats();
}

// Gate weights [features + hidden][update, reset], candidate weights [features + hidden][hidden], biases in that order.
struct GruCell {
    Floats gate, gateBias, candidate, candidateBias, stateBias;
};

bool storeGru(const RecurrentRule& rule, const GruCell& cell, StoredWeights* stored) {
    const int64_t f = rule.features, h = rule.hidden, inputs = f + h;
    const float* gates = cell.gate.of(inputs * 2 * h);
    const float* candidates = cell.candidate.of(inputs * h);
    if (gates == nullptr || candidates == nullptr) return false;
    stored->w.resize(static_cast<size_t>(3 * h * f));
    stored->r.resize(static_cast<size_t>(3 * h * h));
    for (int64_t row = 0; row < 3 * h; ++row) {
        const int64_t unit = row % h;
        const float* column = row < 2 * h ? gates + row : candidates + unit;
        const int64_t step = row < 2 * h ? 2 * h : h;
        for (int64_t k = 0; k < f; ++k) stored->w[row * f + k] = column[k * step];
        for (int64_t k = 0; k < h; ++k) stored->r[row * h + k] = column[(f + k) * step];
    }
    stored->inputBias.assign(static_cast<size_t>(3 * h), 0.0f);
    if (const float* bias = cell.gateBias.of(2 * h)) std::copy_n(bias, 2 * h, stored->inputBias.begin());
    if (const float* bias = cell.candidateBias.of(h)) std::copy_n(bias, h, stored->inputBias.begin() + 2 * h);
    if (const float* bias = cell.stateBias.of(3 * h)) {
        // Listed update, reset, hidden.
        stored->stateBias.assign(bias, bias + 3 * h);
    } else if (const float* hiddenBias = cell.stateBias.of(h)) {
        stored->stateBias.assign(static_cast<size_t>(3 * h), 0.0f);
        std::copy_n(hiddenBias, h, stored->stateBias.begin() + 2 * h);
    }
    return true;
}

// The weights are in the op's table, or constant inputs: five for each direction, behind x.
GruCell gruCell(const RNNParam* p, const Tensors& inputs, int direction) {
    if (inputs.size() > 2) {
        const Tensor* const* at = inputs.data() + 1 + 5 * direction;
        return {floatsOf(at[0]), floatsOf(at[1]), floatsOf(at[2]), floatsOf(at[3]), floatsOf(at[4])};
    }
    if (direction == 0) {
        return {floatsOf(p->fwGateWeight()), floatsOf(p->fwGateBias()), floatsOf(p->fwCandidateWeight()),
                floatsOf(p->fwCandidateBias()), floatsOf(p->fwRecurrentBias())};
    }
    return {floatsOf(p->bwGateWeight()), floatsOf(p->bwGateBias()), floatsOf(p->bwCandidateWeight()),
            floatsOf(p->bwCandidateBias()), floatsOf(p->bwRecurrentBias())};
}

// Caffe's LSTM lists input, forget, output, cell.
bool storeLstm(const RecurrentRule& rule, const LSTM* p, StoredWeights* stored) {
    const int64_t f = rule.features, h = rule.hidden;
    const float* w = floatsOf(p->weightI()).of(4 * h * f);
    const float* r = floatsOf(p->weightH()).of(4 * h * h);
    if (w == nullptr || r == nullptr) return false;
    const float* bias = floatsOf(p->bias()).of(4 * h);
    for (int64_t gate : {0, 2, 1, 3}) {
        stored->w.insert(stored->w.end(), w + gate * h * f, w + (gate + 1) * h * f);
        stored->r.insert(stored->r.end(), r + gate * h * h, r + (gate + 1) * h * h);
        if (bias != nullptr) stored->inputBias.insert(stored->inputBias.end(), bias + gate * h, bias + (gate + 1) * h);
    }
    return true;
}

Execution* finishStored(CPUStoredRecurrent* made, const Op* op, const Tensors& inputs, const Tensors& outputs) {
    std::unique_ptr<CPUStoredRecurrent> execution(made);
    if (!execution->prepare()) return refuse(op, inputs, outputs, "out of memory for the weights");
    return execution.release();
}

}  // namespace

Execution* createCPURecurrentExtra(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    if (!ranksFit(inputs)) return refuse(op, inputs, outputs, "needs x, w and r of rank 3");
    InputPlaces places;
    const std::vector<int> listed = extra::integers(op, "inputs");
    for (size_t i = 3; i < inputs.size(); ++i) {
        const int slot = i < listed.size() ? listed[i] : static_cast<int>(i);
        if (slot < kB || slot >= kSlots) return refuse(op, inputs, outputs, "an input has an unknown place");
        places.at[slot] = static_cast<int>(i);
    }
    RecurrentRule rule;
    if (!readRule(op, inputs, &rule))
        return refuse(op, inputs, outputs, "direction, activations or hidden_size are not supported");
    if (!allFloat(inputs, outputs, places))
        return refuse(op, inputs, outputs, "needs float32, and int32 sequence lengths");
    const bool weightsFit =
        rule.hidden == inputs[2]->length(2) &&
        TensorUtils::elements(inputs[1]) == int64_t(rule.directions) * rule.gates() * rule.hidden * rule.features &&
        TensorUtils::elements(inputs[2]) == int64_t(rule.directions) * rule.gates() * rule.hidden * rule.hidden;
    if (!weightsFit) return refuse(op, inputs, outputs, "the weights do not fit the sizes");
    return finish(new CPURecurrent(backend, rule, places, false, opText(op)), op, inputs, outputs);
}

// The LSTM and RNN ops of the tables. In: x, w, r [, bias, first hidden, first cell]; or x alone, with the weights in
// the table.
Execution* createCPURecurrent(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    RecurrentRule rule;
    rule.cell = op->type() == OpType_LSTM ? Cell::LSTM : Cell::RNN;
    const LSTM* p = op->main_as_LSTM();
    if (inputs.size() == 1 && p != nullptr && rule.cell == Cell::LSTM && isFloat32(inputs[0]) &&
        isFloat32(outputs[0])) {
        setDefaultActivations(&rule);
        rule.features = inputs[0]->length(inputs[0]->dimensions() - 1);
        rule.hidden = p->outputCount();
        rule.batchFirst = true;
        rule.clip = p->clippingThreshold();
        std::vector<StoredWeights> stored(1);
        if (rule.hidden <= 0 || inputs[0]->dimensions() < 2 || !storeLstm(rule, p, &stored[0])) {
            return refuse(op, inputs, outputs, "the stored weights do not fit the sizes");
        }
        return finishStored(new CPUStoredRecurrent(backend, rule, std::move(stored), {true, 1}, opText(op)), op, inputs,
                            outputs);
    }
    if (!ranksFit(inputs) || inputs.size() > 6) return refuse(op, inputs, outputs, "needs x, w and r of rank 3");
    setDefaultActivations(&rule);
    rule.features = inputs[0]->length(2);
    rule.hidden = inputs[2]->length(2);
    rule.directions = inputs[1]->length(0);
    InputPlaces places;
    const Slot rest[] = {kB, kHidden0, kCell0};
    for (size_t i = 3; i < inputs.size(); ++i) places.at[rest[i - 3]] = static_cast<int>(i);
    const int64_t rows = int64_t(rule.directions) * rule.gates() * rule.hidden;
    const bool good = (rule.directions == 1 || rule.directions == 2) && rule.hidden > 0 &&
                      allFloat(inputs, outputs, places) && TensorUtils::elements(inputs[1]) == rows * rule.features &&
                      TensorUtils::elements(inputs[2]) == rows * rule.hidden;
    if (!good) return refuse(op, inputs, outputs, "needs float32 and weights that fit");
    const bool biasIsSum = inputs.size() > 3 && TensorUtils::elements(inputs[3]) == rows;
    return finish(new CPURecurrent(backend, rule, places, biasIsSum, opText(op)), op, inputs, outputs);
}

Execution* createCPUSequenceGRU(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const RNNParam* p = op->main_as_RNNParam();
    if (p == nullptr || p->numUnits() <= 0 || inputs[0]->dimensions() != 3 || !isFloat32(inputs[0]) ||
        !isFloat32(outputs[0])) {
        return refuse(op, inputs, outputs, "needs its parameters and float32[steps, batch, features]");
    }
    RecurrentRule rule;
    rule.cell = Cell::GRU;
    rule.features = inputs[0]->length(2);
    rule.hidden = p->numUnits();
    rule.directions = p->isBidirectionalRNN() ? 2 : 1;
    rule.linearBeforeReset = p->linearBeforeReset();
    setDefaultActivations(&rule);
    std::vector<StoredWeights> stored(rule.directions);
    for (int d = 0; d < rule.directions; ++d) {
        if (!storeGru(rule, gruCell(p, inputs, d), &stored[d])) {
            return refuse(op, inputs, outputs, "the weights are not constant or do not fit the sizes");
        }
    }
    const size_t state = inputs.size() > 2 ? 1 + 5 * static_cast<size_t>(rule.directions) : 1;
    return finishStored(
        new CPUStoredRecurrent(backend, rule, std::move(stored), {p->keepAllOutputs(), state}, opText(op)), op, inputs,
        outputs);
}

}  // namespace MNN
