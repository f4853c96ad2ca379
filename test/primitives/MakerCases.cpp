// Tensors made from a few numbers: Range, LinSpace, Fill, ZerosLike, OneHot, EyeLike.
#include <cmath>
#include "Families.hpp"

namespace mnn_primitives {
namespace {

using mnn_test::NetBuilder;
using Names = std::vector<std::string>;

Array number(Type type, double value) { return Array{type, {}, {value}}; }

Case rangeCase(Type type, double start, double limit, double delta) {
    Case c;
    c.title =
        "Makers Range from " + std::to_string(start) + " to " + std::to_string(limit) + " by " + std::to_string(delta);
    c.inputs = {constant(number(type, start)), constant(number(type, limit)), constant(number(type, delta))};
    c.build = [](NetBuilder& net, const Names& in) {
        net.add(MNN::OpType_Range, "y", in, MNN::OpParameter_Range, new MNN::RangeT);
    };
    c.reference = [=](const std::vector<Array>&) {
        const int count = static_cast<int>(std::fmax(0, std::ceil((limit - start) / delta)));
        return std::vector<Array>{generate(type, {count}, [&](const Index& at) { return start + at[0] * delta; })};
    };
    return c;
}

Case linSpaceCase(double start, double stop, int count) {
    Case c;
    c.title = "Makers LinSpace of " + std::to_string(count);
    c.inputs = {plain(number(Type::Float, start)), plain(number(Type::Float, stop)), constant(ints({}, {count}))};
    c.build = [](NetBuilder& net, const Names& in) { net.add(MNN::OpType_LinSpace, "y", in); };
    c.reference = [=](const std::vector<Array>&) {
        return std::vector<Array>{generate(Type::Float, {count}, [&](const Index& at) {
            return count == 1 ? start : start + (stop - start) * at[0] / (count - 1);
        })};
    };
    return c;
}

Case fillCase(const Shape& shape, Array value) {
    Case c;
    c.title = "Makers Fill " + textOf(shape);
    c.inputs = {constant(ints({static_cast<int>(shape.size())}, shape)), plain(std::move(value))};
    c.build = [](NetBuilder& net, const Names& in) {
        net.add(MNN::OpType_Fill, "y", in, MNN::OpParameter_Fill, new MNN::FillT);
    };
    c.reference = [shape](const std::vector<Array>& in) {
        return std::vector<Array>{generate(in[1].type, shape, [&](const Index&) { return in[1].values[0]; })};
    };
    return c;
}

Case zerosCase(Array x) {
    Case c;
    c.title = "Makers ZerosLike";
    c.inputs = {plain(std::move(x))};
    c.build = [](NetBuilder& net, const Names& in) { net.add(MNN::OpType_ZerosLike, "y", in); };
    c.reference = [](const std::vector<Array>& in) {
        return std::vector<Array>{generate(in[0].type, in[0].shape, [](const Index&) { return 0; })};
    };
    return c;
}

// An index out of range gives no hot element.
Case oneHotCase(Array indices, int depth, int axis) {
    Case c;
    c.title = "Makers OneHot of " + std::to_string(depth) + " along " + std::to_string(axis);
    c.inputs = {plain(std::move(indices)), constant(ints({}, {depth})), plain(number(Type::Float, 2.5)),
                plain(number(Type::Float, -1))};
    c.build = [axis](NetBuilder& net, const Names& in) {
        auto* param = new MNN::OneHotParamT;
        param->axis = axis;
        net.add(MNN::OpType_OneHot, "y", in, MNN::OpParameter_OneHotParam, param);
    };
    c.reference = [=](const std::vector<Array>& in) {
        const int a = axisOf(axis, in[0].shape.size() + 1);
        Shape shape = in[0].shape;
        shape.insert(shape.begin() + a, depth);
        return std::vector<Array>{generate(Type::Float, shape, [&](Index at) {
            const int place = at[a];
            at.erase(at.begin() + a);
            return in[0].at(at) == place ? 2.5 : -1.0;
        })};
    };
    return c;
}

Case eyeCase(Array x, int k) {
    Case c;
    c.title = "Makers EyeLike diagonal " + std::to_string(k);
    c.inputs = {plain(std::move(x)), constant(ints({}, {k}))};
    c.build = [](NetBuilder& net, const Names& in) { net.add(MNN::OpType_EyeLike, "y", in); };
    c.reference = [k](const std::vector<Array>& in) {
        return std::vector<Array>{
            generate(in[0].type, in[0].shape, [&](const Index& at) { return at[1] - at[0] == k ? 1 : 0; })};
    };
    return c;
}

}  // namespace

void makerCases(const Visit& visit) {
    Random random(20);
    for (int n : edgeSizes()) {
        visit(rangeCase(Type::Int, -3, -3 + 2 * n, 2));
        visit(rangeCase(Type::Float, 1.5, 1.5 - 0.25 * n, -0.25));
        visit(fillCase({n}, random.floats({})));
        visit(fillCase({2, n, 3}, random.ints({}, -9, 9)));
        visitFronts(zerosCase(random.floats({2, n})), visit);
        visitFronts(oneHotCase(random.ints({3}, 0, 9), n, -1), visit);
        if (n > 0) visit(linSpaceCase(-1, 2, n));
        if (n > 0) visit(eyeCase(random.floats({n, 5}), n % 3 - 1));
    }
    for (int axis = -1; axis < 3; ++axis) visitFronts(oneHotCase(random.ints({2, 5}, -1, 4), 4, axis), visit);
    visit(fillCase({}, random.floats({})));
    visit(zerosCase(random.ints({2, 5, 3, 3}, 1, 9)));
    for (int k : {-2, 0, 1, 4}) visit(eyeCase(random.ints({3, 4}, 1, 9), k));
}

}  // namespace mnn_primitives
