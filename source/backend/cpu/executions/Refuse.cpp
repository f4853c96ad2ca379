#include "backend/cpu/executions/Refuse.hpp"

#include <MNN/MNNDefine.h>

namespace MNN {

Execution* refuse(const Op* op, const Tensors& inputs, const Tensors& outputs, const char* message) {
    MNN_ERROR("op %s: %s; inputs %s; outputs %s\n", opText(op).c_str(), message, tensorsText(inputs).c_str(),
              tensorsText(outputs).c_str());
    return nullptr;
}

ErrorCode fault(ErrorCode code, const std::string& opText, const Tensors& inputs, const char* message) {
    MNN_ERROR("op %s: %s; inputs %s\n", opText.c_str(), message, tensorsText(inputs).c_str());
    return code;
}

}  // namespace MNN
