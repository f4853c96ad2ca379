// Views that choose elements dimension by dimension: slices, pads, reversals, gathers.
#ifndef MNN_GEOMETRY_SELECT_HPP
#define MNN_GEOMETRY_SELECT_HPP

#include <vector>
#include "geometry/Geometry.hpp"

namespace MNN {
namespace geometry {

// Places [dst, dst + count) of an output dimension read src, src + step, ... of the input's; step may be 0 or negative.
struct Run {
    int dst = 0;
    int count = 0;
    int src = 0;
    int step = 1;
};
using Runs = std::vector<Run>;

// The runs of an index list: place i of the output reads indices[i]. A negative index reads nothing (the element is
// zero).
Runs runsOf(const std::vector<int>& indices);
Runs wholeRun(int length);

// output, whose elements are those of a row-major tensor of `dims`, reads input through one list of runs per dimension;
// what no run names is zero. Packed storage is kept where the channels allow it.
void setSelection(Tensor* output, Tensor* input, const std::vector<int>& dims, const std::vector<Runs>& runs,
                  GeometryContext& ctx);
// As a new tensor.
Tensor* select(Tensor* input, const std::vector<int>& dims, const std::vector<Runs>& runs, GeometryContext& ctx);

// Appends what lies outside begin, begin + step, ... (count of them) along every dimension, all reading one element
// (srcStrides zero) or the same place of a tensor like the output.
struct Stripe {
    int begin = 0;
    int step = 1;
    int count = 0;
};
void appendOutside(core::RegionList* regions, Tensor* origin, const std::vector<int64_t>& srcStrides,
                   const std::vector<int>& dims, const std::vector<Stripe>& stripes);

}  // namespace geometry
}  // namespace MNN
#endif
