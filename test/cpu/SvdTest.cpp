// Svd: the product of its outputs is the matrix, the directions are orthonormal, the values descend.
#include <algorithm>
#include <cmath>
#include "ExecutionHarness.hpp"

namespace MNN {
namespace {

using namespace harness;

// rows [n][length]: products of every two, 1 with itself and 0 with others.
void expectOrthonormal(const std::vector<float>& values, int n, int length, int rowStep, int step) {
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = 0;
            for (int k = 0; k < length; ++k)
                sum += double(values[i * rowStep + k * step]) * values[j * rowStep + k * step];
            ASSERT_NEAR(sum, i == j ? 1.0 : 0.0, 1e-5) << i << " with " << j;
        }
    }
}

std::vector<float> checkSvd(int m, int n, const std::vector<float>& a) {
    const int k = std::min(m, n);
    const auto type = halide_type_of<float>();
    const TensorPtr w = poisoned({k}, type), u = poisoned({m, k}, type), v = poisoned({k, n}, type);
    EXPECT_EQ(runOp(opOf(OpType_Svd), {tensorOf({m, n}, a)}, {w, u, v}), NO_ERROR);
    const std::vector<float> values = valuesIn<float>(w), left = valuesIn<float>(u), right = valuesIn<float>(v);
    EXPECT_TRUE(std::is_sorted(values.rbegin(), values.rend()));
    EXPECT_TRUE(k == 0 || values.back() >= 0.0f);
    expectOrthonormal(left, k, m, 1, k);
    expectOrthonormal(right, k, n, n, 1);
    const float scale = k == 0 ? 0.0f : values[0];
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int p = 0; p < k; ++p) sum += double(left[i * k + p]) * values[p] * right[p * n + j];
            EXPECT_NEAR(sum, a[i * n + j], 2e-6 * scale + 1e-30) << i << ", " << j << " of " << m << " x " << n;
        }
    }
    return values;
}

TEST(Svd, MultipliesBackToTheMatrix) {
    for (int m : {1, 2, 3, 5, 8, 17}) {
        for (int n : {1, 2, 4, 7, 16}) checkSvd(m, n, uniform(m * n, m * 31 + n));
    }
    checkSvd(60, 40, uniform(2400, 3));
}

TEST(Svd, KnowsTheValuesOfKnownMatrices) {
    EXPECT_EQ(checkSvd(2, 2, {0, -3, 2, 0}), (std::vector<float>{3, 2}));
    EXPECT_EQ(checkSvd(3, 2, {0, 0, 0, 4, 3, 0}), (std::vector<float>{4, 3}));
    EXPECT_EQ(checkSvd(1, 2, {3, 4}), (std::vector<float>{5}));
}

TEST(Svd, CompletesTheDirectionsOfSingularMatrices) {
    EXPECT_EQ(checkSvd(3, 3, std::vector<float>(9, 0.0f)), (std::vector<float>{0, 0, 0}));
    const std::vector<float> values = checkSvd(4, 3, {1, 2, 3, 2, 4, 6, -1, -2, -3, 0.5f, 1, 1.5f});
    EXPECT_NEAR(values[0], std::sqrt(14.0 * 6.25), 1e-5);
    EXPECT_EQ(values[1], 0.0f);
    checkSvd(3, 5, {1, 0, 0, 0, 1, 2, 0, 0, 0, 2, 0, 0, 0, 0, 0});
    checkSvd(6, 6, std::vector<float>(36, 1.0f));
}

TEST(Svd, KeepsLargeAndSmallMatrices) {
    for (float scale : {1e-12f, 1e12f}) {
        std::vector<float> a = uniform(20, 5);
        for (float& x : a) x *= scale;
        checkSvd(5, 4, a);
    }
}

TEST(Svd, RefusesWhatIsNoMatrix) {
    const TensorPtr x = tensorOf({2, 2, 2}, uniform(8, 1)), y = poisoned({2}, halide_type_of<float>());
    EXPECT_EQ(runOp(opOf(OpType_Svd), {x}, {y, y, y}), NO_EXECUTION);
}

}  // namespace
}  // namespace MNN
