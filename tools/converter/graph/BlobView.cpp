#include "graph/BlobView.hpp"

#include <algorithm>
#include <cstring>

namespace MNN {
namespace Converter {

BlobView::BlobView(const BlobT& blob) : dims(blob.dims), type(blob.dataType) {
    switch (type) {
        case DataType_DT_UINT8:
            data = blob.uint8s.data();
            elementBytes = 1;
            count = blob.uint8s.size();
            break;
        case DataType_DT_INT8:
            data = reinterpret_cast<const uint8_t*>(blob.int8s.data());
            elementBytes = 1;
            count = blob.int8s.size();
            break;
        case DataType_DT_INT32:
            data = reinterpret_cast<const uint8_t*>(blob.int32s.data());
            elementBytes = 4;
            count = blob.int32s.size();
            break;
        case DataType_DT_FLOAT:
            data = reinterpret_cast<const uint8_t*>(blob.float32s.data());
            elementBytes = 4;
            count = blob.float32s.size();
            break;
        default:
            break;
    }
}

double BlobView::at(size_t i) const {
    if (type == DataType_DT_FLOAT) return reinterpret_cast<const float*>(data)[i];
    return static_cast<double>(intAt(i));
}

int64_t BlobView::intAt(size_t i) const {
    switch (type) {
        case DataType_DT_UINT8:
            return data[i];
        case DataType_DT_INT8:
            return reinterpret_cast<const int8_t*>(data)[i];
        case DataType_DT_INT32:
            return reinterpret_cast<const int32_t*>(data)[i];
        default:
            return static_cast<int64_t>(reinterpret_cast<const float*>(data)[i]);
    }
}

bool allocateBlob(BlobT& blob, DataType type, const Dims& dims) {
    const int64_t count = elementCount(dims);
    if (count < 0) return false;
    blob.dims = dims;
    blob.dataType = type;
    switch (type) {
        case DataType_DT_UINT8:
            blob.uint8s.assign(count, 0);
            return true;
        case DataType_DT_INT8:
            blob.int8s.assign(count, 0);
            return true;
        case DataType_DT_INT32:
            blob.int32s.assign(count, 0);
            return true;
        case DataType_DT_FLOAT:
            blob.float32s.assign(count, 0.0f);
            return true;
        default:
            return false;
    }
}

uint8_t* blobData(BlobT& blob) {
    switch (blob.dataType) {
        case DataType_DT_UINT8:
            return blob.uint8s.data();
        case DataType_DT_INT8:
            return reinterpret_cast<uint8_t*>(blob.int8s.data());
        case DataType_DT_INT32:
            return reinterpret_cast<uint8_t*>(blob.int32s.data());
        default:
            return reinterpret_cast<uint8_t*>(blob.float32s.data());
    }
}

template <class T>
static T saturate(int64_t value) {
    return static_cast<T>(
        std::min<int64_t>(std::max<int64_t>(value, std::numeric_limits<T>::min()), std::numeric_limits<T>::max()));
}

void setBlobInt(BlobT& blob, size_t i, int64_t value) {
    switch (blob.dataType) {
        case DataType_DT_UINT8:
            blob.uint8s[i] = saturate<uint8_t>(value);
            break;
        case DataType_DT_INT8:
            blob.int8s[i] = saturate<int8_t>(value);
            break;
        case DataType_DT_INT32:
            blob.int32s[i] = saturate<int32_t>(value);
            break;
        default:
            blob.float32s[i] = static_cast<float>(value);
    }
}

void setBlob(BlobT& blob, size_t i, double value) {
    if (blob.dataType == DataType_DT_FLOAT) {
        blob.float32s[i] = static_cast<float>(value);
        return;
    }
    // NaN and values past int64 have no integer; clamp first so that the conversion is defined.
    const double bounded = value != value ? 0.0 : std::min(std::max(value, -9e18), 9e18);
    setBlobInt(blob, i, static_cast<int64_t>(bounded));
}

std::vector<int64_t> contiguousStrides(const Dims& dims) {
    std::vector<int64_t> strides(dims.size(), 1);
    for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
    return strides;
}

bool broadcastDims(const Dims& a, const Dims& b, Dims& out) {
    out.assign(std::max(a.size(), b.size()), 1);
    for (size_t i = 0; i < out.size(); ++i) {
        const int da = i + a.size() >= out.size() ? a[i + a.size() - out.size()] : 1;
        const int db = i + b.size() >= out.size() ? b[i + b.size() - out.size()] : 1;
        if (da < 0 || db < 0 || (da != db && da != 1 && db != 1)) return false;
        out[i] = da == 1 ? db : da;
    }
    return true;
}

std::vector<int64_t> broadcastStrides(const Dims& from, const Dims& to) {
    const std::vector<int64_t> own = contiguousStrides(from);
    std::vector<int64_t> strides(to.size(), 0);
    const size_t lead = to.size() - from.size();
    for (size_t i = 0; i < from.size(); ++i) strides[lead + i] = from[i] == 1 ? 0 : own[i];
    return strides;
}

void Odometer::next() {
    for (size_t axis = mDims.size(); axis-- > 0;) {
        for (size_t s = 0; s < mOffset.size(); ++s) mOffset[s] += mStrides[s][axis];
        if (++mIndex[axis] < mDims[axis]) return;
        for (size_t s = 0; s < mOffset.size(); ++s) mOffset[s] -= mStrides[s][axis] * mDims[axis];
        mIndex[axis] = 0;
    }
}

}  // namespace Converter
}  // namespace MNN
