#include <cstdio>
#include <cstring>

#include "writer/ModelWriter.hpp"
#include "writer/TempFile.hpp"

namespace MNN {
namespace Converter {

namespace {

// FlatBuffers addresses 2 GiB; above this the weights move to the side file.
constexpr uint64_t kMaxInline = 1900ull << 20;
// Smaller constants stay in the model file.
constexpr size_t kMinExternalElements = 1024;

template <class T>
int64_t moveOut(std::vector<T>& data, TempFile& file) {
    const int64_t bytes = static_cast<int64_t>(data.size() * sizeof(T));
    file.write(data.data(), static_cast<size_t>(bytes));
    data.clear();
    data.shrink_to_fit();
    return bytes;
}

void moveConvolution(Convolution2DT& conv, TempFile& file) {
    const int64_t offset = file.size();
    if (conv.quanParameter) {
        IDSTQuanT& q = *conv.quanParameter;
        conv.external = {offset, moveOut(q.buffer, file)};
        conv.external.push_back(q.scaleStorage == ScaleStorageType_FP16 ? moveOut(q.alphaFp16, file)
                                                                        : moveOut(q.alpha, file));
        conv.external.push_back(moveOut(conv.bias, file));
        conv.external.push_back(moveOut(q.index, file));
    } else if (!conv.weight.empty()) {
        conv.external = {offset, moveOut(conv.weight, file)};
        conv.external.push_back(moveOut(conv.bias, file));
    }
}

void moveBlob(BlobT& blob, TempFile& file) {
    const size_t count = blob.float32s.size() + blob.int32s.size() + blob.int8s.size() + blob.uint8s.size();
    if (count <= kMinExternalElements) return;
    const int64_t offset = file.size();
    const int64_t bytes = moveOut(blob.float32s, file) + moveOut(blob.int32s, file) + moveOut(blob.int8s, file) +
                          moveOut(blob.uint8s, file);
    blob.external = {offset, bytes};
}

void moveWeights(NetT& net, TempFile& file) {
    eachOp(net, [&](OpT& op) {
        if (Convolution2DT* conv = op.main.AsConvolution2D())
            moveConvolution(*conv, file);
        else if (Convolution3DT* conv3 = op.main.AsConvolution3D()) {
            if (conv3->weight.empty()) return;
            const int64_t offset = file.size();
            conv3->external = {offset, moveOut(conv3->weight, file)};
            conv3->external.push_back(moveOut(conv3->bias, file));
        } else if (BlobT* blob = op.main.AsBlob())
            moveBlob(*blob, file);
    });
}

uint64_t weightBytes(const NetT& net) {
    uint64_t bytes = 0;
    eachOp(net, [&](const OpT& op) {
        if (const auto* conv = op.main.AsConvolution2D()) {
            bytes += conv->weight.size() * 4 + (conv->quanParameter ? conv->quanParameter->buffer.size() : 0);
        } else if (const auto* conv3 = op.main.AsConvolution3D()) {
            bytes += conv3->weight.size() * 4;
        } else if (const auto* blob = op.main.AsBlob()) {
            bytes += blob->float32s.size() * 4 + blob->int32s.size() * 4 + blob->int8s.size() + blob->uint8s.size();
        }
    });
    return bytes;
}

std::vector<uint8_t> pack(const NetT& net) {
    flatbuffers::FlatBufferBuilder builder(1 << 20);
    builder.ForceDefaults(true);
    builder.Finish(Net::Pack(builder, &net));
    const uint8_t* data = builder.GetBufferPointer();
    return std::vector<uint8_t>(data, data + builder.GetSize());
}

// Names the model by its content: the same input gives the same file.
std::string contentId(const std::vector<uint8_t>& bytes) {
    uint64_t hash[2] = {1469598103934665603ull, 1099511628211ull * 31};
    for (uint8_t byte : bytes) {
        hash[0] = (hash[0] ^ byte) * 1099511628211ull;
        hash[1] = (hash[1] + byte) * 6364136223846793005ull + 1442695040888963407ull;
    }
    char text[33];
    std::snprintf(text, sizeof(text), "%016llx%016llx", static_cast<unsigned long long>(hash[0]),
                  static_cast<unsigned long long>(hash[1]));
    return text;
}

}  // namespace

void saveNet(NetT& net, const WriteOptions& options, const std::string& path) {
    std::unique_ptr<TempFile> side;
    if (options.saveExternalData || weightBytes(net) > kMaxInline) {
        side = std::make_unique<TempFile>(path + ".weight");
        moveWeights(net, *side);
    }
    if (net.mnn_uuid.empty()) net.mnn_uuid = contentId(pack(net));
    const std::vector<uint8_t> bytes = pack(net);
    TempFile file(path);
    file.write(bytes.data(), bytes.size());
    if (side) side->finish();
    file.finish();
}

}  // namespace Converter
}  // namespace MNN
