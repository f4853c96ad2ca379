// Interp on packed images, a ring of horizontally resampled rows per worker; Interp3D, and images of other types, axis
// by axis.
#include "backend/cpu/executions/FloatScratch.hpp"
#include "backend/cpu/executions/ImagePlanes.hpp"
#include "backend/cpu/executions/PlainTensors.hpp"
#include "backend/cpu/executions/ResampleAxis.hpp"
#include "backend/cpu/executions/ResampleAxes.hpp"
#include "backend/cpu/kernels/Pool.hpp"
#include "backend/cpu/kernels/Resample.hpp"

namespace MNN {
namespace {

// What an Interp says, but for the lengths. Axes: 0 width, 1 height, 2 depth.
struct InterpParams {
    AxisRule rule[3];
};

Coordinates coordinatesOf(const Interp* p) {
    switch (p->ctm()) {
        case CoordinateTransformationMode_AlignCorners:
            return Coordinates::AlignCorners;
        case CoordinateTransformationMode_HalfPixels:
            return Coordinates::HalfPixel;
        case CoordinateTransformationMode_PytorchHalfPixels:
            return Coordinates::PytorchHalfPixel;
        case CoordinateTransformationMode_TensorflowHalfPixels:
            return Coordinates::HalfPixelNoShift;
        case CoordinateTransformationMode_Asymmetric:
            return Coordinates::Asymmetric;
        default:
            break;
    }
    if (p->alignCorners()) return Coordinates::AlignCorners;
    if (!p->halfPixelCenters()) return Coordinates::Asymmetric;
    return p->resizeType() == 1 ? Coordinates::HalfPixelNoShift : Coordinates::HalfPixel;
}

bool readInterp(const Interp* p, InterpParams* params) {
    AxisRule rule;
    rule.coordinates = coordinatesOf(p);
    switch (p->resizeType()) {
        case 1:
            break;
        case 2:
            rule.filter = ResampleFilter::Linear;
            break;
        case 3:
            rule.filter = ResampleFilter::Cubic;
            break;
        case 4:
            rule.nearest = NearestRule::RoundPreferFloor;
            break;
        default:
            return false;
    }
    // TensorFlow rounds to the nearest corner; other sources that align corners say so in ctm.
    const bool stated = p->ctm() != CoordinateTransformationMode_NotSet;
    if (!stated && p->alignCorners() && p->resizeType() == 1) rule.nearest = NearestRule::RoundPreferCeil;
    rule.cubicA = p->cubicCoeffA();
    const float scales[] = {p->widthScale(), p->heightScale(), p->depthScale()};
    const float offsets[] = {p->widthOffset(), p->heightOffset(), p->depthOffset()};
    const int lengths[] = {p->outputWidth(), p->outputHeight(), p->outputDepth()};
    for (int i = 0; i < 3; ++i) {
        params->rule[i] = rule;
        // Files that leave ctm unset come from frameworks that compute with the ratio of the lengths.
        if (stated && lengths[i] == 0 && scales[i] > 0.0f) params->rule[i].scale = scales[i];
        if (!stated) params->rule[i].offset = offsets[i];
    }
    return p->ctm() != CoordinateTransformationMode_TensorflowCropAndResize;
}

// Rules for the spatial axes of `input`, outermost first. Scales that input 1 states as floats are exact ratios.
std::vector<AxisRule> rulesFor(const InterpParams& params, const Tensors& inputs, const Tensor* output) {
    const Tensor* input = inputs[0];
    const int spatial = input->dimensions() - 2;
    const Tensor* scales =
        inputs.size() > 1 && isFloat32(inputs[1]) && TensorUtils::describe(inputs[1])->hostKnown ? inputs[1] : nullptr;
    const int64_t stated = scales == nullptr ? 0 : TensorUtils::elements(scales);
    std::vector<AxisRule> rules;
    for (int i = 0; i < spatial; ++i) {
        AxisRule rule = params.rule[spatial - 1 - i];
        if (stated >= spatial) rule.scale = numberAt(scales, stated - spatial + i, 0.0);
        rule.in = input->length(2 + i);
        rule.out = output->length(2 + i);
        if (rule.coordinates == Coordinates::AlignCorners) rule.scale = 0.0;
        // A ratio that does not lead to the output's length is not the one that was meant.
        if (rule.scale > 0.0 && static_cast<int64_t>(rule.in * rule.scale + 1e-4) != rule.out) rule.scale = 0.0;
        rules.push_back(rule);
    }
    return rules;
}

class CPUInterp final : public Execution {
public:
    CPUInterp(CPUBackend* backend, const InterpParams& params, std::string name)
        : Execution(backend), mCPU(backend), mParams(params), mName(std::move(name)) {}

    ErrorCode onResize(const Tensors& inputs, const Tensors& outputs) override {
        const Tensor* in = inputs[0];
        const Tensor* out = outputs[0];
        mEmpty = TensorUtils::elements(out) == 0;
        if (mEmpty) return NO_ERROR;
        mPack = packOf(in);
        if (!samePlanes(in, out) || TensorUtils::elements(in) == 0 || in->dimensions() > 5) {
            return fault(INPUT_DATA_ERROR, mName, inputs, "input and output differ in batch, channels or storage");
        }
        std::vector<AxisTaps> taps;
        for (const AxisRule& rule : rulesFor(mParams, inputs, out)) taps.push_back(makeTaps(rule));
        mByRows = in->dimensions() == 4 && isFloat32(in) && cpu::packIndex(mPack) >= 0;
        if (!mByRows) return resizeAxes(in, std::move(taps));
        mY = std::move(taps[0]);
        mX = std::move(taps[1]);
        mRowFloats = int64_t(out->length(3)) * mPack;
        const int64_t ring = mX.identity ? 0 : mRowFloats * mY.taps;
        const ErrorCode code = mScratch.acquire(mCPU, ring * mCPU->threads());
        mScratch.release(mCPU);
        mRings.assign(mCPU->threads(), Ring());
        for (Ring& r : mRings) r.rows.assign(mY.taps, nullptr), r.source.assign(mY.taps, -1);
        return code;
    }

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        if (mEmpty) return NO_ERROR;
        if (!mByRows) {
            mAxes.run(mCPU, inputs[0]->host<uint8_t>(), outputs[0]->host<uint8_t>());
            return NO_ERROR;
        }
        const int rows = outputs[0]->length(2);
        const int64_t inPlane = int64_t(inputs[0]->length(2)) * inputs[0]->length(3) * mPack,
                      outPlane = rows * mRowFloats;
        const int planes = planesOf(inputs[0]);
        const int parts = planes >= mCPU->threads() * 2 ? 1 : std::min(rows, mCPU->threads());
        mCPU->parallelFor(planes * parts, [&](int tile, int worker) {
            const int plane = tile / parts, part = tile % parts;
            resampleRows(inputs[0]->host<float>() + plane * inPlane, outputs[0]->host<float>() + plane * outPlane,
                         static_cast<int64_t>(inputs[0]->length(3)) * mPack,
                         static_cast<int>(int64_t(rows) * part / parts),
                         static_cast<int>(int64_t(rows) * (part + 1) / parts), worker);
        });
        return NO_ERROR;
    }

private:
    // Rows of the input, resampled along x, that the present output row needs.
    struct Ring {
        std::vector<const float*> rows;  // per tap
        std::vector<int> source;         // per slot: the input row it holds, or -1
    };

    ErrorCode resizeAxes(const Tensor* in, std::vector<AxisTaps> taps) {
        std::vector<int> lengths = {planesOf(in)};
        std::vector<AxisTaps> all(1);
        all[0].identity = true;
        for (int d = 2; d < in->dimensions(); ++d) lengths.push_back(in->length(d));
        for (AxisTaps& t : taps) all.push_back(std::move(t));
        lengths.push_back(mPack);
        all.push_back(all[0]);
        return mAxes.resize(mCPU, lengths, std::move(all), in->getType().bytes());
    }

    int slotOf(const Ring& ring, int row, const int* needed) const {
        for (int s = 0; s < mY.taps; ++s) {
            if (ring.source[s] == row) return s;
        }
        for (int s = 0; s < mY.taps; ++s) {
            if (std::find(needed, needed + mY.taps, ring.source[s]) == needed + mY.taps) return s;
        }
        return 0;
    }

    void resampleRows(const float* src, float* dst, int64_t srcRow, int begin, int end, int worker) {
        const cpu::ResampleKernels& kernels = cpu::resampleKernels(mCPU->isa());
        const cpu::ResampleRow resample = kernels.row[cpu::packIndex(mPack)];
        Ring& ring = mRings[worker];
        float* slots = mX.identity ? nullptr : mScratch.data() + worker * mRowFloats * mY.taps;
        std::fill(ring.source.begin(), ring.source.end(), -1);
        const int width = static_cast<int>(mRowFloats / mPack);
        for (int y = begin; y < end; ++y) {
            const int* needed = &mY.index[static_cast<size_t>(y) * mY.taps];
            for (int t = 0; t < mY.taps; ++t) {
                const float* row = src + needed[t] * srcRow;
                if (!mX.identity) {
                    const int slot = slotOf(ring, needed[t], needed);
                    float* place = slots + slot * mRowFloats;
                    if (ring.source[slot] != needed[t])
                        resample(place, row, mX.index.data(), mX.weight.data(), mX.taps, width);
                    ring.source[slot] = needed[t];
                    row = place;
                }
                ring.rows[t] = row;
            }
            float* to = dst + y * mRowFloats;
            if (mY.taps == 1) {
                std::memcpy(to, ring.rows[0], static_cast<size_t>(mRowFloats) * sizeof(float));
            } else {
                kernels.blend(to, ring.rows.data(), &mY.weight[static_cast<size_t>(y) * mY.taps], mY.taps,
                              static_cast<size_t>(mRowFloats));
            }
        }
    }

    CPUBackend* mCPU;
    InterpParams mParams;
    std::string mName;
    bool mEmpty = false, mByRows = true;
    int mPack = 1;
    AxisTaps mX, mY;
    int64_t mRowFloats = 0;
    FloatScratch mScratch;
    std::vector<Ring> mRings;
    ResampleAxes mAxes;
};

}  // namespace

Execution* createCPUInterp(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const Interp* p = op->main_as_Interp();
    InterpParams params;
    if (p == nullptr || !readInterp(p, &params)) return refuse(op, inputs, outputs, "needs a known resizeType and ctm");
    const bool nearest = params.rule[0].filter == ResampleFilter::Nearest;
    if (inputs[0]->getType() != outputs[0]->getType() || (!isFloat32(inputs[0]) && !nearest)) {
        return refuse(op, inputs, outputs, "needs float32, or nearest for other types");
    }
    return new CPUInterp(backend, params, opText(op));
}

}  // namespace MNN
