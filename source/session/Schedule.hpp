// Schedule: which ops the wanted outputs need, in order, over the tensors of one session.
#ifndef MNN_SESSION_SCHEDULE_HPP
#define MNN_SESSION_SCHEDULE_HPP

#include <MNN/Interpreter.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>
#include "core/Command.hpp"
#include "session/Model.hpp"

namespace MNN {

struct ControlNode;

struct OpNode {
    const Op* op = nullptr;
    std::vector<Tensor*> inputs;
    std::vector<Tensor*> outputs;
    std::shared_ptr<OwnedOp> owned;        // set when `op` is not the file's
    std::shared_ptr<ControlNode> control;  // If and While: their sub-graphs
};

// The tensors of a model for one session, by index. Constants hold their values.
struct TensorTable {
    std::vector<std::shared_ptr<Tensor>> tensors;
    std::map<std::string, Tensor*> inputs;  // Input ops' tensors by name
    std::vector<std::string> inputOrder;
    std::vector<std::string> outputOrder;
    std::map<std::string, Tensor*> outputs;  // of the model, or those the configs ask for
};

// The ops of one config.
struct Path {
    std::vector<OpNode> nodes;
    std::set<Tensor*> given;  // where its config says that it begins, or the model's inputs
    std::set<Tensor*>
        inputs;  // of the session, those whose memory it places: each input belongs to the first path that reads it
};

// Whether the op is nothing but values in the model.
inline bool isConst(const Op* op) { return op->type() == OpType_Const || op->type() == OpType_TrainableParam; }

// Creates the table and loads constants. False after MNN_ERROR.
bool makeTensors(const std::shared_ptr<Model>& model, TensorTable* table);

// Ops for one config: those that its path (or, when empty, the model's outputs and saveTensors) needs, in an order in
// which every input is made before it is read. False after MNN_ERROR for unknown names and cycles. Marks inputs and
// outputs in the table.
bool schedule(const std::shared_ptr<Model>& model, const ScheduleConfig& config, TensorTable* table, Path* path);

// Makes the paths of a session independent: a tensor that several of them compute becomes each one's own (the first
// keeps the public one), and one that a path reads from an earlier path is no input of the session any more.
void separatePaths(std::vector<Path>* paths, TensorTable* table);

}  // namespace MNN
#endif
