// While: a body that runs as long as a condition holds, its outputs becoming the inputs of the next round.
#include <MNN/MNNDefine.h>
#include "core/TensorUtils.hpp"
#include "session/ControlFlow.hpp"

namespace MNN {
namespace {

// A value carried from round to round. The body reads `tensor` while it makes the next value in its own arena; when
// the round is over the next value is staged in the memory that `tensor` does not use, and only when all are staged do
// they take their new places: an output may repeat another carried value's input.
struct Slot {
    const Tensor* first;  // the op's input
    Port source;
    const Tensor* next = nullptr;  // the output that gives the next value
    std::unique_ptr<Tensor> tensor{new Tensor(0)}, staged{new Tensor(0)};
    GrowingMemory memory[2];
    int free = 0;       // which memory `tensor` does not use
    bool owns = false;  // `tensor` lies in memory of this slot, not in that of `first`

    bool begin() {
        owns = false;
        free = 0;
        lookLike(first, tensor.get());
        if (isPlainOnHost(first)) {
            placeOnHost(tensor.get(), first->host<uint8_t>());
            return true;
        }
        bool reshaped = false;
        owns = true;
        free = 1;
        return copyToHost(first, tensor.get(), &memory[0], &reshaped);
    }
    bool stage() {
        bool reshaped = false;
        return copyToHost(next, staged.get(), &memory[free], &reshaped);
    }
    void advance() {
        lookLike(staged.get(), tensor.get());
        placeOnHost(tensor.get(), staged->host<uint8_t>());
        free = 1 - free;
        owns = true;
    }
};

// An output of the body, round after round.
struct Stack {
    size_t result = 0;  // which output of the op
    const Tensor* element = nullptr;
    std::unique_ptr<Tensor> row{new Tensor(0)};
    GrowingMemory memory;
    int rows = 0;

    bool append() {
        const bool differs = lookLike(element, row.get());
        if (rows > 0 && differs) {
            MNN_ERROR("an element of a stacked output becomes %s, all must have one shape\n",
                      TensorUtils::text(element).c_str());
            return false;
        }
        const size_t bytes = TensorUtils::storageBytes(row.get()), used = bytes * rows;
        if (bytes > HostMemory::kLimit || !memory.reserve(used + bytes, used)) return false;
        ++rows;
        if (bytes == 0) return true;
        placeOnHost(row.get(), memory.data() + used);
        return element->copyToHostTensor(row.get());
    }
};

class Loop final : public ControlFlow {
public:
    Loop(OpNode* node, const PipelineConfig& config) : ControlFlow(node), mControl(*node->control) {
        mCounter.buffer().type = halide_type_of<int32_t>();
        TensorUtils::describe(&mCounter)->usage = TensorUsage::Input;
        placeOnHost(&mCounter, reinterpret_cast<uint8_t*>(&mRound));
        const int graphs = mControl.counted ? 1 : 2;
        for (int g = 0; g < graphs; ++g) wire(&mControl.graphs[g]);
        for (Slot& slot : mSlots) slot.next = mControl.graphs[slot.source.graph].outputs[slot.source.position];
        for (int g = 0; g < graphs; ++g) mGraphs.emplace_back(new SubPipeline(&mControl.graphs[g], config));
        for (size_t i = 0; i < mControl.loopResults.size(); ++i) {
            const LoopResult& result = mControl.loopResults[i];
            if (result.kind != LoopResult::Kind::Stacked) continue;
            mStacks.emplace_back();
            mStacks.back().result = i;
            mStacks.back().element = mGraphs[ControlNode::Body]->output(result.port.position);
        }
    }

    ErrorCode execute(const CommandList::StepCallback& before, const CommandList::StepCallback& after,
                      bool* reshaped) override {
        double limit = 0, condition = 1;
        if (mControl.counted && (!readScalar(mNode->inputs[0], &limit) || !readScalar(mNode->inputs[1], &condition)))
            return INVALID_VALUE;
        for (Slot& slot : mSlots) {
            if (!slot.begin()) return OUT_OF_MEMORY;
        }
        for (Stack& stack : mStacks) stack.rows = 0;
        int64_t rounds = 0;
        while (true) {
            if (!mControl.counted) {
                const ErrorCode code = run(ControlNode::Condition, before, after);
                if (code != NO_ERROR) return code;
                if (!readScalar(mGraphs[ControlNode::Condition]->output(0), &condition)) return INVALID_VALUE;
            }
            if (condition == 0 || (mControl.counted && static_cast<double>(rounds) >= limit)) break;
            mRound = static_cast<int32_t>(rounds);
            const ErrorCode code = run(ControlNode::Body, before, after);
            if (code != NO_ERROR) return code;
            if (mControl.counted && !readScalar(mGraphs[ControlNode::Body]->output(0), &condition))
                return INVALID_VALUE;
            if (!endRound()) return OUT_OF_MEMORY;
            ++rounds;
        }
        return giveOutputs(rounds, reshaped);
    }

    size_t bytes() const override {
        size_t total = ControlFlow::bytes();
        for (const Slot& slot : mSlots) total += slot.memory[0].bytes() + slot.memory[1].bytes();
        for (const Stack& stack : mStacks) total += stack.memory.bytes();
        return total;
    }

private:
    void wire(SubGraph* graph) {
        for (size_t p = 0; p < graph->inputs.size(); ++p) {
            Tensor* tensor = mNode->inputs[graph->feeds[p]];
            if (mControl.counted && p == 0) {
                tensor = &mCounter;
            } else if (graph->updates[p].graph >= 0) {
                tensor = slotFor(tensor, graph->updates[p])->tensor.get();
            }
            graph->wire(p, tensor);
        }
    }

    // Inputs of condition and body that begin and go on alike are one slot.
    Slot* slotFor(const Tensor* first, Port source) {
        for (Slot& slot : mSlots) {
            if (slot.first == first && slot.source.graph == source.graph && slot.source.position == source.position)
                return &slot;
        }
        mSlots.emplace_back();
        mSlots.back().first = first;
        mSlots.back().source = source;
        // Nobody may take its memory over or share it.
        TensorUtils::describe(mSlots.back().tensor.get())->usage = TensorUsage::Input;
        return &mSlots.back();
    }

    ErrorCode run(int graph, const CommandList::StepCallback& before, const CommandList::StepCallback& after) {
        const ErrorCode code = mGraphs[graph]->execute(before, after);
        if (code != NO_ERROR && code != CALL_BACK_STOP)
            fail("sub-graph '%s' failed: error %d", mGraphs[graph]->name().c_str(), code);
        return code;
    }

    bool endRound() {
        for (Stack& stack : mStacks) {
            if (!stack.append()) return fail("output %zu cannot be stacked", stack.result);
        }
        for (Slot& slot : mSlots) {
            if (!slot.stage()) return fail("a carried value cannot be copied");
        }
        for (Slot& slot : mSlots) slot.advance();
        return true;
    }

    ErrorCode giveOutputs(int64_t rounds, bool* reshaped) {
        for (size_t i = 0; i < mControl.loopResults.size(); ++i) {
            const LoopResult& result = mControl.loopResults[i];
            if (result.kind == LoopResult::Kind::Stacked) continue;
            if (result.kind == LoopResult::Kind::Last) {
                if (rounds == 0) {
                    fail("output %zu is made by sub-graph '%s', which did not run once", i,
                         mGraphs[result.port.graph]->name().c_str());
                    return INVALID_VALUE;
                }
                if (!giveOutput(i, mGraphs[result.port.graph]->output(result.port.position), reshaped))
                    return OUT_OF_MEMORY;
                continue;
            }
            if (!giveCarried(i, mGraphs[result.port.graph]->input(result.port.position), reshaped))
                return OUT_OF_MEMORY;
        }
        for (Stack& stack : mStacks) {
            if (!giveStack(&stack, reshaped)) return INVALID_VALUE;
        }
        return NO_ERROR;
    }

    // The slot's memory is not touched before the next run, so the output may lie in it.
    bool giveCarried(size_t i, Tensor* value, bool* reshaped) {
        for (const Slot& slot : mSlots) {
            if (slot.tensor.get() != value || !slot.owns) continue;
            if (lookLike(value, mNode->outputs[i])) *reshaped = true;
            placeOnHost(mNode->outputs[i], value->host<uint8_t>());
            return true;
        }
        return giveOutput(i, value, reshaped);
    }

    bool giveStack(Stack* stack, bool* reshaped) {
        std::vector<int> dims = {stack->rows};
        const Tensor* like = stack->rows > 0 ? stack->row.get() : stack->element;
        if (stack->rows > 0 || mGraphs[ControlNode::Body]->inferOutputs()) {
            for (int d = 0; d < like->dimensions(); ++d) dims.push_back(like->length(d));
        }
        if (dims.size() > static_cast<size_t>(kMaxRank))
            return fail("output %zu would have more than %d dimensions", stack->result, kMaxRank);
        Tensor* output = mNode->outputs[stack->result];
        if (output->shape() != dims || !(output->getType() == like->getType())) *reshaped = true;
        output->buffer().type = like->getType();
        TensorUtils::setFormat(
            output, TensorUtils::isPacked(like) ? MNN_DATA_FORMAT_NCHW : TensorUtils::describe(like)->format);
        TensorUtils::setShape(output, dims);
        placeOnHost(output, stack->memory.data());
        return true;
    }

    ControlNode& mControl;
    std::vector<Slot> mSlots;
    std::vector<Stack> mStacks;
    int32_t mRound = 0;
    Tensor mCounter{0};
};

}  // namespace

std::unique_ptr<ControlFlow> makeLoop(OpNode* node, const PipelineConfig& config) {
    return std::unique_ptr<ControlFlow>(new Loop(node, config));
}

}  // namespace MNN
