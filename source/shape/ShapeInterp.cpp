// Resampling of images, and regions of images.
#include "shape/Rules.hpp"

#include <cmath>

namespace MNN {
namespace shape {
namespace {

struct Target {
    int size = 0;
    float scale = 0.0f;
};

// Depth, height, width of the parameters, for as many spatial dimensions as the input has. A signal (rank 3) has a
// height and no width, unless only a width is given.
std::vector<Target> parameterTargets(const Interp* p, int count) {
    Target depth{p->outputDepth(), p->depthScale()}, height{p->outputHeight(), p->heightScale()},
        width{p->outputWidth(), p->widthScale()};
    if (count == 3) return {depth, height, width};
    if (count == 2) return {height, width};
    const bool useHeight = height.size > 0 || (width.size <= 0 && height.scale > 0.0f);
    return {useHeight ? height : width};
}

bool scaled(const Rule& r, int64_t in, float scale, int64_t* out) {
    // The product is taken in float, as ONNX Runtime, TensorFlow and PyTorch do: 5 * 0.6f is 3, not 2.
    const float length = std::floor(static_cast<float>(in) * scale);
    if (!(scale > 0.0f) || !(length < 2147483648.0f))
        return r.fail("cannot scale %lld elements by %g", static_cast<long long>(in), scale);
    *out = static_cast<int64_t>(length);
    return true;
}

bool resizable(const Rule& r, const Dims& dims) {
    const bool emptyIn = TensorUtils::elements(r.inputs[0]) == 0, emptyOut = product(dims, 0, dims.size()) <= 0;
    if (emptyIn && !emptyOut) return r.fail("an empty input cannot be resized to %s", text(dims).c_str());
    if (emptyIn || !emptyOut) return true;
    return r.fail("the output would be %s, which is empty", text(dims).c_str());
}

// Input 1 lists sizes (integers) or scales (floats): of the spatial dimensions, or of all in the input's order.
bool contentTargets(const Rule& r, Dims* dims) {
    const Tensor* t = r.inputs[1];
    const int64_t count = TensorUtils::elements(t);
    const int rank = r.rank(0), first = spatialAxis(r.inputs[0]);
    if (count != rank - 2 && count != rank) {
        return r.fail("input 1 lists %lld numbers; %d (spatial) or %d (all) are expected",
                      static_cast<long long>(count), rank - 2, rank);
    }
    const int offset = count == rank ? first : 0;
    const bool scales = t->getType().code == halide_type_float;
    std::vector<int> sizes;
    if (!r.ints(1, &sizes)) return false;
    for (int i = 0; i < rank - 2; ++i) {
        int64_t& length = (*dims)[first + i];
        if (!scales) {
            length = sizes[offset + i];
        } else if (!scaled(r, length, t->host<float>()[offset + i], &length)) {
            return false;
        }
    }
    return true;
}

bool pooledSize(const Rule& r, const RoiParameters** p) {
    if (!r.arity(2) || !r.rankBetween(0, 4, 4) || !r.rankBetween(1, 2, 4)) return false;
    *p = r.param<RoiParameters>();
    if (*p == nullptr) return false;
    if ((*p)->pooledHeight() > 0 && (*p)->pooledWidth() > 0) return true;
    return r.fail("the pooled size %dx%d must be positive", (*p)->pooledHeight(), (*p)->pooledWidth());
}

}  // namespace

// In: x [, sizes or scales].
bool inferInterp(const Rule& r) {
    if (!r.arity(1) || !r.rankBetween(0, 3, 5)) return false;
    const auto* p = r.param<Interp>();
    if (p == nullptr) return false;
    Dims dims = dimsOf(r.inputs[0]);
    if (r.has(1)) return contentTargets(r, &dims) && resizable(r, dims) && r.setLike(0, dims);
    const auto targets = parameterTargets(p, r.rank(0) - 2);
    for (size_t i = 0; i < targets.size(); ++i) {
        int64_t& length = dims[spatialAxis(r.inputs[0]) + i];
        if (targets[i].size > 0) {
            length = targets[i].size;
        } else if (!scaled(r, length, targets[i].scale, &length)) {
            return false;
        }
    }
    return resizable(r, dims) && r.setLike(0, dims);
}

bool inferResize(const Rule& r) {
    if (!r.arity(1) || !r.rankBetween(0, 4, 4)) return false;
    const auto* p = r.param<Resize>();
    if (p == nullptr) return false;
    Dims dims = dimsOf(r.inputs[0]);
    const int first = spatialAxis(r.inputs[0]);
    return scaled(r, dims[first], p->yScale(), &dims[first]) &&
           scaled(r, dims[first + 1], p->xScale(), &dims[first + 1]) && resizable(r, dims) && r.setLike(0, dims);
}

// In: x, grid [n, spatial..., coordinates]. The backward form's input 2 holds the shape of x.
bool inferGridSample(const Rule& r) {
    if (!r.arity(2) || !r.rankBetween(0, 4, 5)) return false;
    // The Extra form (cubic) has attributes instead and no backward form.
    const bool plain = r.op->type() != OpType_Extra;
    const auto* p = plain ? r.param<GridSample>() : nullptr;
    if (plain && p == nullptr) return false;
    const int rank = r.rank(0);
    if (r.rank(1) != rank) return r.fail("x and the grid must have one rank");
    if (r.length(1, rank - 1) != rank - 2) return r.fail("the grid must end in %d coordinates", rank - 2);
    if (r.length(1, 0) != r.length(0, 0)) return r.fail("x and the grid must have one batch");
    if (plain && p->backward()) {
        std::vector<int> shape;
        if (!r.arity(3) || !r.ints(2, &shape)) return false;
        return r.setLike(0, Dims(shape.begin(), shape.end()));
    }
    Dims dims = dimsOf(r.inputs[0]);
    for (int i = 0; i < rank - 2; ++i) dims[spatialAxis(r.inputs[0]) + i] = r.length(1, i + 1);
    return r.setLike(0, dims);
}

// In: image, boxes [n, 4], the image of each box, the size of a crop.
bool inferCropAndResize(const Rule& r) {
    std::vector<int> size;
    if (!r.arity(4) || !r.rankBetween(0, 4, 4) || !r.rankBetween(1, 2, 2)) return false;
    if (r.param<CropAndResize>() == nullptr || !r.ints(3, &size)) return false;
    if (size.size() != 2 || size[0] <= 0 || size[1] <= 0) return r.fail("the crop size must be two positive numbers");
    if (r.length(1, 1) != 4) return r.fail("boxes must have four numbers each");
    if (TensorUtils::elements(r.inputs[2]) != r.length(1, 0)) return r.fail("each box needs the number of its image");
    Dims dims = dimsOf(r.inputs[0]);
    const int first = spatialAxis(r.inputs[0]);
    dims[0] = r.length(1, 0);
    dims[first] = size[0];
    dims[first + 1] = size[1];
    return r.setLike(0, dims);
}

// ROIPooling and ROIAlign. In: feature, rois [n, 5 or 4] [, batch indices] [, difference]. With outputGrad the result
// is the feature's gradient.
bool inferRoi(const Rule& r) {
    const RoiParameters* p = nullptr;
    if (!pooledSize(r, &p)) return false;
    if (p->outputGrad()) return r.same();
    const int64_t numbers = r.length(1, 1);
    const bool indexed = r.op->type() == OpType_ROIAlign && r.has(2);
    if (numbers != 5 && !(indexed && numbers == 4)) {
        return r.fail("a region has %lld numbers; batch index and four corners are needed",
                      static_cast<long long>(numbers));
    }
    Dims dims = dimsOf(r.inputs[0]);
    const int first = spatialAxis(r.inputs[0]);
    dims[0] = r.length(1, 0);
    dims[first] = p->pooledHeight();
    dims[first + 1] = p->pooledWidth();
    return r.setLike(0, dims);
}

// The parameters hold the whole output shape.
bool inferImageProcess(const Rule& r) {
    if (!r.arity(1)) return false;
    const auto* p = r.param<ImageProcessParam>();
    if (p == nullptr) return false;
    if (p->draw()) return r.same();
    if (p->shape() == nullptr || p->shape()->size() == 0) return r.fail("the output shape is missing");
    return r.set(0, Dims(p->shape()->begin(), p->shape()->end()), typeOf(p->outputType()),
                 r.op->defaultDimentionFormat());
}

}  // namespace shape
}  // namespace MNN
