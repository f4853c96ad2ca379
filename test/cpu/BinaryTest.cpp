#include "CpuTestTools.hpp"
#include "backend/cpu/kernels/Binary.hpp"

namespace MNN {
namespace {

using namespace test;
using cpu::BinaryKind;
using cpu::Isa;

double floatReference(BinaryKind kind, float x, float y) {
    switch (kind) {
        case BinaryKind::Add:
            return x + y;
        case BinaryKind::Sub:
            return x - y;
        case BinaryKind::Mul:
            return x * y;
        case BinaryKind::Div:
        case BinaryKind::RealDiv:
            return x / y;
        case BinaryKind::MaxTemp:
        case BinaryKind::Maximum:
            return std::isnan(x) || std::isnan(y) ? kNaN : std::max(x, y);
        case BinaryKind::MinTemp:
        case BinaryKind::Minimum:
            return std::isnan(x) || std::isnan(y) ? kNaN : std::min(x, y);
        case BinaryKind::Pow:
            return std::pow(static_cast<double>(x), static_cast<double>(y));
        case BinaryKind::Greater:
            return x > y;
        case BinaryKind::GreaterEqual:
            return x >= y;
        case BinaryKind::Less:
            return x < y;
        case BinaryKind::LessEqual:
            return x <= y;
        case BinaryKind::Equal:
            return x == y;
        case BinaryKind::NotEqual:
            return x != y;
        case BinaryKind::FloorDiv:
            return std::floor(x / y);
        case BinaryKind::SquaredDifference:
            return (x - y) * (x - y);
        case BinaryKind::FloorMod: {
            const double r = std::fmod(static_cast<double>(x), static_cast<double>(y));
            return r != 0 && (r < 0) != (y < 0) ? static_cast<float>(r) + y : r;
        }
        case BinaryKind::Mod:
            return std::fmod(x, y);
        case BinaryKind::Atan2:
            return std::atan2(static_cast<double>(x), static_cast<double>(y));
        case BinaryKind::LogicalOr:
            return x != 0 || y != 0;
        case BinaryKind::LogicalXor:
            return (x != 0) != (y != 0);
        case BinaryKind::MulSilu:
            return static_cast<double>(x) * y / (1 + std::exp(-static_cast<double>(y)));
        default:
            return kNaN;
    }
}

// In 64 bits, then cut to the type of the result.
int64_t intReference(BinaryKind kind, int64_t x, int64_t y) {
    const bool opposite = (x < 0) != (y < 0);
    switch (kind) {
        case BinaryKind::Add:
            return x + y;
        case BinaryKind::Sub:
            return x - y;
        case BinaryKind::Mul:
            return x * y;
        case BinaryKind::Div:
        case BinaryKind::RealDiv:
            return y == 0 ? 0 : x / y;
        case BinaryKind::MaxTemp:
        case BinaryKind::Maximum:
            return std::max(x, y);
        case BinaryKind::MinTemp:
        case BinaryKind::Minimum:
            return std::min(x, y);
        case BinaryKind::Pow: {
            if (y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
            uint32_t r = 1;
            for (int64_t i = 0; i < y % 64; ++i) r *= static_cast<uint32_t>(x);
            return static_cast<int32_t>(r);
        }
        case BinaryKind::Greater:
            return x > y;
        case BinaryKind::GreaterEqual:
            return x >= y;
        case BinaryKind::Less:
            return x < y;
        case BinaryKind::LessEqual:
            return x <= y;
        case BinaryKind::Equal:
            return x == y;
        case BinaryKind::NotEqual:
            return x != y;
        case BinaryKind::FloorDiv:
            return y == 0 ? 0 : x / y - (x % y != 0 && opposite);
        case BinaryKind::SquaredDifference:
            return static_cast<int64_t>(static_cast<uint64_t>(x - y) * static_cast<uint64_t>(x - y));
        case BinaryKind::FloorMod:
            return y == 0 ? 0 : x % y + (x % y != 0 && opposite ? y : 0);
        case BinaryKind::Mod:
            return y == 0 ? 0 : x % y;
        case BinaryKind::LogicalOr:
            return x != 0 || y != 0;
        case BinaryKind::LogicalXor:
            return (x != 0) != (y != 0);
        case BinaryKind::BitwiseAnd:
            return x & y;
        case BinaryKind::BitwiseOr:
            return x | y;
        case BinaryKind::BitwiseXor:
            return x ^ y;
        case BinaryKind::LeftShift:
            return y < 0 || y > 31 ? 0 : x * (int64_t(1) << y);
        case BinaryKind::RightShift:
            return y < 0 || y > 31 ? (x < 0 ? -1 : 0) : x >> y;
        default:
            return 0;
    }
}

TEST(BinaryKernel, FloatsInEveryStepAndLength) {
    for (Isa isa : cpu::availableIsas()) {
        for (int k = 0; k < cpu::kBinaryKinds; ++k) {
            const cpu::BinaryFn kernel = cpu::binaryKernels(isa).f32[k];
            const auto kind = static_cast<BinaryKind>(k);
            if (kernel == nullptr) continue;
            for (size_t n : edgeLengths()) {
                for (int mode = 0; mode < 4; ++mode) {
                    const int stepA = mode & 1, stepB = mode >> 1;
                    Guarded<float> a(stepA != 0 ? n : 1), b(stepB != 0 ? n : 1), out(n, kNaN);
                    const std::vector<float> va = randomFloats(a.size(), kind == BinaryKind::Pow ? 0.1f : -4.0f, 4,
                                                               k + 1),
                                             vb = randomFloats(b.size(), -4, 4, k + 7);
                    for (size_t i = 0; i < a.size(); ++i) a[i] = i % 7 == 3 ? std::fabs(std::round(va[i])) + 1 : va[i];
                    for (size_t i = 0; i < b.size(); ++i) b[i] = i % 7 == 3 ? std::round(vb[i]) : vb[i];
                    kernel(out.data(), a.data(), b.data(), n, stepA, stepB);
                    ASSERT_TRUE(out.intact());
                    for (size_t i = 0; i < n; ++i) {
                        const double want = floatReference(kind, a[i * stepA], b[i * stepB]);
                        if (cpu::givesBool(kind)) {
                            ASSERT_EQ(reinterpret_cast<int32_t*>(out.data())[i], static_cast<int32_t>(want))
                                << cpu::binaryName(kind);
                        } else {
                            ASSERT_LE(ulpError(out[i], want), 4)
                                << cpu::isaName(isa) << " " << cpu::binaryName(kind) << " of " << a[i * stepA] << ", "
                                << b[i * stepB] << ": " << out[i] << ", want " << want;
                        }
                    }
                }
            }
        }
    }
}

TEST(BinaryKernel, FloatSpecialValues) {
    const float specials[] = {0.0f, -0.0f, 1.0f, -1.0f, kInf, -kInf, kNaN, 2.0f, 0.5f, -2.0f, 3.0f, -0.5f};
    for (Isa isa : cpu::availableIsas()) {
        for (BinaryKind kind :
             {BinaryKind::Maximum, BinaryKind::Minimum, BinaryKind::Pow, BinaryKind::Equal, BinaryKind::NotEqual,
              BinaryKind::Less, BinaryKind::GreaterEqual, BinaryKind::Mod, BinaryKind::Atan2, BinaryKind::LogicalOr}) {
            for (float y : specials) {
                Guarded<float> out(12);
                cpu::binaryKernels(isa).f32[static_cast<int>(kind)](out.data(), specials, &y, 12, 1, 0);
                for (int i = 0; i < 12; ++i) {
                    const double want = floatReference(kind, specials[i], y);
                    const double got = cpu::givesBool(kind) ? reinterpret_cast<int32_t*>(out.data())[i] : out[i];
                    EXPECT_LE(ulpError(static_cast<float>(got), want), 1)
                        << cpu::binaryName(kind) << " of " << specials[i] << ", " << y;
                }
            }
        }
    }
}

// Results from denormals to overflow: pow within 1 ulp, atan2 within 4.
TEST(BinaryKernel, PowAndAtan2AreAccurate) {
    constexpr size_t n = 40000;
    std::vector<float> x(n), y = randomFloats(n, -40, 40), out(n);
    const std::vector<float> exponents = randomFloats(n, -30, 30, 2);
    for (size_t i = 0; i < n; ++i) x[i] = std::exp2(exponents[i] / (1 + static_cast<float>(i % 13)));
    for (Isa isa : cpu::availableIsas()) {
        for (BinaryKind kind : {BinaryKind::Pow, BinaryKind::Atan2}) {
            cpu::binaryKernels(isa).f32[static_cast<int>(kind)](out.data(), x.data(), y.data(), n, 1, 1);
            double worst = 0;
            for (size_t i = 0; i < n; ++i) worst = std::max(worst, ulpError(out[i], floatReference(kind, x[i], y[i])));
            EXPECT_LE(worst, kind == BinaryKind::Pow ? 1 : 4) << cpu::isaName(isa) << " " << cpu::binaryName(kind);
        }
        // One exponent for all, as in normalisations.
        const float exponent = -0.75f;
        cpu::binaryKernels(isa).f32[static_cast<int>(BinaryKind::Pow)](out.data(), x.data(), &exponent, n, 1, 0);
        for (size_t i = 0; i < n; ++i) ASSERT_LE(ulpError(out[i], floatReference(BinaryKind::Pow, x[i], exponent)), 1);
    }
}

template <typename T>
void checkIntegers(const cpu::BinaryFn* kernels, const std::vector<T>& values) {
    for (int k = 0; k < cpu::kBinaryKinds; ++k) {
        const auto kind = static_cast<BinaryKind>(k);
        if (kernels[k] == nullptr) continue;
        for (T y : values) {
            if (kind == BinaryKind::Pow && (y > 60 || y < -60)) continue;
            const size_t n = values.size();
            std::vector<T> ys(n, y);
            for (int mode = 0; mode < 4; ++mode) {
                Guarded<int32_t> out(n);
                kernels[k](out.data(), values.data(), ys.data(), n, mode & 1, mode >> 1);
                ASSERT_TRUE(out.intact());
                for (size_t i = 0; i < n; ++i) {
                    const int64_t want = intReference(kind, values[(mode & 1) != 0 ? i : 0], y);
                    const int64_t got = cpu::givesBool(kind) ? out[i] : reinterpret_cast<T*>(out.data())[i];
                    ASSERT_EQ(got, cpu::givesBool(kind) ? want : static_cast<T>(want))
                        << cpu::binaryName(kind) << " of " << int64_t(values[i]) << ", " << int64_t(y);
                }
            }
        }
    }
}

TEST(BinaryKernel, IntegersNeverTrap) {
    const cpu::BinaryKernels& k = cpu::binaryKernels(cpu::availableIsas().front());
    checkIntegers<int32_t>(k.i32,
                           {0, 1, -1, 2, -2, 3, -3, 7, -7, 31, 32, 33, 100, -100, INT32_MAX, INT32_MIN, 65537, -65537});
    checkIntegers<uint8_t>(k.u8, {0, 1, 2, 3, 7, 8, 31, 127, 128, 200, 255});
    checkIntegers<int8_t>(k.i8, {0, 1, -1, 2, -2, 3, -3, 7, -7, 127, -128});
}

OpT binaryOp(BinaryOpOperation kind, int activation = 0) {
    OpT op;
    op.type = OpType_BinaryOp;
    op.main.type = OpParameter_BinaryOp;
    auto* binary = new BinaryOpT;
    binary->opType = kind;
    binary->activationType = activation;
    op.main.value = binary;
    return op;
}

TEST(CPUBinary, BroadcastsAndViews) {
    std::mt19937 random(5);
    for (int threads : {1, 3}) {
        CpuRig rig(threads);
        for (int round = 0; round < 60; ++round) {
            // Two views of random stride order over one shape; a stride of 0 broadcasts.
            std::vector<int> shape;
            const int rank = static_cast<int>(random() % 5);
            for (int d = 0; d < rank; ++d) shape.push_back(1 + static_cast<int>(random() % (d == rank - 1 ? 150 : 9)));
            std::vector<std::shared_ptr<Tensor>> origins, views;
            std::vector<std::vector<int64_t>> strides(2, std::vector<int64_t>(rank, 0));
            std::vector<int64_t> offsets;
            for (int i = 0; i < 2; ++i) {
                int64_t size = 1;
                for (int step = 0; step < rank; ++step) {
                    const int d = (step + round * (i + 1)) % rank;
                    if (random() % 3 == 0) continue;
                    strides[i][d] = size;
                    size *= shape[d];
                }
                offsets.push_back(static_cast<int64_t>(random() % 5));
                origins.push_back(makeTensor({static_cast<int>(size + 5)}, randomFloats(size + 5, -2, 2, random())));
                views.push_back(makeView(origins[i], shape, offsets[i], strides[i]));
            }
            auto out = makeTensor(shape, halide_type_of<float>());
            ASSERT_EQ(NO_ERROR, rig.run(binaryOp(BinaryOpOperation_SUB, 1), views, {out}));
            const int64_t n = TensorUtils::elements(out.get());
            for (int64_t at = 0; at < n; ++at) {
                int64_t rest = at, from[2] = {offsets[0], offsets[1]};
                for (int d = rank - 1; d >= 0; --d) {
                    for (int i = 0; i < 2; ++i) from[i] += rest % shape[d] * strides[i][d];
                    rest /= shape[d];
                }
                const float want =
                    std::max(origins[0]->host<float>()[from[0]] - origins[1]->host<float>()[from[1]], 0.0f);
                ASSERT_EQ(out->host<float>()[at], want) << "round " << round << " at " << at;
            }
        }
    }
}

TEST(CPUBinary, LargeTensorsOnThreadsScalarsAndNothing) {
    CpuRig rig(3);
    const std::vector<float> x = randomFloats(100003, -9, 9);
    auto out = makeTensor({100003}, halide_type_of<float>());
    ASSERT_EQ(NO_ERROR, rig.run(binaryOp(BinaryOpOperation_ADD, 2),
                                {makeTensor({100003}, x), makeTensor<float>({}, {2.5f})}, {out}));
    for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(out->host<float>()[i], std::min(std::max(x[i] + 2.5f, 0.0f), 6.0f));
    auto scalar = makeTensor({}, halide_type_of<int32_t>());
    ASSERT_EQ(NO_ERROR, rig.run(binaryOp(BinaryOpOperation_LESS),
                                {makeTensor<float>({}, {1.0f}), makeTensor<float>({}, {2.0f})}, {scalar}));
    EXPECT_EQ(1, scalar->host<int32_t>()[0]);
    auto none = makeTensor({3, 0}, halide_type_of<float>());
    EXPECT_EQ(NO_ERROR, rig.run(binaryOp(BinaryOpOperation_MUL), {none, none}, {none}));
}

TEST(CPUBinary, RefusesWrongTypes) {
    CpuRig rig(1);
    auto f = makeTensor({2}, halide_type_of<float>()), i = makeTensor({2}, halide_type_of<int32_t>());
    EXPECT_EQ(NOT_SUPPORT, rig.run(binaryOp(BinaryOpOperation_ADD), {f, i}, {f}));
    EXPECT_EQ(NOT_SUPPORT, rig.run(binaryOp(BinaryOpOperation_LESS), {f, f}, {f}));
    EXPECT_EQ(NOT_SUPPORT, rig.run(binaryOp(BinaryOpOperation_BITWISE_AND), {f, f}, {f}));
    EXPECT_EQ(NOT_SUPPORT, rig.run(binaryOp(static_cast<BinaryOpOperation>(18)), {f, f}, {f}));
    EXPECT_EQ(INPUT_DATA_ERROR,
              rig.run(binaryOp(BinaryOpOperation_ADD), {f, makeTensor({3}, halide_type_of<float>())}, {f}));
}

}  // namespace
}  // namespace MNN
