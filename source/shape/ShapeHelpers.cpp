#include "shape/Rule.hpp"

#include <MNN/MNNDefine.h>
#include <cstdio>
#include <limits>
#include "core/OpText.hpp"

namespace MNN {
namespace shape {

int64_t product(std::initializer_list<int64_t> factors) { return product(Dims(factors), 0, factors.size()); }

int64_t product(const Dims& dims, size_t begin, size_t end) {
    int64_t result = 1;
    bool zero = false, wrapped = false;
    for (size_t i = begin; i < end && i < dims.size(); ++i) {
        zero = zero || dims[i] == 0;
        wrapped = wrapped || __builtin_mul_overflow(result, dims[i], &result);
    }
    if (zero) return 0;
    return wrapped ? std::numeric_limits<int64_t>::max() : result;
}

std::string text(const Dims& dims) {
    std::string result = "[";
    for (size_t i = 0; i < dims.size(); ++i) result += (i > 0 ? "," : "") + std::to_string(dims[i]);
    return result + "]";
}

MNN_DATA_FORMAT formatOf(const Tensor* t) {
    const auto format = TensorUtils::describe(t)->format;
    return format == MNN_DATA_FORMAT_NC4HW4 ? MNN_DATA_FORMAT_NCHW : format;
}
int channelAxis(const Tensor* t) { return formatOf(t) == MNN_DATA_FORMAT_NHWC ? t->dimensions() - 1 : 1; }
int spatialAxis(const Tensor* t) { return formatOf(t) == MNN_DATA_FORMAT_NHWC ? 1 : 2; }

Dims dimsOf(const Tensor* t) {
    Dims dims(t->dimensions());
    for (size_t i = 0; i < dims.size(); ++i) dims[i] = t->length(static_cast<int>(i));
    return dims;
}

halide_type_t typeOf(DataType type) {
    switch (type) {
        case DataType_DT_BOOL:
        case DataType_DT_INT64:
        case DataType_DT_INT16:
        case DataType_DT_UINT16:
        case DataType_DT_QINT32:
            return halide_type_of<int32_t>();
        case DataType_DT_INVALID:
        case DataType_DT_DOUBLE:
        case DataType_DT_HALF:
        case DataType_DT_BFLOAT16:
            return halide_type_of<float>();
        default:
            return TensorUtils::halideType(type);
    }
}

bool vfail(const Op* op, const Tensors& inputs, const char* format, va_list arguments) {
    char message[768];
    vsnprintf(message, sizeof(message), format, arguments);
    const std::string shapes = tensorsText(inputs);
    MNN_ERROR("op %s: %s; inputs %s\n", opText(op).c_str(), message, shapes.empty() ? "none" : shapes.c_str());
    return false;
}

bool fail(const Op* op, const Tensors& inputs, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfail(op, inputs, format, arguments);
    va_end(arguments);
    return false;
}

void set(Tensor* t, const std::vector<int>& dims, halide_type_t type, MNN_DATA_FORMAT format) {
    t->buffer().type = type;
    TensorUtils::setFormat(t, format == MNN_DATA_FORMAT_NC4HW4 ? MNN_DATA_FORMAT_NCHW : format);
    TensorUtils::setShape(t, dims);
}

void setLike(Tensor* t, const std::vector<int>& dims, const Tensor* like) {
    set(t, dims, like->getType(), formatOf(like));
}

bool normalizeAxis(int* axis, int rank) {
    if (*axis < -rank || *axis >= rank) return false;
    if (*axis < 0) *axis += rank;
    return true;
}

bool broadcast(const Tensors& inputs, std::vector<int>* dims) {
    dims->clear();
    for (const Tensor* t : inputs) {
        const size_t rank = t->dimensions();
        if (dims->size() < rank) dims->insert(dims->begin(), rank - dims->size(), 1);
        for (size_t i = 0; i < rank; ++i) {
            int& out = (*dims)[dims->size() - rank + i];
            const int in = t->length(static_cast<int>(i));
            if (out == 1) {
                out = in;
            } else if (in != 1 && in != out) {
                return false;
            }
        }
    }
    return true;
}

namespace {
// Wider integers and floats beyond int32 land on its ends: "to the end" is often written as INT64_MAX.
template <typename T>
int clampToInt(T value) {
    if (!(value > static_cast<T>(std::numeric_limits<int>::min()))) return std::numeric_limits<int>::min();
    if (value >= static_cast<T>(std::numeric_limits<int>::max())) return std::numeric_limits<int>::max();
    return static_cast<int>(value);
}
template <typename T>
std::vector<int> convert(const Tensor* t, int64_t count) {
    std::vector<int> result(count);
    const T* data = t->host<T>();
    for (int64_t i = 0; i < count; ++i) result[i] = clampToInt<double>(static_cast<double>(data[i]));
    return result;
}
bool readable(halide_type_t type) {
    switch (type.code) {
        case halide_type_float:
            return type.bits == 32;
        case halide_type_int:
            return type.bits == 8 || type.bits == 32 || type.bits == 64;
        default:
            return type.code == halide_type_uint && type.bits == 8;
    }
}
}  // namespace

std::vector<int> readInts(const Tensor* t) {
    const int64_t count = TensorUtils::elements(t);
    const halide_type_t type = t->getType();
    if (t->host<void>() == nullptr || count <= 0 || !readable(type)) return {};
    if (type.code == halide_type_float) return convert<float>(t, count);
    if (type.code == halide_type_uint) return convert<uint8_t>(t, count);
    if (type.bits == 8) return convert<int8_t>(t, count);
    return type.bits == 64 ? convert<int64_t>(t, count) : convert<int32_t>(t, count);
}

bool Rule::fail(const char* format, ...) const {
    va_list arguments;
    va_start(arguments, format);
    vfail(op, inputs, format, arguments);
    va_end(arguments);
    return false;
}

bool Rule::arity(size_t minInputs, size_t minOutputs) const {
    if (outputs.size() < minOutputs) return fail("needs %zu outputs and has %zu", minOutputs, outputs.size());
    for (size_t i = 0; i < minInputs; ++i) {
        if (!has(i)) return fail("needs %zu inputs and has %zu", minInputs, inputs.size());
    }
    return true;
}

bool Rule::rankBetween(size_t input, int low, int high) const {
    const int r = rank(input);
    if (r >= low && r <= high) return true;
    if (low == high) return fail("input %zu has rank %d, this op takes rank %d", input, r, low);
    return fail("input %zu has rank %d, this op takes ranks %d to %d", input, r, low, high);
}

bool Rule::axis(int value, int rank, int* result) const {
    *result = value;
    return normalizeAxis(result, rank) || fail("axis %d is outside rank %d", value, rank);
}

bool Rule::ints(size_t input, std::vector<int>* values) const {
    const Tensor* t = inputs[input];
    values->clear();
    if (TensorUtils::elements(t) == 0) return true;
    *values = readInts(t);
    if (!values->empty()) return true;
    if (!readable(t->getType())) return fail("the content of input %zu must be integers or floats", input);
    return fail("the content of input %zu is not known while shapes are inferred", input);
}

bool Rule::scalar(size_t input, int* value) const {
    std::vector<int> values;
    if (!ints(input, &values)) return false;
    if (values.empty()) return fail("input %zu is empty, one number is needed", input);
    *value = values[0];
    return true;
}

bool Rule::set(size_t output, const Dims& dims, halide_type_t type, MNN_DATA_FORMAT format) const {
    constexpr int64_t limit = std::numeric_limits<int32_t>::max();
    if (dims.size() > static_cast<size_t>(kMaxRank)) {
        return fail("output %zu would be %s; at most %d dimensions are supported", output, text(dims).c_str(),
                    kMaxRank);
    }
    for (int64_t d : dims) {
        if (d < 0) return fail("output %zu would be %s, which has a negative length", output, text(dims).c_str());
        if (d > limit) return fail("output %zu would be %s, which is too large", output, text(dims).c_str());
    }
    if (product(dims, 0, dims.size()) > limit) {
        return fail("output %zu would be %s, which has more than 2^31 - 1 elements", output, text(dims).c_str());
    }
    shape::set(outputs[output], std::vector<int>(dims.begin(), dims.end()), type, format);
    return true;
}

bool Rule::setLike(size_t output, const Dims& dims, const Tensor* like) const {
    return set(output, dims, like->getType(), formatOf(like));
}

bool Rule::same() const {
    if (!arity(1)) return false;
    for (size_t i = 0; i < outputs.size(); ++i) {
        if (!setLike(i, dimsOf(inputs[0]))) return false;
    }
    return true;
}

}  // namespace shape
}  // namespace MNN
