// GridSample: reads images or volumes at the places a grid states, in [-1, 1] along each axis, x first.
#include <algorithm>
#include <cmath>
#include "backend/cpu/executions/ImagePlanes.hpp"
#include "backend/cpu/executions/PlainTensors.hpp"
#include "backend/cpu/kernels/Pool.hpp"
#include "backend/cpu/kernels/Resample.hpp"
#include "core/ExtraAttributes.hpp"

namespace MNN {
namespace {

enum class GridFilter : uint8_t {
    Nearest = 1,
    Linear = 2,
    Cubic = 4
};  // the value is the number of taps along an axis
enum class GridBorder : uint8_t { Zeros, Clamp, Reflection };

struct GridParams {
    GridFilter filter = GridFilter::Linear;
    GridBorder border = GridBorder::Zeros;
    bool alignCorners = false;
};

// Mirrors x at the ends of [low, high] until it lies inside.
double reflect(double x, double low, double high) {
    const double span = high - low;
    if (!(span > 0.0)) return low;
    double rest = std::fmod(std::fabs(x - low), 2.0 * span);
    if (rest > span) rest = 2.0 * span - rest;
    return low + rest;
}

double reflectInto(const GridParams& p, double x, int size) {
    return p.alignCorners ? reflect(x, 0.0, size - 1.0) : reflect(x, -0.5, size - 0.5);
}

// Taps along one axis. Weight 0 stands for "not read".
struct PlaceTaps {
    int index[4];
    float weight[4];
};

double cubicWeight(double t) {
    constexpr double a = -0.75;
    t = std::fabs(t);
    if (t <= 1.0) return ((a + 2.0) * t - (a + 3.0)) * t * t + 1.0;
    return t < 2.0 ? ((a * t - 5.0 * a) * t + 8.0 * a) * t - 4.0 * a : 0.0;
}

void setTap(const GridParams& p, int64_t at, double weight, int size, int* index, float* result) {
    const bool inside = at >= 0 && at < size;
    if (!inside && p.border == GridBorder::Reflection)
        at = static_cast<int64_t>(reflectInto(p, static_cast<double>(at), size));
    *index = static_cast<int>(std::min<int64_t>(std::max<int64_t>(at, 0), size - 1));
    *result = inside || p.border != GridBorder::Zeros ? static_cast<float>(weight) : 0.0f;
}

PlaceTaps placeTaps(const GridParams& p, float coordinate, int size) {
    double x = p.alignCorners ? (coordinate + 1.0) * 0.5 * (size - 1.0) : ((coordinate + 1.0) * size - 1.0) * 0.5;
    // Nearest and linear move the place itself to the inside; a cubic moves each of its taps.
    const bool moves = p.filter != GridFilter::Cubic;
    if (moves && p.border == GridBorder::Reflection) x = reflectInto(p, x, size);
    if (moves && p.border != GridBorder::Zeros) x = std::min(std::max(x, 0.0), size - 1.0);
    // Far outside nothing changes any more; NaN lands there too.
    x = x > -1e9 && x < 1e9 ? x : -1e9;
    PlaceTaps taps{};
    if (p.filter == GridFilter::Nearest) {
        setTap(p, static_cast<int64_t>(std::nearbyint(x)), 1.0, size, taps.index, taps.weight);
        return taps;
    }
    const int count = static_cast<int>(p.filter);
    const int64_t first = static_cast<int64_t>(std::floor(x)) - count / 2 + 1;
    for (int t = 0; t < count; ++t) {
        const double distance = std::fabs(static_cast<double>(first + t) - x);
        const double weight = p.filter == GridFilter::Linear ? std::max(1.0 - distance, 0.0) : cubicWeight(distance);
        setTap(p, first + t, weight, size, taps.index + t, taps.weight + t);
    }
    return taps;
}

// In: x [N, C, spatial...], grid [N, out spatial..., rank - 2].
class CPUGridSample final : public Execution {
public:
    CPUGridSample(CPUBackend* backend, const GridParams& params, std::string name)
        : Execution(backend), mCPU(backend), mParams(params), mName(std::move(name)) {}

    ErrorCode onResize(const Tensors& inputs, const Tensors& outputs) override {
        const Tensor* x = inputs[0];
        const Tensor* grid = inputs[1];
        mAxes = x->dimensions() - 2;
        bool good = samePlanes(x, outputs[0]) && (mAxes == 2 || mAxes == 3) && cpu::packIndex(packOf(x)) >= 0 &&
                    grid->dimensions() == mAxes + 2 && grid->length(mAxes + 1) == mAxes &&
                    grid->length(0) == x->length(0);
        for (int d = 0; good && d < mAxes; ++d) good = grid->length(1 + d) == outputs[0]->length(2 + d);
        good = good && (TensorUtils::elements(x) > 0 || TensorUtils::elements(outputs[0]) == 0);
        if (!good) return fault(INPUT_DATA_ERROR, mName, inputs, "grid, input and output do not fit");
        mTaps = 1;
        for (int d = 0; d < mAxes; ++d) mTaps *= static_cast<int>(mParams.filter);
        mWidth = outputs[0]->length(1 + mAxes);
        mIndex.assign(mCPU->threads(), std::vector<int>(static_cast<size_t>(mWidth) * mTaps));
        mWeight.assign(mCPU->threads(), std::vector<float>(static_cast<size_t>(mWidth) * mTaps));
        return NO_ERROR;
    }

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        if (TensorUtils::elements(outputs[0]) == 0) return NO_ERROR;
        const Tensor* x = inputs[0];
        const int pack = packOf(x), batches = x->length(0), blocks = planesOf(x) / batches;
        int64_t inArea = 1, rows = 1;
        for (int d = 0; d < mAxes; ++d) inArea *= x->length(2 + d);
        for (int d = 0; d < mAxes - 1; ++d) rows *= outputs[0]->length(2 + d);
        const cpu::ResampleRow sample = cpu::resampleKernels(mCPU->isa()).sample[cpu::packIndex(pack)];
        mCPU->parallelFor(static_cast<int>(batches * rows), [&](int tile, int worker) {
            const int64_t batch = tile / rows, row = tile % rows;
            const float* grid = inputs[1]->host<float>() + int64_t(tile) * mWidth * mAxes;
            findTaps(x, grid, mIndex[worker].data(), mWeight[worker].data());
            for (int block = 0; block < blocks; ++block) {
                const int64_t plane = batch * blocks + block;
                sample(outputs[0]->host<float>() + (plane * rows + row) * mWidth * pack,
                       x->host<float>() + plane * inArea * pack, mIndex[worker].data(), mWeight[worker].data(), mTaps,
                       mWidth);
            }
        });
        return NO_ERROR;
    }

private:
    // The products of the taps along each axis, for one row of the output; they serve all channels.
    void findTaps(const Tensor* x, const float* grid, int* index, float* weight) const {
        const int each = static_cast<int>(mParams.filter);
        for (int i = 0; i < mWidth; ++i, grid += mAxes, index += mTaps, weight += mTaps) {
            index[0] = 0;
            weight[0] = 1.0f;
            int count = 1;
            for (int d = 0; d < mAxes; ++d) {
                const int size = x->length(2 + d);
                const PlaceTaps taps = placeTaps(mParams, grid[mAxes - 1 - d], size);
                // From the last product down, so that none is overwritten before it is used.
                for (int k = count - 1; k >= 0; --k) {
                    const int base = index[k] * size;
                    const float factor = weight[k];
                    for (int t = each - 1; t >= 0; --t) {
                        index[k * each + t] = base + taps.index[t];
                        weight[k * each + t] = factor * taps.weight[t];
                    }
                }
                count *= each;
            }
        }
    }

    CPUBackend* mCPU;
    GridParams mParams;
    std::string mName;
    int mAxes = 2, mTaps = 1, mWidth = 0;
    std::vector<std::vector<int>> mIndex;  // per worker
    std::vector<std::vector<float>> mWeight;
};

Execution* createGridSample(const GridParams& params, const Op* op, const Tensors& inputs, const Tensors& outputs,
                            CPUBackend* backend) {
    const bool good = inputs.size() >= 2 && isFloat32(inputs[0]) && isFloat32(inputs[1]) && isFloat32(outputs[0]) &&
                      !TensorUtils::isPacked(inputs[1]);
    if (!good) return refuse(op, inputs, outputs, "needs a float32 input and a row-major float32 grid");
    return new CPUGridSample(backend, params, opText(op));
}

}  // namespace

Execution* createCPUGridSample(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const GridSample* p = op->main_as_GridSample();
    if (p == nullptr || p->backward() || p->paddingMode() == BorderMode_CUBE) {
        return refuse(op, inputs, outputs, "only forward sampling with zeros, clamp or reflection is supported");
    }
    GridParams params;
    params.filter = p->mode() == SampleMode_NEAREST ? GridFilter::Nearest : GridFilter::Linear;
    params.border = p->paddingMode() == BorderMode_ZEROS   ? GridBorder::Zeros
                    : p->paddingMode() == BorderMode_CLAMP ? GridBorder::Clamp
                                                           : GridBorder::Reflection;
    params.alignCorners = p->alignCorners();
    return createGridSample(params, op, inputs, outputs, backend);
}

// Attributes as in ONNX: mode (nearest, linear or bilinear, cubic or bicubic), padding_mode, align_corners.
Execution* createCPUGridSampleExtra(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const std::string mode = extra::text(op, "mode", "linear"), padding = extra::text(op, "padding_mode", "zeros");
    GridParams params;
    if (mode == "nearest")
        params.filter = GridFilter::Nearest;
    else if (mode == "cubic" || mode == "bicubic")
        params.filter = GridFilter::Cubic;
    else if (mode != "linear" && mode != "bilinear")
        return refuse(op, inputs, outputs, "unknown mode");
    if (padding == "border")
        params.border = GridBorder::Clamp;
    else if (padding == "reflection")
        params.border = GridBorder::Reflection;
    else if (padding != "zeros")
        return refuse(op, inputs, outputs, "unknown padding_mode");
    params.alignCorners = extra::integer(op, "align_corners", 0) != 0;
    return createGridSample(params, op, inputs, outputs, backend);
}

}  // namespace MNN
