// How weights are stored: float, half, or integers of 2 to 8 bits with a scale for each group.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "writer/ModelWriter.hpp"

namespace MNN {
namespace Converter {

uint16_t floatToHalf(float value) {
    const float limited = std::min(std::max(value, -65504.0f), 65504.0f);
    uint32_t bits;
    std::memcpy(&bits, &limited, 4);
    const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
    const int exponent = static_cast<int>((bits >> 23) & 255) - 127 + 15;
    uint32_t mantissa = bits & 0x7fffff;
    if (value != value) return static_cast<uint16_t>(sign | 0x7e00);
    if (exponent < -10) return sign;
    // Round to nearest even at the bit where a half's fraction ends.
    const int shift = exponent <= 0 ? 14 - exponent : 13;
    if (exponent <= 0) mantissa |= 0x800000;
    const uint32_t half = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), middle = 1u << (shift - 1);
    const uint32_t rounded = half + (rest > middle || (rest == middle && (half & 1)));
    return static_cast<uint16_t>(sign | ((exponent <= 0 ? 0 : exponent << 10) + rounded));
}

namespace {

std::vector<int8_t> halfBytes(const std::vector<float>& values) {
    std::vector<int8_t> bytes(values.size() * 2);
    for (size_t i = 0; i < values.size(); ++i) {
        const uint16_t half = floatToHalf(values[i]);
        std::memcpy(bytes.data() + i * 2, &half, 2);
    }
    return bytes;
}

void storeHalf(Convolution2DT& conv) {
    conv.quanParameter = std::make_unique<IDSTQuanT>();
    conv.quanParameter->type = 3;
    conv.quanParameter->buffer = halfBytes(conv.weight);
    conv.quanParameter->weightSize = static_cast<uint32_t>(conv.weight.size());
    conv.weight.clear();
}

void storeHalf(BlobT& blob) {
    if (blob.dataType != DataType_DT_FLOAT || blob.float32s.empty()) return;
    const std::vector<int8_t> bytes = halfBytes(blob.float32s);
    blob.uint8s.assign(bytes.begin(), bytes.end());
    blob.float32s.clear();
    blob.dataType = DataType_DT_HALF;
}

// One group of weights that share a scale, as integers of `bits` bits. Writes q in [-2^(bits-1), 2^(bits-1) - 1].
struct Group {
    float minimum = 0, scale = 0;
};

Group quantizeAsymmetric(const float* w, size_t count, int bits, int8_t* q) {
    const int low = -(1 << (bits - 1)), high = (1 << (bits - 1)) - 1;
    const auto range = std::minmax_element(w, w + count);
    Group g;
    g.minimum = *range.first;
    g.scale = (*range.second - *range.first) / static_cast<float>((1 << bits) - 1);
    for (size_t i = 0; i < count; ++i) {
        const float step = g.scale > 0 ? std::round((w[i] - g.minimum) / g.scale) : 0.0f;
        q[i] = static_cast<int8_t>(std::min(std::max(static_cast<int>(step) + low, low), high));
    }
    return g;
}

Group quantizeSymmetric(const float* w, size_t count, int bits, int8_t* q) {
    const int high = (1 << (bits - 1)) - 1;
    float top = 0;
    for (size_t i = 0; i < count; ++i) top = std::max(top, std::fabs(w[i]));
    Group g;
    g.scale = top / static_cast<float>(high);
    for (size_t i = 0; i < count; ++i) {
        const float step = g.scale > 0 ? std::round(w[i] / g.scale) : 0.0f;
        q[i] = static_cast<int8_t>(std::min(std::max(static_cast<int>(step), -high), high));
    }
    return g;
}

// The dense coding: number of dims, dims, size of the value map (0 for 256), the map, then indexes into it, most
// significant bit first.
std::vector<int8_t> codeDense(const std::vector<int8_t>& q, size_t rows, int bits, bool wideDims) {
    std::vector<uint8_t> out = {2};
    for (size_t dim : {rows, q.size() / rows}) {
        for (int byte = 0; byte < (wideDims ? 4 : 2); ++byte) out.push_back(static_cast<uint8_t>(dim >> (8 * byte)));
    }
    const int low = -(1 << (bits - 1)), values = 1 << bits;
    out.push_back(static_cast<uint8_t>(values));
    for (int v = 0; v < values; ++v) out.push_back(static_cast<uint8_t>(low + v));
    const size_t begin = out.size();
    out.resize(begin + (q.size() * bits + 7) / 8, 0);
    size_t at = 0;
    for (int8_t value : q) {
        const unsigned index = static_cast<unsigned>(value - low);
        for (int bit = bits - 1; bit >= 0; --bit, ++at) {
            if (index >> bit & 1) out[begin + at / 8] |= static_cast<uint8_t>(0x80 >> (at % 8));
        }
    }
    return std::vector<int8_t>(out.begin(), out.end());
}

void quantize(Convolution2DT& conv, const WriteOptions& options) {
    const int bits = std::min(std::max(options.weightQuantBits, 2), 8);
    const size_t outputs = conv.bias.size(), each = conv.weight.size() / outputs;
    const int kernel = std::max(conv.common->kernelX * conv.common->kernelY, 1);
    const size_t inputs = each / kernel;
    const int block = options.weightQuantBlock;
    const bool blocked = block >= 16 && block % 16 == 0 && inputs % block == 0;
    const size_t groups = blocked ? inputs / block : 1, size = each / groups;
    std::vector<int8_t> q(conv.weight.size());
    auto quan = std::make_unique<IDSTQuanT>();
    for (size_t g = 0; g < outputs * groups; ++g) {
        const float* w = conv.weight.data() + g * size;
        const Group group = options.weightQuantAsymmetric ? quantizeAsymmetric(w, size, bits, q.data() + g * size)
                                                          : quantizeSymmetric(w, size, bits, q.data() + g * size);
        if (options.weightQuantAsymmetric) quan->alpha.push_back(group.minimum);
        quan->alpha.push_back(group.scale);
    }
    quan->type = 1;
    quan->quantScale = 1.0f;
    quan->aMaxOrBits = bits;
    quan->aMin = options.weightQuantAsymmetric ? -(1 << (bits - 1)) : 0;
    quan->readType = options.weightQuantAsymmetric ? static_cast<int>(outputs * groups) : 0;
    quan->shapeInt32 = outputs > 65535 || each > 65535;
    quan->weightSize = static_cast<uint32_t>(conv.weight.size());
    quan->buffer = codeDense(q, outputs, bits, quan->shapeInt32);
    conv.quanParameter = std::move(quan);
    conv.weight.clear();
}

void flush(std::vector<float>& values) {
    for (float& v : values) {
        if (std::fabs(v) < 1.18e-38f) v = 0.0f;
    }
}

bool storesRowPerOutput(const OpT& op) {
    return op.type == OpType_Convolution || op.type == OpType_ConvolutionDepthwise;
}

}  // namespace

void compressWeights(NetT& net, const WriteOptions& options) {
    eachOp(net, [&](OpT& op) {
        Convolution2DT* conv = op.main.AsConvolution2D();
        const bool hasWeights = conv && !conv->weight.empty() && !conv->quanParameter && !conv->bias.empty();
        if (hasWeights && options.flushDenormals) {
            flush(conv->weight);
            flush(conv->bias);
        }
        if (hasWeights && options.weightQuantBits > 0 && storesRowPerOutput(op))
            quantize(*conv, options);
        else if (hasWeights && options.fp16)
            storeHalf(*conv);
        if (BlobT* blob = op.main.AsBlob(); blob && options.fp16) storeHalf(*blob);
    });
}

}  // namespace Converter
}  // namespace MNN
