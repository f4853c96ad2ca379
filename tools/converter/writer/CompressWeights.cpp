// How weights are stored: float, half, or integers of 2 to 8 bits with a scale for each group.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "writer/ModelWriter.hpp"
#include "writer/QuantizeGroup.hpp"

namespace MNN {
namespace Converter {

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

// How one layer is stored. bits 0 keeps floats.
struct LayerChoice {
    QuantizeMethod method;
    int block = -1;
};

LayerChoice choiceFor(const OpT& op, const WriteOptions& options) {
    LayerChoice choice;
    choice.method.bits = options.weightQuantBits;
    choice.method.asymmetric = options.weightQuantAsymmetric;
    choice.block = options.weightQuantBlock;
    const auto planned = options.plan.layers.find(op.name);
    if (planned != options.plan.layers.end()) {
        choice.method.bits = planned->second.bits;
        choice.method.asymmetric = planned->second.asymmetric;
        choice.block = planned->second.blockSize;
    }
    choice.method.hqq = options.hqq && choice.method.asymmetric;
    choice.method.halfScales = options.weightQuantScaleBit == 16;
    return choice;
}

void keepScales(IDSTQuanT& quan, bool half) {
    if (!half) return;
    quan.scaleStorage = ScaleStorageType_FP16;
    for (float value : quan.alpha) quan.alphaFp16.push_back(floatToHalf(value));
    quan.alpha.clear();
}

void quantize(Convolution2DT& conv, const LayerChoice& choice) {
    const QuantizeMethod& method = choice.method;
    const size_t outputs = conv.bias.size(), each = conv.weight.size() / outputs;
    const int kernel = std::max(conv.common->kernelX * conv.common->kernelY, 1);
    const size_t inputs = each / kernel;
    const int block = choice.block;
    const bool blocked = block >= 16 && block % 16 == 0 && inputs % block == 0;
    const size_t groups = blocked ? inputs / block : 1, size = each / groups;
    std::vector<int8_t> q(conv.weight.size());
    auto quan = std::make_unique<IDSTQuanT>();
    for (size_t g = 0; g < outputs * groups; ++g) {
        const QuantizedGroup group = quantizeGroup(conv.weight.data() + g * size, size, method, q.data() + g * size);
        if (method.asymmetric) quan->alpha.push_back(group.minimum);
        quan->alpha.push_back(group.scale);
    }
    keepScales(*quan, method.halfScales);
    quan->type = 1;
    quan->quantScale = 1.0f;
    quan->aMaxOrBits = method.bits;
    quan->aMin = method.asymmetric ? -(1 << (method.bits - 1)) : 0;
    quan->readType = method.asymmetric ? static_cast<int>(outputs * groups) : 0;
    quan->shapeInt32 = outputs > 65535 || each > 65535;
    quan->weightSize = static_cast<uint32_t>(conv.weight.size());
    quan->buffer = codeDense(q, outputs, method.bits, quan->shapeInt32);
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
        const LayerChoice choice = choiceFor(op, options);
        if (hasWeights && choice.method.bits > 0 && storesRowPerOutput(op))
            quantize(*conv, choice);
        else if (hasWeights && options.fp16)
            storeHalf(*conv);
        if (BlobT* blob = op.main.AsBlob(); blob && options.fp16) storeHalf(*blob);
    });
}

}  // namespace Converter
}  // namespace MNN
