// Where the tensors of a command list live: writes in place, lifetimes, aliases.
#include <MNN/MNNDefine.h>
#include <algorithm>
#include "core/TensorUtils.hpp"
#include "geometry/RegionAlgebra.hpp"
#include "session/CommandTensors.hpp"
#include "shape/Shape.hpp"

namespace MNN {
namespace {

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

// b copies what a copies, to a place `shift` elements further on.
bool sameCopy(const core::Region& a, const core::Region& b, int64_t shift) {
    return a.origin == b.origin && a.size == b.size && a.src.offset == b.src.offset && a.src.stride == b.src.stride &&
           a.dst.stride == b.dst.stride && a.dst.offset + shift == b.dst.offset;
}

// When `outer` holds all of `inner`, moved by one distance, takes these Regions out of it and gives the distance.
bool takeNested(const core::RegionList& inner, core::RegionList* outer, int64_t* distance) {
    for (const core::Region& begin : *outer) {
        const int64_t shift = begin.dst.offset - inner.front().dst.offset;
        if (!sameCopy(inner.front(), begin, shift)) continue;
        const auto isInner = [&](const core::Region& region) {
            return std::any_of(inner.begin(), inner.end(),
                               [&](const core::Region& part) { return sameCopy(part, region, shift); });
        };
        // The Regions of a list write disjoint elements, so that none is counted twice.
        const auto found = std::count_if(outer->begin(), outer->end(), isInner);
        if (found != static_cast<std::ptrdiff_t>(inner.size())) continue;
        outer->erase(std::remove_if(outer->begin(), outer->end(), isInner), outer->end());
        *distance = shift;
        return true;
    }
    return false;
}

}  // namespace

// The outputs of Rasters that a later one repeats as one piece of its own, as in concat(concat(a, b), c), become that
// piece: a chain of concats writes each part once.
void CommandList::nestRasters(const Request& request) {
    struct Candidate {
        Step* step;
        Tensor* target;
        core::RegionList regions;  // as geometry gave them
    };
    std::vector<Candidate> candidates;
    std::map<Tensor*, std::vector<size_t>> readers;  // of an origin
    for (Step& step : mSteps) {
        if (!isRaster(step) || !step.backend->canWriteInto(step.command->op, 0)) continue;
        Tensor* target = step.command->outputs[0];
        const auto* describe = TensorUtils::describe(target);
        if (describe->memory != TensorMemory::None || describe->regions.empty() ||
            !core::coversAll(describe->regions, TensorUtils::storageElements(target)))
            continue;
        for (Tensor* origin : step.command->inputs) readers[origin].push_back(candidates.size());
        candidates.push_back({&step, target, describe->regions});
    }
    for (size_t i = 0; i < candidates.size(); ++i) {
        const Candidate& inner = candidates[i];
        auto* describe = TensorUtils::describe(inner.target);
        if (describe->usage != TensorUsage::Normal || request.outputs.count(inner.target) != 0) continue;
        for (size_t j : readers[inner.regions.front().origin]) {
            const Candidate& outer = candidates[j];
            auto* around = TensorUtils::describe(outer.target);
            if (j <= i || outer.step->backend != inner.step->backend ||
                !(outer.target->getType() == inner.target->getType()) ||
                !takeNested(inner.regions, &around->regions, &describe->aliasOffset))
                continue;
            describe->memory = TensorMemory::Alias;
            describe->aliasOf = outer.target;
            around->partlyInPlace = true;
            break;
        }
    }
}

// A Raster that only gathers whole tensors (Concat) turns them into parts of its output: their producers write in
// place.
void CommandList::writeInPlace(const Request& request) {
    if (request.materializeViews) return;
    // First, because parts that are in place already are no longer listed by the Rasters around.
    nestRasters(request);
    std::map<Tensor*, const Step*> producers;
    for (const Step& step : mSteps) {
        for (Tensor* output : step.command->outputs) producers[output] = &step;
    }
    for (Step& step : mSteps) {
        if (isCopy(step) || step.command->op->type() != OpType_Raster) continue;
        Tensor* target = step.command->outputs[0];
        auto* describe = TensorUtils::describe(target);
        if (!describe->partlyInPlace && !core::coversAll(describe->regions, TensorUtils::storageElements(target)))
            continue;
        auto takenOver = [&](const core::Region& region) {
            Tensor* origin = region.origin;
            auto* from = TensorUtils::describe(origin);
            const auto producer = producers.find(origin);
            if (producer == producers.end() || isCopy(*producer->second) || producer->second->backend != step.backend)
                return false;
            if (from->memory != TensorMemory::None || from->usage != TensorUsage::Normal ||
                request.outputs.count(origin) != 0)
                return false;
            if (!(origin->getType() == target->getType()) || !copiesWholeOrigin(region)) return false;
            if (!step.backend->canWriteInto(producer->second->command->op, 0)) return false;
            from->memory = TensorMemory::Alias;
            from->aliasOf = target;
            from->aliasOffset = region.dst.offset;
            return true;
        };
        auto& regions = describe->regions;
        const auto end = std::remove_if(regions.begin(), regions.end(), takenOver);
        describe->partlyInPlace |= end != regions.end();
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
    Placement(const std::vector<Step>& steps, const Request& request)
        : mRequest(request), mEnd(static_cast<int>(steps.size())) {
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
        return TensorUtils::describe(t)->memory == TensorMemory::None && mRequest.outputs.count(t) == 0 &&
               mAcquired.count(t) == 0;
    }
    bool diesWhole(Tensor* input, int at) {
        if (TensorUtils::isVirtual(input)) return false;
        Tensor* root = rootOf(input);
        return mLastUse[root] == at && mAcquired.count(root) != 0 &&
               TensorUtils::storageBytes(root) == TensorUtils::storageBytes(input);
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
        auto* describe = TensorUtils::describe(input);
        const bool fromUser = request.inputsFromUser && describe->backend->traits().hostMemory;
        describe->memory = fromUser ? TensorMemory::Host : TensorMemory::None;
        if (!placement.acquire(input, describe->backend)) return OUT_OF_MEMORY;
    }
    for (const auto& output : request.userOutputs) {
        auto* describe = TensorUtils::describe(output.first);
        if (describe->memory != TensorMemory::None || describe->backend == nullptr ||
            !describe->backend->traits().hostMemory)
            continue;
        describe->memory = TensorMemory::Host;
        output.first->buffer().host = output.second;
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
            MNN_ERROR("op '%s' (%s) cannot be prepared: error %d\n", nameOf(command->source),
                      EnumNameOpType(command->op->type()), code);
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
    auto resolve = [](Tensor* t) {
        int64_t offset = 0;
        Tensor* root = t;
        while (TensorUtils::describe(root)->memory == TensorMemory::Alias) {
            offset += TensorUtils::describe(root)->aliasOffset;
            root = TensorUtils::describe(root)->aliasOf;
        }
        if (root == t) return;
        t->buffer().device = root->buffer().device;
        t->buffer().host =
            root->buffer().host == nullptr ? nullptr : root->buffer().host + offset * t->getType().bytes();
    };
    for (const Step& step : mSteps) {
        for (Tensor* input : step.command->inputs) {
            if (!TensorUtils::isVirtual(input)) resolve(input);
            for (const core::Region& region : TensorUtils::describe(input)->regions) resolve(region.origin);
        }
        for (Tensor* output : step.command->outputs) resolve(output);
    }
}

}  // namespace MNN
