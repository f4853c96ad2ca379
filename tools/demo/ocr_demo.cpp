// Reads the text on a picture with the two PP-OCR models: one finds lines of text, the other reads a line.
// Written as any program that uses MNN's Interpreter would be; only public headers of MNN are included.
//
//   ocr_demo MODEL_FOLDER PICTURE [--expect FILE] [--threads N]
//
// MODEL_FOLDER holds det.mnn, rec.mnn and characters.txt. With --expect the lines must be those of FILE.
#include <MNN/ImageProcess.hpp>
#include <MNN/Interpreter.hpp>
#include <MNN/Matrix.h>
#include <MNN/Tensor.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "picture.hpp"
#include "text_boxes.hpp"

namespace {

using demo::Picture;
using demo::TextBox;

// A model, its one session, and the way a picture is brought into its input.
struct Model {
    std::shared_ptr<MNN::Interpreter> net;
    MNN::Session* session = nullptr;
    std::shared_ptr<MNN::CV::ImageProcess> process;

    bool load(const std::string& file, int threads, const float mean[3], const float deviation[3]) {
        net.reset(MNN::Interpreter::createFromFile(file.c_str()), MNN::Interpreter::destroy);
        if (!net) return false;
        net->setSessionMode(MNN::Interpreter::Session_Release);
        MNN::ScheduleConfig config;
        config.type = MNN_FORWARD_CPU;
        config.numThread = threads;
        session = net->createSession(config);

        // PP-OCR was trained on BGR pixels in 0..1; ImageProcess works on bytes.
        MNN::CV::ImageProcess::Config image;
        image.filterType = MNN::CV::BILINEAR;
        image.sourceFormat = MNN::CV::RGB;
        image.destFormat = MNN::CV::BGR;
        image.wrap = MNN::CV::CLAMP_TO_EDGE;
        for (int c = 0; c < 3; ++c) {
            image.mean[c] = 255 * mean[c];
            image.normal[c] = 1 / (255 * deviation[c]);
        }
        process.reset(MNN::CV::ImageProcess::create(image), MNN::CV::ImageProcess::destroy);
        return session != nullptr && process != nullptr;
    }

    // Runs on the part of the picture that `toPicture` maps the input's pixels to. Returns a host copy of the output.
    std::unique_ptr<MNN::Tensor> run(const Picture& picture, int width, int height, const MNN::CV::Matrix& toPicture) {
        MNN::Tensor* input = net->getSessionInput(session, nullptr);
        net->resizeTensor(input, {1, 3, height, width});
        net->resizeSession(session);
        process->setMatrix(toPicture);
        std::unique_ptr<MNN::Tensor> output;
        if (process->convert(picture.pixels.data(), picture.width, picture.height, 0, input) != MNN::NO_ERROR)
            return output;
        if (net->runSession(session) != MNN::NO_ERROR) return output;
        MNN::Tensor* result = net->getSessionOutput(session, nullptr);
        output.reset(new MNN::Tensor(result, MNN::Tensor::CAFFE));
        if (!result->copyToHostTensor(output.get())) output.reset();
        return output;
    }
};

// Maps pixel (x, y) of a width x height input to the box: the middle of a pixel is half a pixel from its corner.
MNN::CV::Matrix boxToPicture(const TextBox& box, int width, int height) {
    const float sx = box.width / width, sy = box.height / height;
    const float left = (0.5f - width / 2.0f) * sx, top = (0.5f - height / 2.0f) * sy;
    MNN::CV::Matrix matrix;
    matrix.setAll(box.rightX * sx, -box.rightY * sy, box.centreX + box.rightX * left - box.rightY * top - 0.5f,
                  box.rightY * sx, box.rightX * sy, box.centreY + box.rightY * left + box.rightX * top - 0.5f, 0, 0, 1);
    return matrix;
}

bool findBoxes(Model* detector, const Picture& picture, std::vector<TextBox>* boxes) {
    // The detector halves its input five times.
    const int width = (picture.width + 31) / 32 * 32, height = (picture.height + 31) / 32 * 32;
    TextBox whole;
    whole.width = float(picture.width);
    whole.height = float(picture.height);
    whole.centreX = whole.width / 2;
    whole.centreY = whole.height / 2;
    std::unique_ptr<MNN::Tensor> map = detector->run(picture, width, height, boxToPicture(whole, width, height));
    if (!map || map->elementSize() != width * height) return false;
    *boxes = demo::findTextBoxes(map->host<float>(), width, height);
    const float sx = whole.width / width, sy = whole.height / height;
    for (TextBox& box : *boxes) {
        box.centreX *= sx;
        box.centreY *= sy;
        box.width *= sx;
        box.height *= sy;
    }
    return true;
}

struct Line {
    std::string text;
    double confidence = 0, milliseconds = 0;
};

// Greedy CTC: the best class of each step; repeats count once, and class 0 is the gap between characters.
void decode(const MNN::Tensor& steps, const std::vector<std::string>& characters, Line* line) {
    const int count = steps.length(1), classes = steps.length(2);
    int previous = 0, kept = 0;
    for (int t = 0; t < count; ++t) {
        const float* scores = steps.host<float>() + size_t(t) * classes;
        int best = 0;
        for (int c = 1; c < classes; ++c) {
            if (scores[c] > scores[best]) best = c;
        }
        if (best != 0 && best != previous) {
            // The model's last class is the space, which the list does not hold.
            line->text += size_t(best) <= characters.size() ? characters[best - 1] : " ";
            line->confidence += scores[best];
            ++kept;
        }
        previous = best;
    }
    if (kept != 0) line->confidence /= kept;
}

bool readLine(Model* reader, const Picture& picture, const TextBox& box, const std::vector<std::string>& characters,
              Line* line) {
    demo::Stopwatch watch;
    const int height = 48;
    const int width = std::max(16, int(std::ceil(height * box.width / box.height)));
    std::unique_ptr<MNN::Tensor> steps = reader->run(picture, width, height, boxToPicture(box, width, height));
    if (!steps || steps->dimensions() != 3) return false;
    decode(*steps, characters, line);
    line->milliseconds = watch.milliseconds();
    return true;
}

struct Options {
    std::string models, picture, expect;
    int threads = 2;
};

bool parse(int argc, char** argv, Options* options) {
    std::vector<std::string> plain;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--expect" && i + 1 < argc) {
            options->expect = argv[++i];
        } else if (argument == "--threads" && i + 1 < argc) {
            options->threads = std::atoi(argv[++i]);
        } else {
            plain.push_back(argument);
        }
    }
    if (plain.size() != 2 || options->threads < 1) return false;
    options->models = plain[0];
    options->picture = plain[1];
    return true;
}

bool asExpected(const std::vector<std::string>& read, const std::string& file) {
    std::vector<std::string> expected;
    if (!demo::loadLines(file, &expected)) return false;
    if (read == expected) {
        std::printf("All %zu lines are as %s says.\n", read.size(), file.c_str());
        return true;
    }
    std::fprintf(stderr, "These lines were expected (%s):\n", file.c_str());
    for (const std::string& line : expected) std::fprintf(stderr, "  %s\n", line.c_str());
    return false;
}

int recognise(const Options& options) {
    Picture picture;
    std::vector<std::string> characters;
    if (!demo::loadPicture(options.picture, 3, &picture)) return 1;
    if (!demo::loadLines(options.models + "/characters.txt", &characters)) return 1;

    demo::progress("Loading the models");
    demo::Stopwatch loading;
    const float imageNetMean[3] = {0.485f, 0.456f, 0.406f}, imageNetDeviation[3] = {0.229f, 0.224f, 0.225f};
    const float half[3] = {0.5f, 0.5f, 0.5f};
    Model detector, reader;
    if (!detector.load(options.models + "/det.mnn", options.threads, imageNetMean, imageNetDeviation) ||
        !reader.load(options.models + "/rec.mnn", options.threads, half, half)) {
        std::fprintf(stderr, "Cannot load the models in %s\n", options.models.c_str());
        return 1;
    }
    demo::progress("");
    std::printf("Loaded the models in %.0f ms\n", loading.milliseconds());

    demo::progress("Looking for text");
    demo::Stopwatch detecting;
    std::vector<TextBox> boxes;
    if (!findBoxes(&detector, picture, &boxes)) {
        std::fprintf(stderr, "The detector failed on %s (%d x %d)\n", options.picture.c_str(), picture.width,
                     picture.height);
        return 1;
    }
    demo::progress("");
    std::printf("Found %zu lines of text on %s (%d x %d) in %.0f ms\n", boxes.size(), options.picture.c_str(),
                picture.width, picture.height, detecting.milliseconds());

    std::vector<std::string> read;
    for (size_t i = 0; i < boxes.size(); ++i) {
        demo::progress("Reading line " + std::to_string(i + 1) + " of " + std::to_string(boxes.size()));
        Line line;
        if (!readLine(&reader, picture, boxes[i], characters, &line)) {
            std::fprintf(stderr, "The reader failed on line %zu\n", i + 1);
            return 1;
        }
        demo::progress("");
        std::printf("  %-34s confidence %5.1f %%  %4.0f ms\n", line.text.c_str(), 100 * line.confidence,
                    line.milliseconds);
        read.push_back(line.text);
    }
    if (!options.expect.empty() && !asExpected(read, options.expect)) return 1;
    return read.empty() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // keeps its place among the messages on standard error
    Options options;
    if (!parse(argc, argv, &options)) {
        std::fprintf(stderr,
                     "Usage: ocr_demo MODEL_FOLDER PICTURE [--expect FILE] [--threads N]\n"
                     "Example: ocr_demo models tools/demo/ocr/lines.png\n");
        return 2;
    }
    return recognise(options);
}
