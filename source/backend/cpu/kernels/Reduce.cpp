#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/Reduce.cpp"
#include "backend/cpu/kernels/Targets.hpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <limits>
#include "backend/cpu/kernels/Reduce.hpp"
#include "backend/cpu/kernels/Sum-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace MNN {
namespace cpu {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

struct Identity {
    static HWY_INLINE V of(V x) { return x; }
};
struct Magnitude {
    static HWY_INLINE V of(V x) { return hn::Abs(x); }
};
struct Square {
    static HWY_INLINE V of(V x) { return hn::Mul(x, x); }
};

template <class Map>
double rowSum(const float* src, size_t n) {
    return sumOf(D(), src, n, [](V x) HWY_ATTR { return Map::of(x); });
}

template <class Map>
void columnsSum(double* acc, const float* src, int64_t stride, size_t rows, size_t cols) {
    const D d;
    const size_t lanes = hn::Lanes(d);
    HWY_ALIGN float partial[HWY_MAX_BYTES / sizeof(float)];
    for (size_t c = 0; c < cols; c += lanes) {
        const size_t count = std::min(lanes, cols - c);
        for (size_t r = 0; r < rows; r += kSumRun) {
            const float* from = src + static_cast<int64_t>(r) * stride + static_cast<int64_t>(c);
            const size_t end = std::min(kSumRun, rows - r);
            V s = hn::Zero(d);
            if (count == lanes) {
                for (size_t k = 0; k < end; ++k, from += stride) s = hn::Add(s, Map::of(hn::LoadU(d, from)));
            } else {
                for (size_t k = 0; k < end; ++k, from += stride) s = hn::Add(s, Map::of(loadFirst(d, from, count)));
            }
            hn::Store(s, d, partial);
            for (size_t k = 0; k < count; ++k) acc[c + k] += partial[k];
        }
    }
}

struct Largest {
    static constexpr float identity = -std::numeric_limits<float>::infinity();
    static HWY_INLINE V join(V x, V y) { return maxOrNaN(x, y); }
};
struct Smallest {
    static constexpr float identity = std::numeric_limits<float>::infinity();
    static HWY_INLINE V join(V x, V y) { return minOrNaN(x, y); }
};

template <class Join>
double rowFold(const float* src, size_t n) {
    return foldOf(D(), src, n, Join::identity, [](V x, V y) HWY_ATTR { return Join::join(x, y); });
}

template <class Join>
void columnsFold(double* acc, const float* src, int64_t stride, size_t rows, size_t cols) {
    const D d;
    const size_t lanes = hn::Lanes(d);
    HWY_ALIGN float partial[HWY_MAX_BYTES / sizeof(float)];
    for (size_t c = 0; c < cols; c += lanes) {
        const size_t count = std::min(lanes, cols - c);
        for (size_t k = 0; k < lanes; ++k) partial[k] = k < count ? static_cast<float>(acc[c + k]) : 0.0f;
        V s = hn::Load(d, partial);
        const float* from = src + c;
        for (size_t r = 0; r < rows; ++r, from += stride) {
            s = Join::join(s, count == lanes ? hn::LoadU(d, from) : loadFirst(d, from, count));
        }
        hn::Store(s, d, partial);
        for (size_t k = 0; k < count; ++k) acc[c + k] = partial[k];
    }
}

// Products and truth values: rare on floats, and products need double's range.
template <ReduceKind kind>
void columnsPlain(double* acc, const float* src, int64_t stride, size_t rows, size_t cols) {
    for (size_t r = 0; r < rows; ++r, src += stride) {
        for (size_t c = 0; c < cols; ++c) {
            if (kind == ReduceKind::Prod) acc[c] *= src[c];
            if (kind == ReduceKind::Any && src[c] != 0.0f) acc[c] = 1;
            if (kind == ReduceKind::All && src[c] == 0.0f) acc[c] = 0;
        }
    }
}
template <ReduceKind kind>
double rowPlain(const float* src, size_t n) {
    double acc = kind == ReduceKind::Any ? 0 : 1;
    columnsPlain<kind>(&acc, src, 1, n, 1);
    return acc;
}

const ReduceKernels* makeReduceKernels() {
    static ReduceKernels table = {};
    addIntegerReductions(&table);
    const auto set = [](ReduceKind kind, double (*row)(const float*, size_t),
                        void (*columns)(double*, const float*, int64_t, size_t, size_t)) {
        table.rowF32[static_cast<int>(kind)] = row;
        table.columnsF32[static_cast<int>(kind)] = columns;
    };
    set(ReduceKind::Sum, rowSum<Identity>, columnsSum<Identity>);
    set(ReduceKind::Mean, rowSum<Identity>, columnsSum<Identity>);
    set(ReduceKind::AbsSum, rowSum<Magnitude>, columnsSum<Magnitude>);
    set(ReduceKind::SquareSum, rowSum<Square>, columnsSum<Square>);
    set(ReduceKind::Max, rowFold<Largest>, columnsFold<Largest>);
    set(ReduceKind::Min, rowFold<Smallest>, columnsFold<Smallest>);
    set(ReduceKind::Prod, rowPlain<ReduceKind::Prod>, columnsPlain<ReduceKind::Prod>);
    set(ReduceKind::Any, rowPlain<ReduceKind::Any>, columnsPlain<ReduceKind::Any>);
    set(ReduceKind::All, rowPlain<ReduceKind::All>, columnsPlain<ReduceKind::All>);
    return &table;
}

}  // namespace

const ReduceKernels& reduceKernels() {
    static const ReduceKernels* const table = makeReduceKernels();
    return *table;
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace MNN
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace MNN {
namespace cpu {
const ReduceKernels& reduceKernels(Isa isa) { MNN_SELECT_TARGET(isa, reduceKernels) }
}  // namespace cpu
}  // namespace MNN
#endif
