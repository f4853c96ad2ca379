#include "graph/Graph.hpp"

#include <cstdint>

namespace MNN {
namespace Converter {

DataType storedType(DataType type) {
    switch (type) {
        case DataType_DT_DOUBLE:
        case DataType_DT_HALF:
        case DataType_DT_BFLOAT16:
        case DataType_DT_FLOAT:
            return DataType_DT_FLOAT;
        case DataType_DT_INT8:
            return DataType_DT_INT8;
        case DataType_DT_UINT8:
            return DataType_DT_UINT8;
        case DataType_DT_STRING:
            return DataType_DT_STRING;
        default:
            return DataType_DT_INT32;
    }
}

bool isFloat(DataType type) { return storedType(type) == DataType_DT_FLOAT; }

bool isSmallInteger(DataType type) { return type == DataType_DT_INT8 || type == DataType_DT_UINT8; }

bool isCompare(BinaryOpOperation operation) {
    switch (operation) {
        case BinaryOpOperation_GREATER:
        case BinaryOpOperation_GREATER_EQUAL:
        case BinaryOpOperation_LESS:
        case BinaryOpOperation_LESS_EQUAL:
        case BinaryOpOperation_EQUAL:
        case BinaryOpOperation_NOTEQUAL:
        case BinaryOpOperation_LOGICALOR:
        case BinaryOpOperation_LOGICALXOR:
            return true;
        default:
            return false;
    }
}

int64_t elementCount(const Dims& dims) {
    int64_t count = 1;
    for (int d : dims) {
        if (d < 0) return -1;
        count *= d;
        if (count > INT32_MAX) return -1;
    }
    return count;
}

std::string describe(const Dims& dims) {
    std::string text = "[";
    for (size_t i = 0; i < dims.size(); ++i) {
        if (i > 0) text += ",";
        text += dims[i] < 0 ? std::string("?") : std::to_string(dims[i]);
    }
    return text + "]";
}

GraphIndex::GraphIndex(const Graph& graph)
    : mProducer(graph.tensors.size(), nullptr), mReaders(graph.tensors.size()), mOutput(graph.tensors.size(), 0) {
    for (const auto& op : graph.ops) {
        for (Value v : op->outputIndexes) mProducer[v] = op.get();
        for (Value v : op->inputIndexes) mReaders[v].push_back(op.get());
    }
    for (Value v : graph.outputs) mOutput[v] = 1;
}

const BlobT* GraphIndex::constant(Value value) const {
    const OpT* op = producer(value);
    return op && op->type == OpType_Const ? op->main.AsBlob() : nullptr;
}

}  // namespace Converter
}  // namespace MNN
