#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/Unary.cpp"
#include "backend/cpu/kernels/Targets.hpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <algorithm>
#include "backend/cpu/kernels/Tail-inl.hpp"
#include "backend/cpu/kernels/Unary.hpp"
#include "backend/cpu/kernels/VectorMath-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace MNN {
namespace cpu {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// name, then the function of x in vectors. d, zero, one, a and b (the parameters) may be used.
#define MNN_UNARY_LIST(ROW)                                                                                   \
    ROW(Abs, hn::Abs(x))                                                                                      \
    ROW(Neg, hn::Neg(x))                                                                                      \
    ROW(Floor, hn::Floor(x))                                                                                  \
    ROW(Ceil, hn::Ceil(x))                                                                                    \
    ROW(Square, hn::Mul(x, x))                                                                                \
    ROW(Sqrt, hn::Sqrt(x))                                                                                    \
    ROW(Rsqrt, hn::Div(one, hn::Sqrt(x)))                                                                     \
    ROW(Exp, vexp(d, x))                                                                                      \
    ROW(Log, vlog(d, x))                                                                                      \
    ROW(Asin, vasin(d, x))                                                                                    \
    ROW(Acos, vacos(d, x))                                                                                    \
    ROW(Atan, vatan(d, x))                                                                                    \
    ROW(Reciprocal, hn::Div(one, x))                                                                          \
    ROW(Log1p, vlog1p(d, x))                                                                                  \
    ROW(Bnll, hn::Add(clampBelow(d, x, 0.0f), vlog1p(d, vexp(d, hn::Neg(hn::Abs(x))))))                       \
    ROW(Acosh, vacosh(d, x))                                                                                  \
    ROW(Sinh, vsinh(d, x))                                                                                    \
    ROW(Asinh, vasinh(d, x))                                                                                  \
    ROW(Atanh, vatanh(d, x))                                                                                  \
    ROW(Sign, hn::IfThenElse(hn::Gt(hn::Abs(x), zero), hn::CopySign(one, x), x))                              \
    ROW(Round, hn::Round(x))                                                                                  \
    ROW(Cosh, vcosh(d, x))                                                                                    \
    ROW(Erf, verf(d, x))                                                                                      \
    ROW(Erfc, verfc(d, x))                                                                                    \
    ROW(Erfinv, verfinv(d, x))                                                                                \
    ROW(Expm1, vexpm1(d, x))                                                                                  \
    ROW(Sigmoid, vsigmoid(d, x))                                                                              \
    ROW(Tanh, vtanh(d, x))                                                                                    \
    ROW(HardSwish, hn::Mul(x, hn::Mul(clampAbove(d, clampBelow(d, hn::Add(x, hn::Set(d, 3.0f)), 0.0f), 6.0f), \
                                      hn::Set(d, 1.0f / 6.0f))))                                              \
    ROW(Gelu, vgeluTanh(d, x))                                                                                \
    ROW(GeluStandard, vgeluErf(d, x))                                                                         \
    ROW(Silu, vsilu(d, x))                                                                                    \
    ROW(Relu, hn::IfThenElse(hn::Lt(x, zero), hn::Mul(x, a), x))                                              \
    ROW(Clamp, clampAbove(d, clampBelow(d, x, hn::GetLane(a)), hn::GetLane(b)))                               \
    ROW(Elu, hn::IfThenElse(hn::Lt(x, zero), hn::Mul(a, vexpm1(d, x)), x))                                    \
    ROW(Selu, hn::Mul(b, hn::IfThenElse(hn::Lt(x, zero), hn::Mul(a, vexpm1(d, x)), x)))                       \
    ROW(Threshold, hn::IfThenElseZero(hn::Gt(x, a), one))

#define MNN_UNARY_KERNEL(Name, expression)                                                \
    void unary##Name(float* dst, const float* src, size_t n, const UnaryParams& params) { \
        const D d;                                                                        \
        const V zero = hn::Zero(d), one = hn::Set(d, 1.0f);                               \
        const V a = hn::Set(d, params.a), b = hn::Set(d, params.b);                       \
        (void)zero, (void)one, (void)a, (void)b;                                          \
        mapVectors(d, dst, src, n, [&](V x) HWY_ATTR { return expression; });             \
    }
MNN_UNARY_LIST(MNN_UNARY_KERNEL)

// Sin, Cos and Tan: vectors whose arguments are too large for the reduction go through the C library.
template <class Fast>
void mapTrig(float* dst, const float* src, size_t n, float (*exact)(float), Fast&& fast) {
    const D d;
    const size_t lanes = hn::Lanes(d);
    for (size_t i = 0; i < n; i += lanes) {
        const size_t count = std::min(lanes, n - i);
        const V x = count == lanes ? hn::LoadU(d, src + i) : loadFirst(d, src + i, count);
        if (HWY_LIKELY(hn::AllTrue(d, hn::Le(hn::Abs(x), hn::Set(d, kMaxTrigArgument))))) {
            const V y = fast(x);
            if (count == lanes) {
                hn::StoreU(y, d, dst + i);
            } else {
                storeFirst(d, y, dst + i, count);
            }
        } else {
            for (size_t k = 0; k < count; ++k) dst[i + k] = exact(src[i + k]);
        }
    }
}

void unarySin(float* dst, const float* src, size_t n, const UnaryParams&) {
    mapTrig(
        dst, src, n, [](float x) { return std::sin(x); },
        [](V x) HWY_ATTR {
            V s, c;
            vsincos(D(), x, &s, &c);
            return s;
        });
}
void unaryCos(float* dst, const float* src, size_t n, const UnaryParams&) {
    mapTrig(
        dst, src, n, [](float x) { return std::cos(x); },
        [](V x) HWY_ATTR {
            V s, c;
            vsincos(D(), x, &s, &c);
            return c;
        });
}
void unaryTan(float* dst, const float* src, size_t n, const UnaryParams&) {
    mapTrig(
        dst, src, n, [](float x) { return std::tan(x); },
        [](V x) HWY_ATTR {
            V s, c;
            vsincos(D(), x, &s, &c);
            return hn::Div(s, c);
        });
}

using DI = hn::ScalableTag<int32_t>;
using VI = hn::Vec<DI>;

void intAbs(int32_t* dst, const int32_t* src, size_t n, const UnaryParams&) {
    mapVectors(DI(), dst, src, n, [](VI x) HWY_ATTR { return hn::Abs(x); });
}
void intNeg(int32_t* dst, const int32_t* src, size_t n, const UnaryParams&) {
    mapVectors(DI(), dst, src, n, [](VI x) HWY_ATTR { return hn::Neg(x); });
}
void intSquare(int32_t* dst, const int32_t* src, size_t n, const UnaryParams&) {
    mapVectors(DI(), dst, src, n, [](VI x) HWY_ATTR { return hn::Mul(x, x); });
}
void intSign(int32_t* dst, const int32_t* src, size_t n, const UnaryParams&) {
    mapVectors(DI(), dst, src, n, [](VI x) HWY_ATTR {
        const VI one = hn::Set(DI(), 1), zero = hn::Zero(DI());
        return hn::Min(hn::Max(x, hn::Sub(zero, one)), one);
    });
}
void intCopy(int32_t* dst, const int32_t* src, size_t n, const UnaryParams&) {
    mapVectors(DI(), dst, src, n, [](VI x) HWY_ATTR { return x; });
}
void intRelu(int32_t* dst, const int32_t* src, size_t n, const UnaryParams& params) {
    for (size_t i = 0; i < n; ++i)
        dst[i] = src[i] < 0 ? static_cast<int32_t>(static_cast<float>(src[i]) * params.a) : src[i];
}
// Bounds are saturated to what an int32 holds; a bound that is not a whole number is rounded inwards.
void intClamp(int32_t* dst, const int32_t* src, size_t n, const UnaryParams& params) {
    const auto toInt = [](float x) {
        return x <= -2147483648.0f ? INT32_MIN : x >= 2147483648.0f ? INT32_MAX : static_cast<int32_t>(x);
    };
    const VI low = hn::Set(DI(), toInt(std::ceil(params.a))), high = hn::Set(DI(), toInt(std::floor(params.b)));
    mapVectors(DI(), dst, src, n, [&](VI x) HWY_ATTR { return hn::Min(hn::Max(x, low), high); });
}

const UnaryKernels* makeUnaryKernels() {
    static UnaryKernels table = {};
#define MNN_UNARY_ROW(Name, expression) table.f32[static_cast<int>(UnaryKind::Name)] = unary##Name;
    MNN_UNARY_LIST(MNN_UNARY_ROW)
    MNN_UNARY_ROW(Sin, )
    MNN_UNARY_ROW(Cos, )
    MNN_UNARY_ROW(Tan, )
    const auto setInt = [](UnaryKind kind, UnaryI32 f) { table.i32[static_cast<int>(kind)] = f; };
    setInt(UnaryKind::Abs, intAbs);
    setInt(UnaryKind::Neg, intNeg);
    setInt(UnaryKind::Square, intSquare);
    setInt(UnaryKind::Sign, intSign);
    setInt(UnaryKind::Floor, intCopy);
    setInt(UnaryKind::Ceil, intCopy);
    setInt(UnaryKind::Round, intCopy);
    setInt(UnaryKind::Relu, intRelu);
    setInt(UnaryKind::Clamp, intClamp);
    return &table;
}

}  // namespace

const UnaryKernels& unaryKernels() {
    static const UnaryKernels* const table = makeUnaryKernels();
    return *table;
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace MNN
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace MNN {
namespace cpu {

const UnaryKernels& unaryKernels(Isa isa) { MNN_SELECT_TARGET(isa, unaryKernels) }

const char* unaryName(UnaryKind kind) {
    static const char* const names[] = {
        "Abs",   "Neg",       "Floor", "Ceil",         "Square", "Sqrt",       "Rsqrt", "Exp",    "Log",   "Sin",
        "Cos",   "Tan",       "Asin",  "Acos",         "Atan",   "Reciprocal", "Log1p", "Bnll",   "Acosh", "Sinh",
        "Asinh", "Atanh",     "Sign",  "Round",        "Cosh",   "Erf",        "Erfc",  "Erfinv", "Expm1", "Sigmoid",
        "Tanh",  "HardSwish", "Gelu",  "GeluStandard", "Silu",   "Relu",       "Clamp", "Elu",    "Selu",  "Threshold"};
    static_assert(sizeof(names) / sizeof(names[0]) == kUnaryKinds, "a name for each kind");
    return names[static_cast<int>(kind)];
}

}  // namespace cpu
}  // namespace MNN
#endif
