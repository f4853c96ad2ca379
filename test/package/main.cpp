// Another project's program: it sees only what `cmake --install` put down. Given a file, runs the demo's digit network.
#include <MNN/Interpreter.hpp>
#include <MNN/Tensor.hpp>

#include <cstdio>
#include <memory>

int main(int argc, char** argv) {
    std::printf("MNN %s\n", MNN::getVersion());
    std::unique_ptr<MNN::Tensor> tensor(MNN::Tensor::create<float>({1, 3, 2, 2}, nullptr, MNN::Tensor::CAFFE));
    if (!tensor || tensor->elementSize() != 12) return 1;
    if (argc < 2) return 0;

    std::shared_ptr<MNN::Interpreter> net(MNN::Interpreter::createFromFile(argv[1]), MNN::Interpreter::destroy);
    if (!net) return 1;
    MNN::ScheduleConfig config;
    MNN::Session* session = net->createSession(config);
    if (!session) return 1;
    MNN::Tensor* input = net->getSessionInput(session, nullptr);
    net->resizeTensor(input, {1, 1, 8, 8});
    net->resizeSession(session);
    std::unique_ptr<MNN::Tensor> host(new MNN::Tensor(input, MNN::Tensor::CAFFE));
    for (int i = 0; i < host->elementSize(); ++i) host->host<float>()[i] = 0.5f;
    input->copyFromHostTensor(host.get());
    return net->runSession(session) == MNN::NO_ERROR ? 0 : 1;
}
