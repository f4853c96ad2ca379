#include <cmath>
#include "Families.hpp"

namespace mnn_primitives {
namespace {

using mnn_test::NetBuilder;
using Names = std::vector<std::string>;

double floorMod(double a, double b) { return a - std::floor(a / b) * b; }
int whole(double x) { return static_cast<int>(x); }

// Which types, and which second operands, an operation is tried with.
enum Operands : uint8_t { kFloats = 1, kInts = 2, kNotZero = 4, kPositive = 8, kShifts = 16, kBools = 32 };

struct Operation {
    MNN::BinaryOpOperation kind;
    int operands;
    double (*f)(double a, double b);
    bool compares = false;
};

const Operation kOperations[] = {
    {MNN::BinaryOpOperation_ADD, kFloats | kInts, [](double a, double b) { return a + b; }},
    {MNN::BinaryOpOperation_SUB, kFloats | kInts, [](double a, double b) { return a - b; }},
    {MNN::BinaryOpOperation_MUL, kFloats | kInts, [](double a, double b) { return a * b; }},
    {MNN::BinaryOpOperation_REALDIV, kFloats | kNotZero, [](double a, double b) { return a / b; }},
    {MNN::BinaryOpOperation_REALDIV, kInts | kNotZero, [](double a, double b) { return std::trunc(a / b); }},
    {MNN::BinaryOpOperation_FLOORDIV, kFloats | kInts | kNotZero, [](double a, double b) { return std::floor(a / b); }},
    {MNN::BinaryOpOperation_FLOORMOD, kFloats | kInts | kNotZero, floorMod},
    {MNN::BinaryOpOperation_MOD, kFloats | kInts | kNotZero, [](double a, double b) { return std::fmod(a, b); }},
    {MNN::BinaryOpOperation_MINIMUM, kFloats | kInts, [](double a, double b) { return std::fmin(a, b); }},
    {MNN::BinaryOpOperation_MAXIMUM, kFloats | kInts, [](double a, double b) { return std::fmax(a, b); }},
    {MNN::BinaryOpOperation_POW, kFloats | kPositive, [](double a, double b) { return std::pow(a, b); }},
    {MNN::BinaryOpOperation_SquaredDifference, kFloats | kInts, [](double a, double b) { return (a - b) * (a - b); }},
    {MNN::BinaryOpOperation_ATAN2, kFloats | kNotZero, [](double a, double b) { return std::atan2(a, b); }},
    {MNN::BinaryOpOperation_MUL_SILU, kFloats, [](double a, double b) { return a * b / (1 + std::exp(-b)); }},
    {MNN::BinaryOpOperation_GREATER, kFloats | kInts, [](double a, double b) { return a > b ? 1.0 : 0.0; }, true},
    {MNN::BinaryOpOperation_GREATER_EQUAL, kFloats | kInts, [](double a, double b) { return a >= b ? 1.0 : 0.0; },
     true},
    {MNN::BinaryOpOperation_LESS, kFloats | kInts, [](double a, double b) { return a < b ? 1.0 : 0.0; }, true},
    {MNN::BinaryOpOperation_LESS_EQUAL, kFloats | kInts, [](double a, double b) { return a <= b ? 1.0 : 0.0; }, true},
    {MNN::BinaryOpOperation_EQUAL, kFloats | kInts, [](double a, double b) { return a == b ? 1.0 : 0.0; }, true},
    {MNN::BinaryOpOperation_NOTEQUAL, kFloats | kInts, [](double a, double b) { return a != b ? 1.0 : 0.0; }, true},
    {MNN::BinaryOpOperation_LOGICALOR, kInts | kBools, [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }},
    {MNN::BinaryOpOperation_LOGICALXOR, kInts | kBools,
     [](double a, double b) { return (a != 0) != (b != 0) ? 1.0 : 0.0; }},
    {MNN::BinaryOpOperation_BITWISE_AND, kInts, [](double a, double b) -> double { return whole(a) & whole(b); }},
    {MNN::BinaryOpOperation_BITWISE_OR, kInts, [](double a, double b) -> double { return whole(a) | whole(b); }},
    {MNN::BinaryOpOperation_BITWISE_XOR, kInts, [](double a, double b) -> double { return whole(a) ^ whole(b); }},
    {MNN::BinaryOpOperation_LEFTSHIFT, kInts | kShifts, [](double a, double b) { return a * std::exp2(b); }},
    {MNN::BinaryOpOperation_RIGHTSHIFT, kInts | kShifts,
     [](double a, double b) { return std::floor(a / std::exp2(b)); }},
};

Array operand(Random& random, const Operation& operation, Type type, const Shape& shape, bool second) {
    if (operation.operands & kBools) return random.ints(shape, 0, 1);
    if (operation.operands & kShifts) return second ? random.ints(shape, 0, 8) : random.ints(shape, 0, 5000);
    if (operation.operands & kPositive) return random.floats(shape, 0.25, 3);
    // Few different values, so that comparisons meet equals.
    Array array = random.ints(shape, -9, 9);
    array.type = type;
    for (double& v : array.values) {
        if (second && (operation.operands & kNotZero) && v == 0) v = 5;
        if (type == Type::Float) v /= 4;
    }
    return array;
}

Case binaryCase(const Operation& operation, Array a, Array b, int activation = 0) {
    Case c;
    c.title =
        std::string("Binary ") + MNN::EnumNameBinaryOpOperation(operation.kind) + (activation == 1 ? " relu" : "");
    c.inputs = {plain(std::move(a)), plain(std::move(b))};
    const MNN::BinaryOpOperation kind = operation.kind;
    c.build = [kind, activation](NetBuilder& net, const Names& in) {
        auto* param = new MNN::BinaryOpT;
        param->opType = kind;
        param->activationType = activation;
        net.add(MNN::OpType_BinaryOp, "y", in, MNN::OpParameter_BinaryOp, param);
    };
    const auto f = operation.f;
    const bool compares = operation.compares;
    c.reference = [f, compares, activation](const std::vector<Array>& in) {
        return std::vector<Array>{
            generate(compares ? Type::Int : in[0].type, broadcast(in[0].shape, in[1].shape), [&](const Index& at) {
                const double y = f(in[0].at(at), in[1].at(at));
                return activation == 1 ? std::fmax(y, 0) : y;
            })};
    };
    return c;
}

struct Shapes {
    Shape a, b;
};

const Shapes kBroadcasts[] = {
    {{}, {}},
    {{5}, {}},
    {{}, {5}},
    {{2, 3, 4}, {4}},
    {{2, 3, 4}, {3, 1}},
    {{4}, {2, 3, 4}},
    {{3, 1}, {1, 4}},
    {{2, 1, 5}, {1, 3, 1}},
    {{2, 5, 3, 3}, {1}},
    {{2, 5, 3, 3}, {1, 5, 1, 1}},
    {{2, 5, 3, 3}, {2, 5, 1, 1}},
    {{2, 5, 3, 3}, {3, 3}},
    {{2, 5, 3, 3}, {2, 1, 3, 3}},
    {{1, 5, 1, 1}, {2, 5, 3, 3}},
    {{2, 1, 3, 1}, {1, 5, 1, 3}},
    {{0, 3}, {3}},
    {{1, 3}, {0, 1}},
    {{2, 17, 1, 3}, {17, 2, 1}},
    {{2, 1, 2, 1, 2}, {3, 1, 3, 1}},
};

}  // namespace

void binaryCases(const Visit& visit) {
    Random random(4);
    const auto visitShapes = [&](const Operation& operation, const Shapes& s, bool fronts) {
        for (Type type : {Type::Float, Type::Int}) {
            if (!(operation.operands & (type == Type::Float ? kFloats : kInts))) continue;
            const Case c = binaryCase(operation, operand(random, operation, type, s.a, false),
                                      operand(random, operation, type, s.b, true));
            fronts ? visitFronts(c, visit) : visit(c);
        }
    };
    for (const Operation& operation : kOperations) {
        for (int n : edgeSizes()) visitShapes(operation, {{n}, {n}}, false);
        visitShapes(operation, {{2, 5, 3, 3}, {2, 5, 3, 3}}, true);
        visitShapes(operation, {{2, 5, 3, 3}, {5, 1, 1}}, false);
        visitShapes(operation, {{3, 700}, {700}}, false);
    }
    for (const Shapes& shapes : kBroadcasts) {
        for (size_t i : {0, 1, 14}) visitShapes(kOperations[i], shapes, true);
        // A view against a tensor that is none.
        Case c = binaryCase(kOperations[1], random.floats(shapes.a), random.floats(shapes.b));
        c.inputs[1].front = canHaveFront(c.inputs[1], Front::Permute) ? Front::Permute : Front::None;
        visit(c);
    }
    for (int channels : edgeSizes()) {
        visitShapes(kOperations[1], {{2, channels, 3, 5}, {2, channels, 3, 5}}, true);
        visitShapes(kOperations[1], {{2, channels, 3, 5}, {channels, 1, 1}}, true);
    }
    for (const Shapes& large :
         {Shapes{{300, 257}, {300, 257}}, Shapes{{300, 257}, {257}}, Shapes{{300, 257}, {300, 1}}}) {
        visitShapes(kOperations[1], large, true);
    }
    visitFronts(binaryCase(kOperations[1], random.floats({2, 5, 3, 3}), random.floats({2, 5, 3, 3}), 1), visit);
    visitFronts(binaryCase(kOperations[1], random.ints({2, 9}, -9, 9), random.ints({9}, -9, 9), 1), visit);
}

}  // namespace mnn_primitives
