#include <algorithm>
#include <cmath>
#include "geometry/LoweringHarness.hpp"

namespace MNN {
namespace test {

TEST(LSTMBlockCell, OneStep) {
    const int batch = 2, in = 3, units = 4;
    for (bool peephole : {false, true}) {
        Harness h;
        const Values x = Harness::noise({batch, in}, 1), c = Harness::noise({batch, units}, 2, -2, 2),
                     p = Harness::noise({batch, units}, 3), w = Harness::noise({in + units, 4 * units}, 4),
                     b = Harness::noise({4 * units}, 5);
        const Values peep[3] = {Harness::noise({units}, 6), Harness::noise({units}, 7), Harness::noise({units}, 8)};
        LSTMBlockCellT param;
        param.cell_clip = 0.5f;
        param.forget_bias = 0.25f;
        param.use_peephole = peephole;
        Tensors outputs;
        for (int i = 0; i < 7; ++i) outputs.push_back(h.output({batch, units}));
        const Tensors inputs = {h.input({batch, in}, x),
                                h.input({batch, units}, c),
                                h.input({batch, units}, p),
                                h.constantFloats({in + units, 4 * units}, w),
                                h.constantFloats({units}, peep[0]),
                                h.constantFloats({units}, peep[1]),
                                h.constantFloats({units}, peep[2]),
                                h.constantFloats({4 * units}, b)};
        ASSERT_TRUE(h.lower(geometry::makeOp(OpType_LSTMBlockCell, param), inputs, outputs));
        auto sigmoid = [](float v) { return 1 / (1 + std::exp(-v)); };
        Values want[7];
        for (int n = 0; n < batch; ++n) {
            for (int u = 0; u < units; ++u) {
                float gate[4];
                for (int g = 0; g < 4; ++g) {
                    const int column = g * units + u;
                    gate[g] = b[column];
                    for (int k = 0; k < in; ++k) gate[g] += x[n * in + k] * w[k * 4 * units + column];
                    for (int k = 0; k < units; ++k) gate[g] += p[n * units + k] * w[(in + k) * 4 * units + column];
                }
                const float old = c[n * units + u];
                const float i = sigmoid(gate[0] + (peephole ? old * peep[0][u] : 0)), ci = std::tanh(gate[1]);
                const float f = sigmoid(gate[2] + 0.25f + (peephole ? old * peep[1][u] : 0));
                const float cell = std::min(std::max(ci * i + old * f, -0.5f), 0.5f);
                const float o = sigmoid(gate[3] + (peephole ? cell * peep[2][u] : 0)), co = std::tanh(cell);
                const float all[7] = {i, cell, f, o, ci, co, co * o};
                for (int k = 0; k < 7; ++k) want[k].push_back(all[k]);
            }
        }
        for (int k = 0; k < 7; ++k) expectNear(h.read(outputs[k]), want[k], 1e-5f);
    }
}

}  // namespace test
}  // namespace MNN
