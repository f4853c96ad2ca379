#include <MNN/Tensor.hpp>

#include <MNN/MNNDefine.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include "core/Backend.hpp"
#include "core/HostMemory.hpp"
#include "core/LayoutCopy.hpp"
#include "core/TensorUtils.hpp"

namespace MNN {
namespace {

MNN_DATA_FORMAT formatOf(Tensor::DimensionType type) {
    switch (type) {
        case Tensor::TENSORFLOW:
            return MNN_DATA_FORMAT_NHWC;
        case Tensor::CAFFE_C4:
            return MNN_DATA_FORMAT_NC4HW4;
        default:
            return MNN_DATA_FORMAT_NCHW;
    }
}

bool channelsLast(const Tensor* t) { return TensorUtils::describe(t)->format == MNN_DATA_FORMAT_NHWC; }

// shape of `src` listed in the order of `type`.
std::vector<int> shapeIn(const Tensor* src, Tensor::DimensionType type) {
    std::vector<int> shape = src->shape();
    const bool wantLast = type == Tensor::TENSORFLOW;
    if (shape.size() < 3 || wantLast == channelsLast(src)) return shape;
    if (wantLast) {
        std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
    } else {
        std::rotate(shape.begin() + 1, shape.end() - 1, shape.end());
    }
    return shape;
}

int64_t publicElements(const Tensor* t) {
    int64_t n = 1;
    for (int i = 0; i < t->dimensions(); ++i) {
        const int64_t length = t->length(i);
        n *= i == 1 && TensorUtils::isPacked(t) ? (length + 3) / 4 * 4 : length;
    }
    return n;
}

}  // namespace

Tensor::Tensor(int dimSize, DimensionType type) {
    mDescribe = new InsideDescribe;
    mDescribe->format = formatOf(type);
    mBuffer = halide_buffer_t();
    mBuffer.dim = mDescribe->dims;
    mBuffer.dimensions = std::min(std::max(dimSize, 0), kMaxRank);
    mBuffer.type = halide_type_of<float>();
}

Tensor::Tensor(const Tensor* tensor, DimensionType type, bool allocMemory) : Tensor(tensor->dimensions(), type) {
    mBuffer.type = tensor->getType();
    mDescribe->quantScale = tensor->mDescribe->quantScale;
    mDescribe->quantZero = tensor->mDescribe->quantZero;
    TensorUtils::setShape(this, shapeIn(tensor, type));
    if (allocMemory) TensorUtils::allocHost(this);
}

Tensor::Tensor(bool, const Tensor* tensor) : Tensor(tensor->dimensions(), tensor->getDimensionType()) {
    TensorUtils::copyShape(tensor, this);
    mBuffer.host = tensor->mBuffer.host;
    mBuffer.device = tensor->mBuffer.device;
    mDescribe->memory = tensor->mDescribe->memory;
    mDescribe->backend = tensor->mDescribe->backend;
    mDescribe->holder = tensor->mDescribe->holder;
}

Tensor::~Tensor() { delete mDescribe; }

Tensor* Tensor::createDevice(const std::vector<int>& shape, halide_type_t type, DimensionType dimType) {
    auto* t = new Tensor(static_cast<int>(shape.size()), dimType);
    t->mBuffer.type = type;
    TensorUtils::setShape(t, shape);
    return t;
}

Tensor* Tensor::create(const std::vector<int>& shape, halide_type_t type, void* data, DimensionType dimType) {
    Tensor* t = createDevice(shape, type, dimType);
    if (data != nullptr) {
        t->mBuffer.host = static_cast<uint8_t*>(data);
        t->mDescribe->memory = TensorMemory::Host;
        return t;
    }
    if (!TensorUtils::allocHost(t)) {
        delete t;
        return nullptr;
    }
    return t;
}

Tensor* Tensor::clone(const Tensor* src, bool deepCopy) {
    if (src == nullptr || deepCopy) return nullptr;
    return new Tensor(deepCopy, src);
}

void Tensor::destroy(Tensor* tensor) { delete tensor; }

bool Tensor::copyFromHostTensor(const Tensor* hostTensor) {
    if (hostTensor == nullptr) return false;
    if (mDescribe->backend != nullptr) return mDescribe->backend->onCopyBuffer(hostTensor, this);
    return copyLayout(hostTensor, this);
}

bool Tensor::copyToHostTensor(Tensor* hostTensor) const {
    if (hostTensor == nullptr) return false;
    if (mDescribe->backend != nullptr) return mDescribe->backend->onCopyBuffer(this, hostTensor);
    return copyLayout(this, hostTensor);
}

Tensor* Tensor::createHostTensorFromDevice(const Tensor* deviceTensor, bool copyData) {
    auto* host = new Tensor(deviceTensor, deviceTensor->getDimensionType(), true);
    if (copyData && !deviceTensor->copyToHostTensor(host)) {
        delete host;
        return nullptr;
    }
    return host;
}

Tensor::DimensionType Tensor::getDimensionType() const {
    switch (mDescribe->format) {
        case MNN_DATA_FORMAT_NHWC:
            return TENSORFLOW;
        case MNN_DATA_FORMAT_NC4HW4:
            return CAFFE_C4;
        default:
            return CAFFE;
    }
}

Tensor::HandleDataType Tensor::getHandleDataType() const { return HANDLE_NONE; }

void Tensor::setType(int type) { mBuffer.type = TensorUtils::halideType(static_cast<DataType>(type)); }

std::vector<int> Tensor::shape() const {
    std::vector<int> result(mBuffer.dimensions);
    for (int i = 0; i < mBuffer.dimensions; ++i) result[i] = mBuffer.dim[i].extent;
    return result;
}

int Tensor::size() const { return static_cast<int>(usize()); }

size_t Tensor::usize() const { return static_cast<size_t>(publicElements(this)) * mBuffer.type.bytes(); }

int Tensor::elementSize() const { return static_cast<int>(publicElements(this)); }

bool Tensor::getDeviceInfo(void*, int) const { return false; }

void Tensor::printShape() const { MNN_PRINT("%s\n", TensorUtils::text(this).c_str()); }

void Tensor::print() const {
    Tensor host(this, channelsLast(this) ? TENSORFLOW : CAFFE, true);
    if (!copyToHostTensor(&host)) return;
    printShape();
    const int64_t count = TensorUtils::elements(&host);
    std::string line;
    for (int64_t i = 0; i < count; ++i) {
        char text[32];
        const halide_type_t type = getType();
        if (type.code == halide_type_float && type.bits == 32) {
            std::snprintf(text, sizeof(text), "%g ", host.host<float>()[i]);
        } else if (type.bits == 8) {
            std::snprintf(text, sizeof(text), "%d ",
                          type.code == halide_type_uint ? host.host<uint8_t>()[i] : host.host<int8_t>()[i]);
        } else {
            std::snprintf(text, sizeof(text), "%d ", host.host<int32_t>()[i]);
        }
        line += text;
        if ((i + 1) % 16 == 0 || i + 1 == count) {
            MNN_PRINT("%s\n", line.c_str());
            line.clear();
        }
    }
}

void* Tensor::map(MapType mtype, DimensionType dtype) {
    Backend* backend = mDescribe->backend;
    if (backend != nullptr) {
        if (void* mapped = backend->onMapTensor(mtype, dtype, this)) return mapped;
    }
    Tensor host(this, dtype, false);
    void* block = std::malloc(std::max<size_t>(host.usize(), 1));
    if (block == nullptr) return nullptr;
    host.mBuffer.host = static_cast<uint8_t*>(block);
    if (mtype == MAP_TENSOR_READ && !copyToHostTensor(&host)) {
        std::free(block);
        return nullptr;
    }
    return block;
}

void Tensor::unmap(MapType mtype, DimensionType dtype, void* mapPtr) {
    if (mapPtr == nullptr) return;
    Backend* backend = mDescribe->backend;
    if (backend != nullptr && backend->onUnmapTensor(mtype, dtype, mapPtr, this)) return;
    if (mtype == MAP_TENSOR_WRITE) {
        Tensor host(this, dtype, false);
        host.buffer().host = static_cast<uint8_t*>(mapPtr);
        copyFromHostTensor(&host);
    }
    std::free(mapPtr);
}

int Tensor::wait(MapType mtype, bool finish) {
    return mDescribe->backend == nullptr ? 0 : mDescribe->backend->onSync(mtype, finish, this);
}

bool Tensor::setDevicePtr(const void*, int) { return false; }

}  // namespace MNN
