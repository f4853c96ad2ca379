#include <algorithm>
#include <numeric>
#include "Families.hpp"

namespace mnn_primitives {
namespace {

// The first of equals wins. The axis is dropped, except when several places or the values there are asked for: then it
// lists them, best first.
Case listCase(bool maximum, Array x, int axis, int topK, bool values) {
    Case c;
    c.title = std::string("ArgReduce ") + std::to_string(topK) + (maximum ? " largest" : " smallest") +
              (values ? " values" : " places") + " along " + std::to_string(axis);
    c.inputs = {plain(std::move(x))};
    c.build = [=](mnn_test::NetBuilder& net, const std::vector<std::string>& in) {
        auto* param = new MNN::ArgMaxT;
        param->axis = axis;
        param->topK = topK;
        param->outMaxVal = values ? 1 : 0;
        net.add(maximum ? MNN::OpType_ArgMax : MNN::OpType_ArgMin, "y", in, MNN::OpParameter_ArgMax, param);
    };
    c.reference = [=](const std::vector<Array>& in) {
        const int at = axisOf(axis, in[0].shape.size());
        Shape shape = in[0].shape;
        shape[at] = topK;
        return std::vector<Array>{generate(values ? in[0].type : Type::Int, shape, [&](Index index) {
            std::vector<int> order(in[0].shape[at]);
            std::iota(order.begin(), order.end(), 0);
            const auto value = [&](int i) {
                Index place = index;
                place[at] = i;
                return in[0].at(place);
            };
            std::stable_sort(order.begin(), order.end(),
                             [&](int i, int j) { return maximum ? value(i) > value(j) : value(i) < value(j); });
            const int found = order[index[at]];
            return values ? value(found) : found;
        })};
    };
    return c;
}

// One place; the axis is dropped.
Case argCase(bool maximum, Array x, int axis) {
    Case c;
    c.title = std::string("ArgReduce ") + (maximum ? "max" : "min") + " along " + std::to_string(axis);
    c.inputs = {plain(std::move(x))};
    c.build = [=](mnn_test::NetBuilder& net, const std::vector<std::string>& in) {
        auto* param = new MNN::ArgMaxT;
        param->axis = axis;
        param->topK = 1;
        net.add(maximum ? MNN::OpType_ArgMax : MNN::OpType_ArgMin, "y", in, MNN::OpParameter_ArgMax, param);
    };
    c.reference = [=](const std::vector<Array>& in) {
        const int at = axisOf(axis, in[0].shape.size());
        Shape shape = in[0].shape;
        shape.erase(shape.begin() + at);
        return std::vector<Array>{generate(Type::Int, shape, [&](Index index) {
            index.insert(index.begin() + at, 0);
            int best = 0;
            double value = in[0].at(index);
            for (int i = 1; i < in[0].shape[at]; ++i) {
                index[at] = i;
                const double x = in[0].at(index);
                if (maximum ? x > value : x < value) best = i, value = x;
            }
            return best;
        })};
    };
    return c;
}

}  // namespace

void argReduceCases(const Visit& visit) {
    Random random(9);
    for (bool maximum : {true, false}) {
        for (int n : edgeSizes()) {
            if (n == 0) continue;
            visitFronts(argCase(maximum, random.distinct({n}), 0), visit);
            visitFronts(argCase(maximum, random.distinct({3, n}), 1), visit);
            visitFronts(argCase(maximum, random.distinct({n, 3}), 0), visit);
            visitFronts(argCase(maximum, random.ints({2, n, 5}, -3, 3), 1), visit);
        }
        for (int axis = -2; axis < 4; ++axis) {
            visitFronts(argCase(maximum, random.floats({2, 5, 3, 4}), axis), visit);
            visitFronts(argCase(maximum, random.ints({2, 5, 3, 4}, 0, 2), axis), visit);
        }
        for (bool values : {false, true}) {
            for (int n : edgeSizes()) {
                if (n == 0) continue;
                for (int topK : {1, (n + 1) / 2, n}) {
                    if (topK == 1 && !values) continue;
                    visit(listCase(maximum, random.distinct({n}), 0, topK, values));
                    visitFronts(listCase(maximum, random.ints({2, n, 5}, -3, 3), 1, topK, values), visit);
                }
            }
            for (int axis = -2; axis < 4; ++axis) {
                visitFronts(listCase(maximum, random.floats({2, 5, 3, 4}), axis, 2, values), visit);
                visit(listCase(maximum, random.ints({2, 5, 3, 4}, 0, 2), axis, 2, values));
            }
        }
        for (int axis : {0, 1}) visit(argCase(maximum, random.floats({200, 301}), axis));
        visit(argCase(maximum, random.floats({0, 5}), 1));
    }
}

}  // namespace mnn_primitives
