// One layer of LSTM, GRU or RNN cells over a sequence, as ONNX defines them; other sources are brought into this form.
#ifndef MNN_CPU_EXECUTIONS_RECURRENTLAYER_HPP
#define MNN_CPU_EXECUTIONS_RECURRENTLAYER_HPP

#include <string>
#include <vector>
#include "backend/cpu/CPUBackend.hpp"
#include "backend/cpu/executions/FloatScratch.hpp"
#include "backend/cpu/kernels/MatMul.hpp"

namespace MNN {

enum class Cell : uint8_t { LSTM, GRU, RNN };

struct CellActivation {
    enum class Kind : uint8_t {
        Relu,
        Tanh,
        Sigmoid,
        Affine,
        LeakyRelu,
        ThresholdedRelu,
        ScaledTanh,
        HardSigmoid,
        Elu,
        Softsign,
        Softplus
    };
    Kind kind = Kind::Sigmoid;
    float alpha = 0.0f, beta = 0.0f;
};
// By ONNX's name, any case, with that function's default alpha and beta. False when unknown.
bool findActivation(const std::string& name, CellActivation* result, bool* hasAlpha, bool* hasBeta);

struct RecurrentRule {
    Cell cell = Cell::LSTM;
    int features = 0, hidden = 0, directions = 1;
    bool firstReversed = false;  // the only direction runs backwards; a second one always does
    bool batchFirst = false;
    bool coupledForget = false;      // LSTM: forget = 1 - input
    bool linearBeforeReset = false;  // GRU
    float clip = 0.0f;               // bound of what goes into activations; 0: none
    CellActivation activation[2][3];

    // LSTM: input, output, forget, cell. GRU: update, reset, hidden.
    int gates() const { return cell == Cell::LSTM ? 4 : cell == Cell::GRU ? 3 : 1; }
};

// Weights of one direction: w [gates * hidden][features], r [gates * hidden][hidden]; biases [gates * hidden] and
// peepholes [3 * hidden] (input, output, forget) may be nullptr.
struct RecurrentWeights {
    const float* w = nullptr;
    const float* r = nullptr;
    const float* inputBias = nullptr;
    const float* stateBias = nullptr;
    const float* peephole = nullptr;
};

// batchFirst: x [batch][steps][features], y [batch][steps][directions][hidden], states [batch][directions][hidden];
// else x [steps][batch][features], y [steps][directions][batch][hidden], states [directions][batch][hidden].
struct RecurrentData {
    const float* x = nullptr;
    const int32_t* lengths = nullptr;  // per batch, each in [0, steps]; nullptr: all steps
    const float* firstHidden = nullptr;
    const float* firstCell = nullptr;
    float* y = nullptr;  // outputs may be nullptr
    float* lastHidden = nullptr;
    float* lastCell = nullptr;
};

class RecurrentLayer {
public:
    RecurrentLayer(CPUBackend* backend, const RecurrentRule& rule);

    // Packs weights that never change. Without it every run() packs what it is given.
    bool packAhead(const RecurrentWeights* perDirection);
    // In onResize: acquires and releases the scratch.
    ErrorCode resize(int steps, int batch);
    // perDirection still gives biases and peepholes when the matrices were packed ahead.
    void run(const RecurrentWeights* perDirection, const RecurrentData& data);
    const RecurrentRule& rule() const { return mRule; }

private:
    // Where one thing begins in a block of floats.
    struct Room {
        int64_t total = 0;
        int64_t take(int64_t floats) {
            const int64_t begin = total;
            total += (floats + 15) / 16 * 16;
            return begin;
        }
    };
    struct Step {
        int direction, step;
        const RecurrentWeights* weights;
        const RecurrentData* data;
    };

    void pack(const RecurrentWeights& weights, float* to) const;
    void setBias(const RecurrentWeights& weights);
    void multiply(const cpu::MatMulPlan& plan, const float* a, const float* b, const float* bias, float* c);
    void runDirection(int direction, const float* packed, const RecurrentWeights& weights, const RecurrentData& data);
    void runStep(const Step& step, const float* packed);
    void lstmCell(const Step& step, float* gates, float* hidden, float* cell) const;
    void gruCell(const Step& step, float* gates, const float* state, float* hidden) const;
    void activate(const CellActivation& activation, float* values, int64_t n) const;
    // Time index of a step for one member of the batch; -1 past its end.
    int timeOf(const Step& step, int batch) const;
    int64_t gateRow(int time, int batch) const;
    int64_t outputRow(int time, int direction, int batch) const;
    int64_t stateRow(int direction, int batch) const;
    bool split() const { return mRule.cell == Cell::GRU && !mRule.linearBeforeReset; }

    CPUBackend* mCPU;
    RecurrentRule mRule;
    int mSteps = 0, mBatch = 0;
    // Packed matrices of one direction: w, then r, whose hidden gate is apart when it multiplies the reset state.
    int64_t mPackedR = 0, mPackedCandidate = 0, mPackedFloats = 0;
    std::shared_ptr<HostMemory> mPacked;
    cpu::MatMulPlan mInputPlan, mStatePlan, mCandidatePlan;
    FloatScratch mScratch;
    int64_t mGates = 0, mState = 0, mHidden = 0, mCell = 0, mReset = 0, mBias = 0, mStateBias = 0, mRepack = 0,
            mPlanScratch = 0;
    int64_t mPlanFloats = 0;
};

}  // namespace MNN
#endif
