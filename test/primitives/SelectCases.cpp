#include <limits>
#include "Families.hpp"

namespace mnn_primitives {
namespace {

Case selectCase(Array condition, Array a, Array b) {
    Case c;
    c.title = "Select";
    c.inputs = {plain(std::move(condition)), plain(std::move(a)), plain(std::move(b))};
    c.build = [](mnn_test::NetBuilder& net, const std::vector<std::string>& in) {
        net.add(MNN::OpType_Select, "y", in);
    };
    c.reference = [](const std::vector<Array>& in) {
        const Shape shape = broadcast(in[0].shape, broadcast(in[1].shape, in[2].shape));
        return std::vector<Array>{generate(
            in[1].type, shape, [&](const Index& at) { return in[0].at(at) != 0 ? in[1].at(at) : in[2].at(at); })};
    };
    return c;
}

struct Shapes {
    Shape condition, a, b;
};

const Shapes kShapes[] = {
    {{}, {5}, {5}},
    {{5}, {}, {}},
    {{3, 1}, {4}, {2, 3, 4}},
    {{2, 5, 3, 3}, {2, 5, 3, 3}, {2, 5, 3, 3}},
    {{2, 1, 3, 3}, {2, 5, 3, 3}, {1, 5, 1, 1}},
    {{1, 5, 1, 1}, {2, 1, 3, 1}, {1}},
    {{2, 5, 3, 3}, {1}, {5, 1, 1}},
    {{0, 3}, {3}, {1}},
};

}  // namespace

void selectCases(const Visit& visit) {
    Random random(5);
    for (int n : edgeSizes()) {
        visitFronts(selectCase(random.ints({n}, 0, 1), random.floats({n}), random.floats({n})), visit);
        visitFronts(selectCase(random.ints({2, n, 3, 1}, 0, 1), random.floats({2, n, 3, 1}), random.floats({n, 1, 1})),
                    visit);
    }
    for (const Shapes& s : kShapes) {
        visitFronts(selectCase(random.ints(s.condition, 0, 1), random.floats(s.a), random.floats(s.b)), visit);
        visitFronts(selectCase(random.ints(s.condition, -1, 1), random.ints(s.a, -9, 9), random.ints(s.b, -9, 9)),
                    visit);
    }
    visit(selectCase(random.ints({300, 257}, 0, 1), random.floats({300, 1}), random.floats({257})));
    // What is not selected may be anything.
    Case c = selectCase(ints({4}, {1, 0, 1, 0}), random.floats({4}), random.floats({4}));
    c.inputs[1].array.values[1] = c.inputs[2].array.values[2] = std::numeric_limits<double>::quiet_NaN();
    visit(c);
}

}  // namespace mnn_primitives
