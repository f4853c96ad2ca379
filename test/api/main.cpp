// Linking this program proves that libMNN exports the whole interface; running it tries what needs no model.
#include <MNN/AutoTime.hpp>
#include <MNN/Interpreter.hpp>
#include <MNN/Log.hpp>
#include <MNN/plugin/PluginKernel.hpp>
#include <MNN/plugin/PluginShapeInference.hpp>
#include <cstdio>
#include <cstring>
#include <memory>
#include "Signature.hpp"

volatile unsigned char signatureSink;

void tensorSignatures();
void interpreterSignatures();
void otherCoreSignatures();
void imageProcessSignatures();
void matrixGetSignatures();
void matrixSetSignatures();
void rectSignatures();

using namespace MNN;

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "FAILED: %s\n", what);
    ++failures;
}

struct Heard {
    int count, level;
    std::string message;
};

void hear(int level, const char* message, void* user) {
    Heard* heard = static_cast<Heard*>(user);
    ++heard->count;
    heard->level = level;
    heard->message = message;
}

void checkLog() {
    Heard heard = {0, -1, ""};
    MNNSetLogCallback(hear, &heard);
    MNN_ERROR("op %s of %d\n", "Softmax", 3);
    expect(heard.level == MNN_LOG_ERROR && heard.message == "op Softmax of 3", "an error reaches the callback");
    MNN_PRINT("%s", std::string(5000, 'x').c_str());
    expect(heard.level == MNN_LOG_INFO && heard.message.size() == 5000, "a long message arrives whole");
    MNN_CHECK(1 + 1 == 2, arithmetic);
    expect(heard.count == 2, "a check that holds is silent");
    { AutoTime timed(__LINE__, "checkLog"); }
    expect(heard.count == 3 && heard.message.find("checkLog") != std::string::npos, "AutoTime reports its scope");
    MNNSetLogCallback(nullptr, nullptr);
}

void checkPlugins() {
    using namespace MNN::plugin;
    Heard heard = {0, -1, ""};
    MNNSetLogCallback(hear, &heard);
    typedef ComputeKernelRegistry<CPUComputeKernel> Kernels;
    std::unique_ptr<CPUComputeKernel> kernel(Kernels::get("ApiTestDouble"));
    std::unique_ptr<InferShapeKernel> shape(InferShapeKernelRegister::get("ApiTestDouble"));
    expect(kernel && shape && heard.count == 0, "registered plugins are found");
    expect(Kernels::getFactoryMap()->size() == 1 && InferShapeKernelRegister::getFactoryMap()->size() == 1,
           "the library holds the one map");
    expect(Kernels::get("Nobody") == nullptr && heard.message.find("Nobody") != std::string::npos,
           "an unknown plugin is named");
    expect(!Kernels::add("ApiTestDouble", Kernels::Factory()), "a name is taken once");
    MNNSetLogCallback(nullptr, nullptr);

    float from[3] = {1, 2, 3}, to[3] = {};
    std::unique_ptr<Tensor> input(Tensor::create<float>({3}, from)), output(Tensor::create<float>({3}, to));
    InferShapeContext shapes({input.get()}, {output.get()});
    expect(shape->compute(&shapes), "a plugin infers shapes");
    CPUKernelContext context("ApiTestDouble", nullptr, {input.get()}, {output.get()}, "");
    kernel->compute(&context);
    expect(to[0] == 2 && to[2] == 6, "a plugin computes");
    expect(kernel->resize(&context) && context.input(1) == nullptr && context.output(-1) == nullptr &&
               context.getAttr("none") == nullptr,
           "what is absent is null");
}

}  // namespace

int main() {
    tensorSignatures();
    interpreterSignatures();
    otherCoreSignatures();
    imageProcessSignatures();
    matrixGetSignatures();
    matrixSetSignatures();
    rectSignatures();
    checkLog();
    checkPlugins();
    Timer timer;
    expect(timer.durationInUs() < 60000000u && timer.current() > 0, "a timer starts at zero");
    expect(std::strcmp(getVersion(), MNN_VERSION) == 0, "header and library have one version");
    return failures == 0 ? 0 : 1;
}
