#include "core/TensorUtils.hpp"

#include <MNN/MNNDefine.h>
#include <cstdlib>
#include <cstring>
#include "core/HostMemory.hpp"

namespace MNN {

namespace {

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t spatialOf(const Tensor* t) {
    int64_t n = 1;
    for (int i = 2; i < t->dimensions(); ++i) n *= t->length(i);
    return n;
}

// A digit of a mixed-radix number: `size` steps of `stride` source elements.
struct Digit {
    int64_t size;
    int64_t stride;
};

// The loops of a Region that writes [0, elements) in order, innermost first. False when it writes in another order or
// has gaps.
bool digitsOf(const core::Region& r, int64_t elements, std::vector<Digit>* digits) {
    std::vector<std::pair<int64_t, Digit>> loops;
    for (int i = 0; i < core::kRegionLoops; ++i) {
        if (r.size[i] != 1) loops.push_back({r.dst.stride[i], {r.size[i], r.src.stride[i]}});
    }
    for (size_t i = 1; i < loops.size(); ++i) {
        for (size_t j = i; j > 0 && loops[j].first < loops[j - 1].first; --j) std::swap(loops[j], loops[j - 1]);
    }
    if (r.dst.offset != 0) return false;
    int64_t covered = 1;
    for (const auto& loop : loops) {
        if (loop.first != covered) return false;
        covered *= loop.second.size;
        digits->push_back(loop.second);
    }
    return covered == elements;
}

// Source strides of dimensions `lengths` (outermost first) over the digits (innermost first).
bool stridesOver(std::vector<Digit> digits, const std::vector<int>& lengths, std::vector<int64_t>* strides) {
    strides->assign(lengths.size(), 0);
    size_t at = 0;
    for (int d = static_cast<int>(lengths.size()) - 1; d >= 0; --d) {
        int64_t left = lengths[d];
        int64_t stride = 0, taken = 1;
        while (left > 1) {
            while (at < digits.size() && digits[at].size == 1) ++at;
            if (at >= digits.size()) return false;
            Digit& digit = digits[at];
            if (taken == 1) {
                stride = digit.stride;
            } else if (digit.stride != stride * taken) {
                return false;
            }
            if (digit.size % left == 0) {
                digit.size /= left;
                digit.stride *= left;
                left = 1;
            } else if (left % digit.size == 0) {
                left /= digit.size;
                taken *= digit.size;
                digit.size = 1;
            } else {
                return false;
            }
        }
        (*strides)[d] = stride;
    }
    return true;
}

}  // namespace

void TensorUtils::copyShape(const Tensor* src, Tensor* dst) {
    dst->buffer().dimensions = src->dimensions();
    dst->buffer().type = src->getType();
    for (int i = 0; i < src->dimensions(); ++i) {
        dst->buffer().dim[i].extent = src->buffer().dim[i].extent;
    }
    describe(dst)->format = describe(src)->format;
    describe(dst)->pack = describe(src)->pack;
    setLinearLayout(dst);
}

void TensorUtils::setShape(Tensor* t, const std::vector<int>& shape) {
    const int rank = static_cast<int>(shape.size()) > kMaxRank ? kMaxRank : static_cast<int>(shape.size());
    t->buffer().dimensions = rank;
    for (int i = 0; i < rank; ++i) t->buffer().dim[i].extent = shape[i];
    setLinearLayout(t);
}

void TensorUtils::setLinearLayout(Tensor* t) {
    int64_t stride = 1;
    for (int i = t->dimensions() - 1; i >= 0; --i) {
        t->buffer().dim[i].stride = static_cast<int32_t>(stride);
        stride *= t->length(i);
    }
}

void TensorUtils::setFormat(Tensor* t, MNN_DATA_FORMAT format, int pack) {
    describe(t)->format = format;
    describe(t)->pack = pack;
}

int64_t TensorUtils::elements(const Tensor* t) {
    int64_t n = 1;
    for (int i = 0; i < t->dimensions(); ++i) n *= t->length(i);
    return n;
}

int64_t TensorUtils::storageElements(const Tensor* t) {
    if (!isPacked(t) || t->dimensions() < 2) return elements(t);
    const int64_t pack = describe(t)->pack;
    return t->length(0) * ceilDiv(t->length(1), pack) * pack * spatialOf(t);
}

size_t TensorUtils::storageBytes(const Tensor* t) {
    return static_cast<size_t>(storageElements(t)) * t->getType().bytes();
}

std::vector<int> TensorUtils::storageShape(const Tensor* t) {
    if (!isPacked(t) || t->dimensions() < 2) return t->shape();
    const int pack = describe(t)->pack;
    return {t->length(0), static_cast<int>(ceilDiv(t->length(1), pack)), static_cast<int>(spatialOf(t)), pack};
}

bool TensorUtils::sameShape(const Tensor* a, const Tensor* b) {
    if (a->dimensions() != b->dimensions()) return false;
    for (int i = 0; i < a->dimensions(); ++i) {
        if (a->length(i) != b->length(i)) return false;
    }
    return true;
}

bool TensorUtils::sameStorage(const Tensor* a, const Tensor* b) {
    if (isPacked(a) != isPacked(b)) return false;
    if (isPacked(a)) return describe(a)->pack == describe(b)->pack && sameShape(a, b);
    return elements(a) == elements(b);
}

void TensorUtils::setVirtual(Tensor* t, core::RegionList regions) {
    describe(t)->memory = TensorMemory::Virtual;
    describe(t)->regions = std::move(regions);
}

bool TensorUtils::allocHost(Tensor* t) {
    const size_t bytes = storageBytes(t);
    auto memory = HostMemory::allocate(bytes);
    if (memory == nullptr) {
        MNN_ERROR("out of memory: %zu bytes for %s\n", bytes, text(t).c_str());
        return false;
    }
    adoptHost(t, memory);
    return true;
}

void TensorUtils::adoptHost(Tensor* t, const std::shared_ptr<HostMemory>& memory) {
    t->buffer().host = static_cast<uint8_t*>(memory->data());
    describe(t)->holder = memory;
    describe(t)->memory = TensorMemory::Host;
}

halide_type_t TensorUtils::halideType(DataType type) {
    switch (type) {
        case DataType_DT_FLOAT:
        case DataType_DT_DOUBLE:
            return halide_type_of<float>();
        case DataType_DT_HALF:
            return halide_type_t(halide_type_float, 16);
        case DataType_DT_BFLOAT16:
            return halide_type_t(halide_type_bfloat, 16);
        case DataType_DT_UINT8:
        case DataType_DT_QUINT8:
            return halide_type_of<uint8_t>();
        case DataType_DT_INT8:
        case DataType_DT_QINT8:
            return halide_type_of<int8_t>();
        case DataType_DT_INT32:
        case DataType_DT_INT64:
        case DataType_DT_INT16:
        case DataType_DT_UINT16:
        case DataType_DT_BOOL:
        case DataType_DT_QINT32:
        case DataType_DT_QINT16:
        case DataType_DT_QUINT16:
            return halide_type_of<int32_t>();
        default:
            return halide_type_of<float>();
    }
}

DataType TensorUtils::dataType(halide_type_t type) {
    if (type.code == halide_type_float) return type.bits == 16 ? DataType_DT_HALF : DataType_DT_FLOAT;
    if (type.code == halide_type_bfloat) return DataType_DT_BFLOAT16;
    if (type.code == halide_type_uint) return type.bits == 8 ? DataType_DT_UINT8 : DataType_DT_INT32;
    return type.bits == 8 ? DataType_DT_INT8 : DataType_DT_INT32;
}

std::string TensorUtils::text(const Tensor* t) {
    static const char* const kCodes[] = {"int", "uint", "float", "handle", "bfloat"};
    const halide_type_t type = t->getType();
    std::string s = static_cast<unsigned>(type.code) < 5 ? kCodes[type.code] : "type";
    s += std::to_string(type.bits) + "[";
    for (int i = 0; i < t->dimensions(); ++i) {
        if (i > 0) s += ",";
        s += std::to_string(t->length(i));
    }
    return s + "]";
}

bool stridedInput(const Tensor* input, const std::vector<int>& lengths, StridedInput* result) {
    int64_t wanted = 1;
    for (int n : lengths) wanted *= n;
    const int64_t have = TensorUtils::storageElements(input);
    if (wanted != have) return false;
    const auto* describe = TensorUtils::describe(input);
    std::vector<Digit> digits;
    result->storage = input;
    result->offset = 0;
    if (have == 0) {
        result->stride.assign(lengths.size(), 0);
        return true;
    }
    if (describe->memory == TensorMemory::Virtual) {
        if (describe->regions.size() != 1) return false;
        const core::Region& region = describe->regions.front();
        if (!digitsOf(region, have, &digits)) return false;
        result->storage = region.origin;
        result->offset = region.src.offset;
    } else {
        digits.push_back({have, 1});
    }
    return stridesOver(std::move(digits), lengths, &result->stride);
}

}  // namespace MNN
