#include "backend/cpu/kernels/ElementLoop.hpp"

#include <algorithm>
#include <cstring>

namespace MNN {
namespace cpu {
namespace {

// Elements of the buffers that strided inputs are gathered into: they stay in the first-level cache.
constexpr size_t kChunk = 512;
// From this length on an innermost loop is worth a call of its own.
constexpr int64_t kRowLength = 64;

template <typename T>
void copyStrided(T* dst, const T* src, int64_t stride, size_t n) {
    if (stride == 1) {
        std::memcpy(dst, src, n * sizeof(T));
    } else if (stride == 0) {
        std::fill_n(dst, n, *src);
    } else {
        for (size_t i = 0; i < n; ++i) dst[i] = src[static_cast<int64_t>(i) * stride];
    }
}

void copyStrided(uint8_t* dst, const uint8_t* src, int64_t stride, size_t n, int bytes) {
    switch (bytes) {
        case 1:
            copyStrided(dst, src, stride, n);
            break;
        case 2:
            copyStrided(reinterpret_cast<uint16_t*>(dst), reinterpret_cast<const uint16_t*>(src), stride, n);
            break;
        case 4:
            copyStrided(reinterpret_cast<uint32_t*>(dst), reinterpret_cast<const uint32_t*>(src), stride, n);
            break;
        default:
            copyStrided(reinterpret_cast<uint64_t*>(dst), reinterpret_cast<const uint64_t*>(src), stride, n);
            break;
    }
}

// The first row, rows - 1 times more.
void repeatRow(uint8_t* dst, size_t rowBytes, size_t rows) {
    size_t done = rowBytes;
    const size_t all = rowBytes * rows;
    while (done < all) {
        const size_t more = std::min(done, all - done);
        std::memcpy(dst + done, dst, more);
        done += more;
    }
}

}  // namespace

bool ElementLoop::plan(const std::vector<int>& lengths, const std::vector<Input>& inputs) {
    if (inputs.size() > kMaxInputs) return false;
    mInputs = static_cast<int>(inputs.size());
    mLoops = 0;
    mElements = 1;
    for (int length : lengths) mElements *= length;
    for (size_t d = 0; d < lengths.size() && mElements > 0; ++d) {
        if (lengths[d] == 1) continue;
        bool joins = mLoops > 0;
        for (int i = 0; i < mInputs && joins; ++i) {
            joins = mPlan[i].stride[mLoops - 1] == inputs[i].stride[d] * lengths[d];
        }
        if (!joins && mLoops == kMaxLoops) return false;
        if (!joins) mSize[mLoops++] = 1;
        mSize[mLoops - 1] *= lengths[d];
        for (int i = 0; i < mInputs; ++i) mPlan[i].stride[mLoops - 1] = inputs[i].stride[d];
    }
    mRows = true;
    for (int i = 0; i < mInputs; ++i) {
        bool linear = true, scalar = true;
        int64_t dense = 1;
        for (int d = mLoops - 1; d >= 0; --d) {
            linear = linear && mPlan[i].stride[d] == dense;
            scalar = scalar && mPlan[i].stride[d] == 0;
            dense *= mSize[d];
        }
        mPlan[i].bytes = inputs[i].bytes;
        mPlan[i].kind = linear ? Kind::Linear : scalar ? Kind::Scalar : Kind::Strided;
        if (mPlan[i].kind == Kind::Strided && (mSize[mLoops - 1] < kRowLength || mPlan[i].stride[mLoops - 1] > 1))
            mRows = false;
        if (mPlan[i].kind == Kind::Strided && mPlan[i].stride[mLoops - 1] < 0) mRows = false;
    }
    return true;
}

void ElementLoop::run(const uint8_t* const* base, int64_t begin, int64_t end, void (*body)(void*, const Span&),
                      void* context) const {
    if (begin >= end) return;
    if (mRows) {
        runRows(base, begin, end, body, context);
    } else {
        runChunks(base, begin, end, body, context);
    }
}

// Every input is linear, scalar, or has an innermost stride of 0 or 1: nothing is copied.
void ElementLoop::runRows(const uint8_t* const* base, int64_t begin, int64_t end, void (*body)(void*, const Span&),
                          void* context) const {
    bool oneRow = true;
    for (int i = 0; i < mInputs; ++i) oneRow = oneRow && mPlan[i].kind != Kind::Strided;
    const int64_t row = oneRow ? end : mSize[mLoops - 1];
    Span span;
    for (int64_t at = begin; at < end; at += static_cast<int64_t>(span.n)) {
        const int64_t column = at % row;
        span.at = at;
        span.n = static_cast<size_t>(std::min(row - column, end - at));
        for (int i = 0; i < mInputs; ++i) {
            const Plan& input = mPlan[i];
            int64_t offset = 0;
            if (input.kind == Kind::Linear) {
                offset = at;
            } else if (input.kind == Kind::Strided) {
                offset = column * input.stride[mLoops - 1];
                int64_t rest = at / row;
                for (int d = mLoops - 2; d >= 0; --d) {
                    offset += rest % mSize[d] * input.stride[d];
                    rest /= mSize[d];
                }
            }
            span.src[i] = base[i] + offset * input.bytes;
            span.step[i] = input.kind == Kind::Linear || (input.kind == Kind::Strided && input.stride[mLoops - 1] == 1);
        }
        body(context, span);
    }
}

void ElementLoop::runChunks(const uint8_t* const* base, int64_t begin, int64_t end, void (*body)(void*, const Span&),
                            void* context) const {
    alignas(64) uint8_t buffer[kMaxInputs][kChunk * 8];
    Span span;
    for (int64_t at = begin; at < end; at += static_cast<int64_t>(span.n)) {
        span.at = at;
        span.n = static_cast<size_t>(std::min<int64_t>(kChunk, end - at));
        for (int i = 0; i < mInputs; ++i) {
            const Plan& input = mPlan[i];
            span.step[i] = input.kind != Kind::Scalar;
            span.src[i] = input.kind == Kind::Linear ? base[i] + at * input.bytes : base[i];
            if (input.kind == Kind::Strided) {
                gather(input, base[i], at, span.n, buffer[i]);
                span.src[i] = buffer[i];
            }
        }
        body(context, span);
    }
}

void ElementLoop::gather(const Plan& input, const uint8_t* base, int64_t at, size_t n, uint8_t* dst) const {
    int64_t index[kMaxLoops];
    int64_t offset = 0, rest = at;
    for (int d = mLoops - 1; d >= 0; --d) {
        index[d] = rest % mSize[d];
        rest /= mSize[d];
        offset += index[d] * input.stride[d];
    }
    const int last = mLoops - 1;
    // A short row that the loop around it repeats (a channel block over its pixels): written once, then copied.
    const bool repeats = last > 0 && input.stride[last - 1] == 0;
    while (n > 0) {
        if (repeats && index[last] == 0 && n >= 2 * static_cast<size_t>(mSize[last])) {
            const size_t row = static_cast<size_t>(mSize[last]);
            const size_t rows = std::min(n / row, static_cast<size_t>(mSize[last - 1] - index[last - 1]));
            copyStrided(dst, base + offset * input.bytes, input.stride[last], row, input.bytes);
            repeatRow(dst, row * input.bytes, rows);
            dst += rows * row * input.bytes;
            n -= rows * row;
            advance(input, index, &offset, last - 1, static_cast<int64_t>(rows));
            continue;
        }
        const size_t run = std::min(static_cast<size_t>(mSize[last] - index[last]), n);
        copyStrided(dst, base + offset * input.bytes, input.stride[last], run, input.bytes);
        dst += run * input.bytes;
        n -= run;
        // To the start of the next innermost row.
        offset -= index[last] * input.stride[last];
        index[last] = 0;
        advance(input, index, &offset, last - 1, 1);
    }
}

void ElementLoop::advance(const Plan& input, int64_t* index, int64_t* offset, int loop, int64_t steps) const {
    for (int d = loop; d >= 0; --d, steps = 1) {
        *offset += steps * input.stride[d];
        index[d] += steps;
        if (index[d] < mSize[d]) break;
        *offset -= mSize[d] * input.stride[d];
        index[d] = 0;
    }
}

}  // namespace cpu
}  // namespace MNN
