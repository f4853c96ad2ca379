// Writes by index: ScatterNd and ScatterElements. Updates are applied in order, so the last of equal indices stays.
#include <algorithm>
#include "backend/cpu/executions/PlainTensors.hpp"

namespace MNN {
namespace {

enum class Combine : uint8_t { Replace, Add, Multiply, Maximum, Minimum };

bool readCombine(const Op* op, Combine fallback, Combine* combine) {
    *combine = fallback;
    const BinaryOp* binary = op->main_as_BinaryOp();
    // MNN's converter writes -1 where ONNX asks for no reduction.
    if (binary == nullptr || static_cast<int>(binary->opType()) == -1) return true;
    switch (binary->opType()) {
        case BinaryOpOperation_ADD:
            *combine = Combine::Add;
            return true;
        case BinaryOpOperation_MUL:
            *combine = Combine::Multiply;
            return true;
        case BinaryOpOperation_MAXIMUM:
            *combine = Combine::Maximum;
            return true;
        case BinaryOpOperation_MINIMUM:
            *combine = Combine::Minimum;
            return true;
        default:
            return false;
    }
}

template <typename T>
void combineRow(Combine combine, T* to, const T* from, int64_t n) {
    switch (combine) {
        case Combine::Replace:
            std::memcpy(to, from, static_cast<size_t>(n) * sizeof(T));
            break;
        case Combine::Add:
            for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(to[i] + from[i]);
            break;
        case Combine::Multiply:
            for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(to[i] * from[i]);
            break;
        case Combine::Maximum:
            for (int64_t i = 0; i < n; ++i) to[i] = std::max(to[i], from[i]);
            break;
        case Combine::Minimum:
            for (int64_t i = 0; i < n; ++i) to[i] = std::min(to[i], from[i]);
            break;
    }
}

using CombineRow = void (*)(Combine, void*, const void*, int64_t);

template <typename T>
void combineBytes(Combine combine, void* to, const void* from, int64_t n) {
    combineRow(combine, static_cast<T*>(to), static_cast<const T*>(from), n);
}

CombineRow combinerOf(halide_type_t type) {
    if (type == halide_type_of<float>()) return combineBytes<float>;
    if (type == halide_type_of<int32_t>()) return combineBytes<int32_t>;
    if (type == halide_type_of<uint8_t>()) return combineBytes<uint8_t>;
    if (type == halide_type_of<int8_t>()) return combineBytes<int8_t>;
    return nullptr;
}

void startFrom(const Tensor* data, Tensor* output) {
    const size_t bytes = TensorUtils::storageBytes(output);
    if (bytes == 0) return;
    if (data == nullptr) {
        std::memset(output->host<uint8_t>(), 0, bytes);
    } else if (data->host<uint8_t>() != output->host<uint8_t>()) {
        std::memcpy(output->host<uint8_t>(), data->host<uint8_t>(), bytes);
    }
}

// In: indices [..., depth], updates, shape [, data].
class CPUScatterNd final : public Execution {
public:
    CPUScatterNd(CPUBackend* backend, Combine combine, CombineRow row, std::string name)
        : Execution(backend), mCombine(combine), mRow(row), mName(std::move(name)) {}

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        const Tensor* index = inputs[0];
        Tensor* output = outputs[0];
        const int depth = index->length(index->dimensions() - 1);
        const Strides strides = rowMajorStrides(output);
        const int64_t inner = depth == 0 ? TensorUtils::elements(output) : strides[depth - 1];
        const int64_t slices = depth == 0 ? TensorUtils::elements(inputs[1]) / std::max<int64_t>(inner, 1)
                                          : TensorUtils::elements(index) / depth;
        if (slices * inner != TensorUtils::elements(inputs[1])) {
            return fault(INPUT_DATA_ERROR, mName, inputs, "updates do not fit the indices");
        }
        startFrom(inputs.size() > 3 ? inputs[3] : nullptr, output);
        const int bytes = output->getType().bytes();
        for (int64_t i = 0; i < slices; ++i) {
            int64_t to = 0;
            for (int k = 0; k < depth; ++k) {
                const int64_t place = wrapIndex(index->host<int32_t>()[i * depth + k], output->length(k));
                if (place < 0) return fault(INVALID_VALUE, mName, inputs, "an index is out of range");
                to += place * strides[k];
            }
            mRow(mCombine, output->host<uint8_t>() + to * bytes, inputs[1]->host<uint8_t>() + i * inner * bytes, inner);
        }
        return NO_ERROR;
    }

private:
    Combine mCombine;
    CombineRow mRow;
    std::string mName;
};

// In: data, indices, updates [, axis].
class CPUScatterElements final : public Execution {
public:
    CPUScatterElements(CPUBackend* backend, Combine combine, CombineRow row, std::string name)
        : Execution(backend), mCombine(combine), mRow(row), mName(std::move(name)) {}

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        const Tensor* index = inputs[1];
        Tensor* output = outputs[0];
        const int rank = index->dimensions();
        int axis = 0;
        if (!axisOf(inputs, 3, 0, rank, &axis)) return fault(INVALID_VALUE, mName, inputs, "bad axis");
        if (!fits(index, inputs[2], output, axis)) {
            return fault(INPUT_DATA_ERROR, mName, inputs, "indices and updates do not fit the data");
        }
        startFrom(inputs[0], output);
        const Strides strides = rowMajorStrides(output);
        const int64_t count = TensorUtils::elements(index);
        const int bytes = output->getType().bytes();
        int at[kMaxRank] = {};
        for (int64_t i = 0; i < count; ++i) {
            const int64_t place = wrapIndex(index->host<int32_t>()[i], output->length(axis));
            if (place < 0) return fault(INVALID_VALUE, mName, inputs, "an index is out of range");
            int64_t to = place * strides[axis];
            for (int d = 0; d < rank; ++d) to += d == axis ? 0 : at[d] * strides[d];
            mRow(mCombine, output->host<uint8_t>() + to * bytes, inputs[2]->host<uint8_t>() + i * bytes, 1);
            for (int d = rank - 1; d >= 0 && ++at[d] == index->length(d); --d) at[d] = 0;
        }
        return NO_ERROR;
    }

private:
    static bool fits(const Tensor* index, const Tensor* updates, const Tensor* output, int axis) {
        if (!TensorUtils::sameShape(index, updates) || index->dimensions() != output->dimensions()) return false;
        for (int d = 0; d < index->dimensions(); ++d) {
            if (d != axis && index->length(d) > output->length(d)) return false;
        }
        return true;
    }

    Combine mCombine;
    CombineRow mRow;
    std::string mName;
};

}  // namespace

Execution* createCPUScatterNd(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const bool good = inputs.size() >= 3 && isInt32(inputs[0]) && inputs[0]->dimensions() >= 1 &&
                      inputs[1]->getType() == outputs[0]->getType() &&
                      inputs[0]->length(inputs[0]->dimensions() - 1) <= outputs[0]->dimensions() &&
                      (inputs.size() < 4 || (inputs[3]->getType() == outputs[0]->getType() &&
                                             TensorUtils::sameShape(inputs[3], outputs[0])));
    const CombineRow row = combinerOf(outputs[0]->getType());
    Combine combine;
    // TensorFlow's scatter, which starts from zero, adds up equal indices.
    if (!good || row == nullptr || !readCombine(op, inputs.size() > 3 ? Combine::Replace : Combine::Add, &combine)) {
        return refuse(op, inputs, outputs, "needs int32 indices, one type of data, and a known reduction");
    }
    return new CPUScatterNd(backend, combine, row, opText(op));
}

Execution* createCPUScatterElements(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const bool good = inputs.size() >= 3 && isInt32(inputs[1]) && inputs[0]->dimensions() >= 1 &&
                      inputs[0]->getType() == outputs[0]->getType() && inputs[2]->getType() == outputs[0]->getType() &&
                      TensorUtils::sameShape(inputs[0], outputs[0]);
    const CombineRow row = combinerOf(outputs[0]->getType());
    Combine combine;
    if (!good || row == nullptr || !readCombine(op, Combine::Replace, &combine)) {
        return refuse(op, inputs, outputs, "needs int32 indices, one type of data, and a known reduction");
    }
    return new CPUScatterElements(backend, combine, row, opText(op));
}

}  // namespace MNN
