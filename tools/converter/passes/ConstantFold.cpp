#include "passes/ConstantFold.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "graph/BlobView.hpp"
#include "graph/InferShape.hpp"

namespace MNN {
namespace Converter {

namespace {

// Results above this many elements are only stored when they are no larger than what they are made from.
constexpr int64_t kFoldBudget = 1 << 22;

using Inputs = std::vector<const BlobT*>;

bool worthStoring(int64_t count, const Inputs& in) {
    int64_t given = 0;
    for (const BlobT* blob : in) given += static_cast<int64_t>(BlobView(*blob).count);
    return count >= 0 && (count <= kFoldBudget || count <= given);
}

bool complete(const BlobT& blob) {
    const BlobView view(blob);
    return view.elementBytes > 0 && elementCount(blob.dims) == static_cast<int64_t>(view.count);
}

std::vector<int> intsOf(const BlobT& blob) {
    const BlobView view(blob);
    std::vector<int> values(view.count);
    for (size_t i = 0; i < view.count; ++i) values[i] = static_cast<int>(view.intAt(i));
    return values;
}

// out[i...] = in[offset + i . strides]
bool readStrided(const BlobT& in, int64_t offset, const std::vector<int64_t>& strides, const Dims& dims,
                 const Inputs& all, BlobT& out) {
    const int64_t count = elementCount(dims);
    if (!worthStoring(count, all) || !allocateBlob(out, in.dataType, dims)) return false;
    const BlobView view(in);
    uint8_t* to = blobData(out);
    Odometer at(dims, {strides});
    for (int64_t i = 0; i < count; ++i, at.next()) {
        std::memcpy(to + i * view.elementBytes, view.data + (offset + at.offset(0)) * view.elementBytes,
                    view.elementBytes);
    }
    return true;
}

bool copyAs(const BlobT& in, const Dims& dims, BlobT& out) {
    if (elementCount(dims) != elementCount(in.dims)) return false;
    out = in;
    out.dims = dims;
    return true;
}

bool foldPermute(const PermuteT& param, const Inputs& in, BlobT& out) {
    const std::vector<int64_t> own = contiguousStrides(in[0]->dims);
    Dims dims;
    std::vector<int64_t> strides;
    if (param.dims.size() != own.size()) return false;
    for (int axis : param.dims) {
        dims.push_back(in[0]->dims[axis]);
        strides.push_back(own[axis]);
    }
    return readStrided(*in[0], 0, strides, dims, in, out);
}

bool foldConcat(int axis, const Inputs& in, BlobT& out) {
    Dims dims = in[0]->dims;
    if (axis < 0) axis += static_cast<int>(dims.size());
    if (axis < 0 || axis >= static_cast<int>(dims.size())) return false;
    int64_t total = 0;
    for (const BlobT* part : in) {
        if (part->dims.size() != dims.size() || part->dataType != in[0]->dataType) return false;
        total += part->dims[axis];
    }
    dims[axis] = static_cast<int>(total);
    if (!worthStoring(elementCount(dims), in) || !allocateBlob(out, in[0]->dataType, dims)) return false;
    const int64_t outer = elementCount(Dims(dims.begin(), dims.begin() + axis));
    const int64_t inner = elementCount(Dims(dims.begin() + axis + 1, dims.end()));
    uint8_t* to = blobData(out);
    for (int64_t o = 0; o < outer; ++o) {
        for (const BlobT* part : in) {
            const BlobView view(*part);
            const int64_t bytes = part->dims[axis] * inner * static_cast<int64_t>(view.elementBytes);
            if (static_cast<int64_t>(view.count * view.elementBytes) < (o + 1) * bytes) return false;
            if (bytes > 0) std::memcpy(to, view.data + o * bytes, bytes);
            to += bytes;
        }
    }
    return true;
}

bool foldGather(const Inputs& in, BlobT& out) {
    const BlobT& data = *in[0];
    int axis = in.size() > 2 ? static_cast<int>(BlobView(*in[2]).intAt(0)) : 0;
    if (axis < 0) axis += static_cast<int>(data.dims.size());
    if (axis < 0 || axis >= static_cast<int>(data.dims.size())) return false;
    Dims dims(data.dims.begin(), data.dims.begin() + axis);
    dims.insert(dims.end(), in[1]->dims.begin(), in[1]->dims.end());
    dims.insert(dims.end(), data.dims.begin() + axis + 1, data.dims.end());
    if (!worthStoring(elementCount(dims), in) || !allocateBlob(out, data.dataType, dims)) return false;
    const int64_t outer = elementCount(Dims(data.dims.begin(), data.dims.begin() + axis));
    const int64_t inner = elementCount(Dims(data.dims.begin() + axis + 1, data.dims.end()));
    const BlobView view(data);
    const int64_t bytes = inner * static_cast<int64_t>(view.elementBytes);
    const std::vector<int> indices = intsOf(*in[1]);
    uint8_t* to = blobData(out);
    for (int64_t o = 0; o < outer; ++o) {
        for (int index : indices) {
            if (index < 0) index += data.dims[axis];
            if (index < 0 || index >= data.dims[axis]) return false;
            if (bytes > 0) std::memcpy(to, view.data + (o * data.dims[axis] + index) * bytes, bytes);
            to += bytes;
        }
    }
    return true;
}

bool foldStridedSlice(const Inputs& in, BlobT& out) {
    SliceRange range;
    Dims axes, steps;
    if (in.size() < 5) return false;
    if (!sliceRange(in[0]->dims, intsOf(*in[1]), intsOf(*in[2]), intsOf(*in[4]), intsOf(*in[3]), range)) return false;
    const std::vector<int64_t> own = contiguousStrides(in[0]->dims);
    std::vector<int64_t> strides(own.size());
    int64_t offset = 0;
    for (size_t i = 0; i < own.size(); ++i) {
        offset += range.begin[i] * own[i];
        strides[i] = range.step[i] * own[i];
    }
    return readStrided(*in[0], offset, strides, range.count, in, out);
}

bool foldSplit(const SliceT& param, const Inputs& in, std::vector<BlobT>& out) {
    std::vector<int> sizes = in.size() > 1 ? intsOf(*in[1]) : param.slicePoints;
    const Dims& dims = in[0]->dims;
    const int axis = param.axis < 0 ? param.axis + static_cast<int>(dims.size()) : param.axis;
    if (axis < 0 || axis >= static_cast<int>(dims.size())) return false;
    if (sizes.empty()) sizes = evenSplit(dims[axis], static_cast<int>(out.size()));
    if (sizes.size() != out.size()) return false;
    const std::vector<int64_t> strides = contiguousStrides(dims);
    int64_t begin = 0;
    for (size_t i = 0; i < out.size(); ++i) {
        Dims part = dims;
        part[axis] = sizes[i];
        if (sizes[i] < 0 || begin + sizes[i] > dims[axis]) return false;
        if (!readStrided(*in[0], begin * strides[axis], strides, part, in, out[i])) return false;
        begin += sizes[i];
    }
    return true;
}

bool foldTile(const Inputs& in, BlobT& out) {
    const std::vector<int> times = intsOf(*in[1]);
    const Dims& dims = in[0]->dims;
    if (times.size() != dims.size()) return false;
    const std::vector<int64_t> own = contiguousStrides(dims);
    Dims walk, result;
    std::vector<int64_t> strides;
    for (size_t i = 0; i < dims.size(); ++i) {
        const int64_t size = static_cast<int64_t>(dims[i]) * times[i];
        if (times[i] < 0 || size > INT32_MAX) return false;
        walk.insert(walk.end(), {times[i], dims[i]});
        strides.insert(strides.end(), {0, own[i]});
        result.push_back(static_cast<int>(size));
    }
    if (!readStrided(*in[0], 0, strides, walk, in, out)) return false;
    out.dims = result;
    return true;
}

bool foldBroadcastTo(const Inputs& in, BlobT& out) {
    Dims dims;
    if (!broadcastDims(in[0]->dims, intsOf(*in[1]), dims)) return false;
    return readStrided(*in[0], 0, broadcastStrides(in[0]->dims, dims), dims, in, out);
}

bool foldFill(const Inputs& in, BlobT& out) {
    const Dims dims = intsOf(*in[0]);
    if (BlobView(*in[1]).count < 1) return false;
    return readStrided(*in[1], 0, std::vector<int64_t>(dims.size(), 0), dims, in, out);
}

bool foldCast(DataType to, const Inputs& in, BlobT& out) {
    const BlobView view(*in[0]);
    if (!allocateBlob(out, to, in[0]->dims)) return false;
    const bool integers = view.type != DataType_DT_FLOAT;
    for (size_t i = 0; i < view.count; ++i) {
        if (integers)
            setBlobInt(out, i, view.intAt(i));
        else
            setBlob(out, i, view.at(i));
    }
    return true;
}

// What integers and floats have in common. Integers of blobs have 32 bits at most, so that nothing overflows.
template <class T>
bool commonBinary(BinaryOpOperation operation, T a, T b, T& r) {
    switch (operation) {
        case BinaryOpOperation_ADD:
            r = a + b;
            return true;
        case BinaryOpOperation_SUB:
            r = a - b;
            return true;
        case BinaryOpOperation_MUL:
            r = a * b;
            return true;
        case BinaryOpOperation_MINIMUM:
            r = std::min(a, b);
            return true;
        case BinaryOpOperation_MAXIMUM:
            r = std::max(a, b);
            return true;
        case BinaryOpOperation_GREATER:
            r = a > b;
            return true;
        case BinaryOpOperation_GREATER_EQUAL:
            r = a >= b;
            return true;
        case BinaryOpOperation_LESS:
            r = a < b;
            return true;
        case BinaryOpOperation_LESS_EQUAL:
            r = a <= b;
            return true;
        case BinaryOpOperation_EQUAL:
            r = a == b;
            return true;
        case BinaryOpOperation_NOTEQUAL:
            r = a != b;
            return true;
        default:
            return false;
    }
}

// A division by zero is left to the run time.
bool integerBinary(BinaryOpOperation operation, int64_t a, int64_t b, int64_t& r) {
    switch (operation) {
        case BinaryOpOperation_DIV:
        case BinaryOpOperation_REALDIV:
            r = b == 0 ? 0 : a / b;
            return b != 0;
        case BinaryOpOperation_FLOORMOD:
            r = b == 0 ? 0 : ((a % b) + b) % b;
            return b != 0;
        case BinaryOpOperation_MOD:
            r = b == 0 ? 0 : a % b;
            return b != 0;
        case BinaryOpOperation_LOGICALOR:
            r = a != 0 || b != 0;
            return true;
        case BinaryOpOperation_LOGICALXOR:
            r = (a != 0) != (b != 0);
            return true;
        case BinaryOpOperation_BITWISE_AND:
            r = a & b;
            return true;
        case BinaryOpOperation_BITWISE_OR:
            r = a | b;
            return true;
        case BinaryOpOperation_BITWISE_XOR:
            r = a ^ b;
            return true;
        default:
            return commonBinary(operation, a, b, r);
    }
}

bool realBinary(BinaryOpOperation operation, double a, double b, double& r) {
    switch (operation) {
        case BinaryOpOperation_DIV:
        case BinaryOpOperation_REALDIV:
            r = a / b;
            return true;
        case BinaryOpOperation_POW:
            r = std::pow(a, b);
            return true;
        default:
            return commonBinary(operation, a, b, r);
    }
}

bool foldBinary(const BinaryOpT& param, const Inputs& in, BlobT& out) {
    Dims dims;
    if (param.activationType != 0 || in[0]->dataType != in[1]->dataType) return false;
    if (!broadcastDims(in[0]->dims, in[1]->dims, dims) || !worthStoring(elementCount(dims), in)) return false;
    const bool real = in[0]->dataType == DataType_DT_FLOAT;
    if (!allocateBlob(out, isCompare(param.opType) ? DataType_DT_INT32 : in[0]->dataType, dims)) return false;
    const BlobView a(*in[0]), b(*in[1]);
    Odometer at(dims, {broadcastStrides(a.dims, dims), broadcastStrides(b.dims, dims)});
    const int64_t count = elementCount(dims);
    for (int64_t i = 0; i < count; ++i, at.next()) {
        if (real) {
            double r = 0;
            if (!realBinary(param.opType, a.at(at.offset(0)), b.at(at.offset(1)), r)) return false;
            setBlob(out, i, r);
        } else {
            int64_t r = 0;
            if (!integerBinary(param.opType, a.intAt(at.offset(0)), b.intAt(at.offset(1)), r)) return false;
            setBlobInt(out, i, r);
        }
    }
    return true;
}

bool realUnary(UnaryOpOperation operation, double x, double& r) {
    switch (operation) {
        case UnaryOpOperation_ABS:
            r = std::fabs(x);
            return true;
        case UnaryOpOperation_NEG:
            r = -x;
            return true;
        case UnaryOpOperation_FLOOR:
            r = std::floor(x);
            return true;
        case UnaryOpOperation_CEIL:
            r = std::ceil(x);
            return true;
        case UnaryOpOperation_ROUND:
            r = std::nearbyint(x);
            return true;  // the default mode rounds halves to even
        case UnaryOpOperation_SQUARE:
            r = x * x;
            return true;
        case UnaryOpOperation_SQRT:
            r = std::sqrt(x);
            return true;
        case UnaryOpOperation_RSQRT:
            r = 1.0 / std::sqrt(x);
            return true;
        case UnaryOpOperation_EXP:
            r = std::exp(x);
            return true;
        case UnaryOpOperation_LOG:
            r = std::log(x);
            return true;
        case UnaryOpOperation_SIN:
            r = std::sin(x);
            return true;
        case UnaryOpOperation_COS:
            r = std::cos(x);
            return true;
        case UnaryOpOperation_RECIPROCAL:
            r = 1.0 / x;
            return true;
        case UnaryOpOperation_SIGMOID:
            r = 1.0 / (1.0 + std::exp(-x));
            return true;
        case UnaryOpOperation_TANH:
            r = std::tanh(x);
            return true;
        case UnaryOpOperation_SIGN:
            r = (x > 0) - (x < 0);
            return true;
        default:
            return false;
    }
}

bool foldUnary(UnaryOpOperation operation, const Inputs& in, BlobT& out) {
    const BlobView x(*in[0]);
    if (!allocateBlob(out, x.type, x.dims)) return false;
    for (size_t i = 0; i < x.count; ++i) {
        double r = 0;
        if (!realUnary(operation, x.at(i), r)) return false;
        setBlob(out, i, r);
    }
    return true;
}

bool foldSelect(const Inputs& in, BlobT& out) {
    Dims partial, dims;
    if (in[1]->dataType != in[2]->dataType) return false;
    if (!broadcastDims(in[0]->dims, in[1]->dims, partial) || !broadcastDims(partial, in[2]->dims, dims)) return false;
    if (!worthStoring(elementCount(dims), in) || !allocateBlob(out, in[1]->dataType, dims)) return false;
    const BlobView c(*in[0]), a(*in[1]), b(*in[2]);
    Odometer at(dims, {broadcastStrides(c.dims, dims), broadcastStrides(a.dims, dims), broadcastStrides(b.dims, dims)});
    uint8_t* to = blobData(out);
    const int64_t count = elementCount(dims);
    for (int64_t i = 0; i < count; ++i, at.next()) {
        const bool first = c.at(at.offset(0)) != 0;
        const uint8_t* from = first ? a.data + at.offset(1) * a.elementBytes : b.data + at.offset(2) * b.elementBytes;
        std::memcpy(to + i * a.elementBytes, from, a.elementBytes);
    }
    return true;
}

bool foldRange(const Inputs& in, BlobT& out) {
    const double start = BlobView(*in[0]).at(0), limit = BlobView(*in[1]).at(0), delta = BlobView(*in[2]).at(0);
    if (delta == 0) return false;
    const double count = std::max(0.0, std::ceil((limit - start) / delta));
    if (!(count <= kFoldBudget) || !allocateBlob(out, in[0]->dataType, {static_cast<int>(count)})) return false;
    for (int i = 0; i < static_cast<int>(count); ++i) setBlob(out, i, start + i * delta);
    return true;
}

bool foldReduction(const ReductionParamT& param, const Inputs& in, BlobT& out) {
    const BlobView x(*in[0]);
    Dims kept;
    if (in.size() > 1 || x.count == 0 || !reducedDims(x.dims, param.dim, true, kept)) return false;
    Dims dims;
    reducedDims(x.dims, param.dim, param.keepDims, dims);
    if (!allocateBlob(out, x.type, dims)) return false;
    const int64_t outCount = elementCount(dims);
    std::vector<double> sum(outCount);
    std::vector<char> seen(outCount, 0);
    Odometer at(x.dims, {broadcastStrides(kept, x.dims)});
    for (size_t i = 0; i < x.count; ++i, at.next()) {
        double& s = sum[at.offset(0)];
        const double v = x.at(i);
        const bool first = !seen[at.offset(0)];
        seen[at.offset(0)] = 1;
        switch (param.operation) {
            case ReductionType_SUM:
            case ReductionType_MEAN:
                s += v;
                break;
            case ReductionType_PROD:
                s = first ? v : s * v;
                break;
            case ReductionType_MAXIMUM:
                s = first ? v : std::max(s, v);
                break;
            case ReductionType_MINIMUM:
                s = first ? v : std::min(s, v);
                break;
            default:
                return false;
        }
    }
    const double scale = param.operation == ReductionType_MEAN ? static_cast<double>(outCount) / x.count : 1.0;
    for (int64_t i = 0; i < outCount; ++i) setBlob(out, i, sum[i] * scale);
    return true;
}

// View ops whose result is the same elements under another shape.
bool foldReshaped(const OpT& op, const Inputs& in, BlobT& out) {
    Dims dims;
    const Dims& from = in[0]->dims;
    switch (op.type) {
        case OpType_Reshape:
            if (!reshapedDims(from, in.size() > 1 ? intsOf(*in[1]) : op.main.AsReshape()->dims, dims)) return false;
            break;
        case OpType_Squeeze:
            if (in.size() > 1 || !squeezedDims(from, op.main.AsSqueezeParam()->squeezeDims, dims)) return false;
            break;
        case OpType_Unsqueeze:
            if (in.size() > 1 || !unsqueezedDims(from, op.main.AsSqueezeParam()->squeezeDims, dims)) return false;
            break;
        default:
            dims = from;
    }
    return copyAs(*in[0], dims, out);
}

}  // namespace

bool foldShapeOp(const OpT& op, const Dims& dims, BlobT& out) {
    if (op.type == OpType_Size) {
        if (!allocateBlob(out, DataType_DT_INT32, {})) return false;
        setBlobInt(out, 0, elementCount(dims));
        return elementCount(dims) >= 0;
    }
    int begin = 0, end = 0;
    shapeWindow(op.main.AsShapeParam(), static_cast<int>(dims.size()), begin, end);
    if (!allocateBlob(out, DataType_DT_INT32, {end - begin})) return false;
    for (int i = begin; i < end; ++i) out.int32s[i - begin] = dims[i];
    return true;
}

bool foldConstant(const OpT& op, const Inputs& in, std::vector<BlobT>& out) {
    for (const BlobT* blob : in) {
        if (!complete(*blob)) return false;
    }
    switch (op.type) {
        case OpType_Reshape:
        case OpType_Squeeze:
        case OpType_Unsqueeze:
        case OpType_Identity:
            return foldReshaped(op, in, out[0]);
        case OpType_Permute:
            return foldPermute(*op.main.AsPermute(), in, out[0]);
        case OpType_Concat:
            return foldConcat(op.main.AsAxis()->axis, in, out[0]);
        case OpType_GatherV2:
            return foldGather(in, out[0]);
        case OpType_StridedSlice:
            return foldStridedSlice(in, out[0]);
        case OpType_Slice:
            return foldSplit(*op.main.AsSlice(), in, out);
        case OpType_Tile:
            return foldTile(in, out[0]);
        case OpType_BroadcastTo:
            return foldBroadcastTo(in, out[0]);
        case OpType_Fill:
            return foldFill(in, out[0]);
        case OpType_Cast:
            return foldCast(op.main.AsCastParam()->dstT, in, out[0]);
        case OpType_BinaryOp:
            return foldBinary(*op.main.AsBinaryOp(), in, out[0]);
        case OpType_UnaryOp:
            return foldUnary(op.main.AsUnaryOp()->opType, in, out[0]);
        case OpType_Select:
            return foldSelect(in, out[0]);
        case OpType_Range:
            return foldRange(in, out[0]);
        case OpType_Reduction:
            return foldReduction(*op.main.AsReductionParam(), in, out[0]);
        case OpType_Shape:
        case OpType_Size:
            return foldShapeOp(op, in[0]->dims, out[0]);
        default:
            return false;
    }
}

}  // namespace Converter
}  // namespace MNN
