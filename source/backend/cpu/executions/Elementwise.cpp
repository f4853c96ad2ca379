#include "backend/cpu/executions/Elementwise.hpp"

#include <MNN/MNNDefine.h>

namespace MNN {

std::string describeOp(const Op* op) {
    const std::string type = EnumNameOpType(op->type());
    return op->name() == nullptr || op->name()->size() == 0 ? type : op->name()->str() + " (" + type + ")";
}

ErrorCode ElementwiseInputs::resize(const std::vector<Tensor*>& inputs, const Tensor* output,
                                    const std::string& opText) {
    const std::vector<int> lengths = TensorUtils::storageShape(output);
    mViews.assign(inputs.size(), StridedInput());
    std::vector<cpu::ElementLoop::Input> reads(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
        const Tensor* input = inputs[i];
        if (!stridedInput(input, lengths, &mViews[i])) {
            if (TensorUtils::isVirtual(input) || TensorUtils::elements(input) != 1) {
                MNN_ERROR("%s: input %d, %s, cannot be read in the order of the output, %s\n", opText.c_str(),
                          static_cast<int>(i), TensorUtils::text(input).c_str(), TensorUtils::text(output).c_str());
                return INPUT_DATA_ERROR;
            }
            mViews[i].storage = input;
            mViews[i].offset = 0;
            mViews[i].stride.assign(lengths.size(), 0);
        }
        reads[i].bytes = input->getType().bytes();
        reads[i].stride = mViews[i].stride;
    }
    if (mLoop.plan(lengths, reads)) return NO_ERROR;
    MNN_ERROR("%s: %s has too many dimensions\n", opText.c_str(), TensorUtils::text(output).c_str());
    return NOT_SUPPORT;
}

}  // namespace MNN
