// Ops that make tensors: constants, ranges, random numbers.
#include <cmath>
#include <cstring>

#include "graph/BlobView.hpp"
#include "onnx/Families.hpp"
#include "onnx/Formulas.hpp"

namespace MNN {
namespace Converter {

namespace {

Value sparseConstant(Node& n, const onnx::SparseTensorProto& sparse) {
    const BlobT values = decodeTensor(sparse.values(), "", "sparse values");
    const BlobT indices = decodeTensor(sparse.indices(), "", "sparse indices");
    Dims dims;
    for (int64_t d : sparse.dims()) dims.push_back(d < 0 || d > INT32_MAX ? -1 : static_cast<int>(d));
    BlobT out;
    if (elementCount(dims) > (1 << 26) || !allocateBlob(out, values.dataType, dims))
        n.fail("the sparse value is too large to be stored dense");
    const std::vector<int64_t> strides = contiguousStrides(dims);
    const BlobView at(indices), from(values);
    const size_t rank = indices.dims.size() == 2 ? dims.size() : 1;
    if (at.count != from.count * rank) n.fail("sparse indices do not match the values");
    for (size_t i = 0; i < from.count; ++i) {
        int64_t offset = 0;
        for (size_t k = 0; k < rank; ++k) offset += at.intAt(i * rank + k) * (rank == 1 ? 1 : strides[k]);
        if (offset < 0 || offset >= elementCount(dims)) n.fail("a sparse index is outside the tensor");
        setBlob(out, offset, from.at(i));
    }
    return n.b.constant(std::move(out), dataTypeOf(sparse.values().data_type()));
}

Outputs constant(Node& n) {
    Builder& b = n.b;
    BlobT blob;
    DataType type = DataType_DT_FLOAT;
    if (n.tensor("value", blob, type)) return {b.constant(std::move(blob), type)};
    if (n.hasAttr("value_float")) return {b.real(n.f("value_float", 0))};
    if (n.hasAttr("value_int")) return {b.integer(n.i("value_int", 0), DataType_DT_INT64)};
    if (n.hasAttr("value_floats")) {
        const std::vector<float> values = n.floats("value_floats");
        return {b.reals(values, {static_cast<int>(values.size())})};
    }
    if (n.hasAttr("value_ints")) return {b.ints(n.ints("value_ints"))};
    for (const auto& attr : n.proto().attribute()) {
        if (attr.name() == "sparse_value") return {sparseConstant(n, attr.sparse_tensor())};
    }
    n.fail("the constant has no value of a supported kind (strings are not supported)");
}

void checkFillShape(Node& n, size_t input) {
    if (!n.isConstant(input)) return;
    Dims dims = n.constInts(input);
    bool saturated = false;
    for (int d : dims) {
        if (d < 0) n.fail("shape " + describe(dims) + " has a negative size");
        saturated |= d == INT32_MAX;
    }
    // Larger sizes of the file have become INT32_MAX.
    if (saturated || elementCount(dims) < 0)
        n.fail("shape " + describe(dims) + " has more elements than an int32 can count");
}

Outputs constantOfShape(Node& n) {
    Builder& b = n.b;
    BlobT blob;
    DataType type = DataType_DT_FLOAT;
    checkFillShape(n, 0);
    if (!n.tensor("value", blob, type)) return {b.fill(n.in(0), b.real(0))};
    if (elementCount(blob.dims) != 1) n.fail("value must have one element");
    blob.dims.clear();
    return {b.fill(n.in(0), b.constant(std::move(blob), type))};
}

// An experimental op of opset 1..8 that old model collections still carry.
Outputs constantFill(Node& n) {
    Builder& b = n.b;
    std::vector<int> shape = n.ints("shape");
    if (n.has(0) && n.i("input_as_shape", 0))
        shape = n.constInts(0);
    else if (n.has(0))
        return {b.fill(b.shapeOf(n.in(0)), b.real(n.f("value", 0)))};
    const std::vector<int> extra = n.ints("extra_shape");
    shape.insert(shape.end(), extra.begin(), extra.end());
    return {b.fill(b.ints(shape), b.real(n.f("value", 0)))};
}

Outputs range(Node& n) {
    Builder& b = n.b;
    RangeT param;
    param.Tidx = storedType(n.type());
    const auto scalar = [&](size_t i) {
        const bool isScalar = b.rankKnown(n.in(i)) && b.rank(n.in(i)) == 0;
        return isScalar ? n.in(i) : b.reshape(n.in(i), {});
    };
    return {b.op(OpType_Range, std::move(param), {scalar(0), scalar(1), scalar(2)}, n.type())};
}

Value randomTensor(Node& n, Value shape, OpType type, float low, float high) {
    RandomUniformT param;
    param.low = low;
    param.high = high;
    // ONNX seeds are floats; their bits keep different seeds different.
    if (n.hasAttr("seed")) {
        const float seed = n.f("seed", 0);
        std::memcpy(&param.seed, &seed, sizeof(seed));
    }
    return n.b.op(type, std::move(param), {shape}, DataType_DT_FLOAT);
}

Outputs random(Node& n, OpType type, bool like, const char* lowKey, const char* highKey) {
    Builder& b = n.b;
    const Value shape = like ? b.shapeOf(n.in(0)) : b.ints(n.ints("shape"));
    const Value made = randomTensor(n, shape, type, n.f(lowKey, 0), n.f(highKey, 1));
    const DataType to = n.hasAttr("dtype") ? dataTypeOf(n.i("dtype", 1)) : like ? n.type() : DataType_DT_FLOAT;
    return {b.cast(made, to)};
}

Outputs randomUniform(Node& n) { return random(n, OpType_RandomUniform, false, "low", "high"); }
Outputs randomUniformLike(Node& n) { return random(n, OpType_RandomUniform, true, "low", "high"); }
Outputs randomNormal(Node& n) { return random(n, OpType_RandomNormal, false, "mean", "scale"); }
Outputs randomNormalLike(Node& n) { return random(n, OpType_RandomNormal, true, "mean", "scale"); }

Outputs bernoulli(Node& n) {
    Builder& b = n.b;
    const Value draw = randomTensor(n, b.shapeOf(n.in(0)), OpType_RandomUniform, 0, 1);
    const Value hit = b.binary(BinaryOpOperation_LESS, draw, b.cast(n.in(0), DataType_DT_FLOAT));
    return {b.cast(hit, n.hasAttr("dtype") ? dataTypeOf(n.i("dtype", 1)) : n.type())};
}

const OpImporter kRows[] = {
    {"Constant", 1, constant},           {"ConstantOfShape", 9, constantOfShape},
    {"ConstantFill", 1, constantFill},   {"Range", 11, range},
    {"RandomUniform", 1, randomUniform}, {"RandomUniformLike", 1, randomUniformLike},
    {"RandomNormal", 1, randomNormal},   {"RandomNormalLike", 1, randomNormalLike},
    {"Bernoulli", 15, bernoulli},
};

}  // namespace

OpFamily constantOps() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

}  // namespace Converter
}  // namespace MNN
