#include <algorithm>
#include <cmath>
#include "Families.hpp"

namespace mnn_primitives {
namespace {

constexpr double kEpsilon = 1.0 / 1024;

struct Rope {
    int batch = 1, tokens = 1, heads = 1, kvHeads = 1, size = 8;
    int cut = 0;          // how many of a head's elements turn; 0: all
    bool narrow = false;  // rows of cos and sin hold what turns, not a whole head
    bool shared = false;  // every batch has the same angles
    bool qNorm = false, kNorm = false;

    int turned() const { return (cut == 0 ? size : cut) / 2 * 2; }
    int width() const { return narrow ? turned() : size; }
};

// Where q and k come from: heads already apart, or the result of a projection.
enum class Form : uint8_t { Heads, Rows, Matrix, Image };

Shape shapeOf(const Rope& r, Form form, int heads) {
    switch (form) {
        case Form::Heads:
            return {r.batch, r.tokens, heads, r.size};
        case Form::Rows:
            return {r.batch, r.tokens, heads * r.size};
        case Form::Matrix:
            return {r.batch * r.tokens, heads * r.size};
        case Form::Image:
            break;
    }
    return {r.batch * r.tokens, heads * r.size, 1, 1};
}

// Each head over its root mean square, times gamma; then pair i and i + width / 2 turned by the angles at both.
Array turned(const Rope& r, const Array& x, int heads, const Array& cos, const Array& sin, const Array* gamma,
             Shape shape) {
    Array y = x;
    y.shape = std::move(shape);
    const int half = r.width() / 2, pairs = std::min(r.turned() / 2, half);
    for (int row = 0; row < r.batch * r.tokens * heads; ++row) {
        double* head = y.values.data() + static_cast<size_t>(row) * r.size;
        if (gamma != nullptr) {
            double square = 0;
            for (int i = 0; i < r.size; ++i) square += head[i] * head[i];
            for (int i = 0; i < r.size; ++i) head[i] *= gamma->values[i] / std::sqrt(square / r.size + kEpsilon);
        }
        const int token = row / heads, angle = (r.shared ? token % r.tokens : token) * r.width();
        for (int i = 0; i < pairs; ++i) {
            const double a = head[i], b = head[i + half];
            head[i] = a * cos.values[angle + i] - b * sin.values[angle + i];
            head[i + half] = b * cos.values[angle + i + half] + a * sin.values[angle + i + half];
        }
    }
    return y;
}

std::unique_ptr<MNN::LayerNormT> normOf(const Array& gamma) {
    std::unique_ptr<MNN::LayerNormT> norm(new MNN::LayerNormT);
    norm->useRMSNorm = true;
    norm->epsilon = static_cast<float>(kEpsilon);
    norm->gamma = floatsOf(gamma);
    return norm;
}

Case ropeCase(Random& random, const Rope& r, Form form) {
    Case c;
    c.title = "RoPE of " + std::to_string(r.heads) + " and " + std::to_string(r.kvHeads) + " heads of " +
              std::to_string(r.size) + (r.cut > 0 ? " cut at " + std::to_string(r.cut) : "") +
              (r.qNorm ? " q norm" : "") + (r.kNorm ? " k norm" : "");
    Shape angles = {r.batch, r.tokens, r.width()};
    if (r.shared) angles = {r.tokens, r.width()};
    const Array gammaQ = random.floats({r.size}), gammaK = random.floats({r.size});
    c.inputs = {plain(random.floats(shapeOf(r, form, r.heads))), plain(random.floats(shapeOf(r, form, r.kvHeads))),
                plain(random.floats(angles, -1, 1)), plain(random.floats(angles, -1, 1))};
    c.outputs = {"y", "z"};
    c.build = [=](mnn_test::NetBuilder& net, const std::vector<std::string>& in) {
        auto* param = new MNN::RoPEParamT;
        param->rope_cut_head_dim = r.cut;
        if (form != Form::Heads) {
            param->num_head = r.heads;
            param->kv_num_head = r.kvHeads;
            param->head_dim = r.size;
        }
        if (r.qNorm) param->q_norm = normOf(gammaQ);
        if (r.kNorm) param->k_norm = normOf(gammaK);
        net.addMany(MNN::OpType_RoPE, "y", in, {"y", "z"}, MNN::OpParameter_RoPEParam, param);
    };
    c.reference = [=](const std::vector<Array>& in) {
        const bool flat = form == Form::Matrix || form == Form::Image;
        const Shape rows = flat ? Shape{1, r.batch * r.tokens} : Shape{r.batch, r.tokens};
        return std::vector<Array>{
            turned(r, in[0], r.heads, in[2], in[3], r.qNorm ? &gammaQ : nullptr, {rows[0], rows[1], r.heads, r.size}),
            turned(r, in[1], r.kvHeads, in[2], in[3], r.kNorm ? &gammaK : nullptr,
                   {rows[0], rows[1], r.kvHeads, r.size})};
    };
    return c;
}

Rope ropeOf(int batch, int tokens, int heads, int kvHeads, int size, int cut = 0, bool narrow = false) {
    Rope r;
    r.batch = batch;
    r.tokens = tokens;
    r.heads = heads;
    r.kvHeads = kvHeads;
    r.size = size;
    r.cut = cut;
    r.narrow = narrow;
    return r;
}

}  // namespace

void ropeCases(const Visit& visit) {
    Random random(25);
    for (int n : edgeSizes()) {
        visit(ropeCase(random, ropeOf(1, n, 2, 1, 8), Form::Rows));
        if (n == 0) continue;
        Rope r = ropeOf(1, 3, 2, 1, n);
        visitFronts(ropeCase(random, r, Form::Rows), visit);
        r.qNorm = r.kNorm = true;
        visit(ropeCase(random, r, Form::Heads));
        visit(ropeCase(random, ropeOf(1, 3, 2, 1, 2 * n), Form::Heads));
        visitFronts(ropeCase(random, ropeOf(1, 2, n, 1, 4), Form::Image), visit);
        for (bool narrow : {false, true})
            visit(ropeCase(random, ropeOf(1, 2, 3, 2, 20, std::min(n + 1, 20), narrow), Form::Rows));
    }
    for (Form form : {Form::Heads, Form::Rows, Form::Matrix, Form::Image}) {
        Rope r = ropeOf(form == Form::Matrix || form == Form::Image ? 1 : 2, 5, 4, 2, 16);
        visitFronts(ropeCase(random, r, form), visit);
        r.qNorm = true;
        visitFronts(ropeCase(random, r, form), visit);
        r.shared = true;
        r.kNorm = true;
        visitFronts(ropeCase(random, r, form), visit);
    }
    Rope large = ropeOf(1, 40, 12, 2, 128, 64, true);
    large.qNorm = large.kNorm = true;
    visit(ropeCase(random, large, Form::Rows));
    visit(ropeCase(random, ropeOf(2, 33, 8, 8, 80), Form::Heads));
}

}  // namespace mnn_primitives
