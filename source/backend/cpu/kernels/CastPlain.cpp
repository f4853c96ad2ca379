#include "backend/cpu/kernels/CastPlain.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace MNN {
namespace cpu {
namespace {

struct Half {
    uint16_t bits;
};
struct Bfloat {
    uint16_t bits;
};

inline uint32_t bitsOf(float x) {
    uint32_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits;
}
inline float floatOf(uint32_t bits) {
    float x;
    std::memcpy(&x, &bits, sizeof(x));
    return x;
}

inline float load(float x) { return x; }
inline float load(Bfloat x) { return floatOf(static_cast<uint32_t>(x.bits) << 16); }
inline float load(Half x) {
    const uint32_t sign = static_cast<uint32_t>(x.bits & 0x8000) << 16;
    const uint32_t magnitude = x.bits & 0x7FFF;
    if (magnitude >= 0x7C00) return floatOf(sign | 0x7F800000u | (magnitude & 0x3FF) << 13);
    // Scaling by 2^112 moves the exponent to its place and normalises denormals.
    return floatOf(sign | bitsOf(floatOf(magnitude << 13) * floatOf(239u << 23)));
}
template <typename T>
inline T load(T x) {
    return x;
}

template <typename T>
struct Store {
    static T of(float x) {
        constexpr float low = static_cast<float>(std::numeric_limits<T>::min());
        constexpr float limit = static_cast<float>(std::numeric_limits<T>::max() / 2 + 1) * 2.0f;
        if (x >= limit) return std::numeric_limits<T>::max();
        if (x < low) return std::numeric_limits<T>::min();
        return x == x ? static_cast<T>(x) : T(0);
    }
    template <typename I>
    static T of(I x) {
        return static_cast<T>(x);
    }
};
template <>
struct Store<float> {
    template <typename S>
    static float of(S x) {
        return static_cast<float>(x);
    }
};
template <>
struct Store<Bfloat> {
    template <typename S>
    static Bfloat of(S value) {
        const float x = static_cast<float>(value);
        const uint32_t bits = bitsOf(x);
        if (x != x) return {static_cast<uint16_t>(bits >> 16 | 0x40)};
        return {static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16)};
    }
};
template <>
struct Store<Half> {
    template <typename S>
    static Half of(S value) {
        const uint32_t bits = bitsOf(static_cast<float>(value));
        const uint32_t sign = bits >> 16 & 0x8000;
        const uint32_t magnitude = bits & 0x7FFFFFFF;
        if (magnitude > 0x7F800000) return {static_cast<uint16_t>(sign | 0x7E00)};
        if (magnitude >= 0x477FF000) return {static_cast<uint16_t>(sign | 0x7C00)};  // rounds past 65504
        if (magnitude < 0x38800000) {
            // A denormal half is a multiple of 2^-24: adding 0.5 leaves its count, rounded, in the low bits.
            const uint32_t count = bitsOf(floatOf(magnitude) + 0.5f) - bitsOf(0.5f);
            return {static_cast<uint16_t>(sign | count)};
        }
        const uint32_t rounded = magnitude + 0xFFF + (magnitude >> 13 & 1);
        return {static_cast<uint16_t>(sign | (rounded - (112u << 23)) >> 13)};
    }
};

template <typename S, typename T>
void castPlain(void* dst, const void* src, size_t n) {
    const auto* from = static_cast<const S*>(src);
    auto* to = static_cast<T*>(dst);
    for (size_t i = 0; i < n; ++i) to[i] = Store<T>::of(load(from[i]));
}

template <typename S, typename T>
void castBool(void* dst, const void* src, size_t n) {
    const auto* from = static_cast<const S*>(src);
    auto* to = static_cast<T*>(dst);
    for (size_t i = 0; i < n; ++i) to[i] = Store<T>::of(static_cast<int32_t>(load(from[i]) != 0));
}

template <typename S>
void addRow(CastKernels* t, ElementType type) {
    CastFn* to = t->to[static_cast<int>(type)];
    CastFn* toBool = t->toBool[static_cast<int>(type)];
#define MNN_CAST_TO(name, T)                                   \
    to[static_cast<int>(ElementType::name)] = castPlain<S, T>; \
    toBool[static_cast<int>(ElementType::name)] = castBool<S, T>;
    MNN_CAST_TO(F32, float)
    MNN_CAST_TO(F16, Half)
    MNN_CAST_TO(BF16, Bfloat)
    MNN_CAST_TO(I32, int32_t)
    MNN_CAST_TO(I16, int16_t)
    MNN_CAST_TO(I8, int8_t)
    MNN_CAST_TO(U16, uint16_t)
    MNN_CAST_TO(U8, uint8_t)
#undef MNN_CAST_TO
}

}  // namespace

CastKernels plainCasts() {
    CastKernels t = {};
    addRow<float>(&t, ElementType::F32);
    addRow<Half>(&t, ElementType::F16);
    addRow<Bfloat>(&t, ElementType::BF16);
    addRow<int32_t>(&t, ElementType::I32);
    addRow<int16_t>(&t, ElementType::I16);
    addRow<int8_t>(&t, ElementType::I8);
    addRow<uint16_t>(&t, ElementType::U16);
    addRow<uint8_t>(&t, ElementType::U8);
    return t;
}

}  // namespace cpu
}  // namespace MNN
