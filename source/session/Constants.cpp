#include "session/Constants.hpp"

#include <MNN/MNNDefine.h>
#include <cstring>
#include <limits>
#include "core/TensorUtils.hpp"

namespace MNN {
namespace {

struct FileHolder final : MemoryHolder {
    explicit FileHolder(std::shared_ptr<void> f) : file(std::move(f)) {}
    std::shared_ptr<void> file;
};

struct Bytes {
    const uint8_t* data = nullptr;
    size_t size = 0;
};

template <typename T>
Bytes bytesOf(const flatbuffers::Vector<T>* v) {
    if (v == nullptr) return Bytes();
    return {reinterpret_cast<const uint8_t*>(v->data()), v->size() * sizeof(T)};
}

// Bytes of one element as stored in the file; 0 for types that an inference engine has no use for.
size_t storedBytes(DataType type) {
    switch (type) {
        case DataType_DT_FLOAT:
        case DataType_DT_INT32:
        case DataType_DT_QINT32:
            return 4;
        case DataType_DT_DOUBLE:
        case DataType_DT_INT64:
            return 8;
        case DataType_DT_HALF:
        case DataType_DT_BFLOAT16:
        case DataType_DT_INT16:
        case DataType_DT_UINT16:
            return 2;
        case DataType_DT_UINT8:
        case DataType_DT_INT8:
        case DataType_DT_QINT8:
        case DataType_DT_QUINT8:
        case DataType_DT_BOOL:
            return 1;
        default:
            return 0;
    }
}

// The vector of a Blob that holds this type. Types without one of their own travel as raw bytes; bools also as int32.
Bytes inlineBytes(const Blob* blob, DataType* stored) {
    switch (*stored) {
        case DataType_DT_FLOAT:
            return bytesOf(blob->float32s());
        case DataType_DT_INT32:
        case DataType_DT_QINT32:
            return bytesOf(blob->int32s());
        case DataType_DT_INT64:
            if (blob->int64s() != nullptr) return bytesOf(blob->int64s());
            *stored = DataType_DT_INT32;
            return bytesOf(blob->int32s());
        case DataType_DT_INT8:
        case DataType_DT_QINT8:
            return bytesOf(blob->int8s());
        case DataType_DT_BOOL:
            if (blob->int32s() != nullptr) {
                *stored = DataType_DT_INT32;
                return bytesOf(blob->int32s());
            }
            return blob->uint8s() != nullptr ? bytesOf(blob->uint8s()) : bytesOf(blob->int8s());
        case DataType_DT_DOUBLE:
            if (blob->float32s() != nullptr) {
                *stored = DataType_DT_FLOAT;
                return bytesOf(blob->float32s());
            }
            return bytesOf(blob->uint8s());
        default:
            return blob->uint8s() != nullptr ? bytesOf(blob->uint8s()) : bytesOf(blob->int8s());
    }
}

float halfToFloat(uint16_t h) {
    const uint32_t sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31u, fraction = h & 1023u;
    uint32_t bits;
    if (exponent == 31) {
        bits = sign | 0x7f800000u | fraction << 13;
    } else if (exponent != 0) {
        bits = sign | (exponent + 112) << 23 | fraction << 13;
    } else {
        const float value = static_cast<float>(fraction) * 5.9604644775390625e-8f;  // 2^-24
        return sign != 0 ? -value : value;
    }
    float f;
    std::memcpy(&f, &bits, 4);
    return f;
}

template <typename From, typename To, typename F>
void convert(const uint8_t* src, To* dst, int64_t count, F&& f) {
    for (int64_t i = 0; i < count; ++i) {
        From value;
        std::memcpy(&value, src + i * sizeof(From), sizeof(From));
        dst[i] = f(value);
    }
}

int32_t saturate(int64_t v) {
    constexpr int64_t lo = std::numeric_limits<int32_t>::min(), hi = std::numeric_limits<int32_t>::max();
    return static_cast<int32_t>(v < lo ? lo : v > hi ? hi : v);
}

void convertAll(DataType type, const uint8_t* src, Tensor* t, int64_t n) {
    switch (type) {
        case DataType_DT_INT64:
            convert<int64_t>(src, t->host<int32_t>(), n, saturate);
            break;
        case DataType_DT_DOUBLE:
            convert<double>(src, t->host<float>(), n, [](double v) { return static_cast<float>(v); });
            break;
        case DataType_DT_HALF:
            convert<uint16_t>(src, t->host<float>(), n, halfToFloat);
            break;
        case DataType_DT_BFLOAT16:
            convert<uint16_t>(src, t->host<float>(), n, [](uint16_t v) {
                const uint32_t bits = static_cast<uint32_t>(v) << 16;
                float f;
                std::memcpy(&f, &bits, 4);
                return f;
            });
            break;
        case DataType_DT_INT16:
            convert<int16_t>(src, t->host<int32_t>(), n, [](int16_t v) { return v; });
            break;
        case DataType_DT_UINT16:
            convert<uint16_t>(src, t->host<int32_t>(), n, [](uint16_t v) { return v; });
            break;
        case DataType_DT_BOOL:
            convert<uint8_t>(src, t->host<int32_t>(), n, [](uint8_t v) { return v != 0; });
            break;
        default:
            // An empty constant has no address to copy from.
            if (n != 0) std::memcpy(t->host<void>(), src, TensorUtils::storageBytes(t));
            break;
    }
}

bool keepsItsType(DataType type) {
    return type == DataType_DT_FLOAT || type == DataType_DT_INT32 || type == DataType_DT_UINT8 ||
           type == DataType_DT_INT8 || type == DataType_DT_QINT32 || type == DataType_DT_QINT8 ||
           type == DataType_DT_QUINT8;
}

bool fail(const Op* op, const char* what) {
    MNN_ERROR("constant '%s': %s\n", op->name() == nullptr ? "" : op->name()->c_str(), what);
    return false;
}

}  // namespace

bool loadConstant(const Op* op, const Backend::ExternalData& external, std::shared_ptr<void> owner, Tensor* tensor) {
    const Blob* blob = op->main_as_Blob();
    if (blob == nullptr) return fail(op, "has no Blob");
    std::vector<int> dims;
    int64_t count = 1;
    for (uint32_t i = 0; blob->dims() != nullptr && i < blob->dims()->size(); ++i) {
        const int length = blob->dims()->Get(i);
        if (length < 0 || (count *= length) > INT32_MAX) return fail(op, "has absurd dims");
        dims.push_back(length);
    }
    if (dims.size() > static_cast<size_t>(kMaxRank)) return fail(op, "has more dimensions than a tensor can have");
    DataType stored = blob->dataType();
    tensor->buffer().type = stored == DataType_DT_HALF ? halide_type_of<float>() : TensorUtils::halideType(stored);
    if (stored == DataType_DT_BFLOAT16) tensor->buffer().type = halide_type_of<float>();
    TensorUtils::setFormat(tensor,
                           blob->dataFormat() == MNN_DATA_FORMAT_NC4HW4 ? MNN_DATA_FORMAT_NCHW : blob->dataFormat());
    TensorUtils::setShape(tensor, dims);
    auto* describe = TensorUtils::describe(tensor);
    describe->usage = TensorUsage::Constant;
    describe->hostKnown = true;

    Bytes bytes;
    if (blob->external() != nullptr && blob->external()->size() >= 2) {
        const int64_t offset = blob->external()->Get(0), size = blob->external()->Get(1);
        if (offset < 0 || size < 0 || static_cast<uint64_t>(offset) > external.size ||
            static_cast<uint64_t>(size) > external.size - static_cast<uint64_t>(offset)) {
            return fail(op, "points past the end of the weight file");
        }
        bytes = {external.data + offset, static_cast<size_t>(size)};
    } else {
        bytes = inlineBytes(blob, &stored);
    }
    const size_t width = storedBytes(stored);
    if (width == 0) return fail(op, "has a type that is not supported");
    if (bytes.size / width < static_cast<size_t>(count)) return fail(op, "has fewer values than its dims say");
    const bool aligned = reinterpret_cast<uintptr_t>(bytes.data) % width == 0;
    if (keepsItsType(stored) && aligned && count > 0) {
        tensor->buffer().host = const_cast<uint8_t*>(bytes.data);
        describe->memory = TensorMemory::Host;
        describe->holder = std::make_shared<FileHolder>(std::move(owner));
        return true;
    }
    if (!TensorUtils::allocHost(tensor)) return false;
    convertAll(stored, bytes.data, tensor, count);
    return true;
}

bool ownConstant(Tensor* tensor) {
    const auto file = TensorUtils::describe(tensor)->holder;  // keeps the old memory until it is copied
    const void* from = tensor->host<void>();
    if (!TensorUtils::allocHost(tensor)) return false;
    // An empty constant has no address to copy from.
    if (TensorUtils::storageBytes(tensor) != 0)
        std::memcpy(tensor->host<void>(), from, TensorUtils::storageBytes(tensor));
    return true;
}

const uint8_t* storedValues(const Op* op, const Tensor* tensor) {
    const Blob* blob = op->main_as_Blob();
    if (blob == nullptr || (blob->external() != nullptr && blob->external()->size() >= 2)) return nullptr;
    DataType stored = blob->dataType();
    const Bytes bytes = inlineBytes(blob, &stored);
    return keepsItsType(stored) && bytes.size >= TensorUtils::storageBytes(tensor) ? bytes.data : nullptr;
}

}  // namespace MNN
