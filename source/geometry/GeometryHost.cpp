// Ops whose value follows from shapes: written on the host while lowering, then a constant for the rest.
#include <algorithm>
#include <cmath>
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"

namespace MNN {
namespace geometry {
namespace {

template <typename T>
T* hostOutput(Tensor* output) {
    if (!TensorUtils::allocHost(output)) return nullptr;
    TensorUtils::describe(output)->hostKnown = true;
    return output->host<T>();
}

}  // namespace

// The output's length says how many dimensions from `start` are wanted.
bool lowerShape(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext&) {
    const ShapeParam* param = op->main_as_ShapeParam();
    const int rank = inputs[0]->dimensions(), count = static_cast<int>(TensorUtils::elements(outputs[0]));
    int start = param != nullptr && param->hasStart() ? param->start() : 0;
    start = std::min(std::max(start < 0 ? start + rank : start, 0), rank);
    if (start + count > rank) return fail(op, inputs, "the window is outside the rank");
    int32_t* dims = hostOutput<int32_t>(outputs[0]);
    for (int i = 0; dims != nullptr && i < count; ++i) dims[i] = inputs[0]->length(start + i);
    return dims != nullptr || count == 0;
}

bool lowerSize(const Op*, const Tensors& inputs, const Tensors& outputs, GeometryContext&) {
    int32_t* size = hostOutput<int32_t>(outputs[0]);
    if (size != nullptr) *size = static_cast<int32_t>(TensorUtils::elements(inputs[0]));
    return size != nullptr;
}

bool lowerRank(const Op*, const Tensors& inputs, const Tensors& outputs, GeometryContext&) {
    int32_t* rank = hostOutput<int32_t>(outputs[0]);
    if (rank != nullptr) *rank = inputs[0]->dimensions();
    return rank != nullptr;
}

namespace {

struct BoxSize {
    float width, height;
};

// The anchors of one place, in Caffe's order: the small square, the square between small and large, then the other
// ratios.
std::vector<BoxSize> anchors(const PriorBox* p) {
    std::vector<float> ratios = {1.0f};
    for (uint32_t i = 0; p->aspectRatios() != nullptr && i < p->aspectRatios()->size(); ++i) {
        const float ratio = p->aspectRatios()->Get(i);
        if (std::any_of(ratios.begin(), ratios.end(), [=](float r) { return std::fabs(r - ratio) < 1e-6f; })) continue;
        ratios.push_back(ratio);
        if (p->flip()) ratios.push_back(1.0f / ratio);
    }
    std::vector<BoxSize> sizes;
    for (uint32_t i = 0; i < p->minSizes()->size(); ++i) {
        const float small = p->minSizes()->Get(i);
        sizes.push_back({small, small});
        if (p->maxSizes() != nullptr && i < p->maxSizes()->size()) {
            const float between = std::sqrt(small * p->maxSizes()->Get(i));
            sizes.push_back({between, between});
        }
        for (size_t r = 1; r < ratios.size(); ++r) {
            sizes.push_back({small * std::sqrt(ratios[r]), small / std::sqrt(ratios[r])});
        }
    }
    return sizes;
}

}  // namespace

// inputs: features, image. Output [1, 2, boxes * 4]: corners relative to the image, then their variances.
bool lowerPriorBox(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext&) {
    const PriorBox* p = op->main_as_PriorBox();
    if (p == nullptr || p->minSizes() == nullptr || inputs[0]->dimensions() != 4)
        return fail(op, inputs, "PriorBox without sizes");
    const bool last = TensorUtils::describe(inputs[0])->format == MNN_DATA_FORMAT_NHWC;
    const int rowAxis = last ? 1 : 2, height = inputs[0]->length(rowAxis), width = inputs[0]->length(rowAxis + 1);
    const bool hasImage = inputs.size() > 1 && inputs[1]->dimensions() == 4;
    const float imageHeight = p->imageHeight() > 0 || !hasImage ? p->imageHeight() : inputs[1]->length(rowAxis);
    const float imageWidth = p->imageWidth() > 0 || !hasImage ? p->imageWidth() : inputs[1]->length(rowAxis + 1);
    if (imageHeight <= 0 || imageWidth <= 0) return fail(op, inputs, "the image has no size");
    const float stepY = p->stepHeight() > 0 ? p->stepHeight() : imageHeight / height;
    const float stepX = p->stepWidth() > 0 ? p->stepWidth() : imageWidth / width;

    const std::vector<BoxSize> sizes = anchors(p);
    const int64_t numbers = int64_t(height) * width * sizes.size() * 4;
    if (TensorUtils::elements(outputs[0]) != 2 * numbers) return fail(op, inputs, "the output has another size");
    float* box = hostOutput<float>(outputs[0]);
    if (box == nullptr) return false;
    float* variance = box + numbers;
    const auto* variances = p->variances();
    for (int64_t i = 0; i < numbers; ++i) {
        const uint32_t given = variances == nullptr ? 0 : variances->size();
        variance[i] = given == 0 ? 0.1f : variances->Get(given == 4 ? i % 4 : 0);
    }
    auto bound = [p](float v) { return p->clip() ? std::min(std::max(v, 0.0f), 1.0f) : v; };
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const float centerX = (x + p->offset()) * stepX, centerY = (y + p->offset()) * stepY;
            for (const BoxSize& size : sizes) {
                *box++ = bound((centerX - size.width / 2) / imageWidth);
                *box++ = bound((centerY - size.height / 2) / imageHeight);
                *box++ = bound((centerX + size.width / 2) / imageWidth);
                *box++ = bound((centerY + size.height / 2) / imageHeight);
            }
        }
    }
    return true;
}

}  // namespace geometry
}  // namespace MNN
