#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/Softmax.cpp"
#include "backend/cpu/kernels/Targets.hpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "backend/cpu/kernels/Softmax.hpp"
#include "backend/cpu/kernels/Sum-inl.hpp"
#include "backend/cpu/kernels/VectorMath-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace MNN {
namespace cpu {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// dst[i] = exp(src[i] - shift) and their sum. Runs of vectors are added in float, runs in double (Sum-inl.hpp).
double exponentials(float* dst, const float* src, size_t n, float shift) {
    const D d;
    const size_t lanes = hn::Lanes(d);
    const V s = hn::Set(d, shift);
    double sum = 0;
    size_t i = 0;
    while (i + lanes <= n) {
        V part = hn::Zero(d);
        for (size_t run = 0; run < 4 * kSumRun && i + lanes <= n; ++run, i += lanes) {
            const V e = vexp(d, hn::Sub(hn::LoadU(d, src + i), s));
            hn::StoreU(e, d, dst + i);
            part = hn::Add(part, e);
        }
        sum += sumLanes(d, part);
    }
    if (i < n) {
        const size_t count = n - i;
        const V e = vexp(d, hn::Sub(loadFirst(d, src + i, count), s));
        HWY_ALIGN float kept[HWY_MAX_BYTES / sizeof(float)] = {};
        hn::Store(e, d, kept);
        for (size_t k = 0; k < count; ++k) {
            dst[i + k] = kept[k];
            sum += kept[k];
        }
    }
    return sum;
}

void softmaxRow(float* dst, const float* src, size_t n) {
    const D d;
    if (n == 0) return;
    const double sum = exponentials(dst, src, n, maxOf(d, src, n));
    const V factor = hn::Set(d, static_cast<float>(1.0 / sum));
    mapVectors(d, dst, dst, n, [&](V x) HWY_ATTR { return hn::Mul(x, factor); });
}

// One vector of columns at a time; the sum runs in float with Kahan's correction, since columns may be long.
void softmaxVector(D d, float* dst, const float* src, int64_t stride, size_t rows) {
    V top = hn::Set(d, -std::numeric_limits<float>::infinity());
    for (size_t r = 0; r < rows; ++r) top = maxOrNaN(top, hn::LoadU(d, src + static_cast<int64_t>(r) * stride));
    V sum = hn::Zero(d), lost = sum;
    for (size_t r = 0; r < rows; ++r) {
        const int64_t at = static_cast<int64_t>(r) * stride;
        const V e = vexp(d, hn::Sub(hn::LoadU(d, src + at), top));
        hn::StoreU(e, d, dst + at);
        const V y = hn::Sub(e, lost);
        const V next = hn::Add(sum, y);
        lost = hn::Sub(hn::Sub(next, sum), y);
        sum = next;
    }
    const V factor = hn::Div(hn::Set(d, 1.0f), sum);
    for (size_t r = 0; r < rows; ++r) {
        const int64_t at = static_cast<int64_t>(r) * stride;
        hn::StoreU(hn::Mul(hn::LoadU(d, dst + at), factor), d, dst + at);
    }
}

// Fewer columns than lanes: through the C library, one column at a time.
void softmaxColumn(float* dst, const float* src, int64_t stride, size_t rows) {
    float top = -std::numeric_limits<float>::infinity();
    for (size_t r = 0; r < rows; ++r) {
        const float x = src[static_cast<int64_t>(r) * stride];
        top = top > x || top != top ? top : x;
    }
    double sum = 0;
    for (size_t r = 0; r < rows; ++r) {
        const float e = std::exp(src[static_cast<int64_t>(r) * stride] - top);
        dst[static_cast<int64_t>(r) * stride] = e;
        sum += e;
    }
    const float factor = static_cast<float>(1.0 / sum);
    for (size_t r = 0; r < rows; ++r) dst[static_cast<int64_t>(r) * stride] *= factor;
}

void softmaxColumns(float* dst, const float* src, int64_t stride, size_t rows, size_t cols) {
    const D d;
    const size_t lanes = hn::Lanes(d);
    size_t c = 0;
    for (; c + lanes <= cols; c += lanes) softmaxVector(d, dst + c, src + c, stride, rows);
    for (; c < cols; ++c) softmaxColumn(dst + c, src + c, stride, rows);
}

float inverseRoot(double meanSquare, float epsilon) {
    return static_cast<float>(1.0 / std::sqrt(meanSquare + static_cast<double>(epsilon)));
}

RowStatistics layerStatistics(const float* src, size_t n, float epsilon) {
    const D d;
    const double mean = sumOf(d, src, n, [](V x) HWY_ATTR { return x; }) / static_cast<double>(n);
    const float rounded = static_cast<float>(mean);
    const V m = hn::Set(d, rounded);
    // loadFirst() fills with 0, which is not the mean: the last elements are added by hand.
    const size_t whole = n - n % hn::Lanes(d);
    double squares = sumOf(d, src, whole, [&](V x) HWY_ATTR {
        const V y = hn::Sub(x, m);
        return hn::Mul(y, y);
    });
    for (size_t i = whole; i < n; ++i) squares += static_cast<double>(src[i] - rounded) * (src[i] - rounded);
    const double correction = mean - rounded;
    return {rounded, inverseRoot(std::max(squares / static_cast<double>(n) - correction * correction, 0.0), epsilon)};
}

RowStatistics rootMeanSquare(const float* src, size_t n, float epsilon) {
    const double squares = sumOf(D(), src, n, [](V x) HWY_ATTR { return hn::Mul(x, x); });
    return {0.0f, inverseRoot(squares / static_cast<double>(n), epsilon)};
}

template <bool hasGamma, bool hasBeta>
void applyRow(float* dst, const float* src, size_t n, RowStatistics statistics, const float* gamma, const float* beta) {
    const D d;
    const size_t lanes = hn::Lanes(d);
    const V mean = hn::Set(d, statistics.mean), inverse = hn::Set(d, statistics.inverse), none = hn::Zero(d);
    const auto of = [&](V x, V g, V b) HWY_ATTR {
        V y = hn::Mul(hn::Sub(x, mean), inverse);
        if (hasGamma) y = hn::Mul(y, g);
        return hasBeta ? hn::Add(y, b) : y;
    };
    size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const V g = hasGamma ? hn::LoadU(d, gamma + i) : none, b = hasBeta ? hn::LoadU(d, beta + i) : none;
        hn::StoreU(of(hn::LoadU(d, src + i), g, b), d, dst + i);
    }
    if (i == n) return;
    const V g = hasGamma ? loadFirst(d, gamma + i, n - i) : none, b = hasBeta ? loadFirst(d, beta + i, n - i) : none;
    storeFirst(d, of(loadFirst(d, src + i, n - i), g, b), dst + i, n - i);
}

void normApply(float* dst, const float* src, size_t n, RowStatistics statistics, const float* gamma,
               const float* beta) {
    if (gamma != nullptr) {
        (beta != nullptr ? applyRow<true, true> : applyRow<true, false>)(dst, src, n, statistics, gamma, beta);
    } else {
        (beta != nullptr ? applyRow<false, true> : applyRow<false, false>)(dst, src, n, statistics, gamma, beta);
    }
}

void normApplyScalar(float* dst, const float* src, size_t n, float scale, float bias) {
    const D d;
    const V s = hn::Set(d, scale), b = hn::Set(d, bias);
    mapVectors(d, dst, src, n, [&](V x) HWY_ATTR { return hn::MulAdd(x, s, b); });
}

}  // namespace

const SoftmaxKernels& softmaxKernels() {
    static const SoftmaxKernels table = {softmaxRow, softmaxColumns};
    return table;
}

const NormKernels& normKernels() {
    static const NormKernels table = {layerStatistics, rootMeanSquare, normApply, normApplyScalar};
    return table;
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace MNN
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace MNN {
namespace cpu {
const SoftmaxKernels& softmaxKernels(Isa isa) { MNN_SELECT_TARGET(isa, softmaxKernels) }
const NormKernels& normKernels(Isa isa) { MNN_SELECT_TARGET(isa, normKernels) }
}  // namespace cpu
}  // namespace MNN
#endif
