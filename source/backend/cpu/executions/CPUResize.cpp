// Extra Resize: ONNX Resize of any rank, row-major, one pass an axis (docs/extra-ops.md).
#include <cmath>
#include "backend/cpu/executions/PlainTensors.hpp"
#include "backend/cpu/executions/ResampleAxes.hpp"
#include "core/ExtraAttributes.hpp"

namespace MNN {
namespace {

struct Named {
    const char* name;
    int value;
};

// The value of a name in a list that ends with nullptr; false when it is not there.
template <typename T>
bool lookUp(const Named* list, const std::string& name, T* value) {
    for (; list->name != nullptr; ++list) {
        if (name != list->name) continue;
        *value = static_cast<T>(list->value);
        return true;
    }
    return false;
}

const Named kModes[] = {{"nearest", static_cast<int>(ResampleFilter::Nearest)},
                        {"linear", static_cast<int>(ResampleFilter::Linear)},
                        {"cubic", static_cast<int>(ResampleFilter::Cubic)},
                        {nullptr, 0}};
const Named kNearest[] = {{"floor", static_cast<int>(NearestRule::Floor)},
                          {"ceil", static_cast<int>(NearestRule::Ceil)},
                          {"round_prefer_floor", static_cast<int>(NearestRule::RoundPreferFloor)},
                          {"round_prefer_ceil", static_cast<int>(NearestRule::RoundPreferCeil)},
                          {nullptr, 0}};
const Named kCoordinates[] = {{"half_pixel", static_cast<int>(Coordinates::HalfPixel)},
                              {"half_pixel_symmetric", static_cast<int>(Coordinates::HalfPixelSymmetric)},
                              {"pytorch_half_pixel", static_cast<int>(Coordinates::PytorchHalfPixel)},
                              {"align_corners", static_cast<int>(Coordinates::AlignCorners)},
                              {"asymmetric", static_cast<int>(Coordinates::Asymmetric)},
                              {"tf_half_pixel_for_nn", static_cast<int>(Coordinates::HalfPixelNoShift)},
                              {"tf_crop_and_resize", static_cast<int>(Coordinates::Crop)},
                              {nullptr, 0}};

struct ResizeParams {
    AxisRule rule;
    std::vector<int> axes;
    int roi = -1, scales = -1, sizes = -1;  // inputs
    bool keepsRatio = false, notSmaller = false;
    float outsideValue = 0.0f;
};

bool readParams(const Op* op, size_t inputs, ResizeParams* p) {
    const bool named =
        lookUp(kModes, extra::text(op, "mode", "nearest"), &p->rule.filter) &&
        lookUp(kNearest, extra::text(op, "nearest_mode", "round_prefer_floor"), &p->rule.nearest) &&
        lookUp(kCoordinates, extra::text(op, "coordinate_transformation_mode", "half_pixel"), &p->rule.coordinates);
    p->rule.cubicA = extra::real(op, "cubic_coeff_a", -0.75f);
    p->rule.excludeOutside = extra::integer(op, "exclude_outside", 0) != 0;
    p->rule.antialias = extra::integer(op, "antialias", 0) != 0;
    p->outsideValue = extra::real(op, "extrapolation_value", 0.0f);
    p->axes = extra::integers(op, "axes");
    const std::string policy = extra::text(op, "keep_aspect_ratio_policy", "stretch");
    p->keepsRatio = policy == "not_larger" || policy == "not_smaller";
    p->notSmaller = policy == "not_smaller";
    int next = 1;
    if (extra::integer(op, "has_roi", 0) != 0) p->roi = next++;
    if (extra::integer(op, "has_scales", 0) != 0) p->scales = next++;
    if (extra::integer(op, "has_sizes", 0) != 0) p->sizes = next++;
    return named && static_cast<size_t>(next) <= inputs;
}

class CPUResize final : public Execution {
public:
    CPUResize(CPUBackend* backend, const ResizeParams& params, std::string name)
        : Execution(backend), mCPU(backend), mParams(params), mName(std::move(name)) {}

    ErrorCode onResize(const Tensors& inputs, const Tensors& outputs) override {
        const Tensor* x = inputs[0];
        const int rank = x->dimensions();
        mEmpty = TensorUtils::elements(outputs[0]) == 0;
        if (mEmpty) return NO_ERROR;
        std::vector<AxisRule> rules;
        if (TensorUtils::elements(x) == 0 || !rulesFor(inputs, outputs[0], &rules)) {
            return fault(INPUT_DATA_ERROR, mName, inputs, "axes, scales or sizes do not fit the input");
        }
        std::vector<AxisTaps> taps;
        mOutside.assign(rank, {});
        mAnyOutside = false;
        for (int d = 0; d < rank; ++d) {
            taps.push_back(makeTaps(rules[d]));
            mOutside[d] = taps[d].outside;
            for (bool outside : mOutside[d]) mAnyOutside = mAnyOutside || outside;
        }
        return mAxes.resize(mCPU, x->shape(), std::move(taps), x->getType().bytes());
    }

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        if (mEmpty) return NO_ERROR;
        mAxes.run(mCPU, inputs[0]->host<uint8_t>(), outputs[0]->host<uint8_t>());
        if (mAnyOutside) fillOutside(outputs[0]);
        return NO_ERROR;
    }

private:
    // One rule per dimension; those that are not resized move elements as they are.
    bool rulesFor(const Tensors& inputs, const Tensor* output, std::vector<AxisRule>* rules) const {
        const int rank = inputs[0]->dimensions();
        std::vector<int> axes = mParams.axes;
        for (int d = 0; mParams.axes.empty() && d < rank; ++d) axes.push_back(d);
        AxisRule still;
        rules->assign(rank, still);
        for (int d = 0; d < rank; ++d) (*rules)[d].in = (*rules)[d].out = inputs[0]->length(d);
        const int64_t count = static_cast<int64_t>(axes.size());
        const double ratio = mParams.keepsRatio && mParams.sizes >= 0 ? commonRatio(inputs, axes) : 0.0;
        for (int64_t i = 0; i < count; ++i) {
            const int64_t d = wrapIndex(axes[i], rank);
            if (d < 0) return false;
            AxisRule rule = mParams.rule;
            rule.in = inputs[0]->length(static_cast<int>(d));
            rule.out = output->length(static_cast<int>(d));
            rule.scale = ratio;
            if (mParams.scales >= 0 && TensorUtils::elements(inputs[mParams.scales]) == count) {
                rule.scale = numberAt(inputs[mParams.scales], i, 0.0);
            }
            if (mParams.roi >= 0 && TensorUtils::elements(inputs[mParams.roi]) == 2 * count) {
                rule.roiBegin = numberAt(inputs[mParams.roi], i, 0.0);
                rule.roiEnd = numberAt(inputs[mParams.roi], i + count, 1.0);
            }
            (*rules)[d] = rule;
        }
        for (int d = 0; d < rank; ++d) {
            if ((*rules)[d].out != output->length(d)) return false;
        }
        return true;
    }

    double commonRatio(const Tensors& inputs, const std::vector<int>& axes) const {
        double ratio = 0.0;
        for (size_t i = 0; i < axes.size(); ++i) {
            const int64_t d = wrapIndex(axes[i], inputs[0]->dimensions());
            if (d < 0) return 0.0;
            const double own =
                numberAt(inputs[mParams.sizes], static_cast<int64_t>(i), 0.0) / inputs[0]->length(static_cast<int>(d));
            ratio = i == 0 ? own : mParams.notSmaller ? std::max(ratio, own) : std::min(ratio, own);
        }
        return ratio;
    }

    void fillOutside(Tensor* output) const {
        const Strides strides = rowMajorStrides(output);
        const int64_t count = TensorUtils::elements(output);
        for (int64_t i = 0; i < count; ++i) {
            bool outside = false;
            for (int d = 0; d < output->dimensions(); ++d) {
                outside = outside || (!mOutside[d].empty() &&
                                      mOutside[d][static_cast<size_t>(i / strides[d] % output->length(d))]);
            }
            if (outside) output->host<float>()[i] = mParams.outsideValue;
        }
    }

    CPUBackend* mCPU;
    ResizeParams mParams;
    std::string mName;
    ResampleAxes mAxes;
    std::vector<std::vector<bool>> mOutside;  // per dimension, places outside the input
    bool mAnyOutside = false, mEmpty = false;
};

}  // namespace

Execution* createCPUResize(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    ResizeParams params;
    if (!readParams(op, inputs.size(), &params)) return refuse(op, inputs, outputs, "unknown mode, or inputs missing");
    const bool moves = params.rule.filter == ResampleFilter::Nearest && params.rule.coordinates != Coordinates::Crop;
    if (inputs[0]->getType() != outputs[0]->getType() || inputs[0]->dimensions() != outputs[0]->dimensions() ||
        (!isFloat32(inputs[0]) && !moves)) {
        return refuse(op, inputs, outputs, "needs float32, or nearest without cropping for other types");
    }
    return new CPUResize(backend, params, opText(op));
}

}  // namespace MNN
