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

class ControlFlow;

struct PipelineConfig {
    std::shared_ptr<Runtime> runtime;  // where ops run by preference
    std::shared_ptr<Runtime> backup;   // a CPU runtime: everything else, and shape arithmetic
    BackendConfig backend;
    Backend::ExternalData external;
    bool inputsFromUser = false;
    bool outputsFromUser = false;
    std::set<Tensor*> inputs;  // of the session, those whose memory this pipeline places
};

class Pipeline {
public:
    Pipeline(std::vector<OpNode> nodes, const PipelineConfig& config);
    ~Pipeline();

    // Steps 1-3 for every segment whose shapes can be known before a run.
    ErrorCode resize();
    // Makes execute() resize first.
    void invalidate();
    // Grows whenever a segment was resized: shapes and places of its tensors may have changed.
    int resizes() const { return mResizes; }
    // Whether every segment has its shapes.
    bool isReady() const;
    // Step 4, and steps 1-3 of later segments as they become ready.
    ErrorCode execute(const CommandList::StepCallback& before, const CommandList::StepCallback& after);

    // Bytes of all arenas, and the least they could be.
    size_t plannedBytes() const;
    size_t plannedLowerBound() const;
    // Bytes of what Executions hold between runs.
    size_t privateBytes() const;
    float flops() const;
    MNNForwardType forwardType() const { return mMainType; }
    // Steps of segment i after its last resize; for profiles and inspection.
    size_t segments() const { return mSegments.size(); }
    bool isReady(size_t segment) const { return mSegments[segment]->ready; }
    const std::vector<Step>& steps(size_t segment) const;
    // The If or While that segment i is; nullptr for a segment of commands.
    const ControlFlow* control(size_t segment) const { return mSegments[segment]->control.get(); }

private:
    struct Content {
        std::vector<int> shape;
        std::vector<uint8_t> bytes;
    };
    // An output in Session_Output_User mode: where the pipeline put it, and where the caller wants it.
    struct UserOutput {
        Tensor* tensor;
        uint8_t* placed = nullptr;
        uint8_t* wanted = nullptr;
    };
    // What a shape rule reads of a tensor whose memory the host cannot reach.
    struct HostCopy {
        std::unique_ptr<Tensor> tensor;
        bool fresh = false;
    };
    struct Segment {
        std::vector<OpNode*> nodes;
        std::set<Tensor*> liveOut;      // read by later segments, or outputs of the session
        std::vector<Tensor*> contents;  // values that its shapes depend on
        std::vector<Content> lastContents;
        std::vector<UserOutput> userOutputs;
        std::unique_ptr<ControlFlow> control;  // instead of backends, list and cache
        std::unique_ptr<Backend> main, backup;
        std::unique_ptr<CommandList> list;
        ExecutionCache cache;
        bool ready = false;
    };

    void markShapeArithmetic();
    void splitSegments();
    void addControlSegment(OpNode* node);
    void makeBackends(Segment* segment);
    void findLiveOut();
    ErrorCode resizeSegment(Segment* segment);
    void takeUserOutputs(Segment* segment);
    void placeUserOutputs(Segment* segment);
    void followUserOutputs(Segment* segment);
    static void copyKnownOutput(const UserOutput& output);
    ErrorCode prepareSegment(size_t index);
    void invalidateFrom(size_t index);
    ErrorCode runControl(size_t index, const CommandList::StepCallback& before, const CommandList::StepCallback& after);
    ErrorCode inferNode(OpNode* node, const Tensors& inputs, bool* evaluated);
    bool evaluateNode(OpNode* node);
    Tensors inputsWithContents(const OpNode& node);
    bool contentsChanged(Segment* segment);
    Tensor* hostContent(Tensor* tensor);
    uint32_t neededContents(const Op* op) const;

    std::vector<OpNode> mNodes;
    PipelineConfig mConfig;
    MNNForwardType mMainType;
    std::set<Tensor*>
        mGiven;  // read, but made by no node of this pipeline: the session's inputs, or another pipeline's tensors
    std::set<Tensor*> mOutputs;
    std::set<const OpNode*> mShapeArithmetic;  // nodes whose values feed shapes
    std::set<const OpNode*> mEvaluated;        // those of them that run in step 1 of their segment
    std::vector<std::unique_ptr<Segment>> mSegments;
    std::unique_ptr<Backend> mHost;
    std::map<Tensor*, HostCopy> mHostCopies;
    int mResizes = 0;
};

}  // namespace MNN
#endif
