#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/Winograd.cpp"
#include "backend/cpu/kernels/Targets.hpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "backend/cpu/kernels/Winograd.hpp"
#include "backend/cpu/kernels/Tail-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace MNN {
namespace cpu {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

constexpr float kA = 0.70710678118654752f, kB = 1.41421356237309505f;  // points of F(4, 3)

HWY_INLINE V times(float factor, V x, V plus) { return hn::MulAdd(hn::Set(D(), factor), x, plus); }

// Rows of B^T: the polynomials that vanish at all points but one.
HWY_INLINE void inputLine(const V (&d)[4], V (&t)[4]) {
    t[0] = hn::Sub(d[2], d[0]);
    t[1] = hn::Add(d[2], d[1]);
    t[2] = hn::Sub(d[2], d[1]);
    t[3] = hn::Sub(d[3], d[1]);
}

HWY_INLINE void inputLine(const V (&d)[6], V (&t)[6]) {
    const V evenA = times(-2.0f, d[2], d[4]), oddA = times(-2.0f, d[1], d[3]);
    const V evenB = times(-0.5f, d[2], d[4]), oddB = times(-0.5f, d[1], d[3]);
    t[0] = times(-2.5f, d[2], hn::Add(d[4], d[0]));
    t[1] = times(kA, oddA, evenA);
    t[2] = times(-kA, oddA, evenA);
    t[3] = times(kB, oddB, evenB);
    t[4] = times(-kB, oddB, evenB);
    t[5] = times(-2.5f, d[3], hn::Add(d[5], d[1]));
}

// Rows of A^T: powers of the points.
HWY_INLINE void outputLine(const V (&m)[4], V (&y)[2]) {
    y[0] = hn::Add(m[0], hn::Add(m[1], m[2]));
    y[1] = hn::Add(m[3], hn::Sub(m[1], m[2]));
}

HWY_INLINE void outputLine(const V (&m)[6], V (&y)[4]) {
    const V sumA = hn::Add(m[1], m[2]), differenceA = hn::Sub(m[1], m[2]);
    const V sumB = hn::Add(m[3], m[4]), differenceB = hn::Sub(m[3], m[4]);
    y[0] = hn::Add(m[0], hn::Add(sumA, sumB));
    y[1] = times(kA, differenceA, hn::Mul(hn::Set(D(), kB), differenceB));
    y[2] = times(0.5f, sumA, hn::Add(sumB, sumB));
    y[3] = times(0.5f * kA, differenceA, times(2.0f * kB, differenceB, m[5]));
}

template <int Side, bool Whole>
HWY_INLINE void inputTile(float* HWY_RESTRICT to, ptrdiff_t toStep, const float* HWY_RESTRICT from,
                          const WinogradTile& tile) {
    const D d;
    V half[Side][Side];
    for (int x = 0; x < Side; ++x) {
        V column[Side], t[Side];
        MNN_UNROLL
        for (int y = 0; y < Side; ++y) {
            const bool inside = Whole || (y >= tile.y0 && y < tile.y1 && x >= tile.x0 && x < tile.x1);
            column[y] = inside ? hn::LoadU(d, from + y * tile.rowStep + x * kLanes) : hn::Zero(d);
        }
        inputLine(column, t);
        MNN_UNROLL
        for (int y = 0; y < Side; ++y) half[y][x] = t[y];
    }
    for (int y = 0; y < Side; ++y) {
        V t[Side];
        inputLine(half[y], t);
        MNN_UNROLL
        for (int x = 0; x < Side; ++x) hn::StoreU(t[x], d, to + (y * Side + x) * toStep);
    }
}

template <int Side>
void inputOf(float* to, ptrdiff_t toStep, const float* from, const WinogradTile& tile) {
    const bool whole = tile.y0 == 0 && tile.x0 == 0 && tile.y1 == Side && tile.x1 == Side;
    if (whole) {
        inputTile<Side, true>(to, toStep, from, tile);
    } else {
        inputTile<Side, false>(to, toStep, from, tile);
    }
}

void input(int unit, float* to, ptrdiff_t toStep, const float* from, const WinogradTile& tile) {
    if (unit == 4) {
        inputOf<6>(to, toStep, from, tile);
    } else {
        inputOf<4>(to, toStep, from, tile);
    }
}

template <int Unit>
HWY_INLINE void outputOf(float* HWY_RESTRICT to, const WinogradTile& tile, const float* HWY_RESTRICT from,
                         ptrdiff_t fromStep, const float* bias, const Clamp& clamp) {
    constexpr int kSide = Unit + 2;
    const D d;
    V half[Unit][kSide];
    for (int x = 0; x < kSide; ++x) {
        V column[kSide], y[Unit];
        MNN_UNROLL
        for (int i = 0; i < kSide; ++i) column[i] = hn::LoadU(d, from + (i * kSide + x) * fromStep);
        outputLine(column, y);
        MNN_UNROLL
        for (int i = 0; i < Unit; ++i) half[i][x] = y[i];
    }
    const V start = hn::LoadU(d, bias);
    for (int i = 0; i < tile.y1; ++i) {
        V y[Unit];
        outputLine(half[i], y);
        for (int x = 0; x < tile.x1; ++x) {
            V value = hn::Add(y[x], start);
            if (clamp.active) value = hn::Min(hn::Set(d, clamp.high), hn::Max(hn::Set(d, clamp.low), value));
            hn::StoreU(value, d, to + i * tile.rowStep + x * kLanes);
        }
    }
}

void output(int unit, float* to, const WinogradTile& tile, const float* from, ptrdiff_t fromStep, const float* bias,
            const Clamp& clamp) {
    if (unit == 4) {
        outputOf<4>(to, tile, from, fromStep, bias, clamp);
    } else {
        outputOf<2>(to, tile, from, fromStep, bias, clamp);
    }
}

}  // namespace

const WinogradKernels& winogradKernels() {
    static const WinogradKernels table = {kLanes, input, output};
    return table;
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace MNN
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace MNN {
namespace cpu {

const WinogradKernels& winogradKernels(Isa isa) { MNN_SELECT_TARGET(isa, winogradKernels) }

}  // namespace cpu
}  // namespace MNN
#endif
