// Permute, Transpose and layout conversion.
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"

namespace MNN {
namespace geometry {
namespace {

bool permuteInto(const Op* op, const Tensors& inputs, const std::vector<int>& perm, Tensor* output,
                 GeometryContext& ctx) {
    Tensor* input = ctx.plain(inputs[0]);
    const int rank = input->dimensions();
    if (static_cast<int>(perm.size()) != rank)
        return fail(op, inputs, "the permutation has another rank than the input");
    const std::vector<int64_t> dense = rowMajorStrides(input->shape());
    std::vector<int64_t> strides;
    uint32_t seen = 0;
    for (int axis : perm) {
        if (axis < 0) axis += rank;
        if (axis < 0 || axis >= rank || (seen & (1u << axis)) != 0) return fail(op, inputs, "not a permutation");
        seen |= 1u << axis;
        strides.push_back(dense[axis]);
    }
    setStridedView(output, input, 0, strides, ctx);
    return true;
}

}  // namespace

bool lowerPermute(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const Permute* param = op->main_as_Permute();
    if (param == nullptr || param->dims() == nullptr) return fail(op, inputs, "Permute without dims");
    const std::vector<int> perm(param->dims()->begin(), param->dims()->end());
    return permuteInto(op, inputs, perm, outputs[0], ctx);
}

// Without a permutation the dimensions are reversed.
bool lowerTranspose(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    std::vector<int> perm;
    if (inputs.size() > 1) {
        if (!contentInts(inputs[1], &perm))
            return fail(op, inputs, "the permutation is not known before the model runs");
    } else {
        for (int d = inputs[0]->dimensions() - 1; d >= 0; --d) perm.push_back(d);
    }
    return permuteInto(op, inputs, perm, outputs[0], ctx);
}

// NCHW and NC4HW4 list the same dimensions, so only NHWC needs a permutation.
bool lowerConvertTensor(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const TensorConvertInfo* info = op->main_as_TensorConvertInfo();
    if (info == nullptr) return fail(op, inputs, "ConvertTensor without formats");
    const bool fromLast = info->source() == MNN_DATA_FORMAT_NHWC, toLast = info->dest() == MNN_DATA_FORMAT_NHWC;
    const int rank = inputs[0]->dimensions();
    if (fromLast == toLast || rank <= 2) {
        setReshape(outputs[0], inputs[0], ctx);
        return true;
    }
    std::vector<int> perm = {0};
    if (fromLast) perm.push_back(rank - 1);
    for (int d = fromLast ? 1 : 2; d < (fromLast ? rank - 1 : rank); ++d) perm.push_back(d);
    if (toLast) perm.push_back(1);
    return permuteInto(op, inputs, perm, outputs[0], ctx);
}

}  // namespace geometry
}  // namespace MNN
