#include "session/CommandList.hpp"

#include <MNN/MNNDefine.h>
#include <algorithm>
#include "core/TensorUtils.hpp"
#include "geometry/RegionAlgebra.hpp"
#include "session/CommandTensors.hpp"

namespace MNN {
namespace {

std::shared_ptr<OwnedOp> rasterOp() {
    OpT op;
    op.type = OpType_Raster;
    return std::make_shared<OwnedOp>(op);
}

// The tensor that holds the view's elements one after the other from *begin on; nullptr when there is none.
Tensor* contiguousPart(const Tensor* view, int64_t* begin) {
    const core::RegionList& regions = TensorUtils::describe(view)->regions;
    if (regions.size() != 1) return nullptr;
    core::Region moved = regions.front();
    *begin = moved.src.offset;
    moved.src.offset = 0;
    const bool sameType = moved.origin->getType() == view->getType();
    return sameType && core::isIdentity(moved, TensorUtils::storageElements(view)) ? moved.origin : nullptr;
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
    settleInputs(request);
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
        const std::vector<Tensor*> origins = storagesOf(output);
        Backend* home = origins.empty() ? nullptr : TensorUtils::describe(origins.front())->backend;
        code = addRaster(output, home != nullptr && home->type() == mBackup->type() ? mBackup : mMain, nullptr);
        if (code != NO_ERROR) return code;
    }
    dropUnused(request);
    writeInPlace(request);
    return placeMemory(request);
}

// An input lives on the main backend, except when only commands of the backup read it.
void CommandList::settleInputs(const Request& request) {
    std::set<Tensor*> onMain, onBackup;
    for (const auto& command : mBuffer.commands) {
        auto& readers = mBackends[command.get()] == mMain ? onMain : onBackup;
        for (Tensor* input : command->inputs) {
            for (Tensor* storage : storagesOf(input)) readers.insert(storage);
        }
    }
    for (Tensor* input : request.inputs) {
        const bool elsewhere = onMain.count(input) == 0 && onBackup.count(input) != 0;
        TensorUtils::describe(input)->backend = elsewhere ? mBackup : mMain;
    }
}

// A view of constants alone that does not repeat them is computed now, or shares their memory, and is a constant
// itself.
bool CommandList::foldConstantView(Tensor* view) {
    int64_t begin = 0, available = 0;
    Tensor* whole = contiguousPart(view, &begin);
    if (whole != nullptr && isConstant(whole) && hasOwnMemory(whole)) {
        auto* describe = TensorUtils::describe(view);
        describe->memory = TensorMemory::Host;
        describe->usage = TensorUsage::Constant;
        describe->hostKnown = true;
        describe->holder = TensorUtils::describe(whole)->holder;
        describe->regions.clear();
        view->buffer().host = whole->buffer().host + begin * view->getType().bytes();
        return true;
    }
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

std::shared_ptr<Execution> CommandList::makeExecution(Command* command, Backend** backend,
                                                      ExecutionCache::Entry* entry) {
    std::vector<ExecutionCache::Constant> constants;
    std::vector<halide_type_t> types;
    for (const Tensor* input : command->inputs) {
        ExecutionCache::Constant constant;
        if (isConstant(input) && hasOwnMemory(input))
            constant = {input->buffer().host, TensorUtils::describe(input)->holder, input->shape()};
        constants.push_back(std::move(constant));
        types.push_back(input->getType());
    }
    if (entry->execution != nullptr && entry->constants == constants && entry->types == types) {
        const bool same = command->ownedOp == nullptr
                              ? entry->op == command->op
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
            for (const Tensor* input : command->inputs)
                shapes += (shapes.empty() ? "" : ", ") + TensorUtils::text(input);
            MNN_ERROR("op '%s' (%s): no backend of this session runs %s on (%s)\n", nameOf(command->source),
                      command->source == nullptr ? "?" : EnumNameOpType(command->source->type()),
                      EnumNameOpType(command->op->type()), shapes.c_str());
            return NO_EXECUTION;
        }
        mBackends[command.get()] = backend;
    }
    return NO_ERROR;
}

// Steps in front of the one that has `view` written have absorbed it: they go on reading its origins, through a twin.
void CommandList::keepVirtualForEarlier(Tensor* view) {
    std::shared_ptr<Tensor> twin;
    for (Step& step : mSteps) {
        for (Tensor*& input : step.command->inputs) {
            if (input != view) continue;
            if (twin == nullptr) {
                twin.reset(new Tensor(view->dimensions()));
                TensorUtils::copyShape(view, twin.get());
                TensorUtils::setVirtual(twin.get(), TensorUtils::describe(view)->regions);
                mBuffer.extras.push_back(twin);
            }
            input = twin.get();
        }
    }
}

// A view of one contiguous part of a tensor of this list needs no copy: it is that part's memory.
bool CommandList::shareMemory(Tensor* view, Backend* backend, const Request& request) {
    int64_t begin = 0;
    Tensor* whole = contiguousPart(view, &begin);
    if (request.materializeViews || whole == nullptr || (begin != 0 && !backend->traits().hostMemory)) return false;
    // A caller may move the memory of inputs and outputs between two runs.
    const auto* owner = TensorUtils::describe(whole);
    if (owner->usage != TensorUsage::Normal || owner->backend == nullptr || !canReach(backend, owner->backend))
        return false;
    auto* describe = TensorUtils::describe(view);
    describe->memory = TensorMemory::Alias;
    describe->aliasOf = whole;
    describe->aliasOffset = begin;
    describe->backend = owner->backend;
    return true;
}

// Writes `view` out on `backend`, or on the backup when `backend` has no Raster for it.
ErrorCode CommandList::addRaster(Tensor* view, Backend* backend, const Op* reader) {
    keepVirtualForEarlier(view);
    auto* describe = TensorUtils::describe(view);
    auto command = std::make_shared<Command>();
    command->ownedOp = rasterOp();
    command->op = command->ownedOp->get();
    command->source = reader;
    command->outputs = {view};
    for (Backend* candidate : {backend, mBackup}) {
        if (command->execution != nullptr) break;
        backend = candidate;
        command->execution.reset(backend->onCreate(storagesOf(view), command->outputs, command->op));
    }
    if (command->execution == nullptr) {
        MNN_ERROR("op '%s': no backend of this session can write out the view %s\n", nameOf(reader),
                  TensorUtils::text(view).c_str());
        return NO_EXECUTION;
    }
    for (core::Region& region : describe->regions) {
        region.origin = onBackend(region.origin, backend);
        if (region.origin == nullptr) return OUT_OF_MEMORY;
    }
    describe->regions = core::fuseRegions(std::move(describe->regions));
    for (core::Region& region : describe->regions) region = core::normalize(region);
    command->inputs = storagesOf(view);
    describe->memory = TensorMemory::None;
    describe->backend = backend;
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
            const bool absorbed =
                !request.materializeViews &&
                step->backend->canRead(command->op, command->inputs, command->outputs, static_cast<int>(i));
            if (!absorbed && !shareMemory(input, step->backend, request)) {
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
    if (TensorUtils::isVirtual(tensor)) return viewOnBackend(tensor, backend);
    auto* describe = TensorUtils::describe(tensor);
    const bool hostConstant = describe->memory == TensorMemory::Host && describe->hostKnown;
    Backend* home = hostConstant ? nullptr : describe->backend;
    if (canReach(backend, home)) return tensor;
    Tensor*& mirror = mMirrors[{tensor, backend}];
    if (mirror != nullptr) return mirror;
    // Two devices know nothing of each other's memory: the way leads over the host.
    if (home != nullptr && !home->traits().hostMemory && !backend->traits().hostMemory) {
        Tensor* onHost = backend == mBackup ? nullptr : onBackend(tensor, mBackup);
        return mMirrors[{tensor, backend}] = onHost == nullptr ? nullptr : onBackend(onHost, backend);
    }
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

// The view itself, or one of the same shape over the origins' copies on `backend`.
Tensor* CommandList::viewOnBackend(Tensor* view, Backend* backend) {
    core::RegionList regions = TensorUtils::describe(view)->regions;
    bool moved = false;
    for (core::Region& region : regions) {
        Tensor* there = onBackend(region.origin, backend);
        if (there == nullptr) return nullptr;
        moved |= there != region.origin;
        region.origin = there;
    }
    if (!moved) return view;
    std::shared_ptr<Tensor> copy(new Tensor(view->dimensions()));
    TensorUtils::copyShape(view, copy.get());
    TensorUtils::setVirtual(copy.get(), std::move(regions));
    mBuffer.extras.push_back(copy);
    return copy.get();
}

// Removes steps whose outputs nobody reads.
void CommandList::dropUnused(const Request& request) {
    std::set<Tensor*> needed(request.outputs.begin(), request.outputs.end());
    std::vector<Step> kept;
    for (auto step = mSteps.rbegin(); step != mSteps.rend(); ++step) {
        const auto& outputs = step->command->outputs;
        if (std::none_of(outputs.begin(), outputs.end(), [&](Tensor* t) { return needed.count(t) != 0; })) continue;
        for (Tensor* input : step->command->inputs) {
            for (Tensor* storage : storagesOf(input)) needed.insert(rootOf(storage));
        }
        kept.push_back(std::move(*step));
    }
    mSteps.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

// Tensors with a length of 0 have no memory on some backends, and nothing to compute on any.
static bool writesNothing(const Command& command) {
    return std::all_of(command.outputs.begin(), command.outputs.end(),
                       [](const Tensor* t) { return TensorUtils::storageElements(t) == 0; });
}

ErrorCode CommandList::execute(const StepCallback& before, const StepCallback& after) {
    for (Step& step : mSteps) {
        Command* command = step.command.get();
        if (before && !isCopy(step) && !before(step)) continue;
        if (writesNothing(*command)) continue;
        if (isCopy(step)) {
            if (!step.backend->onCopyBuffer(command->inputs[0], command->outputs[0])) return INVALID_VALUE;
            continue;
        }
        const ErrorCode code = command->execution->onExecute(command->inputs, command->outputs);
        if (code != NO_ERROR) {
            MNN_ERROR("op '%s' (%s) failed: error %d\n", nameOf(command->source), EnumNameOpType(command->op->type()),
                      code);
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
        if (planned != nullptr)
            std::copy(planned, planned + TensorUtils::storageBytes(output), output->host<uint8_t>());
    }
    for (Tensor* output : outputs) TensorUtils::describe(output)->hostKnown = true;
    host->onClearBuffer();
    return true;
}

}  // namespace MNN
