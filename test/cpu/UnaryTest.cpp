#include <cfloat>
#include "CpuTestTools.hpp"
#include "backend/cpu/kernels/Unary.hpp"

namespace MNN {
namespace {

using namespace test;
using cpu::Isa;
using cpu::UnaryKind;

const double kSqrtHalf = std::sqrt(0.5);

double sigmoid(double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }

// Inverse of erf by Newton steps on a bisection start.
double erfInverse(double y) {
    if (!(std::fabs(y) < 1)) return std::fabs(y) == 1 ? std::copysign(kInf, y) : kNaN;
    const double c = 1 - std::fabs(y);
    double low = 0, high = 7;
    for (int i = 0; i < 200; ++i) {
        const double middle = (low + high) / 2;
        (std::erfc(middle) > c ? low : high) = middle;
    }
    const double x =
        std::fabs(y) < 0.01 ? std::fabs(y) * 0.88622692545275801 * (1 + 0.26179938779914943654 * y * y) : low;
    return std::copysign(x, y);
}

double reference(UnaryKind kind, double x, double a, double b) {
    switch (kind) {
        case UnaryKind::Abs:
            return std::fabs(x);
        case UnaryKind::Neg:
            return -x;
        case UnaryKind::Floor:
            return std::floor(x);
        case UnaryKind::Ceil:
            return std::ceil(x);
        case UnaryKind::Square:
            return x * x;
        case UnaryKind::Sqrt:
            return std::sqrt(x);
        case UnaryKind::Rsqrt:
            return 1 / std::sqrt(x);
        case UnaryKind::Exp:
            return std::exp(x);
        case UnaryKind::Log:
            return std::log(x);
        case UnaryKind::Sin:
            return std::sin(x);
        case UnaryKind::Cos:
            return std::cos(x);
        case UnaryKind::Tan:
            return std::tan(x);
        case UnaryKind::Asin:
            return std::asin(x);
        case UnaryKind::Acos:
            return std::acos(x);
        case UnaryKind::Atan:
            return std::atan(x);
        case UnaryKind::Reciprocal:
            return 1 / x;
        case UnaryKind::Log1p:
            return std::log1p(x);
        case UnaryKind::Bnll:
            return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
        case UnaryKind::Acosh:
            return std::acosh(x);
        case UnaryKind::Sinh:
            return std::sinh(x);
        case UnaryKind::Asinh:
            return std::asinh(x);
        case UnaryKind::Atanh:
            return std::atanh(x);
        case UnaryKind::Sign:
            return x > 0 ? 1 : x < 0 ? -1 : x;
        case UnaryKind::Round:
            return std::nearbyint(x);
        case UnaryKind::Cosh:
            return std::cosh(x);
        case UnaryKind::Erf:
            return std::erf(x);
        case UnaryKind::Erfc:
            return std::erfc(x);
        case UnaryKind::Erfinv:
            return erfInverse(x);
        case UnaryKind::Expm1:
            return std::expm1(x);
        case UnaryKind::Sigmoid:
            return sigmoid(x);
        case UnaryKind::Tanh:
            return std::tanh(x);
        case UnaryKind::HardSwish:
            return x * std::min(std::max(x + 3, 0.0), 6.0) / 6;
        case UnaryKind::Gelu:
            return x * sigmoid(2 * 0.79788456080286535588 * (x + 0.044715 * x * x * x));
        case UnaryKind::GeluStandard:
            return 0.5 * x * std::erfc(-x * kSqrtHalf);
        case UnaryKind::Silu:
            return x * sigmoid(x);
        case UnaryKind::Relu:
            return x < 0 ? x * a : x;
        case UnaryKind::Clamp:
            return x < a ? a : x > b ? b : x;
        case UnaryKind::Elu:
            return x < 0 ? a * std::expm1(x) : x;
        case UnaryKind::Selu:
            return b * (x < 0 ? a * std::expm1(x) : x);
        case UnaryKind::Threshold:
            return x > a ? 1 : 0;
        default:
            return kNaN;
    }
}

// Where a function is swept, and how far it may be off: within `ulps`, or within `absolute` where the result cancels.
struct Bound {
    UnaryKind kind;
    float low, high;
    double ulps, absolute;
};
const Bound kBounds[] = {
    {UnaryKind::Abs, -100, 100, 0, 0},
    {UnaryKind::Neg, -100, 100, 0, 0},
    {UnaryKind::Floor, -100, 100, 0, 0},
    {UnaryKind::Ceil, -100, 100, 0, 0},
    {UnaryKind::Square, -100, 100, 0.51, 0},
    {UnaryKind::Sqrt, 0, 100, 0.51, 0},
    {UnaryKind::Rsqrt, 1e-6f, 100, 1.6, 0},
    {UnaryKind::Exp, -104, 89, 1.5, 0},
    {UnaryKind::Log, 0, 1000, 1.5, 0},
    {UnaryKind::Sin, -20, 20, 2, 0},
    {UnaryKind::Cos, -20, 20, 2, 0},
    {UnaryKind::Sin, -9000, 9000, 4, 3e-11},
    {UnaryKind::Cos, -9000, 9000, 4, 3e-11},
    {UnaryKind::Tan, -20, 20, 4, 0},
    {UnaryKind::Tan, -9000, 9000, 8, 3e-11},
    {UnaryKind::Asin, -1, 1, 3, 0},
    {UnaryKind::Acos, -1, 1, 3, 0},
    {UnaryKind::Atan, -100, 100, 3, 0},
    {UnaryKind::Reciprocal, 0.01f, 100, 0.51, 0},
    {UnaryKind::Log1p, -1, 100, 3, 0},
    {UnaryKind::Bnll, -80, 80, 3, 0},
    {UnaryKind::Acosh, 1, 30000, 5, 0},
    {UnaryKind::Sinh, -89, 89, 4, 0},
    {UnaryKind::Asinh, -30000, 30000, 5, 0},
    {UnaryKind::Atanh, -1, 1, 5, 0},
    {UnaryKind::Sign, -10, 10, 0, 0},
    {UnaryKind::Round, -10, 10, 0, 0},
    {UnaryKind::Cosh, -89, 89, 3, 0},
    {UnaryKind::Erf, -5, 5, 3, 0},
    {UnaryKind::Erfc, -5, 9, 8, 0},
    {UnaryKind::Erfinv, -1, 1, 8, 0},
    {UnaryKind::Expm1, -20, 89, 3, 0},
    {UnaryKind::Sigmoid, -87, 87, 3, 0},
    {UnaryKind::Tanh, -12, 12, 3, 0},
    {UnaryKind::HardSwish, -10, 10, 3, 1e-6},
    {UnaryKind::Gelu, -4, 20, 32, 2e-8},
    {UnaryKind::GeluStandard, -4, 20, 32, 2e-8},
    {UnaryKind::Silu, -80, 80, 4, 0},
    {UnaryKind::Relu, -10, 10, 0.51, 0},
    {UnaryKind::Clamp, -10, 10, 0, 0},
    {UnaryKind::Elu, -30, 30, 4, 0},
    {UnaryKind::Selu, -30, 30, 4, 0},
    {UnaryKind::Threshold, -10, 10, 0, 0},
};
const cpu::UnaryParams kParams = {-0.375f, 1.0625f};

TEST(UnaryKernel, AccurateOverDenseSweeps) {
    constexpr size_t kPoints = 40001;
    std::vector<float> x(kPoints), y(kPoints);
    for (Isa isa : cpu::availableIsas()) {
        for (const Bound& bound : kBounds) {
            for (size_t i = 0; i < kPoints; ++i)
                x[i] = bound.low + (bound.high - bound.low) * static_cast<float>(i) / (kPoints - 1);
            // Small arguments of every magnitude take the last tenth.
            for (size_t i = 0; i < kPoints / 10; ++i) {
                const float tiny = std::ldexp(1.0f + static_cast<float>(i % 37) / 37, -static_cast<int>(i % 120));
                if (tiny <= bound.high && tiny >= bound.low) x[i] = (i % 2 != 0 && -tiny >= bound.low) ? -tiny : tiny;
            }
            cpu::unaryKernels(isa).f32[static_cast<int>(bound.kind)](y.data(), x.data(), kPoints, kParams);
            double worst = 0;
            size_t where = 0;
            for (size_t i = 0; i < kPoints; ++i) {
                const double want = reference(bound.kind, x[i], kParams.a, kParams.b);
                if (std::fabs(y[i] - want) <= bound.absolute) continue;
                const double error = ulpError(y[i], want);
                if (error > worst) worst = error, where = i;
            }
            EXPECT_LE(worst, bound.ulps) << cpu::isaName(isa) << " " << cpu::unaryName(bound.kind) << " at " << x[where]
                                         << ": got " << y[where] << ", want "
                                         << reference(bound.kind, x[where], kParams.a, kParams.b);
        }
    }
}

TEST(UnaryKernel, SpecialValues) {
    const float specials[] = {0.0f,         -0.0f,   1.0f,     -1.0f, kInf, -kInf, kNaN,  FLT_MIN, FLT_MIN / 8,
                              -FLT_MIN / 8, FLT_MAX, -FLT_MAX, 0.5f,  1.5f, 2.5f,  -2.5f, 1e10f,   3e5f};
    constexpr size_t n = sizeof(specials) / sizeof(specials[0]);
    float y[n];
    for (Isa isa : cpu::availableIsas()) {
        for (int k = 0; k < cpu::kUnaryKinds; ++k) {
            const auto kind = static_cast<UnaryKind>(k);
            cpu::unaryKernels(isa).f32[k](y, specials, n, kParams);
            for (size_t i = 0; i < n; ++i) {
                const double want = reference(kind, specials[i], kParams.a, kParams.b);
                // Limits that the formula itself does not reach: 0 times an infinity.
                if (specials[i] == -kInf && (kind == UnaryKind::Silu || kind == UnaryKind::Gelu ||
                                             kind == UnaryKind::GeluStandard || kind == UnaryKind::HardSwish))
                    continue;
                if (std::fabs(y[i] - want) < 1e-38) continue;
                EXPECT_LE(ulpError(y[i], want), 8) << cpu::isaName(isa) << " " << cpu::unaryName(kind) << "("
                                                   << specials[i] << ") = " << y[i] << ", want " << want;
            }
        }
    }
}

TEST(UnaryKernel, AnyLengthAndAlignment) {
    for (Isa isa : cpu::availableIsas()) {
        for (int k = 0; k < cpu::kUnaryKinds; ++k) {
            for (size_t n : edgeLengths()) {
                Guarded<float> x(n), y(n, kNaN);
                for (size_t i = 0; i < n; ++i) x[i] = 0.01f + 0.9f * static_cast<float>(i) / 67;
                cpu::unaryKernels(isa).f32[k](y.data(), x.data(), n, kParams);
                ASSERT_TRUE(x.intact() && y.intact()) << cpu::isaName(isa) << " " << k << " n " << n;
                for (size_t i = 0; i < n; ++i) {
                    const double want = reference(static_cast<UnaryKind>(k), x[i], kParams.a, kParams.b);
                    ASSERT_TRUE(ulpError(y[i], want) < 16)
                        << cpu::isaName(isa) << " " << cpu::unaryName(static_cast<UnaryKind>(k)) << " n " << n << " at "
                        << i;
                }
            }
        }
    }
}

TEST(UnaryKernel, Integers) {
    for (Isa isa : cpu::availableIsas()) {
        const cpu::UnaryKernels& kernels = cpu::unaryKernels(isa);
        for (size_t n : edgeLengths()) {
            Guarded<int32_t> x(n), y(n);
            for (size_t i = 0; i < n; ++i) x[i] = static_cast<int32_t>(i * 7 % 23) - 11;
            const auto check = [&](UnaryKind kind, int32_t (*want)(int32_t)) {
                kernels.i32[static_cast<int>(kind)](y.data(), x.data(), n, {0.0f, 6.0f});
                ASSERT_TRUE(y.intact());
                for (size_t i = 0; i < n; ++i) ASSERT_EQ(y[i], want(x[i])) << cpu::unaryName(kind) << " of " << x[i];
            };
            check(UnaryKind::Abs, [](int32_t v) { return v < 0 ? -v : v; });
            check(UnaryKind::Neg, [](int32_t v) { return -v; });
            check(UnaryKind::Square, [](int32_t v) { return v * v; });
            check(UnaryKind::Sign, [](int32_t v) { return v > 0 ? 1 : v < 0 ? -1 : 0; });
            check(UnaryKind::Round, [](int32_t v) { return v; });
            check(UnaryKind::Relu, [](int32_t v) { return v < 0 ? 0 : v; });
            check(UnaryKind::Clamp, [](int32_t v) { return v < 0 ? 0 : v > 6 ? 6 : v; });
        }
    }
}

OpT unaryOp(UnaryOpOperation kind) {
    OpT op;
    op.type = OpType_UnaryOp;
    op.main.type = OpParameter_UnaryOp;
    auto* unary = new UnaryOpT;
    unary->opType = kind;
    op.main.value = unary;
    return op;
}

TEST(CPUUnary, PlainPackedViewsAndThreads) {
    for (int threads : {1, 3}) {
        CpuRig rig(threads);
        for (const std::vector<int>& shape : {std::vector<int>{}, {0}, {1}, {7}, {3, 5, 70}, {2, 70000}, {2, 0, 3}}) {
            size_t n = 1;
            for (int s : shape) n *= s;
            const std::vector<float> x = randomFloats(n, -3, 3);
            auto out = makeTensor(shape, halide_type_of<float>());
            ASSERT_EQ(NO_ERROR, rig.run(unaryOp(UnaryOpOperation_TANH), {makeTensor(shape, x)}, {out}));
            const auto y = valuesOf<float>(out);
            for (size_t i = 0; i < n; ++i) ASSERT_LT(ulpError(y[i], std::tanh(double(x[i]))), 4);
        }
        // A transposed slice: out[i][j] = x[j + 1][i].
        const std::vector<float> x = randomFloats(9 * 130, -3, 3);
        auto origin = makeTensor({9, 130}, x);
        auto out = makeTensor({130, 8}, halide_type_of<float>());
        ASSERT_EQ(NO_ERROR, rig.run(unaryOp(UnaryOpOperation_NEG), {makeView(origin, {130, 8}, 130, {1, 130})}, {out}));
        for (int i = 0; i < 130; ++i) {
            for (int j = 0; j < 8; ++j) ASSERT_EQ(valuesOf<float>(out)[i * 8 + j], -x[(j + 1) * 130 + i]);
        }
        auto packedIn = makeTensor({2, 5, 3, 3}, halide_type_of<float>(), 8),
             packedOut = makeTensor({2, 5, 3, 3}, halide_type_of<float>(), 8);
        for (int i = 0; i < 2 * 9 * 8; ++i) {
            if (i % 8 < 5) packedIn->host<float>()[i] = static_cast<float>(i);
        }
        ASSERT_EQ(NO_ERROR, rig.run(unaryOp(UnaryOpOperation_SQUARE), {packedIn}, {packedOut}));
        for (int i = 0; i < 2 * 9 * 8; ++i) {
            if (i % 8 < 5) {
                ASSERT_EQ(packedOut->host<float>()[i], static_cast<float>(i * i));
            }
        }
    }
}

TEST(CPUUnary, RefusesWhatItCannotDo) {
    CpuRig rig(1);
    auto ints = makeTensor<int32_t>({2}, {1, 2});
    EXPECT_EQ(NOT_SUPPORT,
              rig.run(unaryOp(UnaryOpOperation_EXP), {ints}, {makeTensor({2}, halide_type_of<int32_t>())}));
    EXPECT_EQ(NOT_SUPPORT, rig.run(unaryOp(static_cast<UnaryOpOperation>(99)), {ints}, {ints}));
}

}  // namespace
}  // namespace MNN
