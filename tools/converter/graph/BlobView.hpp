// Reading and making constant tensors whatever their element type.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/Graph.hpp"

namespace MNN {
namespace Converter {

// Elements of a Blob as bytes, with typed access by index.
struct BlobView {
    explicit BlobView(const BlobT& blob);
    double at(size_t i) const;
    int64_t intAt(size_t i) const;

    const Dims& dims;
    DataType type;
    const uint8_t* data = nullptr;
    size_t elementBytes = 0;
    size_t count = 0;  // elements really present
};

// Gives `blob` the type and dims and zeroed room for its elements; false when the element count is not representable.
bool allocateBlob(BlobT& blob, DataType storedType, const Dims& dims);
uint8_t* blobData(BlobT& blob);
void setBlob(BlobT& blob, size_t i, double value);
void setBlobInt(BlobT& blob, size_t i, int64_t value);  // saturates to the element type

std::vector<int64_t> contiguousStrides(const Dims& dims);
// Joins shapes by the broadcasting rule; false when they do not match or a size is unknown.
bool broadcastDims(const Dims& a, const Dims& b, Dims& out);
// Strides to read a tensor of shape `from` as if it had shape `to` (0 repeats an axis).
std::vector<int64_t> broadcastStrides(const Dims& from, const Dims& to);

// Counts through an index space, keeping one linear offset per stride set.
class Odometer {
public:
    Odometer(const Dims& dims, std::vector<std::vector<int64_t>> strides)
        : mDims(dims), mStrides(std::move(strides)), mIndex(dims.size(), 0), mOffset(mStrides.size(), 0) {}
    int64_t offset(size_t set) const { return mOffset[set]; }
    void next();

private:
    const Dims mDims;
    const std::vector<std::vector<int64_t>> mStrides;
    Dims mIndex;
    std::vector<int64_t> mOffset;
};

}  // namespace Converter
}  // namespace MNN
