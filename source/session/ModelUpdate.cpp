#include "session/ModelUpdate.hpp"

#include <MNN/MNNDefine.h>
#include <cstring>
#include "core/OpText.hpp"
#include "core/TensorUtils.hpp"
#include "session/Constants.hpp"

namespace MNN {

ErrorCode changedConstants(const std::shared_ptr<Model>& model, const TensorTable& table,
                           std::vector<Model::Change>* changes) {
    for (const Op* op : *model->net()->oplists()) {
        if (!isConst(op) || op->outputIndexes() == nullptr || op->outputIndexes()->size() == 0) continue;
        const Tensor* now = table.tensors[op->outputIndexes()->Get(0)].get();
        Tensor stored(0);
        if (!loadConstant(op, model->external(), model, &stored)) return INVALID_VALUE;
        const size_t bytes = TensorUtils::storageBytes(&stored);
        if (bytes == 0 || now->host<void>() == stored.host<void>()) continue;
        if (std::memcmp(now->host<void>(), stored.host<void>(), bytes) == 0) continue;
        const uint8_t* place = storedValues(op, &stored);
        if (place == nullptr) {
            MNN_ERROR(
                "op %s: the model cannot take its new values back: they lie in the side file or in a type that is "
                "converted on loading\n",
                opText(op).c_str());
            return NOT_SUPPORT;
        }
        changes->push_back({static_cast<size_t>(place - model->data()), now->host<void>(), bytes});
    }
    return NO_ERROR;
}

}  // namespace MNN
