#include "Compare.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace mnn_primitives {
namespace {

template <typename T>
void put(MNN::Tensor* host, const Array& array) {
    for (size_t i = 0; i < array.count(); ++i) host->host<T>()[i] = static_cast<T>(array.values[i]);
}

halide_type_t halideType(Type type) {
    switch (type) {
        case Type::Float:
            return halide_type_of<float>();
        case Type::Int:
            return halide_type_of<int32_t>();
        case Type::Int8:
            return halide_type_of<int8_t>();
        case Type::Uint8:
            return halide_type_of<uint8_t>();
    }
    return halide_type_t();
}

double element(const MNN::Tensor& host, Type type, size_t i) {
    switch (type) {
        case Type::Float:
            return host.host<float>()[i];
        case Type::Int:
            return host.host<int32_t>()[i];
        case Type::Int8:
            return host.host<int8_t>()[i];
        case Type::Uint8:
            return host.host<uint8_t>()[i];
    }
    return 0;
}

bool isClose(double got, double want, const Tolerance& tolerance) {
    if (std::isnan(want) || std::isnan(got)) return std::isnan(want) == std::isnan(got);
    if (std::isinf(want) || std::isinf(got)) return want == got;
    return std::fabs(got - want) <= tolerance.absolute + tolerance.relative * std::fabs(want);
}

Index indexOf(const Shape& shape, size_t place) {
    Index index(shape.size());
    for (size_t d = shape.size(); d-- > 0;) {
        index[d] = static_cast<int>(place % shape[d]);
        place /= shape[d];
    }
    return index;
}

}  // namespace

bool write(MNN::Tensor* tensor, const Array& array) {
    if (tensor == nullptr || tensor->shape() != array.shape || !(tensor->getType() == halideType(array.type)))
        return false;
    MNN::Tensor host(tensor, MNN::Tensor::CAFFE, true);
    switch (array.type) {
        case Type::Float:
            put<float>(&host, array);
            break;
        case Type::Int:
            put<int32_t>(&host, array);
            break;
        case Type::Int8:
            put<int8_t>(&host, array);
            break;
        case Type::Uint8:
            put<uint8_t>(&host, array);
            break;
    }
    return array.count() == 0 || tensor->copyFromHostTensor(&host);
}

void poison(MNN::Tensor* tensor) {
    if (tensor->usize() == 0) return;
    MNN::Tensor host(tensor, MNN::Tensor::CAFFE, true);
    std::memset(host.host<uint8_t>(), 0xFF, host.usize());
    tensor->copyFromHostTensor(&host);
}

std::string mismatch(const MNN::Tensor* tensor, const Array& want, const Tolerance& tolerance) {
    if (tensor->shape() != want.shape) return "shape " + textOf(tensor->shape()) + ", want " + textOf(want.shape);
    if (!(tensor->getType() == halideType(want.type))) return "its type is not that of " + textOf(want);
    if (want.count() == 0) return "";
    MNN::Tensor host(tensor, MNN::Tensor::CAFFE, true);
    if (!tensor->copyToHostTensor(&host)) return "cannot be read";
    for (size_t i = 0; i < want.count(); ++i) {
        const double got = element(host, want.type, i);
        if (isClose(got, want.values[i], want.type == Type::Float ? tolerance : Tolerance{0, 0})) continue;
        char text[96];
        std::snprintf(text, sizeof(text), " is %.9g, want %.9g", got, want.values[i]);
        return "element " + textOf(indexOf(want.shape, i)) + text;
    }
    return "";
}

}  // namespace mnn_primitives
