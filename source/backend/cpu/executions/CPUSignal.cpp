// Fourier transforms: Extra DFT and STFT (ONNX), and the Stft op, the magnitude or spectrum of a real signal's frames.
#include <algorithm>
#include <cmath>
#include "backend/cpu/executions/PlainTensors.hpp"
#include "backend/cpu/kernels/Fft.hpp"
#include "core/ExtraAttributes.hpp"

namespace MNN {
namespace {

using cpu::Complex;
using cpu::Fft;

// What each thread transforms in.
struct SignalRoom {
    std::vector<Complex> in, out, scratch;
};

std::vector<SignalRoom> roomsFor(const Fft& fft, int threads) {
    SignalRoom room;
    room.in.resize(static_cast<size_t>(fft.length()));
    room.out = room.in;
    room.scratch.resize(fft.scratchSize());
    return std::vector<SignalRoom>(static_cast<size_t>(threads), room);
}

// A transform longer than this is a mistake of a file.
constexpr int kLongest = 1 << 26;

// In: x [..., 1 or 2] [, length]. Out: [..., 2] with the axis transformed.
class CPUDft final : public Execution {
public:
    CPUDft(CPUBackend* backend, const Op* op)
        : Execution(backend),
          mCPU(backend),
          mAxis(static_cast<int>(extra::integer(op, "axis", -2))),
          mInverse(extra::integer(op, "inverse", 0) != 0),
          mHasLength(extra::integer(op, "has_length", 0) != 0),
          mName(opText(op)) {}

    ErrorCode onResize(const Tensors& inputs, const Tensors& outputs) override {
        const Tensor* x = inputs[0];
        const int rank = x->dimensions();
        const int64_t axis = wrapIndex(mAxis, rank);
        mEmpty = TensorUtils::elements(outputs[0]) == 0;
        if (axis < 0 || axis >= rank - 1) return fault(INVALID_VALUE, mName, inputs, "bad axis");
        mIn = splitAt(x, static_cast<int>(axis));
        mOut = splitAt(outputs[0], static_cast<int>(axis));
        mParts = x->length(rank - 1);
        const int length = mHasLength && inputs.size() > 1 ? integerAt(inputs[1], 0, 0) : static_cast<int>(mIn.axis);
        const bool good = length > 0 && length <= kLongest && (mParts == 1 || mParts == 2) &&
                          (mOut.axis == length || mOut.axis == length / 2 + 1) && outputs[0]->length(rank - 1) == 2 &&
                          mIn.outside == mOut.outside && mIn.inside / mParts == mOut.inside / 2;
        if (!good) return fault(INPUT_DATA_ERROR, mName, inputs, "the lengths do not fit");
        mFft.reset(new Fft(length));
        mRooms = roomsFor(*mFft, mCPU->threads());
        return NO_ERROR;
    }

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        if (mEmpty) return NO_ERROR;
        const int64_t columns = mIn.inside / mParts;
        const float* x = inputs[0]->host<float>();
        float* y = outputs[0]->host<float>();
        mCPU->parallelFor(static_cast<int>(mIn.outside * columns), [&](int line, int worker) {
            SignalRoom& room = mRooms[worker];
            const int64_t outer = line / columns, column = line % columns;
            for (int64_t i = 0; i < mFft->length(); ++i) {
                const float* from = x + ((outer * mIn.axis + i) * columns + column) * mParts;
                room.in[i] = i >= mIn.axis ? Complex() : Complex{from[0], mParts == 2 ? from[1] : 0.0f};
            }
            if (mInverse) {
                mFft->inverse(room.in.data(), room.out.data(), room.scratch.data());
            } else {
                mFft->forward(room.in.data(), room.out.data(), room.scratch.data());
            }
            for (int64_t i = 0; i < mOut.axis; ++i) {
                float* to = y + ((outer * mOut.axis + i) * columns + column) * 2;
                to[0] = static_cast<float>(room.out[i].re);
                to[1] = static_cast<float>(room.out[i].im);
            }
        });
        return NO_ERROR;
    }

private:
    CPUBackend* mCPU;
    int mAxis;
    bool mInverse, mHasLength;
    std::string mName;
    AxisSplit mIn, mOut;
    int64_t mParts = 1;
    bool mEmpty = false;
    std::unique_ptr<Fft> mFft;
    std::vector<SignalRoom> mRooms;
};

struct FrameParams {
    int step = 0, length = 0;  // 0: stated by inputs
    int stepInput = -1, windowInput = -1, lengthInput = -1;
    bool magnitude = false;
};

// In: signal [batch, samples(, 1 or 2)] or [samples]. Out: [batch, frames, bins, 2], or [batch, frames, bins] of
// magnitudes.
class CPUStft final : public Execution {
public:
    CPUStft(CPUBackend* backend, const FrameParams& params, std::string name)
        : Execution(backend), mCPU(backend), mParams(params), mName(std::move(name)) {}

    ErrorCode onResize(const Tensors& inputs, const Tensors& outputs) override {
        const Tensor* x = inputs[0];
        mEmpty = TensorUtils::elements(outputs[0]) == 0;
        mBatch = x->dimensions() == 1 ? 1 : x->length(0);
        mSamples = x->length(x->dimensions() == 1 ? 0 : 1);
        mParts = x->dimensions() == 3 ? x->length(2) : 1;
        mStep = mParams.stepInput >= 0 ? integerAt(inputs[mParams.stepInput], 0, 0) : mParams.step;
        mWindow = mParams.windowInput < 0 ? 0 : static_cast<int>(TensorUtils::elements(inputs[mParams.windowInput]));
        mLength = mParams.lengthInput >= 0 ? integerAt(inputs[mParams.lengthInput], 0, 0)
                  : mParams.length > 0     ? mParams.length
                                           : mWindow;
        const bool sizes = mStep > 0 && mLength > 0 && mLength <= kLongest && mSamples >= mLength &&
                           mWindow <= mLength && (mParts == 1 || mParts == 2);
        if (!sizes) return fault(INPUT_DATA_ERROR, mName, inputs, "frame length, step or window do not fit the signal");
        mFrames = (mSamples - mLength) / mStep + 1;
        const int64_t bins =
            TensorUtils::elements(outputs[0]) / std::max<int64_t>(mBatch * mFrames * (mParams.magnitude ? 1 : 2), 1);
        mBins = static_cast<int>(bins);
        if (!mEmpty && bins != mLength && bins != mLength / 2 + 1)
            return fault(INPUT_DATA_ERROR, mName, inputs, "the output does not fit the frames");
        mFft.reset(new Fft(mLength));
        mRooms = roomsFor(*mFft, mCPU->threads());
        return NO_ERROR;
    }

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        if (mEmpty) return NO_ERROR;
        const float* window = mParams.windowInput < 0 ? nullptr : inputs[mParams.windowInput]->host<float>();
        mCPU->parallelFor(static_cast<int>(mBatch * mFrames), [&](int index, int worker) {
            SignalRoom& room = mRooms[worker];
            const int64_t batch = index / mFrames, frame = index % mFrames;
            load(inputs[0]->host<float>() + (batch * mSamples + frame * mStep) * mParts, window, room.in.data());
            mFft->forward(room.in.data(), room.out.data(), room.scratch.data());
            float* to = outputs[0]->host<float>() + int64_t(index) * mBins * (mParams.magnitude ? 1 : 2);
            for (int k = 0; k < mBins; ++k) {
                const Complex& c = room.out[k];
                if (mParams.magnitude) {
                    to[k] = static_cast<float>(std::sqrt(c.re * c.re + c.im * c.im));
                } else {
                    to[2 * k] = static_cast<float>(c.re), to[2 * k + 1] = static_cast<float>(c.im);
                }
            }
        });
        return NO_ERROR;
    }

private:
    // A window shorter than the frame stands in its middle.
    void load(const float* from, const float* window, Complex* to) const {
        const int lead = window == nullptr ? 0 : (mLength - mWindow) / 2;
        for (int i = 0; i < mLength; ++i) {
            const int w = i - lead;
            const float weight = window == nullptr ? 1.0f : w >= 0 && w < mWindow ? window[w] : 0.0f;
            to[i] = {from[i * mParts] * weight, mParts == 2 ? from[i * 2 + 1] * weight : 0.0f};
        }
    }

    CPUBackend* mCPU;
    FrameParams mParams;
    std::string mName;
    bool mEmpty = false;
    int64_t mBatch = 1, mSamples = 0, mFrames = 0, mParts = 1;
    int mStep = 0, mWindow = 0, mLength = 0, mBins = 0;
    std::unique_ptr<Fft> mFft;
    std::vector<SignalRoom> mRooms;
};

}  // namespace

Execution* createCPUDft(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    if (!isFloat32(inputs[0]) || !isFloat32(outputs[0]) || inputs[0]->dimensions() < 2 ||
        inputs[0]->dimensions() != outputs[0]->dimensions()) {
        return refuse(op, inputs, outputs, "needs float32 of rank 2 at least");
    }
    return new CPUDft(backend, op);
}

// Inputs: signal, frame_step, then window and frame_length as the flags announce.
Execution* createCPUStftExtra(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    FrameParams params;
    params.stepInput = 1;
    int next = 2;
    if (extra::integer(op, "has_window", 0) != 0) params.windowInput = next++;
    if (extra::integer(op, "has_length", 0) != 0) params.lengthInput = next++;
    const bool good = static_cast<int>(inputs.size()) >= next && isFloat32(inputs[0]) && isFloat32(outputs[0]) &&
                      inputs[0]->dimensions() >= 2 && inputs[0]->dimensions() <= 3 &&
                      (params.windowInput < 0 || isFloat32(inputs[params.windowInput]));
    if (!good)
        return refuse(op, inputs, outputs,
                      "needs a float32 signal of rank 2 or 3, a step, and what the flags announce");
    return new CPUStft(backend, params, opText(op));
}

Execution* createCPUStft(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const StftParam* p = op->main_as_StftParam();
    const int rank = inputs[0]->dimensions();
    if (p == nullptr || !isFloat32(inputs[0]) || !isFloat32(outputs[0]) || rank < 1 || rank > 3 ||
        (inputs.size() > 1 && !isFloat32(inputs[1]))) {
        return refuse(op, inputs, outputs, "needs its parameters, a float32 signal and a float32 window");
    }
    FrameParams params;
    params.step = p->hop_length();
    params.length = p->n_fft();
    params.magnitude = p->abs();
    if (inputs.size() > 1) params.windowInput = 1;
    return new CPUStft(backend, params, opText(op));
}

}  // namespace MNN
