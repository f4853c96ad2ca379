#include "session/CommandList.hpp"

#include <MNN/MNNDefine.h>
#include <algorithm>
#include "core/TensorUtils.hpp"
#include "geometry/RegionAlgebra.hpp"
#include "shape/Shape.hpp"

namespace MNN {
namespace {

const char* nameOf(const Op* op) { return op == nullptr || op->name() == nullptr ? "" : op->name()->c_str(); }

std::shared_ptr<OwnedOp> rasterOp() {
    OpT op;
    op.type = OpType_Raster;
    return std::make_shared<OwnedOp>(op);
}

// The tensors whose memory a command reads through `input`.
std::vector<Tensor*> storagesOf(Tensor* input) {
    if (!TensorUtils::isVirtual(input)) return {input};
    std::vector<Tensor*> result;
    for (const core::Region& region : TensorUtils::describe(input)->regions) {
        if (std::find(result.begin(), result.end(), region.origin) == result.end()) result.push_back(region.origin);
    }
    return result;
}

Tensor* rootOf(Tensor* t) {
    while (TensorUtils::describe(t)->memory == TensorMemory::Alias) t = TensorUtils::describe(t)->aliasOf;
    return t;
}

bool isConstant(const Tensor* t) { return TensorUtils::describe(t)->usage == TensorUsage::Constant; }

bool hasOwnMemory(const Tensor* t) {
    const auto* describe = TensorUtils::describe(t);
    return describe->memory == TensorMemory::Host && t->buffer().host != nullptr;
}

bool isCopy(const Step& step) { return step.kind == Step::Kind::Copy; }

// r copies the whole of its origin, in order, to one contiguous place.
bool copiesWholeOrigin(const core::Region& r) {
    const core::Region n = core::normalize(r);
    if (n.elements() != TensorUtils::storageElements(r.origin) || n.src.offset != 0) return false;
    int64_t expected = 1;
    for (int k = core::kRegionLoops - 1; k >= 0; --k) {
        if (n.size[k] == 1) continue;
        if (n.src.stride[k] != expected || n.dst.stride[k] != expected) return false;
        expected *= n.size[k];
    }
    return true;
}

}  // namespace

CommandList::~CommandList() {
    for (const auto& tensor : mPrivate) tensor.second->onReleaseBuffer(tensor.first, StorageType::Private);
}

ErrorCode CommandList::prepare(CommandBuffer&& buffer, const Request& request, ExecutionCache* cache) {
    mBuffer = std::move(buffer);
    mSteps.clear();
    cache->rewind();
    ErrorCode code = assignBackends(&mBuffer, cache);
    if (code != NO_ERROR) return code;
    for (const auto& command : mBuffer.commands) {
        Step step;
        step.command = command;
        step.backend = mBackends[command.get()];
        code = absorbInputs(&step, request);
        if (code != NO_ERROR) return code;
        for (Tensor* output : command->outputs) TensorUtils::describe(output)->backend = step.backend;
        mSteps.push_back(std::move(step));
    }
    for (Tensor* output : request.outputs) {
        if (!TensorUtils::isVirtual(output)) continue;
        code = addRaster(output, mMain, nullptr);
        if (code != NO_ERROR) return code;
    }
    dropUnused(request);
    writeInPlace(request);
    return placeMemory(request);
}

// A view of constants alone that does not repeat them is computed now and is a constant itself.
bool CommandList::foldConstantView(Tensor* view) {
    int64_t available = 0;
    for (Tensor* origin : storagesOf(view)) {
        if (!isConstant(origin) || !hasOwnMemory(origin)) return false;
        available += TensorUtils::storageElements(origin);
    }
    if (TensorUtils::storageElements(view) > available) return false;
    if (!mBackup->traits().hostMemory) return false;
    auto raster = std::make_shared<Command>();
    raster->ownedOp = rasterOp();
    raster->op = raster->ownedOp->get();
    raster->inputs = storagesOf(view);
    raster->outputs = {view};
    std::unique_ptr<Execution> execution(mBackup->onCreate(raster->inputs, raster->outputs, raster->op));
    if (execution == nullptr || !TensorUtils::allocHost(view)) return false;
    if (execution->onResize(raster->inputs, raster->outputs) != NO_ERROR) return false;
    if (execution->onExecute(raster->inputs, raster->outputs) != NO_ERROR) return false;
    TensorUtils::describe(view)->usage = TensorUsage::Constant;
    TensorUtils::describe(view)->hostKnown = true;
    TensorUtils::describe(view)->regions.clear();
    return true;
}

std::shared_ptr<Execution> CommandList::makeExecution(Command* command, Backend** backend, ExecutionCache::Entry* entry) {
    std::vector<const void*> constants;
    std::vector<halide_type_t> types;
    for (const Tensor* input : command->inputs) {
        constants.push_back(isConstant(input) && hasOwnMemory(input) ? input->buffer().host : nullptr);
        types.push_back(input->getType());
    }
    if (entry->execution != nullptr && entry->constants == constants && entry->types == types) {
        const bool same = command->ownedOp == nullptr ? entry->op == command->op
                                                      : entry->ownedOp != nullptr && entry->ownedOp->sameAs(*command->ownedOp);
        if (same) {
            // The kept execution refers to the op it was made with.
            command->ownedOp = entry->ownedOp;
            command->op = entry->op;
            *backend = entry->backend;
            return entry->execution;
        }
    }
    for (Backend* candidate : {mMain, mBackup}) {
        std::shared_ptr<Execution> execution(candidate->onCreate(command->inputs, command->outputs, command->op));
        if (execution == nullptr) continue;
        *entry = {command->ownedOp, command->op, candidate, constants, types, execution};
        *backend = candidate;
        return execution;
    }
    return nullptr;
}

ErrorCode CommandList::assignBackends(CommandBuffer* buffer, ExecutionCache* cache) {
    for (const auto& command : buffer->commands) {
        for (Tensor* input : command->inputs) {
            if (TensorUtils::isVirtual(input)) foldConstantView(input);
        }
        Backend* backend = nullptr;
        command->execution = makeExecution(command.get(), &backend, &cache->slot(command->source));
        if (command->execution == nullptr) {
            std::string shapes;
            for (const Tensor* input : command->inputs) shapes += (shapes.empty() ? "" : ", ") + TensorUtils::text(input);
            MNN_ERROR("op '%s' (%s): no backend of this session runs %s on (%s)\n", nameOf(command->source),
                      command->source == nullptr ? "?" : EnumNameOpType(command->source->type()),
                      EnumNameOpType(command->op->type()), shapes.c_str());
            return NO_EXECUTION;
        }
        mBackends[command.get()] = backend;
    }
    return NO_ERROR;
}

ErrorCode CommandList::addRaster(Tensor* view, Backend* backend, const Op* reader) {
    auto* describe = TensorUtils::describe(view);
    for (core::Region& region : describe->regions) {
        region.origin = onBackend(region.origin, backend);
        if (region.origin == nullptr) return OUT_OF_MEMORY;
    }
    describe->regions = core::fuseRegions(std::move(describe->regions));
    for (core::Region& region : describe->regions) region = core::normalize(region);
    auto command = std::make_shared<Command>();
    command->ownedOp = rasterOp();
    command->op = command->ownedOp->get();
    command->source = reader;
    command->inputs = storagesOf(view);
    describe->memory = TensorMemory::None;
    describe->backend = backend;
    command->outputs = {view};
    command->execution.reset(backend->onCreate(command->inputs, command->outputs, command->op));
    if (command->execution == nullptr) {
        MNN_ERROR("the backend has no Raster\n");
        return NO_EXECUTION;
    }
    Step step;
    step.command = command;
    step.backend = backend;
    step.rasterFor = reader;
    mSteps.push_back(std::move(step));
    return NO_ERROR;
}

ErrorCode CommandList::absorbInputs(Step* step, const Request& request) {
    Command* command = step->command.get();
    const bool rasterItself = command->op->type() == OpType_Raster;
    for (size_t i = 0; i < command->inputs.size(); ++i) {
        Tensor* input = command->inputs[i];
        if (TensorUtils::isVirtual(input)) {
            const bool absorbed = !request.materializeViews && step->backend->canRead(command->op, command->inputs, command->outputs,
                                                                                      static_cast<int>(i));
            if (!absorbed) {
                const ErrorCode code = addRaster(input, step->backend, command->source);
                if (code != NO_ERROR) return code;
            }
        }
        Tensor* here = onBackend(command->inputs[i], step->backend);
        if (here == nullptr) return OUT_OF_MEMORY;
        command->inputs[i] = here;
    }
    if (!rasterItself) return NO_ERROR;
    // A Raster made by geometry names its origins in the output's Regions.
    for (core::Region& region : TensorUtils::describe(command->outputs[0])->regions) {
        region.origin = onBackend(region.origin, step->backend);
        if (region.origin == nullptr) return OUT_OF_MEMORY;
    }
    return NO_ERROR;
}

// The tensor, or its copy on `backend`, made by a Copy step in front of the first reader there.
Tensor* CommandList::onBackend(Tensor* tensor, Backend* backend) {
    auto* describe = TensorUtils::describe(tensor);
    const bool hostConstant = describe->memory == TensorMemory::Host && describe->hostKnown;
    Backend* home = hostConstant ? nullptr : describe->backend;
    const bool reachable = home == backend || (backend->traits().hostMemory && (home == nullptr || home->traits().hostMemory));
    if (TensorUtils::isVirtual(tensor)) {
        const std::vector<Tensor*> origins = storagesOf(tensor);
        core::RegionList regions = describe->regions;
        bool moved = false;
        for (core::Region& region : regions) {
            Tensor* there = onBackend(region.origin, backend);
            if (there == nullptr) return nullptr;
            moved |= there != region.origin;
            region.origin = there;
        }
        if (!moved) return tensor;
        std::shared_ptr<Tensor> view(new Tensor(tensor->dimensions()));
        TensorUtils::copyShape(tensor, view.get());
        TensorUtils::setVirtual(view.get(), std::move(regions));
        mBuffer.extras.push_back(view);
        return view.get();
    }
    if (reachable) return tensor;
    Tensor*& mirror = mMirrors[{tensor, backend}];
    if (mirror != nullptr) return mirror;
    std::shared_ptr<Tensor> copy(new Tensor(tensor->dimensions()));
    TensorUtils::copyShape(tensor, copy.get());
    TensorUtils::describe(copy.get())->backend = backend;
    mBuffer.extras.push_back(copy);
    mirror = copy.get();
    if (hostConstant) {
        // Uploaded once per resize, not per run.
        if (!backend->onAcquireBuffer(mirror, StorageType::Private)) return nullptr;
        mPrivate.push_back({mirror, backend});
        return backend->onCopyBuffer(tensor, mirror) ? mirror : nullptr;
    }
    Step step;
    step.kind = Step::Kind::Copy;
    step.command = std::make_shared<Command>();
    step.command->inputs = {tensor};
    step.command->outputs = {mirror};
    step.backend = home != nullptr && !home->traits().hostMemory ? home : backend;
    mSteps.push_back(std::move(step));
    return mirror;
}

// Removes steps whose outputs nobody reads.
void CommandList::dropUnused(const Request& request) {
    std::set<Tensor*> needed(request.outputs.begin(), request.outputs.end());
    std::vector<Step> kept;
    for (auto step = mSteps.rbegin(); step != mSteps.rend(); ++step) {
        const auto& outputs = step->command->outputs;
        if (std::none_of(outputs.begin(), outputs.end(), [&](Tensor* t) { return needed.count(t) != 0; })) continue;
        for (Tensor* input : step->command->inputs) {
            for (Tensor* storage : storagesOf(input)) needed.insert(storage);
        }
        kept.push_back(std::move(*step));
    }
    mSteps.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

// A Raster that only gathers whole tensors (Concat) turns them into parts of its output: their producers write in place.
void CommandList::writeInPlace(const Request& request) {
    if (request.materializeViews) return;
    std::map<Tensor*, const Step*> producers;
    for (const Step& step : mSteps) {
        for (Tensor* output : step.command->outputs) producers[output] = &step;
    }
    for (Step& step : mSteps) {
        if (isCopy(step) || step.command->op->type() != OpType_Raster) continue;
        Tensor* target = step.command->outputs[0];
        auto* describe = TensorUtils::describe(target);
        if (!core::coversAll(describe->regions, TensorUtils::storageElements(target))) continue;
        auto takenOver = [&](const core::Region& region) {
            Tensor* origin = region.origin;
            auto* from = TensorUtils::describe(origin);
            const auto producer = producers.find(origin);
            if (producer == producers.end() || isCopy(*producer->second) || producer->second->backend != step.backend) return false;
            if (from->memory != TensorMemory::None || from->usage != TensorUsage::Normal || request.outputs.count(origin) != 0) return false;
            if (!(origin->getType() == target->getType()) || !copiesWholeOrigin(region)) return false;
            if (!step.backend->canWriteInto(producer->second->command->op, 0)) return false;
            from->memory = TensorMemory::Alias;
            from->aliasOf = target;
            from->aliasOffset = region.dst.offset;
            return true;
        };
        auto& regions = describe->regions;
        const auto end = std::remove_if(regions.begin(), regions.end(), takenOver);
        describe->partlyInPlace = end != regions.end();
        regions.erase(end, regions.end());
    }
    mSteps.erase(std::remove_if(mSteps.begin(), mSteps.end(),
                                [](const Step& step) {
                                    if (isCopy(step) || step.command->op->type() != OpType_Raster) return false;
                                    const auto* d = TensorUtils::describe(step.command->outputs[0]);
                                    return d->partlyInPlace && d->regions.empty();
                                }),
                 mSteps.end());
}

// Lifetimes of storage while steps are placed in order.
class CommandList::Placement {
public:
    Placement(const std::vector<Step>& steps, const Request& request) : mRequest(request), mEnd(static_cast<int>(steps.size())) {
        for (int i = 0; i < mEnd; ++i) {
            for (Tensor* input : steps[i].command->inputs) {
                for (Tensor* storage : storagesOf(input)) touch(storage, i);
            }
            for (Tensor* output : steps[i].command->outputs) touch(output, i);
        }
        for (Tensor* kept : request.outputs) touch(kept, mEnd);
        for (Tensor* input : request.inputs) touch(input, mEnd);
    }

    bool acquire(Tensor* t, Backend* backend) {
        Tensor* root = rootOf(t);
        const TensorMemory memory = TensorUtils::describe(root)->memory;
        if (memory != TensorMemory::None && memory != TensorMemory::Planned) return true;
        if (!mAcquired.insert(root).second) return true;
        return backend->onAcquireBuffer(root, StorageType::Shared);
    }

    // Ends t's lease when step `at` is the last that uses it.
    void release(Tensor* t, int at) {
        Tensor* root = rootOf(t);
        if (mLastUse[root] != at || mAcquired.count(root) == 0) return;
        mLastUse[root] = mEnd + 1;
        TensorUtils::describe(root)->backend->onReleaseBuffer(root, StorageType::Shared);
    }

    // Lets the only output of step `at` take over the storage of an input that dies here, where the backend allows it.
    void reuseInput(const Step& step, int at) {
        const Command& command = *step.command;
        if (isCopy(step) || command.outputs.size() != 1 || !isFree(command.outputs[0])) return;
        Tensor* output = command.outputs[0];
        for (size_t k = 0; k < command.inputs.size(); ++k) {
            Tensor* input = command.inputs[k];
            if (!step.backend->canRunInPlace(command.op, static_cast<int>(k)) || !diesWhole(input, at) ||
                !TensorUtils::sameStorage(input, output) || !(input->getType() == output->getType()) ||
                TensorUtils::describe(input)->backend != step.backend || readElsewhere(command, k)) {
                continue;
            }
            auto* describe = TensorUtils::describe(output);
            mLastUse[rootOf(input)] = mLastUse[output];
            describe->memory = TensorMemory::Alias;
            describe->aliasOf = input;
            describe->aliasOffset = 0;
            return;
        }
    }

private:
    void touch(Tensor* t, int at) {
        int& last = mLastUse[rootOf(t)];
        last = std::max(last, at);
    }
    bool isFree(Tensor* t) const {
        return TensorUtils::describe(t)->memory == TensorMemory::None && mRequest.outputs.count(t) == 0 && mAcquired.count(t) == 0;
    }
    bool diesWhole(Tensor* input, int at) {
        if (TensorUtils::isVirtual(input)) return false;
        Tensor* root = rootOf(input);
        return mLastUse[root] == at && mAcquired.count(root) != 0 && TensorUtils::storageBytes(root) == TensorUtils::storageBytes(input);
    }
    // Another input reads the same storage, maybe at other elements.
    static bool readElsewhere(const Command& command, size_t k) {
        Tensor* root = rootOf(command.inputs[k]);
        for (size_t j = 0; j < command.inputs.size(); ++j) {
            if (j == k || command.inputs[j] == command.inputs[k]) continue;
            for (Tensor* storage : storagesOf(command.inputs[j])) {
                if (rootOf(storage) == root) return true;
            }
        }
        return false;
    }

    const Request& mRequest;
    const int mEnd;
    std::map<Tensor*, int> mLastUse;
    std::set<Tensor*> mAcquired;
};

ErrorCode CommandList::placeMemory(const Request& request) {
    std::vector<Backend*> backends = {mMain};
    if (mBackup != mMain) backends.push_back(mBackup);
    for (Backend* backend : backends) backend->onResizeBegin();
    Placement placement(mSteps, request);
    for (Tensor* input : request.inputs) {
        const bool fromUser = request.inputsFromUser && mMain->traits().hostMemory;
        TensorUtils::describe(input)->memory = fromUser ? TensorMemory::Host : TensorMemory::None;
        TensorUtils::describe(input)->backend = mMain;
        if (!placement.acquire(input, mMain)) return OUT_OF_MEMORY;
    }
    for (int i = 0; i < static_cast<int>(mSteps.size()); ++i) {
        const ErrorCode code = placeStep(&mSteps[i], i, &placement);
        if (code != NO_ERROR) return code;
    }
    for (Backend* backend : backends) {
        const ErrorCode code = backend->onResizeEnd();
        if (code != NO_ERROR) return code;
    }
    resolveAliases();
    return NO_ERROR;
}

ErrorCode CommandList::placeStep(Step* step, int at, Placement* placement) {
    Command* command = step->command.get();
    placement->reuseInput(*step, at);
    for (Tensor* output : command->outputs) {
        Backend* home = TensorUtils::describe(output)->backend;
        if (!placement->acquire(output, home != nullptr ? home : step->backend)) return OUT_OF_MEMORY;
    }
    if (!isCopy(*step)) {
        const ErrorCode code = command->execution->onResize(command->inputs, command->outputs);
        if (code != NO_ERROR) {
            MNN_ERROR("op '%s' (%s) cannot be prepared: error %d\n", nameOf(command->source), EnumNameOpType(command->op->type()), code);
            return code;
        }
        step->flops = opFlops(command->op, command->inputs, command->outputs);
    }
    for (Tensor* input : command->inputs) {
        for (Tensor* storage : storagesOf(input)) placement->release(storage, at);
    }
    for (Tensor* output : command->outputs) placement->release(output, at);
    return NO_ERROR;
}

void CommandList::resolveAliases() {
    for (const Step& step : mSteps) {
        for (Tensor* output : step.command->outputs) {
            int64_t offset = 0;
            Tensor* root = output;
            while (TensorUtils::describe(root)->memory == TensorMemory::Alias) {
                offset += TensorUtils::describe(root)->aliasOffset;
                root = TensorUtils::describe(root)->aliasOf;
            }
            if (root == output) continue;
            output->buffer().device = root->buffer().device;
            output->buffer().host = root->buffer().host == nullptr ? nullptr : root->buffer().host + offset * output->getType().bytes();
        }
    }
}

ErrorCode CommandList::execute(const StepCallback& before, const StepCallback& after) {
    for (Step& step : mSteps) {
        Command* command = step.command.get();
        if (before && !isCopy(step) && !before(step)) continue;
        if (isCopy(step)) {
            if (!step.backend->onCopyBuffer(command->inputs[0], command->outputs[0])) return INVALID_VALUE;
            continue;
        }
        const ErrorCode code = command->execution->onExecute(command->inputs, command->outputs);
        if (code != NO_ERROR) {
            MNN_ERROR("op '%s' (%s) failed: error %d\n", nameOf(command->source), EnumNameOpType(command->op->type()), code);
            return code;
        }
        if (after && !after(step)) return CALL_BACK_STOP;
    }
    return NO_ERROR;
}

bool evaluateOnHost(CommandBuffer&& buffer, const std::vector<Tensor*>& outputs, Backend* host) {
    CommandList list(host, host);
    CommandList::Request request;
    for (Tensor* output : outputs) {
        if (!hasOwnMemory(output)) request.outputs.insert(output);
    }
    ExecutionCache cache;
    if (list.prepare(std::move(buffer), request, &cache) != NO_ERROR) return false;
    if (list.execute(nullptr, nullptr) != NO_ERROR) return false;
    for (Tensor* output : request.outputs) {
        const uint8_t* planned = output->host<uint8_t>();
        if (!TensorUtils::allocHost(output)) return false;
        if (planned != nullptr) std::copy(planned, planned + TensorUtils::storageBytes(output), output->host<uint8_t>());
    }
    for (Tensor* output : outputs) TensorUtils::describe(output)->hostKnown = true;
    host->onClearBuffer();
    return true;
}

}  // namespace MNN
