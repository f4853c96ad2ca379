// Ops that only rename the dimensions: Reshape, Squeeze, Unsqueeze, ExpandDims, Flatten, Identity.
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"

namespace MNN {
namespace geometry {

bool lowerReshape(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    if (TensorUtils::elements(inputs[0]) != TensorUtils::elements(outputs[0])) {
        return fail(op, inputs, "the number of elements would change");
    }
    setReshape(outputs[0], inputs[0], ctx);
    return true;
}

// Output i is input i.
bool lowerIdentity(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    if (inputs.empty()) return fail(op, inputs, "nothing to pass on");
    for (size_t i = 0; i < outputs.size(); ++i) setReshape(outputs[i], inputs[i < inputs.size() ? i : 0], ctx);
    return true;
}

bool lowerNothing(const Op*, const Tensors&, const Tensors&, GeometryContext&) { return true; }

}  // namespace geometry
}  // namespace MNN
