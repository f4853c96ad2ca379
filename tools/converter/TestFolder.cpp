#include "TestFolder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <vector>

#include <MNN/Interpreter.hpp>
#include <MNN/Tensor.hpp>
#include <nlohmann/json.hpp>

#include "graph/Graph.hpp"

namespace MNN {
namespace Converter {

namespace {

std::vector<double> readNumbers(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw ConvertError("cannot open '" + path + "'");
    std::vector<double> values;
    std::string word;
    while (file >> word) values.push_back(std::strtod(word.c_str(), nullptr));
    return values;
}

double readElement(const Tensor& tensor, int i) {
    const halide_type_t type = tensor.getType();
    if (type.code == halide_type_float) return tensor.host<float>()[i];
    if (type.code == halide_type_uint) return tensor.host<uint8_t>()[i];
    return type.bits == 8 ? tensor.host<int8_t>()[i] : tensor.host<int32_t>()[i];
}

void writeElement(Tensor& tensor, int i, double value) {
    const halide_type_t type = tensor.getType();
    if (type.code == halide_type_float)
        tensor.host<float>()[i] = static_cast<float>(value);
    else if (type.code == halide_type_uint)
        tensor.host<uint8_t>()[i] = static_cast<uint8_t>(value);
    else if (type.bits == 8)
        tensor.host<int8_t>()[i] = static_cast<int8_t>(value);
    else
        tensor.host<int32_t>()[i] = static_cast<int32_t>(value);
}

class Run {
public:
    Run(const std::string& model, const std::string& folder, const nlohmann::json& config)
        : mFolder(folder), mNet(Interpreter::createFromFile(model.c_str()), Interpreter::destroy) {
        if (!mNet) throw ConvertError("the engine cannot load '" + model + "'");
        const std::vector<int> hints = config.value("hints", std::vector<int>());
        for (size_t i = 0; i + 1 < hints.size(); i += 2)
            mNet->setSessionHint(static_cast<Interpreter::HintMode>(hints[i]), hints[i + 1]);
        BackendConfig backend;
        backend.precision = static_cast<BackendConfig::PrecisionMode>(config.value("precision", 0));
        backend.memory = static_cast<BackendConfig::MemoryMode>(config.value("memory", 0));
        backend.power = static_cast<BackendConfig::PowerMode>(config.value("power", 0));
        ScheduleConfig schedule;
        schedule.type = static_cast<MNNForwardType>(config.value("backend", 0));
        schedule.numThread = config.value("mode", schedule.numThread);
        schedule.backendConfig = &backend;
        mSession = mNet->createSession(schedule);
        if (!mSession) throw ConvertError("the engine cannot run '" + model + "'");
    }

    void setShape(const nlohmann::json& entry) {
        Tensor* tensor = find(entry.at("name").get<std::string>());
        if (entry.contains("shape")) mNet->resizeTensor(tensor, entry["shape"].get<std::vector<int>>());
    }
    void resize() { mNet->resizeSession(mSession); }

    void fill(const nlohmann::json& entry) {
        const std::string name = entry.at("name").get<std::string>();
        Tensor* tensor = find(name);
        Tensor host(tensor, Tensor::CAFFE);
        std::vector<double> values;
        if (entry.contains("value"))
            values = {entry["value"].get<double>()};
        else
            values = readNumbers(mFolder + "/" + name + ".txt");
        if (values.size() != static_cast<size_t>(host.elementSize()))
            throw ConvertError("'" + name + ".txt' holds " + std::to_string(values.size()) +
                               " numbers, the input takes " + std::to_string(host.elementSize()));
        for (int i = 0; i < host.elementSize(); ++i) writeElement(host, i, values[i]);
        tensor->copyFromHostTensor(&host);
    }
    void run() {
        if (mNet->runSession(mSession) != NO_ERROR) throw ConvertError("the engine failed to run the model");
    }

    bool compare(const std::string& name, size_t position, double threshold) {
        Tensor* tensor = mNet->getSessionOutput(mSession, name.c_str());
        if (!tensor) throw ConvertError("the model has no output '" + name + "'");
        Tensor host(tensor, Tensor::CAFFE);
        tensor->copyToHostTensor(&host);
        const std::string own = mFolder + "/" + name + ".txt";
        const std::vector<double> want =
            readNumbers(std::ifstream(own) ? own : mFolder + "/" + std::to_string(position) + ".txt");
        const size_t count = static_cast<size_t>(host.elementSize());
        if (want.size() != count) {
            std::printf("TESTERROR %s: %zu values, %zu wanted\n", name.c_str(), count, want.size());
            return false;
        }
        double largest = 0, difference = 0;
        for (size_t i = 0; i < count; ++i) {
            const double got = readElement(host, static_cast<int>(i));
            largest = std::max(largest, std::fabs(want[i]));
            const double off = std::fabs(got - want[i]);
            difference = off <= difference ? difference : off;  // keeps a NaN
        }
        const double relative = difference / std::max(largest, 1e-6);
        const bool ok = relative < threshold;
        std::printf("%s%s: %zu values compared, largest difference %g of %g\n", ok ? "" : "TESTERROR ", name.c_str(),
                    count, difference, largest);
        return ok;
    }

private:
    Tensor* find(const std::string& name) {
        Tensor* tensor = mNet->getSessionInput(mSession, name.c_str());
        if (!tensor) throw ConvertError("the model has no input '" + name + "'");
        return tensor;
    }

    const std::string mFolder;
    std::unique_ptr<Interpreter, void (*)(Interpreter*)> mNet;
    Session* mSession = nullptr;
};

}  // namespace

bool testFolder(const std::string& model, const std::string& folder, double threshold, const std::string& configPath) {
    if (!(threshold > 0 && threshold < 1)) throw ConvertError("the threshold must lie between 0 and 1");
    std::ifstream file(folder + "/input.json");
    if (!file) throw ConvertError("cannot open '" + folder + "/input.json'");
    const nlohmann::json config = nlohmann::json::parse(file);
    nlohmann::json engine = nlohmann::json::object();
    if (!configPath.empty()) {
        std::ifstream configFile(configPath);
        if (!configFile) throw ConvertError("cannot open '" + configPath + "'");
        engine = nlohmann::json::parse(configFile);
    }
    Run run(model, folder, engine);
    for (const auto& input : config.at("inputs")) run.setShape(input);
    run.resize();
    for (const auto& input : config.at("inputs")) run.fill(input);
    run.run();
    bool ok = true;
    size_t position = 0;
    for (const auto& output : config.at("outputs")) ok &= run.compare(output.get<std::string>(), position++, threshold);
    std::printf("%s\n", ok ? "TEST_SUCCESS" : "TESTERROR the outputs differ");
    return ok;
}

}  // namespace Converter
}  // namespace MNN
