#include <algorithm>
#include "Families.hpp"

namespace mnn_primitives {
namespace {

using mnn_test::NetBuilder;
using Names = std::vector<std::string>;

// How an update meets what is there; none: the last update wins.
enum class Join : uint8_t { None, Add, Multiply, Maximum, Minimum };

double joined(Join join, double old, double update) {
    switch (join) {
        case Join::None:
            return update;
        case Join::Add:
            return old + update;
        case Join::Multiply:
            return old * update;
        case Join::Maximum:
            return std::max(old, update);
        case Join::Minimum:
            return std::min(old, update);
    }
    return update;
}

std::string nameOf(Join join) {
    static const char* const kNames[] = {"", " add", " multiply", " maximum", " minimum"};
    return kNames[static_cast<int>(join)];
}

void addScatter(NetBuilder& net, MNN::OpType type, const Names& in, Join join) {
    if (join == Join::None) {
        net.add(type, "y", in);
        return;
    }
    const MNN::BinaryOpOperation kinds[] = {MNN::BinaryOpOperation_ADD, MNN::BinaryOpOperation_ADD,
                                            MNN::BinaryOpOperation_MUL, MNN::BinaryOpOperation_MAXIMUM,
                                            MNN::BinaryOpOperation_MINIMUM};
    auto* param = new MNN::BinaryOpT;
    param->opType = kinds[static_cast<int>(join)];
    net.add(type, "y", in, MNN::OpParameter_BinaryOp, param);
}

Case elementsCase(Array data, Array indices, Array updates, int axis, Join join) {
    Case c;
    c.title = "Scatter elements along " + std::to_string(axis) + nameOf(join);
    c.inputs = {plain(std::move(data)), plain(std::move(indices)), plain(std::move(updates)),
                constant(ints({}, {axis}))};
    c.build = [join](NetBuilder& net, const Names& in) { addScatter(net, MNN::OpType_ScatterElements, in, join); };
    c.reference = [axis, join](const std::vector<Array>& in) {
        Array y = in[0];
        const int a = axisOf(axis, y.shape.size());
        forEach(in[1].shape, [&](const Index& at) {
            Index to = at;
            const double index = in[1].at(at);
            to[a] = static_cast<int>(index < 0 ? index + y.shape[a] : index);
            y.at(to) = joined(join, y.at(to), in[2].at(at));
        });
        return std::vector<Array>{y};
    };
    return c;
}

// indices: [count, depth]
Case ndCase(Array data, Array indices, Array updates, Join join) {
    Case c;
    c.title = "Scatter nd" + nameOf(join);
    const Array shape = ints({static_cast<int>(data.shape.size())}, data.shape);
    c.inputs = {plain(std::move(indices)), plain(std::move(updates)), constant(shape), plain(std::move(data))};
    c.build = [join](NetBuilder& net, const Names& in) { addScatter(net, MNN::OpType_ScatterNd, in, join); };
    c.reference = [join](const std::vector<Array>& in) {
        Array y = in[3];
        forEach(in[1].shape, [&](const Index& at) {
            Index to;
            for (int k = 0; k < in[0].shape[1]; ++k) {
                const double index = in[0].at({at[0], k});
                to.push_back(static_cast<int>(index < 0 ? index + y.shape[k] : index));
            }
            to.insert(to.end(), at.begin() + 1, at.end());
            y.at(to) = joined(join, y.at(to), in[1].at(at));
        });
        return std::vector<Array>{y};
    };
    return c;
}

}  // namespace

void scatterCases(const Visit& visit) {
    Random random(18);
    for (Join join : {Join::None, Join::Add, Join::Multiply, Join::Maximum, Join::Minimum}) {
        for (int axis = -1; axis < 3; ++axis) {
            Shape at = {3, 5, 4};
            const int length = at[axisOf(axis, 3)];
            at[axisOf(axis, 3)] = 6;
            visitFronts(elementsCase(random.floats({3, 5, 4}), random.ints(at, -length, length - 1), random.floats(at),
                                     axis, join),
                        visit);
            visit(elementsCase(random.ints({3, 5, 4}, -9, 9), random.ints(at, 0, length - 1), random.ints(at, -9, 9),
                               axis, join));
        }
        for (int n : edgeSizes()) {
            visit(elementsCase(random.floats({9}), random.ints({n}, -9, 8), random.floats({n}), 0, join));
            visitFronts(ndCase(random.floats({7, 3}), random.ints({n, 1}, -7, 6), random.floats({n, 3}), join), visit);
        }
        visitFronts(ndCase(random.floats({4, 4, 3}), random.ints({6, 2}, -4, 3), random.floats({6, 3}), join), visit);
        visitFronts(ndCase(random.ints({4, 4, 4}, -9, 9), random.ints({6, 3}, 0, 3), random.ints({6}, -9, 9), join),
                    visit);
    }
}

}  // namespace mnn_primitives
