#include "session/ControlFlow.hpp"

#include <MNN/MNNDefine.h>
#include <algorithm>
#include <cstring>
#include "core/TensorUtils.hpp"
#include "session/CommandTensors.hpp"

namespace MNN {

bool GrowingMemory::reserve(size_t bytes, size_t keep) {
    if (mMemory != nullptr && mMemory->bytes() >= bytes) return true;
    // A half more than before: a value that grows each round is moved a few times, not each round.
    const size_t roomy = std::min(mMemory == nullptr ? bytes : mMemory->bytes() / 2 * 3, HostMemory::kLimit);
    auto grown = HostMemory::allocate(std::max(bytes, roomy));
    if (grown == nullptr) {
        MNN_ERROR("out of memory: %zu bytes for a value of a loop or branch\n", bytes);
        return false;
    }
    if (keep > 0) std::memcpy(grown->data(), mMemory->data(), keep);
    mMemory = std::move(grown);
    return true;
}

bool isPlainOnHost(const Tensor* t) {
    const auto* describe = TensorUtils::describe(t);
    const bool host = describe->backend == nullptr || describe->backend->traits().hostMemory ||
                      (describe->memory == TensorMemory::Host && describe->hostKnown);
    return host && !TensorUtils::isPacked(t) && !TensorUtils::isVirtual(t);
}

bool lookLike(const Tensor* from, Tensor* to) {
    const auto* describe = TensorUtils::describe(from);
    const MNN_DATA_FORMAT format = TensorUtils::isPacked(from) ? MNN_DATA_FORMAT_NCHW : describe->format;
    if (TensorUtils::sameShape(from, to) && from->getType() == to->getType() &&
        TensorUtils::describe(to)->format == format)
        return false;
    TensorUtils::copyShape(from, to);
    TensorUtils::setFormat(to, format);
    TensorUtils::setLinearLayout(to);
    return true;
}

void placeOnHost(Tensor* t, uint8_t* data) {
    auto* describe = TensorUtils::describe(t);
    describe->memory = TensorMemory::Host;
    describe->hostKnown = false;
    describe->backend = nullptr;
    describe->regions.clear();
    t->buffer().host = data;
    t->buffer().device = 0;
}

bool copyToHost(const Tensor* from, Tensor* to, GrowingMemory* memory, bool* reshaped) {
    if (lookLike(from, to)) *reshaped = true;
    const size_t bytes = TensorUtils::storageBytes(to);
    if (!memory->reserve(bytes)) return false;
    placeOnHost(to, memory->data());
    if (bytes == 0) return true;
    if (!isPlainOnHost(from)) return from->copyToHostTensor(to);
    if (from->host<uint8_t>() == nullptr) {
        MNN_ERROR("%s has no memory\n", TensorUtils::text(from).c_str());
        return false;
    }
    std::memcpy(memory->data(), from->host<uint8_t>(), bytes);
    return true;
}

SubPipeline::SubPipeline(SubGraph* graph, const PipelineConfig& config)
    : mGraph(graph), mPipeline(std::move(graph->nodes), config), mLooks(graph->inputs.size()) {}

SubPipeline::Look SubPipeline::lookOf(const Tensor* t) {
    const auto* describe = TensorUtils::describe(t);
    Look look;
    look.backend = describe->backend;
    look.type = t->getType();
    look.format = describe->format;
    look.pack = describe->pack;
    look.rank = t->dimensions();
    look.known = describe->hostKnown;
    for (int d = 0; d < look.rank; ++d) look.dims[d] = t->length(d);
    return look;
}

bool SubPipeline::same(const Look& a, const Look& b) {
    return a.backend == b.backend && a.type == b.type && a.format == b.format && a.pack == b.pack && a.rank == b.rank &&
           a.known == b.known && std::equal(a.dims, a.dims + std::max(a.rank, 0), b.dims);
}

// Has the pipeline resized before it runs when what it was resized for is no longer true.
void SubPipeline::follow() {
    bool changed = false;
    for (size_t i = 0; i < mLooks.size(); ++i) {
        const Look now = lookOf(mGraph->inputs[i]);
        const bool mayDiffer = mStale && now.known && !isConstant(mGraph->inputs[i]);
        changed |= mayDiffer || !same(now, mLooks[i]);
        mLooks[i] = now;
    }
    mStale = false;
    if (changed) mPipeline.invalidate();
}

ErrorCode SubPipeline::execute(const CommandList::StepCallback& before, const CommandList::StepCallback& after) {
    follow();
    return mPipeline.execute(before, after);
}

bool SubPipeline::inferOutputs() {
    follow();
    return mPipeline.resize() == NO_ERROR && mPipeline.isReady();
}

void ControlFlow::invalidate() {
    for (auto& graph : mGraphs) graph->invalidate();
}

size_t ControlFlow::bytes() const {
    size_t total = mScalarMemory.bytes();
    for (const GrowingMemory& memory : mOutputMemory) total += memory.bytes();
    for (const SubGraph& graph : mNode->control->graphs) {
        for (const auto& tensor : graph.table.tensors) {
            if (isConstant(tensor.get())) total += TensorUtils::storageBytes(tensor.get());
        }
    }
    return total;
}

bool ControlFlow::fail(const char* format, ...) const {
    va_list list;
    va_start(list, format);
    logControl(mNode->op, format, list);
    va_end(list);
    return false;
}

bool ControlFlow::readScalar(const Tensor* t, double* value) {
    if (TensorUtils::elements(t) != 1)
        return fail("a condition or trip count is one number, not %s", TensorUtils::text(t).c_str());
    bool reshaped = false;
    if (!copyToHost(t, &mScalar, &mScalarMemory, &reshaped)) return false;
    const halide_type_t type = mScalar.getType();
    if (type == halide_type_of<float>()) {
        *value = mScalar.host<float>()[0];
    } else if (type == halide_type_of<int32_t>()) {
        *value = mScalar.host<int32_t>()[0];
    } else if (type.bits == 8) {
        *value = type.code == halide_type_int ? mScalar.host<int8_t>()[0] : mScalar.host<uint8_t>()[0];
    } else {
        return fail("a condition or trip count cannot be %s", TensorUtils::text(t).c_str());
    }
    return true;
}

bool ControlFlow::giveOutput(size_t i, const Tensor* from, bool* reshaped) {
    return copyToHost(from, mNode->outputs[i], &mOutputMemory[i], reshaped) || fail("output %zu cannot be copied", i);
}

namespace {

class Branches final : public ControlFlow {
public:
    Branches(OpNode* node, const PipelineConfig& config) : ControlFlow(node) {
        for (SubGraph& graph : node->control->graphs) {
            for (size_t p = 0; p < graph.feeds.size(); ++p) graph.wire(p, node->inputs[graph.feeds[p]]);
            mGraphs.emplace_back(new SubPipeline(&graph, config));
        }
    }

    ErrorCode execute(const CommandList::StepCallback& before, const CommandList::StepCallback& after,
                      bool* reshaped) override {
        double condition = 0;
        if (!readScalar(mNode->inputs[0], &condition)) return INVALID_VALUE;
        const int taken = condition != 0 ? ControlNode::Then : ControlNode::Else;
        const ErrorCode code = mGraphs[taken]->execute(before, after);
        if (code != NO_ERROR) {
            if (code != CALL_BACK_STOP) fail("sub-graph '%s' failed: error %d", mGraphs[taken]->name().c_str(), code);
            return code;
        }
        const std::vector<int>& results = mNode->control->branchResults[taken];
        for (size_t i = 0; i < results.size(); ++i) {
            if (!giveOutput(i, mGraphs[taken]->output(results[i]), reshaped)) return OUT_OF_MEMORY;
        }
        return NO_ERROR;
    }
};

}  // namespace

std::unique_ptr<ControlFlow> ControlFlow::create(OpNode* node, const PipelineConfig& config) {
    PipelineConfig inside = config;
    inside.inputs.clear();
    inside.inputsFromUser = inside.outputsFromUser = false;
    if (node->op->type() == OpType_While) return makeLoop(node, inside);
    return std::unique_ptr<ControlFlow>(new Branches(node, inside));
}

}  // namespace MNN
