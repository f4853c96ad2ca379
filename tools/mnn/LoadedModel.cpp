#include "LoadedModel.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <stdexcept>
#include "core/Backend.hpp"
#include "core/platform/Platform.hpp"

namespace mnn_tools {

using MNN::Tensor;

void SessionOptions::addTo(CLI::App* command) {
    command->add_option("--backend", backend, "where to run")->capture_default_str();
    command->add_option("--threads", threads, "CPU threads; 0: every core this process may use")->capture_default_str();
    command->add_option("--precision", precision, "low, normal or high")
        ->check(CLI::IsMember({"low", "normal", "high"}))
        ->capture_default_str();
    command->add_option("--shape", shapes, "input shape, NAME=1x3x224x224");
}

MNNForwardType backendNamed(const std::string& name) {
    for (const MNN::BackendEntry* entry : MNN::allBackends()) {
        if (name == entry->name) return entry->type;
    }
    throw std::runtime_error("there is no backend '" + name + "'; see: mnn backends");
}

MNN::BackendConfig::PrecisionMode precisionNamed(const std::string& name) {
    if (name == "low") return MNN::BackendConfig::Precision_Low;
    return name == "high" ? MNN::BackendConfig::Precision_High : MNN::BackendConfig::Precision_Normal;
}

std::vector<int> parseShape(const std::string& text) {
    std::vector<int> shape;
    size_t begin = 0;
    while (begin <= text.size()) {
        const size_t end = std::min(text.find('x', begin), text.size());
        const std::string item = text.substr(begin, end - begin);
        if (item.empty() || item.find_first_not_of("0123456789") != std::string::npos || item.size() > 9) {
            throw std::runtime_error("'" + text + "' is no shape; write it like 1x3x224x224");
        }
        shape.push_back(std::atoi(item.c_str()));
        begin = end + 1;
    }
    return shape;
}

std::string fileName(const std::string& name) {
    std::string result = name;
    for (char& c : result) {
        if (c == '/' || c == '\\' || c == ':' || c == '*' || c == '?' || static_cast<unsigned char>(c) < 32) c = '_';
    }
    return result;
}

std::vector<std::string> modelFiles(const std::vector<std::string>& paths) {
    std::vector<std::string> files;
    for (const std::string& path : paths) {
        if (!std::filesystem::is_directory(path)) {
            files.push_back(path);
            continue;
        }
        for (const auto& entry : std::filesystem::directory_iterator(path)) {
            if (entry.path().extension() == ".mnn") files.push_back(entry.path().string());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

LoadedModel::LoadedModel(const std::string& path, const SessionOptions& options) {
    const uint64_t begin = MNN::platform::nowUs();
    mInterpreter.reset(MNN::Interpreter::createFromFile(path.c_str()));
    mLoadUs = MNN::platform::nowUs() - begin;
    if (mInterpreter == nullptr) throw std::runtime_error("cannot load '" + path + "'");
    create(options);
}

LoadedModel::LoadedModel(const void* buffer, size_t size, const SessionOptions& options) {
    mInterpreter.reset(MNN::Interpreter::createFromBuffer(buffer, size));
    if (mInterpreter == nullptr) throw std::runtime_error("cannot load the converted model");
    create(options);
}

void LoadedModel::create(const SessionOptions& options) {
    MNN::BackendConfig backend;
    backend.precision = precisionNamed(options.precision);
    MNN::ScheduleConfig config;
    config.numThread = options.threads;
    config.backendConfig = &backend;
    config.type = backendNamed(options.backend);
    if (!options.shapes.empty()) mInterpreter->setSessionMode(MNN::Interpreter::Session_Resize_Defer);
    const uint64_t begin = MNN::platform::nowUs();
    mSession = mInterpreter->createSession(config);
    if (mSession == nullptr) throw std::runtime_error("cannot create a session");
    for (const std::string& shape : options.shapes) {
        const size_t equals = shape.rfind('=');
        if (equals == std::string::npos) throw std::runtime_error("--shape takes NAME=1x3x224x224");
        Tensor* input = mInterpreter->getSessionInput(mSession, shape.substr(0, equals).c_str());
        if (input == nullptr) throw std::runtime_error("the model has no input '" + shape.substr(0, equals) + "'");
        mInterpreter->resizeTensor(input, parseShape(shape.substr(equals + 1)));
    }
    if (!options.shapes.empty()) mInterpreter->resizeSession(mSession);
    mCreateUs = MNN::platform::nowUs() - begin;
}

void LoadedModel::setInputs(const std::map<std::string, Array>& inputs) {
    const auto& wanted = mInterpreter->getSessionInputAll(mSession);
    bool resized = false;
    for (const auto& input : inputs) {
        const auto found = wanted.find(input.first);
        if (found == wanted.end()) {
            std::string names;
            for (const auto& w : wanted) names += " '" + w.first + "'";
            throw std::runtime_error("the model has no input '" + input.first + "'; it has" + names);
        }
        const std::vector<int> shape(input.second.shape.begin(), input.second.shape.end());
        if (found->second->shape() == shape) continue;
        mInterpreter->resizeTensor(found->second, shape);
        resized = true;
    }
    for (const auto& w : wanted) {
        if (inputs.count(w.first) == 0) throw std::runtime_error("input '" + w.first + "' is missing");
    }
    int status = 0;
    mInterpreter->getSessionInfo(mSession, MNN::Interpreter::RESIZE_STATUS, &status);
    if (resized || status != 0) mInterpreter->resizeSession(mSession);
    for (const auto& input : inputs) toTensor(input.second, wanted.at(input.first));
}

void LoadedModel::setRandomInputs(unsigned seed) {
    std::mt19937 random(seed);
    std::map<std::string, Array> inputs;
    for (const auto& wanted : mInterpreter->getSessionInputAll(mSession)) {
        Array array;
        for (int length : wanted.second->shape()) {
            if (length < 0)
                throw std::runtime_error("input '" + wanted.first + "' has no fixed shape; give it with --shape");
            array.shape.push_back(length);
        }
        if (wanted.second->getType().code == halide_type_float) {
            for (int64_t i = 0; i < array.elements(); ++i) array.reals.push_back(random() * (2.0 / 4294967296.0) - 1.0);
        } else {
            array.type = Type::Int32;
            for (int64_t i = 0; i < array.elements(); ++i) array.integers.push_back(random() % 4);
        }
        inputs[wanted.first] = std::move(array);
    }
    setInputs(inputs);
}

void LoadedModel::run() {
    const MNN::ErrorCode code = mInterpreter->runSession(mSession);
    if (code != MNN::NO_ERROR) throw std::runtime_error("the run failed with error " + std::to_string(code));
}

}  // namespace mnn_tools
