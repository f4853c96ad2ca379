#include <cmath>
#include "Families.hpp"

namespace mnn_primitives {
namespace {

Array softmax(const Array& x, int axis) {
    return generate(Type::Float, x.shape, [&](Index index) {
        const double own = x.at(index);
        double sum = 0;
        // Divided through by the own term: exact however large the values are.
        for (int i = 0; i < x.shape[axis]; ++i) {
            index[axis] = i;
            sum += std::exp(x.at(index) - own);
        }
        return 1 / sum;
    });
}

Case softmaxCase(Array x, int axis) {
    Case c;
    c.title = "Softmax along " + std::to_string(axis);
    c.inputs = {plain(std::move(x))};
    c.build = [axis](mnn_test::NetBuilder& net, const std::vector<std::string>& in) {
        auto* param = new MNN::AxisT;
        param->axis = axis;
        net.add(MNN::OpType_Softmax, "y", in, MNN::OpParameter_Axis, param);
    };
    c.reference = [axis](const std::vector<Array>& in) {
        return std::vector<Array>{softmax(in[0], axisOf(axis, in[0].shape.size()))};
    };
    return c;
}

}  // namespace

void softmaxCases(const Visit& visit) {
    Random random(11);
    for (int n : edgeSizes()) {
        visitFronts(softmaxCase(random.floats({n}), 0), visit);
        visitFronts(softmaxCase(random.floats({3, n}, -6, 6), 1), visit);
        visitFronts(softmaxCase(random.floats({n, 3}, -6, 6), 0), visit);
        visitFronts(softmaxCase(random.floats({2, n, 5}, -6, 6), 1), visit);
        visitFronts(softmaxCase(random.floats({2, n, 3, 5}, -6, 6), 1), visit);
    }
    for (int axis = -2; axis < 4; ++axis) visitFronts(softmaxCase(random.floats({2, 5, 3, 4}, -6, 6), axis), visit);
    visit(softmaxCase(random.floats({3, 1000}, -6, 6), 1));
    for (int axis : {0, 1}) visit(softmaxCase(random.floats({200, 301}, -6, 6), axis));
    visit(softmaxCase(random.floats({2, 33, 40, 20}, -6, 6), 1));
    Array large = random.floats({4, 33}, -6, 6);
    for (double& v : large.values) v *= 64;  // overflows unless the maximum is taken off first
    visit(softmaxCase(large, 1));
    visit(softmaxCase(large, 0));
}

}  // namespace mnn_primitives
