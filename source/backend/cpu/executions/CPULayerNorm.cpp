// LayerNorm: layer and RMS norm over the last dimensions, group norm when group > 1. A second output, or a second input
// shaped like the first in front of attributes that hold gamma, is the residual form: x + residual is normalised, and
// the second output is that sum.
#include <MNN/MNNDefine.h>
#include "backend/cpu/executions/AxisSplit.hpp"
#include "backend/cpu/executions/Elementwise.hpp"
#include "backend/cpu/kernels/Binary.hpp"
#include "backend/cpu/kernels/Softmax.hpp"

namespace MNN {
namespace {

std::vector<float> floatsOf(const flatbuffers::Vector<float>* v) {
    return v == nullptr ? std::vector<float>() : std::vector<float>(v->begin(), v->end());
}

class CPULayerNorm final : public Execution {
public:
    CPULayerNorm(CPUBackend* backend, const Op* op, const LayerNorm* param)
        : Execution(backend),
          mCPU(backend),
          mText(describeOp(op)),
          mKernels(cpu::normKernels(backend->isa())),
          mAxes(param->axis() == nullptr ? 1 : static_cast<int>(param->axis()->size())),
          mGroup(std::max(param->group(), 1)),
          mRms(param->useRMSNorm()),
          mEpsilon(param->epsilon()),
          mGamma(floatsOf(param->gamma())),
          mBeta(floatsOf(param->beta())) {}

    ErrorCode onResize(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs) override {
        const Tensor* x = inputs[0];
        const int64_t total = TensorUtils::elements(x);
        mInside = 1;
        mRows = 1;
        mSpatial = 1;
        int64_t parameters;
        if (mGroup > 1) {
            const int channels = x->dimensions() > 1 ? x->length(1) : 0;
            if (channels % mGroup != 0 || channels == 0)
                return refuse(x, "the channels are not a multiple of the groups");
            for (int d = 2; d < x->dimensions(); ++d) mSpatial *= x->length(d);
            mRows = static_cast<int64_t>(x->length(0)) * mGroup;
            mInside = channels / mGroup * mSpatial;
            parameters = channels;
        } else {
            if (mAxes > x->dimensions()) return refuse(x, "more axes than dimensions");
            for (int d = 0; d < x->dimensions(); ++d) (d < x->dimensions() - mAxes ? mRows : mInside) *= x->length(d);
            parameters = mInside;
        }
        mResidual = outputs.size() > 1 || (inputs.size() == 2 && TensorUtils::elements(inputs[1]) == total &&
                                           (!mGamma.empty() || total != parameters));
        if (mResidual && (inputs.size() < 2 || TensorUtils::elements(inputs[1]) != total))
            return refuse(x, "the residual has another size");
        const auto fits = [&](const std::vector<float>& v) {
            return v.empty() || static_cast<int64_t>(v.size()) == parameters;
        };
        bool match = fits(mGamma) && fits(mBeta);
        for (size_t i = firstParameter(); i < inputs.size(); ++i)
            match = match && TensorUtils::elements(inputs[i]) == parameters;
        return match ? NO_ERROR : refuse(x, "gamma or beta has another size than what is normalised");
    }

    ErrorCode onExecute(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs) override {
        const size_t first = firstParameter();
        const float* gamma = inputs.size() > first ? inputs[first]->host<float>()
                             : mGamma.empty()      ? nullptr
                                                   : mGamma.data();
        const float* beta = inputs.size() > first + 1 ? inputs[first + 1]->host<float>()
                            : mBeta.empty()           ? nullptr
                                                      : mBeta.data();
        const float* residual = mResidual ? inputs[1]->host<float>() : nullptr;
        float* sum = outputs.size() > 1 ? outputs[1]->host<float>() : outputs[0]->host<float>();
        const float* x = inputs[0]->host<float>();
        float* y = outputs[0]->host<float>();
        if (mInside == 0) return NO_ERROR;
        const cpu::BinaryFn add = cpu::binaryKernels(mCPU->isa()).f32[static_cast<int>(cpu::BinaryKind::Add)];
        constexpr int64_t kTileElements = 8 * 1024;
        const int64_t perTile = std::max<int64_t>(kTileElements / mInside, 1);
        mCPU->parallelFor(static_cast<int>(tilesOf(mRows, perTile)), [&](int index, int) {
            const int64_t end = std::min((index + 1) * perTile, mRows);
            for (int64_t row = index * perTile; row < end; ++row) {
                const int64_t at = row * mInside;
                const float* from = x + at;
                if (residual != nullptr) {
                    add(sum + at, from, residual + at, static_cast<size_t>(mInside), 1, 1);
                    from = sum + at;
                }
                normalize(y + at, from, row, gamma, beta);
            }
        });
        return NO_ERROR;
    }

private:
    ErrorCode refuse(const Tensor* x, const char* why) const {
        MNN_ERROR("%s: cannot normalise %s: %s\n", mText.c_str(), TensorUtils::text(x).c_str(), why);
        return INPUT_DATA_ERROR;
    }

    size_t firstParameter() const { return mResidual ? 2 : 1; }

    void normalize(float* y, const float* x, int64_t row, const float* gamma, const float* beta) const {
        const auto n = static_cast<size_t>(mInside);
        const cpu::RowStatistics s = (mRms ? mKernels.rootMeanSquare : mKernels.layer)(x, n, mEpsilon);
        if (mGroup == 1 || (gamma == nullptr && beta == nullptr)) return mKernels.apply(y, x, n, s, gamma, beta);
        const int64_t channels = mInside / std::max<int64_t>(mSpatial, 1), first = row % mGroup * channels;
        for (int64_t c = 0; c < channels; ++c) {
            const float scale = s.inverse * (gamma != nullptr ? gamma[first + c] : 1.0f);
            const float bias = (beta != nullptr ? beta[first + c] : 0.0f) - s.mean * scale;
            mKernels.applyScalar(y + c * mSpatial, x + c * mSpatial, static_cast<size_t>(mSpatial), scale, bias);
        }
    }

    CPUBackend* mCPU;
    std::string mText;
    const cpu::NormKernels& mKernels;
    int mAxes, mGroup;
    bool mRms;
    float mEpsilon;
    std::vector<float> mGamma, mBeta;
    bool mResidual = false;
    int64_t mRows = 0, mInside = 0, mSpatial = 1;
};

}  // namespace

Execution* createCPULayerNorm(const Op* op, const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs,
                              CPUBackend* backend) {
    const LayerNorm* param = op->main_as_LayerNorm();
    bool floats = !inputs.empty() && !outputs.empty();
    for (const Tensor* t : inputs) floats = floats && t->getType() == halide_type_of<float>();
    for (const Tensor* t : outputs) floats = floats && t->getType() == halide_type_of<float>();
    if (param == nullptr || !floats) {
        MNN_ERROR("%s: takes float32, not %s\n", describeOp(op).c_str(),
                  inputs.empty() ? "nothing" : TensorUtils::text(inputs[0]).c_str());
        return nullptr;
    }
    return new CPULayerNorm(backend, op, param);
}

}  // namespace MNN
