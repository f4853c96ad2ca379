// DetectionOutput of SSD (Liu et al. 2016) and, with the two arm inputs, of RefineDet (Zhang et al. 2018): locations
// relative to prior boxes become boxes; of each class those stay that overlap no better one; the best of all are
// listed.
#include <algorithm>
#include <cmath>
#include "backend/cpu/executions/FloatScratch.hpp"
#include "backend/cpu/executions/PlainTensors.hpp"
#include "core/NonMaxSuppression.hpp"

namespace MNN {
namespace {

// Numbers of Caffe's PriorBoxParameter.CodeType; everything else means CenterSize, as SSD does.
enum class BoxCode : int { Corner = 1, CenterSize = 2, CornerSize = 3 };

struct Detection {
    float score;
    int label;
    const float* box;
};

// boxes[i] = prior[i] moved by location[i * step], all of four numbers: left, top, right, bottom for a box. Without
// variances the locations hold them already.
void decode(BoxCode code, const float* priors, const float* variances, const float* locations, int64_t step,
            int64_t count, float* boxes) {
    for (int64_t i = 0; i < count; ++i, priors += 4, locations += step, boxes += 4) {
        float moved[4];
        for (int k = 0; k < 4; ++k) moved[k] = locations[k] * (variances == nullptr ? 1.0f : variances[4 * i + k]);
        const float width = priors[2] - priors[0], height = priors[3] - priors[1];
        if (code == BoxCode::Corner || code == BoxCode::CornerSize) {
            const bool sized = code == BoxCode::CornerSize;
            for (int k = 0; k < 4; ++k) boxes[k] = priors[k] + moved[k] * (!sized ? 1.0f : k % 2 == 0 ? width : height);
            continue;
        }
        const float x = (priors[0] + priors[2]) * 0.5f + moved[0] * width;
        const float y = (priors[1] + priors[3]) * 0.5f + moved[1] * height;
        const float w = std::exp(moved[2]) * width * 0.5f, h = std::exp(moved[3]) * height * 0.5f;
        boxes[0] = x - w;
        boxes[1] = y - h;
        boxes[2] = x + w;
        boxes[3] = y + h;
    }
}

// In: locations [batch, priors, 1 or classes, 4], scores [batch, priors, classes], priors [2, priors, 4] (boxes, then
// variances) [, arm scores [batch, priors, 2], arm locations [batch, priors, 4]].
// Out: [batch, 1, keepTopK, 6] of class, score, box; class -1 in rows that are left.
class CPUDetectionOutput final : public Execution {
public:
    CPUDetectionOutput(CPUBackend* backend, const Op* op, const DetectionOutput* p)
        : Execution(backend),
          mCPU(backend),
          mText(opText(op)),
          mClasses(p->classCount()),
          mBackground(p->backgroundLable()),
          mShared(p->shareLocation() != 0),
          mVariancesApart(p->varianceEncodedTarget() == 0),
          mCode(static_cast<BoxCode>(p->codeType())),
          mConfidence(p->confidenceThreshold()),
          mObjectness(p->objectnessScore()) {
        mHow.iouThreshold = p->nmsThresholdold();
        mHow.maxCandidates = std::max(p->nmsTopK(), 0);
    }

    ErrorCode onResize(const Tensors& inputs, const Tensors& outputs) override {
        mBatch = outputs[0]->length(0);
        mKept = outputs[0]->length(2);
        mPriors = TensorUtils::elements(inputs[2]) / 8;
        mRefined = inputs.size() >= 5;
        const auto holds = [&](size_t input, int64_t perPrior) {
            return TensorUtils::elements(inputs[input]) == int64_t(mBatch) * mPriors * perPrior;
        };
        const bool fits = mPriors <= INT32_MAX && holds(0, mShared ? 4 : int64_t(4) * mClasses) && holds(1, mClasses) &&
                          (!mRefined || (holds(3, 2) && holds(4, 4)));
        if (!fits) return fault(INPUT_DATA_ERROR, mText, inputs, "the inputs do not fit the number of priors");
        mHow.maxBoxes = mKept;
        mChosen.assign(static_cast<size_t>(mBatch == 0 || mPriors == 0 ? 0 : mClasses), std::vector<int>());
        const int64_t boxes = mPriors * 4 * (mShared ? 1 : mClasses), refined = mRefined ? mPriors * 4 : 0;
        const ErrorCode code = mScratch.acquire(mCPU, boxes + refined + mPriors * mCPU->threads());
        mScratch.release(mCPU);
        return code;
    }

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        for (int b = 0; b < mBatch; ++b) {
            float* boxes = decodeAll(inputs, b);
            float* output = outputs[0]->host<float>() + int64_t(b) * mKept * 6;
            const float* scores = inputs[1]->host<float>() + b * mPriors * mClasses;
            const float* arm = mRefined ? inputs[3]->host<float>() + b * mPriors * 2 : nullptr;
            mCPU->parallelFor(static_cast<int>(mChosen.size()), [&](int label, int worker) {
                mChosen[label].clear();
                if (label != mBackground) choose(label, scores, arm, boxesOf(label, boxes), worker);
            });
            list(scores, arm, boxes, output);
        }
        return NO_ERROR;
    }

private:
    const float* boxesOf(int label, const float* boxes) const { return mShared ? boxes : boxes + label * mPriors * 4; }

    // The boxes of image b: [1 or classes, priors, 4].
    float* decodeAll(const Tensors& inputs, int b) {
        float* boxes = mScratch.data() + mPriors * mCPU->threads();
        const float* priors = inputs[2]->host<float>();
        const float* variances = mVariancesApart ? priors + mPriors * 4 : nullptr;
        const int sets = mShared ? 1 : static_cast<int>(mChosen.size());
        if (mRefined) {
            float* refined = boxes + mPriors * 4 * sets;
            decode(mCode, priors, variances, inputs[4]->host<float>() + b * mPriors * 4, 4, mPriors, refined);
            priors = refined;
        }
        const float* locations = inputs[0]->host<float>() + b * mPriors * sets * 4;
        mCPU->parallelFor(sets, [&](int set, int) {
            decode(mCode, priors, variances, locations + set * 4, int64_t(sets) * 4, mPriors,
                   boxes + set * mPriors * 4);
        });
        return boxes;
    }

    void choose(int label, const float* scores, const float* arm, const float* boxes, int worker) {
        float* column = mScratch.data() + worker * mPriors;
        for (int64_t i = 0; i < mPriors; ++i) column[i] = scoreOf(scores, arm, i, label);
        BoxSelection how = mHow;
        how.scoreThreshold = mConfidence;
        mChosen[label] = selectBoxes(boxes, column, static_cast<int>(mPriors), how);
    }

    // RefineDet's first stage says which priors hold an object at all.
    float scoreOf(const float* scores, const float* arm, int64_t i, int label) const {
        const bool object = arm == nullptr || !(arm[2 * i + 1] < mObjectness);
        return object ? scores[i * mClasses + label] : 0.0f;
    }

    // The best of every class, by score; equal ones in order of class.
    void list(const float* scores, const float* arm, const float* boxes, float* output) {
        mFound.clear();
        for (int label = 0; label < static_cast<int>(mChosen.size()); ++label) {
            for (int i : mChosen[label])
                mFound.push_back({scoreOf(scores, arm, i, label), label, boxesOf(label, boxes) + int64_t(i) * 4});
        }
        std::stable_sort(mFound.begin(), mFound.end(),
                         [](const Detection& a, const Detection& b) { return a.score > b.score; });
        for (int row = 0; row < mKept; ++row, output += 6) {
            if (row < static_cast<int>(mFound.size())) {
                const Detection& found = mFound[row];
                output[0] = static_cast<float>(found.label);
                output[1] = found.score;
                std::copy(found.box, found.box + 4, output + 2);
            } else {
                output[0] = -1.0f;
                std::fill(output + 1, output + 6, 0.0f);
            }
        }
    }

    CPUBackend* mCPU;
    std::string mText;
    int mClasses, mBackground;
    bool mShared, mVariancesApart;
    BoxCode mCode;
    float mConfidence, mObjectness;
    BoxSelection mHow;
    bool mRefined = false;
    int mBatch = 0, mKept = 0;
    int64_t mPriors = 0;
    FloatScratch mScratch;  // a column of scores for each worker, boxes, refined priors
    std::vector<std::vector<int>> mChosen;
    std::vector<Detection> mFound;
};

}  // namespace

Execution* createCPUDetectionOutput(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const DetectionOutput* param = op->main_as_DetectionOutput();
    bool good = param != nullptr && param->classCount() > 0 && inputs.size() >= 3 && outputs[0]->dimensions() == 4;
    for (const Tensor* t : inputs) good = good && isFloat32(t);
    if (!good) return refuse(op, inputs, outputs, "needs its parameters, and locations, scores and priors of float32");
    return new CPUDetectionOutput(backend, op, param);
}

}  // namespace MNN
