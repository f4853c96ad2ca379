#include "backend/cpu/executions/PlainTensors.hpp"

#include <cmath>

namespace MNN {

AxisSplit splitAt(const Tensor* t, int axis) {
    AxisSplit split;
    split.set(t, axis);
    return split;
}

Strides rowMajorStrides(const Tensor* t) {
    Strides strides{};
    int64_t stride = 1;
    for (int d = t->dimensions() - 1; d >= 0; --d) {
        strides[d] = stride;
        stride *= t->length(d);
    }
    return strides;
}

double numberAt(const Tensor* t, int64_t i, double fallback) {
    if (t == nullptr || t->host<void>() == nullptr || i >= TensorUtils::elements(t)) return fallback;
    if (isFloat32(t)) return t->host<float>()[i];
    if (isInt32(t)) return t->host<int32_t>()[i];
    if (t->getType() == halide_type_of<uint8_t>()) return t->host<uint8_t>()[i];
    return t->getType() == halide_type_of<int8_t>() ? t->host<int8_t>()[i] : fallback;
}

int integerAt(const Tensor* t, int64_t i, int fallback) {
    const double value = numberAt(t, i, fallback);
    return value > -2147483649.0 && value < 2147483648.0 ? static_cast<int>(value) : fallback;
}

bool axisOf(const Tensors& inputs, size_t index, int fallback, int rank, int* axis) {
    const int stated = index < inputs.size() ? integerAt(inputs[index], 0, fallback) : fallback;
    *axis = static_cast<int>(wrapIndex(stated, rank));
    return *axis >= 0;
}

}  // namespace MNN
