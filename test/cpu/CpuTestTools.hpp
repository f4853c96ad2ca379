// Shared by the tests of CPU kernels and executions.
#ifndef MNN_TEST_CPU_TOOLS_HPP
#define MNN_TEST_CPU_TOOLS_HPP

#include <gtest/gtest.h>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>
#include "backend/cpu/CPUBackend.hpp"
#include "core/Command.hpp"
#include "core/TensorUtils.hpp"

namespace MNN {
namespace test {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

// Lengths around the vector sizes of every target (4, 8 and 16 lanes).
inline std::vector<size_t> edgeLengths() { return {0, 1, 3, 4, 5, 7, 8, 9, 11, 15, 16, 17, 19, 31, 32, 33, 35, 67}; }

// Distance in units of the last place of `want`; 0 when both are NaN or the same infinity.
inline double ulpError(float got, double want) {
    const float rounded = static_cast<float>(want);
    if (std::isnan(want) || std::isnan(got)) return std::isnan(want) == std::isnan(got) ? 0.0 : kInf;
    if (std::isinf(rounded) || std::isinf(got)) {
        if (rounded == got) return 0.0;
        // One side of the overflow threshold is as good as the other.
        return std::fabs(want) > 3.4028e38 && std::fabs(got) > 3.4028e38 && (want > 0) == (got > 0) ? 0.0 : kInf;
    }
    const float magnitude = std::max(std::fabs(rounded), std::numeric_limits<float>::min());
    const double unit = static_cast<double>(std::nextafter(magnitude, kInf)) - static_cast<double>(magnitude);
    return std::fabs(static_cast<double>(got) - want) / unit;
}

// n values at an address that no vector is aligned to, between guards.
template <typename T>
class Guarded {
public:
    // Out of line: inlined, GCC 12 warns of overflows for lengths near SIZE_MAX.
    __attribute__((noinline)) explicit Guarded(size_t n, T fill = T(0)) : mCells(n + 2 * kGuard, fill), mCount(n) {
        std::memset(static_cast<void*>(mCells.data()), 0xAB, kGuard * sizeof(T));
        std::memset(static_cast<void*>(data() + n), 0xAB, kGuard * sizeof(T));
    }
    T* data() { return mCells.data() + kGuard; }
    T& operator[](size_t i) { return data()[i]; }
    size_t size() const { return mCount; }
    bool intact() const {
        const auto* front = reinterpret_cast<const uint8_t*>(mCells.data());
        const auto* back = reinterpret_cast<const uint8_t*>(mCells.data() + kGuard + mCount);
        for (size_t i = 0; i < kGuard * sizeof(T); ++i) {
            if (front[i] != 0xAB || back[i] != 0xAB) return false;
        }
        return true;
    }

private:
    static constexpr size_t kGuard = 17;
    std::vector<T> mCells;
    size_t mCount;
};

// A tensor that owns its memory. Packed when pack > 0 (shape is then N, C, spatial...).
inline std::shared_ptr<Tensor> makeTensor(const std::vector<int>& shape, halide_type_t type, int pack = 0) {
    std::shared_ptr<Tensor> t(new Tensor(static_cast<int>(shape.size()), Tensor::CAFFE));
    t->buffer().type = type;
    TensorUtils::setShape(t.get(), shape);
    if (pack > 0) TensorUtils::setFormat(t.get(), MNN_DATA_FORMAT_NC4HW4, pack);
    TensorUtils::allocHost(t.get());
    std::memset(t->host<uint8_t>(), 0xFF, TensorUtils::storageBytes(t.get()));  // NaN, or -1
    return t;
}

template <typename T>
std::shared_ptr<Tensor> makeTensor(const std::vector<int>& shape, const std::vector<T>& values) {
    std::shared_ptr<Tensor> t = makeTensor(shape, halide_type_of<T>());
    if (!values.empty()) std::memcpy(t->host<T>(), values.data(), values.size() * sizeof(T));
    return t;
}

inline std::vector<float> randomFloats(size_t n, float low, float high, uint32_t seed = 1) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(low, high);
    std::vector<float> v(n);
    for (float& x : v) x = uniform(random);
    return v;
}

template <typename T>
std::vector<T> valuesOf(const std::shared_ptr<Tensor>& t) {
    const T* p = t->host<T>();
    return std::vector<T>(p, p + TensorUtils::storageElements(t.get()));
}

// One CPU backend with the given number of threads; creates and runs single executions.
class CpuRig {
public:
    explicit CpuRig(int threads) {
        Runtime::Info info;
        info.numThread = threads;
        mRuntime.reset(new CPURuntime(info));
        mBackend.reset(mRuntime->onCreate(nullptr));
    }
    CPUBackend* backend() { return static_cast<CPUBackend*>(mBackend.get()); }

    // NO_ERROR, or why the op could not be made or run (NOT_SUPPORT when nothing was created).
    ErrorCode run(const OpT& op, const std::vector<std::shared_ptr<Tensor>>& inputs,
                  const std::vector<std::shared_ptr<Tensor>>& outputs) {
        const OwnedOp owned(op);
        std::vector<Tensor*> in, out;
        for (const auto& t : inputs) in.push_back(t.get());
        for (const auto& t : outputs) out.push_back(t.get());
        std::unique_ptr<Execution> execution(mBackend->onCreate(in, out, owned.get()));
        if (execution == nullptr) return NOT_SUPPORT;
        mBackend->onResizeBegin();
        ErrorCode code = execution->onResize(in, out);
        if (code == NO_ERROR) code = mBackend->onResizeEnd();
        return code == NO_ERROR ? execution->onExecute(in, out) : code;
    }

private:
    std::unique_ptr<CPURuntime> mRuntime;
    std::unique_ptr<Backend> mBackend;
};

// A view of `origin` in row-major order of `shape`: element (i, ...) is origin[offset + sum(i_d * stride[d])].
inline std::shared_ptr<Tensor> makeView(const std::shared_ptr<Tensor>& origin, const std::vector<int>& shape,
                                        int64_t offset, const std::vector<int64_t>& stride) {
    std::shared_ptr<Tensor> t(new Tensor(static_cast<int>(shape.size()), Tensor::CAFFE));
    t->buffer().type = origin->getType();
    TensorUtils::setShape(t.get(), shape);
    core::Region region;
    region.origin = origin.get();
    region.src.offset = offset;
    int64_t dense = 1;
    int loop = core::kRegionLoops - 1;
    for (int d = static_cast<int>(shape.size()) - 1; d >= 0; --d, --loop) {
        region.size[loop] = shape[d];
        region.src.stride[loop] = stride[d];
        region.dst.stride[loop] = dense;
        dense *= shape[d];
    }
    TensorUtils::setVirtual(t.get(), {region});
    return t;
}

}  // namespace test
}  // namespace MNN
#endif
