// Sources of tensors, and ops that change only type or layout.
#include "shape/Rules.hpp"

namespace MNN {
namespace shape {

// Lengths of -1 stay: they wait for the caller's resizeTensor.
bool inferInput(const Rule& r) {
    if (!r.arity(0)) return false;
    const auto* p = r.param<Input>();
    if (p == nullptr) return false;
    std::vector<int> dims;
    Dims known;
    for (unsigned i = 0; p->dims() != nullptr && i < p->dims()->size(); ++i) {
        dims.push_back(p->dims()->Get(i));
        known.push_back(dims.back() == -1 ? 1 : dims.back());
    }
    if (!r.set(0, known, typeOf(p->dtype()), p->dformat())) return false;
    shape::set(r.outputs[0], dims, typeOf(p->dtype()), p->dformat());
    return true;
}

bool inferConst(const Rule& r) {
    if (!r.arity(0)) return false;
    const auto* p = r.param<Blob>();
    if (p == nullptr) return false;
    Dims dims;
    if (p->dims() != nullptr) dims.assign(p->dims()->begin(), p->dims()->end());
    return r.set(0, dims, typeOf(p->dataType()), p->dataFormat());
}

bool inferConvertTensor(const Rule& r) {
    if (!r.arity(1)) return false;
    const auto* p = r.param<TensorConvertInfo>();
    if (p == nullptr) return false;
    const auto plain = [](MNN_DATA_FORMAT f) { return f == MNN_DATA_FORMAT_NC4HW4 ? MNN_DATA_FORMAT_NCHW : f; };
    const MNN_DATA_FORMAT source = plain(p->source()), dest = plain(p->dest());
    const auto known = [](MNN_DATA_FORMAT f) { return f == MNN_DATA_FORMAT_NCHW || f == MNN_DATA_FORMAT_NHWC; };
    if (!known(source) || !known(dest)) {
        return r.fail("converts between NCHW, NHWC and NC4HW4 only, not %s to %s", EnumNameMNN_DATA_FORMAT(p->source()),
                      EnumNameMNN_DATA_FORMAT(p->dest()));
    }
    Dims dims = dimsOf(r.inputs[0]);
    if (source != dest && dims.size() > 2) {
        const Dims in = dims;
        const size_t last = in.size() - 1;
        if (dest == MNN_DATA_FORMAT_NHWC) {
            for (size_t i = 2; i <= last; ++i) dims[i - 1] = in[i];
            dims[last] = in[1];
        } else {
            for (size_t i = 1; i < last; ++i) dims[i + 1] = in[i];
            dims[1] = in[last];
        }
    }
    return r.set(0, dims, r.inputs[0]->getType(), dest);
}

bool inferCast(const Rule& r) {
    if (!r.arity(1)) return false;
    halide_type_t type = halide_type_of<float>();
    switch (r.op->type()) {
        case OpType_Cast: {
            const auto* p = r.param<CastParam>();
            if (p == nullptr) return false;
            type = typeOf(p->dstT());
            break;
        }
        case OpType_CastLike:
            if (!r.arity(2)) return false;
            type = r.inputs[1]->getType();
            break;
        case OpType_FloatToInt8:
            type = halide_type_of<int8_t>();
            break;
        default:
            break;
    }
    if ((r.op->type() == OpType_FloatToInt8 || r.op->type() == OpType_Int8ToFloat) &&
        r.param<QuantizedFloatParam>() == nullptr) {
        return false;
    }
    if (r.op->type() == OpType_Dequantize && r.param<Dequantize>() == nullptr) return false;
    return r.set(0, dimsOf(r.inputs[0]), type, formatOf(r.inputs[0]));
}

// Out: int8 x, its scale and its zero point.
bool inferDynamicQuant(const Rule& r) {
    if (!r.arity(1)) return false;
    if (!r.set(0, dimsOf(r.inputs[0]), halide_type_of<int8_t>(), formatOf(r.inputs[0]))) return false;
    if (r.outputs.size() > 1 && !r.set(1, {}, halide_type_of<float>(), MNN_DATA_FORMAT_NCHW)) return false;
    return r.outputs.size() < 3 || r.set(2, {}, halide_type_of<int8_t>(), MNN_DATA_FORMAT_NCHW);
}

}  // namespace shape
}  // namespace MNN
