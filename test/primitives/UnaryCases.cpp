#include <cmath>
#include "Families.hpp"

namespace mnn_primitives {
namespace {

using mnn_test::NetBuilder;
using Names = std::vector<std::string>;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double erfInverse(double y) {
    // Newton on erf(x) = y: the derivative is 2 / sqrt(pi) * exp(-x * x).
    double x = 0;
    for (int i = 0; i < 60; ++i) x -= (std::erf(x) - y) * std::sqrt(std::acos(-1.0)) / 2 * std::exp(x * x);
    return x;
}

struct Function {
    MNN::UnaryOpOperation kind;
    double low, high;  // where it is tried
    double (*f)(double);
};

const Function kFunctions[] = {
    {MNN::UnaryOpOperation_ABS, -3, 3, [](double x) { return std::fabs(x); }},
    {MNN::UnaryOpOperation_NEG, -3, 3, [](double x) { return -x; }},
    {MNN::UnaryOpOperation_FLOOR, -3, 3, [](double x) { return std::floor(x); }},
    {MNN::UnaryOpOperation_CEIL, -3, 3, [](double x) { return std::ceil(x); }},
    {MNN::UnaryOpOperation_SQUARE, -3, 3, [](double x) { return x * x; }},
    {MNN::UnaryOpOperation_SQRT, 0, 7, [](double x) { return std::sqrt(x); }},
    {MNN::UnaryOpOperation_RSQRT, 0.05, 7, [](double x) { return 1 / std::sqrt(x); }},
    {MNN::UnaryOpOperation_EXP, -6, 6, [](double x) { return std::exp(x); }},
    {MNN::UnaryOpOperation_LOG, 0.05, 7, [](double x) { return std::log(x); }},
    {MNN::UnaryOpOperation_SIN, -7, 7, [](double x) { return std::sin(x); }},
    {MNN::UnaryOpOperation_COS, -7, 7, [](double x) { return std::cos(x); }},
    {MNN::UnaryOpOperation_TAN, -1.4, 1.4, [](double x) { return std::tan(x); }},
    {MNN::UnaryOpOperation_ASIN, -1, 1, [](double x) { return std::asin(x); }},
    {MNN::UnaryOpOperation_ACOS, -1, 1, [](double x) { return std::acos(x); }},
    {MNN::UnaryOpOperation_ATAN, -6, 6, [](double x) { return std::atan(x); }},
    {MNN::UnaryOpOperation_RECIPROCAL, 0.05, 7, [](double x) { return 1 / x; }},
    {MNN::UnaryOpOperation_LOG1P, -0.9, 7, [](double x) { return std::log1p(x); }},
    {MNN::UnaryOpOperation_BNLL, -7, 7, [](double x) { return std::log1p(std::exp(x)); }},
    {MNN::UnaryOpOperation_ACOSH, 1, 7, [](double x) { return std::acosh(x); }},
    {MNN::UnaryOpOperation_SINH, -5, 5, [](double x) { return std::sinh(x); }},
    {MNN::UnaryOpOperation_ASINH, -7, 7, [](double x) { return std::asinh(x); }},
    {MNN::UnaryOpOperation_ATANH, -0.9, 0.9, [](double x) { return std::atanh(x); }},
    {MNN::UnaryOpOperation_SIGN, -1, 1, [](double x) { return x > 0   ? 1.0
                                                              : x < 0 ? -1.0
                                                                      : 0.0; }},
    {MNN::UnaryOpOperation_ROUND, -4, 4, [](double x) { return std::nearbyint(x); }},
    {MNN::UnaryOpOperation_COSH, -5, 5, [](double x) { return std::cosh(x); }},
    {MNN::UnaryOpOperation_ERF, -3, 3, [](double x) { return std::erf(x); }},
    {MNN::UnaryOpOperation_ERFC, -3, 3, [](double x) { return std::erfc(x); }},
    {MNN::UnaryOpOperation_ERFINV, -0.9, 0.9, erfInverse},
    {MNN::UnaryOpOperation_EXPM1, -6, 4, [](double x) { return std::expm1(x); }},
    {MNN::UnaryOpOperation_SIGMOID, -7, 7, sigmoid},
    {MNN::UnaryOpOperation_TANH, -5, 5, [](double x) { return std::tanh(x); }},
    {MNN::UnaryOpOperation_HARDSWISH, -5, 5, [](double x) { return x * std::fmin(std::fmax(x / 6 + 0.5, 0), 1); }},
    {MNN::UnaryOpOperation_GELU, -4, 4,
     [](double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x))); }},
    {MNN::UnaryOpOperation_GELU_STANDARD, -4, 4, [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }},
    {MNN::UnaryOpOperation_SILU, -7, 7, [](double x) { return x * sigmoid(x); }},
};

Case elementwise(std::string title, Array x, double (*f)(double)) {
    Case c;
    c.title = "Unary " + std::move(title);
    c.inputs = {plain(std::move(x))};
    c.reference = [f](const std::vector<Array>& in) {
        Array y = in[0];
        for (double& v : y.values) v = f(v);
        return std::vector<Array>{y};
    };
    return c;
}

Case functionCase(const Function& function, Array x) {
    Case c = elementwise(MNN::EnumNameUnaryOpOperation(function.kind), std::move(x), function.f);
    const MNN::UnaryOpOperation kind = function.kind;
    c.build = [kind](NetBuilder& net, const Names& in) { net.unary("y", kind, in[0]); };
    return c;
}

// Activations that are ops of their own.
template <typename Param>
void visitActivation(const Visit& visit, MNN::OpType type, MNN::OpParameter kind, const Param& param,
                     double (*f)(double)) {
    Random random(3);
    for (const Shape& shape : {Shape{2, 5, 3, 3}, Shape{17}}) {
        Case c = elementwise(MNN::EnumNameOpType(type), random.floats(shape, -7, 7), f);
        c.build = [=](NetBuilder& net, const Names& in) { net.add(type, "y", in, kind, new Param(param)); };
        visitFronts(c, visit);
    }
}

void activationCases(const Visit& visit) {
    MNN::ReluT relu;
    visitActivation(visit, MNN::OpType_ReLU, MNN::OpParameter_Relu, relu, [](double x) { return x > 0 ? x : 0.0; });
    relu.slope = 0.25f;
    visitActivation(visit, MNN::OpType_ReLU, MNN::OpParameter_Relu, relu,
                    [](double x) { return x > 0 ? x : 0.25 * x; });
    MNN::Relu6T relu6;
    visitActivation(visit, MNN::OpType_ReLU6, MNN::OpParameter_Relu6, relu6,
                    [](double x) { return std::fmin(std::fmax(x, 0), 6); });
    relu6.minValue = -1;
    relu6.maxValue = 2;
    visitActivation(visit, MNN::OpType_ReLU6, MNN::OpParameter_Relu6, relu6,
                    [](double x) { return std::fmin(std::fmax(x, -1), 2); });
    MNN::ELUT elu;
    elu.alpha = 0.5f;
    visitActivation(visit, MNN::OpType_ELU, MNN::OpParameter_ELU, elu,
                    [](double x) { return x > 0 ? x : 0.5 * std::expm1(x); });
    visitActivation(visit, MNN::OpType_Threshold, MNN::OpParameter_ELU, elu,
                    [](double x) { return x > 0.5 ? 1.0 : 0.0; });
    MNN::SeluT selu;
    selu.alpha = 1.5f;
    selu.scale = 1.25f;
    visitActivation(visit, MNN::OpType_Selu, MNN::OpParameter_Selu, selu,
                    [](double x) { return 1.25 * (x > 0 ? x : 1.5 * std::expm1(x)); });
}

}  // namespace

void unaryCases(const Visit& visit) {
    Random random(2);
    for (const Function& function : kFunctions) {
        for (int n : edgeSizes()) visit(functionCase(function, random.floats({n}, function.low, function.high)));
        visit(functionCase(function, random.floats({}, function.low, function.high)));
        visit(functionCase(function, random.floats({3, 1, 1000}, function.low, function.high)));
        visitFronts(functionCase(function, random.floats({2, 5, 3, 3}, function.low, function.high)), visit);
    }
    for (size_t i : {1, 7, 31}) visit(functionCase(kFunctions[i], random.floats({70001})));  // shared out among threads
    for (int channels : edgeSizes()) {
        visitFronts(functionCase(kFunctions[1], random.floats({2, channels, 3, 5})), visit);
    }
    for (const Function& function : kFunctions) {
        const auto kind = function.kind;
        if (kind != MNN::UnaryOpOperation_ABS && kind != MNN::UnaryOpOperation_NEG &&
            kind != MNN::UnaryOpOperation_SQUARE && kind != MNN::UnaryOpOperation_SIGN) {
            continue;
        }
        for (int n : {0, 1, 9, 17}) visitFronts(functionCase(function, random.ints({2, n}, -99, 99)), visit);
    }
    activationCases(visit);
}

}  // namespace mnn_primitives
