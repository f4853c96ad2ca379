#include "session/Session.hpp"

#include <MNN/MNNDefine.h>
#include <algorithm>
#include "core/TensorUtils.hpp"
#include "session/CommandTensors.hpp"
#include "session/OperatorInfoContent.hpp"

namespace MNN {
namespace {

std::shared_ptr<Runtime> makeRuntime(MNNForwardType type, const ScheduleConfig& config) {
    const BackendEntry* entry = findBackend(type);
    if (entry == nullptr) return nullptr;
    Runtime::Info info;
    info.type = type;
    info.numThread = config.numThread;
    if (config.backendConfig != nullptr) info.config = *config.backendConfig;
    std::string why;
    std::shared_ptr<Runtime> runtime(entry->create(info, &why));
    if (runtime == nullptr) MNN_ERROR("backend %s cannot be used: %s\n", entry->name, why.c_str());
    return runtime;
}

}  // namespace

std::shared_ptr<Runtime> runtimeFor(const ScheduleConfig& config, RuntimeInfo* runtimes) {
    std::vector<MNNForwardType> wanted = {config.type, config.backupType};
    if (config.type == MNN_FORWARD_AUTO) {
        wanted.clear();
        for (const BackendEntry* entry : allBackends()) {
            if (entry->type != MNN_FORWARD_CPU) wanted.push_back(entry->type);
        }
    }
    wanted.push_back(MNN_FORWARD_CPU);
    for (MNNForwardType type : wanted) {
        auto& runtime = runtimes->first[type];
        if (runtime == nullptr) runtime = makeRuntime(type, config);
        if (runtime != nullptr) return runtime;
        runtimes->first.erase(type);
    }
    return nullptr;
}

std::unique_ptr<Session> Session::create(const std::shared_ptr<Model>& model,
                                         const std::vector<ScheduleConfig>& configs, const RuntimeInfo& runtimes,
                                         const SessionModes& modes) {
    std::unique_ptr<Session> session(new Session);
    session->mModel = model;
    session->mRuntimes = runtimes;
    session->mModes = modes;
    if (!makeTensors(model, &session->mTable)) return nullptr;
    std::vector<Path> paths(configs.size());
    for (size_t i = 0; i < configs.size(); ++i) {
        if (!schedule(model, configs[i], &session->mTable, &paths[i])) return nullptr;
    }
    separatePaths(&paths, &session->mTable);
    for (size_t i = 0; i < configs.size(); ++i) {
        if (!session->addPipeline(configs[i], std::move(paths[i]))) return nullptr;
    }
    if (modes.resize == Interpreter::Session_Resize_Direct && session->shapesKnown() &&
        session->resize(true) != NO_ERROR) {
        return nullptr;
    }
    return session;
}

bool Session::addPipeline(const ScheduleConfig& wanted, Path path) {
    PipelineConfig config;
    config.runtime = runtimeFor(wanted, &mRuntimes);
    if (config.runtime == nullptr) return false;
    auto& backup = mRuntimes.second;
    if (backup == nullptr) {
        auto& cpu = mRuntimes.first[MNN_FORWARD_CPU];
        if (cpu == nullptr) cpu = makeRuntime(MNN_FORWARD_CPU, wanted);
        backup = cpu;
    }
    config.backup = config.runtime->info().type == MNN_FORWARD_CPU ? config.runtime : backup;
    if (config.backup == nullptr) return false;
    if (wanted.backendConfig != nullptr) config.backend = *wanted.backendConfig;
    config.external = mModel->external();
    config.inputsFromUser = mModes.input == Interpreter::Session_Input_User;
    config.outputsFromUser = mModes.output == Interpreter::Session_Output_User;
    config.inputs = std::move(path.inputs);
    mThreads.push_back(config.runtime->numThread());
    mPipelines.emplace_back(new Pipeline(std::move(path.nodes), config));
    return true;
}

Session::~Session() = default;

bool Session::shapesKnown() const {
    for (const auto& input : mTable.inputs) {
        for (int length : input.second->shape()) {
            if (length < 0) return false;
        }
    }
    return true;
}

ErrorCode Session::resize(bool force) {
    if (!mNeedResize && !force) return NO_ERROR;
    for (const auto& input : mTable.inputs) {
        for (int length : input.second->shape()) {
            if (length >= 0) continue;
            MNN_ERROR("input '%s' has no size yet: call resizeTensor, then resizeSession\n", input.first.c_str());
            return INPUT_DATA_ERROR;
        }
    }
    mNeedResize = true;
    bool shapesReady = true;
    for (auto& pipeline : mPipelines) {
        // A path may read what an earlier one only knows the shape of when it runs.
        if (!shapesReady) {
            pipeline->invalidate();
            continue;
        }
        const ErrorCode code = pipeline->resize();
        if (code != NO_ERROR) return code;
        shapesReady = pipeline->isReady();
    }
    mNeedResize = false;
    return NO_ERROR;
}

bool Session::inputsHaveMemory() const {
    for (const auto& input : mTable.inputs) {
        const auto* describe = TensorUtils::describe(input.second);
        if (describe->memory != TensorMemory::Host || input.second->host<void>() != nullptr) continue;
        if (TensorUtils::storageBytes(input.second) == 0) continue;
        MNN_ERROR("input '%s' has no memory: in Session_Input_User mode set its buffer().host before each run\n",
                  input.first.c_str());
        return false;
    }
    return true;
}

ErrorCode Session::run(const TensorCallBackWithInfo& before, const TensorCallBackWithInfo& after) {
    if (mNeedResize) {
        MNN_ERROR("the session has no memory yet, or its last resize failed: call resizeSession\n");
        return COMPUTE_SIZE_ERROR;
    }
    if (mModes.input == Interpreter::Session_Input_User && !inputsHaveMemory()) return INPUT_DATA_ERROR;
    const bool callbacks = mModes.callback == Interpreter::Session_Debug;
    auto adapt = [&](const TensorCallBackWithInfo& callback, bool inputs) -> CommandList::StepCallback {
        if (!callback || !callbacks) return nullptr;
        return [&callback, inputs](const Step& step) {
            const OperatorInfoContent info(step);
            return callback(inputs ? step.command->inputs : step.command->outputs, &info);
        };
    };
    const auto first = adapt(before, true), last = adapt(after, false);
    bool changed = false;
    for (auto& pipeline : mPipelines) {
        if (changed) pipeline->invalidate();
        const int resizes = pipeline->resizes();
        const ErrorCode code = pipeline->execute(first, last);
        if (code != NO_ERROR) return code;
        changed |= pipeline->resizes() != resizes;
    }
    return NO_ERROR;
}

Tensor* Session::input(const char* name) const {
    if (name == nullptr) return mTable.inputOrder.empty() ? nullptr : mTable.inputs.at(mTable.inputOrder.front());
    const auto found = mTable.inputs.find(name);
    if (found != mTable.inputs.end()) return found->second;
    MNN_ERROR("the session has no input named '%s'\n", name);
    return nullptr;
}

Tensor* Session::output(const char* name) const {
    if (name == nullptr) return mTable.outputOrder.empty() ? nullptr : mTable.outputs.at(mTable.outputOrder.front());
    const auto found = mTable.outputs.find(name);
    if (found != mTable.outputs.end()) return found->second;
    MNN_ERROR("the session has no output named '%s'\n", name);
    return nullptr;
}

// Constants of the model, and those that lowering made. Views of one constant share its memory, so what counts is the
// union of the places.
size_t Session::constantBytes() const {
    std::vector<std::pair<const uint8_t*, const uint8_t*>> places;
    const auto add = [&](const Tensor* t) {
        if (!isConstant(t) || !hasOwnMemory(t)) return;
        const uint8_t* begin = t->host<uint8_t>();
        places.emplace_back(begin, begin + TensorUtils::storageBytes(t));
    };
    for (const auto& tensor : mTable.tensors) add(tensor.get());
    for (const auto& pipeline : mPipelines) {
        for (size_t s = 0; s < pipeline->segments(); ++s) {
            if (!pipeline->isReady(s)) continue;
            for (const Step& step : pipeline->steps(s)) {
                for (Tensor* input : step.command->inputs) {
                    for (const Tensor* storage : storagesOf(input)) add(storage);
                }
            }
        }
    }
    std::sort(places.begin(), places.end());
    size_t bytes = 0;
    const uint8_t* counted = nullptr;
    for (const auto& place : places) {
        const uint8_t* begin = std::max(place.first, counted);
        if (place.second > begin) bytes += static_cast<size_t>(place.second - begin);
        counted = std::max(counted, place.second);
    }
    return bytes;
}

bool Session::getInfo(Interpreter::SessionInfoCode code, void* ptr) const {
    if (ptr == nullptr) return false;
    switch (code) {
        case Interpreter::MEMORY: {
            size_t bytes = 0;
            for (const auto& pipeline : mPipelines) bytes += pipeline->plannedBytes() + pipeline->privateBytes();
            bytes += constantBytes();
            *static_cast<float*>(ptr) = static_cast<float>(bytes) / (1024.0f * 1024.0f);
            return true;
        }
        case Interpreter::FLOPS: {
            float flops = 0.0f;
            for (const auto& pipeline : mPipelines) flops += pipeline->flops();
            *static_cast<float*>(ptr) = flops;
            return true;
        }
        case Interpreter::BACKENDS:
            for (size_t i = 0; i < mPipelines.size(); ++i) static_cast<int*>(ptr)[i] = mPipelines[i]->forwardType();
            return true;
        case Interpreter::RESIZE_STATUS:
            *static_cast<int*>(ptr) = mNeedResize ? 2 : 0;
            return true;
        case Interpreter::THREAD_NUMBER:
            *static_cast<int*>(ptr) = mThreads.empty() ? 0 : mThreads.front();
            return true;
        default:
            return false;
    }
}

}  // namespace MNN
