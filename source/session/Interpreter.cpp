#include <MNN/Interpreter.hpp>

#include <MNN/MNNDefine.h>
#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <vector>
#include "core/TensorUtils.hpp"
#include "core/platform/Platform.hpp"
#include "session/CacheFile.hpp"
#include "session/ModelUpdate.hpp"
#include "session/Session.hpp"

namespace MNN {

struct Content {
    std::shared_ptr<Model> model;
    std::string bizCode, uuid, version;
    std::string externalFile;
    CacheFile cache;
    SessionModes modes;
    RuntimeHint hint;
    std::mutex mutex;  // guards sessions and owners: threads may create and release sessions of one Interpreter at once
    std::vector<std::unique_ptr<Session>> sessions;
};

namespace {

std::string textOf(const flatbuffers::String* s) { return s == nullptr ? std::string() : s->str(); }

Content* contentOf(std::shared_ptr<Model> model) {
    if (model == nullptr) return nullptr;
    auto* content = new Content;
    content->bizCode = textOf(model->net()->bizCode());
    content->uuid = textOf(model->net()->mnn_uuid());
    const ExtraInfo* extra = model->net()->extraInfo();
    content->version = extra == nullptr ? std::string() : textOf(extra->version());
    content->model = std::move(model);
    return content;
}

}  // namespace

const char* getVersion() { return MNN_VERSION; }

Interpreter::Interpreter(Content* net) : mNet(net) {}

Interpreter* Interpreter::createFromBufferInternal(Content* net, bool) {
    return net == nullptr ? nullptr : new Interpreter(net);
}

Interpreter* Interpreter::createFromFile(const char* file) {
    return createFromBufferInternal(contentOf(Model::fromFile(file, true)), true);
}

Interpreter* Interpreter::createFromBuffer(const void* buffer, size_t size) {
    return createFromBufferInternal(contentOf(Model::fromBuffer(buffer, size, true)), true);
}

Interpreter::~Interpreter() { delete mNet; }

void Interpreter::destroy(Interpreter* net) { delete net; }

void Interpreter::setSessionMode(SessionMode mode) {
    switch (mode) {
        case Session_Debug:
        case Session_Release:
            mNet->modes.callback = mode;
            break;
        case Session_Input_Inside:
        case Session_Input_User:
            mNet->modes.input = mode;
            break;
        case Session_Output_Inside:
        case Session_Output_User:
            mNet->modes.output = mode;
            break;
        case Session_Resize_Direct:
        case Session_Resize_Defer:
            mNet->modes.resize = mode;
            break;
        default:
            break;
    }
}

void Interpreter::setCacheFile(const char* cacheFile, size_t) {
    std::lock_guard<std::mutex> lock(mNet->mutex);
    mNet->cache = CacheFile(cacheFile == nullptr ? "" : cacheFile);
}

void Interpreter::setExternalFile(const char* file, size_t) { mNet->externalFile = file == nullptr ? "" : file; }

ErrorCode Interpreter::updateCacheFile(Session* session, int) {
    if (session == nullptr) return INVALID_VALUE;
    std::lock_guard<std::mutex> lock(mNet->mutex);
    return mNet->cache.update(session->runtimes());
}

void Interpreter::setSessionHint(HintMode hint, int value) {
    RuntimeHint& h = mNet->hint;
    switch (hint) {
        case STRICT_CHECK_MODEL:
            h.strictCheckModel = value;
            break;
        case MEM_ALLOCATOR_TYPE:
            h.memoryAllocatorType = value;
            break;
        case WINOGRAD_MEMORY_LEVEL:
            h.winogradMemoryLevel = value;
            break;
        case GEOMETRY_COMPUTE_MASK:
            h.geometryMask = value;
            break;
        case DYNAMIC_QUANT_OPTIONS:
            h.dynamicQuantOption = value;
            break;
        case CPU_LITTLECORE_DECREASE_RATE:
            h.littleCoreRate = value;
            break;
        case INIT_THREAD_NUMBER:
            h.initThreadNumber = value;
            break;
        default:
            break;
    }
    // Without region fusion every view is written out: the reference to compare an absorbed view with.
    h.materializeViews = (h.geometryMask & GEOMETRCOMPUTEMASK_FUSEREGION) == 0;
}

void Interpreter::setSessionHint(HintMode hint, int* value, size_t size) {
    if (hint == CPU_CORE_IDS && value != nullptr) mNet->hint.cpuIds.assign(value, value + size);
}

RuntimeInfo Interpreter::createRuntime(const std::vector<ScheduleConfig>& configs) {
    RuntimeInfo runtimes;
    for (const ScheduleConfig& config : configs) runtimeFor(config, &runtimes);
    ScheduleConfig cpu;
    if (!configs.empty()) cpu.numThread = configs.front().type == MNN_FORWARD_CPU ? configs.front().numThread : 1;
    runtimes.second = runtimeFor(cpu, &runtimes);
    return runtimes;
}

Session* Interpreter::createSession(const ScheduleConfig& config) { return createMultiPathSession({config}); }

Session* Interpreter::createSession(const ScheduleConfig& config, const RuntimeInfo& runtime) {
    return createMultiPathSession({config}, runtime);
}

Session* Interpreter::createMultiPathSession(const std::vector<ScheduleConfig>& configs) {
    return createMultiPathSession(configs, createRuntime(configs));
}

Session* Interpreter::createMultiPathSession(const std::vector<ScheduleConfig>& configs, const RuntimeInfo& runtime) {
    std::shared_ptr<Model> model;
    {
        std::lock_guard<std::mutex> lock(mNet->mutex);
        model = mNet->model;
        if (model == nullptr) {
            MNN_ERROR("the model was released: no session can be created any more\n");
            return nullptr;
        }
        if (!model->openExternal(mNet->externalFile)) return nullptr;
        mNet->cache.offer(*model, runtime);
    }
    if (configs.empty()) {
        MNN_ERROR("createMultiPathSession needs at least one config\n");
        return nullptr;
    }
    for (const auto& entry : runtime.first) entry.second->setHint(mNet->hint);
    std::unique_ptr<Session> session = Session::create(model, configs, runtime, mNet->modes);
    if (session == nullptr) return nullptr;
    std::lock_guard<std::mutex> lock(mNet->mutex);
    mNet->sessions.push_back(std::move(session));
    return mNet->sessions.back().get();
}

bool Interpreter::releaseSession(Session* session) {
    std::unique_ptr<Session> released;
    std::lock_guard<std::mutex> lock(mNet->mutex);
    for (auto& kept : mNet->sessions) {
        if (kept.get() != session) continue;
        released = std::move(kept);
        kept = std::move(mNet->sessions.back());
        mNet->sessions.pop_back();
        return true;
    }
    return false;
}

void Interpreter::resizeSession(Session* session) { resizeSession(session, 0); }

void Interpreter::resizeSession(Session* session, int needRelloc) {
    if (session != nullptr) session->resize(needRelloc != 0);
}

void Interpreter::releaseModel() {
    std::lock_guard<std::mutex> lock(mNet->mutex);
    if (mNet->model != nullptr) mNet->model->dropPages();
    mNet->model.reset();
}

std::pair<const void*, size_t> Interpreter::getModelBuffer() const {
    if (mNet->model == nullptr) return {nullptr, 0};
    return {mNet->model->data(), mNet->model->size()};
}

const char* Interpreter::getModelVersion() const { return mNet->version.c_str(); }

ErrorCode Interpreter::updateSessionToModel(Session* session) {
    std::lock_guard<std::mutex> lock(mNet->mutex);
    const auto& sessions = mNet->sessions;
    const bool mine = std::any_of(sessions.begin(), sessions.end(),
                                  [&](const std::unique_ptr<Session>& kept) { return kept.get() == session; });
    if (session == nullptr || !mine) return INVALID_VALUE;
    if (mNet->model == nullptr) {
        MNN_ERROR("the model was released: there is nothing to write constants to\n");
        return INPUT_DATA_ERROR;
    }
    std::vector<Model::Change> changes;
    const ErrorCode code = changedConstants(mNet->model, session->table(), &changes);
    if (code != NO_ERROR || changes.empty()) return code;
    // Sessions read their constants in the model they were made from, so that one stays as it is.
    std::shared_ptr<Model> changed = mNet->model->changed(changes);
    if (changed == nullptr) return OUT_OF_MEMORY;
    mNet->model = std::move(changed);
    return NO_ERROR;
}

ErrorCode Interpreter::runSession(Session* session) const {
    return session == nullptr ? INVALID_VALUE : session->run(nullptr, nullptr);
}

ErrorCode Interpreter::runSessionWithCallBack(const Session* session, const TensorCallBack& before,
                                              const TensorCallBack& end, bool sync) const {
    auto adapt = [](const TensorCallBack& callback) -> TensorCallBackWithInfo {
        if (!callback) return nullptr;
        return [&callback](const std::vector<Tensor*>& tensors, const OperatorInfo* info) {
            return callback(tensors, info->name());
        };
    };
    return runSessionWithCallBackInfo(session, adapt(before), adapt(end), sync);
}

ErrorCode Interpreter::runSessionWithCallBackInfo(const Session* session, const TensorCallBackWithInfo& before,
                                                  const TensorCallBackWithInfo& end, bool) const {
    return session == nullptr ? INVALID_VALUE : const_cast<Session*>(session)->run(before, end);
}

Tensor* Interpreter::getSessionInput(const Session* session, const char* name) {
    return session == nullptr ? nullptr : session->input(name);
}

Tensor* Interpreter::getSessionOutput(const Session* session, const char* name) {
    return session == nullptr ? nullptr : session->output(name);
}

bool Interpreter::getSessionInfo(const Session* session, SessionInfoCode code, void* ptr) {
    return session != nullptr && session->getInfo(code, ptr);
}

const std::map<std::string, Tensor*>& Interpreter::getSessionOutputAll(const Session* session) const {
    static const std::map<std::string, Tensor*> none;
    return session == nullptr ? none : session->outputs();
}

const std::map<std::string, Tensor*>& Interpreter::getSessionInputAll(const Session* session) const {
    static const std::map<std::string, Tensor*> none;
    return session == nullptr ? none : session->inputs();
}

void Interpreter::resizeTensor(Tensor* tensor, const std::vector<int>& dims) {
    if (tensor == nullptr) return;
    int64_t elements = 1;
    bool valid = dims.size() <= static_cast<size_t>(kMaxRank);
    for (int length : dims) {
        valid = valid && length >= 0 && (elements *= std::max(length, 1)) <= INT32_MAX;
        if (!valid) break;
    }
    if (!valid) {
        MNN_ERROR("resizeTensor: absurd sizes for input %s\n", TensorUtils::text(tensor).c_str());
        return;
    }
    if (tensor->shape() == dims) return;
    TensorUtils::setShape(tensor, dims);
    std::lock_guard<std::mutex> lock(mNet->mutex);
    for (const auto& session : mNet->sessions) {
        for (const auto& input : session->inputs()) {
            if (input.second == tensor) session->setNeedResize();
        }
    }
}

void Interpreter::resizeTensor(Tensor* tensor, int batch, int channel, int height, int width) {
    if (tensor == nullptr) return;
    if (tensor->getDimensionType() == Tensor::TENSORFLOW) {
        resizeTensor(tensor, {batch, height, width, channel});
    } else {
        resizeTensor(tensor, {batch, channel, height, width});
    }
}

const Backend* Interpreter::getBackend(const Session*, const Tensor* tensor) const {
    return tensor == nullptr ? nullptr : TensorUtils::describe(tensor)->backend;
}

const char* Interpreter::bizCode() const { return mNet->bizCode.c_str(); }

const char* Interpreter::uuid() const { return mNet->uuid.c_str(); }

}  // namespace MNN
