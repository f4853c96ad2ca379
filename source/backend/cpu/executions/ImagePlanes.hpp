// Images as a list of planes: [batch * channel blocks][spatial][pack]; row-major images are blocks of one channel.
#ifndef MNN_CPU_EXECUTIONS_IMAGEPLANES_HPP
#define MNN_CPU_EXECUTIONS_IMAGEPLANES_HPP

#include <algorithm>
#include "backend/cpu/CPUBackend.hpp"
#include "core/TensorUtils.hpp"

namespace MNN {

inline int packOf(const Tensor* t) { return TensorUtils::isPacked(t) ? TensorUtils::describe(t)->pack : 1; }

inline int planesOf(const Tensor* t) { return t->length(0) * ((t->length(1) + packOf(t) - 1) / packOf(t)); }

// Whether two images can be walked plane by plane together.
inline bool samePlanes(const Tensor* a, const Tensor* b) {
    return a->dimensions() == b->dimensions() && a->dimensions() >= 3 && packOf(a) == packOf(b) &&
           TensorUtils::isPacked(a) == TensorUtils::isPacked(b) && a->length(0) == b->length(0) &&
           a->length(1) == b->length(1);
}

// Calls body(plane, rowBegin, rowEnd) over all rows of all planes on the backend's threads; planes are divided when
// there are few of them. costPerRow: rough count of elements touched for a row.
template <typename F>
void forEachPlaneRows(const CPUBackend* backend, int planes, int rows, int64_t costPerRow, F&& body) {
    constexpr int64_t kTileCost = 16 * 1024;
    if (planes <= 0 || rows <= 0) return;
    const int64_t wanted = planes >= backend->threads() * 4 ? 1 : (backend->threads() * 4 + planes - 1) / planes;
    const int64_t worth = std::max<int64_t>(1, rows * costPerRow / kTileCost);
    const int parts = static_cast<int>(std::min<int64_t>(rows, backend->threads() == 1 ? 1 : std::min(wanted, worth)));
    backend->parallelFor(planes * parts, [&](int tile, int) {
        const int plane = tile / parts, part = tile % parts;
        body(plane, static_cast<int>(int64_t(rows) * part / parts),
             static_cast<int>(int64_t(rows) * (part + 1) / parts));
    });
}

}  // namespace MNN
#endif
