#include "Array.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace mnn_tools {
namespace {

using MNN::Tensor;

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

template <typename T>
T load(const uint8_t* p) {
    T value;
    std::memcpy(&value, p, sizeof(T));
    return value;
}

double halfToDouble(uint16_t h) {
    const int exponent = h >> 10 & 31, fraction = h & 1023;
    const double sign = (h & 0x8000) != 0 ? -1.0 : 1.0;
    if (exponent == 31) return fraction != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
    return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

struct TypeRow {
    Type type;
    const char* name;
    const char* npy;
    size_t bytes;
};

const TypeRow kTypes[] = {
    {Type::Float16, "float16", "<f2", 2}, {Type::Float32, "float32", "<f4", 4}, {Type::Float64, "float64", "<f8", 8},
    {Type::Int8, "int8", "|i1", 1},       {Type::Int16, "int16", "<i2", 2},     {Type::Int32, "int32", "<i4", 4},
    {Type::Int64, "int64", "<i8", 8},     {Type::UInt8, "uint8", "|u1", 1},     {Type::UInt16, "uint16", "<u2", 2},
    {Type::UInt32, "uint32", "<u4", 4},   {Type::UInt64, "uint64", "<u8", 8},   {Type::Bool, "bool", "|b1", 1},
};

const TypeRow& rowOf(Type type) {
    for (const TypeRow& row : kTypes) {
        if (row.type == type) return row;
    }
    fail("unknown element type");
}

void decodeElement(Array* array, const uint8_t* p) {
    switch (array->type) {
        case Type::Float16:
            array->reals.push_back(halfToDouble(load<uint16_t>(p)));
            break;
        case Type::Float32:
            array->reals.push_back(load<float>(p));
            break;
        case Type::Float64:
            array->reals.push_back(load<double>(p));
            break;
        case Type::Int8:
            array->integers.push_back(load<int8_t>(p));
            break;
        case Type::Int16:
            array->integers.push_back(load<int16_t>(p));
            break;
        case Type::Int32:
            array->integers.push_back(load<int32_t>(p));
            break;
        case Type::Int64:
            array->integers.push_back(load<int64_t>(p));
            break;
        case Type::UInt8:
            array->integers.push_back(load<uint8_t>(p));
            break;
        case Type::UInt16:
            array->integers.push_back(load<uint16_t>(p));
            break;
        case Type::UInt32:
            array->integers.push_back(load<uint32_t>(p));
            break;
        case Type::UInt64:
            array->integers.push_back(static_cast<int64_t>(load<uint64_t>(p)));
            break;
        case Type::Bool:
            array->integers.push_back(load<uint8_t>(p) != 0);
            break;
    }
}

template <typename T>
void append(std::string* out, T value) {
    out->append(reinterpret_cast<const char*>(&value), sizeof(T));
}

void encodeElement(const Array& a, int64_t i, std::string* out) {
    switch (a.type) {
        case Type::Float32:
            append(out, static_cast<float>(a.reals[i]));
            break;
        case Type::Float64:
            append(out, a.reals[i]);
            break;
        case Type::Int8:
            append(out, static_cast<int8_t>(a.integers[i]));
            break;
        case Type::Int16:
            append(out, static_cast<int16_t>(a.integers[i]));
            break;
        case Type::Int32:
            append(out, static_cast<int32_t>(a.integers[i]));
            break;
        case Type::Int64:
            append(out, a.integers[i]);
            break;
        case Type::UInt8:
        case Type::Bool:
            append(out, static_cast<uint8_t>(a.integers[i]));
            break;
        case Type::UInt16:
            append(out, static_cast<uint16_t>(a.integers[i]));
            break;
        case Type::UInt32:
            append(out, static_cast<uint32_t>(a.integers[i]));
            break;
        case Type::UInt64:
            append(out, static_cast<uint64_t>(a.integers[i]));
            break;
        case Type::Float16:
            fail("float16 arrays are read, not written");
    }
}

// The value of a key in the header's Python dictionary, as text up to the comma or brace that ends it.
std::string headerField(const std::string& header, const std::string& key, const std::string& path) {
    const size_t at = header.find("'" + key + "'");
    if (at == std::string::npos) fail(path + ": no '" + key + "' in the .npy header");
    size_t begin = header.find(':', at);
    if (begin == std::string::npos) fail(path + ": damaged .npy header");
    ++begin;
    while (begin < header.size() && header[begin] == ' ') ++begin;
    const char close = header[begin] == '(' ? ')' : ',';
    const size_t end = header.find(close, begin);
    if (end == std::string::npos) fail(path + ": damaged .npy header");
    return header.substr(begin, end - begin);
}

Type parseDescr(std::string descr, const std::string& path) {
    if (descr.size() > 2 && (descr.front() == '\'' || descr.front() == '"')) descr = descr.substr(1, descr.size() - 2);
    for (const TypeRow& row : kTypes) {
        if (descr.size() == 3 && descr.compare(1, 2, row.npy + 1) == 0 && descr[0] != '>') return row.type;
    }
    fail(path + ": element type " + descr + " is not supported");
}

std::vector<int64_t> parseShape(const std::string& text, const std::string& path) {
    if (text.empty() || text[0] != '(') fail(path + ": damaged .npy header");
    std::vector<int64_t> shape;
    std::stringstream stream(text.substr(1));
    std::string item;
    while (std::getline(stream, item, ',')) {
        if (item.find_first_of("0123456789") == std::string::npos) continue;
        const long long length = std::atoll(item.c_str());
        if (length < 0 || length > std::numeric_limits<int32_t>::max()) fail(path + ": absurd shape");
        shape.push_back(length);
    }
    return shape;
}

template <typename T>
void storeIntegers(const Array& array, Tensor* host, T lowest, T highest) {
    T* out = host->host<T>();
    for (int64_t i = 0; i < array.elements(); ++i) {
        const double v = array.at(i);
        if (!(v >= static_cast<double>(lowest) && v <= static_cast<double>(highest)) || v != std::floor(v)) {
            fail("value " + std::to_string(v) + " at element " + std::to_string(i) +
                 " does not fit the input's integer type");
        }
        out[i] = static_cast<T>(v);
    }
}

}  // namespace

size_t typeBytes(Type type) { return rowOf(type).bytes; }
const char* typeName(Type type) { return rowOf(type).name; }
bool isFloat(Type type) { return type == Type::Float16 || type == Type::Float32 || type == Type::Float64; }

int64_t Array::elements() const {
    // Of an empty array the other lengths may be anything, their product too.
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
    int64_t n = 1;
    for (int64_t length : shape) n *= length;
    return n;
}

std::string Array::text() const {
    std::string s = std::string(typeName(type)) + "[";
    for (size_t i = 0; i < shape.size(); ++i) s += (i > 0 ? "," : "") + std::to_string(shape[i]);
    return s + "]";
}

Array decodeArray(Type type, std::vector<int64_t> shape, const void* data, size_t bytes) {
    Array array;
    array.type = type;
    array.shape = std::move(shape);
    const size_t width = typeBytes(type);
    double wanted = static_cast<double>(width);
    for (int64_t length : array.shape) wanted *= static_cast<double>(length);
    if (wanted > static_cast<double>(bytes)) fail("the data is shorter than its shape " + array.text());
    const auto* p = static_cast<const uint8_t*>(data);
    const int64_t count = array.elements();
    (isFloat(type) ? array.reals.reserve(count) : array.integers.reserve(count));
    for (int64_t i = 0; i < count; ++i) decodeElement(&array, p + i * width);
    return array;
}

Array readNpy(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) fail("cannot open '" + path + "'");
    return parseNpy(std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>()), path);
}

Array parseNpy(const std::string& bytes, const std::string& path) {
    if (bytes.size() < 12 || bytes.compare(0, 6, "\x93NUMPY") != 0) fail("'" + path + "' is no .npy file");
    const bool shortHeader = bytes[6] == 1;
    const auto* p = reinterpret_cast<const uint8_t*>(bytes.data());
    const size_t length = shortHeader ? load<uint16_t>(p + 8) : load<uint32_t>(p + 8);
    const size_t begin = shortHeader ? 10 : 12;
    if (length > bytes.size() - begin) fail("'" + path + "' is cut off");
    const std::string header = bytes.substr(begin, length);
    if (headerField(header, "fortran_order", path) != "False")
        fail("'" + path + "' is in column order; save it with numpy.ascontiguousarray");
    const size_t data = begin + length;
    return decodeArray(parseDescr(headerField(header, "descr", path), path),
                       parseShape(headerField(header, "shape", path), path), bytes.data() + data, bytes.size() - data);
}

void writeNpy(const std::string& path, const Array& array) {
    std::string shape;
    for (int64_t length : array.shape) shape += std::to_string(length) + ",";
    std::string header =
        std::string("{'descr': '") + rowOf(array.type).npy + "', 'fortran_order': False, 'shape': (" + shape + "), }";
    header.append(64 - (10 + header.size() + 1) % 64, ' ');
    header.push_back('\n');
    std::string out("\x93NUMPY\x01\x00", 8);
    append(&out, static_cast<uint16_t>(header.size()));
    out += header;
    for (int64_t i = 0; i < array.elements(); ++i) encodeElement(array, i, &out);
    std::ofstream file(path, std::ios::binary);
    file.write(out.data(), static_cast<std::streamsize>(out.size()));
    if (!file.flush()) fail("cannot write '" + path + "'");
}

void toTensor(const Array& array, Tensor* tensor) {
    const std::vector<int> shape = tensor->shape();
    if (std::vector<int64_t>(shape.begin(), shape.end()) != array.shape) {
        fail("the input is " + array.text() + ", the model's tensor has another shape");
    }
    Tensor host(tensor, tensor->getDimensionType() == Tensor::TENSORFLOW ? Tensor::TENSORFLOW : Tensor::CAFFE, true);
    const halide_type_t type = tensor->getType();
    if (type.code == halide_type_float && type.bits == 32) {
        for (int64_t i = 0; i < array.elements(); ++i) host.host<float>()[i] = static_cast<float>(array.at(i));
    } else if (type.bits == 32) {
        storeIntegers<int32_t>(array, &host, INT32_MIN, INT32_MAX);
    } else if (type.code == halide_type_uint && type.bits == 8) {
        storeIntegers<uint8_t>(array, &host, 0, 255);
    } else if (type.bits == 8) {
        storeIntegers<int8_t>(array, &host, -128, 127);
    } else {
        fail("the model's input type is not supported here");
    }
    if (!tensor->copyFromHostTensor(&host)) fail("the input cannot be copied into the session");
}

Array fromTensor(const Tensor* tensor) {
    Tensor host(tensor, tensor->getDimensionType() == Tensor::TENSORFLOW ? Tensor::TENSORFLOW : Tensor::CAFFE, true);
    if (!tensor->copyToHostTensor(&host)) fail("the output cannot be copied from the session");
    const halide_type_t type = tensor->getType();
    Type t = Type::Float32;
    if (type.code == halide_type_float && type.bits == 16) t = Type::Float16;
    if (type.code == halide_type_int) t = type.bits == 8 ? Type::Int8 : Type::Int32;
    if (type.code == halide_type_uint) t = Type::UInt8;
    const std::vector<int> shape = host.shape();
    return decodeArray(t, std::vector<int64_t>(shape.begin(), shape.end()), host.host<void>(), host.usize());
}

}  // namespace mnn_tools
