#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/Binary.cpp"
#include "backend/cpu/kernels/Targets.hpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <algorithm>
#include <cfloat>
#include "backend/cpu/kernels/Binary.hpp"
#include "backend/cpu/kernels/Tail-inl.hpp"
#include "backend/cpu/kernels/VectorMath-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace MNN {
namespace cpu {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
using DI = hn::ScalableTag<int32_t>;
using VI = hn::Vec<DI>;

// Either operand being NaN gives NaN.
HWY_INLINE V nanMax(V x, V y) { return hn::IfThenElse(hn::Or(hn::Gt(x, y), hn::IsNaN(x)), x, y); }
HWY_INLINE V nanMin(V x, V y) { return hn::IfThenElse(hn::Or(hn::Lt(x, y), hn::IsNaN(x)), x, y); }
HWY_INLINE VI truth(hn::Mask<D> m) { return hn::IfThenElseZero(hn::RebindMask(DI(), m), hn::Set(DI(), 1)); }
// Ne() is false for NaN on some targets, C++ says true.
HWY_INLINE hn::Mask<D> isTrue(V x) { return hn::Not(hn::Eq(x, hn::Zero(D()))); }

// dst[i] = f(a, b) over vectors; f may return floats or int32.
template <class DOut, class F>
HWY_INLINE void mapPairs(DOut dOut, void* dstBytes, const void* aBytes, const void* bBytes, size_t n, int stepA,
                         int stepB, F&& f) {
    const D d;
    auto* dst = static_cast<hn::TFromD<DOut>*>(dstBytes);
    const auto* a = static_cast<const float*>(aBytes);
    const auto* b = static_cast<const float*>(bBytes);
    if (n == 0) return;
    const size_t lanes = hn::Lanes(d);
    size_t i = 0;
    if (stepA != 0 && stepB != 0) {
        for (; i + lanes <= n; i += lanes) hn::StoreU(f(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), dOut, dst + i);
    } else if (stepA != 0) {
        const V y = hn::Set(d, *b);
        for (; i + lanes <= n; i += lanes) hn::StoreU(f(hn::LoadU(d, a + i), y), dOut, dst + i);
    } else {
        const V x = hn::Set(d, *a);
        if (stepB != 0) {
            for (; i + lanes <= n; i += lanes) hn::StoreU(f(x, hn::LoadU(d, b + i)), dOut, dst + i);
        } else {
            const auto y = f(x, hn::Set(d, *b));
            for (; i + lanes <= n; i += lanes) hn::StoreU(y, dOut, dst + i);
        }
    }
    if (i == n) return;
    const V x = stepA != 0 ? loadFirst(d, a + i, n - i, 1.0f) : hn::Set(d, *a);
    const V y = stepB != 0 ? loadFirst(d, b + i, n - i, 1.0f) : hn::Set(d, *b);
    storeFirst(dOut, f(x, y), dst + i, n - i);
}

// name, type of the result, the function of x and y
#define MNN_BINARY_LIST(ROW)                                         \
    ROW(Add, D, hn::Add(x, y))                                       \
    ROW(Sub, D, hn::Sub(x, y))                                       \
    ROW(Mul, D, hn::Mul(x, y))                                       \
    ROW(Div, D, hn::Div(x, y))                                       \
    ROW(Maximum, D, nanMax(x, y))                                    \
    ROW(Minimum, D, nanMin(x, y))                                    \
    ROW(FloorDiv, D, hn::Floor(hn::Div(x, y)))                       \
    ROW(SquaredDifference, D, hn::Mul(hn::Sub(x, y), hn::Sub(x, y))) \
    ROW(Atan2, D, vatan2(D(), x, y))                                 \
    ROW(MulSilu, D, hn::Mul(x, vsilu(D(), y)))                       \
    ROW(Greater, DI, truth(hn::Gt(x, y)))                            \
    ROW(GreaterEqual, DI, truth(hn::Ge(x, y)))                       \
    ROW(Less, DI, truth(hn::Lt(x, y)))                               \
    ROW(LessEqual, DI, truth(hn::Le(x, y)))                          \
    ROW(Equal, DI, truth(hn::Eq(x, y)))                              \
    ROW(NotEqual, DI, truth(hn::Not(hn::Eq(x, y))))                  \
    ROW(LogicalOr, DI, truth(hn::Or(isTrue(x), isTrue(y))))          \
    ROW(LogicalXor, DI, truth(hn::Xor(isTrue(x), isTrue(y))))

#define MNN_BINARY_KERNEL(Name, DOut, expression)                                                   \
    void binary##Name(void* dst, const void* a, const void* b, size_t n, int stepA, int stepB) {    \
        mapPairs(DOut(), dst, a, b, n, stepA, stepB, [](V x, V y) HWY_ATTR { return expression; }); \
    }
MNN_BINARY_LIST(MNN_BINARY_KERNEL)

// Functions that the C library computes one element at a time.
template <class F>
HWY_INLINE void mapScalars(void* dst, const void* a, const void* b, size_t n, int stepA, int stepB, F&& f) {
    auto* out = static_cast<float*>(dst);
    const auto* x = static_cast<const float*>(a);
    const auto* y = static_cast<const float*>(b);
    for (size_t i = 0; i < n; ++i) out[i] = f(x[i * stepA], y[i * stepB]);
}

void binaryMod(void* dst, const void* a, const void* b, size_t n, int stepA, int stepB) {
    mapScalars(dst, a, b, n, stepA, stepB, [](float x, float y) { return std::fmod(x, y); });
}
void binaryFloorMod(void* dst, const void* a, const void* b, size_t n, int stepA, int stepB) {
    mapScalars(dst, a, b, n, stepA, stepB, [](float x, float y) {
        const float r = std::fmod(x, y);
        if (r != 0.0f) return (r < 0.0f) != (y < 0.0f) ? r + y : r;
        return std::copysign(r, y);
    });
}
// x^exponent for the exponents that models use; false for others.
bool powerOfConstant(float* dst, const float* src, size_t n, float exponent) {
    const D d;
    const V one = hn::Set(d, 1.0f);
    if (exponent == 2.0f) {
        mapVectors(d, dst, src, n, [](V x) HWY_ATTR { return hn::Mul(x, x); });
    } else if (exponent == 1.0f) {
        mapVectors(d, dst, src, n, [](V x) HWY_ATTR { return x; });
    } else if (exponent == 3.0f) {
        mapVectors(d, dst, src, n, [](V x) HWY_ATTR { return hn::Mul(hn::Mul(x, x), x); });
    } else if (exponent == -1.0f) {
        mapVectors(d, dst, src, n, [&](V x) HWY_ATTR { return hn::Div(one, x); });
    } else if (exponent == -2.0f) {
        mapVectors(d, dst, src, n, [&](V x) HWY_ATTR { return hn::Div(one, hn::Mul(x, x)); });
    } else if (exponent == 0.5f) {
        // pow, unlike sqrt, maps -inf to +inf and -0 to +0.
        const V inf = hn::Set(d, std::numeric_limits<float>::infinity());
        mapVectors(d, dst, src, n, [&](V x) HWY_ATTR {
            return hn::IfThenElse(hn::Eq(x, hn::Neg(inf)), inf, hn::Sqrt(hn::Add(x, hn::Zero(D()))));
        });
    } else {
        return false;
    }
    return true;
}

// Whole vectors of ordinary operands in SIMD; zeros, negatives, denormals, infinities, NaN and the end through the C
// library.
void powerOfAny(float* dst, const float* a, const float* b, size_t n, int stepA, int stepB) {
    const hn::ScalableTag<double> dd;
    const hn::Rebind<float, decltype(dd)> df;
    const size_t lanes = hn::Lanes(df);
    // With two doubles to a vector the C library is faster.
    const bool worthwhile = hn::Lanes(dd) >= 4;
    const auto smallest = hn::Set(df, FLT_MIN), inf = hn::Set(df, std::numeric_limits<float>::infinity());
    for (size_t i = 0; i < n; i += lanes) {
        const size_t count = std::min(lanes, n - i);
        if (worthwhile && HWY_LIKELY(count == lanes)) {
            const auto x = stepA != 0 ? hn::LoadU(df, a + i) : hn::Set(df, *a);
            const auto y = stepB != 0 ? hn::LoadU(df, b + i) : hn::Set(df, *b);
            const auto ordinary = hn::And(hn::And(hn::Ge(x, smallest), hn::Lt(x, inf)), hn::Lt(hn::Abs(y), inf));
            if (HWY_LIKELY(hn::AllTrue(df, ordinary))) {
                hn::StoreU(vpow(dd, x, y), df, dst + i);
                continue;
            }
        }
        for (size_t k = i; k < i + count; ++k) dst[k] = std::pow(a[k * stepA], b[k * stepB]);
    }
}

void binaryPow(void* dst, const void* a, const void* b, size_t n, int stepA, int stepB) {
    auto* out = static_cast<float*>(dst);
    const auto* x = static_cast<const float*>(a);
    const auto* y = static_cast<const float*>(b);
    if (n == 0 || (stepA != 0 && stepB == 0 && powerOfConstant(out, x, n, *y))) return;
    powerOfAny(out, x, y, n, stepA, stepB);
}

const BinaryKernels* makeBinaryKernels() {
    static BinaryKernels table = {};
    addIntegerKernels(&table);
    const auto set = [](BinaryKind kind, BinaryFn f) { table.f32[static_cast<int>(kind)] = f; };
#define MNN_BINARY_ROW(Name, DOut, expression) set(BinaryKind::Name, binary##Name);
    MNN_BINARY_LIST(MNN_BINARY_ROW)
    set(BinaryKind::RealDiv, binaryDiv);
    set(BinaryKind::MaxTemp, binaryMaximum);
    set(BinaryKind::MinTemp, binaryMinimum);
    set(BinaryKind::Mod, binaryMod);
    set(BinaryKind::FloorMod, binaryFloorMod);
    set(BinaryKind::Pow, binaryPow);
    return &table;
}

}  // namespace

const BinaryKernels& binaryKernels() {
    static const BinaryKernels* const table = makeBinaryKernels();
    return *table;
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace MNN
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace MNN {
namespace cpu {

const BinaryKernels& binaryKernels(Isa isa) { MNN_SELECT_TARGET(isa, binaryKernels) }

const char* binaryName(BinaryKind kind) {
    static const char* const names[] = {"Add",        "Sub",          "Mul",       "Div",        "Max",
                                        "Min",        "Pow",          "RealDiv",   "Minimum",    "Maximum",
                                        "Greater",    "GreaterEqual", "Less",      "FloorDiv",   "SquaredDifference",
                                        "Equal",      "LessEqual",    "FloorMod",  "18",         "Mod",
                                        "Atan2",      "LogicalOr",    "NotEqual",  "BitwiseAnd", "BitwiseOr",
                                        "BitwiseXor", "LogicalXor",   "LeftShift", "RightShift", "MulSilu"};
    static_assert(sizeof(names) / sizeof(names[0]) == kBinaryKinds, "a name for each kind");
    return names[static_cast<int>(kind)];
}

}  // namespace cpu
}  // namespace MNN
#endif
