#include "core/WeightCoding.hpp"

#include <MNN/MNNDefine.h>
#include <algorithm>
#include <cstring>

namespace MNN {
namespace {

enum Coding { kPlain = 0, kDense = 1, kSparse = 2, kHalf = 3, kRawInt8 = 4, kExternalFloat = 8 };

// More weights than any layer has, and few enough that a small file cannot ask for all the memory there is.
constexpr int64_t kMaxWeights = int64_t(1) << 31;

struct Bytes {
    const uint8_t* data = nullptr;
    size_t size = 0;
};

bool fail(const char* what) {
    MNN_ERROR("convolution weights: %s; the model file is damaged or from a newer converter\n", what);
    return false;
}

// Reads with bounds; after a read past the end every further read gives 0 and ok() is false.
class Reader {
public:
    explicit Reader(Bytes bytes) : mAt(bytes.data), mLeft(bytes.size) {}
    bool ok() const { return mOk; }

    const uint8_t* take(uint64_t bytes) {
        if (bytes > mLeft) {
            mOk = false;
            mLeft = 0;
            return nullptr;
        }
        const uint8_t* at = mAt;
        mAt += bytes;
        mLeft -= static_cast<size_t>(bytes);
        return at;
    }
    // Little-endian, as all numbers of the file.
    uint32_t number(int bytes) {
        const uint8_t* at = take(static_cast<uint64_t>(bytes));
        uint32_t value = 0;
        for (int i = 0; at != nullptr && i < bytes; ++i) value |= static_cast<uint32_t>(at[i]) << (8 * i);
        return value;
    }

private:
    const uint8_t* mAt;
    size_t mLeft;
    bool mOk = true;
};

// Numbers of `bits` bits each, most significant bit first, packed without gaps.
class BitReader {
public:
    BitReader(const uint8_t* data, int bits) : mAt(data), mBits(bits) {}
    uint32_t next() {
        while (mHave < mBits) {
            mBuffer = mBuffer << 8 | *mAt++;
            mHave += 8;
        }
        mHave -= mBits;
        return static_cast<uint32_t>(mBuffer >> mHave) & ((uint64_t(1) << mBits) - 1);
    }
    static uint64_t bytes(uint64_t count, int bits) { return (count * bits + 7) / 8; }

private:
    const uint8_t* mAt;
    int mBits;
    int mHave = 0;
    uint64_t mBuffer = 0;
};

float halfToFloat(uint16_t h) {
    const uint32_t sign = static_cast<uint32_t>(h & 0x8000) << 16;
    const uint32_t exponent = h >> 10 & 31, mantissa = h & 1023;
    uint32_t bits;
    if (exponent == 31) {
        bits = sign | 0x7F800000u | mantissa << 13;
    } else if (exponent != 0) {
        bits = sign | (exponent + 112) << 23 | mantissa << 13;
    } else {
        const float value = static_cast<float>(mantissa) * (1.0f / 16777216.0f);
        return sign != 0 ? -value : value;
    }
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}

// The pieces of the side file that belong to the op, in the order of Convolution2D.external.
bool externalPiece(const Convolution2D* conv, Bytes file, int index, Bytes* piece) {
    const auto* list = conv->external();
    *piece = Bytes();
    if (list == nullptr || static_cast<int>(list->size()) <= index + 1) return true;
    uint64_t begin = 0;
    for (int i = 0; i <= index; ++i) {
        const int64_t step = list->Get(i);
        if (step < 0 || static_cast<uint64_t>(step) > file.size || (begin += static_cast<uint64_t>(step)) > file.size) {
            return fail("they lie past the end of the side file (or it is missing: Interpreter::setExternalFile)");
        }
    }
    const int64_t size = list->Get(index + 1);
    if (size < 0 || static_cast<uint64_t>(size) > file.size - begin) {
        return fail("they lie past the end of the side file (or it is missing: Interpreter::setExternalFile)");
    }
    *piece = {file.data + begin, static_cast<size_t>(size)};
    return true;
}

bool isExternal(const Convolution2D* conv) { return conv->external() != nullptr && conv->external()->size() > 1; }

template <typename T>
Bytes bytesOf(const flatbuffers::Vector<T>* vector) {
    if (vector == nullptr) return Bytes();
    return {reinterpret_cast<const uint8_t*>(vector->data()), vector->size() * sizeof(T)};
}

// A piece of the coded weights: 0 values, 1 scales, 2 bias, 3 index.
bool codedPiece(const Convolution2D* conv, Bytes file, int index, Bytes* piece) {
    if (isExternal(conv)) return externalPiece(conv, file, index, piece);
    const IDSTQuan* quan = conv->quanParameter();
    switch (index) {
        case 0:
            *piece = bytesOf(quan->buffer());
            break;
        case 1:
            *piece =
                quan->scaleStorage() == ScaleStorageType_FP16 ? bytesOf(quan->alphaFp16()) : bytesOf(quan->alpha());
            break;
        case 2:
            *piece = bytesOf(conv->bias());
            break;
        default:
            *piece = bytesOf(quan->index());
            break;
    }
    return true;
}

int64_t readDimensions(Reader& reader, bool wide) {
    const int rank = static_cast<int>(reader.number(1));
    int64_t count = 1;
    for (int i = 0; i < rank; ++i) {
        count *= reader.number(wide ? 4 : 2);
        if (count > kMaxWeights) return -1;
    }
    return reader.ok() && rank > 0 ? count : -1;
}

struct ValueMap {
    const int8_t* values = nullptr;
    int size = 0;
    int bits = 0;  // of an index into it
};

bool readMap(Reader& reader, ValueMap* map) {
    map->size = static_cast<int>(reader.number(1));
    if (map->size == 0) map->size = 256;
    map->values = reinterpret_cast<const int8_t*>(reader.take(static_cast<uint64_t>(map->size)));
    while ((1 << map->bits) < map->size) ++map->bits;
    return reader.ok();
}

bool allocateValues(int64_t count, Int8Weights* result) {
    result->values = HostMemory::allocate(static_cast<size_t>(count));
    result->count = count;
    return result->values != nullptr || fail("out of memory");
}

bool decodeDense(Bytes coded, bool wide, Int8Weights* result) {
    Reader reader(coded);
    const int64_t count = readDimensions(reader, wide);
    ValueMap map;
    if (count < 0 || !readMap(reader, &map)) return fail("bad header of dense codes");
    const uint8_t* packed = reader.take(BitReader::bytes(static_cast<uint64_t>(count), map.bits));
    if (packed == nullptr) return fail("dense codes end early");
    if (!allocateValues(count, result)) return false;
    auto* values = static_cast<int8_t*>(result->values->data());
    BitReader indexes(packed, map.bits);
    for (int64_t i = 0; i < count; ++i) {
        const int index = static_cast<int>(indexes.next());
        if (index >= map.size) return fail("a dense code points past its value map");
        values[i] = map.values[index];
    }
    return true;
}

bool decodeSparse(Bytes coded, bool wide, Int8Weights* result) {
    Reader reader(coded);
    const int64_t count = readDimensions(reader, wide);
    const uint32_t nonZeros = reader.number(4);
    const int stepBits = static_cast<int>(reader.number(1));
    if (count < 0 || !reader.ok() || stepBits > 32 || nonZeros > static_cast<uint64_t>(count))
        return fail("bad header of sparse codes");
    const uint8_t* steps = reader.take(BitReader::bytes(nonZeros, stepBits));
    ValueMap map;
    if (steps == nullptr || !readMap(reader, &map)) return fail("sparse codes end early");
    const uint8_t* packed = reader.take(BitReader::bytes(nonZeros, map.bits));
    if (packed == nullptr) return fail("sparse codes end early");
    if (!allocateValues(count, result)) return false;
    auto* values = static_cast<int8_t*>(result->values->data());
    std::memset(values, 0, static_cast<size_t>(count));
    BitReader stepReader(steps, stepBits), indexes(packed, map.bits);
    int64_t at = 0;
    for (uint32_t i = 0; i < nonZeros; ++i) {
        at += stepReader.next();
        const int index = static_cast<int>(indexes.next());
        if (at >= count || index >= map.size) return fail("a sparse code points past the end");
        values[at] = map.values[index];
    }
    return true;
}

// A few positions must not ask for all the memory there is, whatever number the file gives.
bool plausibleTotal(uint32_t total, int64_t listed) {
    constexpr int64_t kAlways = 16 << 20, kSparsest = 4096;
    return total <= std::max(kAlways, listed * kSparsest) || fail("absurdly many zeros between listed weights");
}

// Values that stand at the positions listed by `index` in an otherwise zero array.
bool spread(Bytes index, uint32_t total, Int8Weights* result) {
    const int64_t listed = static_cast<int64_t>(index.size / sizeof(uint32_t));
    if (listed > result->count) return fail("fewer values than positions");
    if (!plausibleTotal(total, listed)) return false;
    Int8Weights sparse = *result;
    if (!allocateValues(total, result)) return false;
    auto* values = static_cast<int8_t*>(result->values->data());
    std::memset(values, 0, total);
    Reader positions(index);
    for (int64_t i = 0; i < listed; ++i) {
        const uint32_t at = positions.number(4);
        if (at >= total) return fail("a position past the end");
        values[at] = sparse.data()[i];
    }
    return true;
}

float floatAt(const uint8_t* at) {
    float value;
    std::memcpy(&value, at, sizeof(value));
    return value;
}

bool readScales(const IDSTQuan* quan, Bytes alpha, Int8Weights* result) {
    const bool half = quan->scaleStorage() == ScaleStorageType_FP16;
    const int64_t numbers = static_cast<int64_t>(alpha.size / (half ? 2 : 4));
    const auto number = [&](int64_t i) {
        if (!half) return floatAt(alpha.data + 4 * i);
        return halfToFloat(static_cast<uint16_t>(alpha.data[2 * i] | alpha.data[2 * i + 1] << 8));
    };
    result->asymmetric = quan->readType() != 0;
    result->groups = result->asymmetric ? numbers / 2 : numbers;
    if (result->groups <= 0 || result->count % result->groups != 0) return fail("the scales do not divide the weights");
    result->scales = HostMemory::allocate(sizeof(float) * static_cast<size_t>(numbers));
    if (result->scales == nullptr) return fail("out of memory");
    auto* scale = static_cast<float*>(result->scales->data());
    // Files of old converters leave quantScale 0.
    const float factor = quan->quantScale() != 0.0f && quan->type() != kRawInt8 ? quan->quantScale() : 1.0f;
    const float low = quan->aMin() == 0 ? -128.0f : static_cast<float>(quan->aMin());
    for (int64_t g = 0; g < result->groups; ++g) {
        if (!result->asymmetric) {
            scale[g] = number(g) * factor;
            continue;
        }
        const float minimum = number(2 * g), s = number(2 * g + 1);
        scale[g] = s * factor;
        scale[result->groups + g] = (low < 0.0f ? minimum - low * s : minimum) * factor;
    }
    return true;
}

void copyFloats(Bytes bytes, float* to) {
    if (bytes.size > 0) std::memcpy(to, bytes.data, bytes.size);
}

bool isAligned(Bytes bytes) { return reinterpret_cast<uintptr_t>(bytes.data) % alignof(float) == 0; }

// Floats in place where they are aligned, else copied to result->memory at `at`.
const float* placeFloats(Bytes bytes, float* at) {
    if (bytes.size == 0) return nullptr;
    if (isAligned(bytes)) return reinterpret_cast<const float*>(bytes.data);
    copyFloats(bytes, at);
    return at;
}

bool placePlain(Bytes weight, Bytes bias, FloatWeights* result) {
    result->weightCount = static_cast<int64_t>(weight.size / sizeof(float));
    result->biasCount = static_cast<int64_t>(bias.size / sizeof(float));
    weight.size = static_cast<size_t>(result->weightCount) * sizeof(float);
    bias.size = static_cast<size_t>(result->biasCount) * sizeof(float);
    if (!isAligned(weight) || !isAligned(bias)) {
        result->memory = HostMemory::allocate(weight.size + bias.size);
        if (result->memory == nullptr) return fail("out of memory");
    }
    float* copy = result->memory == nullptr ? nullptr : static_cast<float*>(result->memory->data());
    result->weight = placeFloats(weight, copy);
    result->bias = placeFloats(bias, copy == nullptr ? nullptr : copy + result->weightCount);
    return true;
}

// Room for the decoded weights, then the bias.
float* allocateFloats(int64_t weights, Bytes bias, FloatWeights* result) {
    result->weightCount = weights;
    result->biasCount = static_cast<int64_t>(bias.size / sizeof(float));
    result->memory = HostMemory::allocate(sizeof(float) * static_cast<size_t>(weights + result->biasCount));
    if (result->memory == nullptr) {
        fail("out of memory");
        return nullptr;
    }
    auto* floats = static_cast<float*>(result->memory->data());
    bias.size = static_cast<size_t>(result->biasCount) * sizeof(float);
    copyFloats(bias, floats + weights);
    result->weight = floats;
    result->bias = result->biasCount > 0 ? floats + weights : nullptr;
    return floats;
}

bool decodeHalf(Bytes coded, Bytes bias, FloatWeights* result) {
    const int64_t count = static_cast<int64_t>(coded.size / 2);
    float* floats = allocateFloats(count, bias, result);
    if (floats == nullptr) return false;
    for (int64_t i = 0; i < count; ++i) {
        floats[i] = halfToFloat(static_cast<uint16_t>(coded.data[2 * i] | coded.data[2 * i + 1] << 8));
    }
    return true;
}

// Floats in the place of scales, at the positions that the index lists; the other weights are zero.
bool decodeListed(Bytes values, Bytes index, uint32_t total, Bytes bias, FloatWeights* result) {
    const int64_t listed = static_cast<int64_t>(index.size / sizeof(uint32_t));
    if (static_cast<int64_t>(values.size / sizeof(float)) < listed) return fail("fewer values than positions");
    if (!plausibleTotal(total, listed)) return false;
    float* floats = allocateFloats(total, bias, result);
    if (floats == nullptr) return false;
    std::fill_n(floats, total, 0.0f);
    Reader positions(index);
    for (int64_t i = 0; i < listed; ++i) {
        const uint32_t at = positions.number(4);
        if (at >= total) return fail("a position past the end");
        floats[at] = floatAt(values.data + 4 * i);
    }
    return true;
}

bool dequantize(const Int8Weights& coded, Bytes bias, FloatWeights* result) {
    float* floats = allocateFloats(coded.count, bias, result);
    if (floats == nullptr) return false;
    const int64_t run = coded.count / coded.groups;
    const int8_t* values = coded.data();
    for (int64_t g = 0; g < coded.groups; ++g) {
        const float scale = coded.scale()[g], offset = coded.asymmetric ? coded.offset()[g] : 0.0f;
        for (int64_t i = g * run; i < (g + 1) * run; ++i) floats[i] = static_cast<float>(values[i]) * scale + offset;
    }
    return true;
}

}  // namespace

bool hasInt8Weights(const Convolution2D* conv) {
    const IDSTQuan* quan = conv->quanParameter();
    return quan != nullptr && (quan->type() == kDense || quan->type() == kSparse || quan->type() == kRawInt8);
}

bool decodeInt8Weights(const Convolution2D* conv, const uint8_t* external, size_t externalBytes, Int8Weights* result) {
    if (!hasInt8Weights(conv)) return fail("they are not 8-bit codes");
    const IDSTQuan* quan = conv->quanParameter();
    const Bytes file = {external, externalBytes};
    Bytes coded, alpha, index;
    if (!codedPiece(conv, file, 0, &coded) || !codedPiece(conv, file, 1, &alpha) || !codedPiece(conv, file, 3, &index))
        return false;
    switch (quan->type()) {
        case kDense:
            if (!decodeDense(coded, quan->shapeInt32(), result)) return false;
            break;
        case kSparse:
            if (!decodeSparse(coded, quan->shapeInt32(), result)) return false;
            break;
        default:
            if (!allocateValues(static_cast<int64_t>(coded.size), result)) return false;
            if (coded.size > 0) std::memcpy(result->values->data(), coded.data, coded.size);
            break;
    }
    if (index.size > 0 && quan->weightSize() > 0 && !spread(index, quan->weightSize(), result)) return false;
    return readScales(quan, alpha, result);
}

bool decodeWeights(const Convolution2D* conv, const uint8_t* external, size_t externalBytes, FloatWeights* result) {
    *result = FloatWeights();
    const Bytes file = {external, externalBytes};
    const IDSTQuan* quan = conv->quanParameter();
    if (quan != nullptr && (hasInt8Weights(conv) || quan->type() == kHalf)) {
        Bytes coded, bias;
        if (!codedPiece(conv, file, 0, &coded) || !codedPiece(conv, file, 2, &bias)) return false;
        if (quan->type() == kHalf) return decodeHalf(coded, bias, result);
        Int8Weights values;
        return decodeInt8Weights(conv, external, externalBytes, &values) && dequantize(values, bias, result);
    }
    if (quan != nullptr && quan->type() != kExternalFloat && quan->type() != kPlain) return fail("unknown coding");
    if (quan != nullptr && quan->weightSize() > 0) {
        Bytes values, positions, bias;
        if (!codedPiece(conv, file, 1, &values) || !codedPiece(conv, file, 2, &bias) ||
            !codedPiece(conv, file, 3, &positions))
            return false;
        if (positions.size > 0) return decodeListed(values, positions, quan->weightSize(), bias, result);
    }
    Bytes weight = bytesOf(conv->weight()), bias = bytesOf(conv->bias());
    if (isExternal(conv) && (!externalPiece(conv, file, 0, &weight) || !externalPiece(conv, file, 1, &bias)))
        return false;
    return placePlain(weight, bias, result);
}

}  // namespace MNN
