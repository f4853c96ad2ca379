// Commands made ready to run: views absorbed or rastered, backends chosen, memory planned.
#ifndef MNN_SESSION_COMMANDLIST_HPP
#define MNN_SESSION_COMMANDLIST_HPP

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>
#include "core/Backend.hpp"
#include "core/Command.hpp"
#include "core/TensorUtils.hpp"

namespace MNN {

// Executions that outlive one resize: a convolution packs its weights once, whatever shapes follow.
class ExecutionCache {
public:
    // A constant input; nullptr for the others. Holding the memory keeps another constant from getting the same
    // address.
    struct Constant {
        const void* data = nullptr;
        std::shared_ptr<MemoryHolder> holder;
        std::vector<int> shape;  // a view may begin where another of other lengths begins
        bool operator==(const Constant& other) const {
            return data == other.data && holder == other.holder && shape == other.shape;
        }
    };
    struct Entry {
        std::shared_ptr<OwnedOp> ownedOp;
        const Op* op = nullptr;
        Backend* backend = nullptr;
        std::vector<Constant> constants;
        std::vector<halide_type_t> types;
        std::shared_ptr<Execution> execution;
    };
    // Starts counting the commands of each source op anew.
    void rewind() { mNext.clear(); }
    Entry& slot(const Op* source) { return mEntries[{source, mNext[source]++}]; }

private:
    std::map<std::pair<const Op*, int>, Entry> mEntries;
    std::map<const Op*, int> mNext;
};

// One entry of the final order.
struct Step {
    enum class Kind : uint8_t { Execute, Copy };
    Kind kind = Kind::Execute;
    std::shared_ptr<Command> command;  // Copy: one input, one output
    Backend* backend = nullptr;        // Copy: the side that is not plain host memory
    const Op* rasterFor = nullptr;     // a Raster: the op that could not read the view
    float flops = 0.0f;
};

class CommandList {
public:
    CommandList(Backend* main, Backend* backup) : mMain(main), mBackup(backup) {}
    ~CommandList();

    struct Request {
        std::set<Tensor*> inputs;   // placed first, never reused
        std::set<Tensor*> outputs;  // must be real when the list has run, never reused
        bool materializeViews = false;
        bool inputsFromUser = false;  // inputs get no memory: the caller sets their host pointers
        std::map<Tensor*, uint8_t*>
            userOutputs;  // outputs with memory of the caller's, where a host backend makes them
    };
    // Takes the commands; does everything up to placed memory.
    ErrorCode prepare(CommandBuffer&& buffer, const Request& request, ExecutionCache* cache);

    // before and after may be empty. before == false skips the command; after == false stops with CALL_BACK_STOP.
    using StepCallback = std::function<bool(const Step&)>;
    ErrorCode execute(const StepCallback& before, const StepCallback& after);

    const std::vector<Step>& steps() const { return mSteps; }
    // Finds the memory of tensors that lie inside others again, after a caller moved the others. Allocates nothing.
    void resolveAliases();

private:
    ErrorCode assignBackends(CommandBuffer* buffer, ExecutionCache* cache);
    std::shared_ptr<Execution> makeExecution(Command* command, Backend** backend, ExecutionCache::Entry* entry);
    void settleInputs(const Request& request);
    bool foldConstantView(Tensor* view);
    ErrorCode addRaster(Tensor* view, Backend* backend, const Op* reader);
    void keepVirtualForEarlier(Tensor* view);
    bool shareMemory(Tensor* view, Backend* backend, const Request& request);
    ErrorCode absorbInputs(Step* step, const Request& request);
    Tensor* onBackend(Tensor* tensor, Backend* backend);
    Tensor* viewOnBackend(Tensor* view, Backend* backend);
    void dropUnused(const Request& request);
    void nestRasters(const Request& request);
    void writeInPlace(const Request& request);
    class Placement;
    ErrorCode placeMemory(const Request& request);
    ErrorCode placeStep(Step* step, int at, Placement* placement);

    Backend* mMain;
    Backend* mBackup;
    CommandBuffer mBuffer;
    std::vector<Step> mSteps;
    std::map<std::pair<Tensor*, Backend*>, Tensor*> mMirrors;
    std::vector<std::pair<Tensor*, Backend*>> mPrivate;
    std::map<const Command*, Backend*> mBackends;
};

// Runs commands at once on a host backend; every output of the list gets host memory of its own and stays known. For
// shape arithmetic and constant folding.
bool evaluateOnHost(CommandBuffer&& buffer, const std::vector<Tensor*>& outputs, Backend* host);

}  // namespace MNN
#endif
