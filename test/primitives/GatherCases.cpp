#include "Families.hpp"

namespace mnn_primitives {
namespace {

using mnn_test::NetBuilder;
using Names = std::vector<std::string>;

// An index below 0 counts from the end.
int wrapped(double index, int length) { return static_cast<int>(index < 0 ? index + length : index); }

Case gatherCase(Array x, Array indices, int axis) {
    Case c;
    c.title = "Gather along " + std::to_string(axis);
    c.inputs = {plain(std::move(x)), plain(std::move(indices)), constant(ints({}, {axis}))};
    c.build = [](NetBuilder& net, const Names& in) { net.add(MNN::OpType_GatherV2, "y", in); };
    c.reference = [axis](const std::vector<Array>& in) {
        const Array &x = in[0], &indices = in[1];
        const int a = axisOf(axis, x.shape.size());
        const size_t inner = indices.shape.size();
        Shape shape = x.shape;
        shape.erase(shape.begin() + a);
        shape.insert(shape.begin() + a, indices.shape.begin(), indices.shape.end());
        return std::vector<Array>{generate(x.type, shape, [&](const Index& o) {
            Index from(o.begin(), o.begin() + a);
            from.push_back(wrapped(indices.at(Index(o.begin() + a, o.begin() + a + inner)), x.shape[a]));
            from.insert(from.end(), o.begin() + a + inner, o.end());
            return x.at(from);
        })};
    };
    return c;
}

Case gatherNdCase(Array x, Array indices, int batch) {
    Case c;
    c.title = "Gather nd behind " + std::to_string(batch) + " batch dimensions";
    c.inputs = {plain(std::move(x)), plain(std::move(indices))};
    c.build = [batch](NetBuilder& net, const Names& in) {
        auto* param = new MNN::AxisT;
        param->axis = batch;
        net.add(MNN::OpType_GatherND, "y", in, MNN::OpParameter_Axis, param);
    };
    c.reference = [batch](const std::vector<Array>& in) {
        const Array &x = in[0], &indices = in[1];
        const int depth = indices.shape.back(), lead = static_cast<int>(indices.shape.size()) - 1;
        Shape shape(indices.shape.begin(), indices.shape.end() - 1);
        shape.insert(shape.end(), x.shape.begin() + batch + depth, x.shape.end());
        return std::vector<Array>{generate(x.type, shape, [&](const Index& o) {
            Index from(o.begin(), o.begin() + batch), at(o.begin(), o.begin() + lead);
            at.push_back(0);
            for (int k = 0; k < depth; ++k) {
                at.back() = k;
                from.push_back(wrapped(indices.at(at), x.shape[batch + k]));
            }
            from.insert(from.end(), o.begin() + lead, o.end());
            return x.at(from);
        })};
    };
    return c;
}

Case gatherElementsCase(Array x, Array indices, int axis) {
    Case c;
    c.title = "Gather elements along " + std::to_string(axis);
    c.inputs = {plain(std::move(x)), plain(std::move(indices)), constant(ints({}, {axis}))};
    c.build = [](NetBuilder& net, const Names& in) { net.add(MNN::OpType_GatherElements, "y", in); };
    c.reference = [axis](const std::vector<Array>& in) {
        const int a = axisOf(axis, in[0].shape.size());
        return std::vector<Array>{generate(in[0].type, in[1].shape, [&](Index o) {
            o[a] = wrapped(in[1].at(o), in[0].shape[a]);
            return in[0].at(o);
        })};
    };
    return c;
}

}  // namespace

void gatherCases(const Visit& visit) {
    Random random(17);
    for (int n : edgeSizes()) {
        visitFronts(gatherCase(random.floats({7, 3}), random.ints({n}, -7, 6), 0), visit);
        if (n == 0) continue;
        visitFronts(gatherCase(random.floats({3, n}), random.ints({2, 3}, -n, n - 1), 1), visit);
        visitFronts(gatherElementsCase(random.floats({n, 3}), random.ints({5, 3}, -n, n - 1), 0), visit);
    }
    for (int axis = -2; axis < 4; ++axis) {
        const int length = Shape{2, 5, 3, 4}[axisOf(axis, 4)];
        for (const Shape& at : {Shape{}, Shape{3}, Shape{2, 2}}) {
            visitFronts(gatherCase(random.floats({2, 5, 3, 4}), random.ints(at, -length, length - 1), axis), visit);
        }
        visit(gatherCase(random.ints({2, 5, 3, 4}, -99, 99), random.ints({2}, 0, length - 1), axis));
        visit(gatherCase(random.ints({2, 5, 3, 4}, 0, 255, Type::Uint8), random.ints({2}, 0, length - 1), axis));
        Shape at = {2, 5, 3, 4};
        at[axisOf(axis, 4)] = 6;
        visitFronts(gatherElementsCase(random.floats({2, 5, 3, 4}), random.ints(at, -length, length - 1), axis), visit);
    }
    visitFronts(gatherNdCase(random.floats({4, 4, 5}), random.ints({3, 1}, -4, 3), 0), visit);
    visitFronts(gatherNdCase(random.floats({4, 4, 5}), random.ints({2, 3, 2}, -4, 3), 0), visit);
    visitFronts(gatherNdCase(random.floats({2, 4, 4, 3}), random.ints({2, 5, 2}, -4, 3), 1), visit);
    visitFronts(gatherNdCase(random.ints({2, 4, 4, 3}, -9, 9), random.ints({2, 4, 1}, -4, 3), 2), visit);
    visit(gatherCase(random.floats({300, 200}), random.ints({500}, 0, 299), 0));
    visit(gatherCase(random.floats({300, 200}), random.ints({150}, 0, 199), 1));
    visit(gatherElementsCase(random.floats({300, 200}), random.ints({300, 150}, 0, 199), 1));
    visit(gatherNdCase(random.floats({4, 5}), random.ints({0, 1}, 0, 3), 0));
}

}  // namespace mnn_primitives
