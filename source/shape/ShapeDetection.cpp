// Heads of detectors, and other ops with fixed result tables.
#include "shape/Rules.hpp"

namespace MNN {
namespace shape {

// In: locations, confidences, priors [1, 2, n * 4]. [batch, 1, keepTopK, 6]: class, score, two corners; unused rows
// have class -1.
bool inferDetectionOutput(const Rule& r) {
    if (!r.arity(3) || !r.rankBetween(0, 1, 4) || !r.rankBetween(2, 3, 4)) return false;
    const auto* p = r.param<DetectionOutput>();
    if (p == nullptr) return false;
    if (p->keepTopK() <= 0) return r.fail("keepTopK %d must be positive", p->keepTopK());
    if (p->classCount() <= 0) return r.fail("classCount %d must be positive", p->classCount());
    const int64_t batch = r.length(0, 0), priors = TensorUtils::elements(r.inputs[2]) / 8;
    const int64_t classes = p->classCount(), locations = p->shareLocation() ? 1 : classes;
    if (TensorUtils::elements(r.inputs[0]) != product({batch, priors, locations, 4}) ||
        TensorUtils::elements(r.inputs[1]) != product({batch, priors, classes})) {
        return r.fail("the sizes do not fit %lld priors and %lld classes", static_cast<long long>(priors),
                      static_cast<long long>(classes));
    }
    return r.set(0, {batch, 1, p->keepTopK(), 6}, halide_type_of<float>(), MNN_DATA_FORMAT_NCHW);
}

// In: boxes [batch, n, 4], scores [batch, n, classes], anchors [n, 4]. Out: boxes, classes, scores, count.
bool inferDetectionPostProcess(const Rule& r) {
    if (!r.arity(3, 4) || !r.rankBetween(0, 3, 3) || !r.rankBetween(1, 3, 3) || !r.rankBetween(2, 2, 2)) return false;
    const auto* p = r.param<DetectionPostProcessParam>();
    if (p == nullptr) return false;
    const int64_t batch = r.length(0, 0), count = product({p->maxDetections(), p->maxClassesPerDetection()});
    if (p->maxDetections() <= 0 || p->maxClassesPerDetection() <= 0) return r.fail("detection limits must be positive");
    if (r.length(0, 2) < 4 || r.length(2, 1) != 4 || r.length(1, 1) != r.length(0, 1) ||
        r.length(2, 0) != r.length(0, 1) || r.length(1, 2) < p->numClasses()) {
        return r.fail("boxes, scores and anchors do not fit");
    }
    const auto set = [&](size_t i, const Dims& dims) {
        return r.set(i, dims, halide_type_of<float>(), MNN_DATA_FORMAT_NCHW);
    };
    return set(0, {batch, count, 4}) && set(1, {batch, count}) && set(2, {batch, count}) && set(3, {batch});
}

// In: scores, box deltas, image info. Out: rois [n, 5, 1, 1] [, their scores].
bool inferProposal(const Rule& r) {
    if (!r.arity(3) || !r.rankBetween(0, 4, 4) || !r.rankBetween(1, 4, 4)) return false;
    const auto* p = r.param<Proposal>();
    if (p == nullptr) return false;
    if (p->afterNmsTopN() <= 0) return r.fail("afterNmsTopN %d must be positive", p->afterNmsTopN());
    if (!r.set(0, {p->afterNmsTopN(), 5, 1, 1}, halide_type_of<float>(), MNN_DATA_FORMAT_NCHW)) return false;
    return r.outputs.size() < 2 ||
           r.set(1, {p->afterNmsTopN(), 1, 1, 1}, halide_type_of<float>(), MNN_DATA_FORMAT_NCHW);
}

// In: flat indices, dims. Row i of the output holds every index's coordinate along dimension i.
bool inferUnravelIndex(const Rule& r) {
    if (!r.arity(2) || !r.rankBetween(0, 0, 1) || !r.rankBetween(1, 1, 1)) return false;
    Dims dims{r.length(1, 0)};
    if (r.rank(0) == 1) dims.push_back(r.length(0, 0));
    return r.set(0, dims, halide_type_of<int32_t>(), MNN_DATA_FORMAT_NCHW);
}

// In: signal [samples], [batch, samples] or [batch, samples, 1], window. Magnitudes, or (real, imaginary) pairs.
bool inferStft(const Rule& r) {
    if (!r.arity(1) || !r.rankBetween(0, 1, 3)) return false;
    const auto* p = r.param<StftParam>();
    if (p == nullptr) return false;
    const int rank = r.rank(0);
    if (rank == 3 && r.length(0, 2) != 1) return r.fail("the signal must be real");
    if (p->n_fft() <= 0 || p->hop_length() <= 0) return r.fail("n_fft and hop_length must be positive");
    const int64_t samples = r.length(0, rank == 1 ? 0 : 1);
    if (samples < p->n_fft())
        return r.fail("%lld samples are fewer than n_fft %d", static_cast<long long>(samples), p->n_fft());
    if (r.has(1) && TensorUtils::elements(r.inputs[1]) > p->n_fft())
        return r.fail("the window is longer than n_fft %d", p->n_fft());
    Dims dims;
    if (rank > 1) dims.push_back(r.length(0, 0));
    dims.push_back((samples - p->n_fft()) / p->hop_length() + 1);
    dims.push_back(p->n_fft() / 2 + 1);
    if (!p->abs()) dims.push_back(2);
    return r.set(0, dims, halide_type_of<float>(), MNN_DATA_FORMAT_NCHW);
}

}  // namespace shape
}  // namespace MNN
