// What creators and executions share when they must say no.
#ifndef MNN_CPU_EXECUTIONS_REFUSE_HPP
#define MNN_CPU_EXECUTIONS_REFUSE_HPP

#include "backend/cpu/CPUBackend.hpp"
#include "core/OpText.hpp"

namespace MNN {

using Tensors = std::vector<Tensor*>;

// Logs "op 'name' (Type): message; inputs ..., outputs ..." and returns nullptr: the result of a creator.
Execution* refuse(const Op* op, const Tensors& inputs, const Tensors& outputs, const char* message);

// Logs the same for a fault found later, when only the text of the op is left; returns `code`.
ErrorCode fault(ErrorCode code, const std::string& opText, const Tensors& inputs, const char* message);

inline bool isFloat32(const Tensor* t) { return t->getType() == halide_type_of<float>(); }
inline bool isInt32(const Tensor* t) { return t->getType() == halide_type_of<int32_t>(); }

}  // namespace MNN
#endif
