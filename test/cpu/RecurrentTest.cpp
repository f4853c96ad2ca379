// Recurrent layers against ONNX's equations, one element at a time.
#include <algorithm>
#include <cmath>
#include "cpu/ExecutionHarness.hpp"

namespace MNN {
namespace {

using namespace harness;

struct Layer {
    std::string type;
    int steps, batch, features, hidden, directions;
    bool reverse, batchFirst, lengths, bias, states, peephole, coupled, linear;
    float clip;
    std::vector<std::string> activations;
    std::vector<float> alphas, betas;

    int gates() const { return type == "LSTM" ? 4 : type == "GRU" ? 3 : 1; }
    int functions() const { return type == "LSTM" ? 3 : type == "GRU" ? 2 : 1; }
};

struct Values {
    std::vector<float> x, w, r, b, h0, c0, p;
    std::vector<int> lengths;
};

Values valuesFor(const Layer& l, uint32_t seed) {
    Values v;
    const int rows = l.directions * l.gates() * l.hidden, state = l.directions * l.batch * l.hidden;
    v.x = uniform(int64_t(l.steps) * l.batch * l.features, seed);
    v.w = uniform(int64_t(rows) * l.features, seed + 1);
    v.r = uniform(int64_t(rows) * l.hidden, seed + 2, -0.5f, 0.5f);
    v.b = uniform(2 * rows, seed + 3);
    v.h0 = uniform(state, seed + 4);
    v.c0 = uniform(state, seed + 5);
    v.p = uniform(3 * l.directions * l.hidden, seed + 6);
    v.lengths = integers(l.batch, seed + 7, 0, l.steps);
    return v;
}

double apply(const std::string& f, double x, double alpha, double beta) {
    if (f == "Sigmoid") return 1 / (1 + std::exp(-x));
    if (f == "Tanh") return std::tanh(x);
    if (f == "Relu") return std::max(x, 0.0);
    if (f == "LeakyRelu") return x < 0 ? alpha * x : x;
    if (f == "HardSigmoid") return std::min(std::max(alpha * x + beta, 0.0), 1.0);
    if (f == "Elu") return x < 0 ? alpha * std::expm1(x) : x;
    if (f == "Softsign") return x / (1 + std::fabs(x));
    if (f == "Affine") return alpha * x + beta;
    ADD_FAILURE() << f;
    return 0;
}

struct Result {
    std::vector<float> y, h, c;
};

// State and time order do not depend on the layout; `at` functions map to it.
Result reference(const Layer& l, const Values& v) {
    const int n = l.hidden, g = l.gates();
    Result result;
    result.y.assign(size_t(l.steps) * l.directions * l.batch * n, 0.0f);
    result.h.assign(size_t(l.directions) * l.batch * n, 0.0f);
    result.c = result.h;
    const auto stateAt = [&](int d, int b) { return (l.batchFirst ? b * l.directions + d : d * l.batch + b) * n; };
    for (int d = 0; d < l.directions; ++d) {
        const auto f = [&](int i, double x) {
            if (l.clip > 0) x = std::min(std::max(x, -double(l.clip)), double(l.clip));
            return apply(l.activations[d * l.functions() + i], x, l.alphas.empty() ? 0 : l.alphas[0],
                         l.betas.empty() ? 0 : l.betas[0]);
        };
        for (int b = 0; b < l.batch; ++b) {
            std::vector<double> h(n, 0.0), c(n, 0.0);
            for (int i = 0; l.states && i < n; ++i) h[i] = v.h0[stateAt(d, b) + i], c[i] = v.c0[stateAt(d, b) + i];
            const int length = l.lengths ? v.lengths[b] : l.steps;
            for (int s = 0; s < length; ++s) {
                const int t = d == 1 || l.reverse ? length - 1 - s : s;
                const float* x = &v.x[size_t(l.batchFirst ? b * l.steps + t : t * l.batch + b) * l.features];
                const auto fromX = [&](int row) {
                    double sum = l.bias ? v.b[d * 2 * g * n + row] : 0.0;
                    for (int k = 0; k < l.features; ++k)
                        sum += double(x[k]) * v.w[size_t(d * g * n + row) * l.features + k];
                    return sum;
                };
                const auto fromState = [&](int row, const std::vector<double>& state) {
                    double sum = l.bias ? v.b[d * 2 * g * n + g * n + row] : 0.0;
                    for (int k = 0; k < n; ++k) sum += state[k] * v.r[size_t(d * g * n + row) * n + k];
                    return sum;
                };
                std::vector<double> next(n);
                if (l.type == "RNN") {
                    for (int i = 0; i < n; ++i) next[i] = f(0, fromX(i) + fromState(i, h));
                } else if (l.type == "GRU") {
                    std::vector<double> reset(n);
                    for (int i = 0; i < n; ++i) reset[i] = f(0, fromX(n + i) + fromState(n + i, h));
                    std::vector<double> resetState(n);
                    for (int i = 0; i < n; ++i) resetState[i] = reset[i] * h[i];
                    for (int i = 0; i < n; ++i) {
                        const double z = f(0, fromX(i) + fromState(i, h));
                        const double inner =
                            l.linear ? reset[i] * fromState(2 * n + i, h) : fromState(2 * n + i, resetState);
                        next[i] = (1 - z) * f(1, fromX(2 * n + i) + inner) + z * h[i];
                    }
                } else {
                    for (int i = 0; i < n; ++i) {
                        const float* p = &v.p[d * 3 * n];
                        const double use = l.peephole ? 1.0 : 0.0;
                        const double in = f(0, fromX(i) + fromState(i, h) + use * p[i] * c[i]);
                        const double forget =
                            l.coupled ? 1 - in
                                      : f(0, fromX(2 * n + i) + fromState(2 * n + i, h) + use * p[2 * n + i] * c[i]);
                        const double cell = forget * c[i] + in * f(1, fromX(3 * n + i) + fromState(3 * n + i, h));
                        const double out = f(0, fromX(n + i) + fromState(n + i, h) + use * p[n + i] * cell);
                        c[i] = cell;
                        next[i] = out * f(2, cell);
                    }
                }
                h = next;
                const int row =
                    l.batchFirst ? (b * l.steps + t) * l.directions + d : (t * l.directions + d) * l.batch + b;
                for (int i = 0; i < n; ++i) result.y[size_t(row) * n + i] = static_cast<float>(h[i]);
            }
            for (int i = 0; i < n; ++i) {
                result.h[stateAt(d, b) + i] = static_cast<float>(h[i]);
                result.c[stateAt(d, b) + i] = static_cast<float>(c[i]);
            }
        }
    }
    return result;
}

void check(Layer l, uint32_t seed) {
    ExtraOp op(l.type.c_str());
    const bool defaults = l.activations.empty();
    if (defaults) {
        for (int d = 0; d < l.directions; ++d) {
            if (l.type == "RNN") l.activations.push_back("Tanh");
            if (l.type != "RNN") l.activations.insert(l.activations.end(), {"Sigmoid", "Tanh"});
            if (l.type == "LSTM") l.activations.push_back("Tanh");
        }
    } else {
        op.texts("activations", l.activations).floats("activation_alpha", l.alphas).floats("activation_beta", l.betas);
    }
    const Values v = valuesFor(l, seed);
    const Result want = reference(l, v);
    const int d = l.directions, rows = l.gates() * l.hidden;
    const Dims state = l.batchFirst ? Dims{l.batch, d, l.hidden} : Dims{d, l.batch, l.hidden};
    const Dims all = l.batchFirst ? Dims{l.batch, l.steps, d, l.hidden} : Dims{l.steps, d, l.batch, l.hidden};
    for (bool constant : {false, true}) {
        for (int threads : {1, 3}) {
            std::vector<TensorPtr> in, out;
            std::vector<int> places;
            const auto add = [&](int place, const TensorPtr& t) { places.push_back(place), in.push_back(t); };
            add(0,
                tensorOf(l.batchFirst ? Dims{l.batch, l.steps, l.features} : Dims{l.steps, l.batch, l.features}, v.x));
            add(1, tensorOf({d, rows, l.features}, v.w));
            add(2, tensorOf({d, rows, l.hidden}, v.r));
            for (int i = 1; constant && i < 3; ++i) TensorUtils::describe(in[i].get())->usage = TensorUsage::Constant;
            if (l.bias) add(3, tensorOf({d, 2 * rows}, v.b));
            if (l.lengths) add(4, tensorOf({l.batch}, v.lengths));
            if (l.states) add(5, tensorOf(state, v.h0));
            if (l.states && l.type == "LSTM") add(6, tensorOf(state, v.c0));
            if (l.peephole) add(7, tensorOf({d, 3 * l.hidden}, v.p));
            out.push_back(poisoned(all, halide_type_of<float>()));
            for (int i = l.type == "LSTM" ? 0 : 1; i < 2; ++i) out.push_back(poisoned(state, halide_type_of<float>()));
            ExtraOp full = op;
            full.ints("inputs", places)
                .i("hidden_size", l.hidden)
                .i("layout", l.batchFirst)
                .f("clip", l.clip)
                .i("input_forget", l.coupled)
                .i("linear_before_reset", l.linear)
                .s("direction", d == 2      ? "bidirectional"
                                : l.reverse ? "reverse"
                                            : "forward");
            ASSERT_EQ(runOp(full.op(), in, out, threads), NO_ERROR);
            const std::string what = l.type + " seed " + std::to_string(seed);
            expectNear(valuesIn<float>(out[0]), want.y, 1e-5f, what + " y");
            expectNear(valuesIn<float>(out[1]), want.h, 1e-5f, what + " h");
            if (l.type == "LSTM") expectNear(valuesIn<float>(out[2]), want.c, 1e-5f, what + " c");
        }
    }
}

TEST(CPURecurrent, EveryOptionOfOnnx) {
    std::mt19937 random(5);
    const auto coin = [&] { return random() % 2 == 0; };
    for (uint32_t i = 0; i < 90; ++i) {
        Layer l = {i % 3 == 0   ? "LSTM"
                   : i % 3 == 1 ? "GRU"
                                : "RNN",
                   1,
                   1,
                   1,
                   1,
                   1,
                   false,
                   false,
                   false,
                   false,
                   false,
                   false,
                   false,
                   false,
                   0.0f,
                   {},
                   {},
                   {}};
        l.steps = 1 + random() % 5, l.batch = 1 + random() % 4, l.features = 1 + random() % 9,
        l.hidden = 1 + random() % 20;
        l.directions = coin() ? 2 : 1;
        l.reverse = l.directions == 1 && coin();
        l.batchFirst = coin(), l.lengths = coin(), l.bias = coin(), l.states = coin();
        l.peephole = l.type == "LSTM" && coin();
        l.coupled = l.type == "LSTM" && i % 5 == 0;
        l.linear = l.type == "GRU" && coin();
        l.clip = i % 4 == 0 ? 0.5f : 0.0f;
        check(l, i);
        if (HasFatalFailure()) return;
    }
}

TEST(CPURecurrent, NamedActivations) {
    Layer l = {"LSTM", 3,     2,     4,     5,     1,     false, false,
               false,  true,  false, false, false, false, 0.0f,  {"HardSigmoid", "Softsign", "Relu"},
               {0.3f}, {0.4f}};
    check(l, 100);
    l.type = "GRU";
    l.activations = {"Affine", "Tanh"};
    check(l, 101);
    l.type = "RNN";
    l.activations = {"LeakyRelu"};
    l.betas.clear();
    check(l, 102);
    l.activations = {"Elu"};
    check(l, 103);
}

TEST(CPURecurrent, NoStepsGiveTheFirstState) {
    TensorPtr y = poisoned({0, 1, 1, 2}, halide_type_of<float>()), h = poisoned({1, 1, 2}, halide_type_of<float>());
    const std::vector<TensorPtr> in = {
        poisoned({0, 1, 3}, halide_type_of<float>()), poisoned({1, 2, 3}, halide_type_of<float>()),
        poisoned({1, 2, 2}, halide_type_of<float>()), tensorOf<float>({1, 1, 2}, {3, 4})};
    ASSERT_EQ(runOp(ExtraOp("RNN").ints("inputs", {0, 1, 2, 5}).i("hidden_size", 2).op(), in, {y, h}), NO_ERROR);
    EXPECT_EQ(valuesIn<float>(h), (std::vector<float>{3, 4}));
}

TEST(CPURecurrent, WrongLengthsAndWeightsAreErrors) {
    TensorPtr y = poisoned({2, 1, 1, 2}, halide_type_of<float>());
    const TensorPtr x = tensorOf({2, 1, 3}, uniform(6, 1)), w = tensorOf({1, 2, 3}, uniform(6, 2)),
                    r = tensorOf({1, 2, 2}, uniform(4, 3));
    EXPECT_EQ(runOp(ExtraOp("RNN").ints("inputs", {0, 1, 2, 4}).op(), {x, w, r, tensorOf<int>({1}, {3})}, {y}),
              INVALID_VALUE);
    EXPECT_EQ(runOp(ExtraOp("RNN").i("hidden_size", 3).op(), {x, w, r}, {y}), NO_EXECUTION);
    EXPECT_EQ(runOp(ExtraOp("RNN").texts("activations", {"Nonsense"}).op(), {x, w, r}, {y}), NO_EXECUTION);
}

// Gates update and reset over [x, h], then a candidate over [x, reset * h]; the weights in the table or as inputs.
TEST(CPURecurrent, SequenceGru) {
    const int steps = 4, batch = 2, f = 3, n = 5;
    const std::vector<float> x = uniform(steps * batch * f, 1), gate = uniform((f + n) * 2 * n, 2),
                             gateBias = uniform(2 * n, 3), candidate = uniform((f + n) * n, 4),
                             candidateBias = uniform(n, 5), h0 = uniform(batch * n, 6);
    std::vector<float> want, h = h0;
    for (int t = 0; t < steps; ++t) {
        std::vector<float> next(h.size());
        for (int b = 0; b < batch; ++b) {
            const auto sum = [&](const std::vector<float>& m, int columns, int column,
                                 const std::vector<double>& state) {
                double s = 0.0;
                for (int k = 0; k < f; ++k) s += double(x[(t * batch + b) * f + k]) * m[k * columns + column];
                for (int k = 0; k < n; ++k) s += state[k] * m[(f + k) * columns + column];
                return s;
            };
            const std::vector<double> state(h.begin() + b * n, h.begin() + (b + 1) * n);
            std::vector<double> reset(n);
            for (int i = 0; i < n; ++i)
                reset[i] = state[i] * apply("Sigmoid", sum(gate, 2 * n, n + i, state) + gateBias[n + i], 0, 0);
            for (int i = 0; i < n; ++i) {
                const double u = apply("Sigmoid", sum(gate, 2 * n, i, state) + gateBias[i], 0, 0);
                next[b * n + i] = static_cast<float>(
                    u * state[i] + (1 - u) * std::tanh(sum(candidate, n, i, reset) + candidateBias[i]));
            }
        }
        h = next;
        want.insert(want.end(), h.begin(), h.end());
    }
    RNNParamT p;
    p.numUnits = n;
    p.keepAllOutputs = true;
    const TensorPtr input = tensorOf({steps, batch, f}, x), first = tensorOf({1, batch, n}, h0);
    const std::vector<TensorPtr> weights = {tensorOf({f + n, 2 * n}, gate), tensorOf({1, 2 * n}, gateBias),
                                            tensorOf({f + n, n}, candidate), tensorOf({1, n}, candidateBias),
                                            tensorOf({1, 3 * n}, std::vector<float>(3 * n, 0.0f))};
    for (const TensorPtr& t : weights) TensorUtils::describe(t.get())->usage = TensorUsage::Constant;
    std::vector<TensorPtr> all = {input};
    all.insert(all.end(), weights.begin(), weights.end());
    all.push_back(first);
    TensorPtr byInputs = poisoned({steps, 1, batch, n}, halide_type_of<float>());
    ASSERT_EQ(runOp(opOf(OpType_RNNSequenceGRU, p), all, {byInputs}), NO_ERROR);
    expectNear(valuesIn<float>(byInputs), want, 1e-5f);
    const auto blob = [](const std::vector<float>& v) {
        std::unique_ptr<BlobT> b(new BlobT);
        b->float32s = v;
        return b;
    };
    p.fwGateWeight = blob(gate), p.fwGateBias = blob(gateBias), p.fwCandidateWeight = blob(candidate),
    p.fwCandidateBias = blob(candidateBias);
    TensorPtr y = poisoned({steps, 1, batch, n}, halide_type_of<float>()),
              last = poisoned({1, batch, n}, halide_type_of<float>());
    ASSERT_EQ(runOp(opOf(OpType_RNNSequenceGRU, p), {input, first}, {y, last}), NO_ERROR);
    expectNear(valuesIn<float>(y), want, 1e-5f);
    expectNear(valuesIn<float>(last), h, 1e-5f);
}

}  // namespace
}  // namespace MNN
