#include <algorithm>
#include <cmath>
#include "Families.hpp"

namespace mnn_primitives {
namespace {

using mnn_test::NetBuilder;
using Names = std::vector<std::string>;

enum class Cell : uint8_t { Lstm, Gru, Rnn };

// ONNX's layers with their default activations; shapes as layout 0 has them.
struct Layer {
    Cell cell = Cell::Lstm;
    int steps = 1, batch = 1, features = 1, hidden = 1;
    bool bidirectional = false, bias = true, states = true;
    const char* name() const { return cell == Cell::Lstm ? "LSTM" : cell == Cell::Gru ? "GRU" : "RNN"; }
    int gates() const { return cell == Cell::Lstm ? 4 : cell == Cell::Gru ? 3 : 1; }
    int directions() const { return bidirectional ? 2 : 1; }
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

struct State {
    std::vector<double> h, c;
};

// One direction of one sequence, step by step. Rows of w, r and b are gates times hidden units.
class Stepper {
public:
    Stepper(const Layer& layer, const std::vector<Array>& in, int direction)
        : l(layer), mIn(in), mDirection(direction) {}

    void step(int t, int b, State* s) const {
        const int n = l.hidden;
        const auto sum = [&](int gate, int i, const std::vector<double>& h) {
            return fromX(gate * n + i, t, b) + fromH(gate * n + i, h);
        };
        State next = *s;
        for (int i = 0; i < n; ++i) {
            if (l.cell == Cell::Rnn) next.h[i] = std::tanh(sum(0, i, s->h));
            if (l.cell == Cell::Gru) {
                std::vector<double> reset(n);
                for (int k = 0; k < n; ++k) reset[k] = s->h[k] * sigmoid(sum(1, k, s->h));
                const double update = sigmoid(sum(0, i, s->h));
                next.h[i] = (1 - update) * std::tanh(sum(2, i, reset)) + update * s->h[i];
            }
            if (l.cell == Cell::Lstm) {  // gates: input, output, forget, cell
                next.c[i] = sigmoid(sum(2, i, s->h)) * s->c[i] + sigmoid(sum(0, i, s->h)) * std::tanh(sum(3, i, s->h));
                next.h[i] = sigmoid(sum(1, i, s->h)) * std::tanh(next.c[i]);
            }
        }
        *s = next;
    }

private:
    double fromX(int row, int t, int b) const {
        double sum = l.bias ? mIn[3].at({mDirection, row}) : 0;
        for (int k = 0; k < l.features; ++k) sum += mIn[0].at({t, b, k}) * mIn[1].at({mDirection, row, k});
        return sum;
    }
    double fromH(int row, const std::vector<double>& h) const {
        double sum = l.bias ? mIn[3].at({mDirection, l.gates() * l.hidden + row}) : 0;
        for (int k = 0; k < l.hidden; ++k) sum += h[k] * mIn[2].at({mDirection, row, k});
        return sum;
    }
    const Layer& l;
    const std::vector<Array>& mIn;
    int mDirection;
};

std::vector<Array> unrolled(const Layer& l, const std::vector<Array>& in) {
    const auto zeros = [](const Shape& shape) { return generate(Type::Float, shape, [](const Index&) { return 0; }); };
    const int firstState = l.bias ? 4 : 3;
    Array y = zeros({l.steps, l.directions(), l.batch, l.hidden}), h = zeros({l.directions(), l.batch, l.hidden}),
          c = h;
    for (int d = 0; d < l.directions(); ++d) {
        const Stepper stepper(l, in, d);
        for (int b = 0; b < l.batch; ++b) {
            State s{std::vector<double>(l.hidden, 0.0), std::vector<double>(l.hidden, 0.0)};
            for (int i = 0; l.states && i < l.hidden; ++i) {
                s.h[i] = in[firstState].at({d, b, i});
                if (l.cell == Cell::Lstm) s.c[i] = in[firstState + 1].at({d, b, i});
            }
            for (int step = 0; step < l.steps; ++step) {
                const int t = d == 1 ? l.steps - 1 - step : step;
                stepper.step(t, b, &s);
                for (int i = 0; i < l.hidden; ++i) y.at({t, d, b, i}) = s.h[i];
            }
            for (int i = 0; i < l.hidden; ++i) h.at({d, b, i}) = s.h[i], c.at({d, b, i}) = s.c[i];
        }
    }
    if (l.cell == Cell::Lstm) return {y, h, c};
    return {y, h};
}

std::unique_ptr<MNN::AttributeT> attribute(const char* key) {
    std::unique_ptr<MNN::AttributeT> a(new MNN::AttributeT);
    a->key = key;
    return a;
}

// docs/extra-ops.md
MNN::ExtraT* extraOf(const Layer& l) {
    auto* extra = new MNN::ExtraT;
    extra->type = l.name();
    extra->engine = "MNN";
    std::vector<int> places = {0, 1, 2};
    if (l.bias) places.push_back(3);
    if (l.states) places.push_back(5);
    if (l.states && l.cell == Cell::Lstm) places.push_back(6);
    extra->attr.push_back(attribute("direction"));
    extra->attr.back()->s = l.bidirectional ? "bidirectional" : "forward";
    extra->attr.push_back(attribute("hidden_size"));
    extra->attr.back()->i = l.hidden;
    extra->attr.push_back(attribute("inputs"));
    extra->attr.back()->list.reset(new MNN::ListValueT);
    extra->attr.back()->list->i = places;
    return extra;
}

Case layerCase(Random& random, const Layer& l) {
    const int d = l.directions(), rows = l.gates() * l.hidden;
    Case c;
    c.title = std::string("Recurrent ") + l.name() + (l.bidirectional ? " both ways" : "");
    c.inputs = {plain(random.floats({l.steps, l.batch, l.features}, -1, 1)),
                constant(random.floats({d, rows, l.features}, -0.5, 0.5)),
                constant(random.floats({d, rows, l.hidden}, -0.5, 0.5))};
    if (l.bias) c.inputs.push_back(constant(random.floats({d, 2 * rows}, -0.5, 0.5)));
    for (int i = 0; l.states && i < (l.cell == Cell::Lstm ? 2 : 1); ++i)
        c.inputs.push_back(plain(random.floats({d, l.batch, l.hidden}, -1, 1)));
    c.outputs = {"y", "h"};
    if (l.cell == Cell::Lstm) c.outputs.push_back("c");
    const Names outputs = c.outputs;
    c.build = [=](NetBuilder& net, const Names& in) {
        net.addMany(MNN::OpType_Extra, "y", in, outputs, MNN::OpParameter_Extra, extraOf(l));
    };
    c.reference = [l](const std::vector<Array>& in) { return unrolled(l, in); };
    c.tolerance = {1e-5, 3e-5};
    return c;
}

}  // namespace

void recurrentCases(const Visit& visit) {
    Random random(22);
    for (Cell cell : {Cell::Lstm, Cell::Gru, Cell::Rnn}) {
        for (int n : edgeSizes()) {
            if (n == 0) continue;
            visit(layerCase(random, {cell, 3, 2, 5, n, n % 2 == 0, true, n % 3 == 0}));
            visit(layerCase(random, {cell, 2, 3, n, 5, n % 2 == 1, n % 4 == 1, true}));
        }
        for (int batch : {1, 4, 5}) visitFronts(layerCase(random, {cell, 4, batch, 3, 6, true, true, true}), visit);
        visit(layerCase(random, {cell, 1, 1, 1, 1, false, false, false}));
    }
}

}  // namespace mnn_primitives
