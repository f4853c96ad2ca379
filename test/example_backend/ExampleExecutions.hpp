#ifndef EXAMPLE_EXECUTIONS_HPP
#define EXAMPLE_EXECUTIONS_HPP

#include "ExampleBackend.hpp"

namespace example {

// The Execution for a command, or nullptr for what this backend leaves to the CPU.
MNN::Execution* createExecution(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs, const Op* op,
                                ExampleBackend* backend);

}  // namespace example
#endif
