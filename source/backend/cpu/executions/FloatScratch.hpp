// A block of floats that one Execution uses while it runs.
#ifndef MNN_CPU_FLOATSCRATCH_HPP
#define MNN_CPU_FLOATSCRATCH_HPP

#include "core/Backend.hpp"
#include "core/TensorUtils.hpp"

namespace MNN {

class FloatScratch {
public:
    // In onResize: plans room for `count` floats until release(), which must follow before onResize returns.
    ErrorCode acquire(Backend* backend, int64_t count) {
        constexpr int64_t kRow = 1024;
        const int64_t rows = (count + kRow - 1) / kRow;
        if (rows > INT32_MAX) return OUT_OF_MEMORY;
        TensorUtils::setShape(&mTensor, {static_cast<int>(rows), static_cast<int>(kRow)});
        mUsed = rows > 0;
        return !mUsed || backend->onAcquireBuffer(&mTensor, StorageType::Scratch) ? NO_ERROR : OUT_OF_MEMORY;
    }
    void release(Backend* backend) {
        if (mUsed) backend->onReleaseBuffer(&mTensor, StorageType::Scratch);
    }
    float* data() const { return mUsed ? mTensor.host<float>() : nullptr; }

private:
    Tensor mTensor{2};
    bool mUsed = false;
};

}  // namespace MNN
#endif
