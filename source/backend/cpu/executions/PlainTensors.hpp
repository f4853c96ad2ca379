// Row-major tensors as executions that index them see them.
#ifndef MNN_CPU_EXECUTIONS_PLAINTENSORS_HPP
#define MNN_CPU_EXECUTIONS_PLAINTENSORS_HPP

#include <array>
#include <cstring>
#include "backend/cpu/executions/AxisSplit.hpp"
#include "backend/cpu/executions/Refuse.hpp"
#include "core/TensorUtils.hpp"

namespace MNN {

AxisSplit splitAt(const Tensor* t, int axis);

using Strides = std::array<int64_t, kMaxRank>;
Strides rowMajorStrides(const Tensor* t);

// Element i of an int32 or float32 tensor; `fallback` when the tensor is absent or has no element i. Read in onExecute
// only.
double numberAt(const Tensor* t, int64_t i, double fallback);
int integerAt(const Tensor* t, int64_t i, int fallback);

// The axis that input `index` states (or `fallback`), made non-negative. False when it is out of range.
bool axisOf(const Tensors& inputs, size_t index, int fallback, int rank, int* axis);

// index in [-length, length) made non-negative; -1 when it is outside.
inline int64_t wrapIndex(int64_t index, int64_t length) {
    if (index < 0) index += length;
    return index >= 0 && index < length ? index : -1;
}

// Calls body(begin, end) over parts of [0, count), each worth claiming; costPerItem in simple operations.
template <typename F>
void parallelRanges(const CPUBackend* backend, int64_t count, int64_t costPerItem, F&& body) {
    constexpr int64_t kTileCost = 16 * 1024;
    if (count <= 0) return;
    const int64_t worth = count / std::max<int64_t>(1, kTileCost / std::max<int64_t>(1, costPerItem));
    const int parts = static_cast<int>(std::max<int64_t>(1, std::min<int64_t>(worth, int64_t(backend->threads()) * 8)));
    if (parts == 1 || backend->threads() == 1) return body(int64_t(0), count);
    backend->parallelFor(parts, [&](int part, int) { body(count * part / parts, count * (part + 1) / parts); });
}

// A copy that is one move for the commonest size.
inline void copyBytes(void* to, const void* from, int64_t bytes) {
    if (bytes == 4) {
        std::memcpy(to, from, 4);
    } else {
        std::memcpy(to, from, static_cast<size_t>(bytes));
    }
}

}  // namespace MNN
#endif
