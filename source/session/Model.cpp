#include "session/Model.hpp"

#include <MNN/MNNDefine.h>
#include <algorithm>
#include <cstring>

namespace MNN {
namespace {

// Nesting and tables of any real model stay far below; a crafted file must not run for minutes.
constexpr int kMaxDepth = 64;
constexpr int kMaxTables = 10 * 1000 * 1000;

using Indexes = flatbuffers::Vector<int32_t>;

bool indexesBelow(const Indexes* indexes, int64_t limit) {
    if (indexes == nullptr) return true;
    return std::all_of(indexes->begin(), indexes->end(), [&](int32_t i) { return i >= 0 && i < limit; });
}

const char* nameOf(const Op* op) { return op->name() == nullptr ? "(unnamed)" : op->name()->c_str(); }

bool checkOps(const flatbuffers::Vector<flatbuffers::Offset<Op>>* ops, int64_t named, const char* where) {
    int64_t mentions = 0;
    for (const Op* op : *ops) {
        if (op == nullptr) {
            MNN_ERROR("%s: the op list has an empty entry\n", where);
            return false;
        }
        mentions += op->outputIndexes() == nullptr ? 0 : op->outputIndexes()->size();
        mentions += op->inputIndexes() == nullptr ? 0 : op->inputIndexes()->size();
    }
    // Indexes may have holes after optimisation, but not a thousand times more holes than tensors.
    const int64_t limit = std::max(named, 1024 + mentions * 16);
    for (const Op* op : *ops) {
        if (indexesBelow(op->inputIndexes(), limit) && indexesBelow(op->outputIndexes(), limit)) continue;
        MNN_ERROR("%s: op '%s' (%s) names a tensor that does not exist\n", where, nameOf(op),
                  EnumNameOpType(op->type()));
        return false;
    }
    return true;
}

bool needsExternal(const Op* op) {
    switch (op->main_type()) {
        case OpParameter_Convolution2D:
            return op->main_as_Convolution2D()->external() != nullptr;
        case OpParameter_Convolution3D:
            return op->main_as_Convolution3D()->external() != nullptr;
        case OpParameter_Blob:
            return op->main_as_Blob()->external() != nullptr;
        case OpParameter_LayerNorm:
            return op->main_as_LayerNorm()->external() != nullptr;
        case OpParameter_GroupNorm:
            return op->main_as_GroupNorm()->external() != nullptr;
        case OpParameter_Scale:
            return op->main_as_Scale()->external() != nullptr;
        case OpParameter_RoPEParam: {
            const auto* p = op->main_as_RoPEParam();
            return (p->q_norm() != nullptr && p->q_norm()->external() != nullptr) ||
                   (p->k_norm() != nullptr && p->k_norm()->external() != nullptr);
        }
        default:
            return false;
    }
}

bool anyNeedsExternal(const flatbuffers::Vector<flatbuffers::Offset<Op>>* ops) {
    return ops != nullptr && std::any_of(ops->begin(), ops->end(), [](const Op* op) { return needsExternal(op); });
}

}  // namespace

std::shared_ptr<Model> Model::fromFile(const char* path, bool verify) {
    if (path == nullptr) {
        MNN_ERROR("no model file given\n");
        return nullptr;
    }
    std::string why;
    auto model = std::make_shared<Model>();
    model->mPath = path;
    model->mFile = platform::FileView::open(path, &why);
    if (model->mFile == nullptr) {
        MNN_ERROR("cannot open model '%s': %s\n", path, why.c_str());
        return nullptr;
    }
    model->mData = model->mFile->data();
    model->mSize = model->mFile->size();
    return model->adopt(verify) ? model : nullptr;
}

std::shared_ptr<Model> Model::fromBuffer(const void* buffer, size_t size, bool verify) {
    if (buffer == nullptr || size == 0) {
        MNN_ERROR("the model buffer is empty\n");
        return nullptr;
    }
    auto model = std::make_shared<Model>();
    model->mPath = "(buffer)";
    model->mCopy = HostMemory::allocate(size);
    if (model->mCopy == nullptr) {
        MNN_ERROR("out of memory: %zu bytes for a copy of the model\n", size);
        return nullptr;
    }
    std::memcpy(model->mCopy->data(), buffer, size);
    model->mData = static_cast<const uint8_t*>(model->mCopy->data());
    model->mSize = size;
    return model->adopt(verify) ? model : nullptr;
}

bool Model::adopt(bool verify) {
    const char* where = mPath.c_str();
    if (mSize < 16) {
        MNN_ERROR("'%s' is no .mnn model: it has %zu bytes\n", where, mSize);
        return false;
    }
    if (std::memcmp(mData + 4, "TFL3", 4) == 0) {
        MNN_ERROR("'%s' is a TFLite model: convert it with MNNConvert -f TFLITE\n", where);
        return false;
    }
    flatbuffers::Verifier verifier(mData, mSize, kMaxDepth, kMaxTables);
    if (verify && !VerifyNetBuffer(verifier)) {
        MNN_ERROR("'%s' is no .mnn model, or it is damaged: its FlatBuffer does not verify\n", where);
        return false;
    }
    mNet = GetNet(mData);
    if (mNet->oplists() == nullptr || mNet->oplists()->size() == 0) {
        MNN_ERROR("'%s' has no ops: field oplists is empty\n", where);
        mNet = nullptr;
        return false;
    }
    const int64_t named = mNet->tensorName() == nullptr ? 0 : mNet->tensorName()->size();
    if (!checkOps(mNet->oplists(), named, where)) return false;
    if (mNet->subgraphs() != nullptr) {
        for (const SubGraphProto* graph : *mNet->subgraphs()) {
            const int64_t names = graph->tensors() == nullptr ? 0 : graph->tensors()->size();
            if (graph->nodes() != nullptr && !checkOps(graph->nodes(), names, where)) return false;
        }
    }
    return true;
}

bool Model::openExternal(const std::string& path) {
    if (mExternal != nullptr) return true;
    bool needed = anyNeedsExternal(mNet->oplists());
    for (uint32_t i = 0; mNet->subgraphs() != nullptr && i < mNet->subgraphs()->size(); ++i)
        needed |= anyNeedsExternal(mNet->subgraphs()->Get(i)->nodes());
    if (!needed) return true;
    std::string why;
    const std::string file = path.empty() ? mPath + ".weight" : path;
    mExternal = platform::FileView::open(file.c_str(), &why);
    if (mExternal != nullptr) return true;
    MNN_ERROR("'%s' keeps its weights in '%s', which cannot be opened: %s; name it with setExternalFile\n",
              mPath.c_str(), file.c_str(), why.c_str());
    return false;
}

Backend::ExternalData Model::external() const {
    Backend::ExternalData external;
    if (mExternal != nullptr) {
        external.data = mExternal->data();
        external.size = mExternal->size();
    }
    return external;
}

std::shared_ptr<Model> Model::changed(const std::vector<Change>& changes) const {
    auto model = std::make_shared<Model>();
    model->mPath = mPath;
    model->mExternal = mExternal;
    model->mCopy = HostMemory::allocate(mSize);
    if (model->mCopy == nullptr) {
        MNN_ERROR("out of memory: %zu bytes for a copy of the model\n", mSize);
        return nullptr;
    }
    auto* data = static_cast<uint8_t*>(model->mCopy->data());
    std::memcpy(data, mData, mSize);
    for (const Change& change : changes) std::memcpy(data + change.offset, change.data, change.bytes);
    model->mData = data;
    model->mSize = mSize;
    return model->adopt(false) ? model : nullptr;
}

void Model::dropPages() const {
    if (mFile != nullptr) mFile->dropPages();
    if (mExternal != nullptr) mExternal->dropPages();
}

}  // namespace MNN
