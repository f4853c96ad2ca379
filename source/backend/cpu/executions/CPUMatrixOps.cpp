// Small ops on matrices and sequences: MatrixBandPart, Det, UnravelIndex, Histogram, Segment, ReverseSequence.
#include <algorithm>
#include <cmath>
#include "backend/cpu/executions/FunctionExecution.hpp"
#include "backend/cpu/executions/PlainTensors.hpp"

namespace MNN {
namespace {

// In: x [..., rows, columns], lower, upper: how many diagonals below and above the main one stay; negative: all.
ErrorCode keepBand(const Tensors& inputs, const Tensors& outputs) {
    const Tensor* x = inputs[0];
    const int rank = x->dimensions();
    const int64_t rows = x->length(rank - 2), columns = x->length(rank - 1), count = TensorUtils::elements(x);
    const int64_t lower = integerAt(inputs[1], 0, -1), upper = integerAt(inputs[2], 0, -1);
    for (int64_t i = 0; i < count; ++i) {
        const int64_t column = i % columns, row = i / columns % rows;
        const bool keep = (lower < 0 || row - column <= lower) && (upper < 0 || column - row <= upper);
        outputs[0]->host<uint32_t>()[i] = keep ? x->host<uint32_t>()[i] : 0u;
    }
    return NO_ERROR;
}

// Gaussian elimination with the largest pivot of each column; `a` is overwritten.
double determinant(double* a, int n) {
    double product = 1.0;
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i) {
            if (std::fabs(a[i * n + k]) > std::fabs(a[pivot * n + k])) pivot = i;
        }
        if (a[pivot * n + k] == 0.0) return 0.0;
        if (pivot != k) {
            std::swap_ranges(a + k * n, a + k * n + n, a + pivot * n);
            product = -product;
        }
        product *= a[k * n + k];
        for (int i = k + 1; i < n; ++i) {
            const double factor = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return product;
}

class CPUDet final : public Execution {
public:
    explicit CPUDet(CPUBackend* backend) : Execution(backend), mCPU(backend) {}

    ErrorCode onResize(const Tensors& inputs, const Tensors&) override {
        mSize = inputs[0]->length(inputs[0]->dimensions() - 1);
        mScratch.assign(mCPU->threads(), std::vector<double>(static_cast<size_t>(mSize) * mSize));
        return NO_ERROR;
    }

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        const int64_t area = int64_t(mSize) * mSize;
        mCPU->parallelFor(static_cast<int>(TensorUtils::elements(outputs[0])), [&](int i, int worker) {
            const float* from = inputs[0]->host<float>() + i * area;
            std::copy(from, from + area, mScratch[worker].begin());
            outputs[0]->host<float>()[i] = static_cast<float>(determinant(mScratch[worker].data(), mSize));
        });
        return NO_ERROR;
    }

private:
    CPUBackend* mCPU;
    int mSize = 0;
    std::vector<std::vector<double>> mScratch;
};

// In: flat indices, dims [rank]. Out: [rank, indices...] coordinates.
ErrorCode unravel(const std::string& name, const Tensors& inputs, const Tensors& outputs) {
    const int64_t count = TensorUtils::elements(inputs[0]);
    const int rank = static_cast<int>(TensorUtils::elements(inputs[1]));
    const int32_t* dims = inputs[1]->host<int32_t>();
    int64_t total = 1;
    for (int d = 0; d < rank; ++d) {
        if (dims[d] < 0 || total > INT32_MAX) return fault(INVALID_VALUE, name, inputs, "dims are out of range");
        total *= dims[d];
    }
    for (int64_t i = 0; i < count; ++i) {
        int64_t rest = inputs[0]->host<int32_t>()[i];
        if (rest < 0 || rest >= total) return fault(INVALID_VALUE, name, inputs, "an index is out of range");
        for (int d = rank - 1; d >= 0; --d) {
            outputs[0]->host<int32_t>()[d * count + i] = static_cast<int32_t>(rest % dims[d]);
            rest /= dims[d];
        }
    }
    return NO_ERROR;
}

struct HistogramParams {
    int bins = 0, low = 0, high = 0, channel = -1;
};

// Counts of equal bins of [low, high]; values outside are not counted. channel >= 0 takes every value of that last
// index only.
ErrorCode countBins(const HistogramParams& p, const Tensors& inputs, const Tensors& outputs) {
    const Tensor* x = inputs[0];
    const int64_t count = TensorUtils::elements(x);
    float* to = outputs[0]->host<float>();
    std::fill(to, to + p.bins, 0.0f);
    const int64_t channels = p.channel >= 0 ? std::max(x->length(x->dimensions() - 1), 1) : 1;
    const double perBin = static_cast<double>(p.bins) / (static_cast<double>(p.high) - p.low);
    for (int64_t i = std::max(p.channel, 0); i < count; i += channels) {
        const double value = numberAt(x, i, 0.0);
        if (!(value >= p.low && value <= p.high)) continue;
        const int bin = static_cast<int>((value - p.low) * perBin);
        to[std::min(bin, p.bins - 1)] += 1.0f;
    }
    return NO_ERROR;
}

// In: x [n, ...], ids [n], ascending. Out: the mean of the rows of each id; rows of 0 for ids without any.
ErrorCode meanOfSegments(const std::string& name, const Tensors& inputs, const Tensors& outputs) {
    const int64_t rows = inputs[0]->length(0), groups = outputs[0]->length(0);
    const int64_t inner = rows == 0 ? 0 : TensorUtils::elements(inputs[0]) / rows;
    if (TensorUtils::elements(inputs[1]) != rows || (rows > 0 && TensorUtils::elements(outputs[0]) != groups * inner)) {
        return fault(INPUT_DATA_ERROR, name, inputs, "ids or output do not fit the data");
    }
    const int32_t* ids = inputs[1]->host<int32_t>();
    float* to = outputs[0]->host<float>();
    std::fill(to, to + TensorUtils::elements(outputs[0]), 0.0f);
    for (int64_t r = 0; r < rows; ++r) {
        if (ids[r] < 0 || ids[r] >= groups || (r > 0 && ids[r] < ids[r - 1])) {
            return fault(INVALID_VALUE, name, inputs, "segment ids must ascend and be below the output's length");
        }
        const float* from = inputs[0]->host<float>() + r * inner;
        for (int64_t i = 0; i < inner; ++i) to[ids[r] * inner + i] += from[i];
    }
    for (int64_t begin = 0, end = 0; begin < rows; begin = end) {
        while (end < rows && ids[end] == ids[begin]) ++end;
        float* row = to + ids[begin] * inner;
        for (int64_t i = 0; i < inner; ++i) row[i] /= static_cast<float>(end - begin);
    }
    return NO_ERROR;
}

// In: x, lengths [x.length(batchDim)]. The first lengths[b] steps along seqDim come in reverse.
ErrorCode reverseSequences(int batchDim, int seqDim, const std::string& name, const Tensors& inputs,
                           const Tensors& outputs) {
    const Tensor* x = inputs[0];
    const int64_t batch = wrapIndex(batchDim, x->dimensions()), sequence = wrapIndex(seqDim, x->dimensions());
    if (batch < 0 || sequence < 0 || batch == sequence ||
        TensorUtils::elements(inputs[1]) != x->length(static_cast<int>(batch))) {
        return fault(INVALID_VALUE, name, inputs, "batch and sequence dimensions do not fit the data");
    }
    const int64_t steps = x->length(static_cast<int>(sequence));
    for (int64_t b = 0; b < x->length(static_cast<int>(batch)); ++b) {
        const int32_t length = inputs[1]->host<int32_t>()[b];
        if (length < 0 || length > steps) return fault(INVALID_VALUE, name, inputs, "a length is out of range");
    }
    const Strides strides = rowMajorStrides(x);
    const int64_t inner = strides[std::max(batch, sequence)];
    const int64_t rows = inner == 0 ? 0 : TensorUtils::elements(x) / inner, bytes = inner * x->getType().bytes();
    for (int64_t r = 0; r < rows; ++r) {
        const int64_t first = r * inner;
        const int64_t b = first / strides[batch] % x->length(static_cast<int>(batch)),
                      s = first / strides[sequence] % steps;
        const int64_t length = inputs[1]->host<int32_t>()[b];
        const int64_t from = s < length ? first + (length - 1 - 2 * s) * strides[sequence] : first;
        copyBytes(outputs[0]->host<uint8_t>() + first * x->getType().bytes(),
                  x->host<uint8_t>() + from * x->getType().bytes(), bytes);
    }
    return NO_ERROR;
}

}  // namespace

Execution* createCPUMatrixBandPart(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const bool good = inputs.size() >= 3 && inputs[0]->dimensions() >= 2 && inputs[0]->getType().bytes() == 4 &&
                      inputs[0]->getType() == outputs[0]->getType();
    if (!good) return refuse(op, inputs, outputs, "needs matrices of float32 or int32, lower and upper");
    return new FunctionExecution(backend, keepBand);
}

Execution* createCPUDet(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const int rank = inputs[0]->dimensions();
    const bool good = rank >= 2 && inputs[0]->length(rank - 1) == inputs[0]->length(rank - 2) && isFloat32(inputs[0]) &&
                      isFloat32(outputs[0]);
    if (!good) return refuse(op, inputs, outputs, "needs square matrices of float32");
    return new CPUDet(backend);
}

Execution* createCPUUnravelIndex(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const bool good =
        inputs.size() >= 2 && isInt32(inputs[0]) && isInt32(inputs[1]) && isInt32(outputs[0]) &&
        TensorUtils::elements(outputs[0]) == TensorUtils::elements(inputs[0]) * TensorUtils::elements(inputs[1]);
    if (!good) return refuse(op, inputs, outputs, "needs int32 indices and dims");
    const std::string name = opText(op);
    return new FunctionExecution(backend,
                                 [=](const Tensors& in, const Tensors& out) { return unravel(name, in, out); });
}

Execution* createCPUHistogram(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const ArgMax* param = op->main_as_ArgMax();
    if (param == nullptr) return refuse(op, inputs, outputs, "Histogram without its parameters");
    HistogramParams p;
    p.bins = param->outMaxVal();
    p.low = param->softmaxThreshold();
    p.high = param->topK();
    p.channel = param->axis();
    const bool good = p.bins > 0 && p.high > p.low && isFloat32(outputs[0]) &&
                      TensorUtils::elements(outputs[0]) == p.bins && inputs[0]->dimensions() >= 1 &&
                      p.channel < inputs[0]->length(inputs[0]->dimensions() - 1);
    if (!good) return refuse(op, inputs, outputs, "bins, range or channel do not fit");
    return new FunctionExecution(backend, [=](const Tensors& in, const Tensors& out) { return countBins(p, in, out); });
}

Execution* createCPUSegment(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const ReductionParam* param = op->main_as_ReductionParam();
    const bool good = inputs.size() >= 2 && isFloat32(inputs[0]) && isInt32(inputs[1]) && isFloat32(outputs[0]) &&
                      inputs[0]->dimensions() >= 1 && outputs[0]->dimensions() >= 1 &&
                      (param == nullptr || param->operation() == ReductionType_MEAN);
    if (!good) return refuse(op, inputs, outputs, "needs float32 rows, int32 ids, and the mean as its operation");
    const std::string name = opText(op);
    return new FunctionExecution(backend,
                                 [=](const Tensors& in, const Tensors& out) { return meanOfSegments(name, in, out); });
}

Execution* createCPUReverseSequence(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const ReverseSequenceParam* param = op->main_as_ReverseSequenceParam();
    const bool good = param != nullptr && inputs.size() >= 2 && isInt32(inputs[1]) &&
                      TensorUtils::sameShape(inputs[0], outputs[0]) && inputs[0]->getType() == outputs[0]->getType();
    if (!good) return refuse(op, inputs, outputs, "needs its parameters, int32 lengths, and an output like the data");
    const int batchDim = param->batchDim(), seqDim = param->seqDim();
    const std::string name = opText(op);
    return new FunctionExecution(backend, [=](const Tensors& in, const Tensors& out) {
        return reverseSequences(batchDim, seqDim, name, in, out);
    });
}

}  // namespace MNN
