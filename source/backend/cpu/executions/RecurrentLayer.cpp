#include "backend/cpu/executions/RecurrentLayer.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include "backend/cpu/executions/PlainTensors.hpp"
#include "backend/cpu/kernels/Unary.hpp"

namespace MNN {
namespace {

struct NamedActivation {
    const char* name;
    CellActivation activation;
    bool hasAlpha, hasBeta;
};
using Kind = CellActivation::Kind;

// Names in lower case, ONNX's defaults.
const NamedActivation kActivations[] = {
    {"relu", {Kind::Relu, 0.0f, 0.0f}, false, false},
    {"tanh", {Kind::Tanh, 0.0f, 0.0f}, false, false},
    {"sigmoid", {Kind::Sigmoid, 0.0f, 0.0f}, false, false},
    {"affine", {Kind::Affine, 1.0f, 0.0f}, true, true},
    {"leakyrelu", {Kind::LeakyRelu, 0.01f, 0.0f}, true, false},
    {"thresholdedrelu", {Kind::ThresholdedRelu, 1.0f, 0.0f}, true, false},
    {"scaledtanh", {Kind::ScaledTanh, 1.0f, 1.0f}, true, true},
    {"hardsigmoid", {Kind::HardSigmoid, 0.2f, 0.5f}, true, true},
    {"elu", {Kind::Elu, 1.0f, 0.0f}, true, false},
    {"softsign", {Kind::Softsign, 0.0f, 0.0f}, false, false},
    {"softplus", {Kind::Softplus, 0.0f, 0.0f}, false, false},
};

float rareActivation(const CellActivation& f, float x) {
    switch (f.kind) {
        case Kind::Affine:
            return f.alpha * x + f.beta;
        case Kind::ThresholdedRelu:
            return x > f.alpha ? x : 0.0f;
        case Kind::ScaledTanh:
            return f.alpha * std::tanh(f.beta * x);
        case Kind::HardSigmoid:
            return std::min(std::max(f.alpha * x + f.beta, 0.0f), 1.0f);
        case Kind::Softsign:
            return x / (1.0f + std::fabs(x));
        case Kind::Softplus:
            return std::max(x, 0.0f) + std::log1p(std::exp(-std::fabs(x)));
        default:
            return x;
    }
}

// The kernel of the common ones; false for the rest.
bool unaryOf(Kind kind, cpu::UnaryKind* result) {
    switch (kind) {
        case Kind::Tanh:
            *result = cpu::UnaryKind::Tanh;
            return true;
        case Kind::Sigmoid:
            *result = cpu::UnaryKind::Sigmoid;
            return true;
        case Kind::Relu:
        case Kind::LeakyRelu:
            *result = cpu::UnaryKind::Relu;
            return true;
        case Kind::Elu:
            *result = cpu::UnaryKind::Elu;
            return true;
        default:
            return false;
    }
}

cpu::MatMulShape productShape(int m, int n, int k, int cRow) {
    cpu::MatMulShape shape;
    shape.m = m, shape.n = n, shape.k = k;
    shape.aRow = k;
    shape.cRow = cRow;
    shape.bPacked = true;
    return shape;
}

void packTransposed(const cpu::GemmKernels& kernels, float* to, const float* rows, int n, int k) {
    cpu::packMatMulB(kernels, to, rows, 1, k, n, k, 0, (n + kernels.panel - 1) / kernels.panel);
}

}  // namespace

bool findActivation(const std::string& name, CellActivation* result, bool* hasAlpha, bool* hasBeta) {
    std::string lower = name;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const NamedActivation& row : kActivations) {
        if (lower != row.name) continue;
        *result = row.activation;
        *hasAlpha = row.hasAlpha;
        *hasBeta = row.hasBeta;
        return true;
    }
    return false;
}

RecurrentLayer::RecurrentLayer(CPUBackend* backend, const RecurrentRule& rule) : mCPU(backend), mRule(rule) {
    const cpu::GemmKernels& kernels = cpu::gemmKernels(backend->isa());
    const int rows = rule.gates() * rule.hidden, together = split() ? rows - rule.hidden : rows;
    Room room;
    room.take(cpu::packedBFloats(kernels, rows, rule.features));
    mPackedR = room.take(cpu::packedBFloats(kernels, together, rule.hidden));
    mPackedCandidate = room.take(split() ? cpu::packedBFloats(kernels, rule.hidden, rule.hidden) : 0);
    mPackedFloats = room.total;
}

void RecurrentLayer::pack(const RecurrentWeights& weights, float* to) const {
    const cpu::GemmKernels& kernels = cpu::gemmKernels(mCPU->isa());
    const int hidden = mRule.hidden, rows = mRule.gates() * hidden, together = split() ? rows - hidden : rows;
    packTransposed(kernels, to, weights.w, rows, mRule.features);
    packTransposed(kernels, to + mPackedR, weights.r, together, hidden);
    if (split()) packTransposed(kernels, to + mPackedCandidate, weights.r + int64_t(together) * hidden, hidden, hidden);
}

bool RecurrentLayer::packAhead(const RecurrentWeights* perDirection) {
    mPacked = mCPU->allocatePrivate(static_cast<size_t>(mPackedFloats) * mRule.directions * sizeof(float));
    if (mPacked == nullptr) return false;
    for (int d = 0; d < mRule.directions; ++d)
        pack(perDirection[d], static_cast<float*>(mPacked->data()) + d * mPackedFloats);
    return true;
}

ErrorCode RecurrentLayer::resize(int steps, int batch) {
    mSteps = steps;
    mBatch = batch;
    const cpu::GemmKernels& kernels = cpu::gemmKernels(mCPU->isa());
    const int hidden = mRule.hidden, rows = mRule.gates() * hidden;
    mInputPlan.prepare(kernels, productShape(steps * batch, rows, mRule.features, rows), 1, mCPU->threads());
    mStatePlan.prepare(kernels, productShape(batch, split() ? rows - hidden : rows, hidden, rows), 1, mCPU->threads());
    mPlanFloats = std::max(mInputPlan.scratchFloats(), mStatePlan.scratchFloats());
    if (split()) {
        mCandidatePlan.prepare(kernels, productShape(batch, hidden, hidden, rows), 1, mCPU->threads());
        mPlanFloats = std::max(mPlanFloats, mCandidatePlan.scratchFloats());
    }
    mPlanFloats = (mPlanFloats + 15) / 16 * 16;
    Room room;
    mGates = room.take(int64_t(steps) * batch * rows);
    mState = room.take(int64_t(batch) * rows);
    mHidden = room.take(int64_t(batch) * hidden);
    mCell = room.take(int64_t(batch) * hidden);
    mReset = room.take(int64_t(batch) * hidden);
    mBias = room.take(rows);
    mStateBias = room.take(rows);
    mRepack = room.take(mPacked == nullptr ? mPackedFloats : 0);
    mPlanScratch = room.take(mPlanFloats * mCPU->threads());
    const ErrorCode code = mScratch.acquire(mCPU, room.total);
    mScratch.release(mCPU);
    return code;
}

void RecurrentLayer::run(const RecurrentWeights* perDirection, const RecurrentData& data) {
    for (int d = 0; d < mRule.directions; ++d) {
        const float* packed =
            mPacked == nullptr ? nullptr : static_cast<const float*>(mPacked->data()) + d * mPackedFloats;
        if (packed == nullptr) {
            float* room = mScratch.data() + mRepack;
            pack(perDirection[d], room);
            packed = room;
        }
        runDirection(d, packed, perDirection[d], data);
    }
}

// Both biases go into the input's product, but for the hidden gate of a GRU that resets after its product.
void RecurrentLayer::setBias(const RecurrentWeights& weights) {
    const int hidden = mRule.hidden, rows = mRule.gates() * hidden;
    float* input = mScratch.data() + mBias;
    float* state = mScratch.data() + mStateBias;
    const bool apart = mRule.cell == Cell::GRU && mRule.linearBeforeReset;
    for (int i = 0; i < rows; ++i) {
        const float stateBias = weights.stateBias != nullptr ? weights.stateBias[i] : 0.0f;
        const bool keep = apart && i >= 2 * hidden;
        input[i] = (weights.inputBias != nullptr ? weights.inputBias[i] : 0.0f) + (keep ? 0.0f : stateBias);
        state[i] = keep ? stateBias : 0.0f;
    }
}

void RecurrentLayer::multiply(const cpu::MatMulPlan& plan, const float* a, const float* b, const float* bias,
                              float* c) {
    float* scratch = mScratch.data() + mPlanScratch;
    mCPU->parallelFor(plan.tasks(), [&](int task, int worker) {
        plan.run(task, a, b, bias, cpu::Clamp(), c, scratch + worker * mPlanFloats);
    });
}

void RecurrentLayer::runDirection(int direction, const float* packed, const RecurrentWeights& weights,
                                  const RecurrentData& data) {
    const int hidden = mRule.hidden;
    float* const base = mScratch.data();
    setBias(weights);
    if (mSteps > 0 && mBatch > 0) multiply(mInputPlan, data.x, packed, base + mBias, base + mGates);
    const auto load = [&](float* to, const float* from) {
        for (int b = 0; b < mBatch; ++b) {
            if (from == nullptr) {
                std::fill(to + int64_t(b) * hidden, to + int64_t(b + 1) * hidden, 0.0f);
            } else {
                std::copy_n(from + stateRow(direction, b), hidden, to + int64_t(b) * hidden);
            }
        }
    };
    load(base + mHidden, data.firstHidden);
    load(base + mCell, data.firstCell);
    for (int s = 0; s < mSteps; ++s) runStep({direction, s, &weights, &data}, packed);
    const auto store = [&](float* to, const float* from) {
        for (int b = 0; to != nullptr && b < mBatch; ++b)
            std::copy_n(from + int64_t(b) * hidden, hidden, to + stateRow(direction, b));
    };
    store(data.lastHidden, base + mHidden);
    store(data.lastCell, base + mCell);
}

void RecurrentLayer::runStep(const Step& step, const float* packed) {
    const int hidden = mRule.hidden, rows = mRule.gates() * hidden;
    float* const base = mScratch.data();
    if (mBatch > 0) multiply(mStatePlan, base + mHidden, packed + mPackedR, base + mStateBias, base + mState);
    if (split()) {
        // The reset gate multiplies the state before the product of the hidden gate.
        for (int b = 0; b < mBatch; ++b) {
            const int time = timeOf(step, b);
            float* reset = base + mReset + int64_t(b) * hidden;
            const float* state = base + mState + int64_t(b) * rows + hidden;
            const float* gates = base + mGates + gateRow(std::max(time, 0), b) * rows + hidden;
            for (int i = 0; i < hidden; ++i) reset[i] = state[i] + gates[i];
            activate(mRule.activation[step.direction][0], reset, hidden);
            for (int i = 0; i < hidden; ++i) reset[i] *= base[mHidden + int64_t(b) * hidden + i];
        }
        if (mBatch > 0)
            multiply(mCandidatePlan, base + mReset, packed + mPackedCandidate, nullptr, base + mState + 2 * hidden);
    }
    parallelRanges(mCPU, mBatch, int64_t(rows) * 8, [&](int64_t begin, int64_t end) {
        for (int b = static_cast<int>(begin); b < end; ++b) {
            const int time = timeOf(step, b);
            float* y = step.data->y == nullptr
                           ? nullptr
                           : step.data->y + outputRow(time < 0 ? step.step : time, step.direction, b);
            if (time < 0) {
                if (y != nullptr) std::fill(y, y + hidden, 0.0f);
                continue;
            }
            float* gates = base + mGates + gateRow(time, b) * rows;
            const float* state = base + mState + int64_t(b) * rows;
            float* h = base + mHidden + int64_t(b) * hidden;
            if (mRule.cell == Cell::GRU) {
                gruCell(step, gates, state, h);
            } else {
                for (int i = 0; i < rows; ++i) gates[i] += state[i];
                if (mRule.cell == Cell::LSTM) {
                    lstmCell(step, gates, h, base + mCell + int64_t(b) * hidden);
                } else {
                    activate(mRule.activation[step.direction][0], gates, hidden);
                    std::copy_n(gates, hidden, h);
                }
            }
            if (y != nullptr) std::copy_n(h, hidden, y);
        }
    });
}

// gates: the sums of the four gates; overwritten.
void RecurrentLayer::lstmCell(const Step& step, float* gates, float* hidden, float* cell) const {
    const int n = mRule.hidden;
    const CellActivation* f = mRule.activation[step.direction];
    float* input = gates;
    float* output = gates + n;
    float* forget = gates + 2 * n;
    float* candidate = gates + 3 * n;
    const float* peephole = step.weights->peephole;
    if (peephole != nullptr) {
        for (int i = 0; i < n; ++i) input[i] += peephole[i] * cell[i], forget[i] += peephole[2 * n + i] * cell[i];
    }
    activate(f[0], input, n);
    if (!mRule.coupledForget) activate(f[0], forget, n);
    activate(f[1], candidate, n);
    for (int i = 0; i < n; ++i) {
        cell[i] = (mRule.coupledForget ? 1.0f - input[i] : forget[i]) * cell[i] + input[i] * candidate[i];
    }
    if (peephole != nullptr) {
        for (int i = 0; i < n; ++i) output[i] += peephole[n + i] * cell[i];
    }
    activate(f[0], output, n);
    std::copy_n(cell, n, candidate);
    activate(f[2], candidate, n);
    for (int i = 0; i < n; ++i) hidden[i] = output[i] * candidate[i];
}

void RecurrentLayer::gruCell(const Step& step, float* gates, const float* state, float* hidden) const {
    const int n = mRule.hidden;
    const CellActivation* f = mRule.activation[step.direction];
    for (int i = 0; i < 2 * n; ++i) gates[i] += state[i];
    activate(f[0], gates, 2 * n);
    float* candidate = gates + 2 * n;
    for (int i = 0; i < n; ++i) candidate[i] += (mRule.linearBeforeReset ? gates[n + i] : 1.0f) * state[2 * n + i];
    activate(f[1], candidate, n);
    for (int i = 0; i < n; ++i) hidden[i] = (1.0f - gates[i]) * candidate[i] + gates[i] * hidden[i];
}

void RecurrentLayer::activate(const CellActivation& f, float* values, int64_t n) const {
    if (mRule.clip > 0.0f) {
        for (int64_t i = 0; i < n; ++i) values[i] = std::min(std::max(values[i], -mRule.clip), mRule.clip);
    }
    cpu::UnaryKind kind;
    if (unaryOf(f.kind, &kind)) {
        cpu::unaryKernels(mCPU->isa())
            .f32[static_cast<int>(kind)](values, values, static_cast<size_t>(n), {f.alpha, f.beta});
    } else {
        for (int64_t i = 0; i < n; ++i) values[i] = rareActivation(f, values[i]);
    }
}

int RecurrentLayer::timeOf(const Step& step, int batch) const {
    const int length = step.data->lengths == nullptr ? mSteps : step.data->lengths[batch];
    if (step.step >= length) return -1;
    const bool reversed = step.direction == 1 || mRule.firstReversed;
    return reversed ? length - 1 - step.step : step.step;
}

int64_t RecurrentLayer::gateRow(int time, int batch) const {
    return mRule.batchFirst ? int64_t(batch) * mSteps + time : int64_t(time) * mBatch + batch;
}

int64_t RecurrentLayer::outputRow(int time, int direction, int batch) const {
    const int64_t row = mRule.batchFirst ? (int64_t(batch) * mSteps + time) * mRule.directions + direction
                                         : (int64_t(time) * mRule.directions + direction) * mBatch + batch;
    return row * mRule.hidden;
}

int64_t RecurrentLayer::stateRow(int direction, int batch) const {
    return (mRule.batchFirst ? int64_t(batch) * mRule.directions + direction : int64_t(direction) * mBatch + batch) *
           mRule.hidden;
}

}  // namespace MNN
