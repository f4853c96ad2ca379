#include "session/Pipeline.hpp"

#include <MNN/MNNDefine.h>
#include <algorithm>
#include <cstring>
#include "core/TensorUtils.hpp"
#include "geometry/Lowerings.hpp"
#include "session/CommandTensors.hpp"
#include "session/ControlFlow.hpp"
#include "shape/Shape.hpp"

namespace MNN {
namespace {

// Ops whose values follow from their inputs' shapes alone.
bool readsShapesOnly(const Op* op) {
    return op->type() == OpType_Shape || op->type() == OpType_Size || op->type() == OpType_Rank ||
           op->type() == OpType_PriorBox;
}

// Forgets where the last resize put a tensor.
void reset(Tensor* t) {
    auto* describe = TensorUtils::describe(t);
    describe->memory = TensorMemory::None;
    describe->hostKnown = false;
    // A view of constants was a constant for the shapes of the last resize only.
    if (describe->usage == TensorUsage::Constant) describe->usage = TensorUsage::Normal;
    describe->regions.clear();
    describe->partlyInPlace = false;
    describe->aliasOf = nullptr;
    describe->holder.reset();
    describe->backend = nullptr;
    describe->pack = 4;
    t->buffer().host = nullptr;
    t->buffer().device = 0;
}

}  // namespace

Pipeline::Pipeline(std::vector<OpNode> nodes, const PipelineConfig& config)
    : mNodes(std::move(nodes)), mConfig(config) {
    for (const OpNode& node : mNodes) {
        for (Tensor* input : node.inputs) {
            if (TensorUtils::describe(input)->usage != TensorUsage::Constant) mGiven.insert(input);
        }
    }
    for (const OpNode& node : mNodes) {
        for (Tensor* output : node.outputs) {
            mGiven.erase(output);
            if (TensorUtils::describe(output)->usage == TensorUsage::Output) mOutputs.insert(output);
        }
    }
    mHost.reset(mConfig.backup->onCreate(&mConfig.backend));
    markShapeArithmetic();
    splitSegments();
    findLiveOut();
    for (auto& segment : mSegments) {
        if (segment->control == nullptr) makeBackends(segment.get());
    }
    mMainType = mSegments.front()->main->type();
}

Pipeline::~Pipeline() = default;

void Pipeline::makeBackends(Segment* segment) {
    segment->main.reset(mConfig.runtime->onCreate(&mConfig.backend));
    segment->main->setExternal(mConfig.external);
    if (mConfig.backup == mConfig.runtime) return;
    segment->backup.reset(mConfig.backup->onCreate(&mConfig.backend));
    segment->backup->setExternal(mConfig.external);
}

uint32_t Pipeline::neededContents(const Op* op) const {
    const ShapeRow* row = findShape(op);
    return row == nullptr ? 0 : row->contents | row->dataDependent;
}

// Backwards from the values that shape rules ask for.
void Pipeline::markShapeArithmetic() {
    std::set<Tensor*> wanted;
    for (auto node = mNodes.rbegin(); node != mNodes.rend(); ++node) {
        if (node->control != nullptr) continue;
        const bool feedsShapes =
            std::any_of(node->outputs.begin(), node->outputs.end(), [&](Tensor* t) { return wanted.count(t) != 0; });
        if (feedsShapes) {
            mShapeArithmetic.insert(&*node);
            if (!readsShapesOnly(node->op)) wanted.insert(node->inputs.begin(), node->inputs.end());
        }
        const uint32_t needed = neededContents(node->op);
        for (size_t i = 0; i < node->inputs.size() && i < 32; ++i) {
            if (needed >> i & 1) wanted.insert(node->inputs[i]);
        }
    }
}

void Pipeline::splitSegments() {
    std::set<Tensor*> known;  // on the host when the current segment is resized
    std::set<Tensor*> made;   // by nodes of the current segment
    mSegments.emplace_back(new Segment);
    auto isKnown = [&](Tensor* t) {
        return TensorUtils::describe(t)->usage == TensorUsage::Constant || known.count(t) != 0;
    };
    for (OpNode& node : mNodes) {
        if (node.control != nullptr) {
            addControlSegment(&node);
            made.insert(node.outputs.begin(), node.outputs.end());
            continue;
        }
        const uint32_t needed = neededContents(node.op);
        bool starts = mSegments.back()->control != nullptr;
        for (size_t i = 0; i < node.inputs.size() && i < 32; ++i)
            starts |= (needed >> i & 1) != 0 && !isKnown(node.inputs[i]);
        if (starts) {
            mSegments.emplace_back(new Segment);
            known.insert(made.begin(), made.end());
            known.insert(mGiven.begin(), mGiven.end());
            made.clear();
        }
        Segment* segment = mSegments.back().get();
        for (size_t i = 0; i < node.inputs.size() && i < 32; ++i) {
            Tensor* input = node.inputs[i];
            if ((needed >> i & 1) == 0 || TensorUtils::describe(input)->usage == TensorUsage::Constant) continue;
            segment->contents.push_back(input);
        }
        segment->nodes.push_back(&node);
        const bool evaluated =
            mShapeArithmetic.count(&node) != 0 &&
            (readsShapesOnly(node.op) || std::all_of(node.inputs.begin(), node.inputs.end(), isKnown));
        for (Tensor* output : node.outputs) (evaluated ? known : made).insert(output);
        if (!evaluated) continue;
        mEvaluated.insert(&node);
        if (readsShapesOnly(node.op)) continue;
        for (Tensor* input : node.inputs) {
            if (TensorUtils::describe(input)->usage != TensorUsage::Constant) segment->contents.push_back(input);
        }
    }
}

// What goes into a control-flow op is read by other pipelines: all of it must be in row-major order.
void Pipeline::addControlSegment(OpNode* node) {
    mSegments.emplace_back(new Segment);
    Segment* segment = mSegments.back().get();
    segment->nodes.push_back(node);
    for (Tensor* input : node->inputs) {
        if (TensorUtils::describe(input)->usage != TensorUsage::Constant) segment->contents.push_back(input);
    }
    segment->control = ControlFlow::create(node, mConfig);
}

void Pipeline::findLiveOut() {
    std::map<Tensor*, size_t> madeIn;
    for (size_t i = 0; i < mSegments.size(); ++i) {
        for (OpNode* node : mSegments[i]->nodes) {
            for (Tensor* input : node->inputs) {
                const auto found = madeIn.find(input);
                if (found != madeIn.end() && found->second < i) mSegments[found->second]->liveOut.insert(input);
            }
            for (Tensor* output : node->outputs) {
                madeIn[output] = i;
                if (mOutputs.count(output) != 0) mSegments[i]->liveOut.insert(output);
            }
        }
    }
    // Values that shapes of a later segment need must be readable in row-major order.
    for (auto& segment : mSegments) {
        for (Tensor* t : segment->contents) {
            const auto found = madeIn.find(t);
            if (found == madeIn.end() || mSegments[found->second].get() == segment.get()) continue;
            if (TensorUtils::describe(t)->usage == TensorUsage::Normal)
                TensorUtils::describe(t)->usage = TensorUsage::Output;
        }
        if (!mConfig.outputsFromUser) continue;
        for (OpNode* node : segment->nodes) {
            for (Tensor* output : node->outputs) {
                if (mOutputs.count(output) != 0) segment->userOutputs.push_back({output});
            }
        }
    }
}

// The tensor, or a copy of it on the host, made once per run, when its backend's memory is out of reach.
Tensor* Pipeline::hostContent(Tensor* tensor) {
    auto* describe = TensorUtils::describe(tensor);
    const bool known = describe->memory == TensorMemory::Host && describe->hostKnown;
    if (known || describe->backend == nullptr || describe->backend->traits().hostMemory) return tensor;
    HostCopy& copy = mHostCopies[tensor];
    if (copy.tensor == nullptr) copy.tensor.reset(new Tensor(tensor->dimensions()));
    if (copy.fresh) return copy.tensor.get();
    Tensor* host = copy.tensor.get();
    if (!hasOwnMemory(host) || !TensorUtils::sameShape(tensor, host) || !(tensor->getType() == host->getType())) {
        TensorUtils::copyShape(tensor, host);
        if (!TensorUtils::allocHost(host)) return tensor;
    }
    copy.fresh = describe->backend->onCopyBuffer(tensor, host);
    TensorUtils::describe(host)->hostKnown = copy.fresh;
    return host;
}

// Inputs whose values a shape rule or a lowering reads, on the host.
Tensors Pipeline::inputsWithContents(const OpNode& node) {
    const uint32_t needed = neededContents(node.op);
    Tensors inputs = node.inputs;
    for (size_t i = 0; i < inputs.size() && i < 32; ++i) {
        if (needed >> i & 1) inputs[i] = hostContent(inputs[i]);
    }
    return inputs;
}

ErrorCode Pipeline::inferNode(OpNode* node, const Tensors& inputs, bool* evaluated) {
    for (Tensor* output : node->outputs) reset(output);
    if (!inferShape(node->op, inputs, node->outputs)) return COMPUTE_SIZE_ERROR;
    *evaluated = mEvaluated.count(node) != 0;
    return !*evaluated || evaluateNode(node) ? NO_ERROR : COMPUTE_SIZE_ERROR;
}

bool Pipeline::evaluateNode(OpNode* node) {
    CommandBuffer buffer;
    GeometryContext context(&buffer, mHost->traits(), mConfig.backend);
    std::vector<Tensor*> inputs = node->inputs;
    if (!readsShapesOnly(node->op)) {
        for (Tensor*& input : inputs) input = hostContent(input);
    }
    if (!lowerOp(node->op, inputs, node->outputs, context)) return false;
    if (evaluateOnHost(std::move(buffer), node->outputs, mHost.get())) return true;
    MNN_ERROR("op '%s' (%s): its value is needed for shapes but cannot be computed\n", nameOf(node->op),
              EnumNameOpType(node->op->type()));
    return false;
}

ErrorCode Pipeline::resizeSegment(Segment* segment) {
    CommandBuffer buffer;
    Backend* main = segment->main.get();
    Backend* backup = segment->backup != nullptr ? segment->backup.get() : main;
    GeometryContext context(&buffer, main->traits(), mConfig.backend);
    takeUserOutputs(segment);
    ++mResizes;
    for (OpNode* node : segment->nodes) {
        bool evaluated = false;
        const Tensors inputs = inputsWithContents(*node);
        const ErrorCode code = inferNode(node, inputs, &evaluated);
        if (code != NO_ERROR) return code;
        if (evaluated) continue;
        context.setSource(node->op);
        const Lowering lower = main->keepsWhole(node->op) ? geometry::lowerPrimitive : lowerOp;
        if (!lower(node->op, inputs, node->outputs, context)) return NOT_SUPPORT;
    }
    CommandList::Request request;
    for (Tensor* t : segment->liveOut) {
        if (!(TensorUtils::describe(t)->hostKnown && TensorUtils::describe(t)->memory == TensorMemory::Host))
            request.outputs.insert(t);
    }
    if (segment == mSegments.front().get()) request.inputs = mConfig.inputs;
    request.materializeViews = mConfig.runtime->hint().materializeViews;
    request.inputsFromUser = mConfig.inputsFromUser;
    for (const UserOutput& output : segment->userOutputs) {
        if (output.wanted != nullptr && request.outputs.count(output.tensor) != 0)
            request.userOutputs[output.tensor] = output.wanted;
    }
    segment->list.reset(new CommandList(main, backup));
    const ErrorCode code = segment->list->prepare(std::move(buffer), request, &segment->cache);
    if (code == NO_ERROR) placeUserOutputs(segment);
    return code;
}

// Remembers the memory that the caller gave its outputs: whatever host pointer is not the one we set.
void Pipeline::takeUserOutputs(Segment* segment) {
    for (UserOutput& output : segment->userOutputs) {
        uint8_t* now = output.tensor->host<uint8_t>();
        if (now != output.placed) output.wanted = now;
        output.placed = nullptr;
        output.tensor->buffer().host = nullptr;
    }
}

void Pipeline::placeUserOutputs(Segment* segment) {
    for (UserOutput& output : segment->userOutputs) {
        const auto* describe = TensorUtils::describe(output.tensor);
        output.placed = output.tensor->host<uint8_t>();
        if (output.wanted == nullptr || (describe->backend != nullptr && !describe->backend->traits().hostMemory))
            continue;
        output.tensor->buffer().host = output.wanted;
        copyKnownOutput(output);
    }
}

// A value known since resize is written by no command.
void Pipeline::copyKnownOutput(const UserOutput& output) {
    uint8_t* now = output.tensor->host<uint8_t>();
    if (!TensorUtils::describe(output.tensor)->hostKnown || now == nullptr || output.placed == nullptr ||
        now == output.placed)
        return;
    std::memcpy(now, output.placed, TensorUtils::storageBytes(output.tensor));
}

// The caller may have moved its outputs since the last run.
void Pipeline::followUserOutputs(Segment* segment) {
    bool moved = false;
    for (UserOutput& output : segment->userOutputs) {
        uint8_t* now = output.tensor->host<uint8_t>();
        if (now == output.placed) continue;
        moved |= now != output.wanted;
        output.wanted = now;
        copyKnownOutput(output);
    }
    if (moved) segment->list->resolveAliases();
}

// Whether values that the segment's shapes depend on differ from those of its last resize. Allocates only then.
bool Pipeline::contentsChanged(Segment* segment) {
    bool changed = segment->lastContents.size() != segment->contents.size();
    segment->lastContents.resize(segment->contents.size());
    for (size_t i = 0; i < segment->contents.size(); ++i) {
        const Tensor* t = hostContent(segment->contents[i]);
        const uint8_t* data = t->host<uint8_t>();
        const size_t bytes = data == nullptr ? 0 : TensorUtils::storageBytes(t);
        Content& last = segment->lastContents[i];
        bool same = last.bytes.size() == bytes && last.shape.size() == static_cast<size_t>(t->dimensions());
        for (int d = 0; same && d < t->dimensions(); ++d) same = last.shape[d] == t->length(d);
        if (same && (bytes == 0 || std::memcmp(last.bytes.data(), data, bytes) == 0)) continue;
        changed = true;
        last.shape = t->shape();
        last.bytes.assign(data, data + bytes);
    }
    return changed;
}

void Pipeline::invalidate() { invalidateFrom(0); }

void Pipeline::invalidateFrom(size_t index) {
    for (size_t i = index; i < mSegments.size(); ++i) {
        mSegments[i]->ready = false;
        if (mSegments[i]->control != nullptr) mSegments[i]->control->invalidate();
    }
}

bool Pipeline::isReady() const {
    return std::all_of(mSegments.begin(), mSegments.end(),
                       [](const std::unique_ptr<Segment>& segment) { return segment->ready; });
}

ErrorCode Pipeline::resize() {
    invalidate();
    return prepareSegment(0);
}

// Readies segment `index`. Later ones wait for their values; when this one's shapes changed they are stale.
ErrorCode Pipeline::prepareSegment(size_t index) {
    Segment* segment = mSegments[index].get();
    for (auto& copy : mHostCopies) copy.second.fresh = false;
    const bool stale = index > 0 && contentsChanged(segment);
    if (segment->ready && !stale) return NO_ERROR;
    invalidateFrom(index + 1);
    const ErrorCode code = resizeSegment(segment);
    segment->ready = code == NO_ERROR;
    return code;
}

// Runs an If or While. Later segments are stale when its outputs look different from the last run's.
ErrorCode Pipeline::runControl(size_t index, const CommandList::StepCallback& before,
                               const CommandList::StepCallback& after) {
    Segment* segment = mSegments[index].get();
    takeUserOutputs(segment);
    bool reshaped = false;
    const ErrorCode code = segment->control->execute(before, after, &reshaped);
    if (code != NO_ERROR) return code;
    for (UserOutput& output : segment->userOutputs) {
        output.placed = output.tensor->host<uint8_t>();
        if (output.wanted == nullptr || output.placed == nullptr) continue;
        std::memcpy(output.wanted, output.placed, TensorUtils::storageBytes(output.tensor));
        output.tensor->buffer().host = output.wanted;
    }
    segment->ready = true;
    if (!reshaped) return NO_ERROR;
    ++mResizes;
    invalidateFrom(index + 1);
    return NO_ERROR;
}

ErrorCode Pipeline::execute(const CommandList::StepCallback& before, const CommandList::StepCallback& after) {
    for (size_t i = 0; i < mSegments.size(); ++i) {
        if (mSegments[i]->control != nullptr) {
            const ErrorCode ran = runControl(i, before, after);
            if (ran != NO_ERROR) return ran;
            continue;
        }
        const ErrorCode prepared = prepareSegment(i);
        if (prepared != NO_ERROR) return prepared;
        Segment& segment = *mSegments[i];
        if (mConfig.outputsFromUser) followUserOutputs(&segment);
        segment.main->onExecuteBegin();
        if (segment.backup != nullptr) segment.backup->onExecuteBegin();
        const ErrorCode code = segment.list->execute(before, after);
        if (segment.backup != nullptr) segment.backup->onExecuteEnd();
        segment.main->onExecuteEnd();
        if (code != NO_ERROR) return code;
    }
    return NO_ERROR;
}

const std::vector<Step>& Pipeline::steps(size_t segment) const {
    static const std::vector<Step> none;
    const auto& list = mSegments[segment]->list;
    return list == nullptr ? none : list->steps();
}

size_t Pipeline::plannedBytes() const {
    size_t total = 0;
    for (const auto& segment : mSegments) {
        if (segment->control != nullptr) {
            total += segment->control->bytes();
            for (const auto& graph : segment->control->graphs()) total += graph->pipeline().plannedBytes();
            continue;
        }
        total += segment->main->plannedBytes();
        if (segment->backup != nullptr) total += segment->backup->plannedBytes();
    }
    return total;
}

size_t Pipeline::plannedLowerBound() const {
    size_t total = 0;
    for (const auto& segment : mSegments) {
        if (segment->control != nullptr) {
            total += segment->control->bytes();
            for (const auto& graph : segment->control->graphs()) total += graph->pipeline().plannedLowerBound();
            continue;
        }
        total += segment->main->plannedLowerBound();
        if (segment->backup != nullptr) total += segment->backup->plannedLowerBound();
    }
    return total;
}

size_t Pipeline::privateBytes() const {
    size_t total = 0;
    for (const auto& segment : mSegments) {
        total += segment->main->privateBytes();
        if (segment->backup != nullptr) total += segment->backup->privateBytes();
    }
    return total;
}

float Pipeline::flops() const {
    float total = 0.0f;
    for (const auto& segment : mSegments) {
        // One round of each sub-graph: how often they run is not known before.
        for (size_t g = 0; segment->control != nullptr && g < segment->control->graphs().size(); ++g)
            total += segment->control->graphs()[g]->pipeline().flops();
        if (segment->list == nullptr) continue;
        for (const Step& step : segment->list->steps()) total += step.flops;
    }
    return total;
}

}  // namespace MNN
