// Reductions of integers, and how partial results join.
#include <cmath>
#include <limits>
#include "backend/cpu/kernels/Reduce.hpp"

namespace MNN {
namespace cpu {
namespace {

template <typename Acc>
struct Limits;
template <>
struct Limits<double> {
    static constexpr double low = -std::numeric_limits<double>::infinity(),
                            high = std::numeric_limits<double>::infinity();
};
template <>
struct Limits<int64_t> {
    static constexpr int64_t low = INT32_MIN, high = INT32_MAX;
};

// Sums and products of integers wrap; the low 32 bits are the result.
inline double add(double a, double b) { return a + b; }
inline double multiply(double a, double b) { return a * b; }
inline int64_t add(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
inline int64_t multiply(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

template <ReduceKind kind>
inline int64_t fold(int64_t acc, int64_t x) {
    switch (kind) {
        case ReduceKind::AbsSum:
            return acc + (x < 0 ? -x : x);
        case ReduceKind::SquareSum:
            return add(acc, x * x);
        case ReduceKind::Max:
            return acc > x ? acc : x;
        case ReduceKind::Min:
            return acc < x ? acc : x;
        case ReduceKind::Prod:
            return multiply(acc, x);
        case ReduceKind::Any:
            return acc | (x != 0);
        case ReduceKind::All:
            return acc & (x != 0);
        default:
            return acc + x;
    }
}

template <ReduceKind kind>
int64_t rowInt(const int32_t* src, size_t n) {
    int64_t acc = reduceIdentity<int64_t>(kind);
    for (size_t i = 0; i < n; ++i) acc = fold<kind>(acc, src[i]);
    return acc;
}

template <ReduceKind kind>
void columnsInt(int64_t* acc, const int32_t* src, int64_t stride, size_t rows, size_t cols) {
    for (size_t r = 0; r < rows; ++r, src += stride) {
        for (size_t c = 0; c < cols; ++c) acc[c] = fold<kind>(acc[c], src[c]);
    }
}

template <ReduceKind kind>
void addKind(ReduceKernels* table) {
    table->rowI32[static_cast<int>(kind)] = rowInt<kind>;
    table->columnsI32[static_cast<int>(kind)] = columnsInt<kind>;
}

}  // namespace

void addIntegerReductions(ReduceKernels* table) {
    addKind<ReduceKind::Sum>(table);
    addKind<ReduceKind::AbsSum>(table);
    addKind<ReduceKind::SquareSum>(table);
    addKind<ReduceKind::Mean>(table);
    addKind<ReduceKind::Max>(table);
    addKind<ReduceKind::Min>(table);
    addKind<ReduceKind::Prod>(table);
    addKind<ReduceKind::Any>(table);
    addKind<ReduceKind::All>(table);
}

template <typename Acc>
Acc reduceIdentity(ReduceKind kind) {
    switch (kind) {
        case ReduceKind::Max:
            return Limits<Acc>::low;
        case ReduceKind::Min:
            return Limits<Acc>::high;
        case ReduceKind::Prod:
        case ReduceKind::All:
            return Acc(1);
        default:
            return Acc(0);
    }
}

template <typename Acc>
Acc reduceCombine(ReduceKind kind, Acc a, Acc b) {
    switch (kind) {
        case ReduceKind::Max:
            return a > b || a != a ? a : b;
        case ReduceKind::Min:
            return a < b || a != a ? a : b;
        case ReduceKind::Prod:
            return multiply(a, b);
        case ReduceKind::Any:
            return Acc(a != 0 || b != 0);
        case ReduceKind::All:
            return Acc(a != 0 && b != 0);
        default:
            return add(a, b);
    }
}

template <>
double reduceFinish(ReduceKind kind, double partial, int64_t n) {
    return kind == ReduceKind::Mean ? partial / static_cast<double>(n) : partial;
}
template <>
int64_t reduceFinish(ReduceKind kind, int64_t partial, int64_t n) {
    return kind == ReduceKind::Mean ? (n == 0 ? 0 : partial / n) : partial;
}

template double reduceIdentity<double>(ReduceKind);
template int64_t reduceIdentity<int64_t>(ReduceKind);
template double reduceCombine<double>(ReduceKind, double, double);
template int64_t reduceCombine<int64_t>(ReduceKind, int64_t, int64_t);

}  // namespace cpu
}  // namespace MNN
