// mnn run: a model on .npy inputs.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include "Commands.hpp"
#include "LoadedModel.hpp"

namespace mnn_tools {
namespace {

struct RunOptions {
    std::string model, outputDir = ".", dumpDir;
    std::vector<std::string> inputs;
    bool check = false;
    SessionOptions session;
};

// Beyond this a float is a symptom: no activation of a healthy model is near.
constexpr double kHuge = 1e30;

std::map<std::string, Array> readInputs(const std::vector<std::string>& items) {
    std::map<std::string, Array> inputs;
    for (const std::string& item : items) {
        const size_t equals = item.find('=');
        if (equals == std::string::npos) throw std::runtime_error("--input takes NAME=FILE.npy, not '" + item + "'");
        inputs[item.substr(0, equals)] = readNpy(item.substr(equals + 1));
    }
    return inputs;
}

// "" or what is wrong with the values.
std::string complaint(const Array& array) {
    if (!isFloat(array.type)) return "";
    for (int64_t i = 0; i < array.elements(); ++i) {
        const double v = array.reals[i];
        if (std::isnan(v)) return "NaN at element " + std::to_string(i);
        if (std::isinf(v)) return "infinity at element " + std::to_string(i);
        if (std::fabs(v) > kHuge) return "huge value " + std::to_string(v) + " at element " + std::to_string(i);
    }
    return "";
}

// Runs with a look at every intermediate tensor. Returns what --check found, or "".
std::string runDumping(LoadedModel* model, const RunOptions& options) {
    std::string found;
    if (!options.dumpDir.empty()) std::filesystem::create_directories(options.dumpDir);
    std::map<std::string, int> seen;
    MNN::TensorCallBackWithInfo before = [](const std::vector<MNN::Tensor*>&, const MNN::OperatorInfo*) {
        return true;
    };
    MNN::TensorCallBackWithInfo after = [&](const std::vector<MNN::Tensor*>& tensors, const MNN::OperatorInfo* info) {
        for (size_t i = 0; i < tensors.size(); ++i) {
            const Array array = fromTensor(tensors[i]);
            const std::string name =
                fileName(info->name()) + "." + info->type() + "." + std::to_string(seen[info->name()]++);
            if (!options.dumpDir.empty()) writeNpy(options.dumpDir + "/" + name + ".npy", array);
            if (!options.check) continue;
            const std::string what = complaint(array);
            if (what.empty()) continue;
            found = "op '" + info->name() + "' (" + info->type() + "), output " + array.text() + ": " + what;
            return false;
        }
        return true;
    };
    const MNN::ErrorCode code = model->interpreter()->runSessionWithCallBackInfo(model->session(), before, after, true);
    if (code != MNN::NO_ERROR && found.empty())
        throw std::runtime_error("the run failed with error " + std::to_string(code));
    return found;
}

int run(const RunOptions& options) {
    LoadedModel model(options.model, options.session);
    model.setInputs(readInputs(options.inputs));
    if (options.dumpDir.empty() && !options.check) {
        model.run();
    } else {
        const std::string found = runDumping(&model, options);
        if (!found.empty()) throw std::runtime_error("stopped: " + found);
    }
    std::filesystem::create_directories(options.outputDir);
    for (const auto& output : model.interpreter()->getSessionOutputAll(model.session())) {
        const Array array = fromTensor(output.second);
        const std::string path = options.outputDir + "/" + fileName(output.first) + ".npy";
        writeNpy(path, array);
        std::printf("%s %s -> %s\n", output.first.c_str(), array.text().c_str(), path.c_str());
    }
    return 0;
}

}  // namespace

void addRun(CLI::App* app, int* status) {
    auto options = std::make_shared<RunOptions>();
    CLI::App* command = app->add_subcommand("run", "run a model on .npy inputs; writes one NAME.npy per output");
    command->add_option("model", options->model, "the .mnn file")->required();
    command->add_option("--input", options->inputs, "an input, NAME=FILE.npy; once per input");
    command->add_option("--output-dir", options->outputDir, "where outputs go")->capture_default_str();
    command->add_option("--dump", options->dumpDir, "write every intermediate tensor to this folder");
    command->add_flag("--check", options->check, "stop at the first NaN, infinity or value over 1e30");
    options->session.addTo(command);
    command->footer("Example: mnn run model.mnn --input x=x.npy --output-dir out --threads 2");
    command->callback([options, status] { *status = run(*options); });
}

}  // namespace mnn_tools
