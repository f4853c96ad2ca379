// RoPE: the heads of q and k turned by the angles of their tokens, after an optional norm of each head.
#include <MNN/MNNDefine.h>
#include "backend/cpu/executions/AxisSplit.hpp"
#include "backend/cpu/executions/Refuse.hpp"
#include "backend/cpu/kernels/Rope.hpp"
#include "backend/cpu/kernels/Softmax.hpp"

namespace MNN {
namespace {

struct HeadNorm {
    bool present = false, rms = true;
    float epsilon = 0.0f;
    std::vector<float> gamma, beta;

    explicit HeadNorm(const LayerNorm* param) : present(param != nullptr) {
        if (!present) return;
        rms = param->useRMSNorm();
        epsilon = param->epsilon();
        if (param->gamma() != nullptr) gamma.assign(param->gamma()->begin(), param->gamma()->end());
        if (param->beta() != nullptr) beta.assign(param->beta()->begin(), param->beta()->end());
    }
    bool fits(size_t size) const {
        return (gamma.empty() || gamma.size() == size) && (beta.empty() || beta.size() == size);
    }
};

// q or k: [tokens, heads, head size], whatever its dimensions and wherever a view has its elements.
struct Side {
    HeadNorm norm;
    int64_t heads = 0;
    StridedInput from;
    std::vector<int> lengths;  // of the storage, as `from` has strides
    int64_t inner = 1;         // distance of a head's elements

    explicit Side(const LayerNorm* param) : norm(param) {}

    // False when a head's elements have no common distance.
    bool view(const Tensor* input, int64_t size) {
        lengths = TensorUtils::storageShape(input);
        if (!stridedInput(input, lengths, &from)) return false;
        size_t last = lengths.size();
        while (last > 0 && lengths[last - 1] == 1) --last;
        inner = last == 0 ? 1 : from.stride[last - 1];
        return size == 1 || (last > 0 && lengths[last - 1] % size == 0);
    }
    const float* head(int64_t index, int64_t size) const {
        int64_t rest = index * size, place = 0;
        for (size_t d = lengths.size(); d-- > 0; rest /= lengths[d]) place += rest % lengths[d] * from.stride[d];
        return from.data<float>() + place;
    }
};

class CPURope final : public Execution {
public:
    CPURope(CPUBackend* backend, const Op* op, const RoPEParam* param)
        : Execution(backend),
          mCPU(backend),
          mText(opText(op)),
          mNorms(cpu::normKernels(backend->isa())),
          mRotate(cpu::ropeKernels(backend->isa()).rotate),
          mHeadDim(param->head_dim()),
          mCut(param->rope_cut_head_dim()),
          mSides{Side(param->q_norm()), Side(param->k_norm())} {}

    ErrorCode onResize(const Tensors& inputs, const Tensors& outputs) override {
        const int rank = outputs[0]->dimensions();
        if (rank < 2) return fault(INPUT_DATA_ERROR, mText, inputs, "q needs tokens and channels");
        mSequence = outputs[0]->length(rank == 2 ? 0 : 1);
        mTokens = rank == 2 ? mSequence : mSequence * outputs[0]->length(0);
        mSize = rank == 4      ? outputs[0]->length(3)
                : mHeadDim > 0 ? mHeadDim
                : mCut > 0     ? mCut
                               : outputs[0]->length(rank - 1);
        mEmpty = mTokens == 0 || mSize == 0;
        if (mEmpty) return NO_ERROR;
        for (int i = 0; i < 2; ++i) {
            Side& side = mSides[i];
            const int64_t count = TensorUtils::elements(inputs[i]);
            if (count != TensorUtils::elements(outputs[i]) || count % (mTokens * mSize) != 0)
                return fault(INPUT_DATA_ERROR, mText, inputs, "q and k are not the same tokens in heads of one size");
            side.heads = count / (mTokens * mSize);
            if (count > 0 && !side.view(inputs[i], mSize))
                return fault(INPUT_DATA_ERROR, mText, inputs, "the heads cannot be read where they are");
            if (!side.norm.fits(static_cast<size_t>(mSize)))
                return fault(INPUT_DATA_ERROR, mText, inputs, "the norm of a head has another size than the head");
        }
        return resizeAngles(inputs);
    }

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        if (mEmpty) return NO_ERROR;
        constexpr int64_t kTileElements = 8 * 1024;
        const int64_t perTile = std::max<int64_t>(kTileElements / ((mSides[0].heads + mSides[1].heads + 1) * mSize), 1);
        mCPU->parallelFor(static_cast<int>(tilesOf(mTokens, perTile)), [&](int tile, int) {
            const int64_t end = std::min((tile + 1) * perTile, mTokens);
            for (int64_t token = tile * perTile; token < end; ++token) {
                const int64_t at = (mSharedAngles ? token % mSequence : token) * mWidth;
                const float* cos = inputs[2]->host<float>() + at;
                const float* sin = inputs[3]->host<float>() + at;
                for (int i = 0; i < 2; ++i) turnToken(mSides[i], token, cos, sin, outputs[i]->host<float>());
            }
        });
        return NO_ERROR;
    }

private:
    // A row of cos and sin belongs to a token, and is as long as what is rotated or as a head; partners are half a row
    // apart.
    ErrorCode resizeAngles(const Tensors& inputs) {
        const int64_t rotated = (mCut <= 0 || mCut > mSize ? mSize : mCut) / 2 * 2;
        const int rank = inputs[2]->dimensions();
        mWidth = rank == 0 ? 0 : inputs[2]->length(rank - 1);
        const int64_t count = TensorUtils::elements(inputs[2]);
        mSharedAngles = count == mSequence * mWidth;
        const bool fits = (mWidth == rotated || mWidth == mSize) && TensorUtils::elements(inputs[3]) == count &&
                          (mSharedAngles || count == mTokens * mWidth);
        if (!fits) return fault(INPUT_DATA_ERROR, mText, inputs, "cos and sin need a row of angles for each token");
        mHalf = mWidth / 2;
        mPairs = std::min(rotated / 2, mHalf);
        return NO_ERROR;
    }

    void turnToken(const Side& side, int64_t token, const float* cos, const float* sin, float* output) const {
        const auto size = static_cast<size_t>(mSize);
        for (int64_t h = token * side.heads; h < (token + 1) * side.heads; ++h) {
            float* to = output + h * mSize;
            const float* from = side.head(h, mSize);
            if (side.inner != 1) {
                for (size_t i = 0; i < size; ++i) to[i] = from[static_cast<int64_t>(i) * side.inner];
                from = to;
            }
            if (side.norm.present) {
                const HeadNorm& norm = side.norm;
                const auto statistics = (norm.rms ? mNorms.rootMeanSquare : mNorms.layer)(from, size, norm.epsilon);
                mNorms.apply(to, from, size, statistics, norm.gamma.empty() ? nullptr : norm.gamma.data(),
                             norm.beta.empty() ? nullptr : norm.beta.data());
                from = to;
            }
            mRotate(to, from, cos, sin, static_cast<size_t>(mHalf), static_cast<size_t>(mPairs), size);
        }
    }

    CPUBackend* mCPU;
    std::string mText;
    const cpu::NormKernels& mNorms;
    decltype(cpu::RopeKernels::rotate) mRotate;
    int mHeadDim, mCut;
    Side mSides[2];
    bool mEmpty = false, mSharedAngles = false;
    int64_t mSequence = 0, mTokens = 0, mSize = 0, mWidth = 0, mHalf = 0, mPairs = 0;
};

}  // namespace

Execution* createCPURope(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const RoPEParam* param = op->main_as_RoPEParam();
    bool good = param != nullptr && inputs.size() == 4 && outputs.size() == 2;
    for (const Tensor* t : inputs) good = good && isFloat32(t);
    if (!good) return refuse(op, inputs, outputs, "needs its parameters, and q, k, cos, sin of float32");
    return new CPURope(backend, op, param);
}

}  // namespace MNN
