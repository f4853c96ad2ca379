// mnn conformance: ONNX backend test folders through converter and engine.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unistd.h>
#include "Commands.hpp"
#include "LoadedModel.hpp"
#include "OnnxTensors.hpp"
#include <MNN/Log.hpp>
#include "onnx/OnnxImport.hpp"
#include "passes/Passes.hpp"
#include "writer/ModelWriter.hpp"

namespace mnn_tools {
namespace {

namespace fs = std::filesystem;

struct ConformanceOptions {
    std::vector<std::string> folders;
    std::string json, filter;
    int optimizeLevel = 1;
    bool verbose = false;
    SessionOptions session;
};

constexpr double kRelative = 1e-3, kAbsolute = 1e-7;

struct Result {
    enum class State { Passed, Failed, Skipped } state = State::Passed;
    std::string name, reason;
};

// Thrown for what the engine does not claim to do: string tensors, the training domain.
struct Skip : std::runtime_error {
    using std::runtime_error::runtime_error;
};

std::string& lastError() {
    static std::string text;
    return text;
}

void keepError(int level, const char* message, void*) {
    if (level >= 2 && lastError().size() < 400) lastError() += message;
}

bool isTest(const fs::path& folder) { return fs::exists(folder / "model.onnx"); }

std::vector<fs::path> testsIn(const std::vector<std::string>& folders) {
    std::vector<fs::path> tests;
    for (const std::string& folder : folders) {
        if (!fs::is_directory(folder)) throw std::runtime_error("'" + folder + "' is no folder");
        if (isTest(folder)) tests.push_back(folder);
        for (const auto& entry : fs::recursive_directory_iterator(folder)) {
            if (entry.is_directory() && isTest(entry.path())) tests.push_back(entry.path());
        }
    }
    std::sort(tests.begin(), tests.end());
    return tests;
}

std::vector<uint8_t> convert(const MNN::Converter::OnnxModel& model, int level) {
    MNN::Converter::Graph graph = MNN::Converter::importOnnx(model, MNN::Converter::ImportOptions());
    MNN::Converter::optimize(graph, level, false);
    const auto net = MNN::Converter::toNet(graph, MNN::Converter::WriteOptions());
    flatbuffers::FlatBufferBuilder builder;
    builder.ForceDefaults(true);
    builder.Finish(MNN::Net::Pack(builder, net.get()));
    return std::vector<uint8_t>(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
}

// Tests whose reference values are no answer to compare with, and why. Every other test must pass.
struct SkippedTest {
    const char* name;
    const char* reason;
};
const char* const kRandom = "the standard leaves the random numbers open";
const char* const kBeyondFloat32 = "the sums of doubles lie beyond float32, which the engine computes in";
const SkippedTest kSkippedTests[] = {
    {"node/test_bernoulli", kRandom},
    {"node/test_bernoulli_double", kRandom},
    {"node/test_bernoulli_double_expanded", kRandom},
    {"node/test_bernoulli_expanded", kRandom},
    {"node/test_bernoulli_seed", kRandom},
    {"node/test_bernoulli_seed_expanded", kRandom},
    {"node/test_training_dropout", kRandom},
    {"node/test_training_dropout_default", kRandom},
    {"node/test_training_dropout_default_mask", kRandom},
    {"node/test_training_dropout_mask", kRandom},
    {"pytorch-operator/test_operator_add_broadcast", kBeyondFloat32},
    {"pytorch-operator/test_operator_add_size1_right_broadcast", kBeyondFloat32},
    {"pytorch-operator/test_operator_add_size1_singleton_broadcast", kBeyondFloat32},
    {"pytorch-operator/test_operator_addconstant", kBeyondFloat32},
};

// Whether the engine's type stands for the declared one: 64-bit, 16-bit and bool integers are int32, all floats are
// float32.
bool sameKind(Type declared, Type engine) {
    if (isFloat(declared)) return isFloat(engine);
    if (declared == Type::UInt8) return engine == Type::UInt8 || engine == Type::Int32;
    if (declared == Type::Int8) return engine == Type::Int8 || engine == Type::Int32;
    return engine == Type::Int32;
}

// 16-bit references carry their own rounding.
double toleranceOf(const onnx::ValueInfoProto& output) {
    const int type = output.type().tensor_type().elem_type();
    return type == onnx::TensorProto::FLOAT16 || type == onnx::TensorProto::BFLOAT16 ? 1e-2 : kRelative;
}

void compare(const std::string& name, const Array& wanted, const Array& got, double relative) {
    if (!sameKind(wanted.type, got.type))
        throw std::runtime_error("output '" + name + "' is " + got.text() + ", expected " + wanted.text());
    if (wanted.shape != got.shape)
        throw std::runtime_error("output '" + name + "' has shape " + got.text() + ", expected " + wanted.text());
    for (int64_t i = 0; i < wanted.elements(); ++i) {
        const double w = wanted.at(i), g = got.at(i);
        const bool equal = w == g || (std::isnan(w) && std::isnan(g));
        if (equal || std::fabs(w - g) <= kAbsolute + relative * std::fabs(w)) continue;
        throw std::runtime_error("output '" + name + "' element " + std::to_string(i) + " is " + std::to_string(g) +
                                 ", expected " + std::to_string(w));
    }
}

void runDataSet(const fs::path& folder, const MNN::Converter::OnnxModel& model, LoadedModel* loaded) {
    const auto& graph = model.proto.graph();
    std::vector<std::string> initialized;
    for (const auto& tensor : graph.initializer()) initialized.push_back(tensor.name());
    std::map<std::string, Array> inputs;
    const auto& wanted = loaded->interpreter()->getSessionInputAll(loaded->session());
    for (int i = 0; i < graph.input_size(); ++i) {
        const fs::path file = folder / ("input_" + std::to_string(i) + ".pb");
        if (!fs::exists(file)) continue;
        // An input that no op reads is dropped from the model; so is one that an initializer fixes.
        if (wanted.count(graph.input(i).name()) == 0) continue;
        inputs[graph.input(i).name()] = readTensorProto(file.string(), graph.input(i).type());
    }
    loaded->setInputs(inputs);
    loaded->run();
    for (int i = 0; i < graph.output_size(); ++i) {
        const fs::path file = folder / ("output_" + std::to_string(i) + ".pb");
        if (!fs::exists(file)) continue;
        const std::string& name = graph.output(i).name();
        const MNN::Tensor* output = loaded->interpreter()->getSessionOutput(loaded->session(), name.c_str());
        if (output == nullptr) throw std::runtime_error("the session has no output '" + name + "'");
        compare(name, readTensorProto(file.string(), graph.output(i).type()), fromTensor(output),
                toleranceOf(graph.output(i)));
    }
}

void refuseOutOfScope(const std::string& test, const MNN::Converter::OnnxModel& model) {
    for (const SkippedTest& skipped : kSkippedTests) {
        if (test == skipped.name) throw Skip(skipped.reason);
    }
    for (const auto& import : model.proto.opset_import()) {
        if (import.domain().find("training") != std::string::npos) throw Skip("training domain");
    }
    const auto& graph = model.proto.graph();
    for (const auto* values : {&graph.input(), &graph.output()}) {
        for (const auto& value : *values) {
            if (usesStrings(value.type())) throw Skip("string tensors");
        }
    }
}

Result runTest(const fs::path& folder, const ConformanceOptions& options) {
    Result result;
    result.name = folder.parent_path().filename().string() + "/" + folder.filename().string();
    lastError().clear();
    try {
        MNN::Converter::OnnxModel model;
        MNN::Converter::readOnnx((folder / "model.onnx").string(), model);
        refuseOutOfScope(result.name, model);
        const std::vector<uint8_t> mnn = convert(model, options.optimizeLevel);
        LoadedModel loaded(mnn.data(), mnn.size(), options.session);
        int sets = 0;
        for (; fs::exists(folder / ("test_data_set_" + std::to_string(sets))); ++sets) {
            runDataSet(folder / ("test_data_set_" + std::to_string(sets)), model, &loaded);
        }
        if (sets == 0) throw std::runtime_error("the folder has no test_data_set_0");
    } catch (const Skip& skip) {
        result.state = Result::State::Skipped;
        result.reason = skip.what();
    } catch (const std::exception& error) {
        result.state = Result::State::Failed;
        result.reason = error.what();
        if (!lastError().empty()) result.reason += " [" + lastError() + "]";
        std::replace(result.reason.begin(), result.reason.end(), '\n', ' ');
    }
    return result;
}

int conformance(const ConformanceOptions& options) {
    MNNSetLogCallback(keepError, nullptr);
    const std::vector<fs::path> tests = testsIn(options.folders);
    int counts[3] = {0, 0, 0};
    static const char* const kStates[] = {"passed", "failed", "skipped"};
    nlohmann::json rows = nlohmann::json::array();
    for (size_t i = 0; i < tests.size(); ++i) {
        if (!options.filter.empty() && tests[i].string().find(options.filter) == std::string::npos) continue;
        if (isatty(STDERR_FILENO)) std::fprintf(stderr, "\r%zu/%zu ", i + 1, tests.size());
        const Result result = runTest(tests[i], options);
        const int state = static_cast<int>(result.state);
        ++counts[state];
        rows.push_back({{"test", result.name}, {"result", kStates[state]}, {"reason", result.reason}});
        if (state != 0 || options.verbose)
            std::printf("%s %s%s%s\n", kStates[state], result.name.c_str(), result.reason.empty() ? "" : ": ",
                        result.reason.c_str());
        std::fflush(stdout);
    }
    MNNSetLogCallback(nullptr, nullptr);
    if (isatty(STDERR_FILENO)) std::fprintf(stderr, "\r\033[K");
    if (!options.json.empty()) {
        std::ofstream file(options.json);
        file << rows.dump(1);
        if (!file.flush()) throw std::runtime_error("cannot write '" + options.json + "'");
    }
    std::printf("%d passed, %d failed, %d skipped\n", counts[0], counts[1], counts[2]);
    return counts[1] == 0 && counts[0] > 0 ? 0 : 1;
}

}  // namespace

void addConformance(CLI::App* app, int* status) {
    auto options = std::make_shared<ConformanceOptions>();
    CLI::App* command =
        app->add_subcommand("conformance", "ONNX backend test folders: convert, run, compare (rtol 1e-3, atol 1e-7)");
    command->add_option("folders", options->folders, "folders of tests, or single tests")->required();
    command->add_option("--json", options->json, "write every result to this file");
    command->add_option("--filter", options->filter, "only tests whose path contains this");
    command->add_option("--optimizeLevel", options->optimizeLevel, "of the converter")->capture_default_str();
    command->add_flag("--verbose", options->verbose, "list passed tests too");
    options->session.addTo(command);
    command->footer("Example: mnn conformance /usr/share/libonnx-testdata/data/node --json node.json");
    command->callback([options, status] { *status = conformance(*options); });
}

}  // namespace mnn_tools
