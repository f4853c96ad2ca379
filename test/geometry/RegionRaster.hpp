// Arrays that stand in for tensors, and the plain reference that moves their elements.
#ifndef MNN_TEST_GEOMETRY_REGION_RASTER_HPP
#define MNN_TEST_GEOMETRY_REGION_RASTER_HPP

#include <numeric>
#include <string>

#include "geometry/RegionAlgebra.hpp"

namespace MNN {
namespace core {

using Values = std::vector<int>;
using Shape = std::vector<int>;
using Strides = std::vector<int64_t>;

// The algebra never looks into an origin, so arrays stand in for tensors.
inline Tensor* asOrigin(Values* values) { return reinterpret_cast<Tensor*>(values); }
inline Values& valuesOf(Tensor* origin) { return *reinterpret_cast<Values*>(origin); }

inline int64_t elementsOf(const Shape& shape) {
    int64_t n = 1;
    for (int s : shape) n *= s;
    return n;
}

inline Values counting(int64_t n, int first = 1) {
    Values values(static_cast<size_t>(n));
    std::iota(values.begin(), values.end(), first);
    return values;
}

// Calls visit(source address, destination address) for every element a Region moves.
template <class Visit>
void forEachElement(const Region& r, Visit visit) {
    std::array<int32_t, kRegionLoops> i{};
    const int64_t n = r.elements();
    for (int64_t e = 0; e < n; ++e) {
        int64_t src = r.src.offset, dst = r.dst.offset;
        for (int k = 0; k < kRegionLoops; ++k) {
            src += i[k] * r.src.stride[k];
            dst += i[k] * r.dst.stride[k];
        }
        visit(src, dst);
        for (int k = kRegionLoops - 1; k >= 0 && ++i[k] == r.size[k]; --k) i[k] = 0;
    }
}

// What a list writes; anything outside an origin or the destination, or written twice, is an error.
inline Values raster(const RegionList& regions, int64_t elements, std::string* error) {
    Values out(static_cast<size_t>(elements), 0);
    std::vector<char> written(static_cast<size_t>(elements), 0);
    for (const Region& r : regions) {
        const Values& origin = valuesOf(r.origin);
        forEachElement(r, [&](int64_t src, int64_t dst) {
            if (src < 0 || src >= static_cast<int64_t>(origin.size())) {
                *error = "reads outside the origin at " + std::to_string(src);
            } else if (dst < 0 || dst >= elements) {
                *error = "writes outside at " + std::to_string(dst);
            } else if (written[static_cast<size_t>(dst)]++) {
                *error = "writes twice at " + std::to_string(dst);
            } else {
                out[static_cast<size_t>(dst)] = origin[static_cast<size_t>(src)];
            }
        });
    }
    return out;
}

}  // namespace core
}  // namespace MNN
#endif
