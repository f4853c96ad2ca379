#include "CpuTestTools.hpp"
#include "backend/cpu/kernels/ArgReduce.hpp"
#include "backend/cpu/kernels/Reduce.hpp"

namespace MNN {
namespace {

using namespace test;
using cpu::Isa;
using cpu::ReduceKind;

template <typename T>
double reduceReference(ReduceKind kind, const std::vector<T>& x) {
    double acc = kind == ReduceKind::Max                               ? -INFINITY
                 : kind == ReduceKind::Min                             ? INFINITY
                 : kind == ReduceKind::Prod || kind == ReduceKind::All ? 1
                                                                       : 0;
    for (T value : x) {
        const double v = static_cast<double>(value);
        switch (kind) {
            case ReduceKind::AbsSum:
                acc += std::fabs(v);
                break;
            case ReduceKind::SquareSum:
                acc += v * v;
                break;
            case ReduceKind::Max:
                acc = std::isnan(v) || std::isnan(acc) ? kNaN : std::max(acc, v);
                break;
            case ReduceKind::Min:
                acc = std::isnan(v) || std::isnan(acc) ? kNaN : std::min(acc, v);
                break;
            case ReduceKind::Prod:
                acc *= v;
                break;
            case ReduceKind::Any:
                acc = acc != 0 || v != 0;
                break;
            case ReduceKind::All:
                acc = acc != 0 && v != 0;
                break;
            default:
                acc += v;
                break;
        }
    }
    return kind == ReduceKind::Mean ? acc / static_cast<double>(x.size()) : acc;
}

TEST(ReduceKernel, RowsAndColumnsOfEveryLength) {
    for (Isa isa : cpu::availableIsas()) {
        const cpu::ReduceKernels& kernels = cpu::reduceKernels(isa);
        for (int k = 0; k < cpu::kReduceKinds; ++k) {
            const auto kind = static_cast<ReduceKind>(k);
            for (size_t n : {0, 1, 3, 4, 7, 8, 15, 16, 17, 35, 67, 300, 1100}) {
                const std::vector<float> x = randomFloats(n, 0.5f, 1.5f, static_cast<uint32_t>(n + 1));
                const double got = cpu::reduceFinish(kind, kernels.rowF32[k](x.data(), n), static_cast<int64_t>(n));
                const double want = reduceReference(kind, x);
                EXPECT_TRUE((std::isnan(want) && std::isnan(got)) || got == want ||
                            std::fabs(got - want) <= 2e-7 * std::fabs(want))
                    << cpu::isaName(isa) << " kind " << k << " n " << n << ": " << got << ", want " << want;
            }
            for (size_t cols : {1, 3, 4, 5, 8, 9, 16, 17, 35}) {
                for (size_t rows : {0, 1, 2, 33, 70}) {
                    const std::vector<float> x =
                        randomFloats((rows + 1) * (cols + 3), 0.5f, 1.5f, static_cast<uint32_t>(rows));
                    std::vector<double> acc(cols, cpu::reduceIdentity<double>(kind));
                    kernels.columnsF32[k](acc.data(), x.data() + 1, static_cast<int64_t>(cols + 3), rows, cols);
                    for (size_t c = 0; c < cols; ++c) {
                        std::vector<float> column;
                        for (size_t r = 0; r < rows; ++r) column.push_back(x[1 + r * (cols + 3) + c]);
                        const double want = reduceReference(kind == ReduceKind::Mean ? ReduceKind::Sum : kind, column);
                        ASSERT_TRUE(acc[c] == want || std::fabs(acc[c] - want) <= 4e-7 * std::fabs(want))
                            << cpu::isaName(isa) << " kind " << k;
                    }
                }
            }
        }
    }
}

TEST(ReduceKernel, MillionElementMeanIsExactEnough) {
    const std::vector<float> x = randomFloats(1 << 20, 0, 1);
    const std::vector<float> same(1 << 20, 300.1f);
    for (Isa isa : cpu::availableIsas()) {
        const auto mean = [&](const std::vector<float>& v) {
            return static_cast<float>(
                cpu::reduceKernels(isa).rowF32[static_cast<int>(ReduceKind::Mean)](v.data(), v.size()) /
                static_cast<double>(v.size()));
        };
        EXPECT_LE(ulpError(mean(x), reduceReference(ReduceKind::Mean, x)), 1);
        EXPECT_LE(ulpError(mean(same), 300.1f), 2);
    }
}

OpT reductionOp(ReductionType kind) {
    OpT op;
    op.type = OpType_Reduction;
    op.main.type = OpParameter_ReductionParam;
    auto* param = new ReductionParamT;
    param->operation = kind;
    param->dim = {1};
    op.main.value = param;
    return op;
}

template <typename T>
void checkReduction(CpuRig& rig, ReductionType kind, int outside, int axis, int inside) {
    std::vector<T> x;
    for (float v : randomFloats(static_cast<size_t>(outside) * axis * inside, -4, 4)) x.push_back(static_cast<T>(v));
    std::shared_ptr<Tensor> out = makeTensor({outside, 1, inside}, halide_type_of<T>());
    ASSERT_EQ(NO_ERROR, rig.run(reductionOp(kind), {makeTensor({outside, axis, inside}, x)}, {out}));
    for (int o = 0; o < outside; ++o) {
        for (int i = 0; i < inside; ++i) {
            std::vector<T> row;
            double magnitude = 1;
            for (int a = 0; a < axis; ++a)
                row.push_back(x[(static_cast<size_t>(o) * axis + a) * inside + i]), magnitude += 16;
            double want = reduceReference(static_cast<ReduceKind>(kind), row);
            const T got = out->host<T>()[o * inside + i];
            if (std::is_same<T, int32_t>::value) {
                if (kind == ReductionType_MEAN) want = std::trunc(want);
                if (kind == ReductionType_PROD && std::fabs(want) > 2e9) continue;
                ASSERT_EQ(got, static_cast<T>(want)) << "kind " << kind;
            } else if (got != static_cast<float>(want)) {
                ASSERT_NEAR(got, static_cast<float>(want), 1e-7 * magnitude + 1e-6 * std::fabs(want))
                    << "kind " << kind << " " << outside << " " << axis << " " << inside;
            }
        }
    }
}

TEST(CPUReduction, ShapesKindsAndThreads) {
    for (int threads : {1, 3}) {
        CpuRig rig(threads);
        for (int kind = 0; kind < cpu::kReduceKinds; ++kind) {
            for (const std::vector<int>& s : std::vector<std::vector<int>>{
                     {1, 1, 1}, {2, 7, 1}, {3, 5, 4}, {1, 9, 300}, {70, 33, 17}, {2, 3000, 1}, {0, 3, 2}, {2, 3, 0}}) {
                checkReduction<float>(rig, static_cast<ReductionType>(kind), s[0], s[1], s[2]);
                checkReduction<int32_t>(rig, static_cast<ReductionType>(kind), s[0], s[1], s[2]);
            }
        }
        // Cut along the axis, by rows and by columns.
        checkReduction<float>(rig, ReductionType_SUM, 1, 300000, 1);
        checkReduction<float>(rig, ReductionType_MAXIMUM, 1, 100000, 3);
        checkReduction<int32_t>(rig, ReductionType_SUM, 2, 100000, 2);
    }
}

TEST(CPUReduction, EmptyAxisGivesTheIdentity) {
    CpuRig rig(1);
    const auto of = [&](ReductionType kind) {
        auto out = makeTensor({1, 1, 1}, halide_type_of<float>());
        EXPECT_EQ(NO_ERROR, rig.run(reductionOp(kind), {makeTensor({1, 0, 1}, halide_type_of<float>())}, {out}));
        return out->host<float>()[0];
    };
    EXPECT_EQ(0.0f, of(ReductionType_SUM));
    EXPECT_EQ(1.0f, of(ReductionType_PROD));
    EXPECT_EQ(-kInf, of(ReductionType_MAXIMUM));
    EXPECT_EQ(kInf, of(ReductionType_MINIMUM));
    EXPECT_TRUE(std::isnan(of(ReductionType_MEAN)));
    auto ints = makeTensor({1, 1, 1}, halide_type_of<int32_t>());
    EXPECT_EQ(NO_ERROR,
              rig.run(reductionOp(ReductionType_MAXIMUM), {makeTensor({1, 0, 1}, halide_type_of<int32_t>())}, {ints}));
    EXPECT_EQ(INT32_MIN, ints->host<int32_t>()[0]);
}

TEST(CPUReduction, ReadsViews) {
    CpuRig rig(3);
    const std::vector<float> x = randomFloats(6 * 40 * 5, -1, 1);
    auto origin = makeTensor({6, 40, 5}, x);
    // Strides that make the axis the outermost, and the middle dimension, of the origin.
    const std::vector<std::vector<int64_t>> strides = {{5, 200, 1}, {1, 5, 200}, {200, 1, 5}};
    const std::vector<std::vector<int>> shapes = {{40, 6, 5}, {5, 40, 6}, {6, 5, 40}};
    for (size_t v = 0; v < strides.size(); ++v) {
        const auto& s = shapes[v];
        auto out = makeTensor({s[0], 1, s[2]}, halide_type_of<float>());
        ASSERT_EQ(NO_ERROR, rig.run(reductionOp(ReductionType_SUM), {makeView(origin, s, 0, strides[v])}, {out}));
        for (int o = 0; o < s[0]; ++o) {
            for (int i = 0; i < s[2]; ++i) {
                double want = 0;
                for (int a = 0; a < s[1]; ++a) want += x[o * strides[v][0] + a * strides[v][1] + i * strides[v][2]];
                ASSERT_NEAR(out->host<float>()[o * s[2] + i], want, 1e-5);
            }
        }
    }
}

OpT argOp(OpType type, int axis) {
    OpT op;
    op.type = type;
    op.main.type = OpParameter_ArgMax;
    auto* param = new ArgMaxT;
    param->axis = axis;
    param->topK = 1;
    op.main.value = param;
    return op;
}

TEST(CPUArgReduce, FirstIndexAlongAnyAxis) {
    for (int threads : {1, 3}) {
        CpuRig rig(threads);
        for (OpType type : {OpType_ArgMax, OpType_ArgMin}) {
            for (int axis : {0, 1, 2, -1}) {
                const std::vector<int> shape = {3, 70, 300};
                std::vector<float> x = randomFloats(3 * 70 * 300, -4, 4);
                for (float& v : x) v = std::round(v);  // ties
                const int at = axis < 0 ? axis + 3 : axis;
                std::vector<int> outShape = shape;
                outShape[at] = 1;
                auto out = makeTensor(outShape, halide_type_of<int32_t>());
                ASSERT_EQ(NO_ERROR, rig.run(argOp(type, axis), {makeTensor(shape, x)}, {out}));
                int inside = 1;
                for (int d = at + 1; d < 3; ++d) inside *= shape[d];
                const int results = 3 * 70 * 300 / shape[at];
                for (int r = 0; r < results; ++r) {
                    const float* from = x.data() + r / inside * shape[at] * inside + r % inside;
                    int want = 0;
                    for (int a = 1; a < shape[at]; ++a) {
                        if (type == OpType_ArgMax ? from[a * inside] > from[want * inside]
                                                  : from[a * inside] < from[want * inside])
                            want = a;
                    }
                    ASSERT_EQ(out->host<int32_t>()[r], want);
                }
            }
        }
    }
    for (Isa isa : cpu::availableIsas()) {
        const float x[] = {1, kNaN, 5, kNaN};
        EXPECT_EQ(1u, cpu::argRow(isa, x, 4, false));
        EXPECT_EQ(1u, cpu::argRow(isa, x, 4, true));
        const float infinite[] = {-kInf, -kInf};
        EXPECT_EQ(0u, cpu::argRow(isa, infinite, 2, false));
    }
}

TEST(CPUArgReduce, RefusesNothingToSearch) {
    CpuRig rig(1);
    EXPECT_EQ(INPUT_DATA_ERROR, rig.run(argOp(OpType_ArgMax, 1), {makeTensor({2, 0}, halide_type_of<float>())},
                                        {makeTensor({2}, halide_type_of<int32_t>())}));
    EXPECT_EQ(INPUT_DATA_ERROR, rig.run(argOp(OpType_ArgMax, 2), {makeTensor({2, 3}, halide_type_of<float>())},
                                        {makeTensor({2}, halide_type_of<int32_t>())}));
}

OpT cumSumOp(bool exclusive, bool reverse) {
    OpT op;
    op.type = OpType_CumSum;
    op.main.type = OpParameter_CumSum;
    auto* param = new CumSumT;
    param->exclusive = exclusive;
    param->reverse = reverse;
    op.main.value = param;
    return op;
}

TEST(CPUCumulate, SumsAndProducts) {
    for (int threads : {1, 3}) {
        CpuRig rig(threads);
        const std::vector<int> shape = {2, 5, 300};
        std::vector<int32_t> x(2 * 5 * 300);
        for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int32_t>(i % 11) - 3;
        for (int mode = 0; mode < 12; ++mode) {
            const bool exclusive = (mode & 1) != 0, reverse = (mode & 2) != 0;
            const int axis = mode / 4, inside = axis == 0 ? 1500 : axis == 1 ? 300 : 1;
            auto out = makeTensor(shape, halide_type_of<int32_t>());
            ASSERT_EQ(NO_ERROR, rig.run(cumSumOp(exclusive, reverse),
                                        {makeTensor(shape, x), makeTensor<int32_t>({}, {axis - 3})}, {out}));
            for (size_t i = 0; i < x.size(); ++i) {
                const int n = shape[axis], place = static_cast<int>(i) / inside % n;
                const size_t first = i - static_cast<size_t>(place) * inside;
                int32_t want = 0;
                for (int a = 0; a < n; ++a) {
                    const bool taken = (reverse ? a > place : a < place) || (!exclusive && a == place);
                    if (taken) want += x[first + static_cast<size_t>(a) * inside];
                }
                ASSERT_EQ(out->host<int32_t>()[i], want) << "mode " << mode;
            }
        }
        OpT product;
        product.type = OpType_CumProd;
        product.main.type = OpParameter_Axis;
        auto* param = new AxisT;
        param->axis = 0;
        product.main.value = param;
        auto out = makeTensor({4}, halide_type_of<float>());
        ASSERT_EQ(NO_ERROR, rig.run(product, {makeTensor<float>({4}, {2, 3, -1, 0.5f})}, {out}));
        EXPECT_EQ(valuesOf<float>(out), (std::vector<float>{2, 6, -6, -3}));
    }
}

}  // namespace
}  // namespace MNN
