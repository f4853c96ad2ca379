// DetectionPostProcess: TFLite's TFLite_Detection_PostProcess. Encodings relative to anchors become boxes; the fast way
// suppresses overlaps once, by the best class of each box, the regular way class by class.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include "backend/cpu/executions/FloatScratch.hpp"
#include "backend/cpu/executions/PlainTensors.hpp"
#include "core/NonMaxSuppression.hpp"

namespace MNN {
namespace {

struct PostProcess {
    int detections = 0, classesPerDetection = 0, detectionsPerClass = 0, classes = 0;
    bool regular = false;
    float scale[4] = {1.0f, 1.0f, 1.0f, 1.0f};  // of y, x, height, width
};

// A box of top, left, bottom, right from centre y, x, height, width.
void decodeBoxes(const float* encoded, int64_t step, const float* anchors, const float* scale, int64_t count,
                 float* boxes) {
    for (int64_t i = 0; i < count; ++i, encoded += step, anchors += 4, boxes += 4) {
        for (int k = 0; k < 2; ++k) {
            const float centre = encoded[k] / scale[k] * anchors[k + 2] + anchors[k];
            const float half = 0.5f * std::exp(encoded[k + 2] / scale[k + 2]) * anchors[k + 2];
            boxes[k] = centre - half;
            boxes[k + 2] = centre + half;
        }
    }
}

// In: encodings [batch, n, 4 or more], scores [batch, n, classes or one more: the background first], anchors [n, 4].
// Out: boxes, classes, scores [batch, room], number of detections [batch]. Places that are left hold zeros.
class CPUDetectionPostProcess final : public Execution {
public:
    CPUDetectionPostProcess(CPUBackend* backend, const PostProcess& p, BoxSelection how)
        : Execution(backend), mCPU(backend), mParam(p), mHow(how) {}

    ErrorCode onResize(const Tensors& inputs, const Tensors&) override {
        mCount = inputs[0]->length(1);
        mColumns = inputs[1]->length(2);
        mOrder.resize(static_cast<size_t>(mCount == 0 ? 0 : mParam.classes));
        const ErrorCode code = mScratch.acquire(mCPU, int64_t(mCount) * 5);
        mScratch.release(mCPU);
        return code;
    }

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        const int64_t room = outputs[1]->length(1);
        for (int64_t b = 0; b < inputs[0]->length(0); ++b) {
            const int64_t step = inputs[0]->length(2);
            float* boxes = mScratch.data();
            decodeBoxes(inputs[0]->host<float>() + b * mCount * step, step, inputs[2]->host<float>(), mParam.scale,
                        mCount, boxes);
            // The background's column comes first and is not looked at.
            const float* scores =
                inputs[1]->host<float>() + b * mCount * mColumns + (mColumns - std::min(mColumns, mParam.classes));
            mFound.clear();
            if (mParam.regular) {
                findRegular(scores);
            } else {
                findFast(scores);
            }
            write(outputs, b, room);
        }
        return NO_ERROR;
    }

private:
    struct Detection {
        int box, label;
        float score;
    };

    void findFast(const float* scores) {
        float* best = mScratch.data() + int64_t(mCount) * 4;
        for (int64_t i = 0; i < mCount; ++i)
            best[i] = *std::max_element(scores + i * mColumns, scores + i * mColumns + mParam.classes);
        const int listed = std::min(mParam.classesPerDetection, mParam.classes);
        BoxSelection how = mHow;
        how.maxBoxes = mParam.detections;
        for (int box : selectBoxes(mScratch.data(), best, mCount, how)) {
            const float* row = scores + int64_t(box) * mColumns;
            std::iota(mOrder.begin(), mOrder.end(), 0);
            std::stable_sort(mOrder.begin(), mOrder.end(), [row](int a, int b) { return row[a] > row[b]; });
            for (int i = 0; i < listed; ++i) mFound.push_back({box, mOrder[i], row[mOrder[i]]});
        }
    }

    void findRegular(const float* scores) {
        float* column = mScratch.data() + int64_t(mCount) * 4;
        BoxSelection how = mHow;
        how.maxBoxes = mParam.detectionsPerClass;
        for (int label = 0; label < mParam.classes; ++label) {
            for (int64_t i = 0; i < mCount; ++i) column[i] = scores[i * mColumns + label];
            for (int box : selectBoxes(mScratch.data(), column, mCount, how))
                mFound.push_back({box, label, column[box]});
        }
        std::stable_sort(mFound.begin(), mFound.end(),
                         [](const Detection& a, const Detection& b) { return a.score > b.score; });
        if (mFound.size() > static_cast<size_t>(mParam.detections)) mFound.resize(mParam.detections);
    }

    void write(const Tensors& outputs, int64_t b, int64_t room) const {
        float* boxes = outputs[0]->host<float>() + b * room * 4;
        float* classes = outputs[1]->host<float>() + b * room;
        float* scores = outputs[2]->host<float>() + b * room;
        const int64_t count = std::min(static_cast<int64_t>(mFound.size()), room);
        for (int64_t i = 0; i < count; ++i) {
            const float* from = mScratch.data() + int64_t(mFound[i].box) * 4;
            std::copy(from, from + 4, boxes + i * 4);
            classes[i] = static_cast<float>(mFound[i].label);
            scores[i] = mFound[i].score;
        }
        std::fill(boxes + count * 4, boxes + room * 4, 0.0f);
        std::fill(classes + count, classes + room, 0.0f);
        std::fill(scores + count, scores + room, 0.0f);
        outputs[3]->host<float>()[b] = static_cast<float>(count);
    }

    CPUBackend* mCPU;
    PostProcess mParam;
    BoxSelection mHow;
    int mCount = 0, mColumns = 0;
    FloatScratch mScratch;  // boxes, then a score for each
    std::vector<int> mOrder;
    std::vector<Detection> mFound;
};

}  // namespace

Execution* createCPUDetectionPostProcess(const Op* op, const Tensors& inputs, const Tensors& outputs,
                                         CPUBackend* backend) {
    const DetectionPostProcessParam* param = op->main_as_DetectionPostProcessParam();
    bool good = param != nullptr && param->numClasses() > 0 && inputs.size() >= 3 && outputs.size() == 4 &&
                inputs[1]->length(2) >= param->numClasses();
    for (const Tensor* t : inputs) good = good && isFloat32(t);
    const auto* scale = good ? param->centerSizeEncoding() : nullptr;
    if (scale == nullptr || scale->size() != 4)
        return refuse(op, inputs, outputs, "needs its parameters with four scales, and three inputs of float32");
    PostProcess p;
    p.detections = std::max(param->maxDetections(), 0);
    p.classesPerDetection = param->maxClassesPerDetection();
    p.detectionsPerClass = std::max(param->detectionsPerClass(), 0);
    p.classes = param->numClasses();
    p.regular = param->useRegularNMS();
    std::copy(scale->begin(), scale->end(), p.scale);
    BoxSelection how;
    how.iouThreshold = param->iouThreshold();
    // A score equal to TFLite's threshold is enough.
    how.scoreThreshold = std::nextafter(param->nmsScoreThreshold(), -std::numeric_limits<float>::infinity());
    return new CPUDetectionPostProcess(backend, p, how);
}

}  // namespace MNN
