// Losses, which evaluation graphs carry.
#include "onnx/Families.hpp"
#include "onnx/Formulas.hpp"

namespace MNN {
namespace Converter {

namespace {

// logProbability [N, C, ...] and target [N, ...] give -weight[target] * logProbability at target; ignored targets weigh
// nothing. The mean divides by the weights that were used.
Value pickedLoss(Node& n, Value logProbability, Value target, Value weight) {
    Builder& b = n.b;
    const Value index = b.cast(target, DataType_DT_INT64);
    const bool ignores = n.hasAttr("ignore_index");
    Value kept = kNone, safe = index;
    if (ignores) {
        kept = b.binary(BinaryOpOperation_NOTEQUAL, index, b.integer(n.i("ignore_index", 0), DataType_DT_INT64));
        safe = b.select(kept, index, b.integer(0, DataType_DT_INT64));
    }
    const Value picked =
        b.plain(OpType_GatherElements, {logProbability, b.unsqueeze(safe, {1}), b.integer(1)}, b.type(logProbability));
    Value loss = b.unary(UnaryOpOperation_NEG, b.squeeze(picked, {1}));
    Value used = weight == kNone ? kNone : b.gather(weight, safe, 0);
    if (ignores) {
        const Value mask = b.cast(kept, DataType_DT_FLOAT);
        used = used == kNone ? mask : b.mul(used, mask);
        // 0 times an infinite loss would be NaN.
        loss = b.select(kept, loss, b.real(0));
    }
    if (used != kNone) loss = b.mul(loss, used);
    const std::string reduction = n.s("reduction", "mean");
    if (reduction == "none") return loss;
    const Value sum = b.reduce(ReductionType_SUM, b.reshape(loss, {-1}), {0}, false);
    if (reduction == "sum") return sum;
    if (used == kNone) return b.reduce(ReductionType_MEAN, b.reshape(loss, {-1}), {0}, false);
    return b.div(sum, b.reduce(ReductionType_SUM, b.reshape(used, {-1}), {0}, false));
}

Outputs negativeLogLikelihood(Node& n) { return {pickedLoss(n, n.in(0), n.in(1), n.optional(2))}; }

Outputs softmaxCrossEntropy(Node& n) {
    const Value logProbability = logSoftmaxOf(n.b, n.in(0), 1);
    return {pickedLoss(n, logProbability, n.in(1), n.optional(2)), logProbability};
}

const OpImporter kRows[] = {
    {"NegativeLogLikelihoodLoss", 12, negativeLogLikelihood},
    {"SoftmaxCrossEntropyLoss", 12, softmaxCrossEntropy},
};

}  // namespace

OpFamily lossOps() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

}  // namespace Converter
}  // namespace MNN
