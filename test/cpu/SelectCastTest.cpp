#include "CpuTestTools.hpp"
#include "backend/cpu/kernels/Cast.hpp"
#include "backend/cpu/kernels/Select.hpp"

namespace MNN {
namespace {

using namespace test;
using cpu::ElementType;
using cpu::Isa;

template <typename C, typename T>
void checkSelect(cpu::SelectFn kernel) {
    for (size_t n : edgeLengths()) {
        for (int mode = 0; mode < 8; ++mode) {
            const int steps[3] = {mode & 1, mode >> 1 & 1, mode >> 2};
            Guarded<C> condition(n + 1);
            Guarded<T> a(n + 1), b(n + 1), out(n);
            for (size_t i = 0; i <= n; ++i) {
                condition[i] = static_cast<C>(i * 5 % 3);
                a[i] = static_cast<T>(i + 1);
                b[i] = static_cast<T>(-static_cast<int>(i) - 1);
            }
            kernel(out.data(), condition.data(), a.data(), b.data(), n, steps);
            ASSERT_TRUE(out.intact());
            for (size_t i = 0; i < n; ++i)
                ASSERT_EQ(out[i], condition[i * steps[0]] != 0 ? a[i * steps[1]] : b[i * steps[2]]);
        }
    }
}

TEST(SelectKernel, EveryTypeStepAndLength) {
    for (Isa isa : cpu::availableIsas()) {
        const cpu::SelectKernels& k = cpu::selectKernels(isa);
        checkSelect<int32_t, int32_t>(k.bool32value32);
        checkSelect<int32_t, int16_t>(k.bool32value16);
        checkSelect<int32_t, int8_t>(k.bool32value8);
        checkSelect<uint8_t, int32_t>(k.bool8value32);
        checkSelect<uint8_t, int16_t>(k.bool8value16);
        checkSelect<uint8_t, int8_t>(k.bool8value8);
    }
}

TEST(CPUSelect, BroadcastCondition) {
    OpT op;
    op.type = OpType_Select;
    CpuRig rig(3);
    auto condition = makeTensor<int32_t>({3}, {1, 0, 7});
    auto a = makeTensor({3, 4}, randomFloats(12, 0, 1)), b = makeTensor<float>({}, {-2.0f}),
         out = makeTensor({3, 4}, halide_type_of<float>());
    ASSERT_EQ(NO_ERROR, rig.run(op, {makeView(condition, {3, 4}, 0, {1, 0}), a, b}, {out}));
    for (int i = 0; i < 12; ++i) EXPECT_EQ(out->host<float>()[i], i / 4 == 1 ? -2.0f : a->host<float>()[i]);
    EXPECT_EQ(NOT_SUPPORT, rig.run(op, {a, a, a}, {out}));
}

template <typename S, typename T>
std::vector<T> cast(Isa isa, ElementType from, ElementType to, const std::vector<S>& x, bool toBool = false) {
    std::vector<T> y(x.size());
    const auto& table = toBool ? cpu::castKernels(isa).toBool : cpu::castKernels(isa).to;
    table[static_cast<int>(from)][static_cast<int>(to)](y.data(), x.data(), x.size());
    return y;
}

TEST(CastKernel, FloatToIntegersSaturates) {
    const std::vector<float> x = {0.0f,           0.9f,    -0.9f,  1.5f,   -1.5f, 127.9f,        128.0f,
                                  -128.9f,        -129.0f, 255.5f, 256.0f, -1.0f, 2147483520.0f, 2147483648.0f,
                                  -2147483648.0f, -4e9f,   kInf,   -kInf,  kNaN};
    for (Isa isa : cpu::availableIsas()) {
        EXPECT_EQ((cast<float, int32_t>(isa, ElementType::F32, ElementType::I32, x)),
                  (std::vector<int32_t>{0, 0, 0, 1, -1, 127, 128, -128, -129, 255, 256, -1, 2147483520, INT32_MAX,
                                        INT32_MIN, INT32_MIN, INT32_MAX, INT32_MIN, 0}));
        EXPECT_EQ((cast<float, uint8_t>(isa, ElementType::F32, ElementType::U8, x)),
                  (std::vector<uint8_t>{0, 0, 0, 1, 0, 127, 128, 0, 0, 255, 255, 0, 255, 255, 0, 0, 255, 0, 0}));
        EXPECT_EQ((cast<float, int8_t>(isa, ElementType::F32, ElementType::I8, x)),
                  (std::vector<int8_t>{0, 0, 0, 1, -1, 127, 127, -128, -128, 127, 127, -1, 127, 127, -128, -128, 127,
                                       -128, 0}));
        EXPECT_EQ(
            (cast<float, int32_t>(isa, ElementType::F32, ElementType::I32, {0.0f, -0.0f, 0.25f, kNaN, -3.0f}, true)),
            (std::vector<int32_t>{0, 0, 1, 1, 1}));
        EXPECT_EQ((cast<int32_t, uint8_t>(isa, ElementType::I32, ElementType::U8, {-1, 256, 257, 5})),
                  (std::vector<uint8_t>{255, 0, 1, 5}));
        EXPECT_EQ((cast<int32_t, uint8_t>(isa, ElementType::I32, ElementType::U8, {-1, 256, 0}, true)),
                  (std::vector<uint8_t>{1, 1, 0}));
        EXPECT_EQ((cast<uint8_t, float>(isa, ElementType::U8, ElementType::F32, {0, 255})),
                  (std::vector<float>{0.0f, 255.0f}));
    }
}

TEST(CastKernel, Halves) {
    const Isa isa = cpu::availableIsas().front();
    // Every half survives the way through float.
    std::vector<uint16_t> all;
    for (uint32_t i = 0; i < 65536; ++i) {
        if ((i & 0x7FFF) <= 0x7C00) all.push_back(static_cast<uint16_t>(i));
    }
    const auto floats = cast<uint16_t, float>(isa, ElementType::F16, ElementType::F32, all);
    EXPECT_EQ((cast<float, uint16_t>(isa, ElementType::F32, ElementType::F16, floats)), all);
    const auto known = cast<float, uint16_t>(
        isa, ElementType::F32, ElementType::F16,
        {1.0f, 65504.0f, 65519.0f, 65520.0f, 5.9604645e-8f, 2.9802322e-8f, 1.00048828125f, 1.00146484375f});
    EXPECT_EQ(known, (std::vector<uint16_t>{0x3C00, 0x7BFF, 0x7BFF, 0x7C00, 1, 0, 0x3C00, 0x3C02}));
    EXPECT_TRUE(
        std::isnan((cast<uint16_t, float>(isa, ElementType::F16, ElementType::F32,
                                          cast<float, uint16_t>(isa, ElementType::F32, ElementType::F16, {kNaN})))[0]));
    EXPECT_EQ((cast<float, uint16_t>(isa, ElementType::F32, ElementType::BF16,
                                     {1.0f, 1.00390625f, 1.01171875f, -2.0f, kInf})),
              (std::vector<uint16_t>{0x3F80, 0x3F80, 0x3F82, 0xC000, 0x7F80}));
}

TEST(CastKernel, EveryLength) {
    for (Isa isa : cpu::availableIsas()) {
        for (size_t n : edgeLengths()) {
            Guarded<float> x(n), back(n, kNaN);
            Guarded<int32_t> y(n);
            for (size_t i = 0; i < n; ++i) x[i] = 1.5f * static_cast<float>(i) - 20;
            const auto& to = cpu::castKernels(isa).to;
            to[static_cast<int>(ElementType::F32)][static_cast<int>(ElementType::I32)](y.data(), x.data(), n);
            to[static_cast<int>(ElementType::I32)][static_cast<int>(ElementType::F32)](back.data(), y.data(), n);
            ASSERT_TRUE(y.intact() && back.intact());
            for (size_t i = 0; i < n; ++i) ASSERT_EQ(back[i], std::trunc(x[i]));
        }
    }
}

TEST(CPUCast, ViewsAndBools) {
    OpT op;
    op.type = OpType_Cast;
    op.main.type = OpParameter_CastParam;
    auto* param = new CastParamT;
    param->srcT = DataType_DT_FLOAT;
    param->dstT = DataType_DT_BOOL;
    op.main.value = param;
    CpuRig rig(1);
    auto x = makeTensor<float>({2, 3}, {0, 2, 0.5f, -1, 0, 0});
    auto out = makeTensor({3, 2}, halide_type_of<int32_t>());
    ASSERT_EQ(NO_ERROR, rig.run(op, {makeView(x, {3, 2}, 0, {1, 3})}, {out}));
    EXPECT_EQ(valuesOf<int32_t>(out), (std::vector<int32_t>{0, 1, 1, 0, 1, 0}));
    param->dstT = DataType_DT_INT32;
    ASSERT_EQ(NO_ERROR, rig.run(op, {x}, {out}));
    EXPECT_EQ(valuesOf<int32_t>(out), (std::vector<int32_t>{0, 2, 0, -1, 0, 0}));
}

}  // namespace
}  // namespace MNN
