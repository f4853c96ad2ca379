#include <cmath>
#include <limits>
#include "Families.hpp"

namespace mnn_primitives {
namespace {

struct Operation {
    MNN::ReductionType kind;
    double start;
    double (*step)(double sum, double x);
    bool empty = true;  // has a value for no elements
};

constexpr double kInf = std::numeric_limits<double>::infinity();

const Operation kOperations[] = {
    {MNN::ReductionType_SUM, 0, [](double s, double x) { return s + x; }},
    {MNN::ReductionType_MEAN, 0, [](double s, double x) { return s + x; }, false},
    {MNN::ReductionType_MAXIMUM, -kInf, [](double s, double x) { return std::fmax(s, x); }, false},
    {MNN::ReductionType_MINIMUM, kInf, [](double s, double x) { return std::fmin(s, x); }, false},
    {MNN::ReductionType_PROD, 1, [](double s, double x) { return s * x; }},
    {MNN::ReductionType_ASUM, 0, [](double s, double x) { return s + std::fabs(x); }},
    {MNN::ReductionType_SUMSQ, 0, [](double s, double x) { return s + x * x; }},
    {MNN::ReductionType_ANY, 0, [](double s, double x) { return s != 0 || x != 0 ? 1.0 : 0.0; }},
    {MNN::ReductionType_ALL, 1, [](double s, double x) { return s != 0 && x != 0 ? 1.0 : 0.0; }},
};

bool isLogical(const Operation& operation) {
    return operation.kind == MNN::ReductionType_ANY || operation.kind == MNN::ReductionType_ALL;
}

Array reduce(const Array& x, const Operation& operation, const std::vector<int>& axes, bool keepDims) {
    const size_t rank = x.shape.size();
    std::vector<bool> gone(rank, axes.empty());
    for (int axis : axes) gone[axisOf(axis, rank)] = true;
    Shape kept = x.shape;
    for (size_t d = 0; d < rank; ++d) kept[d] = gone[d] ? 1 : kept[d];
    Array y = generate(x.type, kept, [&](const Index&) { return operation.start; });
    forEach(x.shape, [&](const Index& at) { y.at(at) = operation.step(y.at(at), x.at(at)); });
    if (operation.kind == MNN::ReductionType_MEAN) {
        for (double& v : y.values) {
            v /= static_cast<double>(x.count()) / static_cast<double>(y.count());
            if (x.type == Type::Int) v = std::trunc(v);
        }
    }
    if (keepDims) return y;
    y.shape.clear();
    for (size_t d = 0; d < rank; ++d) {
        if (!gone[d]) y.shape.push_back(x.shape[d]);
    }
    return y;
}

Case reduceCase(const Operation& operation, Array x, const std::vector<int>& axes, bool keepDims) {
    Case c;
    c.title = std::string("Reduce ") + MNN::EnumNameReductionType(operation.kind) + " over " + textOf(axes) +
              (keepDims ? " kept" : "");
    c.inputs = {plain(std::move(x))};
    const MNN::ReductionType kind = operation.kind;
    c.build = [=](mnn_test::NetBuilder& net, const std::vector<std::string>& in) {
        auto* param = new MNN::ReductionParamT;
        param->operation = kind;
        param->dim = axes;
        param->keepDims = keepDims;
        net.add(MNN::OpType_Reduction, "y", in, MNN::OpParameter_ReductionParam, param);
    };
    const Operation op = operation;
    c.reference = [=](const std::vector<Array>& in) { return std::vector<Array>{reduce(in[0], op, axes, keepDims)}; };
    return c;
}

const std::vector<int> kAxes[] = {{}, {0}, {1}, {2}, {3}, {-1}, {1, 2}, {2, 3}, {0, 2}, {1, 3}, {0, 1, 2, 3}};

}  // namespace

void reduceCases(const Visit& visit) {
    Random random(8);
    for (const Operation& operation : kOperations) {
        const auto values = [&](const Shape& shape) {
            // Products stay near 1, and an "all" has a chance.
            if (operation.kind == MNN::ReductionType_PROD) return random.floats(shape, 0.75, 1.25);
            return random.floats(shape);
        };
        const auto whole = [&](const Shape& shape) {
            return random.ints(shape, isLogical(operation) ? 0 : -2, isLogical(operation) ? 1 : 2);
        };
        for (int n : edgeSizes()) {
            if (n == 0 && !operation.empty) continue;
            for (const Shape& shape : {Shape{n}, Shape{3, n}, Shape{n, 3}, Shape{2, n, 3}}) {
                const int axis = shape.size() == 1 || shape[0] == n ? 0 : 1;
                if (!isLogical(operation)) visit(reduceCase(operation, values(shape), {axis}, n % 2 == 0));
                visit(reduceCase(operation, whole(shape), {axis}, n % 2 == 0));
            }
        }
        for (const auto& axes : kAxes) {
            for (bool keep : {false, true}) {
                if (!isLogical(operation)) visitFronts(reduceCase(operation, values({2, 5, 3, 4}), axes, keep), visit);
                visitFronts(reduceCase(operation, whole({2, 5, 3, 4}), axes, keep), visit);
            }
        }
        if (isLogical(operation)) continue;
        visit(reduceCase(operation, values({3, 1000}), {1}, false));
        const Array large =
            operation.kind == MNN::ReductionType_PROD ? random.floats({200, 301}, 0.99, 1.01) : values({200, 301});
        for (int axis : {0, 1}) visit(reduceCase(operation, large, {axis}, false));
        visit(reduceCase(operation, values({}), {}, false));
    }
}

}  // namespace mnn_primitives
