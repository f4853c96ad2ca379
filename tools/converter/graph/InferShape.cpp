#include "graph/InferShape.hpp"

#include <algorithm>

#include "graph/BlobView.hpp"
#include "graph/Builder.hpp"

namespace MNN {
namespace Converter {

bool sliceRange(const Dims& dims, const std::vector<int>& begin, const std::vector<int>& end,
                const std::vector<int>& steps, const std::vector<int>& axes, SliceRange& range) {
    const int rank = static_cast<int>(dims.size());
    range.begin.assign(rank, 0);
    range.step.assign(rank, 1);
    range.count = dims;
    if (begin.size() != end.size() || axes.size() != begin.size() || steps.size() != begin.size()) return false;
    for (size_t i = 0; i < axes.size(); ++i) {
        const int axis = axes[i] < 0 ? axes[i] + rank : axes[i];
        if (axis < 0 || axis >= rank || steps[i] == 0) return false;
        const int64_t size = dims[axis], step = steps[i];
        if (size < 0) {
            range.count[axis] = kUnknown;
            continue;
        }
        int64_t b = begin[i] < 0 ? begin[i] + size : begin[i];
        int64_t e = end[i] < 0 ? end[i] + size : end[i];
        const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
        b = std::min(std::max(b, step > 0 ? low : int64_t(0)), high);
        e = std::min(std::max(e, low), high);
        const int64_t count = step > 0 ? (e - b + step - 1) / step : (b - e - step - 1) / -step;
        range.begin[axis] = static_cast<int>(std::max<int64_t>(b, 0));
        range.step[axis] = static_cast<int>(step);
        range.count[axis] = static_cast<int>(std::max<int64_t>(count, 0));
    }
    return true;
}

std::vector<int> evenSplit(int size, int parts) {
    std::vector<int> sizes(parts, 0);
    if (parts <= 0) return sizes;
    const int each = (size + parts - 1) / parts;
    int left = size;
    for (int& s : sizes) {
        s = std::min(each, left);
        left -= s;
    }
    return sizes;
}

bool reducedDims(const Dims& dims, const std::vector<int>& axes, bool keepDims, Dims& out) {
    const int rank = static_cast<int>(dims.size());
    std::vector<char> gone(rank, axes.empty());
    for (int axis : axes) {
        if (axis < 0) axis += rank;
        if (axis < 0 || axis >= rank) return false;
        gone[axis] = 1;
    }
    out.clear();
    for (int i = 0; i < rank; ++i) {
        if (!gone[i])
            out.push_back(dims[i]);
        else if (keepDims)
            out.push_back(1);
    }
    return true;
}

bool reshapedDims(const Dims& dims, const std::vector<int>& request, Dims& out) {
    out = request;
    int infer = -1;
    int64_t known = 1;
    for (size_t i = 0; i < out.size(); ++i) {
        if (out[i] == 0) {
            if (i >= dims.size()) return false;
            out[i] = dims[i];
            if (out[i] < 0) known = -1;
        } else if (out[i] == -1) {
            if (infer >= 0) return false;
            infer = static_cast<int>(i);
            continue;
        } else if (out[i] < 0) {
            return false;
        }
        if (known >= 0) known *= out[i];
        if (known > INT32_MAX) return false;
    }
    const int64_t count = elementCount(dims);
    if (infer < 0) return count < 0 || known < 0 || count == known;
    if (known > 0 && count >= 0) {
        if (count % known != 0) return false;
        out[infer] = static_cast<int>(count / known);
    }
    return true;
}

bool squeezedDims(const Dims& dims, const std::vector<int>& axes, Dims& out) {
    const int rank = static_cast<int>(dims.size());
    std::vector<char> gone(rank, 0);
    for (int axis : axes) {
        if (axis < 0) axis += rank;
        if (axis < 0 || axis >= rank || dims[axis] > 1) return false;
        gone[axis] = 1;
    }
    out.clear();
    for (int i = 0; i < rank; ++i) {
        if (axes.empty() && dims[i] < 0) return false;
        if (!(axes.empty() ? dims[i] == 1 : gone[i] != 0)) out.push_back(dims[i]);
    }
    return true;
}

bool unsqueezedDims(const Dims& dims, const std::vector<int>& axes, Dims& out) {
    const int rank = static_cast<int>(dims.size() + axes.size());
    out.assign(rank, 0);
    for (int axis : axes) {
        if (axis < 0) axis += rank;
        if (axis < 0 || axis >= rank || out[axis] == 1) return false;
        out[axis] = 1;
    }
    size_t next = 0;
    for (int& d : out) {
        if (d == 0) d = dims[next++];
    }
    return true;
}

void shapeWindow(const ShapeParamT* param, int rank, int& begin, int& end) {
    begin = param && param->hasStart ? param->start : 0;
    end = param && param->hasEnd ? param->end : rank;
    if (begin < 0) begin += rank;
    if (end < 0) end += rank;
    begin = std::min(std::max(begin, 0), rank);
    end = std::min(std::max(end, begin), rank);
}

namespace {

// What a rule sees of its op.
struct Rule {
    Builder& b;
    const OpT& op;

    const TensorInfo& in(size_t i) const { return b.info(op.inputIndexes[i]); }
    size_t inputs() const { return op.inputIndexes.size(); }
    const BlobT* constant(size_t i) const { return b.constantOf(op.inputIndexes[i]); }
    std::vector<int> ints(size_t i) const {
        const BlobView view(*constant(i));
        std::vector<int> values;
        for (size_t k = 0; k < view.count; ++k) values.push_back(static_cast<int>(view.intAt(k)));
        return values;
    }
    void set(const Dims& dims, size_t output = 0) const {
        TensorInfo& t = b.info(op.outputIndexes[output]);
        t.rankKnown = true;
        t.dims = dims;
    }
    void setRank(int rank, size_t output = 0) const { set(Dims(rank, kUnknown), output); }
};

void sameAsFirst(const Rule& r) {
    for (size_t i = 0; i < r.op.outputIndexes.size(); ++i) {
        if (r.in(0).rankKnown) r.set(r.in(0).dims, i);
    }
}

// Broadcasting where an unknown size against 1 or another unknown stays unknown.
void broadcastAll(const Rule& r) {
    Dims out;
    for (size_t i = 0; i < r.inputs(); ++i) {
        if (!r.in(i).rankKnown) return;
        const Dims& d = r.in(i).dims;
        if (d.size() > out.size()) out.insert(out.begin(), d.size() - out.size(), 1);
        for (size_t k = 0; k < d.size(); ++k) {
            int& o = out[out.size() - d.size() + k];
            if (o == 1)
                o = d[k];
            else if (o < 0 && d[k] > 1)
                o = d[k];
        }
    }
    r.set(out);
}

void reshape(const Rule& r) {
    Dims dims;
    if (r.inputs() > 1 && !r.constant(1)) {
        if (r.in(1).rankKnown && r.in(1).dims.size() == 1 && r.in(1).dims[0] >= 0 && r.in(1).dims[0] < 64)
            r.setRank(r.in(1).dims[0]);
        return;
    }
    const std::vector<int> request = r.inputs() > 1 ? r.ints(1) : r.op.main.AsReshape()->dims;
    if (r.in(0).rankKnown && reshapedDims(r.in(0).dims, request, dims))
        r.set(dims);
    else if (!r.in(0).rankKnown) {
        dims = request;
        for (int& d : dims) d = d <= 0 ? kUnknown : d;
        r.set(dims);
    }
}

void flatten(const Rule& r) {
    const FlattenT& p = *r.op.main.AsFlatten();
    if (!r.in(0).rankKnown) return;
    const Dims& from = r.in(0).dims;
    const int rank = static_cast<int>(from.size());
    const int begin = p.axis < 0 ? p.axis + rank : p.axis;
    const int end = p.endAxis < 0 ? p.endAxis + rank : p.endAxis;
    // Without endAxis: two sizes, before and from the axis.
    if (p.endAxis == 0 && begin >= 0 && begin <= rank) {
        const int64_t before = elementCount(Dims(from.begin(), from.begin() + begin));
        const int64_t after = elementCount(Dims(from.begin() + begin, from.end()));
        return r.set({static_cast<int>(before), static_cast<int>(after)});
    }
    if (begin < 0 || end < begin || end >= rank) return;
    Dims dims(from.begin(), from.begin() + begin);
    const int64_t joined = elementCount(Dims(from.begin() + begin, from.begin() + end + 1));
    dims.push_back(static_cast<int>(joined));
    dims.insert(dims.end(), from.begin() + end + 1, from.end());
    r.set(dims);
}

void squeeze(const Rule& r) {
    Dims dims;
    if (!r.in(0).rankKnown || r.inputs() > 1) return;
    const auto& axes = r.op.main.AsSqueezeParam()->squeezeDims;
    const bool ok =
        r.op.type == OpType_Squeeze ? squeezedDims(r.in(0).dims, axes, dims) : unsqueezedDims(r.in(0).dims, axes, dims);
    if (ok) r.set(dims);
}

void permute(const Rule& r) {
    const auto& perm = r.op.main.AsPermute()->dims;
    if (!r.in(0).rankKnown || r.in(0).dims.size() != perm.size()) return;
    Dims dims;
    for (int axis : perm) dims.push_back(r.in(0).dims[axis]);
    r.set(dims);
}

void concat(const Rule& r) {
    if (!r.in(0).rankKnown) return;
    Dims dims = r.in(0).dims;
    int axis = r.op.main.AsAxis()->axis;
    if (axis < 0) axis += static_cast<int>(dims.size());
    if (axis < 0 || axis >= static_cast<int>(dims.size())) return;
    for (size_t i = 1; i < r.inputs(); ++i) {
        if (!r.in(i).rankKnown || r.in(i).dims.size() != dims.size()) return;
        for (size_t k = 0; k < dims.size(); ++k) {
            const int other = r.in(i).dims[k];
            if (static_cast<int>(k) == axis)
                dims[k] = dims[k] < 0 || other < 0 ? kUnknown : dims[k] + other;
            else if (dims[k] < 0)
                dims[k] = other;
        }
    }
    r.set(dims);
}

void gather(const Rule& r) {
    if (!r.in(0).rankKnown || !r.in(1).rankKnown || r.inputs() < 3 || !r.constant(2)) return;
    const Dims& from = r.in(0).dims;
    int axis = r.ints(2).at(0);
    if (axis < 0) axis += static_cast<int>(from.size());
    if (axis < 0 || axis >= static_cast<int>(from.size())) return;
    Dims dims(from.begin(), from.begin() + axis);
    dims.insert(dims.end(), r.in(1).dims.begin(), r.in(1).dims.end());
    dims.insert(dims.end(), from.begin() + axis + 1, from.end());
    r.set(dims);
}

void stridedSlice(const Rule& r) {
    if (!r.in(0).rankKnown) return;
    SliceRange range;
    const bool known = r.inputs() == 5 && r.constant(1) && r.constant(2) && r.constant(3) && r.constant(4);
    if (known && sliceRange(r.in(0).dims, r.ints(1), r.ints(2), r.ints(4), r.ints(3), range))
        r.set(range.count);
    else
        r.setRank(static_cast<int>(r.in(0).dims.size()));
}

void split(const Rule& r) {
    if (!r.in(0).rankKnown) return;
    const SliceT& p = *r.op.main.AsSlice();
    const Dims& from = r.in(0).dims;
    const int axis = p.axis < 0 ? p.axis + static_cast<int>(from.size()) : p.axis;
    if (axis < 0 || axis >= static_cast<int>(from.size())) return;
    const size_t parts = r.op.outputIndexes.size();
    std::vector<int> sizes = r.inputs() > 1 ? std::vector<int>() : p.slicePoints;
    if (sizes.empty() && r.inputs() == 1 && from[axis] >= 0) sizes = evenSplit(from[axis], static_cast<int>(parts));
    for (size_t i = 0; i < parts; ++i) {
        Dims dims = from;
        dims[axis] = i < sizes.size() ? sizes[i] : kUnknown;
        r.set(dims, i);
    }
}

void reduction(const Rule& r) {
    Dims dims;
    const ReductionParamT& p = *r.op.main.AsReductionParam();
    if (r.inputs() > 1) {
        if (r.in(0).rankKnown && p.keepDims) r.setRank(static_cast<int>(r.in(0).dims.size()));
        return;
    }
    if (r.in(0).rankKnown && reducedDims(r.in(0).dims, p.dim, p.keepDims, dims))
        r.set(dims);
    else if (p.dim.empty() && !p.keepDims)
        r.set({});
}

void argReduce(const Rule& r) {
    Dims dims;
    if (r.in(0).rankKnown && reducedDims(r.in(0).dims, {r.op.main.AsArgMax()->axis}, false, dims)) r.set(dims);
}

// One spatial size of a convolution or pooling window.
int windowSize(int in, int kernel, int stride, int dilate, int padBegin, int padEnd, bool same, bool ceil) {
    if (in < 0 || stride < 1) return kUnknown;
    if (same) return (in + stride - 1) / stride;
    const int room = in + padBegin + padEnd - ((kernel - 1) * dilate + 1);
    if (room < 0) return kUnknown;
    int out = (ceil ? room + stride - 1 : room) / stride + 1;
    // A window may not start in the end padding.
    if (ceil && (out - 1) * stride >= in + padBegin) --out;
    return out;
}

void convolution(const Rule& r) {
    const Convolution2DCommonT& c = *r.op.main.AsConvolution2D()->common;
    if (!r.in(0).rankKnown || r.in(0).dims.size() != 4 || c.outputCount <= 0) return r.setRank(4);
    const Dims& d = r.in(0).dims;
    const bool four = c.pads.size() == 4;
    const bool same = c.padMode == PadMode_SAME;
    const int h = windowSize(d[2], c.kernelY, c.strideY, c.dilateY, four ? c.pads[0] : c.padY,
                             four ? c.pads[2] : c.padY, same, false);
    const int w = windowSize(d[3], c.kernelX, c.strideX, c.dilateX, four ? c.pads[1] : c.padX,
                             four ? c.pads[3] : c.padX, same, false);
    r.set({d[0], c.outputCount, h, w});
}

void deconvolution(const Rule& r) {
    const Convolution2DCommonT& c = *r.op.main.AsConvolution2D()->common;
    if (!r.in(0).rankKnown || r.in(0).dims.size() != 4 || c.hasOutputShape || c.pads.size() != 4) return r.setRank(4);
    const Dims& d = r.in(0).dims;
    const auto size = [](int in, int stride, int kernel, int dilate, int pads, int extra) {
        return in < 0 ? kUnknown : (in - 1) * stride + (kernel - 1) * dilate + 1 - pads + extra;
    };
    const int eh = c.outPads.size() == 2 ? c.outPads[0] : 0, ew = c.outPads.size() == 2 ? c.outPads[1] : 0;
    r.set({d[0], c.outputCount > 0 ? c.outputCount : kUnknown,
           size(d[2], c.strideY, c.kernelY, c.dilateY, c.pads[0] + c.pads[2], eh),
           size(d[3], c.strideX, c.kernelX, c.dilateX, c.pads[1] + c.pads[3], ew)});
}

void convolution3D(const Rule& r) {
    const Convolution3DCommonT& c = *r.op.main.AsConvolution3D()->common;
    Dims dims(5, kUnknown);
    if (r.in(0).rankKnown && !r.in(0).dims.empty()) dims[0] = r.in(0).dims[0];
    if (c.outputCount > 0) dims[1] = c.outputCount;
    r.set(dims);
}

void pooling(const Rule& r) {
    const PoolT& p = *r.op.main.AsPool();
    if (!r.in(0).rankKnown || r.in(0).dims.size() != 4) return r.setRank(4);
    const Dims& d = r.in(0).dims;
    for (size_t i = 0; i < r.op.outputIndexes.size(); ++i) {
        if (p.isGlobal) {
            r.set({d[0], d[1], 1, 1}, i);
            continue;
        }
        const bool four = p.pads.size() == 4, same = p.padType == PoolPadType_SAME;
        const int h = windowSize(d[2], p.kernelY, p.strideY, 1, four ? p.pads[0] : p.padY, four ? p.pads[2] : p.padY,
                                 same, p.ceilModel);
        const int w = windowSize(d[3], p.kernelX, p.strideX, 1, four ? p.pads[1] : p.padX, four ? p.pads[3] : p.padX,
                                 same, p.ceilModel);
        r.set({d[0], d[1], h, w}, i);
    }
}

void matmul(const Rule& r) {
    if (!r.in(0).rankKnown || !r.in(1).rankKnown) return;
    Dims a = r.in(0).dims, b = r.in(1).dims;
    if (a.size() < 2 || b.size() < 2) return;
    bool ta = false, tb = false;
    if (r.op.type == OpType_MatMul) {
        ta = r.op.main.AsMatMul()->transposeA;
        tb = r.op.main.AsMatMul()->transposeB;
    } else {
        ta = r.op.main.AsBatchMatMulParam()->adjX;
        tb = r.op.main.AsBatchMatMulParam()->adjY;
    }
    const int rows = a[a.size() - (ta ? 1 : 2)], cols = b[b.size() - (tb ? 2 : 1)];
    a.resize(a.size() - 2);
    b.resize(b.size() - 2);
    Dims dims(std::max(a.size(), b.size()), kUnknown);
    for (size_t i = 0; i < dims.size(); ++i) {
        const int da = i + a.size() >= dims.size() ? a[i + a.size() - dims.size()] : 1;
        const int db = i + b.size() >= dims.size() ? b[i + b.size() - dims.size()] : 1;
        dims[i] = da == 1 ? db : da;
    }
    dims.push_back(rows);
    dims.push_back(cols);
    r.set(dims);
}

void shapeVector(const Rule& r) {
    if (!r.in(0).rankKnown) return r.setRank(1);
    int begin = 0, end = 0;
    shapeWindow(r.op.main.AsShapeParam(), static_cast<int>(r.in(0).dims.size()), begin, end);
    r.set({end - begin});
}

// The rank is the length of a shape input; the sizes too when it is constant.
void byShapeInput(const Rule& r, size_t input) {
    const TensorInfo& shape = r.in(input);
    if (r.constant(input)) {
        Dims dims = r.ints(input);
        if (r.op.type == OpType_BroadcastTo) {
            Dims joined;
            if (!r.in(0).rankKnown || !broadcastDims(r.in(0).dims, dims, joined)) return;
            dims = joined;
        }
        for (int d : dims) {
            if (d < 0) return;
        }
        r.set(dims);
    } else if (shape.rankKnown && shape.dims.size() == 1 && shape.dims[0] >= 0 && shape.dims[0] < 64) {
        const int own =
            r.op.type == OpType_BroadcastTo && r.in(0).rankKnown ? static_cast<int>(r.in(0).dims.size()) : 0;
        if (r.op.type != OpType_BroadcastTo || r.in(0).rankKnown) r.setRank(std::max(shape.dims[0], own));
    }
}

void sameRank(const Rule& r) {
    if (r.in(0).rankKnown) r.setRank(static_cast<int>(r.in(0).dims.size()));
}

// Padding and Tile keep the rank; with constant amounts the sizes follow.
void padding(const Rule& r) {
    if (!r.in(0).rankKnown) return;
    Dims dims = r.in(0).dims;
    if (!r.constant(1)) return r.setRank(static_cast<int>(dims.size()));
    const std::vector<int> amounts = r.ints(1);
    if (amounts.size() != dims.size() * 2) return r.setRank(static_cast<int>(dims.size()));
    for (size_t i = 0; i < dims.size(); ++i) {
        if (dims[i] >= 0) dims[i] = std::max(0, dims[i] + amounts[2 * i] + amounts[2 * i + 1]);
    }
    r.set(dims);
}

void interp(const Rule& r) {
    if (!r.in(0).rankKnown) return;
    Dims dims(r.in(0).dims.size(), kUnknown);
    for (size_t i = 0; i < dims.size() && i < 2; ++i) dims[i] = r.in(0).dims[i];
    r.set(dims);
}

}  // namespace

void inferShape(Builder& builder, const OpT& op) {
    const Rule r{builder, op};
    switch (op.type) {
        case OpType_UnaryOp:
        case OpType_Cast:
        case OpType_ReLU:
        case OpType_ReLU6:
        case OpType_PReLU:
        case OpType_ELU:
        case OpType_Selu:
        case OpType_Sigmoid:
        case OpType_TanH:
        case OpType_Softmax:
        case OpType_LRN:
        case OpType_Scale:
        case OpType_BatchNorm:
        case OpType_LayerNorm:
        case OpType_CumSum:
        case OpType_CumProd:
        case OpType_Reverse:
        case OpType_ReverseSequence:
        case OpType_ScatterElements:
        case OpType_EyeLike:
        case OpType_Identity:
            return sameAsFirst(r);
        case OpType_BinaryOp:
        case OpType_Select:
            return broadcastAll(r);
        case OpType_Reshape:
            return reshape(r);
        case OpType_Flatten:
            return flatten(r);
        case OpType_Squeeze:
        case OpType_Unsqueeze:
            return squeeze(r);
        case OpType_Permute:
            return permute(r);
        case OpType_Concat:
            return concat(r);
        case OpType_GatherV2:
            return gather(r);
        case OpType_StridedSlice:
            return stridedSlice(r);
        case OpType_Slice:
            return split(r);
        case OpType_Reduction:
            return reduction(r);
        case OpType_ArgMax:
        case OpType_ArgMin:
            return argReduce(r);
        case OpType_Convolution:
        case OpType_ConvolutionDepthwise:
            return convolution(r);
        case OpType_Deconvolution:
        case OpType_DeconvolutionDepthwise:
            return deconvolution(r);
        case OpType_Convolution3D:
        case OpType_ConvTranspose3D:
            return convolution3D(r);
        case OpType_Pooling:
            return pooling(r);
        case OpType_MatMul:
        case OpType_BatchMatMul:
            return matmul(r);
        case OpType_Shape:
            return shapeVector(r);
        case OpType_Size:
            return r.set({});
        case OpType_Range:
            return r.setRank(1);
        case OpType_Fill:
        case OpType_RandomUniform:
        case OpType_RandomNormal:
            return byShapeInput(r, 0);
        case OpType_BroadcastTo:
            return byShapeInput(r, 1);
        case OpType_Padding:
            return padding(r);
        case OpType_Interp:
        case OpType_Interp3D:
            return interp(r);
        case OpType_Tile:
        case OpType_Pooling3D:
        case OpType_DepthToSpace:
        case OpType_SpaceToDepth:
            return sameRank(r);
        case OpType_GatherElements:
            if (r.in(1).rankKnown) r.set(r.in(1).dims);
            return;
        case OpType_OneHot:
            if (r.in(0).rankKnown) r.setRank(static_cast<int>(r.in(0).dims.size()) + 1);
            return;
        case OpType_ScatterNd:
            if (r.inputs() > 3 && r.in(3).rankKnown) r.set(r.in(3).dims);
            return;
        case OpType_TopKV2:
            for (size_t i = 0; i < op.outputIndexes.size(); ++i) {
                if (r.in(0).rankKnown) r.setRank(static_cast<int>(r.in(0).dims.size()), i);
            }
            return;
        default:
            return;
    }
}

}  // namespace Converter
}  // namespace MNN
