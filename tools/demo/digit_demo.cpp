// Says which digit is on a picture, with the small classifier that tools/demo/digits/train.py made.
//
//   digit_demo MODEL PICTURE [--expect FILE]
#include <MNN/ImageProcess.hpp>
#include <MNN/Interpreter.hpp>
#include <MNN/Matrix.h>
#include <MNN/Tensor.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "picture.hpp"

namespace {

// The network reads 8x8 pixels, 0 for paper and 1 for ink; the picture is dark ink on white paper.
bool fillInput(const demo::Picture& picture, MNN::Tensor* input) {
    MNN::CV::ImageProcess::Config config;
    config.filterType = MNN::CV::BILINEAR;
    config.sourceFormat = MNN::CV::GRAY;
    config.destFormat = MNN::CV::GRAY;
    config.mean[0] = 255.0f;
    config.normal[0] = -1.0f / 255.0f;
    std::shared_ptr<MNN::CV::ImageProcess> process(MNN::CV::ImageProcess::create(config),
                                                   MNN::CV::ImageProcess::destroy);
    if (!process) return false;
    const float sx = picture.width / 8.0f, sy = picture.height / 8.0f;
    MNN::CV::Matrix toPicture;
    toPicture.setScale(sx, sy);
    toPicture.postTranslate(sx / 2 - 0.5f, sy / 2 - 0.5f);
    process->setMatrix(toPicture);
    return process->convert(picture.pixels.data(), picture.width, picture.height, 0, input) == MNN::NO_ERROR;
}

int recognise(const std::string& model, const std::string& file, const std::string& expect) {
    demo::Picture picture;
    if (!demo::loadPicture(file, 1, &picture)) return 1;
    std::shared_ptr<MNN::Interpreter> net(MNN::Interpreter::createFromFile(model.c_str()), MNN::Interpreter::destroy);
    if (!net) return 1;
    MNN::ScheduleConfig config;
    config.numThread = 1;
    MNN::Session* session = net->createSession(config);
    if (session == nullptr) return 1;
    MNN::Tensor* input = net->getSessionInput(session, "image");
    if (input == nullptr) return 1;
    net->resizeTensor(input, {1, 1, 8, 8});
    net->resizeSession(session);
    if (!fillInput(picture, input)) return 1;

    demo::Stopwatch watch;
    if (net->runSession(session) != MNN::NO_ERROR) return 1;
    const double milliseconds = watch.milliseconds();
    MNN::Tensor* output = net->getSessionOutput(session, "probabilities");
    if (output == nullptr) return 1;
    MNN::Tensor host(output, MNN::Tensor::CAFFE);
    if (!output->copyToHostTensor(&host) || host.elementSize() != 10) return 1;
    const float* best = std::max_element(host.host<float>(), host.host<float>() + 10);
    const int digit = int(best - host.host<float>());
    std::printf("%s shows the digit %d  confidence %.1f %%  %.3f ms\n", file.c_str(), digit, 100 * *best, milliseconds);

    if (expect.empty()) return 0;
    std::vector<std::string> lines;
    if (!demo::loadLines(expect, &lines) || lines.empty()) return 1;
    if (lines[0] == std::to_string(digit)) return 0;
    std::fprintf(stderr, "%s says that it is %s\n", expect.c_str(), lines[0].c_str());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // keeps its place among the messages on standard error
    const bool expects = argc == 5 && std::string(argv[3]) == "--expect";
    if (argc != 3 && !expects) {
        std::fprintf(stderr,
                     "Usage: digit_demo MODEL PICTURE [--expect FILE]\n"
                     "Example: digit_demo digits.mnn tools/demo/digits/digit.png\n");
        return 2;
    }
    const int status = recognise(argv[1], argv[2], expects ? argv[4] : "");
    if (status != 0) std::fprintf(stderr, "digit_demo failed on %s with %s\n", argv[2], argv[1]);
    return status;
}
