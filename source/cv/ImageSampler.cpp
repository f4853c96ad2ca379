// One loop per filter, with the treatment of taps outside the image as a template argument.
#include "cv/ImageSampler.hpp"

namespace MNN {
namespace CV {

namespace {

// Positions this far out are outside every image, and their neighbours still fit in an int. NaN becomes the lowest.
constexpr float kFar = 1 << 28;

// Not std::floor: a call per pixel where the instruction set has no rounding.
inline int floorOf(float v) {
    v = v > -kFar ? v : -kFar;
    v = v < kFar ? v : kFar;
    const int truncated = static_cast<int>(v);
    return truncated - (v < static_cast<float>(truncated));
}

// What a tap at (x, y) reads.
template <int kBytes>
struct Inside {
    static const uint8_t* tap(const Plane& p, int x, int y, const uint8_t*) {
        return p.pixels + y * p.stride + static_cast<ptrdiff_t>(x) * kBytes;
    }
};

template <int kBytes>
struct ClampToEdge {
    static const uint8_t* tap(const Plane& p, int x, int y, const uint8_t* outside) {
        x = x < 0 ? 0 : x >= p.width ? p.width - 1 : x;
        y = y < 0 ? 0 : y >= p.height ? p.height - 1 : y;
        return Inside<kBytes>::tap(p, x, y, outside);
    }
};

template <int kBytes>
struct PadOutside {
    static const uint8_t* tap(const Plane& p, int x, int y, const uint8_t* outside) {
        const bool inside = x >= 0 && x < p.width && y >= 0 && y < p.height;
        return inside ? Inside<kBytes>::tap(p, x, y, outside) : outside;
    }
};

template <int kBytes>
struct Repeat {
    static int wrapped(int v, int size) {
        v %= size;
        return v < 0 ? v + size : v;
    }
    static const uint8_t* tap(const Plane& p, int x, int y, const uint8_t* outside) {
        return Inside<kBytes>::tap(p, wrapped(x, p.width), wrapped(y, p.height), outside);
    }
};

template <int kBytes, template <int> class Edge>
void sampleNearest(const Plane& plane, const float* xs, const float* ys, int count, const uint8_t* outside,
                   uint8_t* dst) {
    for (int i = 0; i < count; ++i, dst += kBytes) {
        const uint8_t* tap = Edge<kBytes>::tap(plane, floorOf(xs[i] + 0.5f), floorOf(ys[i] + 0.5f), outside);
        for (int c = 0; c < kBytes; ++c) dst[c] = tap[c];
    }
}

// Fractions have 11 bits, as in OpenCV: the products of two fit in an int with 8 bits of pixel.
constexpr int kLinearBits = 11;

inline int fractionOf(float v, int whole) {
    const float fraction = (v - static_cast<float>(whole)) * (1 << kLinearBits) + 0.5f;
    // Far positions lose their fraction; one just below the next pixel may round up to it.
    return fraction >= 0 && fraction < (1 << kLinearBits) + 1 ? static_cast<int>(fraction) : 0;
}

template <int kBytes, template <int> class Edge>
void sampleBilinear(const Plane& plane, const float* xs, const float* ys, int count, const uint8_t* outside,
                    uint8_t* dst) {
    constexpr int one = 1 << kLinearBits, half = 1 << (2 * kLinearBits - 1);
    for (int i = 0; i < count; ++i, dst += kBytes) {
        const int x = floorOf(xs[i]), y = floorOf(ys[i]);
        const int fx = fractionOf(xs[i], x), fy = fractionOf(ys[i], y);
        const uint8_t* topLeft = Edge<kBytes>::tap(plane, x, y, outside);
        const uint8_t* topRight = Edge<kBytes>::tap(plane, x + 1, y, outside);
        const uint8_t* bottomLeft = Edge<kBytes>::tap(plane, x, y + 1, outside);
        const uint8_t* bottomRight = Edge<kBytes>::tap(plane, x + 1, y + 1, outside);
        for (int c = 0; c < kBytes; ++c) {
            const int top = topLeft[c] * (one - fx) + topRight[c] * fx;
            const int bottom = bottomLeft[c] * (one - fx) + bottomRight[c] * fx;
            dst[c] = static_cast<uint8_t>((top * (one - fy) + bottom * fy + half) >> (2 * kLinearBits));
        }
    }
}

// Keys' cubic convolution with a = -0.75; weights of the taps at -1, 0, 1, 2 for a position t in [0, 1).
inline void cubicWeights(float t, float weights[4]) {
    constexpr float a = -0.75f;
    const auto near = [](float d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
    const auto far = [](float d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
    weights[0] = far(t + 1);
    weights[1] = near(t);
    weights[2] = near(1 - t);
    weights[3] = 1 - weights[0] - weights[1] - weights[2];
}

inline uint8_t roundToByte(float v) { return static_cast<uint8_t>(v < 0 ? 0 : v > 254.5f ? 255 : v + 0.5f); }

template <int kBytes, template <int> class Edge>
void sampleBicubic(const Plane& plane, const float* xs, const float* ys, int count, const uint8_t* outside,
                   uint8_t* dst) {
    for (int i = 0; i < count; ++i, dst += kBytes) {
        const int x = floorOf(xs[i]), y = floorOf(ys[i]);
        float wx[4], wy[4], sum[kBytes] = {};
        cubicWeights(static_cast<float>(fractionOf(xs[i], x)) / (1 << kLinearBits), wx);
        cubicWeights(static_cast<float>(fractionOf(ys[i], y)) / (1 << kLinearBits), wy);
        for (int row = 0; row < 4; ++row) {
            for (int column = 0; column < 4; ++column) {
                const uint8_t* tap = Edge<kBytes>::tap(plane, x - 1 + column, y - 1 + row, outside);
                const float weight = wy[row] * wx[column];
                for (int c = 0; c < kBytes; ++c) sum[c] += weight * tap[c];
            }
        }
        for (int c = 0; c < kBytes; ++c) dst[c] = roundToByte(sum[c]);
    }
}

template <int kBytes, template <int> class Edge>
Sampler forFilter(Filter filter) {
    switch (filter) {
        case BILINEAR:
            return sampleBilinear<kBytes, Edge>;
        case BICUBIC:
            return sampleBicubic<kBytes, Edge>;
        default:
            return sampleNearest<kBytes, Edge>;
    }
}

template <template <int> class Edge>
Sampler forBytes(Filter filter, int bytes) {
    switch (bytes) {
        case 1:
            return forFilter<1, Edge>(filter);
        case 2:
            return forFilter<2, Edge>(filter);
        case 3:
            return forFilter<3, Edge>(filter);
        default:
            return forFilter<4, Edge>(filter);
    }
}

}  // namespace

Sampler findSampler(Filter filter, Wrap wrap, int bytes, bool allInside) {
    if (allInside) return forBytes<Inside>(filter, bytes);
    switch (wrap) {
        case ZERO:
            return forBytes<PadOutside>(filter, bytes);
        case REPEAT:
            return forBytes<Repeat>(filter, bytes);
        default:
            return forBytes<ClampToEdge>(filter, bytes);
    }
}

bool tapsStayInside(Filter filter, const Plane& plane, float x0, float y0, float x1, float y1) {
    // Reach of the taps below and above floor(position); nearest rounds instead.
    const int before = filter == BICUBIC ? 1 : 0;
    const int after = filter == NEAREST ? 0 : filter == BILINEAR ? 1 : 2;
    const float shift = filter == NEAREST ? 0.5f : 0.0f;
    const auto fits = [&](float a, float b, int size) {
        const int first = floorOf((a < b ? a : b) + shift) - before;
        const int last = floorOf((a < b ? b : a) + shift) + after;
        return a == a && b == b && first >= 0 && last < size;
    };
    return fits(x0, x1, plane.width) && fits(y0, y1, plane.height);
}

}  // namespace CV
}  // namespace MNN
