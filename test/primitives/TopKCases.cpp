#include <algorithm>
#include <numeric>
#include "Families.hpp"

namespace mnn_primitives {
namespace {

// Best first; of equals the lower index.
Case topKCase(Array x, int k, int axis, bool largest) {
    Case c;
    c.title = "TopK " + std::to_string(k) + (largest ? " largest" : " smallest") + " along " + std::to_string(axis);
    c.inputs = {plain(std::move(x)), constant(ints({}, {k})), constant(ints({}, {axis}))};
    c.outputs = {"y", "at"};
    c.build = [largest](mnn_test::NetBuilder& net, const std::vector<std::string>& in) {
        auto* param = new MNN::TopKV2T;
        param->sorted = true;
        param->largest = largest;
        net.addMany(MNN::OpType_TopKV2, "y", in, {"y", "at"}, MNN::OpParameter_TopKV2, param);
    };
    c.reference = [=](const std::vector<Array>& in) {
        const Array& x = in[0];
        const int a = axisOf(axis, x.shape.size());
        Shape shape = x.shape, rows = x.shape;
        shape[a] = k;
        rows[a] = 1;
        Array values = generate(x.type, shape, [](const Index&) { return 0; });
        Array indices = generate(Type::Int, shape, [](const Index&) { return 0; });
        forEach(rows, [&](const Index& row) {
            const auto valueAt = [&](int i) {
                Index at = row;
                at[a] = i;
                return x.at(at);
            };
            std::vector<int> order(x.shape[a]);
            std::iota(order.begin(), order.end(), 0);
            std::stable_sort(order.begin(), order.end(),
                             [&](int i, int j) { return largest ? valueAt(i) > valueAt(j) : valueAt(i) < valueAt(j); });
            Index to = row;
            for (int i = 0; i < k; ++i) {
                to[a] = i;
                values.at(to) = valueAt(order[i]);
                indices.at(to) = order[i];
            }
        });
        return std::vector<Array>{values, indices};
    };
    return c;
}

}  // namespace

void topKCases(const Visit& visit) {
    Random random(19);
    for (bool largest : {true, false}) {
        for (int n : edgeSizes()) {
            if (n == 0) continue;
            for (int k : {1, (n + 1) / 2, n}) {
                visitFronts(topKCase(random.distinct({n}), k, 0, largest), visit);
                visit(topKCase(random.ints({3, n}, -3, 3), k, -1, largest));
            }
        }
        for (int axis = 0; axis < 4; ++axis) {
            visitFronts(topKCase(random.floats({2, 5, 3, 4}), 2, axis, largest), visit);
            visitFronts(topKCase(random.ints({2, 5, 3, 4}, -2, 2), 2, axis, largest), visit);
        }
        visit(topKCase(random.distinct({64, 300}), 7, 1, largest));
        visit(topKCase(random.distinct({3, 5}), 0, 1, largest));
        visit(topKCase(random.floats({0, 5}), 2, 1, largest));
    }
}

}  // namespace mnn_primitives
