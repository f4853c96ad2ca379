#include "core/OpText.hpp"

namespace MNN {

std::string opText(const Op* op) {
    std::string text = "'";
    if (op->name() != nullptr) text += op->name()->str();
    text += "' (";
    text += EnumNameOpType(op->type());
    const Extra* extra = op->type() == OpType_Extra ? op->main_as_Extra() : nullptr;
    if (extra != nullptr && extra->type() != nullptr) text += " " + extra->type()->str();
    return text + ")";
}

std::string tensorsText(const std::vector<Tensor*>& tensors) {
    std::string text;
    for (const Tensor* t : tensors) {
        if (!text.empty()) text += ", ";
        text += t == nullptr ? "none" : TensorUtils::text(t);
    }
    return text;
}

}  // namespace MNN
