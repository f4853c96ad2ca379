// Matrix products.
#include "onnx/Families.hpp"
#include "onnx/Formulas.hpp"

namespace MNN {
namespace Converter {

namespace {

Value realOperand(Node& n, size_t i) { return isFloat(n.type(i)) ? n.in(i) : n.b.cast(n.in(i), DataType_DT_FLOAT); }

Outputs matmul(Node& n) {
    const Value product = matmulAnyRank(n.b, realOperand(n, 0), realOperand(n, 1));
    return {n.b.cast(product, n.type())};
}

Outputs gemm(Node& n) {
    Builder& b = n.b;
    const float alpha = n.f("alpha", 1.0f), beta = n.f("beta", 1.0f);
    MatMulT param;
    param.T = DataType_DT_FLOAT;
    param.transposeA = n.i("transA", 0) != 0;
    param.transposeB = n.i("transB", 0) != 0;
    Value x = realOperand(n, 0), y = realOperand(n, 1);
    for (Value operand : {x, y}) {
        if (b.rankKnown(operand) && b.rank(operand) != 2)
            n.fail("operand of shape " + describe(b.info(operand).dims) + " is not a matrix");
    }
    const int inner[2] = {b.size(x, param.transposeA ? 0 : 1), b.size(y, param.transposeB ? 1 : 0)};
    if (inner[0] >= 0 && inner[1] >= 0 && inner[0] != inner[1])
        n.fail("cannot multiply " + describe(b.info(x).dims) + " by " + describe(b.info(y).dims));
    // A constant operand takes the factor, so that nothing is left to do at run time.
    if (alpha != 1.0f && b.constantOf(y)) y = b.mul(y, b.real(alpha));
    Value product = b.op(OpType_MatMul, std::move(param), {x, y});
    if (alpha != 1.0f && !b.constantOf(n.in(1))) product = b.mul(product, b.real(alpha));
    if (n.has(2)) {
        const Value c = realOperand(n, 2);
        product = b.add(product, beta == 1.0f ? c : b.mul(c, b.real(beta)));
    }
    return {b.cast(product, n.type())};
}

Outputs det(Node& n) { return {n.b.plain(OpType_Det, {n.in(0)})}; }

const OpImporter kRows[] = {
    {"MatMul", 1, matmul},
    {"Gemm", 1, gemm},
    {"Det", 11, det},
};

}  // namespace

OpFamily matmulOps() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

}  // namespace Converter
}  // namespace MNN
