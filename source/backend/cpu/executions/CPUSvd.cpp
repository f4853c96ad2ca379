// Svd of one matrix by one-sided Jacobi rotations (Hestenes 1958): rows are turned against each other until every two
// are orthogonal; their lengths are the singular values.
#include <algorithm>
#include <cmath>
#include <numeric>
#include "backend/cpu/executions/FloatScratch.hpp"
#include "backend/cpu/executions/PlainTensors.hpp"

namespace MNN {
namespace {

double dot(const double* a, const double* b, int64_t n) {
    double sum = 0.0;
    for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

void turn(double* a, double* b, int64_t n, double c, double s) {
    for (int64_t i = 0; i < n; ++i) {
        const double x = a[i], y = b[i];
        a[i] = c * x - s * y;
        b[i] = s * x + c * y;
    }
}

// Makes the k rows of b orthogonal; the same rotations turn the k rows of w.
void orthogonalise(double* b, int64_t k, int64_t length, double* w) {
    constexpr int kSweeps = 60;  // convergence is quadratic: a handful is the rule
    constexpr double kSmall = 1e-14;
    bool turned = true;
    for (int sweep = 0; sweep < kSweeps && turned; ++sweep) {
        turned = false;
        for (int64_t p = 0; p < k; ++p) {
            for (int64_t q = p + 1; q < k; ++q) {
                double *x = b + p * length, *y = b + q * length;
                const double xx = dot(x, x, length), yy = dot(y, y, length), xy = dot(x, y, length);
                if (!(std::fabs(xy) > kSmall * std::sqrt(xx * yy))) continue;
                const double zeta = (yy - xx) / (2.0 * xy);
                const double t = (zeta < 0 ? -1.0 : 1.0) / (std::fabs(zeta) + std::sqrt(1.0 + zeta * zeta));
                const double c = 1.0 / std::sqrt(1.0 + t * t);
                turn(x, y, length, c, c * t);
                turn(w + p * k, w + q * k, k, c, c * t);
                turned = true;
            }
        }
    }
}

// Row `index` of b has no direction of its own: gives it one orthogonal to the rows in order[0, before).
void complete(double* b, const int* order, int64_t before, int64_t index, int64_t length) {
    double* row = b + index * length;
    for (int64_t axis = 0; axis < length; ++axis) {
        std::fill(row, row + length, 0.0);
        row[axis] = 1.0;
        for (int pass = 0; pass < 2; ++pass) {
            for (int64_t i = 0; i < before; ++i) {
                const double* other = b + order[i] * length;
                const double along = dot(row, other, length);
                for (int64_t j = 0; j < length; ++j) row[j] -= along * other[j];
            }
        }
        const double size = std::sqrt(dot(row, row, length));
        // One of the axes is at least this far from the span of fewer than `length` rows.
        if (size * size * static_cast<double>(length) < 0.5) continue;
        for (int64_t j = 0; j < length; ++j) row[j] /= size;
        return;
    }
}

// In: a [m, n]. Out: w [k], descending, u [m, k], v [k, n] with k the lesser of m and n: a = u * diag(w) * v.
class CPUSvd final : public Execution {
public:
    explicit CPUSvd(CPUBackend* backend) : Execution(backend), mCPU(backend) {}

    ErrorCode onResize(const Tensors& inputs, const Tensors&) override {
        mRows = inputs[0]->length(0);
        mColumns = inputs[0]->length(1);
        mShort = std::min(mRows, mColumns);
        mLong = std::max(mRows, mColumns);
        mOrder.resize(static_cast<size_t>(mShort));
        // Doubles: the matrix with its shorter side as rows, their rotations, their lengths.
        const ErrorCode code = mScratch.acquire(mCPU, 2 * mShort * (mLong + mShort + 1));
        mScratch.release(mCPU);
        return code;
    }

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        auto* b = reinterpret_cast<double*>(mScratch.data());
        double* w = b + mShort * mLong;
        double* values = w + mShort * mShort;
        const bool tall = mRows >= mColumns;
        const float* a = inputs[0]->host<float>();
        for (int64_t i = 0; i < mShort; ++i) {
            for (int64_t j = 0; j < mLong; ++j) b[i * mLong + j] = tall ? a[j * mColumns + i] : a[i * mColumns + j];
            std::fill(w + i * mShort, w + (i + 1) * mShort, 0.0);
            w[i * mShort + i] = 1.0;
        }
        orthogonalise(b, mShort, mLong, w);
        scaleRows(b, values);
        float* outW = outputs[0]->host<float>();
        float *outU = outputs[1]->host<float>(), *outV = outputs[2]->host<float>();
        // Rows of b are w's columns times a's rows: the long directions are u's when the matrix is tall, else v's.
        for (int64_t i = 0; i < mShort; ++i) {
            const double* longer = b + mOrder[i] * mLong;
            const double* shorter = w + mOrder[i] * mShort;
            outW[i] = static_cast<float>(values[mOrder[i]]);
            for (int64_t j = 0; j < mRows; ++j) outU[j * mShort + i] = static_cast<float>((tall ? longer : shorter)[j]);
            for (int64_t j = 0; j < mColumns; ++j)
                outV[i * mColumns + j] = static_cast<float>((tall ? shorter : longer)[j]);
        }
        return NO_ERROR;
    }

private:
    // Takes the lengths out of the rows and orders them, longest first.
    void scaleRows(double* b, double* values) {
        for (int64_t i = 0; i < mShort; ++i) values[i] = std::sqrt(dot(b + i * mLong, b + i * mLong, mLong));
        std::iota(mOrder.begin(), mOrder.end(), 0);
        std::sort(mOrder.begin(), mOrder.end(), [values](int x, int y) {
            // NaN last; the order must be strict whatever the values.
            const bool goodX = values[x] == values[x], goodY = values[y] == values[y];
            if (goodX != goodY) return goodX;
            return goodX && values[x] != values[y] ? values[x] > values[y] : x < y;
        });
        // Rotations leave rounding noise where a value is zero.
        const double least = mShort == 0 ? 0.0 : values[mOrder[0]] * 1e-13;
        for (int64_t i = 0; i < mShort; ++i) {
            double& value = values[mOrder[i]];
            double* row = b + mOrder[i] * mLong;
            if (value <= least) {
                value = 0.0;
                complete(b, mOrder.data(), i, mOrder[i], mLong);
            } else {
                for (int64_t j = 0; j < mLong; ++j) row[j] /= value;
            }
        }
    }

    CPUBackend* mCPU;
    int64_t mRows = 0, mColumns = 0, mShort = 0, mLong = 0;
    FloatScratch mScratch;
    std::vector<int> mOrder;
};

}  // namespace

Execution* createCPUSvd(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const bool good = inputs.size() == 1 && outputs.size() == 3 && isFloat32(inputs[0]) && inputs[0]->dimensions() == 2;
    if (!good) return refuse(op, inputs, outputs, "needs one matrix of float32, and three outputs");
    return new CPUSvd(backend);
}

}  // namespace MNN
