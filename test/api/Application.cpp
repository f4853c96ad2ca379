// What applications of MNN write: load, configure, resize, fill, run, watch, read; camera input; a plugin.
#include <MNN/AutoTime.hpp>
#include <MNN/ImageProcess.hpp>
#include <MNN/Interpreter.hpp>
#include <MNN/Log.hpp>
#include <MNN/plugin/PluginKernel.hpp>
#include <MNN/plugin/PluginShapeInference.hpp>
#include <cstring>
#include <memory>

using namespace MNN;

float classify(const char* modelFile, const std::vector<float>& pixels, int batch) {
    std::shared_ptr<Interpreter> net(Interpreter::createFromFile(modelFile), Interpreter::destroy);
    if (net == nullptr) return -1.0f;
    net->setCacheFile(".tempcache");
    net->setSessionMode(Interpreter::Session_Release);
    net->setSessionHint(Interpreter::WINOGRAD_MEMORY_LEVEL, 0);
    int cores[2] = {0, 1};
    net->setSessionHint(Interpreter::CPU_CORE_IDS, cores, 2);

    ScheduleConfig config;
    config.type = MNN_FORWARD_AUTO;
    config.backupType = MNN_FORWARD_CPU;
    config.numThread = 4;
    BackendConfig backendConfig;
    backendConfig.memory = BackendConfig::Memory_High;
    backendConfig.power = static_cast<BackendConfig::PowerMode>(1);
    backendConfig.precision = BackendConfig::Precision_Low;
    backendConfig.sharedContext = nullptr;
    config.backendConfig = &backendConfig;
    Session* session = net->createSession(config);
    net->releaseModel();

    Tensor* input = net->getSessionInput(session, nullptr);
    std::vector<int> shape = input->shape();
    shape[0] = batch;
    net->resizeTensor(input, shape);
    net->resizeTensor(input, batch, 3, 224, 224);
    net->resizeSession(session);

    Tensor host(input, Tensor::CAFFE);
    std::memcpy(host.host<float>(), pixels.data(), host.size());
    input->copyFromHostTensor(&host);
    if (net->runSession(session) != NO_ERROR) return -1.0f;
    net->updateCacheFile(session);

    Tensor* output = net->getSessionOutput(session, "prob");
    std::unique_ptr<Tensor> result(new Tensor(output, output->getDimensionType()));
    output->copyToHostTensor(result.get());
    float memory = 0, flops = 0;
    int backends[2];
    net->getSessionInfo(session, Interpreter::MEMORY, &memory);
    net->getSessionInfo(session, Interpreter::FLOPS, &flops);
    net->getSessionInfo(session, Interpreter::BACKENDS, backends);
    const float first = result->host<float>()[0];
    MNN_PRINT("%s uses %f MB, %f MFLOPs on %d\n", net->getModelVersion(), memory, flops, backends[0]);
    net->releaseSession(session);
    return first;
}

bool watch(const void* model, size_t size) {
    Interpreter* net = Interpreter::createFromBuffer(model, size);
    ScheduleConfig front, back;
    front.path.inputs.push_back("data");
    front.path.outputs = {"conv1", "pool1"};
    front.path.mode = ScheduleConfig::Path::Mode::Tensor;
    front.saveTensors = {"conv1"};
    back.type = MNN_FORWARD_VULKAN;
    back.mode = MNN_GPU_TUNING_FAST | MNN_GPU_MEMORY_BUFFER;
    std::vector<ScheduleConfig> configs = {front, back};
    RuntimeInfo runtime = Interpreter::createRuntime(configs);
    Session* session = net->createMultiPathSession(configs, runtime);
    TensorCallBack before = [](const std::vector<Tensor*>& tensors, const std::string& name) {
        return !tensors.empty() && name != "stop";
    };
    TensorCallBackWithInfo after = [](const std::vector<Tensor*>& tensors, const OperatorInfo* info) {
        MNN_PRINT("%s %s %f %d\n", info->name().c_str(), info->type().c_str(), info->flops(), (int)tensors.size());
        return true;
    };
    ErrorCode code = net->runSessionWithCallBack(session, before, before);
    code = net->runSessionWithCallBackInfo(session, after, after, true);
    for (auto& iter : net->getSessionOutputAll(session)) iter.second->printShape();
    for (const auto& iter : net->getSessionInputAll(session)) {
        auto map = iter.second->map(Tensor::MAP_TENSOR_WRITE, iter.second->getDimensionType());
        iter.second->unmap(Tensor::MAP_TENSOR_WRITE, iter.second->getDimensionType(), map);
    }
    delete net;
    return code == CALL_BACK_STOP;
}

ErrorCode fromCamera(const uint8_t* nv21, int width, int height, Tensor* input) {
    AUTOTIME;
    const float means[3] = {103.94f, 116.78f, 123.68f};
    const float normals[3] = {0.017f, 0.017f, 0.017f};
    std::shared_ptr<CV::ImageProcess> pretreat(CV::ImageProcess::create(CV::YUV_NV21, CV::BGR, means, 3, normals, 3));
    CV::Matrix trans;
    trans.setScale(1.0f / width, 1.0f / height);
    trans.postRotate(90, 0.5f, 0.5f);
    trans.postScale(224, 224);
    trans.invert(&trans);
    pretreat->setMatrix(trans);
    CV::ImageProcess::Config config;
    config.filterType = CV::BILINEAR;
    ::memcpy(config.mean, means, sizeof(means));
    ::memcpy(config.normal, normals, sizeof(normals));
    std::shared_ptr<CV::ImageProcess> other(CV::ImageProcess::create(config), CV::ImageProcess::destroy);
    other->convert(nv21, width, height, 0, input->host<float>(), 224, 224);
    return pretreat->convert(nv21, width, height, 0, input);
}

namespace MNN {
namespace plugin {

class DoubleShape : public InferShapeKernel {
public:
    bool compute(InferShapeContext* ctx) override {
        const Tensor* from = ctx->input(0);
        halide_buffer_t& to = ctx->output(0)->buffer();
        to.type = from->getType();
        to.dimensions = from->dimensions();
        for (int i = 0; i < from->dimensions(); ++i) ctx->output(0)->setLength(i, from->length(i));
        return ctx->inputs().size() == ctx->outputs().size();
    }
};

class DoubleKernel : public CPUComputeKernel {
public:
    bool init(CPUKernelContext* ctx) override { return ctx->hasAttr("factor") && ctx->getAttr("factor") != nullptr; }
    bool compute(CPUKernelContext* ctx) override {
        const float* from = ctx->input(0)->host<float>();
        float* to = ctx->output(0)->host<float>();
        for (int i = 0; i < ctx->output(0)->elementSize(); ++i) to[i] = 2 * from[i];
        return ctx->backend() != nullptr && !ctx->op_type().empty() && ctx->dir_path().empty() && needAllocIO();
    }
};

REGISTER_PLUGIN_OP(ApiTestDouble, DoubleShape);
REGISTER_PLUGIN_COMPUTE_KERNEL(ApiTestDouble, DoubleKernel);

}  // namespace plugin
}  // namespace MNN
