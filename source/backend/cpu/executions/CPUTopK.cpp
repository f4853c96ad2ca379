// The k largest or smallest along an axis, best first; equal values in order of index. NaN counts as the largest.
#include <algorithm>
#include <numeric>
#include "backend/cpu/executions/PlainTensors.hpp"

namespace MNN {
namespace {

template <typename T>
bool above(T a, T b) {
    return a > b || (a != a && b == b);
}

// In: x, k [, axis]. Out: values, indices.
class CPUTopK final : public Execution {
public:
    CPUTopK(CPUBackend* backend, bool largest, std::string name)
        : Execution(backend), mCPU(backend), mLargest(largest), mName(std::move(name)) {}

    ErrorCode onResize(const Tensors& inputs, const Tensors&) override {
        int64_t longest = 1;
        for (int d = 0; d < inputs[0]->dimensions(); ++d) longest = std::max<int64_t>(longest, inputs[0]->length(d));
        mOrder.assign(mCPU->threads(), std::vector<int32_t>(static_cast<size_t>(longest)));
        mRow.assign(mCPU->threads(), std::vector<uint32_t>(static_cast<size_t>(longest)));
        return NO_ERROR;
    }

    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override {
        const int rank = inputs[0]->dimensions();
        int axis = 0;
        if (!axisOf(inputs, 2, -1, rank, &axis)) return fault(INVALID_VALUE, mName, inputs, "bad axis");
        for (int d = 0; d < rank; ++d) {
            if (d == axis ? outputs[0]->length(d) > inputs[0]->length(d)
                          : outputs[0]->length(d) != inputs[0]->length(d)) {
                return fault(INVALID_VALUE, mName, inputs, "k is above the length of the axis");
            }
        }
        const AxisSplit in = splitAt(inputs[0], axis);
        const int64_t k = outputs[0]->length(axis);
        mCPU->parallelFor(static_cast<int>(in.outside * in.inside), [&](int row, int worker) {
            if (isFloat32(inputs[0])) {
                selectRow<float>(inputs[0], outputs, in, k, row, worker);
            } else {
                selectRow<int32_t>(inputs[0], outputs, in, k, row, worker);
            }
        });
        return NO_ERROR;
    }

private:
    template <typename T>
    void selectRow(const Tensor* input, const Tensors& outputs, const AxisSplit& in, int64_t k, int64_t row,
                   int worker) {
        const int64_t outer = row / in.inside, inner = row % in.inside;
        const T* x = input->host<T>() + outer * in.axis * in.inside + inner;
        if (in.inside > 1) {
            T* copy = reinterpret_cast<T*>(mRow[worker].data());
            for (int64_t i = 0; i < in.axis; ++i) copy[i] = x[i * in.inside];
            x = copy;
        }
        int32_t* order = mOrder[worker].data();
        std::iota(order, order + in.axis, 0);
        const bool largest = mLargest;
        std::partial_sort(order, order + k, order + in.axis, [x, largest](int32_t a, int32_t b) {
            if (largest ? above(x[a], x[b]) : above(x[b], x[a])) return true;
            if (largest ? above(x[b], x[a]) : above(x[a], x[b])) return false;
            return a < b;
        });
        for (int64_t i = 0; i < k; ++i) {
            const int64_t to = (outer * k + i) * in.inside + inner;
            outputs[0]->host<T>()[to] = x[order[i]];
            if (outputs.size() > 1) outputs[1]->host<int32_t>()[to] = order[i];
        }
    }

    CPUBackend* mCPU;
    bool mLargest;
    std::string mName;
    // Per worker: indices of a row, and the row itself when it is not contiguous.
    std::vector<std::vector<int32_t>> mOrder;
    std::vector<std::vector<uint32_t>> mRow;
};

}  // namespace

Execution* createCPUTopK(const Op* op, const Tensors& inputs, const Tensors& outputs, CPUBackend* backend) {
    const bool good = inputs[0]->dimensions() >= 1 && inputs[0]->dimensions() == outputs[0]->dimensions() &&
                      (isFloat32(inputs[0]) || isInt32(inputs[0])) && inputs[0]->getType() == outputs[0]->getType() &&
                      (outputs.size() < 2 || isInt32(outputs[1]));
    if (!good) return refuse(op, inputs, outputs, "needs float32 or int32 of rank 1 at least, and int32 indices");
    const TopKV2* param = op->main_as_TopKV2();
    return new CPUTopK(backend, param == nullptr || param->largest(), opText(op));
}

}  // namespace MNN
