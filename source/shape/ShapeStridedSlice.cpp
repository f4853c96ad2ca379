#include "shape/Rules.hpp"
#include "shape/StridedSlice.hpp"

#include <algorithm>

namespace MNN {
namespace shape {
namespace {

struct Bounds {
    std::vector<int> begin, end, stride;
};

// `stride`: the input that holds the strides, if it is there.
bool readBounds(const Rule& r, int stride, Bounds* b) {
    if (!r.arity(3) || !r.ints(1, &b->begin) || !r.ints(2, &b->end)) return false;
    b->stride.clear();
    if (r.has(stride) && !r.ints(stride, &b->stride)) return false;
    if (b->stride.empty()) b->stride.assign(b->begin.size(), 1);
    if (b->begin.size() != b->end.size() || b->begin.size() != b->stride.size()) {
        return r.fail("begin has %zu numbers, end %zu, strides %zu", b->begin.size(), b->end.size(), b->stride.size());
    }
    if (std::count(b->stride.begin(), b->stride.end(), 0) > 0) return r.fail("a stride is 0");
    return true;
}

void wholeRanges(const Rule& r, SliceSpec* spec) {
    spec->ranges.resize(r.rank(0));
    for (int i = 0; i < r.rank(0); ++i) spec->ranges[i] = SliceRange{0, 1, r.length(0, i)};
}

bool onnxSlice(const Rule& r, const Bounds& b, SliceSpec* spec) {
    std::vector<int> axes;
    if (r.has(3) && !r.ints(3, &axes)) return false;
    if (axes.empty()) {
        for (size_t i = 0; i < b.begin.size(); ++i) axes.push_back(static_cast<int>(i));
    }
    if (axes.size() != b.begin.size()) return r.fail("%zu axes for %zu ranges", axes.size(), b.begin.size());
    std::vector<bool> seen(r.rank(0), false);
    for (size_t i = 0; i < axes.size(); ++i) {
        int axis = 0;
        if (!r.axis(axes[i], r.rank(0), &axis)) return false;
        if (seen[axis]) return r.fail("axis %d is listed twice", axis);
        seen[axis] = true;
        spec->ranges[axis] = sliceRange(r.length(0, axis), b.begin[i], b.end[i], b.stride[i]);
    }
    for (const SliceRange& range : spec->ranges) spec->sliced.push_back(range.count);
    return true;
}

bool tensorflowAxis(const Rule& r, const StridedSliceParam* p, const Bounds& b, size_t i, int dim, SliceSpec* spec) {
    const int64_t length = r.length(0, dim);
    if ((p->shrinkAxisMask() >> i) & 1) {
        int index = b.begin[i];
        if (!normalizeAxis(&index, static_cast<int>(length))) {
            return r.fail("index %d is outside dimension %d", b.begin[i], dim);
        }
        spec->ranges[dim] = SliceRange{index, 1, 1};
        return true;
    }
    const bool forward = b.stride[i] > 0;
    const int64_t first = forward ? 0 : length, last = forward ? length : -length - 1;
    spec->ranges[dim] = sliceRange(length, (p->beginMask() >> i) & 1 ? first : b.begin[i],
                                   (p->endMask() >> i) & 1 ? last : b.end[i], b.stride[i]);
    spec->sliced.push_back(spec->ranges[dim].count);
    return true;
}

// Bit i of every mask is about the i-th number of begin, not about a dimension.
bool tensorflowSlice(const Rule& r, const StridedSliceParam* p, const Bounds& b, SliceSpec* spec) {
    const size_t count = std::min<size_t>(b.begin.size(), 31);
    const auto bit = [](int mask, size_t i) { return ((mask >> i) & 1) != 0; };
    size_t consumed = 0;
    for (size_t i = 0; i < count; ++i) consumed += !bit(p->ellipsisMask(), i) && !bit(p->newAxisMask(), i);
    if (consumed > static_cast<size_t>(r.rank(0))) {
        return r.fail("%zu ranges for an input of rank %d", consumed, r.rank(0));
    }
    size_t hidden = r.rank(0) - consumed;  // dimensions that the ellipsis stands for
    int dim = 0;
    for (size_t i = 0; i < count; ++i) {
        if (bit(p->ellipsisMask(), i)) {
            for (; hidden > 0; --hidden) spec->sliced.push_back(spec->ranges[dim++].count);
        } else if (bit(p->newAxisMask(), i)) {
            spec->sliced.push_back(1);
        } else if (!tensorflowAxis(r, p, b, i, dim++, spec)) {
            return false;
        }
    }
    for (; dim < r.rank(0); ++dim) spec->sliced.push_back(spec->ranges[dim].count);
    return true;
}

}  // namespace

SliceRange sliceRange(int64_t length, int64_t begin, int64_t end, int64_t stride) {
    const int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? length : length - 1;
    const auto place = [&](int64_t v) { return std::min(std::max(v < 0 ? v + length : v, low), high); };
    SliceRange range;
    range.begin = place(begin);
    range.stride = stride;
    const int64_t distance = stride > 0 ? place(end) - range.begin : range.begin - place(end);
    const int64_t step = stride > 0 ? stride : -stride;
    range.count = distance > 0 ? (distance + step - 1) / step : 0;
    if (range.count == 0) range.begin = 0;
    return range;
}

bool isSliceWrite(const Op* op, const Tensors& inputs) {
    const auto* p = op->main_as_StridedSliceParam();
    return p != nullptr && p->fromType() == 0 && inputs.size() > 4;
}

bool stridedSlice(const Op* op, const Tensors& inputs, SliceSpec* spec) {
    const Rule r{op, inputs, inputs};
    const auto* p = r.param<StridedSliceParam>();
    Bounds b;
    if (p == nullptr || !readBounds(r, p->fromType() == 0 ? 3 : 4, &b)) return false;
    spec->sliced.clear();
    wholeRanges(r, spec);
    return p->fromType() == 0 ? tensorflowSlice(r, p, b, spec) : onnxSlice(r, b, spec);
}

bool inferStridedSlice(const Rule& r) {
    SliceSpec spec;
    if (!r.arity(3) || !stridedSlice(r.op, r.inputs, &spec)) return false;
    if (!isSliceWrite(r.op, r.inputs)) return r.setLike(0, spec.sliced);
    const Dims value = dimsOf(r.inputs[4]);
    bool fits = value.size() <= spec.sliced.size();
    for (size_t i = 0; fits && i < value.size(); ++i) {
        const int64_t want = spec.sliced[spec.sliced.size() - value.size() + i];
        fits = value[i] == 1 || value[i] == want;
    }
    if (!fits)
        return r.fail("a value %s cannot be written to a slice %s", text(value).c_str(), text(spec.sliced).c_str());
    return r.same();
}

}  // namespace shape
}  // namespace MNN
