// Views that repeat, pad or reverse.
#include "shape/Rules.hpp"

#include <algorithm>
#include "core/ExtraAttributes.hpp"

namespace MNN {
namespace shape {
namespace {

// Mirrored padding reads the input only, so it cannot be wider than the input.
bool padFits(const Rule& r, PadValueMode mode, int dim, int64_t length, int64_t begin, int64_t end) {
    const int64_t widest = std::max(begin, end);
    int64_t limit = widest;
    if (mode == PadValueMode_REFLECT) limit = length - 1;
    if (mode == PadValueMode_SYMMETRIC) limit = length;
    if (mode == PadValueMode_EDGE && length == 0) limit = 0;
    if (widest <= 0 || widest <= limit) return true;
    return r.fail("%s padding of (%lld, %lld) is wider than dimension %d, which has %lld elements",
                  EnumNamePadValueMode(mode), static_cast<long long>(begin), static_cast<long long>(end), dim,
                  static_cast<long long>(length));
}

}  // namespace

// In: x, pads [rank, 2] (before, after) [, value]. Negative pads crop.
bool inferPadding(const Rule& r) {
    if (!r.arity(2)) return false;
    const auto* p = r.op->main_as_PadParam();
    const PadValueMode mode = p ? p->mode() : PadValueMode_CONSTANT;
    std::vector<int> pads;
    if (!r.ints(1, &pads)) return false;
    if (pads.size() != static_cast<size_t>(r.rank(0)) * 2) {
        return r.fail("%zu pads for an input of rank %d", pads.size(), r.rank(0));
    }
    Dims dims = dimsOf(r.inputs[0]);
    for (int i = 0; i < r.rank(0); ++i) {
        const int64_t begin = pads[2 * i], end = pads[2 * i + 1];
        if (-begin > dims[i] || -end > dims[i]) return r.fail("a negative pad removes more than dimension %d has", i);
        if (!padFits(r, mode, i, dims[i], begin, end)) return false;
        dims[i] += begin + end;
    }
    return r.setLike(0, dims);
}

bool inferTile(const Rule& r) {
    std::vector<int> repeats;
    if (!r.arity(2) || !r.ints(1, &repeats)) return false;
    if (repeats.size() != static_cast<size_t>(r.rank(0))) {
        return r.fail("%zu repeats for an input of rank %d", repeats.size(), r.rank(0));
    }
    Dims dims = dimsOf(r.inputs[0]);
    for (size_t i = 0; i < dims.size(); ++i) {
        if (repeats[i] < 0) return r.fail("dimension %zu is repeated %d times", i, repeats[i]);
        dims[i] *= repeats[i];
    }
    return r.setLike(0, dims);
}

// In: x, shape. Both broadcast (ONNX Expand), and -1 keeps the input's length (PyTorch expand).
bool inferBroadcastTo(const Rule& r) {
    std::vector<int> shape;
    if (!r.arity(2) || !r.ints(1, &shape)) return false;
    const Dims in = dimsOf(r.inputs[0]);
    Dims dims(shape.begin(), shape.end());
    if (dims.size() < in.size()) dims.insert(dims.begin(), in.size() - dims.size(), 1);
    const size_t lead = dims.size() - in.size();
    for (size_t i = 0; i < dims.size(); ++i) {
        const int64_t have = i < lead ? 1 : in[i - lead];
        if (dims[i] == -1 || dims[i] == 1) {
            dims[i] = have;
        } else if (have != 1 && have != dims[i]) {
            return r.fail("the input does not broadcast to %s", text(Dims(shape.begin(), shape.end())).c_str());
        }
    }
    return r.setLike(0, dims);
}

// In: x, axes.
bool inferReverse(const Rule& r) {
    std::vector<int> axes;
    if (!r.arity(2) || !r.ints(1, &axes)) return false;
    int axis = 0;
    for (int value : axes) {
        if (!r.axis(value, r.rank(0), &axis)) return false;
    }
    return r.same();
}

// In: x, lengths [batch].
bool inferReverseSequence(const Rule& r) {
    if (!r.arity(2)) return false;
    const auto* p = r.param<ReverseSequenceParam>();
    int batch = 0, seq = 0;
    if (p == nullptr || !r.axis(p->batchDim(), r.rank(0), &batch) || !r.axis(p->seqDim(), r.rank(0), &seq))
        return false;
    std::vector<int> lengths;
    if (batch == seq) return r.fail("the batch and the sequence are both dimension %d", batch);
    if (!r.ints(1, &lengths)) return false;
    if (static_cast<int64_t>(lengths.size()) != r.length(0, batch)) {
        return r.fail("%zu lengths for a batch of %d", lengths.size(), r.inputs[0]->length(batch));
    }
    for (int length : lengths) {
        if (length < 0 || length > r.length(0, seq))
            return r.fail("the sequence length %d is outside dimension %d", length, seq);
    }
    return r.same();
}

// A Raster op that stands in a model: the shape is an attribute, or that of its input.
bool inferRaster(const Rule& r) {
    const std::vector<int> shape = extra::integers(r.op, "shape");
    if (shape.empty()) return r.same();
    if (!r.arity(1)) return false;
    return r.setLike(0, Dims(shape.begin(), shape.end()));
}

}  // namespace shape
}  // namespace MNN
