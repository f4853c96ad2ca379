#include <cstring>
#include <fstream>

#include "writer/ModelWriter.hpp"

namespace MNN {
namespace Converter {

namespace {

// The pieces that a table's `external` lists, one after the other.
class Pieces {
public:
    Pieces(std::ifstream& file, int64_t fileSize, const std::vector<int64_t>& external, const std::string& path)
        : mFile(file), mFileSize(fileSize), mExternal(external), mPath(path) {
        mAt = external[0];
    }

    // Fills `data` with the next piece. An empty piece, or one that is not listed, leaves it alone.
    template <class T>
    void take(std::vector<T>& data) {
        const int64_t bytes = mNext < mExternal.size() ? mExternal[mNext++] : 0;
        if (mAt < 0 || bytes < 0 || mAt > mFileSize || bytes > mFileSize - mAt)
            throw ConvertError("the weights lie past the end of '" + mPath + "'");
        if (bytes > 0) {
            data.resize(static_cast<size_t>(bytes) / sizeof(T));
            mFile.seekg(mAt);
            mFile.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size() * sizeof(T)));
            if (!mFile) throw ConvertError("cannot read '" + mPath + "'");
        }
        mAt += bytes;
    }

private:
    std::ifstream& mFile;
    const int64_t mFileSize;
    const std::vector<int64_t>& mExternal;
    const std::string& mPath;
    int64_t mAt = 0;
    size_t mNext = 1;
};

void takeWeights(Convolution2DT& conv, Pieces& pieces) {
    if (conv.quanParameter) {
        IDSTQuanT& q = *conv.quanParameter;
        pieces.take(q.buffer);
        if (q.scaleStorage == ScaleStorageType_FP16)
            pieces.take(q.alphaFp16);
        else
            pieces.take(q.alpha);
        pieces.take(conv.bias);
        pieces.take(q.index);
    } else {
        pieces.take(conv.weight);
        pieces.take(conv.bias);
    }
}

void takeWeights(Convolution3DT& conv, Pieces& pieces) {
    pieces.take(conv.weight);
    pieces.take(conv.bias);
}

void takeWeights(BlobT& blob, Pieces& pieces) {
    switch (blob.dataType) {
        case DataType_DT_FLOAT:
            return pieces.take(blob.float32s);
        case DataType_DT_INT32:
            return pieces.take(blob.int32s);
        case DataType_DT_INT8:
            return pieces.take(blob.int8s);
        default:
            return pieces.take(blob.uint8s);
    }
}

void takeWeights(LayerNormT& norm, Pieces& pieces) {
    pieces.take(norm.gamma);
    pieces.take(norm.beta);
}

void takeWeights(GroupNormT& norm, Pieces& pieces) {
    pieces.take(norm.gamma);
    pieces.take(norm.beta);
}

void takeWeights(ScaleT& scale, Pieces& pieces) {
    pieces.take(scale.scaleData);
    pieces.take(scale.biasData);
}

class SideFile {
public:
    explicit SideFile(const std::string& path) : mPath(path) {}

    template <class Param>
    void fill(Param* param) {
        if (!param || param->external.empty()) return;
        open();
        Pieces pieces(mFile, mSize, param->external, mPath);
        takeWeights(*param, pieces);
        param->external.clear();
    }

    void fillOp(OpT& op) {
        fill(op.main.AsConvolution2D());
        fill(op.main.AsConvolution3D());
        fill(op.main.AsBlob());
        fill(op.main.AsLayerNorm());
        fill(op.main.AsGroupNorm());
        fill(op.main.AsScale());
    }

private:
    void open() {
        if (mFile.is_open()) return;
        mFile.open(mPath, std::ios::binary | std::ios::ate);
        if (!mFile) throw ConvertError("the model keeps its weights in '" + mPath + "', which cannot be opened");
        mSize = static_cast<int64_t>(mFile.tellg());
    }

    const std::string mPath;
    std::ifstream mFile;
    int64_t mSize = 0;
};

}  // namespace

std::unique_ptr<NetT> readNet(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) throw ConvertError("cannot open '" + path + "'");
    std::vector<char> bytes(static_cast<size_t>(file.tellg()));
    file.seekg(0);
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), 64, 10000000);
    if (!file || bytes.size() < 8 || !verifier.VerifyBuffer<Net>(nullptr))
        throw ConvertError("'" + path + "' is not a .mnn model, or is damaged");
    return std::unique_ptr<NetT>(flatbuffers::GetRoot<Net>(bytes.data())->UnPack());
}

std::unique_ptr<NetT> loadNet(const std::string& path) {
    std::unique_ptr<NetT> net = readNet(path);
    SideFile side(path + ".weight");
    for (auto& op : net->oplists) side.fillOp(*op);
    for (auto& graph : net->subgraphs) {
        for (auto& op : graph->nodes) side.fillOp(*op);
    }
    return net;
}

}  // namespace Converter
}  // namespace MNN
