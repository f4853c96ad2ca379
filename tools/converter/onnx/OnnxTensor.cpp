#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>

#include "graph/BlobView.hpp"
#include "onnx/ExternalData.hpp"
#include "onnx/OnnxReader.hpp"

namespace MNN {
namespace Converter {

using onnx::TensorProto;

DataType dataTypeOf(int type) {
    switch (type) {
        case TensorProto::FLOAT:
            return DataType_DT_FLOAT;
        case TensorProto::DOUBLE:
            return DataType_DT_DOUBLE;
        case TensorProto::FLOAT16:
            return DataType_DT_HALF;
        case TensorProto::BFLOAT16:
            return DataType_DT_BFLOAT16;
        case TensorProto::FLOAT8E4M3FN:
        case TensorProto::FLOAT8E4M3FNUZ:
        case TensorProto::FLOAT8E5M2:
        case TensorProto::FLOAT8E5M2FNUZ:
        case TensorProto::FLOAT4E2M1:
            return DataType_DT_FLOAT;
        case TensorProto::INT4:
        case TensorProto::INT8:
            return DataType_DT_INT8;
        case TensorProto::UINT4:
        case TensorProto::UINT8:
            return DataType_DT_UINT8;
        case TensorProto::INT16:
            return DataType_DT_INT16;
        case TensorProto::UINT16:
            return DataType_DT_UINT16;
        case TensorProto::UINT32:
        case TensorProto::INT32:
            return DataType_DT_INT32;
        case TensorProto::UINT64:
        case TensorProto::INT64:
            return DataType_DT_INT64;
        case TensorProto::BOOL:
            return DataType_DT_BOOL;
        case TensorProto::STRING:
            return DataType_DT_STRING;
        default:
            throw ConvertError(std::string("element type ") + onnxTypeName(type) + " is not supported");
    }
}

const char* onnxTypeName(int type) {
    static const char* names[] = {"undefined",      "float",    "uint8",        "int8",           "uint16",
                                  "int16",          "int32",    "int64",        "string",         "bool",
                                  "float16",        "double",   "uint32",       "uint64",         "complex64",
                                  "complex128",     "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
                                  "float8e5m2fnuz", "uint4",    "int4",         "float4e2m1"};
    return type >= 0 && type < 24 ? names[type] : "unknown";
}

namespace {

float bitsToFloat(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
}

// A small float with `mantissa` fraction bits; `finite` formats have no infinity and one NaN.
float smallFloat(unsigned bits, int exponentBits, int mantissaBits, int bias) {
    const int sign = (bits >> (exponentBits + mantissaBits)) & 1;
    const int exponent = (bits >> mantissaBits) & ((1 << exponentBits) - 1);
    const int mantissa = bits & ((1 << mantissaBits) - 1);
    const float fraction = static_cast<float>(mantissa) / static_cast<float>(1 << mantissaBits);
    const float value = exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1.0f + fraction, exponent - bias);
    return sign ? -value : value;
}

float decodeFloat8(int type, unsigned bits) {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    switch (type) {
        case TensorProto::FLOAT8E4M3FN:
            return (bits & 0x7f) == 0x7f ? nan : smallFloat(bits, 4, 3, 7);
        case TensorProto::FLOAT8E4M3FNUZ:
            return bits == 0x80 ? nan : smallFloat(bits, 4, 3, 8);
        case TensorProto::FLOAT8E5M2FNUZ:
            return bits == 0x80 ? nan : smallFloat(bits, 5, 2, 16);
        default:
            if ((bits & 0x7f) > 0x7c) return nan;
            if ((bits & 0x7f) == 0x7c) return bits & 0x80 ? -inf : inf;
            return smallFloat(bits, 5, 2, 15);
    }
}

float halfToFloat(uint16_t bits) {
    const int exponent = (bits >> 10) & 31;
    if (exponent != 31) return smallFloat(bits, 5, 10, 15);
    const float inf = std::numeric_limits<float>::infinity();
    if (bits & 0x3ff) return std::numeric_limits<float>::quiet_NaN();
    return bits & 0x8000 ? -inf : inf;
}

// Bytes of one element in raw_data; 0 for types counted in bits.
size_t rawBytes(int type) {
    switch (type) {
        case TensorProto::DOUBLE:
        case TensorProto::INT64:
        case TensorProto::UINT64:
            return 8;
        case TensorProto::FLOAT:
        case TensorProto::INT32:
        case TensorProto::UINT32:
            return 4;
        case TensorProto::FLOAT16:
        case TensorProto::BFLOAT16:
        case TensorProto::INT16:
        case TensorProto::UINT16:
            return 2;
        case TensorProto::UINT4:
        case TensorProto::INT4:
        case TensorProto::FLOAT4E2M1:
            return 0;
        default:
            return 1;
    }
}

template <class T>
T load(const char* data, size_t i) {
    T value;
    std::memcpy(&value, data + i * sizeof(T), sizeof(T));
    return value;
}

unsigned nibble(const char* data, size_t i) { return (static_cast<uint8_t>(data[i / 2]) >> (i % 2 * 4)) & 15; }

int64_t clampUnsigned(uint64_t value) { return static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX)); }

void decodeRaw(int type, const char* data, size_t count, BlobT& out) {
    for (size_t i = 0; i < count; ++i) {
        switch (type) {
            case TensorProto::FLOAT:
                out.float32s[i] = load<float>(data, i);
                break;
            case TensorProto::DOUBLE:
                setBlob(out, i, load<double>(data, i));
                break;
            case TensorProto::FLOAT16:
                out.float32s[i] = halfToFloat(load<uint16_t>(data, i));
                break;
            case TensorProto::BFLOAT16:
                out.float32s[i] = bitsToFloat(uint32_t(load<uint16_t>(data, i)) << 16);
                break;
            case TensorProto::FLOAT4E2M1:
                out.float32s[i] = smallFloat(nibble(data, i), 2, 1, 1);
                break;
            case TensorProto::FLOAT8E4M3FN:
            case TensorProto::FLOAT8E4M3FNUZ:
            case TensorProto::FLOAT8E5M2:
            case TensorProto::FLOAT8E5M2FNUZ:
                out.float32s[i] = decodeFloat8(type, static_cast<uint8_t>(data[i]));
                break;
            case TensorProto::INT64:
                setBlobInt(out, i, load<int64_t>(data, i));
                break;
            case TensorProto::UINT64:
                setBlobInt(out, i, clampUnsigned(load<uint64_t>(data, i)));
                break;
            case TensorProto::INT32:
                setBlobInt(out, i, load<int32_t>(data, i));
                break;
            case TensorProto::UINT32:
                setBlobInt(out, i, load<uint32_t>(data, i));
                break;
            case TensorProto::INT16:
                setBlobInt(out, i, load<int16_t>(data, i));
                break;
            case TensorProto::UINT16:
                setBlobInt(out, i, load<uint16_t>(data, i));
                break;
            case TensorProto::INT8:
                setBlobInt(out, i, load<int8_t>(data, i));
                break;
            case TensorProto::INT4:
                setBlobInt(out, i, static_cast<int>(nibble(data, i) ^ 8) - 8);
                break;
            case TensorProto::UINT4:
                setBlobInt(out, i, nibble(data, i));
                break;
            case TensorProto::BOOL:
                setBlobInt(out, i, data[i] != 0);
                break;
            default:
                setBlobInt(out, i, static_cast<uint8_t>(data[i]));
                break;
        }
    }
}

// Elements in the typed repeated fields. Narrow types ride in int32_data by value, small floats by bit pattern.
size_t typedCount(const TensorProto& t) {
    switch (t.data_type()) {
        case TensorProto::FLOAT:
            return t.float_data_size();
        case TensorProto::DOUBLE:
            return t.double_data_size();
        case TensorProto::INT64:
            return t.int64_data_size();
        case TensorProto::UINT32:
        case TensorProto::UINT64:
            return t.uint64_data_size();
        case TensorProto::INT4:
        case TensorProto::UINT4:
        case TensorProto::FLOAT4E2M1:
            return t.int32_data_size() * size_t(2);
        default:
            return t.int32_data_size();
    }
}

void decodeTyped(const TensorProto& t, size_t count, BlobT& out) {
    const int type = t.data_type();
    for (size_t k = 0; k < count; ++k) {
        const int i = static_cast<int>(k);
        switch (type) {
            case TensorProto::FLOAT:
                out.float32s[k] = t.float_data(i);
                break;
            case TensorProto::DOUBLE:
                setBlob(out, k, t.double_data(i));
                break;
            case TensorProto::INT64:
                setBlobInt(out, k, t.int64_data(i));
                break;
            case TensorProto::UINT32:
            case TensorProto::UINT64:
                setBlobInt(out, k, clampUnsigned(t.uint64_data(i)));
                break;
            case TensorProto::INT32:
            case TensorProto::INT16:
            case TensorProto::UINT16:
            case TensorProto::INT8:
            case TensorProto::UINT8:
                setBlobInt(out, k, t.int32_data(i));
                break;
            case TensorProto::BOOL:
                setBlobInt(out, k, t.int32_data(i) != 0);
                break;
            default: {
                // Bit patterns: the low bytes of the int32 are what raw_data would hold.
                const bool packed = rawBytes(type) == 0;
                const uint32_t bits = static_cast<uint32_t>(t.int32_data(packed ? i / 2 : i));
                const uint32_t shifted = packed && i % 2 ? bits >> 4 : bits;
                char bytes[8] = {};  // the widest type that decodeRaw reads
                std::memcpy(bytes, &shifted, 4);
                BlobT one;
                allocateBlob(one, out.dataType, {});
                decodeRaw(type, bytes, 1, one);
                setBlob(out, k, BlobView(one).at(0));
            }
        }
    }
}

}  // namespace

BlobT decodeTensor(const TensorProto& tensor, const std::string& modelPath, const std::string& where) {
    Dims dims;
    int64_t count = 1;
    for (int64_t d : tensor.dims()) {
        if (d < 0 || d > INT32_MAX || (d > 0 && count > INT32_MAX / d))
            throw ConvertError(where + ": dimension " + std::to_string(d) + " is negative or the tensor is too large");
        count *= d;
        dims.push_back(static_cast<int>(d));
    }
    const int type = tensor.data_type();
    const DataType stored = storedType(dataTypeOf(type));
    if (stored == DataType_DT_STRING) throw ConvertError(where + ": string tensors are not supported");
    const size_t perElement = rawBytes(type);
    const size_t needed = perElement == 0 ? (static_cast<size_t>(count) + 1) / 2 : count * perElement;
    std::string external;
    const bool isExternal = tensor.data_location() == TensorProto::EXTERNAL;
    if (isExternal) external = readExternalData(tensor, modelPath, needed, where);
    const bool raw = isExternal || tensor.has_raw_data();
    const std::string& bytes = isExternal ? external : tensor.raw_data();
    // The data must be there before room for it is taken: a few header bytes may claim gigabytes.
    if (raw ? bytes.size() != needed : (count > 0 && typedCount(tensor) < static_cast<size_t>(count)))
        throw ConvertError(where + ": holds " + std::to_string(raw ? bytes.size() : typedCount(tensor)) +
                           (raw ? " bytes" : " values") + ", its shape " + describe(dims) + " of " +
                           onnxTypeName(type) + " needs " + std::to_string(raw ? needed : static_cast<size_t>(count)));
    BlobT out;
    if (!allocateBlob(out, stored, dims)) throw ConvertError(where + ": cannot hold shape " + describe(dims));
    if (raw)
        decodeRaw(type, bytes.data(), count, out);
    else
        decodeTyped(tensor, count, out);
    return out;
}

}  // namespace Converter
}  // namespace MNN
