// If and While: pipelines over sub-graphs, run as the values say.
#ifndef MNN_SESSION_CONTROLFLOW_HPP
#define MNN_SESSION_CONTROLFLOW_HPP

#include <memory>
#include <vector>
#include "core/HostMemory.hpp"
#include "session/Pipeline.hpp"
#include "session/SubGraphs.hpp"

namespace MNN {

// Host memory that only grows, so that a loop stops allocating once it has seen its largest values.
class GrowingMemory {
public:
    // Room for `bytes`; the first `keep` bytes stay. False after MNN_ERROR.
    bool reserve(size_t bytes, size_t keep = 0);
    uint8_t* data() const { return mMemory == nullptr ? nullptr : static_cast<uint8_t*>(mMemory->data()); }
    size_t bytes() const { return mMemory == nullptr ? 0 : mMemory->bytes(); }

private:
    std::shared_ptr<HostMemory> mMemory;
};

// A pipeline over a sub-graph whose inputs are tensors of somebody else's. It is resized only when one of them looks
// different, so rounds at the same shapes share executions, memory plan and packed weights.
class SubPipeline {
public:
    SubPipeline(SubGraph* graph, const PipelineConfig& config);

    ErrorCode execute(const CommandList::StepCallback& before, const CommandList::StepCallback& after);
    // Steps 1-3 as far as they go without running; true when every output has its shape.
    bool inferOutputs();
    // Values that the surrounding pipeline knows before it runs may differ from now on.
    void invalidate() { mStale = true; }

    Tensor* input(int position) const { return mGraph->inputs[position]; }
    Tensor* output(int position) const { return mGraph->outputs[position]; }
    const std::string& name() const { return mGraph->name; }
    const Pipeline& pipeline() const { return mPipeline; }

private:
    // All that a resize reads of an input.
    struct Look {
        const Backend* backend = nullptr;
        halide_type_t type;
        MNN_DATA_FORMAT format = MNN_DATA_FORMAT_NCHW;
        int pack = 0, rank = -1;
        bool known = false;
        int dims[kMaxRank] = {};
    };
    static Look lookOf(const Tensor* t);
    static bool same(const Look& a, const Look& b);
    void follow();

    SubGraph* mGraph;
    Pipeline mPipeline;
    std::vector<Look> mLooks;
    bool mStale = false;
};

class ControlFlow {
public:
    // Wires the sub-graphs of `node` to its inputs. The node outlives the result.
    static std::unique_ptr<ControlFlow> create(OpNode* node, const PipelineConfig& config);
    virtual ~ControlFlow() = default;

    // Gives the op's outputs their shapes and contents, in host memory. *reshaped is set when an output's shape, type
    // or format differs from before.
    virtual ErrorCode execute(const CommandList::StepCallback& before, const CommandList::StepCallback& after,
                              bool* reshaped) = 0;
    void invalidate();
    // Its sub-graphs' pipelines, in the order of ControlNode::graphs.
    const std::vector<std::unique_ptr<SubPipeline>>& graphs() const { return mGraphs; }
    const Op* op() const { return mNode->op; }
    // Bytes of its own: outputs, carried values, constants of the sub-graphs.
    virtual size_t bytes() const;

protected:
    explicit ControlFlow(OpNode* node) : mNode(node), mOutputMemory(node->outputs.size()) {}
    bool fail(const char* format, ...) const;
    // The single number of a condition or trip count.
    bool readScalar(const Tensor* t, double* value);
    // Copies `from` to output i.
    bool giveOutput(size_t i, const Tensor* from, bool* reshaped);

    OpNode* mNode;
    std::vector<std::unique_ptr<SubPipeline>> mGraphs;
    std::vector<GrowingMemory> mOutputMemory;

private:
    Tensor mScalar{0};
    GrowingMemory mScalarMemory;
};

// Gives `to` the shape, type and row-major content of `from`, in `memory`. False after MNN_ERROR.
bool copyToHost(const Tensor* from, Tensor* to, GrowingMemory* memory, bool* reshaped);
// Makes `to` look like `from` (packed storage becomes NCHW); true when it did not.
bool lookLike(const Tensor* from, Tensor* to);
// The elements of `t` now lie at `data` on the host; what they are is only known at run time.
void placeOnHost(Tensor* t, uint8_t* data);
// Whether the host reads t's elements row by row at its host pointer.
bool isPlainOnHost(const Tensor* t);

std::unique_ptr<ControlFlow> makeLoop(OpNode* node, const PipelineConfig& config);

}  // namespace MNN
#endif
