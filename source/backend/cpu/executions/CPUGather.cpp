// Reads by index: Gather, GatherND, GatherElements. Indices count from the end when negative; outside ones are an
// error.
#include <atomic>
#include "backend/cpu/executions/PlainTensors.hpp"

namespace MNN {
namespace {

constexpr const char* kOutside = "an index is out of range";

// Gather and GatherV2. In: params, indices [, axis].
class CPUGather final : public Execution {
public:
    CPUGather(CPUBackend* backend, int axis, std::string name)
        : Execution(backend), mCPU(backend), mAxis(axis), mName(std::move(name)) {}

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        int axis = 0;
        if (!axisOf(inputs, 2, mAxis, inputs[0]->dimensions(), &axis))
            return fault(INVALID_VALUE, mName, inputs, "bad axis");
        const AxisSplit split = splitAt(inputs[0], axis);
        const int64_t count = TensorUtils::elements(inputs[1]);
        const int32_t* indices = inputs[1]->host<int32_t>();
        if (split.outside * count * split.inside != TensorUtils::elements(outputs[0])) {
            return fault(INPUT_DATA_ERROR, mName, inputs, "the output has another size than the indices say");
        }
        for (int64_t i = 0; i < count; ++i) {
            if (wrapIndex(indices[i], split.axis) < 0) return fault(INVALID_VALUE, mName, inputs, kOutside);
        }
        const int64_t bytes = split.inside * inputs[0]->getType().bytes();
        const uint8_t* src = inputs[0]->host<uint8_t>();
        uint8_t* dst = outputs[0]->host<uint8_t>();
        parallelRanges(mCPU, split.outside * count, bytes / 8 + 4, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                const int64_t from = i / count * split.axis + wrapIndex(indices[i % count], split.axis);
                copyBytes(dst + i * bytes, src + from * bytes, bytes);
            }
        });
        return NO_ERROR;
    }

private:
    CPUBackend* mCPU;
    int mAxis;
    std::string mName;
};

// In: params, indices [batch..., depth].
class CPUGatherND final : public Execution {
public:
    CPUGatherND(CPUBackend* backend, int batchDims, std::string name)
        : Execution(backend), mCPU(backend), mBatchDims(batchDims), mName(std::move(name)) {}

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        const Tensor* params = inputs[0];
        const Tensor* index = inputs[1];
        const int depth = index->length(index->dimensions() - 1);
        const Strides strides = rowMajorStrides(params);
        int64_t batch = 1, slices = 1;
        for (int d = 0; d < index->dimensions() - 1; ++d) (d < mBatchDims ? batch : slices) *= index->length(d);
        const int64_t batchStep = mBatchDims > 0 ? strides[mBatchDims - 1] : 0;
        const int last = mBatchDims + depth - 1;
        const int64_t inner = last >= 0 ? strides[last] : TensorUtils::elements(params);
        if (batch * slices * inner != TensorUtils::elements(outputs[0])) {
            return fault(INPUT_DATA_ERROR, mName, inputs, "the output has another size than the indices say");
        }
        const int64_t bytes = inner * params->getType().bytes();
        std::atomic<bool> outside(false);
        parallelRanges(mCPU, batch * slices, bytes / 8 + 8 * depth, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                int64_t from = i / slices * batchStep;
                const int32_t* at = index->host<int32_t>() + i * depth;
                for (int k = 0; k < depth; ++k) {
                    const int64_t place = wrapIndex(at[k], params->length(mBatchDims + k));
                    if (place < 0) {
                        outside = true;
                        return;
                    }
                    from += place * strides[mBatchDims + k];
                }
                copyBytes(outputs[0]->host<uint8_t>() + i * bytes,
                          params->host<uint8_t>() + from * params->getType().bytes(), bytes);
            }
        });
        return outside ? fault(INVALID_VALUE, mName, inputs, kOutside) : NO_ERROR;
    }

private:
    CPUBackend* mCPU;
    int mBatchDims;
    std::string mName;
};

// In: data, indices [, axis]; the output has the shape of indices.
class CPUGatherElements final : public Execution {
public:
    CPUGatherElements(CPUBackend* backend, std::string name)
        : Execution(backend), mCPU(backend), mName(std::move(name)) {}

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        int axis = 0;
        if (!axisOf(inputs, 2, 0, inputs[0]->dimensions(), &axis))
            return fault(INVALID_VALUE, mName, inputs, "bad axis");
        std::atomic<bool> outside(false);
        const int last = inputs[1]->dimensions() - 1;
        const int64_t row = inputs[1]->length(last);
        const int64_t rows = row == 0 ? 0 : TensorUtils::elements(inputs[1]) / row;
        parallelRanges(mCPU, rows, row * 2 + 16, [&](int64_t begin, int64_t end) {
            for (int64_t r = begin; r < end; ++r) {
                const bool good = inputs[0]->getType().bytes() == 4 ? gatherRow<uint32_t>(inputs, outputs[0], axis, r)
                                                                    : gatherRow<uint8_t>(inputs, outputs[0], axis, r);
                if (!good) outside = true;
            }
        });
        return outside ? fault(INVALID_VALUE, mName, inputs, kOutside) : NO_ERROR;
    }

private:
    // One row along the last dimension of indices.
    template <typename T>
    static bool gatherRow(const Tensors& inputs, Tensor* output, int axis, int64_t row) {
        const Tensor* data = inputs[0];
        const Tensor* indices = inputs[1];
        const int last = indices->dimensions() - 1;
        const Strides strides = rowMajorStrides(data);
        int64_t base = 0, rest = row;
        for (int d = last - 1; d >= 0; --d) {
            if (d != axis) base += rest % indices->length(d) * strides[d];
            rest /= indices->length(d);
        }
        const int64_t length = indices->length(last), along = axis == last ? 0 : 1;
        const int32_t* index = indices->host<int32_t>() + row * length;
        T* to = output->host<T>() + row * length;
        for (int64_t j = 0; j < length; ++j) {
            const int64_t place = wrapIndex(index[j], data->length(axis));
            if (place < 0) return false;
            to[j] = data->host<T>()[base + j * along + place * strides[axis]];
        }
        return true;
    }

    CPUBackend* mCPU;
    std::string mName;
};

bool indexable(const Tensors& inputs, const Tensors& outputs) {
    return inputs.size() >= 2 && isInt32(inputs[1]) && inputs[0]->getType() == outputs[0]->getType();
}

}  // namespace

Execution* createCPUGather(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    if (!indexable(inputs, outputs) || inputs[0]->dimensions() < 1) {
        return refuse(op, inputs, outputs,
                      "needs params of rank 1 at least, int32 indices and an output of the type of params");
    }
    int axis = 0;
    if (op->main_as_Axis() != nullptr) axis = op->main_as_Axis()->axis();
    if (op->main_as_Gather() != nullptr) axis = op->main_as_Gather()->axis();
    return new CPUGather(backend, axis, opText(op));
}

Execution* createCPUGatherND(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const int batchDims = op->main_as_Axis() != nullptr ? op->main_as_Axis()->axis() : 0;
    const bool good = indexable(inputs, outputs) && inputs[1]->dimensions() >= 1 && batchDims >= 0 &&
                      batchDims < inputs[1]->dimensions() &&
                      batchDims + inputs[1]->length(inputs[1]->dimensions() - 1) <= inputs[0]->dimensions();
    if (!good) return refuse(op, inputs, outputs, "needs int32 indices within the rank of params, and one type");
    return new CPUGatherND(backend, batchDims, opText(op));
}

Execution* createCPUGatherElements(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const bool good = indexable(inputs, outputs) && inputs[0]->dimensions() >= 1 &&
                      inputs[0]->dimensions() == inputs[1]->dimensions() &&
                      (inputs[0]->getType().bytes() == 4 || inputs[0]->getType().bytes() == 1);
    if (!good) return refuse(op, inputs, outputs, "needs data and int32 indices of one rank, elements of 1 or 4 bytes");
    return new CPUGatherElements(backend, opText(op));
}

}  // namespace MNN
