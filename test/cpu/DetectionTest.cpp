// DetectionOutput, DetectionPostProcess and Proposal against their published formulas, written out one box at a time.
#include <algorithm>
#include <array>
#include <cmath>
#include "ExecutionHarness.hpp"

namespace MNN {
namespace {

using namespace harness;

struct Found {
    double score;
    int label;
    std::array<double, 4> box;  // two corners
};

double overlap(const std::array<double, 4>& a, const std::array<double, 4>& b) {
    const double w = std::min(a[2], b[2]) - std::max(a[0], b[0]), h = std::min(a[3], b[3]) - std::max(a[1], b[1]);
    if (w <= 0 || h <= 0) return 0;
    return w * h / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - w * h);
}

std::vector<Found> bestFirst(std::vector<Found> found, size_t most) {
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.score > b.score; });
    if (found.size() > most) found.resize(most);
    return found;
}

// Of `candidates`, best first, those that overlap no better one by more than `threshold`.
std::vector<Found> suppressed(const std::vector<Found>& candidates, double threshold, size_t most) {
    std::vector<Found> kept;
    for (const Found& c : candidates) {
        const bool free =
            std::all_of(kept.begin(), kept.end(), [&](const Found& k) { return overlap(k.box, c.box) <= threshold; });
        if (free && kept.size() < most) kept.push_back(c);
    }
    return kept;
}

// Distinct scores, so that no order hangs on rounding.
std::vector<float> scoresOf(int64_t n, uint32_t seed) {
    std::vector<float> values(static_cast<size_t>(n));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1) / static_cast<float>(n + 1);
    std::shuffle(values.begin(), values.end(), std::mt19937(seed));
    return values;
}

struct Ssd {
    int batch = 1, priors = 40, classes = 4, background = 0, keep = 12, nmsTop = -1, code = 2;
    bool shared = true, encoded = false, refined = false;
    float confidence = 0.2f, nms = 0.45f, objectness = 0.3f;
};

// Boxes of about a quarter of the image, then variances.
std::vector<float> priorsOf(int n, uint32_t seed) {
    std::vector<float> boxes = uniform(int64_t(n) * 4, seed, 0.05f, 0.4f), all;
    for (int i = 0; i < n; ++i) {
        const float* b = &boxes[i * 4];
        all.insert(all.end(), {b[0], b[1], b[0] + b[2], b[1] + b[3]});
    }
    for (int i = 0; i < n; ++i) all.insert(all.end(), {0.1f, 0.15f, 0.2f, 0.25f});
    return all;
}

std::array<double, 4> ssdBox(const Ssd& s, const std::array<double, 4>& p, const float* variance, const float* moved) {
    double l[4];
    for (int k = 0; k < 4; ++k) l[k] = moved[k] * (s.encoded ? 1.0 : variance[k]);
    const double w = p[2] - p[0], h = p[3] - p[1];
    if (s.code == 1) return {p[0] + l[0], p[1] + l[1], p[2] + l[2], p[3] + l[3]};
    if (s.code == 3) return {p[0] + l[0] * w, p[1] + l[1] * h, p[2] + l[2] * w, p[3] + l[3] * h};
    const double x = (p[0] + p[2]) / 2 + l[0] * w, y = (p[1] + p[3]) / 2 + l[1] * h;
    const double bw = w * std::exp(l[2]), bh = h * std::exp(l[3]);
    return {x - bw / 2, y - bh / 2, x + bw / 2, y + bh / 2};
}

struct SsdInputs {
    std::vector<float> location, score, prior, armScore, armLocation;
};

std::vector<float> ssdReference(const Ssd& s, const SsdInputs& in) {
    std::vector<float> want;
    const int sets = s.shared ? 1 : s.classes;
    for (int b = 0; b < s.batch; ++b) {
        std::vector<Found> all;
        for (int label = 0; label < s.classes; ++label) {
            if (label == s.background) continue;
            std::vector<Found> candidates;
            for (int i = 0; i < s.priors; ++i) {
                const int at = b * s.priors + i;
                double score = in.score[at * s.classes + label];
                if (s.refined && in.armScore[at * 2 + 1] < s.objectness) score = 0;
                if (score <= s.confidence) continue;
                const float *p = &in.prior[i * 4], *v = &in.prior[(s.priors + i) * 4];
                std::array<double, 4> prior = {p[0], p[1], p[2], p[3]};
                if (s.refined) prior = ssdBox(s, prior, v, &in.armLocation[at * 4]);
                candidates.push_back(
                    {score, label, ssdBox(s, prior, v, &in.location[(at * sets + (s.shared ? 0 : label)) * 4])});
            }
            candidates = bestFirst(candidates, s.nmsTop < 0 ? candidates.size() : s.nmsTop);
            const std::vector<Found> kept = suppressed(candidates, s.nms, candidates.size());
            all.insert(all.end(), kept.begin(), kept.end());
        }
        all = bestFirst(all, s.keep);
        for (int row = 0; row < s.keep; ++row) {
            if (row >= static_cast<int>(all.size())) {
                want.insert(want.end(), {-1, 0, 0, 0, 0, 0});
                continue;
            }
            want.push_back(static_cast<float>(all[row].label));
            want.push_back(static_cast<float>(all[row].score));
            for (double v : all[row].box) want.push_back(static_cast<float>(v));
        }
    }
    return want;
}

void checkSsd(const Ssd& s, const std::string& what) {
    const int64_t n = int64_t(s.batch) * s.priors;
    const int sets = s.shared ? 1 : s.classes;
    SsdInputs in;
    in.location = uniform(n * sets * 4, 1, -2.0f, 2.0f);
    in.score = scoresOf(n * s.classes, 2);
    in.prior = priorsOf(s.priors, 3);
    std::vector<TensorPtr> inputs = {tensorOf({s.batch, s.priors * sets * 4}, in.location),
                                     tensorOf({s.batch, s.priors * s.classes}, in.score),
                                     tensorOf({1, 2, s.priors * 4}, in.prior)};
    if (s.refined) {
        in.armScore = uniform(n * 2, 4, 0.0f, 1.0f);
        in.armLocation = uniform(n * 4, 5, -1.0f, 1.0f);
        inputs.push_back(tensorOf({s.batch, s.priors * 2}, in.armScore));
        inputs.push_back(tensorOf({s.batch, s.priors * 4}, in.armLocation));
    }
    DetectionOutputT p;
    p.classCount = s.classes;
    p.backgroundLable = s.background;
    p.nmsThresholdold = s.nms;
    p.nmsTopK = s.nmsTop;
    p.keepTopK = s.keep;
    p.confidenceThreshold = s.confidence;
    p.shareLocation = s.shared;
    p.varianceEncodedTarget = s.encoded;
    p.codeType = s.code;
    p.objectnessScore = s.objectness;
    for (int threads : {1, 3}) {
        const TensorPtr y = poisoned({s.batch, 1, s.keep, 6}, halide_type_of<float>());
        ASSERT_EQ(runOp(opOf(OpType_DetectionOutput, p), inputs, {y}, threads), NO_ERROR) << what;
        expectNear(valuesIn<float>(y), ssdReference(s, in), 1e-5f, what);
    }
}

TEST(DetectionOutput, IsTheFormulaOfSsd) {
    for (int code : {0, 1, 2, 3}) {
        for (bool shared : {true, false}) {
            for (bool encoded : {false, true}) {
                Ssd s;
                s.code = code;
                s.shared = shared;
                s.encoded = encoded;
                checkSsd(s, "code " + std::to_string(code) + (shared ? " shared" : "") + (encoded ? " encoded" : ""));
            }
        }
    }
}

TEST(DetectionOutput, LimitsAndBackground) {
    Ssd s;
    s.batch = 2;
    checkSsd(s, "two images");
    s.background = 2;
    checkSsd(s, "another background");
    s.background = -1;
    checkSsd(s, "no background");
    s.nmsTop = 5;
    checkSsd(s, "five candidates");
    s.confidence = 0.97f;
    checkSsd(s, "rows that are left");
    s.confidence = 2.0f;
    checkSsd(s, "nothing found");
    Ssd none;
    none.priors = 1;
    none.keep = 1;
    checkSsd(none, "one prior");
}

TEST(DetectionOutput, RefinesTheAnchors) {
    Ssd s;
    s.refined = true;
    checkSsd(s, "refined");
    s.batch = 2;
    s.objectness = 0.7f;
    checkSsd(s, "refined, two images");
    // What holds no object has a score of 0, which a threshold below lets through.
    s.confidence = -1.0f;
    s.keep = 60;
    checkSsd(s, "refined, no threshold");
}

TEST(DetectionOutput, RefusesOtherSizes) {
    DetectionOutputT p;
    p.classCount = 2;
    p.keepTopK = 3;
    p.shareLocation = 1;
    const TensorPtr y = poisoned({1, 1, 3, 6}, halide_type_of<float>());
    EXPECT_EQ(runOp(opOf(OpType_DetectionOutput, p),
                    {tensorOf({1, 12}, uniform(12, 1)), tensorOf({1, 8}, uniform(8, 1)),
                     tensorOf({1, 2, 16}, uniform(32, 1))},
                    {y}),
              INPUT_DATA_ERROR);
    EXPECT_EQ(runOp(opOf(OpType_DetectionOutput), {y, y, y}, {y}), NO_EXECUTION);
}

struct Tflite {
    int batch = 1, boxes = 30, classes = 5, background = 1, coordinates = 4;
    int detections = 8, classesPerDetection = 1, detectionsPerClass = 4;
    bool regular = false;
    float score = 0.3f, iou = 0.5f;
};

struct TfliteResult {
    std::vector<float> boxes, classes, scores, counts;
};

constexpr float kScales[4] = {10.0f, 11.0f, 5.0f, 6.0f};

TfliteResult tfliteReference(const Tflite& t, const std::vector<float>& encoded, const std::vector<float>& scores,
                             const std::vector<float>& anchors) {
    TfliteResult want;
    const int columns = t.classes + t.background, room = t.detections * t.classesPerDetection;
    for (int b = 0; b < t.batch; ++b) {
        std::vector<Found> boxes;
        for (int i = 0; i < t.boxes; ++i) {
            const float *e = &encoded[(b * t.boxes + i) * t.coordinates], *a = &anchors[i * 4];
            const double y = e[0] / kScales[0] * a[2] + a[0], x = e[1] / kScales[1] * a[3] + a[1];
            const double h = std::exp(e[2] / kScales[2]) * a[2], w = std::exp(e[3] / kScales[3]) * a[3];
            boxes.push_back({0, i, {y - h / 2, x - w / 2, y + h / 2, x + w / 2}});
        }
        const auto score = [&](int i, int label) { return scores[(b * t.boxes + i) * columns + t.background + label]; };
        std::vector<Found> found;
        if (t.regular) {
            for (int label = 0; label < t.classes; ++label) {
                std::vector<Found> candidates;
                for (int i = 0; i < t.boxes; ++i)
                    if (score(i, label) >= t.score) candidates.push_back({score(i, label), label, boxes[i].box});
                const auto kept = suppressed(bestFirst(candidates, candidates.size()), t.iou, t.detectionsPerClass);
                found.insert(found.end(), kept.begin(), kept.end());
            }
            found = bestFirst(found, t.detections);
        } else {
            std::vector<Found> candidates;
            for (int i = 0; i < t.boxes; ++i) {
                double best = score(i, 0);
                for (int label = 1; label < t.classes; ++label) best = std::max<double>(best, score(i, label));
                if (best >= t.score) candidates.push_back({best, i, boxes[i].box});
            }
            for (const Found& kept : suppressed(bestFirst(candidates, candidates.size()), t.iou, t.detections)) {
                std::vector<Found> labels;
                for (int label = 0; label < t.classes; ++label)
                    labels.push_back({score(kept.label, label), label, kept.box});
                labels = bestFirst(labels, t.classesPerDetection);
                found.insert(found.end(), labels.begin(), labels.end());
            }
        }
        for (int row = 0; row < room; ++row) {
            const bool used = row < static_cast<int>(found.size());
            for (int k = 0; k < 4; ++k) want.boxes.push_back(used ? static_cast<float>(found[row].box[k]) : 0.0f);
            want.classes.push_back(used ? static_cast<float>(found[row].label) : 0.0f);
            want.scores.push_back(used ? static_cast<float>(found[row].score) : 0.0f);
        }
        want.counts.push_back(static_cast<float>(found.size()));
    }
    return want;
}

void checkTflite(const Tflite& t, const std::string& what) {
    const int columns = t.classes + t.background, room = t.detections * t.classesPerDetection;
    const std::vector<float> encoded = uniform(int64_t(t.batch) * t.boxes * t.coordinates, 1, -4.0f, 4.0f),
                             scores = scoresOf(int64_t(t.batch) * t.boxes * columns, 2),
                             anchors = uniform(t.boxes * 4, 3, 0.2f, 0.6f);
    DetectionPostProcessParamT p;
    p.maxDetections = t.detections;
    p.maxClassesPerDetection = t.classesPerDetection;
    p.detectionsPerClass = t.detectionsPerClass;
    p.nmsScoreThreshold = t.score;
    p.iouThreshold = t.iou;
    p.numClasses = t.classes;
    p.useRegularNMS = t.regular;
    p.centerSizeEncoding.assign(kScales, kScales + 4);
    const auto type = halide_type_of<float>();
    const TensorPtr boxes = poisoned({t.batch, room, 4}, type), classes = poisoned({t.batch, room}, type),
                    kept = poisoned({t.batch, room}, type), counts = poisoned({t.batch}, type);
    ASSERT_EQ(runOp(opOf(OpType_DetectionPostProcess, p),
                    {tensorOf({t.batch, t.boxes, t.coordinates}, encoded),
                     tensorOf({t.batch, t.boxes, columns}, scores), tensorOf({t.boxes, 4}, anchors)},
                    {boxes, classes, kept, counts}),
              NO_ERROR)
        << what;
    const TfliteResult want = tfliteReference(t, encoded, scores, anchors);
    expectNear(valuesIn<float>(counts), want.counts, 0.0f, what + " counts");
    expectNear(valuesIn<float>(classes), want.classes, 0.0f, what + " classes");
    expectNear(valuesIn<float>(kept), want.scores, 0.0f, what + " scores");
    expectNear(valuesIn<float>(boxes), want.boxes, 1e-5f, what + " boxes");
}

TEST(DetectionPostProcess, IsTheFormulaOfTflite) {
    for (bool regular : {false, true}) {
        Tflite t;
        t.regular = regular;
        const std::string what = regular ? "regular" : "fast";
        checkTflite(t, what);
        t.background = 0;
        t.coordinates = 6;
        checkTflite(t, what + " without background, with keypoints");
        t.batch = 2;
        t.classesPerDetection = 3;
        checkTflite(t, what + " three classes each, two images");
        t.score = 0.99f;
        checkTflite(t, what + " few");
        t.boxes = 1;
        checkTflite(t, what + " one box");
    }
}

TEST(DetectionPostProcess, KeepsAScoreThatEqualsTheThreshold) {
    Tflite t;
    t.boxes = 1;
    t.classes = 1;
    t.background = 0;
    t.score = 0.5f;  // scoresOf(1) is 1 / 2
    checkTflite(t, "equal");
}

struct Rpn {
    int height = 5, width = 6, stride = 16, base = 16, before = 60, after = 10, least = 12;
    float nms = 0.7f;
    std::vector<float> ratios = {0.5f, 1.0f, 2.0f}, scales = {2.0f, 4.0f};
    int anchors() const { return static_cast<int>(ratios.size() * scales.size()); }
};

std::vector<Found> rpnReference(const Rpn& r, const std::vector<float>& scores, const std::vector<float>& deltas,
                                const std::vector<float>& info) {
    std::vector<Found> candidates;
    const int places = r.height * r.width;
    for (int a = 0; a < r.anchors(); ++a) {
        const double ratio = r.ratios[a / r.scales.size()], scale = r.scales[a % r.scales.size()];
        const double side = std::round(std::sqrt(r.base * r.base / ratio)), w = side * scale,
                     h = std::round(side * ratio) * scale;
        for (int i = 0; i < places; ++i) {
            const auto delta = [&](int k) { return static_cast<double>(deltas[(a * 4 + k) * places + i]); };
            const double x = r.base / 2.0 + i % r.width * r.stride + delta(0) * w;
            const double y = r.base / 2.0 + i / r.width * r.stride + delta(1) * h;
            const double bw = std::exp(delta(2)) * w, bh = std::exp(delta(3)) * h;
            const auto clip = [](double v, double size) { return std::min(std::max(v, 0.0), size - 1); };
            const std::array<double, 4> box = {clip(x - bw / 2, info[1]), clip(y - bh / 2, info[0]),
                                               clip(x + bw / 2, info[1]), clip(y + bh / 2, info[0])};
            if (box[2] - box[0] + 1 < r.least * info[2] || box[3] - box[1] + 1 < r.least * info[2]) continue;
            candidates.push_back({scores[(r.anchors() + a) * places + i], 0, box});
        }
    }
    candidates = bestFirst(candidates, r.before > 0 ? r.before : candidates.size());
    return suppressed(candidates, r.nms, r.after);
}

void checkRpn(const Rpn& r, const std::string& what) {
    const int64_t count = int64_t(r.anchors()) * r.height * r.width;
    const std::vector<float> scores = scoresOf(2 * count, 1), deltas = uniform(4 * count, 2, -0.6f, 0.6f),
                             info = {75.0f, 90.0f, 1.5f};
    ProposalT p;
    p.featStride = r.stride;
    p.baseSize = r.base;
    p.preNmsTopN = r.before;
    p.afterNmsTopN = r.after;
    p.nmsThreshold = r.nms;
    p.minSize = r.least;
    p.ratios.reset(new BlobT);
    p.ratios->float32s = r.ratios;
    p.scales.reset(new BlobT);
    p.scales->float32s = r.scales;
    const TensorPtr rois = poisoned({r.after, 5, 1, 1}, halide_type_of<float>()),
                    kept = poisoned({r.after, 1, 1, 1}, halide_type_of<float>());
    const std::vector<TensorPtr> inputs = {tensorOf({1, 2 * r.anchors(), r.height, r.width}, scores),
                                           tensorOf({1, 4 * r.anchors(), r.height, r.width}, deltas),
                                           tensorOf({1, 3}, info)};
    ASSERT_EQ(runOp(opOf(OpType_Proposal, p), inputs, {rois, kept}), NO_ERROR) << what;
    std::vector<float> wantRois(r.after * 5, 0.0f), wantScores(r.after, 0.0f);
    const std::vector<Found> want = rpnReference(r, scores, deltas, info);
    for (size_t i = 0; i < want.size(); ++i) {
        for (int k = 0; k < 4; ++k) wantRois[i * 5 + 1 + k] = static_cast<float>(want[i].box[k]);
        wantScores[i] = static_cast<float>(want[i].score);
    }
    expectNear(valuesIn<float>(kept), wantScores, 0.0f, what);
    expectNear(valuesIn<float>(rois), wantRois, 2e-5f, what);
    const TensorPtr alone = poisoned({r.after, 5, 1, 1}, halide_type_of<float>());
    ASSERT_EQ(runOp(opOf(OpType_Proposal, p), inputs, {alone}), NO_ERROR) << what;
    expectNear(valuesIn<float>(alone), wantRois, 2e-5f, what);
}

TEST(Proposal, IsTheFormulaOfFasterRcnn) {
    Rpn r;
    checkRpn(r, "plain");
    r.before = 0;
    checkRpn(r, "all candidates");
    r.after = 300;
    checkRpn(r, "rows that are left");
    r.least = 40;
    r.nms = 0.3f;
    checkRpn(r, "large ones");
    r.least = 1000;
    checkRpn(r, "none");
}

TEST(Proposal, RefusesAnchorsThatDoNotFit) {
    ProposalT p;
    p.afterNmsTopN = 1;
    const TensorPtr x = tensorOf({1, 2, 1, 1}, uniform(2, 1)), d = tensorOf({1, 4, 1, 1}, uniform(4, 1)),
                    info = tensorOf({3}, uniform(3, 1)), y = poisoned({1, 5, 1, 1}, halide_type_of<float>());
    EXPECT_EQ(runOp(opOf(OpType_Proposal, p), {x, d, info}, {y}), NO_EXECUTION);
    p.ratios.reset(new BlobT);
    p.ratios->float32s = {1.0f, 2.0f};
    p.scales.reset(new BlobT);
    p.scales->float32s = {1.0f};
    EXPECT_EQ(runOp(opOf(OpType_Proposal, p), {x, d, info}, {y}), INPUT_DATA_ERROR);
}

}  // namespace
}  // namespace MNN
