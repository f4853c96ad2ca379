#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/Gemm.cpp"
#include "backend/cpu/kernels/Targets.hpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "backend/cpu/kernels/Gemm.hpp"
#include "backend/cpu/kernels/Tail-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace MNN {
namespace cpu {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// Fixed widths: tiles are templates over register counts, and panels have a known layout.
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

// Of 32 registers 28 hold C, of 16 registers 12 do; two hold B and one A.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr int kTileRows[] = {14, 7, 4, 2, 1};
#else
constexpr int kTileRows[] = {6, 4, 2, 1};
#endif
constexpr int kTileKinds = sizeof(kTileRows) / sizeof(kTileRows[0]);

template <int Vectors>
HWY_INLINE void loadB(const float* HWY_RESTRICT b, bool tail, int lastLanes, V (&out)[Vectors]) {
    const D d;
    if (!tail) {
        for (int v = 0; v < Vectors; ++v) out[v] = hn::LoadU(d, b + v * kLanes);
        return;
    }
    for (int v = 0; v + 1 < Vectors; ++v) out[v] = hn::LoadU(d, b + v * kLanes);
    out[Vectors - 1] = loadFirst(d, b + (Vectors - 1) * kLanes, lastLanes);
}

template <int Rows, int Vectors>
HWY_INLINE void initTile(const GemmTile& t, V (&acc)[Rows][Vectors]) {
    const D d;
    const bool whole = t.lastLanes == kLanes;
    if (t.accumulate) {
        MNN_UNROLL
        for (int r = 0; r < Rows; ++r) {
            MNN_UNROLL
            for (int v = 0; v < Vectors; ++v) {
                const float* c = t.c + r * t.rowStep + v * t.vectorStep;
                acc[r][v] = whole || v + 1 < Vectors ? hn::LoadU(d, c) : loadFirst(d, c, t.lastLanes);
            }
        }
        return;
    }
    V start[Vectors];
    if (t.bias != nullptr) {
        loadB<Vectors>(t.bias, !whole, t.lastLanes, start);
    } else {
        for (int v = 0; v < Vectors; ++v) start[v] = hn::Zero(d);
    }
    MNN_UNROLL
    for (int r = 0; r < Rows; ++r) {
        MNN_UNROLL
        for (int v = 0; v < Vectors; ++v) acc[r][v] = start[v];
    }
}

template <int Rows, int Vectors>
HWY_INLINE void storeTile(const GemmTile& t, V (&acc)[Rows][Vectors]) {
    const D d;
    if (t.clamp.active) {
        // maxps and minps return the second operand for NaN: a NaN in C stays visible.
        const V low = hn::Set(d, t.clamp.low), high = hn::Set(d, t.clamp.high);
        MNN_UNROLL
        for (int r = 0; r < Rows; ++r) {
            MNN_UNROLL
            for (int v = 0; v < Vectors; ++v) acc[r][v] = hn::Min(high, hn::Max(low, acc[r][v]));
        }
    }
    const bool whole = t.lastLanes == kLanes;
    MNN_UNROLL
    for (int r = 0; r < Rows; ++r) {
        MNN_UNROLL
        for (int v = 0; v < Vectors; ++v) {
            float* c = t.c + r * t.rowStep + v * t.vectorStep;
            if (whole || v + 1 < Vectors) {
                hn::StoreU(acc[r][v], d, c);
            } else {
                storeFirst(d, acc[r][v], c, t.lastLanes);
            }
        }
    }
}

// acc += A[.][k] * B[k][.] for one k; a(r) is the value of row r.
template <int Rows, int Vectors, class ReadA>
HWY_INLINE void multiplyAdd(V (&acc)[Rows][Vectors], const V (&b)[Vectors], const ReadA& a) {
    const D d;
    MNN_UNROLL
    for (int r = 0; r < Rows; ++r) {
        const V value = hn::Set(d, a(r));
        MNN_UNROLL
        for (int v = 0; v < Vectors; ++v) acc[r][v] = hn::MulAdd(value, b[v], acc[r][v]);
    }
}

constexpr int kUnrollK = 4;

template <int Rows, int Vectors>
void inPlaceTile(const GemmTile& t) {
    V acc[Rows][Vectors];
    initTile<Rows, Vectors>(t, acc);
    const float* HWY_RESTRICT rows[Rows];
    MNN_UNROLL
    for (int r = 0; r < Rows; ++r) rows[r] = t.rows[r];
    const float* HWY_RESTRICT b = t.b;
    const ptrdiff_t bStep = t.bStep;
    for (int s = 0; s < t.segments; ++s) {
        ptrdiff_t at = t.segmentOffset[s];
        const ptrdiff_t end = at + (s < t.fullSegments ? t.length : t.lastLength);
        for (; !t.bTail && at + kUnrollK <= end; at += kUnrollK) {
            MNN_UNROLL
            for (int k = 0; k < kUnrollK; ++k) {
                V bk[Vectors];
                loadB<Vectors>(b, false, kLanes, bk);
                b += bStep;
                multiplyAdd<Rows, Vectors>(acc, bk, [&](int r) MNN_INLINE_LAMBDA { return rows[r][at + k]; });
            }
        }
        for (; at < end; ++at) {
            V bk[Vectors];
            loadB<Vectors>(b, t.bTail, t.lastLanes, bk);
            b += bStep;
            multiplyAdd<Rows, Vectors>(acc, bk, [&](int r) MNN_INLINE_LAMBDA { return rows[r][at]; });
        }
    }
    storeTile<Rows, Vectors>(t, acc);
}

template <int Rows, int Vectors>
void packedTile(const GemmTile& t) {
    V acc[Rows][Vectors];
    initTile<Rows, Vectors>(t, acc);
    const float* HWY_RESTRICT a = t.a;
    const float* HWY_RESTRICT b = t.b;
    const ptrdiff_t bStep = t.bStep;
    int k = 0;
    for (; !t.bTail && k + kUnrollK <= t.length; k += kUnrollK) {
        MNN_UNROLL
        for (int i = 0; i < kUnrollK; ++i) {
            V bk[Vectors];
            loadB<Vectors>(b, false, kLanes, bk);
            b += bStep;
            multiplyAdd<Rows, Vectors>(acc, bk, [&](int r) MNN_INLINE_LAMBDA { return a[i * Rows + r]; });
        }
        a += kUnrollK * Rows;
    }
    for (; k < t.length; ++k) {
        V bk[Vectors];
        loadB<Vectors>(b, t.bTail, t.lastLanes, bk);
        b += bStep;
        multiplyAdd<Rows, Vectors>(acc, bk, [&](int r) MNN_INLINE_LAMBDA { return a[r]; });
        a += Rows;
    }
    storeTile<Rows, Vectors>(t, acc);
}

#if HWY_TARGET != HWY_SCALAR
using D4 = hn::FixedTag<float, 4>;

// A 4 x 4 block: dst[i * width + l] = src[l * laneStep + i].
HWY_INLINE void transpose4(float* HWY_RESTRICT dst, int width, const float* HWY_RESTRICT src, ptrdiff_t laneStep) {
    const D4 d;
    const hn::Repartition<double, D4> pairs;
    const auto r0 = hn::LoadU(d, src), r1 = hn::LoadU(d, src + laneStep);
    const auto r2 = hn::LoadU(d, src + 2 * laneStep), r3 = hn::LoadU(d, src + 3 * laneStep);
    const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1));
    const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1));
    const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));
    const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, dst);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, dst + width);
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, dst + 2 * width);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, dst + 3 * width);
}

HWY_INLINE void copy4(float* HWY_RESTRICT dst, const float* HWY_RESTRICT src) {
    hn::StoreU(hn::LoadU(D4(), src), D4(), dst);
}
#else
HWY_INLINE void transpose4(float* HWY_RESTRICT dst, int width, const float* HWY_RESTRICT src, ptrdiff_t laneStep) {
    for (int i = 0; i < 4; ++i) {
        for (int l = 0; l < 4; ++l) dst[i * width + l] = src[l * laneStep + i];
    }
}

HWY_INLINE void copy4(float* HWY_RESTRICT dst, const float* HWY_RESTRICT src) {
    for (int l = 0; l < 4; ++l) dst[l] = src[l];
}
#endif

void packContiguousK(float* HWY_RESTRICT dst, int width, const float* HWY_RESTRICT src, ptrdiff_t laneStep, int lanes,
                     int k) {
    int i = 0;
    for (; i + 4 <= k; i += 4) {
        int l = 0;
        for (; l + 4 <= lanes; l += 4) transpose4(dst + i * width + l, width, src + l * laneStep + i, laneStep);
        for (; l < lanes; ++l) {
            for (int j = 0; j < 4; ++j) dst[(i + j) * width + l] = src[l * laneStep + i + j];
        }
    }
    for (; i < k; ++i) {
        for (int l = 0; l < lanes; ++l) dst[i * width + l] = src[l * laneStep + i];
    }
}

void packContiguousLanes(float* HWY_RESTRICT dst, int width, const float* HWY_RESTRICT src, ptrdiff_t kStep, int lanes,
                         int k) {
    for (int i = 0; i < k; ++i) {
        const float* HWY_RESTRICT from = src + i * kStep;
        float* HWY_RESTRICT to = dst + static_cast<ptrdiff_t>(i) * width;
        int l = 0;
        for (; l + 4 <= lanes; l += 4) copy4(to + l, from + l);
        for (; l < lanes; ++l) to[l] = from[l];
    }
}

void pack(float* dst, int width, const float* src, ptrdiff_t laneStep, ptrdiff_t kStep, int lanes, int k) {
    if (kStep == 1) {
        packContiguousK(dst, width, src, laneStep, lanes, k);
    } else if (laneStep == 1) {
        packContiguousLanes(dst, width, src, kStep, lanes, k);
    } else {
        for (int i = 0; i < k; ++i) {
            for (int l = 0; l < lanes; ++l) dst[static_cast<ptrdiff_t>(i) * width + l] = src[l * laneStep + i * kStep];
        }
    }
    if (lanes == width) return;
    for (int i = 0; i < k; ++i) {
        for (int l = lanes; l < width; ++l) dst[static_cast<ptrdiff_t>(i) * width + l] = 0.0f;
    }
}

void copyRuns(float* dst, ptrdiff_t dstStep, const float* src, ptrdiff_t srcStep, int run, int count) {
    const D d;
    for (int l = 0; l < run; l += kLanes) {
        const int lanes = HWY_MIN(kLanes, run - l);
        if (lanes == kLanes) {
            for (int i = 0; i < count; ++i) hn::StoreU(hn::LoadU(d, src + i * srcStep + l), d, dst + i * dstStep + l);
        } else {
            for (int i = 0; i < count; ++i)
                storeFirst(d, loadFirst(d, src + i * srcStep + l, lanes), dst + i * dstStep + l, lanes);
        }
    }
}

// Four rows of x share each load of y.
template <int Rows>
HWY_INLINE void dotRows(float* out, ptrdiff_t outStep, const float* HWY_RESTRICT x, ptrdiff_t xStep,
                        const float* HWY_RESTRICT y, int k) {
    const D d;
    V sum[Rows];
    MNN_UNROLL
    for (int r = 0; r < Rows; ++r) sum[r] = hn::Zero(d);
    int i = 0;
    for (; i + kLanes <= k; i += kLanes) {
        const V yi = hn::LoadU(d, y + i);
        MNN_UNROLL
        for (int r = 0; r < Rows; ++r) sum[r] = hn::MulAdd(hn::LoadU(d, x + r * xStep + i), yi, sum[r]);
    }
    if (i < k) {
        const V yi = loadFirst(d, y + i, k - i);
        MNN_UNROLL
        for (int r = 0; r < Rows; ++r) sum[r] = hn::MulAdd(loadFirst(d, x + r * xStep + i, k - i), yi, sum[r]);
    }
    MNN_UNROLL
    for (int r = 0; r < Rows; ++r) out[r * outStep] = hn::GetLane(hn::SumOfLanes(d, sum[r]));
}

void dots(float* out, ptrdiff_t outStepX, ptrdiff_t outStepY, const float* x, ptrdiff_t xStep, int xCount,
          const float* y, ptrdiff_t yStep, int yCount, int k) {
    int p = 0;
    for (; p + 4 <= xCount; p += 4) {
        for (int q = 0; q < yCount; ++q) {
            dotRows<4>(out + p * outStepX + q * outStepY, outStepX, x + p * xStep, xStep, y + q * yStep, k);
        }
    }
    for (; p < xCount; ++p) {
        for (int q = 0; q < yCount; ++q) {
            dotRows<1>(out + p * outStepX + q * outStepY, 0, x + p * xStep, xStep, y + q * yStep, k);
        }
    }
}

template <int Kind>
void fillKinds(GemmKernels& table) {
    if constexpr (Kind < kTileKinds) {
        constexpr int rows = kTileRows[Kind];
        table.tileRows[Kind] = rows;
        table.inPlace[Kind][0] = inPlaceTile<rows, 1>;
        table.inPlace[Kind][1] = inPlaceTile<rows, 2>;
        table.packed[Kind][0] = packedTile<rows, 1>;
        table.packed[Kind][1] = packedTile<rows, 2>;
        fillKinds<Kind + 1>(table);
    }
}

GemmKernels makeTable() {
    GemmKernels table = {};
    table.lanes = kLanes;
    table.panel = 2 * kLanes;
    table.tileKinds = kTileKinds;
    fillKinds<0>(table);
    table.pack = pack;
    table.copyRuns = copyRuns;
    table.dots = dots;
    return table;
}

}  // namespace

const GemmKernels& gemmKernels() {
    static const GemmKernels table = makeTable();
    return table;
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace MNN
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace MNN {
namespace cpu {

const GemmKernels& gemmKernels(Isa isa) { MNN_SELECT_TARGET(isa, gemmKernels) }

}  // namespace cpu
}  // namespace MNN
#endif
