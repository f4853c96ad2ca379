// Questions about the tensors of commands that placing and running them asks.
#ifndef MNN_SESSION_COMMANDTENSORS_HPP
#define MNN_SESSION_COMMANDTENSORS_HPP

#include <algorithm>
#include <vector>
#include "core/TensorUtils.hpp"
#include "session/CommandList.hpp"

namespace MNN {

inline const char* nameOf(const Op* op) { return op == nullptr || op->name() == nullptr ? "" : op->name()->c_str(); }

// The tensors whose memory a command reads through `input`.
inline std::vector<Tensor*> storagesOf(Tensor* input) {
    if (!TensorUtils::isVirtual(input)) return {input};
    std::vector<Tensor*> result;
    for (const core::Region& region : TensorUtils::describe(input)->regions) {
        if (std::find(result.begin(), result.end(), region.origin) == result.end()) result.push_back(region.origin);
    }
    return result;
}

// The tensor whose memory `t` is a part of.
inline Tensor* rootOf(Tensor* t) {
    while (TensorUtils::describe(t)->memory == TensorMemory::Alias) t = TensorUtils::describe(t)->aliasOf;
    return t;
}

inline bool isConstant(const Tensor* t) { return TensorUtils::describe(t)->usage == TensorUsage::Constant; }

inline bool hasOwnMemory(const Tensor* t) {
    return TensorUtils::describe(t)->memory == TensorMemory::Host && t->buffer().host != nullptr;
}

inline bool isCopy(const Step& step) { return step.kind == Step::Kind::Copy; }

inline bool isRaster(const Step& step) { return !isCopy(step) && step.command->op->type() == OpType_Raster; }

// Whether commands on `reader` can use memory of `owner` (nullptr: plain host memory) as it is. Backends of one type
// belong to one runtime in a session, so they share its memory.
inline bool canReach(const Backend* reader, const Backend* owner) {
    if (owner != nullptr && owner->type() == reader->type()) return true;
    return reader->traits().hostMemory && (owner == nullptr || owner->traits().hostMemory);
}

}  // namespace MNN
#endif
