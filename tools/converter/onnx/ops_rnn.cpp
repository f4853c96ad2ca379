// Recurrent layers travel whole: MNN's tables cannot say direction, layout, activations or lengths.
#include "onnx/Families.hpp"
#include "onnx/Formulas.hpp"

namespace MNN {
namespace Converter {

namespace {

// Optional inputs are dropped when absent; "inputs" lists, by ONNX position, which ones follow.
Outputs recurrent(Node& n, const char* type, int inputs, int outputs) {
    Builder& b = n.b;
    std::vector<Value> in;
    std::vector<int> positions;
    for (int i = 0; i < inputs; ++i) {
        if (i < 3) n.in(i);
        if (!n.has(i)) continue;
        in.push_back(n.in(i));
        positions.push_back(i);
    }
    int hidden = n.i("hidden_size", 0);
    if (hidden <= 0) hidden = b.size(n.in(2), 2);
    if (hidden <= 0) n.fail("hidden_size is absent and the recurrence weight's shape is not known");
    std::vector<ExtraAttr> attrs = {
        ExtraAttr::list("inputs", positions),
        ExtraAttr::integer("hidden_size", hidden),
        ExtraAttr::text("direction", n.s("direction", "forward")),
        ExtraAttr::integer("layout", n.i("layout", 0)),
        ExtraAttr::real("clip", n.f("clip", 0.0f)),
        ExtraAttr::integer("input_forget", n.i("input_forget", 0)),
        ExtraAttr::integer("linear_before_reset", n.i("linear_before_reset", 0)),
    };
    if (n.hasAttr("activations")) attrs.push_back(ExtraAttr::list("activations", n.strings("activations")));
    if (n.hasAttr("activation_alpha"))
        attrs.push_back(ExtraAttr::list("activation_alpha", n.floats("activation_alpha")));
    if (n.hasAttr("activation_beta")) attrs.push_back(ExtraAttr::list("activation_beta", n.floats("activation_beta")));
    const std::vector<Value> out = b.extra(type, attrs, in, std::vector<DataType>(outputs, n.type()));
    const std::string direction = n.s("direction", "forward");
    const int directions = direction == "bidirectional" ? 2 : 1;
    const bool batchFirst = n.i("layout", 0) != 0;
    if (b.rankKnown(n.in(0)) && b.rank(n.in(0)) == 3) {
        const int steps = b.size(n.in(0), batchFirst ? 1 : 0), batch = b.size(n.in(0), batchFirst ? 0 : 1);
        const auto set = [&](Value v, const Dims& dims) {
            b.info(v).rankKnown = true;
            b.info(v).dims = dims;
        };
        set(out[0], batchFirst ? Dims{batch, steps, directions, hidden} : Dims{steps, directions, batch, hidden});
        for (int i = 1; i < outputs; ++i)
            set(out[i], batchFirst ? Dims{batch, directions, hidden} : Dims{directions, batch, hidden});
    }
    return out;
}

Outputs lstm(Node& n) { return recurrent(n, "LSTM", 8, 3); }
Outputs gru(Node& n) { return recurrent(n, "GRU", 6, 2); }
Outputs rnn(Node& n) { return recurrent(n, "RNN", 6, 2); }

const OpImporter kRows[] = {
    {"LSTM", 1, lstm},
    {"GRU", 1, gru},
    {"RNN", 1, rnn},
};

}  // namespace

OpFamily recurrentOps() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

}  // namespace Converter
}  // namespace MNN
