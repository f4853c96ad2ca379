#include "backend/cpu/executions/ResampleAxes.hpp"

#include <algorithm>
#include "backend/cpu/executions/PlainTensors.hpp"
#include "backend/cpu/kernels/Resample.hpp"

namespace MNN {

ErrorCode ResampleAxes::resize(CPUBackend* backend, const std::vector<int>& lengths, std::vector<AxisTaps> taps,
                               int elementBytes) {
    mPasses.clear();
    mBytes = elementBytes;
    mRoom = 0;
    std::vector<int64_t> now(lengths.begin(), lengths.end());
    const auto product = [&](size_t begin, size_t end) {
        int64_t n = 1;
        for (size_t d = begin; d < end; ++d) n *= now[d];
        return n;
    };
    for (size_t d = 0; d < now.size(); ++d) {
        if (taps[d].identity) continue;
        Pass pass;
        pass.outer = product(0, d);
        pass.in = now[d];
        pass.out = static_cast<int64_t>(taps[d].index.size()) / taps[d].taps;
        pass.inner = product(d + 1, now.size());
        now[d] = pass.out;
        pass.taps = std::move(taps[d]);
        mPasses.push_back(std::move(pass));
        mRoom = std::max(mRoom, (product(0, now.size()) * mBytes + 3) / 4);
    }
    mElements = product(0, now.size());
    const int64_t buffers = static_cast<int64_t>(mPasses.size()) - 1;
    const ErrorCode code = mScratch.acquire(backend, buffers < 1 ? 0 : std::min<int64_t>(buffers, 2) * mRoom);
    mScratch.release(backend);
    return code;
}

void ResampleAxes::run(const CPUBackend* backend, const uint8_t* src, uint8_t* dst) const {
    if (mElements == 0) return;
    if (mPasses.empty()) {
        std::memcpy(dst, src, static_cast<size_t>(mElements) * mBytes);
        return;
    }
    const uint8_t* from = src;
    for (size_t i = 0; i < mPasses.size(); ++i) {
        const bool last = i + 1 == mPasses.size();
        uint8_t* to = last ? dst : reinterpret_cast<uint8_t*>(mScratch.data() + (i % 2) * mRoom);
        runPass(backend, mPasses[i], from, to);
        from = to;
    }
}

void ResampleAxes::runPass(const CPUBackend* backend, const Pass& p, const uint8_t* src, uint8_t* dst) const {
    if (p.taps.taps > 1)
        return blendPass(backend, p, reinterpret_cast<const float*>(src), reinterpret_cast<float*>(dst));
    const int64_t bytes = p.inner * mBytes;
    parallelRanges(backend, p.outer * p.out, bytes / 8 + 2, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            copyBytes(dst + i * bytes, src + (i / p.out * p.in + p.taps.index[static_cast<size_t>(i % p.out)]) * bytes,
                      bytes);
        }
    });
}

void ResampleAxes::blendPass(const CPUBackend* backend, const Pass& p, const float* src, float* dst) const {
    const cpu::ResampleKernels& kernels = cpu::resampleKernels(backend->isa());
    const int taps = p.taps.taps;
    if (p.inner == 1) {
        parallelRanges(backend, p.outer, p.out * taps, [&](int64_t begin, int64_t end) {
            for (int64_t o = begin; o < end; ++o) {
                kernels.row[0](dst + o * p.out, src + o * p.in, p.taps.index.data(), p.taps.weight.data(), taps,
                               static_cast<int>(p.out));
            }
        });
        return;
    }
    parallelRanges(backend, p.outer * p.out, p.inner * taps, [&](int64_t begin, int64_t end) {
        std::vector<const float*> rows(static_cast<size_t>(taps));
        for (int64_t i = begin; i < end; ++i) {
            const size_t at = static_cast<size_t>(i % p.out) * taps;
            for (int t = 0; t < taps; ++t) rows[t] = src + (i / p.out * p.in + p.taps.index[at + t]) * p.inner;
            kernels.blend(dst + i * p.inner, rows.data(), &p.taps.weight[at], taps, static_cast<size_t>(p.inner));
        }
    });
}

}  // namespace MNN
