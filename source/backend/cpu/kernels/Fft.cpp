#include "backend/cpu/kernels/Fft.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace MNN {
namespace cpu {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr int kLargestFactor = 31;

Complex turn(double part) { return {std::cos(2.0 * kPi * part), -std::sin(2.0 * kPi * part)}; }

}  // namespace

Fft::Fft(int n) : mLength(n) {
    int rest = n;
    while (rest % 4 == 0) mFactors.push_back(4), rest /= 4;
    for (int p = 2; p <= kLargestFactor && rest > 1; ++p) {
        while (rest % p == 0) mFactors.push_back(p), rest /= p;
    }
    if (rest == 1) {
        for (int j = 0; j < n; ++j) mTurns.push_back(turn(static_cast<double>(j) / n));
        return;
    }
    int padded = 1;
    while (padded < 2 * static_cast<int64_t>(n) - 1) padded *= 2;
    mPadded.reset(new Fft(padded));
    std::vector<Complex> filter(padded), scratch(mPadded->scratchSize());
    for (int64_t j = 0; j < n; ++j) {
        // The angle repeats after j^2 = 2n, which keeps it exact for long transforms.
        mChirp.push_back(turn(static_cast<double>(j * j % (2 * static_cast<int64_t>(n))) / (2.0 * n)));
        filter[j] = conjugate(mChirp.back());
        if (j > 0) filter[padded - j] = filter[j];
    }
    mChirpTransform.resize(padded);
    mPadded->forward(filter.data(), mChirpTransform.data(), scratch.data());
}

size_t Fft::scratchSize() const { return mPadded == nullptr ? 0 : 2 * static_cast<size_t>(mPadded->length()); }

void Fft::forward(const Complex* in, Complex* out, Complex* scratch) const {
    if (mPadded != nullptr) return convolve(in, out, scratch);
    split(in, out, mLength, 1, 0);
}

void Fft::inverse(Complex* in, Complex* out, Complex* scratch) const {
    for (int i = 0; i < mLength; ++i) in[i] = conjugate(in[i]);
    forward(in, out, scratch);
    for (int i = 0; i < mLength; ++i) out[i] = {out[i].re / mLength, -out[i].im / mLength};
}

// Cooley and Tukey: transforms of every p-th element, then p of their results at a time make p of ours.
void Fft::split(const Complex* in, Complex* out, int n, int inStep, size_t factor) const {
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    const int p = mFactors[factor], m = n / p, turnStep = mLength / n;
    for (int r = 0; r < p; ++r)
        split(in + static_cast<ptrdiff_t>(r) * inStep, out + static_cast<ptrdiff_t>(r) * m, m, inStep * p, factor + 1);
    Complex t[kLargestFactor];
    for (int k = 0; k < m; ++k) {
        for (int r = 0; r < p; ++r) t[r] = out[r * m + k] * mTurns[static_cast<size_t>(r) * k * turnStep];
        if (p == 2) {
            out[k] = t[0] + t[1];
            out[m + k] = t[0] - t[1];
        } else if (p == 4) {
            const Complex a = t[0] + t[2], b = t[0] - t[2], c = t[1] + t[3], d = t[1] - t[3];
            const Complex turned = {d.im, -d.re};
            out[k] = a + c, out[m + k] = b + turned, out[2 * m + k] = a - c, out[3 * m + k] = b - turned;
        } else {
            for (int q = 0; q < p; ++q) {
                Complex sum = t[0];
                for (int r = 1; r < p; ++r) sum = sum + t[r] * mTurns[static_cast<size_t>(r * q % p) * (mLength / p)];
                out[q * m + k] = sum;
            }
        }
    }
}

// Bluestein: jk = (j^2 + k^2 - (k - j)^2) / 2 turns the sum into a convolution with a chirp.
void Fft::convolve(const Complex* in, Complex* out, Complex* scratch) const {
    const int padded = mPadded->length();
    Complex* a = scratch;
    Complex* b = scratch + padded;
    for (int j = 0; j < mLength; ++j) a[j] = in[j] * mChirp[j];
    std::fill(a + mLength, a + padded, Complex());
    mPadded->forward(a, b, nullptr);
    for (int j = 0; j < padded; ++j) b[j] = b[j] * mChirpTransform[j];
    mPadded->inverse(b, a, nullptr);
    for (int k = 0; k < mLength; ++k) out[k] = a[k] * mChirp[k];
}

}  // namespace cpu
}  // namespace MNN
