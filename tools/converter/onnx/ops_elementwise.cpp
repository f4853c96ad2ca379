// Arithmetic, comparison, logic and the functions of one element.
#include <cmath>
#include <limits>

#include "onnx/Families.hpp"
#include "onnx/Formulas.hpp"

namespace MNN {
namespace Converter {

namespace {

template <UnaryOpOperation O>
Outputs unary(Node& n) {
    const Value x = n.in(0);
    return {narrow(n.b, n.b.unary(O, widen(n.b, x)), n.type())};
}

// Before opset 7 the second operand was aligned at `axis` when `broadcast` was set.
Value alignedSecond(Node& n) {
    const Value y = n.in(1);
    if (n.opset >= 7 || !n.i("broadcast", 0) || !n.hasAttr("axis")) return y;
    const int axis = n.axis("axis", 0, n.rank(0)), trailing = n.rank(0) - axis - n.rank(1);
    if (trailing <= 0) return y;
    return n.b.unsqueeze(y, iota(n.rank(1), n.rank(1) + trailing));
}

template <BinaryOpOperation O>
Outputs binary(Node& n) {
    return {binaryAnyType(n.b, O, n.in(0), alignedSecond(n))};
}

template <BinaryOpOperation O>
Outputs variadic(Node& n) {
    Value result = n.all()[0];
    for (size_t i = 1; i < n.inputs(); ++i) result = binaryAnyType(n.b, O, result, n.in(i));
    return {result};
}

Outputs mean(Node& n) {
    const Value sum = variadic<BinaryOpOperation_ADD>(n)[0];
    return {n.inputs() == 1 ? sum : n.b.div(sum, n.b.like(sum, static_cast<double>(n.inputs())))};
}

Outputs mod(Node& n) {
    const bool truncated = n.i("fmod", 0) != 0;
    return {binaryAnyType(n.b, truncated ? BinaryOpOperation_MOD : BinaryOpOperation_FLOORMOD, n.in(0), n.in(1))};
}

// The result has the base's type; an integer base is raised in float when the exponent is a float.
Outputs pow(Node& n) {
    Builder& b = n.b;
    const Value x = n.in(0), y = alignedSecond(n);
    if (isFloat(b.type(x)) || isFloat(b.type(y))) {
        const Value real = b.binary(BinaryOpOperation_POW, b.cast(x, DataType_DT_FLOAT), b.cast(y, DataType_DT_FLOAT));
        return {b.cast(real, b.type(x))};
    }
    return {binaryAnyType(b, BinaryOpOperation_POW, x, y)};
}

Outputs bitShift(Node& n) {
    const bool left = n.s("direction", "") == "LEFT";
    return {binaryAnyType(n.b, left ? BinaryOpOperation_LEFTSHIFT : BinaryOpOperation_RIGHTSHIFT, n.in(0), n.in(1))};
}

Outputs bitwiseNot(Node& n) {
    const Value x = widen(n.b, n.in(0));
    return {narrow(n.b, n.b.binary(BinaryOpOperation_BITWISE_XOR, x, n.b.like(x, -1)), n.type())};
}

Outputs logicalNot(Node& n) { return {n.b.binary(BinaryOpOperation_EQUAL, n.in(0), n.b.like(n.in(0), 0))}; }

Outputs relu(Node& n) {
    if (!isFloat(n.type())) return {binaryAnyType(n.b, BinaryOpOperation_MAXIMUM, n.in(0), n.b.like(n.in(0), 0))};
    return {n.b.op(OpType_ReLU, ReluT(), {n.in(0)})};
}

Outputs leakyRelu(Node& n) {
    ReluT param;
    param.slope = n.f("alpha", 0.01f);
    return {n.b.op(OpType_ReLU, std::move(param), {n.in(0)})};
}

// One slope per channel is MNN's PReLU; any other shape of slope is a Select.
Outputs prelu(Node& n) {
    Builder& b = n.b;
    const Value x = n.in(0);
    Value slope = n.in(1);
    const int rankOfX = b.rankKnown(x) ? b.rank(x) : 0;
    // Before opset 7 a slope of one axis went along the channels.
    if (n.opset < 7 && b.rankKnown(slope) && b.rank(slope) == 1 && rankOfX > 2) slope = alongAxis(b, slope, 1, rankOfX);
    const Dims shape = b.info(slope).dims;
    const int64_t count = b.rankKnown(slope) ? elementCount(shape) : -1;
    const bool channels = rankOfX == 4 && shape.size() == 3 && shape[0] == count;
    if (n.isConstant(1) && isFloat(n.type()) && count > 0 && rankOfX == 4 && (channels || count == 1)) {
        PReluT param;
        param.slope = n.constFloats(1);
        param.slopeCount = static_cast<int>(count);
        return {b.op(OpType_PReLU, std::move(param), {x})};
    }
    const Value positive = b.binary(BinaryOpOperation_GREATER_EQUAL, x, b.like(x, 0));
    return {b.select(positive, x, b.mul(x, slope))};
}

Outputs elu(Node& n) {
    ELUT param;
    param.alpha = n.f("alpha", 1.0f);
    return {n.b.op(OpType_ELU, std::move(param), {n.in(0)})};
}

Outputs selu(Node& n) {
    SeluT param;
    param.alpha = n.f("alpha", n.opset < 6 ? 1.6732f : 1.67326319217681884765625f);
    param.scale = n.f("gamma", n.opset < 6 ? 1.0507f : 1.05070102214813232421875f);
    return {n.b.op(OpType_Selu, std::move(param), {n.in(0)})};
}

// max(0, x) + min(0, alpha * (exp(x / alpha) - 1))
Outputs celu(Node& n) {
    Builder& b = n.b;
    const Value x = n.in(0);
    const float alpha = n.f("alpha", 1.0f);
    const Value curve = b.mul(b.unary(UnaryOpOperation_EXPM1, b.div(x, b.real(alpha))), b.real(alpha));
    return {b.add(b.op(OpType_ReLU, ReluT(), {x}), b.binary(BinaryOpOperation_MINIMUM, curve, b.real(0)))};
}

Outputs thresholdedRelu(Node& n) {
    const Value x = n.in(0);
    const Value above = n.b.binary(BinaryOpOperation_GREATER, x, n.b.real(n.f("alpha", 1.0f)));
    return {n.b.select(above, x, n.b.real(0))};
}

Outputs shrink(Node& n) {
    Builder& b = n.b;
    const Value x = widen(b, n.in(0));
    const float lambda = n.f("lambd", 0.5f), bias = n.f("bias", 0.0f);
    const Value real = b.cast(x, DataType_DT_FLOAT);
    const Value low =
        b.select(b.binary(BinaryOpOperation_LESS, real, b.real(-lambda)), b.add(real, b.real(bias)), b.real(0));
    const Value high = b.binary(BinaryOpOperation_GREATER, real, b.real(lambda));
    return {narrow(b, b.cast(b.select(high, b.sub(real, b.real(bias)), low), b.type(x)), n.type())};
}

Outputs hardSigmoid(Node& n) {
    Builder& b = n.b;
    const Value scaled = b.add(b.mul(n.in(0), b.real(n.f("alpha", 0.2f))), b.real(n.f("beta", 0.5f)));
    return {b.clip(scaled, 0.0f, 1.0f)};
}

Outputs softsign(Node& n) {
    const Value x = n.in(0);
    return {n.b.div(x, n.b.add(n.b.unary(UnaryOpOperation_ABS, x), n.b.real(1)))};
}

// BNLL is log(1 + exp(x)) in the form that does not overflow.
Outputs softplus(Node& n) { return {n.b.unary(UnaryOpOperation_BNLL, n.in(0))}; }

Outputs mish(Node& n) {
    const Value x = n.in(0);
    return {n.b.mul(x, n.b.unary(UnaryOpOperation_TANH, n.b.unary(UnaryOpOperation_BNLL, x)))};
}

Value swishOf(Builder& b, Value x, float alpha) {
    if (alpha == 1.0f) return b.unary(UnaryOpOperation_SILU, x);
    return b.mul(x, b.unary(UnaryOpOperation_SIGMOID, b.mul(x, b.real(alpha))));
}

Outputs swish(Node& n) { return {swishOf(n.b, n.in(0), n.f("alpha", 1.0f))}; }

Outputs swiGlu(Node& n) { return {n.b.mul(swishOf(n.b, n.in(0), n.f("alpha", 1.0f)), n.in(1))}; }

Outputs gelu(Node& n) {
    const bool tanh = n.s("approximate", "none") == "tanh";
    return {n.b.unary(tanh ? UnaryOpOperation_GELU : UnaryOpOperation_GELU_STANDARD, n.in(0))};
}

// Limits are attributes before opset 11, optional inputs after.
Outputs clip(Node& n) {
    Builder& b = n.b;
    const Value x = n.in(0);
    const bool attributes = n.opset < 11;
    const float inf = std::numeric_limits<float>::infinity();
    const bool fixed = attributes || ((!n.has(1) || n.isConstant(1)) && (!n.has(2) || n.isConstant(2)));
    if (isFloat(n.type()) && fixed) {
        float low = -inf, high = inf;
        if (attributes) {
            low = n.f("min", -inf);
            high = n.f("max", inf);
        } else {
            if (n.has(1) && !n.constFloats(1).empty()) low = n.constFloats(1)[0];
            if (n.has(2) && !n.constFloats(2).empty()) high = n.constFloats(2)[0];
        }
        // The upper limit wins when the limits cross.
        return {low == -inf && high == inf ? x : b.clip(x, std::min(low, high), high)};
    }
    Value y = widen(b, x);
    if (n.has(1)) y = b.binary(BinaryOpOperation_MAXIMUM, y, widen(b, n.in(1)));
    if (n.has(2)) y = b.binary(BinaryOpOperation_MINIMUM, y, widen(b, n.in(2)));
    return {narrow(b, y, n.type())};
}

Outputs isNaN(Node& n) { return {n.b.binary(BinaryOpOperation_NOTEQUAL, n.in(0), n.in(0))}; }

Outputs isInf(Node& n) {
    Builder& b = n.b;
    const Value x = n.in(0);
    const bool negative = n.i("detect_negative", 1) != 0, positive = n.i("detect_positive", 1) != 0;
    const Value inf = b.real(std::numeric_limits<float>::infinity());
    if (negative && positive) return {b.binary(BinaryOpOperation_EQUAL, b.unary(UnaryOpOperation_ABS, x), inf)};
    if (positive) return {b.binary(BinaryOpOperation_EQUAL, x, inf)};
    if (negative) return {b.binary(BinaryOpOperation_EQUAL, x, b.real(-std::numeric_limits<float>::infinity()))};
    return {b.binary(BinaryOpOperation_LESS, b.unary(UnaryOpOperation_ABS, x), b.real(-1))};
}

Outputs where(Node& n) { return {n.b.select(n.in(0), n.in(1), n.in(2))}; }

Value castTo(Node& n, DataType to) {
    Builder& b = n.b;
    const Value x = n.in(0);
    if (to == DataType_DT_STRING || b.type(x) == DataType_DT_STRING)
        n.fail("casts from and to strings are not supported");
    // Integers wrap into the small types; floats are cut toward zero.
    if (isSmallInteger(to) && !isFloat(b.type(x))) return narrow(b, widen(b, x), to);
    return b.cast(x, to);
}

Outputs cast(Node& n) {
    const int to = n.i("to", 0);
    if (to >= onnx::TensorProto::FLOAT8E4M3FN && to <= onnx::TensorProto::FLOAT8E5M2FNUZ)
        n.fail(std::string("casting to ") + onnxTypeName(to) + " is not supported; keep the model in float16 or float");
    return {castTo(n, dataTypeOf(to))};
}

Outputs castLike(Node& n) { return {castTo(n, n.type(1))}; }

Outputs identity(Node& n) { return {n.in(0)}; }

// Training: elements are dropped with probability `ratio`, the rest grow so that the mean stays.
Outputs trainingDropout(Node& n) {
    Builder& b = n.b;
    const Value x = n.in(0), shape = b.shapeOf(x);
    const Value ratio = n.has(1) ? b.cast(b.reshape(n.in(1), {}), DataType_DT_FLOAT) : b.real(0.5f);
    RandomUniformT random;
    random.seed = n.i("seed", 0);
    const Value draw = b.op(OpType_RandomUniform, std::move(random), {shape}, DataType_DT_FLOAT);
    const Value off =
        b.binary(BinaryOpOperation_EQUAL, b.cast(b.reshape(n.in(2), {}), DataType_DT_INT32), b.integer(0));
    const Value kept = b.binary(BinaryOpOperation_GREATER_EQUAL, draw, ratio);
    const Value grown = b.div(b.select(kept, x, b.real(0)), b.sub(b.real(1), ratio));
    return {b.select(off, x, grown), b.binary(BinaryOpOperation_LOGICALOR, off, kept)};
}

// Inference: the input itself, and a mask of ones when one asks for it.
Outputs dropout(Node& n) {
    Builder& b = n.b;
    const bool inference = !n.has(2) || (n.isConstant(2) && n.constInts(2) == std::vector<int>{0});
    if (!inference) return trainingDropout(n);
    if (!n.wants(1)) return {n.in(0), kNone};
    return {n.in(0), b.fill(b.shapeOf(n.in(0)), b.integer(1, DataType_DT_BOOL))};
}

const OpImporter kRows[] = {
    {"Abs", 1, unary<UnaryOpOperation_ABS>},
    {"Neg", 1, unary<UnaryOpOperation_NEG>},
    {"Floor", 1, unary<UnaryOpOperation_FLOOR>},
    {"Ceil", 1, unary<UnaryOpOperation_CEIL>},
    {"Round", 11, unary<UnaryOpOperation_ROUND>},
    {"Sqrt", 1, unary<UnaryOpOperation_SQRT>},
    {"Exp", 1, unary<UnaryOpOperation_EXP>},
    {"Log", 1, unary<UnaryOpOperation_LOG>},
    {"Sin", 7, unary<UnaryOpOperation_SIN>},
    {"Cos", 7, unary<UnaryOpOperation_COS>},
    {"Tan", 7, unary<UnaryOpOperation_TAN>},
    {"Asin", 7, unary<UnaryOpOperation_ASIN>},
    {"Acos", 7, unary<UnaryOpOperation_ACOS>},
    {"Atan", 7, unary<UnaryOpOperation_ATAN>},
    {"Sinh", 9, unary<UnaryOpOperation_SINH>},
    {"Cosh", 9, unary<UnaryOpOperation_COSH>},
    {"Asinh", 9, unary<UnaryOpOperation_ASINH>},
    {"Acosh", 9, unary<UnaryOpOperation_ACOSH>},
    {"Atanh", 9, unary<UnaryOpOperation_ATANH>},
    {"Reciprocal", 1, unary<UnaryOpOperation_RECIPROCAL>},
    {"Sign", 9, unary<UnaryOpOperation_SIGN>},
    {"Erf", 9, unary<UnaryOpOperation_ERF>},
    {"Sigmoid", 1, unary<UnaryOpOperation_SIGMOID>},
    {"Tanh", 1, unary<UnaryOpOperation_TANH>},
    {"HardSwish", 14, unary<UnaryOpOperation_HARDSWISH>},
    {"Relu", 1, relu},
    {"LeakyRelu", 1, leakyRelu},
    {"PRelu", 1, prelu},
    {"Elu", 1, elu},
    {"Selu", 1, selu},
    {"Celu", 12, celu},
    {"ThresholdedRelu", 1, thresholdedRelu},
    {"Shrink", 9, shrink},
    {"HardSigmoid", 1, hardSigmoid},
    {"Softsign", 1, softsign},
    {"Softplus", 1, softplus},
    {"Mish", 18, mish},
    {"Swish", 24, swish},
    {"SwiGLU", 28, swiGlu},
    {"Gelu", 20, gelu},
    {"com.microsoft::Gelu", 1, gelu},
    {"Clip", 1, clip},
    {"Add", 1, binary<BinaryOpOperation_ADD>},
    {"Sub", 1, binary<BinaryOpOperation_SUB>},
    {"Mul", 1, binary<BinaryOpOperation_MUL>},
    {"Div", 1, binary<BinaryOpOperation_REALDIV>},
    {"Pow", 1, pow},
    {"Mod", 10, mod},
    {"Max", 1, variadic<BinaryOpOperation_MAXIMUM>},
    {"Min", 1, variadic<BinaryOpOperation_MINIMUM>},
    {"Sum", 1, variadic<BinaryOpOperation_ADD>},
    {"Mean", 1, mean},
    {"Equal", 1, binary<BinaryOpOperation_EQUAL>},
    {"Less", 1, binary<BinaryOpOperation_LESS>},
    {"LessOrEqual", 12, binary<BinaryOpOperation_LESS_EQUAL>},
    {"Greater", 1, binary<BinaryOpOperation_GREATER>},
    {"GreaterOrEqual", 12, binary<BinaryOpOperation_GREATER_EQUAL>},
    {"And", 1, binary<BinaryOpOperation_MUL>},
    {"Or", 1, binary<BinaryOpOperation_LOGICALOR>},
    {"Xor", 1, binary<BinaryOpOperation_LOGICALXOR>},
    {"Not", 1, logicalNot},
    {"BitShift", 11, bitShift},
    {"BitwiseAnd", 18, binary<BinaryOpOperation_BITWISE_AND>},
    {"BitwiseOr", 18, binary<BinaryOpOperation_BITWISE_OR>},
    {"BitwiseXor", 18, binary<BinaryOpOperation_BITWISE_XOR>},
    {"BitwiseNot", 18, bitwiseNot},
    {"IsNaN", 9, isNaN},
    {"IsInf", 10, isInf},
    {"Where", 9, where},
    {"Cast", 6, cast},
    {"CastLike", 15, castLike},
    {"Identity", 1, identity},
    {"Dropout", 1, dropout},
};

}  // namespace

OpFamily elementwiseOps() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

}  // namespace Converter
}  // namespace MNN
