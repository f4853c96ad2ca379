// Session: a model made ready to run, with its inputs and outputs.
#ifndef MNN_SESSION_SESSION_HPP
#define MNN_SESSION_SESSION_HPP

#include <MNN/Interpreter.hpp>
#include <map>
#include <memory>
#include <vector>
#include "session/Pipeline.hpp"

namespace MNN {

struct SessionModes {
    Interpreter::SessionMode callback = Interpreter::Session_Debug;
    Interpreter::SessionMode input = Interpreter::Session_Input_Inside;
    Interpreter::SessionMode output = Interpreter::Session_Output_Inside;
    Interpreter::SessionMode resize = Interpreter::Session_Resize_Direct;
};

// Not thread-safe: one thread at a time per session.
class Session {
public:
    // nullptr after MNN_ERROR.
    static std::unique_ptr<Session> create(const std::shared_ptr<Model>& model,
                                           const std::vector<ScheduleConfig>& configs, const RuntimeInfo& runtimes,
                                           const SessionModes& modes);
    ~Session();

    ErrorCode resize(bool force);
    ErrorCode run(const TensorCallBackWithInfo& before, const TensorCallBackWithInfo& after);
    void setNeedResize() { mNeedResize = true; }
    bool getInfo(Interpreter::SessionInfoCode code, void* ptr) const;

    Tensor* input(const char* name) const;
    Tensor* output(const char* name) const;
    const std::map<std::string, Tensor*>& inputs() const { return mTable.inputs; }
    const std::map<std::string, Tensor*>& outputs() const { return mTable.outputs; }
    const std::vector<std::unique_ptr<Pipeline>>& pipelines() const { return mPipelines; }
    const TensorTable& table() const { return mTable; }
    const RuntimeInfo& runtimes() const { return mRuntimes; }

private:
    Session() = default;
    bool shapesKnown() const;
    bool addPipeline(const ScheduleConfig& wanted, Path path);
    bool inputsHaveMemory() const;
    size_t constantBytes() const;

    std::shared_ptr<Model> mModel;
    RuntimeInfo mRuntimes;
    SessionModes mModes;
    TensorTable mTable;
    std::vector<std::unique_ptr<Pipeline>> mPipelines;
    std::vector<int> mThreads;
    bool mNeedResize = true;
};

// The runtime of the kind a config asks for (AUTO: the first that works, CPU last), created when `runtimes` has none of
// it.
std::shared_ptr<Runtime> runtimeFor(const ScheduleConfig& config, RuntimeInfo* runtimes);

}  // namespace MNN
#endif
