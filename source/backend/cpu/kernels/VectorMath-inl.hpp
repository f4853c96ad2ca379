// Elementary functions on float vectors, the same on every target.
//
// Each reduces its argument to a short interval and evaluates a near-minimax polynomial there (interpolation at
// Chebyshev nodes in high precision; the error of every polynomial is below 2e-8 of the result). Errors against the
// exact value, over the whole range and measured by UnaryTest: exp, log, sin, cos, tanh, sigmoid, erf, asin, acos, atan
// within 4 ulp; the others within 8 ulp. NaN gives NaN; infinities, zeros and denormals behave like the C library.
#if defined(MNN_CPU_KERNELS_VECTORMATH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MNN_CPU_KERNELS_VECTORMATH_INL
#undef MNN_CPU_KERNELS_VECTORMATH_INL
#else
#define MNN_CPU_KERNELS_VECTORMATH_INL
#endif

#include <cfloat>
#include <cmath>
#include <limits>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace MNN {
namespace cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// c[0] + c[1] x + ...: the last coefficient is the last argument.
template <class D, class V>
HWY_INLINE V polynomial(D d, V, float last) {
    return hn::Set(d, last);
}
template <class D, class V, typename... Rest>
HWY_INLINE V polynomial(D d, V x, float c0, Rest... rest) {
    return hn::MulAdd(polynomial(d, x, rest...), x, hn::Set(d, c0));
}

// Minimum and maximum that keep x when it is NaN.
template <class D, class V>
HWY_INLINE V clampAbove(D d, V x, float high) {
    const V h = hn::Set(d, high);
    return hn::IfThenElse(hn::Gt(x, h), h, x);
}
template <class D, class V>
HWY_INLINE V clampBelow(D d, V x, float low) {
    const V l = hn::Set(d, low);
    return hn::IfThenElse(hn::Lt(x, l), l, x);
}

// 2^n for -126 <= n <= 127.
template <class D, class VI>
HWY_INLINE hn::Vec<D> powerOfTwo(D d, VI n) {
    const hn::RebindToSigned<D> di;
    return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(di, 127))));
}

// x = n ln2 + r with |r| <= ln2 / 2; returns e^r - 1.
template <class D, class V>
HWY_INLINE V expParts(D d, V x, hn::Vec<hn::RebindToSigned<D>>* n) {
    const V q = hn::Round(hn::Mul(x, hn::Set(d, 1.44269504089f)));
    V r = hn::NegMulAdd(q, hn::Set(d, 0.693145751953125f), x);  // 15 bits of ln2: the product is exact
    r = hn::NegMulAdd(q, hn::Set(d, 1.428606765330187e-06f), r);
    *n = hn::NearestInt(q);
    return hn::MulAdd(hn::Mul(r, r),
                      polynomial(d, r, 0.5f, 0.16666576306f, 0.041666553763f, 0.008363292753f, 0.0013926325618f), r);
}

// e^x 2^shift for a small shift; overflows only where that product does.
template <class D, class V>
HWY_INLINE V expScaled(D d, V x, int shift) {
    const hn::RebindToSigned<D> di;
    x = clampBelow(d, clampAbove(d, x, 90.0f), -105.0f);
    hn::Vec<hn::RebindToSigned<D>> n;
    const V fraction = expParts(d, x, &n);
    n = hn::Add(n, hn::Set(di, shift));
    // Two factors: one power of two does not reach denormals or the last binade.
    const auto half = hn::ShiftRight<1>(n);
    const V y = hn::Add(fraction, hn::Set(d, 1.0f));
    return hn::Mul(hn::Mul(y, powerOfTwo(d, half)), powerOfTwo(d, hn::Sub(n, half)));
}

template <class D, class V>
HWY_INLINE V vexp(D d, V x) {
    return expScaled(d, x, 0);
}

template <class D, class V>
HWY_INLINE V vexpm1(D d, V x) {
    const hn::RebindToSigned<D> di;
    x = clampBelow(d, clampAbove(d, x, 89.0f), -20.0f);
    hn::Vec<hn::RebindToSigned<D>> n;
    const V fraction = expParts(d, x, &n);
    // 2^n q + (2^n - 1), at half size so that 2^128 is not needed.
    const V s = powerOfTwo(d, hn::Sub(n, hn::Set(di, 1)));
    const V y = hn::MulAdd(s, fraction, hn::Sub(s, hn::Set(d, 0.5f)));
    return hn::Add(y, y);
}

template <class D, class V>
HWY_INLINE V vlog(D d, V x) {
    const hn::RebindToSigned<D> di;
    const auto small = hn::Lt(x, hn::Set(d, FLT_MIN));
    const V scaled = hn::IfThenElse(small, hn::Mul(x, hn::Set(d, 8388608.0f)), x);
    const auto sqrtHalf = hn::Set(di, 0x3F3504F3);
    const auto bits = hn::Sub(hn::BitCast(di, scaled), sqrtHalf);
    V e = hn::ConvertTo(d, hn::ShiftRight<23>(bits));
    e = hn::Sub(e, hn::IfThenElseZero(small, hn::Set(d, 23.0f)));
    const V m = hn::BitCast(d, hn::Add(hn::And(bits, hn::Set(di, 0x007FFFFF)), sqrtHalf));
    const V f = hn::Sub(m, hn::Set(d, 1.0f));
    const V s = hn::Mul(f, f);
    const V p = polynomial(d, f, 0.33333331174f, -0.24999996925f, 0.20000717213f, -0.16667807133f, 0.14249007241f,
                           -0.1242552336f, 0.11685784721f, -0.11481212059f, 0.069725186339f);
    V y = hn::Mul(hn::Mul(f, s), p);
    y = hn::MulAdd(e, hn::Set(d, 1.428606765330187e-06f), y);
    y = hn::NegMulAdd(hn::Set(d, 0.5f), s, y);
    y = hn::MulAdd(e, hn::Set(d, 0.693145751953125f), hn::Add(f, y));

    const V inf = hn::Set(d, std::numeric_limits<float>::infinity());
    const V zero = hn::Zero(d);
    const V notANumber = hn::Set(d, std::numeric_limits<float>::quiet_NaN());
    V special = hn::IfThenElse(hn::Lt(x, zero), notANumber, x);
    special = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(inf), special);
    return hn::IfThenElse(hn::And(hn::Gt(x, zero), hn::Lt(x, inf)), y, special);
}

template <class D, class V>
HWY_INLINE V vlog1p(D d, V x) {
    const V one = hn::Set(d, 1.0f);
    const V u = hn::Add(one, x);
    // What rounding 1 + x lost, to first order.
    const V lost = hn::Div(hn::Sub(x, hn::Sub(u, one)), u);
    const auto finite = hn::And(hn::Gt(u, hn::Zero(d)), hn::Lt(x, hn::Set(d, 16777216.0f)));
    return hn::Add(vlog(d, u), hn::IfThenElseZero(finite, lost));
}

// Largest argument for which the four-part reduction below is exact enough.
constexpr float kMaxTrigArgument = 8192.0f;

// sin and cos of x for |x| <= kMaxTrigArgument.
template <class D, class V>
HWY_INLINE void vsincos(D d, V x, V* sine, V* cosine) {
    const hn::RebindToSigned<D> di;
    const V q = hn::Round(hn::Mul(x, hn::Set(d, 0.636619772368f)));
    // pi / 2 in parts of 11 bits: q has 13, so the first three products are exact.
    V r = hn::NegMulAdd(q, hn::Set(d, 1.5703125f), x);
    r = hn::NegMulAdd(q, hn::Set(d, 0.0004837512969970703125f), r);
    r = hn::NegMulAdd(q, hn::Set(d, 7.5495336204767227173e-8f), r);
    r = hn::NegMulAdd(q, hn::Set(d, 2.563344068257089603e-12f), r);
    const auto n = hn::NearestInt(q);
    const V z = hn::Mul(r, r);
    const V s = hn::MulAdd(hn::Mul(r, z), polynomial(d, z, -0.1666666465f, 0.0083327459364f, -0.00019587387068f), r);
    const V tail =
        hn::NegMulAdd(hn::Set(d, 0.5f), z,
                      hn::Mul(hn::Mul(z, z), polynomial(d, z, 0.041666664647f, -0.0013888300697f, 2.454743721e-5f)));
    const V c = hn::Add(hn::Set(d, 1.0f), tail);
    const auto one = hn::Set(di, 1), two = hn::Set(di, 2);
    const auto swap = hn::RebindMask(d, hn::Eq(hn::And(n, one), one));
    const V signS = hn::BitCast(d, hn::ShiftLeft<30>(hn::And(n, two)));
    const V signC = hn::BitCast(d, hn::ShiftLeft<30>(hn::And(hn::Add(n, one), two)));
    *sine = hn::Xor(hn::IfThenElse(swap, c, s), signS);
    *cosine = hn::Xor(hn::IfThenElse(swap, s, c), signC);
}

template <class D, class V>
HWY_INLINE V vsigmoid(D d, V x) {
    const V one = hn::Set(d, 1.0f);
    const V z = vexp(d, hn::Neg(hn::Abs(x)));
    // z / (1 + z) on the negative side keeps small results accurate.
    return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), z, one), hn::Add(one, z));
}

template <class D, class V>
HWY_INLINE V vtanh(D d, V x) {
    const V one = hn::Set(d, 1.0f);
    const V a = hn::Abs(x);
    const V z = hn::Mul(x, x);
    const V p = polynomial(d, z, -0.33333333172f, 0.13333303557f, -0.053959259577f, 0.021768918651f, -0.0083439455158f,
                           0.0022927448162f);
    const V near = hn::MulAdd(hn::Mul(a, z), p, a);
    const V far = hn::Sub(one, hn::Div(hn::Set(d, 2.0f), hn::Add(vexp(d, hn::Add(a, a)), one)));
    return hn::CopySign(hn::IfThenElse(hn::Lt(a, hn::Set(d, 0.625f)), near, far), x);
}

// erf(x) for |x| <= 1.
template <class D, class V>
HWY_INLINE V erfNear(D d, V x) {
    const V z = hn::Mul(x, x);
    return hn::MulAdd(x,
                      polynomial(d, z, 0.12837916585f, -0.37612626667f, 0.11283594715f, -0.026854212011f,
                                 0.0051890874234f, -0.00080168642872f, 7.8758750627e-5f),
                      x);
}

// erfc(a) for a >= 0.8: exp(-a^2) R(t) / (1 + 2 a), R a polynomial in t = (a - 2) / (a + 2).
template <class D, class V>
HWY_INLINE V erfcFar(D d, V a) {
    const hn::RebindToSigned<D> di;
    const V one = hn::Set(d, 1.0f), two = hn::Set(d, 2.0f);
    a = clampAbove(d, a, 10.2f);
    const V t = hn::Div(hn::Sub(a, two), hn::Add(a, two));
    const V r = polynomial(d, t, 1.2769783804f, -0.09276383063f, -0.16603018715f, 0.16405090668f, -0.054225736103f,
                           -0.0080191429782f, 0.0087684508211f, 0.0011243682139f, -0.0015323095702f);
    // exp(-a^2) needs the rounding error of a^2: a = high + low with a high part of 12 bits.
    const V high = hn::BitCast(d, hn::And(hn::BitCast(di, a), hn::Set(di, static_cast<int32_t>(0xFFFFF000))));
    const V low = hn::Sub(a, high);
    const V square = hn::Mul(a, a);
    const V lost =
        hn::Add(hn::Add(hn::Sub(hn::Mul(high, high), square), hn::Mul(hn::Add(high, high), low)), hn::Mul(low, low));
    const V e = vexp(d, hn::Neg(square));
    return hn::Mul(hn::NegMulAdd(e, lost, e), hn::Div(r, hn::MulAdd(two, a, one)));
}

template <class D, class V>
HWY_INLINE V verf(D d, V x) {
    const V a = hn::Abs(x);
    const V far = hn::CopySign(hn::Sub(hn::Set(d, 1.0f), erfcFar(d, a)), x);
    return hn::IfThenElse(hn::Lt(a, hn::Set(d, 0.95f)), erfNear(d, x), far);
}

template <class D, class V>
HWY_INLINE V verfc(D d, V x) {
    const V a = hn::Abs(x);
    const V e = erfcFar(d, a);
    const V far = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Sub(hn::Set(d, 2.0f), e), e);
    return hn::IfThenElse(hn::Lt(a, hn::Set(d, 0.82f)), hn::Sub(hn::Set(d, 1.0f), erfNear(d, x)), far);
}

// x times a polynomial in w = -log(1 - x^2), or in sqrt(w) towards the ends.
template <class D, class V>
HWY_INLINE V verfinv(D d, V x) {
    const V one = hn::Set(d, 1.0f);
    const V w = hn::Neg(vlog(d, hn::Mul(hn::Sub(one, x), hn::Add(one, x))));
    const V u = hn::Sub(w, hn::Set(d, 2.5f));
    const V centre =
        polynomial(d, u, 1.5014093605f, 0.24664027905f, -0.0041773928752f, -0.0012527263918f, 0.00021834938624f,
                   -4.9724196806e-6f, -3.463985267e-6f, 4.6813134613e-7f, 2.3335967136e-8f, -8.9319258295e-9f);
    const V s = hn::Sub(hn::Sqrt(w), hn::Set(d, 3.0f));
    const V end =
        polynomial(d, s, 2.8329768045f, 1.0016749321f, 0.0094451322191f, -0.0076368189436f, 0.0056880583344f,
                   -0.0035992807395f, 0.0014826906915f, -5.3726570763e-5f, -0.00030791328114f, 0.00011390817383f);
    const V inf = hn::Set(d, std::numeric_limits<float>::infinity());
    const V p = hn::IfThenElse(hn::Lt(w, hn::Set(d, 5.0f)), centre, end);
    return hn::IfThenElse(hn::Eq(hn::Abs(x), one), hn::CopySign(inf, x), hn::Mul(p, x));
}

// asin on [0, 0.5] by its series; above, through asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)). Returns the inner asin.
template <class D, class V>
HWY_INLINE V asinInner(D d, V a, hn::Mask<D> above) {
    const V half = hn::Set(d, 0.5f);
    const V z = hn::IfThenElse(above, hn::Mul(hn::Sub(hn::Set(d, 1.0f), a), half), hn::Mul(a, a));
    const V s = hn::IfThenElse(above, hn::Sqrt(z), a);
    return hn::MulAdd(
        hn::Mul(s, z),
        polynomial(d, z, 0.16666672415f, 0.074988550726f, 0.04500138007f, 0.026554542206f, 0.038085023561f), s);
}

constexpr float kHalfPi = 1.57079637050628662109375f;
constexpr float kHalfPiRest = -4.37113900018624283e-8f;  // pi / 2 - kHalfPi

template <class D, class V>
HWY_INLINE V vasin(D d, V x) {
    const V a = hn::Abs(x);
    const auto above = hn::Gt(a, hn::Set(d, 0.5f));
    const V p = asinInner(d, a, above);
    const V far = hn::Sub(hn::Set(d, kHalfPi), hn::Sub(hn::Add(p, p), hn::Set(d, kHalfPiRest)));
    return hn::CopySign(hn::IfThenElse(above, far, p), x);
}

template <class D, class V>
HWY_INLINE V vacos(D d, V x) {
    const V a = hn::Abs(x);
    const auto above = hn::Gt(a, hn::Set(d, 0.5f));
    const V p = asinInner(d, a, above);
    const V halfPi = hn::Set(d, kHalfPi), rest = hn::Set(d, kHalfPiRest);
    const V twice = hn::Add(p, p);
    const V pi = hn::Add(halfPi, halfPi);
    const V far = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Sub(pi, hn::Sub(twice, hn::Add(rest, rest))), twice);
    const V near = hn::Sub(halfPi, hn::Sub(hn::CopySign(p, x), rest));
    return hn::IfThenElse(above, far, near);
}

template <class D, class V>
HWY_INLINE V vatan(D d, V x) {
    const V a = hn::Abs(x);
    const auto above = hn::Gt(a, hn::Set(d, 1.0f));
    const V t = hn::IfThenElse(above, hn::Div(hn::Set(d, 1.0f), a), a);
    const V z = hn::Mul(t, t);
    const V p =
        hn::MulAdd(hn::Mul(t, z),
                   polynomial(d, z, -0.33333333081f, 0.19999949321f, -0.14284003795f, 0.11088261629f, -0.089318267774f,
                              0.0703191425f, -0.048960514027f, 0.02630500111f, -0.0091446297606f, 0.0014886919393f),
                   t);
    const V far = hn::Sub(hn::Set(d, kHalfPi), hn::Sub(p, hn::Set(d, kHalfPiRest)));
    return hn::CopySign(hn::IfThenElse(above, far, p), x);
}

// The angle of the point (x, y), with the C library's answers for zeros and infinities.
template <class D, class V>
HWY_INLINE V vatan2(D d, V y, V x) {
    const V a = hn::Abs(y), b = hn::Abs(x);
    const auto steep = hn::Gt(a, b);
    const V low = hn::IfThenElse(steep, b, a), high = hn::IfThenElse(steep, a, b);
    const V one = hn::Set(d, 1.0f);
    const V same = hn::IfThenElseZero(hn::Gt(high, hn::Zero(d)), one);  // also infinity over infinity
    const V p = vatan(d, hn::IfThenElse(hn::Eq(low, high), same, hn::Div(low, high)));
    const V halfPi = hn::Set(d, kHalfPi), rest = hn::Set(d, kHalfPiRest);
    V r = hn::IfThenElse(steep, hn::Sub(halfPi, hn::Sub(p, rest)), p);
    const auto behind = hn::Lt(hn::CopySign(one, x), hn::Zero(d));  // -0 counts as behind
    r = hn::IfThenElse(behind, hn::Sub(hn::Add(halfPi, halfPi), hn::Sub(r, hn::Add(rest, rest))), r);
    return hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::IsNaN(y)), hn::Add(x, y), hn::CopySign(r, y));
}

template <class D, class V>
HWY_INLINE V vsinh(D d, V x) {
    const V a = hn::Abs(x);
    const V z = hn::Mul(x, x);
    const V near = hn::MulAdd(
        hn::Mul(a, z), polynomial(d, z, 0.16666666647f, 0.0083333396759f, 0.00019838101969f, 2.8062802582e-6f), a);
    const V e = expScaled(d, a, -1);
    const V far = hn::Sub(e, hn::Div(hn::Set(d, 0.25f), e));
    return hn::CopySign(hn::IfThenElse(hn::Lt(a, hn::Set(d, 1.0f)), near, far), x);
}

template <class D, class V>
HWY_INLINE V vcosh(D d, V x) {
    const V e = expScaled(d, hn::Abs(x), -1);
    return hn::Add(e, hn::Div(hn::Set(d, 0.25f), e));
}

// log(2 a), for arguments so large that a^2 swallows 1.
template <class D, class V>
HWY_INLINE V logTwice(D d, V a) {
    return hn::Add(vlog(d, a), hn::Set(d, 0.693147180560f));
}

template <class D, class V>
HWY_INLINE V vasinh(D d, V x) {
    const V one = hn::Set(d, 1.0f);
    const V a = hn::Abs(x);
    const V z = hn::Mul(a, a);
    const V near = vlog1p(d, hn::Add(a, hn::Div(z, hn::Add(one, hn::Sqrt(hn::Add(one, z))))));
    return hn::CopySign(hn::IfThenElse(hn::Lt(a, hn::Set(d, 10000.0f)), near, logTwice(d, a)), x);
}

template <class D, class V>
HWY_INLINE V vacosh(D d, V x) {
    const V t = hn::Sub(x, hn::Set(d, 1.0f));
    const V near = vlog1p(d, hn::Add(t, hn::Sqrt(hn::MulAdd(t, t, hn::Add(t, t)))));
    const V y = hn::IfThenElse(hn::Lt(x, hn::Set(d, 10000.0f)), near, logTwice(d, x));
    return hn::IfThenElse(hn::Lt(t, hn::Zero(d)), hn::Set(d, std::numeric_limits<float>::quiet_NaN()), y);
}

template <class D, class V>
HWY_INLINE V vatanh(D d, V x) {
    const V a = hn::Abs(x);
    const V y = vlog1p(d, hn::Div(hn::Add(a, a), hn::Sub(hn::Set(d, 1.0f), a)));
    return hn::CopySign(hn::Mul(hn::Set(d, 0.5f), y), x);
}

// x^y for normal, finite x > 0 and finite y, in double lanes: the exponent of the result loses nothing that float32
// shows.
template <class DD, class VF>
HWY_INLINE VF vpow(DD dd, VF x, VF y) {
    const hn::Rebind<float, DD> df;
    const hn::Rebind<int32_t, DD> di;
    const hn::Rebind<int64_t, DD> dl;
    using VD = hn::Vec<DD>;
    const auto sqrtHalf = hn::Set(di, 0x3F3504F3);
    const auto bits = hn::Sub(hn::BitCast(di, x), sqrtHalf);
    const VD e = hn::PromoteTo(dd, hn::ShiftRight<23>(bits));
    const VD m = hn::PromoteTo(dd, hn::BitCast(df, hn::Add(hn::And(bits, hn::Set(di, 0x007FFFFF)), sqrtHalf)));
    // log2(m) = 2 / ln2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.172: seven terms of the series.
    const VD one = hn::Set(dd, 1.0);
    const VD s = hn::Div(hn::Sub(m, one), hn::Add(m, one));
    const VD z = hn::Mul(s, s);
    constexpr double k = 2.88539008177792681472;  // 2 / ln2
    const double terms[] = {k / 13, k / 11, k / 9, k / 7, k / 5, k / 3, k};
    VD p = hn::Set(dd, terms[0]);
    for (int i = 1; i < 7; ++i) p = hn::MulAdd(p, z, hn::Set(dd, terms[i]));
    VD t = hn::Mul(hn::PromoteTo(dd, y), hn::MulAdd(s, p, e));
    t = hn::Max(hn::Min(t, hn::Set(dd, 300.0)), hn::Set(dd, -300.0));
    // 2^t = 2^n exp(r ln2), |r| <= 1/2: the Taylor series to the eighth power.
    const VD n = hn::Round(t);
    const VD r = hn::Mul(hn::Sub(t, n), hn::Set(dd, 0.69314718055994530942));
    const double factorials[] = {1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1, 1};
    VD q = hn::Set(dd, factorials[0]);
    for (int i = 1; i < 9; ++i) q = hn::MulAdd(q, r, hn::Set(dd, factorials[i]));
    const auto exponent = hn::Add(hn::PromoteTo(dl, hn::DemoteTo(di, n)), hn::Set(dl, 1023));
    return hn::DemoteTo(df, hn::Mul(q, hn::BitCast(dd, hn::ShiftLeft<52>(exponent))));
}

template <class D, class V>
HWY_INLINE V vsilu(D d, V x) {
    return hn::Mul(x, vsigmoid(d, x));
}

// 0.5 x (1 + tanh(u)) = x sigmoid(2 u), u = sqrt(2 / pi) (x + 0.044715 x^3).
template <class D, class V>
HWY_INLINE V vgeluTanh(D d, V x) {
    const V cubic = hn::MulAdd(hn::Mul(hn::Set(d, 0.044715f), hn::Mul(x, x)), x, x);
    return hn::Mul(x, vsigmoid(d, hn::Mul(hn::Set(d, 1.59576912161f), cubic)));
}

// 0.5 x erfc(-x / sqrt(2)): no cancellation for negative x.
template <class D, class V>
HWY_INLINE V vgeluErf(D d, V x) {
    return hn::Mul(hn::Mul(hn::Set(d, 0.5f), x), verfc(d, hn::Mul(x, hn::Set(d, -0.707106781187f))));
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace MNN
HWY_AFTER_NAMESPACE();
#endif
