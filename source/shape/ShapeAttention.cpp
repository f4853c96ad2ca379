#include "shape/Rules.hpp"

namespace MNN {
namespace shape {
namespace {

bool positive(const Rule& r, int64_t value, const char* what) {
    return value > 0 || r.fail("%s %lld must be positive", what, static_cast<long long>(value));
}

// Splits the channels of a projection into heads: [b, s, heads * d] and [s, heads * d, 1, 1] give [b, s, heads, d].
bool splitHeads(const Rule& r, size_t input, size_t output, int64_t heads, int64_t dim) {
    const Dims in = dimsOf(r.inputs[input]);
    const int64_t width = product({heads, dim});
    if (in.size() == 4 && in[2] == heads && in[3] == dim) return r.setLike(output, in, r.inputs[input]);
    Dims dims;
    if (in.size() == 4 && in[1] == width && in[2] == 1 && in[3] == 1) {
        dims = {1, in[0], heads, dim};
    } else if (in.size() == 3 && in[2] == width) {
        dims = {in[0], in[1], heads, dim};
    } else if (in.size() == 2 && in[1] == width) {
        dims = {1, in[0], heads, dim};
    } else {
        return r.fail("input %zu does not split into %lld heads of %lld", input, static_cast<long long>(heads),
                      static_cast<long long>(dim));
    }
    return r.setLike(output, dims, r.inputs[input]);
}

}  // namespace

// In: q [b, s, heads, d], k [b, t, kvHeads, d], v [b, t, kvHeads, dv] [, mask] [, sinks]. Out: [b, s, heads * dv]; in
// the form a 1x1 convolution takes, [b * s, heads * dv, 1, 1], with output_c4.
bool inferAttention(const Rule& r) {
    if (!r.arity(3)) return false;
    const auto* p = r.param<AttentionParam>();
    if (p == nullptr) return false;
    for (size_t i = 0; i < 3; ++i) {
        if (!r.rankBetween(i, 4, 4)) return false;
    }
    const int64_t batch = r.length(0, 0), seq = r.length(0, 1), heads = r.length(0, 2), kvHeads = r.length(1, 2);
    if (r.length(1, 0) != batch || r.length(2, 0) != batch) return r.fail("q, k and v must have one batch");
    if (r.length(1, 3) != r.length(0, 3)) return r.fail("q and k must have one head size");
    if (r.length(2, 1) != r.length(1, 1) || r.length(2, 2) != kvHeads)
        return r.fail("k and v must have one length and head count");
    if (kvHeads <= 0 || heads % kvHeads != 0) {
        return r.fail("%lld heads do not share %lld key heads", static_cast<long long>(heads),
                      static_cast<long long>(kvHeads));
    }
    const int64_t width = product({heads, r.length(2, 3)});
    if (p->output_c4()) return r.setLike(0, {product({batch, seq}), width, 1, 1});
    return r.setLike(0, {batch, seq, width});
}

// In: qkv [b, s, 3 * width], interleaved per head.
bool inferFmhaV2(const Rule& r) {
    if (!r.arity(1) || !r.rankBetween(0, 3, 3)) return false;
    const auto* p = r.param<FmhaV2Param>();
    if (p == nullptr || !positive(r, p->heads(), "heads")) return false;
    Dims dims = dimsOf(r.inputs[0]);
    if (dims[2] % product({3, p->heads()}) != 0)
        return r.fail("the width does not split into 3 x %d heads", p->heads());
    dims[2] /= 3;
    return r.setLike(0, dims);
}

// In: q [b, s, width], kv [b, t, 2 * width].
bool inferFmhca(const Rule& r) {
    if (!r.arity(2) || !r.rankBetween(0, 3, 3) || !r.rankBetween(1, 3, 3)) return false;
    const auto* p = r.param<FmhcaParam>();
    if (p == nullptr || !positive(r, p->heads(), "heads")) return false;
    if (r.length(1, 2) != 2 * r.length(0, 2) || r.length(0, 2) % p->heads() != 0)
        return r.fail("q and kv do not fit %d heads", p->heads());
    return r.same();
}

// In: x [b, s, 2 * width], bias.
bool inferSplitGelu(const Rule& r) {
    if (!r.arity(1) || !r.rankBetween(0, 1, kMaxRank)) return false;
    Dims dims = dimsOf(r.inputs[0]);
    if (dims.back() % 2 != 0) return r.fail("the last dimension must be even");
    dims.back() /= 2;
    return r.setLike(0, dims);
}

// In: x [b, h * w, c], bias, image [b, c, h, w] that is added.
bool inferSeqLenToSpatial(const Rule& r) {
    if (!r.arity(3) || !r.rankBetween(0, 3, 3) || !r.rankBetween(2, 4, 4)) return false;
    if (TensorUtils::elements(r.inputs[0]) != TensorUtils::elements(r.inputs[2]))
        return r.fail("x and the image must have as many elements");
    return r.setLike(0, dimsOf(r.inputs[2]), r.inputs[2]);
}

// In: qkv [b, channels, s], ... Out: [b, s, value heads, value size].
bool inferLinearAttention(const Rule& r) {
    if (!r.arity(1) || !r.rankBetween(0, 3, 3)) return false;
    const auto* p = r.param<LinearAttentionParam>();
    if (p == nullptr) return false;
    const int64_t heads = p->num_v_heads(), dim = p->head_v_dim();
    if (!positive(r, heads, "num_v_heads") || !positive(r, dim, "head_v_dim")) return false;
    const std::string kind = p->attn_type() ? p->attn_type()->str() : "";
    const int64_t values = product({heads, dim}), keys = product({p->num_k_heads(), p->head_k_dim()});
    // short_conv packs two gates and the values; the others two sets of keys and the values.
    const int64_t channels = kind == "short_conv" ? product({3, values}) : 2 * keys + values;
    if (kind != "short_conv" &&
        (!positive(r, p->num_k_heads(), "num_k_heads") || !positive(r, p->head_k_dim(), "head_k_dim"))) {
        return false;
    }
    if (r.length(0, 1) != channels) return r.fail("%lld channels are needed", static_cast<long long>(channels));
    return r.setLike(0, {r.length(0, 0), r.length(0, 2), heads, dim});
}

// In: q, k, cos, sin. Out: both rotated, split into heads.
bool inferRope(const Rule& r) {
    if (!r.arity(4, 2)) return false;
    const auto* p = r.param<RoPEParam>();
    if (p == nullptr) return false;
    const bool split = p->num_head() > 0 && p->head_dim() > 0;
    if (!split) return r.setLike(0, dimsOf(r.inputs[0])) && r.setLike(1, dimsOf(r.inputs[1]), r.inputs[1]);
    const int64_t kvHeads = p->kv_num_head() > 0 ? p->kv_num_head() : p->num_head();
    return splitHeads(r, 0, 0, p->num_head(), p->head_dim()) && splitHeads(r, 1, 1, kvHeads, p->head_dim());
}

}  // namespace shape
}  // namespace MNN
