#include "graph/Builder.hpp"

#include <utility>

#include "graph/InferShape.hpp"
#include "passes/ConstantFold.hpp"

namespace MNN {
namespace Converter {

ExtraAttr ExtraAttr::integer(const char* key, int value) {
    ExtraAttr a;
    a.key = key;
    a.i = value;
    return a;
}
ExtraAttr ExtraAttr::real(const char* key, float value) {
    ExtraAttr a;
    a.key = key;
    a.f = value;
    return a;
}
ExtraAttr ExtraAttr::text(const char* key, const std::string& value) {
    ExtraAttr a;
    a.key = key;
    a.s = value;
    return a;
}
ExtraAttr ExtraAttr::list(const char* key, const std::vector<int>& value) {
    ExtraAttr a;
    a.key = key;
    a.ints = value;
    return a;
}
ExtraAttr ExtraAttr::list(const char* key, const std::vector<float>& value) {
    ExtraAttr a;
    a.key = key;
    a.floats = value;
    return a;
}
ExtraAttr ExtraAttr::list(const char* key, const std::vector<std::string>& value) {
    ExtraAttr a;
    a.key = key;
    a.strings = value;
    return a;
}

int Builder::size(Value value, int axis) const {
    const TensorInfo& t = info(value);
    if (!t.rankKnown) return kUnknown;
    const int rank = static_cast<int>(t.dims.size());
    if (axis < 0) axis += rank;
    return axis >= 0 && axis < rank ? t.dims[axis] : kUnknown;
}

Value Builder::newTensor(DataType type) {
    TensorInfo t;
    t.type = type;
    const Value value = static_cast<Value>(mGraph.tensors.size());
    t.name = mScope + "/" + std::to_string(value);
    mGraph.tensors.push_back(std::move(t));
    mProducer.push_back(nullptr);
    return value;
}

Value Builder::input(const std::string& name, DataType type, bool rankKnown, const Dims& dims) {
    auto op = std::make_unique<OpT>();
    op->type = OpType_Input;
    op->name = name;
    op->defaultDimentionFormat = MNN_DATA_FORMAT_NCHW;
    InputT param;
    param.dims = dims;
    param.dtype = storedType(type);
    param.dformat = MNN_DATA_FORMAT_NCHW;
    op->main.Set(std::move(param));
    const Value value = newTensor(type);
    info(value).name = name;
    info(value).rankKnown = rankKnown;
    info(value).dims = dims;
    op->outputIndexes = {value};
    mProducer[value] = op.get();
    mGraph.ops.push_back(std::move(op));
    mGraph.inputs.push_back(value);
    return value;
}

Value Builder::constant(BlobT&& blob, DataType sourceType) {
    auto op = std::make_unique<OpT>();
    op->type = OpType_Const;
    op->defaultDimentionFormat = MNN_DATA_FORMAT_NCHW;
    const Value value = newTensor(sourceType);
    info(value).rankKnown = true;
    info(value).dims = blob.dims;
    op->name = info(value).name;
    op->main.Set(std::move(blob));
    op->outputIndexes = {value};
    mProducer[value] = op.get();
    mGraph.ops.push_back(std::move(op));
    return value;
}

const BlobT* Builder::constantOf(Value value) const {
    const OpT* op = value < 0 ? nullptr : mProducer[value];
    return op && op->type == OpType_Const ? op->main.AsBlob() : nullptr;
}

Value Builder::ints(const std::vector<int>& values) {
    BlobT blob;
    blob.dims = {static_cast<int>(values.size())};
    blob.dataType = DataType_DT_INT32;
    blob.int32s = values;
    return constant(std::move(blob), DataType_DT_INT32);
}

Value Builder::integer(int value, DataType type) {
    BlobT blob;
    blob.dataType = DataType_DT_INT32;
    blob.int32s = {value};
    return constant(std::move(blob), type);
}

Value Builder::real(float value) { return reals({value}, {}); }

Value Builder::reals(const std::vector<float>& values, const Dims& dims) {
    BlobT blob;
    blob.dims = dims;
    blob.float32s = values;
    return constant(std::move(blob), DataType_DT_FLOAT);
}

Value Builder::like(Value x, double value) {
    if (isFloat(type(x))) return real(static_cast<float>(value));
    if (!isSmallInteger(type(x))) return integer(static_cast<int>(value), type(x));
    BlobT blob;
    blob.dataType = type(x);
    if (type(x) == DataType_DT_UINT8)
        blob.uint8s = {static_cast<uint8_t>(value)};
    else
        blob.int8s = {static_cast<int8_t>(value)};
    return constant(std::move(blob), type(x));
}

Value Builder::plain(OpType type, const std::vector<Value>& in, DataType outType) {
    auto made = std::make_unique<OpT>();
    made->type = type;
    return append(std::move(made), in, {outType})[0];
}

std::vector<Value> Builder::extra(const char* type, const std::vector<ExtraAttr>& attrs, const std::vector<Value>& in,
                                  const std::vector<DataType>& outTypes) {
    ExtraT param;
    param.type = type;
    param.engine = "MNN";
    for (const ExtraAttr& attr : attrs) {
        auto a = std::make_unique<AttributeT>();
        a->key = attr.key;
        a->i = attr.i;
        a->f = attr.f;
        a->s = attr.s;
        if (!attr.ints.empty() || !attr.floats.empty() || !attr.strings.empty()) {
            a->list = std::make_unique<ListValueT>();
            a->list->i = attr.ints;
            a->list->f = attr.floats;
            a->list->s = attr.strings;
        }
        param.attr.push_back(std::move(a));
    }
    return ops(OpType_Extra, std::move(param), in, outTypes);
}

std::vector<Value> Builder::append(std::unique_ptr<OpT> op, const std::vector<Value>& in,
                                   const std::vector<DataType>& outTypes) {
    for (Value v : in) {
        if (v < 0) throw ConvertError("an input that the op needs is absent");
        if (mSequences.count(v)) throw ConvertError("'" + info(v).name + "' is a sequence, a tensor is wanted");
    }
    std::vector<Value> out;
    if (foldNow(*op, in, outTypes, out)) return out;
    op->defaultDimentionFormat = MNN_DATA_FORMAT_NCHW;
    op->inputIndexes = in;
    for (DataType type : outTypes) {
        const Value value = newTensor(type);
        mProducer[value] = op.get();
        op->outputIndexes.push_back(value);
    }
    out = op->outputIndexes;
    op->name = info(out[0]).name;
    inferShape(*this, *op);
    mGraph.ops.push_back(std::move(op));
    return out;
}

bool Builder::foldNow(const OpT& op, const std::vector<Value>& in, const std::vector<DataType>& outTypes,
                      std::vector<Value>& out) {
    if (foldShapes && (op.type == OpType_Shape || op.type == OpType_Size) && elementCount(info(in[0]).dims) >= 0 &&
        rankKnown(in[0])) {
        BlobT folded;
        if (!foldShapeOp(op, info(in[0]).dims, folded)) return false;
        out = {constant(std::move(folded), outTypes[0])};
        return true;
    }
    if (in.empty()) return false;
    std::vector<const BlobT*> blobs;
    for (Value v : in) {
        blobs.push_back(constantOf(v));
        if (!blobs.back()) return false;
    }
    std::vector<BlobT> results(outTypes.size());
    if (!foldConstant(op, blobs, results)) return false;
    for (size_t i = 0; i < results.size(); ++i) out.push_back(constant(std::move(results[i]), outTypes[i]));
    return true;
}

Value Builder::unary(UnaryOpOperation operation, Value x) {
    UnaryOpT param;
    param.opType = operation;
    param.T = storedType(type(x));
    return op(OpType_UnaryOp, std::move(param), {x});
}

Value Builder::binary(BinaryOpOperation operation, Value a, Value b) {
    BinaryOpT param;
    param.opType = operation;
    param.T = storedType(type(a));
    return op(OpType_BinaryOp, std::move(param), {a, b}, isCompare(operation) ? DataType_DT_BOOL : type(a));
}

Value Builder::clip(Value x, float low, float high) {
    Relu6T param;
    param.minValue = low;
    param.maxValue = high;
    return op(OpType_ReLU6, std::move(param), {x});
}

Value Builder::cast(Value x, DataType to) {
    const bool toBool = to == DataType_DT_BOOL && type(x) != DataType_DT_BOOL;
    if (toBool)
        return binary(BinaryOpOperation_NOTEQUAL, isSmallInteger(type(x)) ? cast(x, DataType_DT_INT32) : x,
                      like(isSmallInteger(type(x)) ? cast(x, DataType_DT_INT32) : x, 0));
    CastParamT param;
    param.srcT = storedType(type(x));
    param.dstT = storedType(to);
    if (type(x) == to) return x;
    return op(OpType_Cast, std::move(param), {x}, to);
}

Value Builder::reshape(Value x, const std::vector<int>& dims) {
    ReshapeT param;
    param.dims = dims;
    param.dimType = MNN_DATA_FORMAT_NCHW;
    return op(OpType_Reshape, std::move(param), {x});
}

Value Builder::reshapeTo(Value x, Value shape) {
    if (const BlobT* known = constantOf(shape)) return reshape(x, known->int32s);
    ReshapeT param;
    param.dimType = MNN_DATA_FORMAT_NCHW;
    return op(OpType_Reshape, std::move(param), {x, shape});
}

Value Builder::shapeOf(Value x) { return op(OpType_Shape, ShapeParamT(), {x}, DataType_DT_INT64); }

Value Builder::permute(Value x, const std::vector<int>& perm) {
    PermuteT param;
    param.dims = perm;
    return op(OpType_Permute, std::move(param), {x});
}

Value Builder::unsqueeze(Value x, const std::vector<int>& axes) {
    SqueezeParamT param;
    param.squeezeDims = axes;
    return op(OpType_Unsqueeze, std::move(param), {x});
}

Value Builder::squeeze(Value x, const std::vector<int>& axes) {
    SqueezeParamT param;
    param.squeezeDims = axes;
    return op(OpType_Squeeze, std::move(param), {x});
}

Value Builder::concat(const std::vector<Value>& parts, int axis) {
    AxisT param;
    param.axis = axis;
    return parts.size() == 1 ? parts[0] : op(OpType_Concat, std::move(param), parts);
}

Value Builder::gather(Value x, Value indices, int axis) {
    GatherV2T param;
    param.Taxis = DataType_DT_INT32;
    param.Tindices = DataType_DT_INT32;
    param.Tparams = storedType(type(x));
    return op(OpType_GatherV2, std::move(param), {x, indices, integer(axis)});
}

Value Builder::slice(Value x, const std::vector<int>& begin, const std::vector<int>& end, const std::vector<int>& axes,
                     const std::vector<int>& steps) {
    StridedSliceParamT param;
    param.Index = DataType_DT_INT32;
    param.T = storedType(type(x));
    param.fromType = 1;
    return op(OpType_StridedSlice, std::move(param), {x, ints(begin), ints(end), ints(axes), ints(steps)});
}

Value Builder::sliceAxis(Value x, int axis, Value begin, Value end) {
    StridedSliceParamT param;
    param.Index = DataType_DT_INT32;
    param.T = storedType(type(x));
    param.fromType = 1;
    return op(OpType_StridedSlice, std::move(param), {x, begin, end, ints({axis}), ints({1})});
}

Value Builder::reduce(ReductionType operation, Value x, const std::vector<int>& axes, bool keepDims) {
    ReductionParamT param;
    param.operation = operation;
    param.dim = axes;
    param.keepDims = keepDims;
    param.dType = storedType(type(x));
    return op(OpType_Reduction, std::move(param), {x});
}

Value Builder::broadcastTo(Value x, Value shape) { return plain(OpType_BroadcastTo, {x, shape}); }

Value Builder::fill(Value dims, Value value) { return op(OpType_Fill, FillT(), {dims, value}, type(value)); }

Value Builder::matmul(Value a, Value b, bool transposeA, bool transposeB) {
    const bool flat = (!rankKnown(a) || rank(a) == 2 || constantOf(b)) && rankKnown(b) && rank(b) == 2;
    if (flat && (!transposeA || rank(a) == 2)) {
        MatMulT param;
        param.T = storedType(type(a));
        param.transposeA = transposeA;
        param.transposeB = transposeB;
        return op(OpType_MatMul, std::move(param), {a, b});
    }
    BatchMatMulParamT param;
    param.adjX = transposeA;
    param.adjY = transposeB;
    return op(OpType_BatchMatMul, std::move(param), {a, b});
}

Value Builder::softmax(Value x, int axis) {
    AxisT param;
    param.axis = axis;
    return op(OpType_Softmax, std::move(param), {x});
}

Value Builder::sequence(const std::vector<Value>& members) {
    const Value value = newTensor(members.empty() ? DataType_DT_FLOAT : type(members[0]));
    mSequences[value].members = members;
    return value;
}

Value Builder::sequence(const EvenPieces& pieces) {
    const Value value = newTensor(type(pieces.x));
    mSequences[value].pieces = pieces;
    return value;
}

const std::vector<Value>* Builder::membersOf(Value value) const {
    const auto found = mSequences.find(value);
    return found == mSequences.end() || found->second.pieces.x != kNone ? nullptr : &found->second.members;
}

const EvenPieces* Builder::piecesOf(Value value) const {
    const auto found = mSequences.find(value);
    return found == mSequences.end() || found->second.pieces.x == kNone ? nullptr : &found->second.pieces;
}

Value Builder::axisSize(Value x, int axis) {
    if (foldShapes && size(x, axis) >= 0) return ints({size(x, axis)});
    return gather(shapeOf(x), ints({axis}), 0);
}

}  // namespace Converter
}  // namespace MNN
