// Integer functions of two arrays. Plain loops: the compiler vectorises those that gain by it. Arithmetic wraps;
// nothing traps, whatever the operands (pad lanes of packed tensors hold anything).
#include <algorithm>
#include <cstdint>
#include "backend/cpu/kernels/Binary.hpp"

namespace MNN {
namespace cpu {
namespace {

inline int32_t wrap(uint32_t x) { return static_cast<int32_t>(x); }

inline int32_t quotient(int32_t x, int32_t y) {
    if (y == 0) return 0;
    return y == -1 ? wrap(0u - static_cast<uint32_t>(x)) : x / y;
}
inline int32_t remainder(int32_t x, int32_t y) { return y == 0 || y == -1 ? 0 : x % y; }

inline int32_t power(int32_t base, int32_t exponent) {
    if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
    uint32_t result = 1, factor = static_cast<uint32_t>(base);
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1) result *= factor;
        factor *= factor;
    }
    return wrap(result);
}

// name, the function of int32 x and y
#define MNN_INTEGER_LIST(ROW)                                                                                        \
    ROW(Add, wrap(uint32_t(x) + uint32_t(y)))                                                                        \
    ROW(Sub, wrap(uint32_t(x) - uint32_t(y)))                                                                        \
    ROW(Mul, wrap(uint32_t(x) * uint32_t(y)))                                                                        \
    ROW(Div, quotient(x, y))                                                                                         \
    ROW(Maximum, std::max(x, y))                                                                                     \
    ROW(Minimum, std::min(x, y))                                                                                     \
    ROW(Pow, power(x, y))                                                                                            \
    ROW(FloorDiv, wrap(uint32_t(quotient(x, y)) - uint32_t(remainder(x, y) != 0 && (x < 0) != (y < 0))))             \
    ROW(SquaredDifference, wrap((uint32_t(x) - uint32_t(y)) * (uint32_t(x) - uint32_t(y))))                          \
    ROW(FloorMod, wrap(uint32_t(remainder(x, y)) + (remainder(x, y) != 0 && (x < 0) != (y < 0) ? uint32_t(y) : 0u))) \
    ROW(Mod, remainder(x, y))                                                                                        \
    ROW(BitwiseAnd, x& y)                                                                                            \
    ROW(BitwiseOr, x | y)                                                                                            \
    ROW(BitwiseXor, x ^ y)                                                                                           \
    ROW(LeftShift, uint32_t(y) < 32 ? wrap(uint32_t(x) << y) : 0)                                                    \
    ROW(RightShift, uint32_t(y) < 32 ? x >> y : (x < 0 ? -1 : 0))                                                    \
    ROW(Greater, x > y)                                                                                              \
    ROW(GreaterEqual, x >= y)                                                                                        \
    ROW(Less, x < y)                                                                                                 \
    ROW(LessEqual, x <= y)                                                                                           \
    ROW(Equal, x == y)                                                                                               \
    ROW(NotEqual, x != y)                                                                                            \
    ROW(LogicalOr, x != 0 || y != 0)                                                                                 \
    ROW(LogicalXor, (x != 0) != (y != 0))

#define MNN_INTEGER_FUNCTION(Name, expression)                         \
    struct Int##Name {                                                 \
        static constexpr BinaryKind kind = BinaryKind::Name;           \
        static int32_t of(int32_t x, int32_t y) { return expression; } \
    };
MNN_INTEGER_LIST(MNN_INTEGER_FUNCTION)

template <class F, typename T>
void mapIntegers(void* dstBytes, const void* aBytes, const void* bBytes, size_t n, int stepA, int stepB) {
    using Out = typename std::conditional<givesBool(F::kind), int32_t, T>::type;
    auto* dst = static_cast<Out*>(dstBytes);
    const auto* a = static_cast<const T*>(aBytes);
    const auto* b = static_cast<const T*>(bBytes);
    if (stepA != 0 && stepB != 0) {
        for (size_t i = 0; i < n; ++i) dst[i] = static_cast<Out>(F::of(a[i], b[i]));
    } else if (stepA != 0 && n > 0) {
        const T y = *b;
        for (size_t i = 0; i < n; ++i) dst[i] = static_cast<Out>(F::of(a[i], y));
    } else if (n > 0) {
        const T x = *a;
        for (size_t i = 0; i < n; ++i) dst[i] = static_cast<Out>(F::of(x, b[i * stepB]));
    }
}

template <class F>
void add(BinaryKernels* table) {
    const int at = static_cast<int>(F::kind);
    table->i32[at] = mapIntegers<F, int32_t>;
    table->u8[at] = mapIntegers<F, uint8_t>;
    table->i8[at] = mapIntegers<F, int8_t>;
}

void alias(BinaryKernels* table, BinaryKind kind, BinaryKind as) {
    const int to = static_cast<int>(kind), from = static_cast<int>(as);
    table->i32[to] = table->i32[from];
    table->u8[to] = table->u8[from];
    table->i8[to] = table->i8[from];
}

}  // namespace

void addIntegerKernels(BinaryKernels* table) {
#define MNN_INTEGER_ROW(Name, expression) add<Int##Name>(table);
    MNN_INTEGER_LIST(MNN_INTEGER_ROW)
    alias(table, BinaryKind::RealDiv, BinaryKind::Div);
    alias(table, BinaryKind::MaxTemp, BinaryKind::Maximum);
    alias(table, BinaryKind::MinTemp, BinaryKind::Minimum);
}

}  // namespace cpu
}  // namespace MNN
