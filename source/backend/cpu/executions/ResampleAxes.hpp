// Resampling of row-major data along any of its axes, one pass an axis.
#ifndef MNN_CPU_EXECUTIONS_RESAMPLEAXES_HPP
#define MNN_CPU_EXECUTIONS_RESAMPLEAXES_HPP

#include <vector>
#include "backend/cpu/CPUBackend.hpp"
#include "backend/cpu/executions/FloatScratch.hpp"
#include "backend/cpu/executions/ResampleAxis.hpp"

namespace MNN {

class ResampleAxes {
public:
    // Plans data of `lengths`, resampled by taps[d] along each axis d; identities cost nothing. Elements of other than
    // 4 bytes, and integers, may only be moved (one tap on each axis). Scratch is acquired and released here, in
    // onResize.
    ErrorCode resize(CPUBackend* backend, const std::vector<int>& lengths, std::vector<AxisTaps> taps,
                     int elementBytes);
    void run(const CPUBackend* backend, const uint8_t* src, uint8_t* dst) const;

private:
    struct Pass {
        AxisTaps taps;
        int64_t outer, in, out, inner;
    };

    void runPass(const CPUBackend* backend, const Pass& pass, const uint8_t* src, uint8_t* dst) const;
    void blendPass(const CPUBackend* backend, const Pass& pass, const float* src, float* dst) const;

    std::vector<Pass> mPasses;
    int64_t mElements = 0;  // of the result
    int mBytes = 4;
    int64_t mRoom = 0;  // floats of one intermediate result
    FloatScratch mScratch;
};

}  // namespace MNN
#endif
