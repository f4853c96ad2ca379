// Proposal of Faster R-CNN (Ren et al. 2015): anchors at every place of the feature map, moved by the network's deltas,
// clipped to the image; of those that are not tiny the best that do not overlap.
#include <algorithm>
#include <cmath>
#include <limits>
#include "backend/cpu/executions/FloatScratch.hpp"
#include "backend/cpu/executions/PlainTensors.hpp"
#include "core/NonMaxSuppression.hpp"

namespace MNN {
namespace {

struct Anchor {
    float x, y, width, height;  // of the centre
};

const flatbuffers::Vector<float>* valuesOf(const Blob* blob) { return blob == nullptr ? nullptr : blob->float32s(); }

// Every ratio (height over width) of a square of baseSize at the origin, rounded to whole pixels, at every scale.
std::vector<Anchor> anchorsOf(const Proposal* param) {
    std::vector<Anchor> anchors;
    const auto *ratios = valuesOf(param->ratios()), *scales = valuesOf(param->scales());
    constexpr uint64_t kMost = 1 << 16;
    if (ratios == nullptr || scales == nullptr || uint64_t(ratios->size()) * scales->size() > kMost) return anchors;
    const float base = static_cast<float>(param->baseSize());
    for (float ratio : *ratios) {
        const float width = std::round(base / std::sqrt(ratio)), height = std::round(width * ratio);
        for (float scale : *scales) anchors.push_back({base / 2, base / 2, width * scale, height * scale});
    }
    return anchors;
}

// In: scores [1, 2 * anchors, h, w] (backgrounds, then objects), deltas [1, anchors * 4, h, w], image height, width and
// scale. Out: [n, 5, 1, 1] of image 0, left, top, right, bottom [, their scores]; zeros in rows that are left.
class CPUProposal final : public Execution {
public:
    CPUProposal(CPUBackend* backend, const Op* op, const Proposal* param, std::vector<Anchor> anchors)
        : Execution(backend),
          mCPU(backend),
          mText(opText(op)),
          mAnchors(std::move(anchors)),
          mStride(static_cast<float>(param->featStride())),
          mMinSize(static_cast<float>(param->minSize())) {
        mHow.iouThreshold = param->nmsThreshold();
        mHow.scoreThreshold = -std::numeric_limits<float>::infinity();
        mHow.maxCandidates = std::max(param->preNmsTopN(), 0);
    }

    ErrorCode onResize(const Tensors& inputs, const Tensors& outputs) override {
        const auto anchors = static_cast<int64_t>(mAnchors.size());
        mHeight = inputs[0]->length(2);
        mWidth = inputs[0]->length(3);
        mPlaces = int64_t(mHeight) * mWidth;
        const bool fits = inputs[0]->length(0) == 1 && inputs[0]->length(1) == 2 * anchors &&
                          TensorUtils::elements(inputs[1]) == 4 * anchors * mPlaces &&
                          TensorUtils::elements(inputs[2]) >= 3 && anchors * mPlaces <= INT32_MAX;
        if (!fits) return fault(INPUT_DATA_ERROR, mText, inputs, "the inputs do not fit one image and the anchors");
        mHow.maxBoxes = outputs[0]->length(0);
        const ErrorCode code = mScratch.acquire(mCPU, anchors * mPlaces * 5);
        mScratch.release(mCPU);
        return code;
    }

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        const auto anchors = static_cast<int64_t>(mAnchors.size());
        float* boxes = mScratch.data();
        float* scores = boxes + anchors * mPlaces * 4;
        const float* info = inputs[2]->host<float>();
        int64_t count = 0;
        for (int64_t a = 0; a < anchors; ++a) {
            const float* deltas = inputs[1]->host<float>() + a * 4 * mPlaces;
            const float* objects = inputs[0]->host<float>() + (anchors + a) * mPlaces;
            for (int64_t i = 0; i < mPlaces; ++i) {
                if (!place(mAnchors[a], deltas + i, i, info, boxes + count * 4)) continue;
                scores[count++] = objects[i];
            }
        }
        write(outputs, selectBoxes(boxes, scores, static_cast<int>(count), mHow), boxes, scores);
        return NO_ERROR;
    }

private:
    // The box of an anchor at place i. False when it is smaller than the least size, in pixels of the scaled image.
    bool place(const Anchor& anchor, const float* deltas, int64_t i, const float* info, float* box) const {
        const float x = anchor.x + static_cast<float>(i % mWidth) * mStride + deltas[0] * anchor.width;
        const float y = anchor.y + static_cast<float>(i / mWidth) * mStride + deltas[mPlaces] * anchor.height;
        const float halfWidth = std::exp(deltas[2 * mPlaces]) * anchor.width * 0.5f;
        const float halfHeight = std::exp(deltas[3 * mPlaces]) * anchor.height * 0.5f;
        const auto clip = [](float value, float size) { return std::max(std::min(value, size - 1.0f), 0.0f); };
        box[0] = clip(x - halfWidth, info[1]);
        box[1] = clip(y - halfHeight, info[0]);
        box[2] = clip(x + halfWidth, info[1]);
        box[3] = clip(y + halfHeight, info[0]);
        const float least = mMinSize * info[2];
        return box[2] - box[0] + 1.0f >= least && box[3] - box[1] + 1.0f >= least;
    }

    static void write(const Tensors& outputs, const std::vector<int>& chosen, const float* boxes, const float* scores) {
        const int64_t rows = outputs[0]->length(0);
        float* rois = outputs[0]->host<float>();
        float* kept = outputs.size() > 1 ? outputs[1]->host<float>() : nullptr;
        std::fill(rois, rois + rows * 5, 0.0f);
        if (kept != nullptr) std::fill(kept, kept + rows, 0.0f);
        for (size_t row = 0; row < chosen.size(); ++row) {
            const float* box = boxes + int64_t(chosen[row]) * 4;
            std::copy(box, box + 4, rois + row * 5 + 1);
            if (kept != nullptr) kept[row] = scores[chosen[row]];
        }
    }

    CPUBackend* mCPU;
    std::string mText;
    std::vector<Anchor> mAnchors;
    float mStride, mMinSize;
    BoxSelection mHow;
    int mHeight = 0, mWidth = 0;
    int64_t mPlaces = 0;
    FloatScratch mScratch;  // boxes, then a score for each
};

}  // namespace

Execution* createCPUProposal(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const Proposal* param = op->main_as_Proposal();
    bool good = param != nullptr && inputs.size() >= 3;
    for (const Tensor* t : inputs) good = good && isFloat32(t);
    std::vector<Anchor> anchors;
    if (good) anchors = anchorsOf(param);
    if (anchors.empty())
        return refuse(op, inputs, outputs, "needs its parameters with ratios and scales, and three inputs of float32");
    return new CPUProposal(backend, op, param, std::move(anchors));
}

}  // namespace MNN
