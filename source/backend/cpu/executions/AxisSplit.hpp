// A tensor seen as [outside, axis, inside], and how work on it is cut into tiles.
#ifndef MNN_CPU_EXECUTIONS_AXISSPLIT_HPP
#define MNN_CPU_EXECUTIONS_AXISSPLIT_HPP

#include <algorithm>
#include "core/TensorUtils.hpp"

namespace MNN {

struct AxisSplit {
    int64_t outside = 1, axis = 1, inside = 1;

    // Cuts t's shape at `at`, which may be negative (from the end). False when it is not a dimension of t; a scalar
    // counts as [1].
    bool set(const Tensor* t, int at) {
        const int rank = std::max(t->dimensions(), 1);
        if (at < 0) at += rank;
        if (at < 0 || at >= rank) return false;
        outside = axis = inside = 1;
        for (int d = 0; d < t->dimensions(); ++d) (d < at ? outside : d == at ? axis : inside) *= t->length(d);
        return true;
    }
};

inline int64_t tilesOf(int64_t n, int64_t tile) { return (n + tile - 1) / tile; }

// Columns [begin, begin + count) of one of the outside blocks: tile `index` of tilesOf(inside, width) * outside.
struct ColumnTile {
    int64_t outside, begin, count;

    ColumnTile(const AxisSplit& s, int64_t width, int64_t index) {
        const int64_t across = tilesOf(s.inside, width);
        outside = index / across;
        begin = index % across * width;
        count = std::min(width, s.inside - begin);
    }
};

}  // namespace MNN
#endif
