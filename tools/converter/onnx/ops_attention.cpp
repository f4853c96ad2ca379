// Attention and rotary embedding of opset 23 on, as formulas over matrix products and softmax.
#include <cmath>
#include <limits>

#include "onnx/Families.hpp"
#include "onnx/Formulas.hpp"

namespace MNN {
namespace Converter {

namespace {

// [batch, steps, heads * size] to [batch, heads, steps, size]
Value splitHeads(Builder& b, Value x, int heads) { return b.permute(b.reshape(x, {0, 0, heads, -1}), {0, 2, 1, 3}); }

// Heads of keys and values repeated so that each query head finds its own: [batch, kv, s, d] to [batch, kv * times, s,
// d].
Value repeatHeads(Builder& b, Value x, int times) {
    if (times == 1) return x;
    const Value wide = b.plain(OpType_Tile, {b.unsqueeze(x, {2}), b.ints({1, 1, times, 1, 1})});
    FlattenT param;
    param.axis = 1;
    param.endAxis = 2;
    return b.op(OpType_Flatten, std::move(param), {wide});
}

// Adds the mask: a bool mask keeps where true, a float mask is added.
Value masked(Node& n, Value scores, Value mask) {
    Builder& b = n.b;
    const float low = -std::numeric_limits<float>::infinity();
    if (isFloat(b.type(mask))) return b.add(scores, mask);
    return b.select(mask, scores, b.real(low));
}

// Query i sees keys up to i plus the length of the past.
Value causal(Node& n, Value scores, Value queries, Value keys) {
    Builder& b = n.b;
    const Value past = b.sub(b.squeeze(b.axisSize(keys, 2), {0}), b.squeeze(b.axisSize(queries, 2), {0}));
    const Value last = b.unsqueeze(b.add(axisPositions(b, queries, 2), n.has(4) ? past : b.integer(0)), {1});
    const Value seen = b.binary(BinaryOpOperation_LESS_EQUAL, axisPositions(b, keys, 2), last);
    return b.select(seen, scores, b.real(-std::numeric_limits<float>::infinity()));
}

struct Heads {
    int query = 0, key = 0;
};

Heads headsOf(Node& n, bool flat) {
    Heads h;
    h.query = flat ? n.i("q_num_heads", 0) : n.b.size(n.in(0), 1);
    h.key = flat ? n.i("kv_num_heads", 0) : n.b.size(n.in(1), 1);
    if (h.query < 1 || h.key < 1 || h.query % h.key != 0)
        n.fail("the number of query heads must be known and a multiple of the key heads");
    return h;
}

// Q, K, V of rank 3 (with head counts as attributes) or 4; optional mask, past key and past value.
Outputs attention(Node& n) {
    Builder& b = n.b;
    const bool flat = n.rank(0) == 3;
    const Heads heads = headsOf(n, flat);
    if (n.has(6) || n.i("left_window_size", -1) >= 0 || n.i("right_window_size", -1) >= 0)
        n.fail("nonpad_kv_seqlen and attention windows are not supported; express them in attn_mask");
    if (n.wants(3) && n.i("qk_matmul_output_mode", 0) != 0) n.fail("qk_matmul_output is only available in mode 0");
    Value q = n.in(0), k = n.in(1), v = n.in(2);
    if (flat) {
        q = splitHeads(b, q, heads.query);
        k = splitHeads(b, k, heads.key);
        v = splitHeads(b, v, heads.key);
    }
    if (n.has(4)) k = b.concat({n.in(4), k}, 2);
    if (n.has(5)) v = b.concat({n.in(5), v}, 2);
    const int depth = b.size(q, 3);
    float scale = n.f("scale", 0.0f);
    if (scale == 0.0f) {
        if (depth < 1) n.fail("the head size must be known when scale is absent");
        scale = 1.0f / std::sqrt(static_cast<float>(depth));
    }
    const int times = heads.query / heads.key;
    const Value allK = repeatHeads(b, k, times), allV = repeatHeads(b, v, times);
    const Value raw = b.matmul(b.mul(q, b.real(scale)), allK, false, true);
    Value scores = raw;
    const float cap = n.f("softcap", 0.0f);
    if (cap > 0.0f) scores = b.mul(b.unary(UnaryOpOperation_TANH, b.div(scores, b.real(cap))), b.real(cap));
    if (n.i("is_causal", 0) != 0) scores = causal(n, scores, q, k);
    if (n.has(3)) scores = masked(n, scores, n.in(3));
    Value y = b.matmul(b.softmax(scores, -1), allV);
    if (flat) y = b.reshape(b.permute(y, {0, 2, 1, 3}), {0, 0, -1});
    return {y, k, v, raw};
}

// Rotates pairs of the first `rotary` elements of every head by the angles of the cache.
Outputs rotaryEmbedding(Node& n) {
    Builder& b = n.b;
    const bool flat = n.rank(0) == 3, interleaved = n.i("interleaved", 0) != 0;
    Value x = n.in(0);
    if (flat) {
        const int heads = n.i("num_heads", 0);
        if (heads < 1) n.fail("num_heads is required when the input has three axes");
        x = b.reshape(x, {0, 0, heads, -1});
    } else {
        x = b.permute(x, {0, 2, 1, 3});
    }
    const int size = b.size(x, 3);
    const int rotary = n.i("rotary_embedding_dim", 0) > 0 ? n.i("rotary_embedding_dim", 0) : size;
    if (rotary < 2 || rotary % 2 != 0) n.fail("the rotated size must be known and even");
    const int half = rotary / 2;
    // [batch, steps, half], one row a position; then an axis for the heads.
    const auto angles = [&](size_t input) {
        const Value rows = n.has(3) ? b.gather(n.in(input), n.in(3), 0) : n.in(input);
        return b.unsqueeze(rows, {2});
    };
    const Value cosine = angles(1), sine = angles(2);
    const auto part = [&](int begin, int end, int step) { return b.slice(x, {begin}, {end}, {3}, {step}); };
    const Value first = interleaved ? part(0, rotary, 2) : part(0, half, 1);
    const Value second = interleaved ? part(1, rotary, 2) : part(half, rotary, 1);
    const Value real = b.sub(b.mul(first, cosine), b.mul(second, sine));
    const Value imaginary = b.add(b.mul(first, sine), b.mul(second, cosine));
    Value y = kNone;
    if (interleaved)
        y = b.reshape(b.concat({b.unsqueeze(real, {4}), b.unsqueeze(imaginary, {4})}, 4), {0, 0, 0, rotary});
    else
        y = b.concat({real, imaginary}, 3);
    if (size < 0 || rotary < size) y = b.concat({y, part(rotary, INT32_MAX, 1)}, 3);
    return {flat ? b.reshape(y, {0, 0, -1}) : b.permute(y, {0, 2, 1, 3})};
}

const OpImporter kRows[] = {
    {"Attention", 23, attention},
    {"RotaryEmbedding", 23, rotaryEmbedding},
};

}  // namespace

OpFamily attentionOps() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

}  // namespace Converter
}  // namespace MNN
