// Pipeline: one path of a session through the four steps: shape, geometry, resize, execute.
#ifndef MNN_SESSION_PIPELINE_HPP
#define MNN_SESSION_PIPELINE_HPP

#include <map>
#include <memory>
#include <set>
#include <vector>
#include "geometry/Geometry.hpp"
#include "session/CommandList.hpp"
#include "session/Schedule.hpp"

namespace MNN {

struct PipelineConfig {
    std::shared_ptr<Runtime> runtime;  // where ops run by preference
    std::shared_ptr<Runtime> backup;   // a CPU runtime: everything else, and shape arithmetic
    BackendConfig backend;
    Backend::ExternalData external;
    bool inputsFromUser = false;
};

class Pipeline {
public:
    Pipeline(std::vector<OpNode> nodes, const TensorTable& table, const PipelineConfig& config);

    // Steps 1-3 for every segment whose shapes can be known before a run.
    ErrorCode resize();
    // Step 4, and steps 1-3 of later segments as they become ready.
    ErrorCode execute(const CommandList::StepCallback& before, const CommandList::StepCallback& after);

    // Bytes of all arenas, and the least they could be.
    size_t plannedBytes() const;
    size_t plannedLowerBound() const;
    float flops() const;
    MNNForwardType forwardType() const { return mMainType; }
    // Steps of segment i after its last resize; for profiles and inspection.
    size_t segments() const { return mSegments.size(); }
    bool isReady(size_t segment) const { return mSegments[segment]->ready; }
    const std::vector<Step>& steps(size_t segment) const { return mSegments[segment]->list->steps(); }

private:
    struct Segment {
        std::vector<OpNode*> nodes;
        std::set<Tensor*> liveOut;             // read by later segments, or outputs of the session
        std::vector<Tensor*> contents;         // values that its shapes depend on
        std::vector<std::vector<uint8_t>> lastContents;
        std::unique_ptr<Backend> main, backup;
        std::unique_ptr<CommandList> list;
        ExecutionCache cache;
        bool ready = false;
    };

    void markShapeArithmetic();
    void splitSegments();
    void findLiveOut();
    ErrorCode resizeSegment(Segment* segment);
    ErrorCode prepareSegment(size_t index);
    ErrorCode inferNode(OpNode* node, bool* evaluated);
    bool evaluateNode(OpNode* node);
    bool contentsChanged(Segment* segment);
    Tensor* hostContent(Tensor* tensor);
    uint32_t neededContents(const Op* op) const;

    std::vector<OpNode> mNodes;
    PipelineConfig mConfig;
    MNNForwardType mMainType;
    std::set<Tensor*> mInputs, mOutputs;
    std::set<const OpNode*> mShapeArithmetic;  // nodes whose values feed shapes
    std::set<const OpNode*> mEvaluated;        // those of them that run in step 1 of their segment
    std::vector<std::unique_ptr<Segment>> mSegments;
    std::unique_ptr<Backend> mHost;
    std::map<Tensor*, std::shared_ptr<Tensor>> mHostCopies;
};

}  // namespace MNN
#endif
