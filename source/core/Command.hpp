// Commands: what is left of a model's ops after the Geometry Compiler.
#ifndef MNN_CORE_COMMAND_HPP
#define MNN_CORE_COMMAND_HPP

#include <algorithm>
#include <memory>
#include <string>
#include <vector>
#include "MNN_generated.h"
#include "core/Execution.hpp"

namespace MNN {

// An Op that the Geometry Compiler made; keeps its FlatBuffer alive.
class OwnedOp {
public:
    explicit OwnedOp(const OpT& op);
    // Finishes a builder whose root is an Op.
    explicit OwnedOp(flatbuffers::FlatBufferBuilder&& builder);
    const Op* get() const { return mOp; }
    // Byte for byte the same op: an Execution made for one serves the other.
    bool sameAs(const OwnedOp& other) const;

private:
    flatbuffers::DetachedBuffer mBuffer;
    const Op* mOp;
};

// One primitive to run. Inputs may be virtual tensors; session/ either lets the backend read them as a view or puts a
// Raster command in front.
struct Command {
    const Op* op = nullptr;
    std::vector<Tensor*> inputs;
    std::vector<Tensor*> outputs;
    std::shared_ptr<OwnedOp> ownedOp;  // set when geometry made the op
    std::shared_ptr<Execution> execution;
    const Op* source = nullptr;  // the model's op this came from: its name appears in messages, callbacks and profiles
};

// Commands in order, and the tensors that geometry made for them.
struct CommandBuffer {
    std::vector<std::shared_ptr<Command>> commands;
    std::vector<std::shared_ptr<Tensor>> extras;
};

}  // namespace MNN
#endif
