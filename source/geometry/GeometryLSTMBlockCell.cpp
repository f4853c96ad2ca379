// LSTMBlockCell: one step of TensorFlow's LSTM.
// inputs: x [batch, in], previous cell and h [batch, units], w [in + units, 4 * units], the peepholes wci, wcf, wco
// [units] and b [4 * units]; outputs: i, cell, f, o, ci, co, h. The columns of w and b are the gates i, ci, f, o.
#include "geometry/GeometryUtils.hpp"
#include "geometry/Lowerings.hpp"
#include "geometry/Select.hpp"

namespace MNN {
namespace geometry {
namespace {

struct Cell {
    GeometryContext& ctx;

    Tensor* add(Tensor* a, Tensor* b, Tensor* out = nullptr) {
        return makeBinary(ctx, BinaryOpOperation_ADD, a, b, out);
    }
    Tensor* mul(Tensor* a, Tensor* b, Tensor* out = nullptr) {
        return makeBinary(ctx, BinaryOpOperation_MUL, a, b, out);
    }
    Tensor* sigmoid(Tensor* x, Tensor* out) { return makeUnary(ctx, UnaryOpOperation_SIGMOID, x, out); }
    Tensor* tanh(Tensor* x, Tensor* out) { return makeUnary(ctx, UnaryOpOperation_TANH, x, out); }

    Tensor* clip(Tensor* x, float limit) {
        Tensor* high = ctx.constFloat(limit);
        Tensor* low = ctx.constFloat(-limit);
        if (high == nullptr || low == nullptr) return x;
        return makeBinary(ctx, BinaryOpOperation_MAXIMUM, makeBinary(ctx, BinaryOpOperation_MINIMUM, x, high), low);
    }

    // The product of [x, h] with w plus b, without joining x and h.
    Tensor* gates(const Tensors& in, int units) {
        const int width = in[0]->length(1), columns = 4 * units;
        auto rows = [&](int begin, int count) {
            return select(in[3], {count, columns}, {{Run{0, count, begin, 1}}, wholeRun(columns)}, ctx);
        };
        Tensor* fromX = makeMatMul(ctx, in[0], rows(0, width), false, false);
        return add(add(fromX, makeMatMul(ctx, in[2], rows(width, units), false, false)), in[7]);
    }
};

}  // namespace

bool lowerLstmBlockCell(const Op* op, const Tensors& inputs, const Tensors& outputs, GeometryContext& ctx) {
    const LSTMBlockCell* param = op->main_as_LSTMBlockCell();
    if (param == nullptr || inputs.size() < 8 || outputs.size() < 7)
        return fail(op, inputs, "needs 8 inputs and 7 outputs");
    const int batch = inputs[1]->length(0), units = inputs[1]->length(1);
    if (TensorUtils::elements(inputs[3]) != int64_t(inputs[0]->length(1) + units) * 4 * units) {
        return fail(op, inputs, "the weights do not match");
    }
    Cell cell{ctx};
    Tensor* all = cell.gates(inputs, units);
    auto gate = [&](int place) {
        return select(all, {batch, units}, {wholeRun(batch), {Run{0, units, place * units, 1}}}, ctx);
    };
    const bool peephole = param->use_peephole();
    auto peep = [&](Tensor* x, Tensor* state, Tensor* weight) {
        return peephole ? cell.add(x, cell.mul(state, weight)) : x;
    };
    Tensor* bias = ctx.constFloat(param->forget_bias());
    if (bias == nullptr) return false;
    Tensor* previous = inputs[1];
    Tensor* i = cell.sigmoid(peep(gate(0), previous, inputs[4]), outputs[0]);
    Tensor* ci = cell.tanh(gate(1), outputs[4]);
    Tensor* f = cell.sigmoid(peep(cell.add(gate(2), bias), previous, inputs[5]), outputs[2]);
    Tensor* state = cell.add(cell.mul(ci, i), cell.mul(previous, f));
    if (param->cell_clip() > 0) state = cell.clip(state, param->cell_clip());
    setReshape(outputs[1], state, ctx);
    Tensor* o = cell.sigmoid(peep(gate(3), state, inputs[6]), outputs[3]);
    Tensor* co = cell.tanh(state, outputs[5]);
    cell.mul(co, o, outputs[6]);
    return true;
}

}  // namespace geometry
}  // namespace MNN
