// Discrete Fourier transforms of any length, in double.
#ifndef MNN_CPU_KERNELS_FFT_HPP
#define MNN_CPU_KERNELS_FFT_HPP

#include <cstddef>
#include <memory>
#include <vector>

namespace MNN {
namespace cpu {

struct Complex {
    double re = 0.0, im = 0.0;
};
inline Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
inline Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
inline Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
inline Complex conjugate(Complex a) { return {a.re, -a.im}; }

class Fft {
public:
    // n > 0. Small prime factors are split off one by one; a length with a large one becomes a convolution of a power
    // of two.
    explicit Fft(int n);
    int length() const { return mLength; }
    // out[k] = sum over j of in[j] * e^(-2 pi i jk / n). in and out differ; scratch has scratchSize() elements.
    void forward(const Complex* in, Complex* out, Complex* scratch) const;
    // The same with +2 pi i, divided by n. Overwrites in.
    void inverse(Complex* in, Complex* out, Complex* scratch) const;
    size_t scratchSize() const;

private:
    void split(const Complex* in, Complex* out, int n, int inStep, size_t factor) const;
    void convolve(const Complex* in, Complex* out, Complex* scratch) const;

    int mLength;
    std::vector<int> mFactors;
    std::vector<Complex> mTurns;  // e^(-2 pi i j / n)
    // Bluestein's chirp e^(-pi i j^2 / n), and the transform of its conjugate, padded.
    std::vector<Complex> mChirp, mChirpTransform;
    std::unique_ptr<Fft> mPadded;
};

}  // namespace cpu
}  // namespace MNN
#endif
