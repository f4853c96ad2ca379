// The fp32 product on every target of this machine, against double precision.
#include "backend/cpu/kernels/MatMul.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace MNN::cpu;

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

struct Case {
    int m, n, k;
    bool transposeA, transposeB, packed, bias, clamp;
};

// Matrices lie in larger, NaN-filled buffers, so a read past an edge shows in the result and a write past one in the
// guard.
struct Matrix {
    std::vector<float> values;
    ptrdiff_t row, column, start;

    Matrix(int rows, int columns, bool transposed, std::mt19937& random) {
        const int pad = 3;
        const int inner = (transposed ? rows : columns) + pad, outer = transposed ? columns : rows;
        row = transposed ? 1 : inner;
        column = transposed ? inner : 1;
        start = pad;
        values.assign(static_cast<size_t>(inner) * outer + 2 * pad, kNaN);
        std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
        for (int r = 0; r < rows; ++r) {
            for (int c = 0; c < columns; ++c) values[start + r * row + c * column] = uniform(random);
        }
    }
    const float* data() const { return values.data() + start; }
    float at(int r, int c) const { return values[start + r * row + c * column]; }
};

std::vector<float> multiply(const GemmKernels& kernels, const Case& x, const Matrix& a, const Matrix& b,
                            const float* bias, const Clamp& clamp, ptrdiff_t cRow, int threads) {
    MatMulShape shape;
    shape.m = x.m, shape.n = x.n, shape.k = x.k;
    shape.aRow = a.row, shape.aColumn = a.column;
    shape.bRow = b.row, shape.bColumn = b.column;
    shape.cRow = cRow;
    shape.bPacked = x.packed;
    std::vector<float> panels(packedBFloats(kernels, x.n, x.k));
    packMatMulB(kernels, panels.data(), b.data(), b.row, b.column, x.n, x.k, 0,
                (x.n + kernels.panel - 1) / kernels.panel);
    MatMulPlan plan;
    plan.prepare(kernels, shape, 1, threads);
    std::vector<float> c(static_cast<size_t>(x.m) * cRow + 8, kNaN);
    for (int task = 0; task < plan.tasks(); ++task) {
        std::vector<float> scratch(plan.scratchFloats(), kNaN);
        plan.run(task, a.data(), x.packed ? panels.data() : b.data(), bias, clamp, c.data(), scratch.data());
    }
    return c;
}

void check(Isa isa, const Case& x, uint32_t seed) {
    std::mt19937 random(seed);
    const Matrix a(x.m, x.k, x.transposeA, random), b(x.k, x.n, x.transposeB, random);
    std::vector<float> bias(x.n);
    for (float& v : bias) v = std::uniform_real_distribution<float>(-1, 1)(random);
    Clamp clamp;
    if (x.clamp) clamp = {true, 0.0f, 1.5f};
    const ptrdiff_t cRow = x.n + 2;
    const int threads = seed % 2 == 0 ? 1 : 3;
    const std::vector<float> c =
        multiply(gemmKernels(isa), x, a, b, x.bias ? bias.data() : nullptr, clamp, cRow, threads);
    for (int m = 0; m < x.m; ++m) {
        for (int n = 0; n < x.n; ++n) {
            double want = x.bias ? bias[n] : 0.0;
            for (int k = 0; k < x.k; ++k) want += static_cast<double>(a.at(m, k)) * b.at(k, n);
            if (x.clamp) want = std::min(1.5, std::max(0.0, want));
            ASSERT_NEAR(c[m * cRow + n], want, 1e-5 * (1 + std::sqrt(x.k) * 4))
                << isaName(isa) << " m=" << x.m << " n=" << x.n << " k=" << x.k << " transposed " << x.transposeA
                << x.transposeB << " packed " << x.packed << " threads " << threads << " at " << m << "," << n;
        }
        for (ptrdiff_t n = x.n; n < cRow; ++n) ASSERT_TRUE(std::isnan(c[m * cRow + n])) << "written past a row";
    }
    for (size_t i = static_cast<size_t>(x.m) * cRow; i < c.size(); ++i)
        ASSERT_TRUE(std::isnan(c[i])) << "written past C";
}

TEST(MatMulKernel, EdgesOfTilesAndPanels) {
    uint32_t seed = 1;
    for (Isa isa : availableIsas()) {
        const GemmKernels& kernels = gemmKernels(isa);
        const int lanes = kernels.lanes, rows = kernels.tileRows[0];
        for (int m : {1, 2, 3, rows - 1, rows, rows + 1, 2 * rows + 5}) {
            for (int n : {1, 4, 5, lanes - 1, lanes, lanes + 1, 2 * lanes, 2 * lanes + 1, 5 * lanes + 3}) {
                for (int k : {1, 4, 19}) {
                    if (n < 1) continue;
                    ++seed;
                    check(
                        isa,
                        {m, n, k, (seed & 1) != 0, (seed & 2) != 0, (seed & 4) != 0, (seed & 8) != 0, (seed & 16) != 0},
                        seed);
                    if (HasFatalFailure()) return;
                }
            }
        }
    }
}

TEST(MatMulKernel, EveryLayoutOfRandomShapes) {
    std::mt19937 random(7);
    for (Isa isa : availableIsas()) {
        for (uint32_t i = 0; i < 64; ++i) {
            const Case x = {std::uniform_int_distribution<int>(1, 70)(random),
                            std::uniform_int_distribution<int>(1, 90)(random),
                            std::uniform_int_distribution<int>(0, 60)(random),
                            (i & 1) != 0,
                            (i & 2) != 0,
                            (i & 4) != 0,
                            (i & 8) != 0,
                            (i & 16) != 0};
            check(isa, x, i);
            if (HasFatalFailure()) return;
        }
    }
}

TEST(MatMulKernel, BlocksOfKAndRowsAndColumns) {
    for (Isa isa : availableIsas()) {
        for (uint32_t i = 0; i < 4; ++i) {
            check(isa, {310, 45, 531, (i & 1) != 0, (i & 2) != 0, false, true, true}, i);
            check(isa, {31, 530, 790, (i & 1) != 0, (i & 2) != 0, (i & 1) == 0, true, false}, i);
            if (HasFatalFailure()) return;
        }
    }
}

}  // namespace
