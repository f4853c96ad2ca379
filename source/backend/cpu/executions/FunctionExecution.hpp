// An Execution that is one function of its tensors: nothing to prepare, everything known from the op kept in the
// closure.
#ifndef MNN_CPU_EXECUTIONS_FUNCTIONEXECUTION_HPP
#define MNN_CPU_EXECUTIONS_FUNCTIONEXECUTION_HPP

#include <functional>
#include "backend/cpu/executions/Refuse.hpp"

namespace MNN {

class FunctionExecution final : public Execution {
public:
    using Function = std::function<ErrorCode(const Tensors& inputs, const Tensors& outputs)>;
    FunctionExecution(Backend* backend, Function function) : Execution(backend), mFunction(std::move(function)) {}
    ErrorCode onExecute(const Tensors& inputs, const Tensors& outputs) override { return mFunction(inputs, outputs); }

private:
    Function mFunction;
};

}  // namespace MNN
#endif
