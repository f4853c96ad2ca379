#include "Families.hpp"

namespace mnn_primitives {
namespace {

struct Scan {
    bool product = false, exclusive = false, reverse = false;
    int axis = 0;
};

Array scan(const Array& x, const Scan& s) {
    const int axis = axisOf(s.axis, x.shape.size());
    return generate(x.type, x.shape, [&](Index index) {
        const int own = index[axis];
        double value = s.product ? 1 : 0;
        for (int i = 0; i < x.shape[axis]; ++i) {
            const int before = s.reverse ? own - i : i - own;
            if (before > 0 || (before == 0 && s.exclusive)) continue;
            index[axis] = i;
            value = s.product ? value * x.at(index) : value + x.at(index);
        }
        return value;
    });
}

Case scanCase(Array x, const Scan& s) {
    Case c;
    c.title = std::string("Cumulate ") + (s.product ? "product" : "sum") + (s.exclusive ? " exclusive" : "") +
              (s.reverse ? " reverse" : "") + " along " + std::to_string(s.axis);
    c.inputs = {plain(std::move(x))};
    if (!s.product) c.inputs.push_back(constant(ints({}, {s.axis})));
    c.build = [s](mnn_test::NetBuilder& net, const std::vector<std::string>& in) {
        if (s.product) {
            auto* param = new MNN::AxisT;
            param->axis = s.axis;
            net.add(MNN::OpType_CumProd, "y", in, MNN::OpParameter_Axis, param);
            return;
        }
        auto* param = new MNN::CumSumT;
        param->exclusive = s.exclusive;
        param->reverse = s.reverse;
        net.add(MNN::OpType_CumSum, "y", in, MNN::OpParameter_CumSum, param);
    };
    c.reference = [s](const std::vector<Array>& in) { return std::vector<Array>{scan(in[0], s)}; };
    return c;
}

}  // namespace

void cumulateCases(const Visit& visit) {
    Random random(10);
    for (int n : edgeSizes()) {
        for (bool exclusive : {false, true}) {
            for (bool reverse : {false, true}) {
                visit(scanCase(random.floats({n}), {false, exclusive, reverse, 0}));
                visit(scanCase(random.floats({3, n, 5}), {false, exclusive, reverse, 1}));
                visit(scanCase(random.ints({2, n}, -9, 9), {false, exclusive, reverse, -1}));
            }
        }
        visit(scanCase(random.floats({2, n, 3}, 0.75, 1.25), {true, false, false, 1}));
        visit(scanCase(random.ints({2, n}, 1, 2), {true, false, false, 1}));
    }
    for (int axis : {0, 1}) visit(scanCase(random.floats({300, 100}), {false, false, false, axis}));
    for (int axis = -1; axis < 4; ++axis) {
        visitFronts(scanCase(random.floats({2, 5, 3, 4}), {false, false, false, axis}), visit);
        visitFronts(scanCase(random.floats({2, 5, 3, 4}), {false, true, true, axis}), visit);
        visitFronts(scanCase(random.floats({2, 5, 3, 4}, 0.75, 1.25), {true, false, false, axis}), visit);
    }
}

}  // namespace mnn_primitives
