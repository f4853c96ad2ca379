// Split along an axis, TensorFlow's begin/size slice, Caffe's crop.
#include "shape/Rules.hpp"

#include <algorithm>

namespace MNN {
namespace shape {
namespace {

using Sizes = std::vector<int>;

// numpy.array_split would differ: the last piece takes what is left, as torch.chunk and ONNX num_outputs have it.
Sizes chunks(int64_t length, int64_t chunk) {
    Sizes sizes;
    for (int64_t done = 0; done < length; done += chunk)
        sizes.push_back(static_cast<int>(std::min(chunk, length - done)));
    return sizes;
}

bool equalParts(const Rule& r, int64_t length, size_t count, Sizes* sizes) {
    if (length % static_cast<int64_t>(count) != 0) {
        return r.fail("%lld elements do not split into %zu equal parts", static_cast<long long>(length), count);
    }
    sizes->assign(count, static_cast<int>(length / static_cast<int64_t>(count)));
    return true;
}

// Caffe: points are the places of the cuts.
bool cutAt(const Rule& r, int64_t length, const Sizes& points, Sizes* sizes) {
    if (points.empty()) return equalParts(r, length, r.outputs.size(), sizes);
    int64_t previous = 0;
    for (int point : points) {
        if (point < previous || point > length)
            return r.fail("the cut at %d is outside %lld", point, static_cast<long long>(length));
        sizes->push_back(static_cast<int>(point - previous));
        previous = point;
    }
    sizes->push_back(static_cast<int>(length - previous));
    return true;
}

// Sizes of the parts; one of them may be -1.
bool explicitParts(const Rule& r, int64_t length, const Sizes& given, Sizes* sizes) {
    *sizes = given;
    int unknown = -1;
    int64_t sum = 0;
    for (size_t i = 0; i < given.size(); ++i) {
        if (given[i] == -1 && unknown < 0) {
            unknown = static_cast<int>(i);
        } else if (given[i] < 0) {
            return r.fail("part %zu has the size %d", i, given[i]);
        } else {
            sum += given[i];
        }
    }
    if (unknown >= 0 && sum <= length) (*sizes)[unknown] = static_cast<int>(length - sum);
    if (unknown >= 0 ? sum > length : sum != length) {
        return r.fail("the parts sum to %lld, the dimension has %lld", static_cast<long long>(sum),
                      static_cast<long long>(length));
    }
    return true;
}

bool partSizes(const Rule& r, const Slice* p, int64_t length, Sizes* sizes) {
    Sizes given;
    if (r.has(1)) return r.ints(1, &given) && explicitParts(r, length, given, sizes);
    if (p->slicePoints() != nullptr) given.assign(p->slicePoints()->begin(), p->slicePoints()->end());
    switch (p->sourceType()) {
        case NetSource_CAFFE:
            return cutAt(r, length, given, sizes);
        case NetSource_TORCH:
            if (given.size() == 1) {
                if (given[0] <= 0) return r.fail("chunks of %d elements", given[0]);
                *sizes = chunks(length, given[0]);
                return true;
            }
            break;
        case NetSource_ONNX:
            if (given.empty()) {
                const auto parts = static_cast<int64_t>(r.outputs.size());
                *sizes = chunks(length, std::max<int64_t>(1, (length + parts - 1) / parts));
                sizes->resize(r.outputs.size(), 0);
                return true;
            }
            break;
        default:
            break;
    }
    // A single number is a count of equal parts, unless it is the size of the only one.
    if (given.size() <= 1 && r.outputs.size() > 1) return equalParts(r, length, r.outputs.size(), sizes);
    if (given.empty() || (given.size() == 1 && given[0] == 1)) return equalParts(r, length, 1, sizes);
    return explicitParts(r, length, given, sizes);
}

}  // namespace

bool inferSlice(const Rule& r) {
    if (!r.arity(1)) return false;
    const auto* p = r.param<Slice>();
    int axis = 0;
    Sizes sizes;
    if (p == nullptr || !r.axis(p->axis(), r.rank(0), &axis)) return false;
    Dims dims = dimsOf(r.inputs[0]);
    if (!partSizes(r, p, dims[axis], &sizes)) return false;
    // A model may leave out trailing parts that nobody reads.
    if (sizes.size() < r.outputs.size()) return r.fail("%zu parts for %zu outputs", sizes.size(), r.outputs.size());
    for (size_t i = 0; i < r.outputs.size(); ++i) {
        dims[axis] = sizes[i];
        if (!r.setLike(i, dims)) return false;
    }
    return true;
}

// In: x, begin, size; size -1 reaches the end.
bool inferSliceTf(const Rule& r) {
    std::vector<int> begin, size;
    if (!r.arity(3) || !r.ints(1, &begin) || !r.ints(2, &size)) return false;
    const size_t rank = r.rank(0);
    if (begin.size() != rank || size.size() != rank) return r.fail("begin and size must list %zu numbers", rank);
    Dims dims(rank);
    for (size_t i = 0; i < rank; ++i) {
        const int64_t length = r.length(0, static_cast<int>(i));
        if (begin[i] < 0) begin[i] += static_cast<int>(length);  // as MNN's converter writes "the last ones"
        dims[i] = size[i] == -1 ? length - begin[i] : size[i];
        if (begin[i] < 0 || dims[i] < 0 || begin[i] + dims[i] > length) {
            return r.fail("begin %d, size %d leaves dimension %zu of %lld", begin[i], size[i], i,
                          static_cast<long long>(length));
        }
    }
    return r.setLike(0, dims);
}

// In: x, reference. Dimensions from axis on take the reference's lengths, starting at offset.
bool inferCrop(const Rule& r) {
    if (!r.arity(2)) return false;
    const auto* p = r.param<Crop>();
    int axis = 0;
    if (p == nullptr || !r.axis(p->axis(), r.rank(0), &axis)) return false;
    if (r.rank(1) != r.rank(0)) return r.fail("both inputs must have one rank");
    const int count = r.rank(0) - axis;
    const unsigned offsets = p->offset() ? p->offset()->size() : 0;
    if (offsets > 1 && static_cast<int>(offsets) != count)
        return r.fail("%u offsets for %d dimensions", offsets, count);
    Dims dims = dimsOf(r.inputs[0]);
    for (int i = 0; i < count; ++i) {
        const int64_t offset = offsets == 0 ? 0 : p->offset()->Get(offsets == 1 ? 0 : static_cast<unsigned>(i));
        const int64_t length = dims[axis + i];
        dims[axis + i] = r.length(1, axis + i);
        if (offset < 0 || offset + dims[axis + i] > length) {
            return r.fail("the crop at %lld leaves dimension %d", static_cast<long long>(offset), axis + i);
        }
    }
    return r.setLike(0, dims);
}

}  // namespace shape
}  // namespace MNN
