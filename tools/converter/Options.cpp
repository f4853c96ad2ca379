#include "Options.hpp"

#include <cstdio>
#include <fstream>
#include <sstream>

namespace MNN {
namespace Converter {

namespace {

const char* kExample =
    "Example:\n"
    "  MNNConvert -f ONNX --modelFile model.onnx --MNNModel model.mnn --bizCode biz\n"
    "  MNNConvert -f ONNX --modelFile model.onnx --MNNModel model.mnn --weightQuantBits 8\n"
    "  MNNConvert -f MNN  --modelFile model.mnn  --JsonFile model.json\n"
    "  MNNConvert -f MNN  --modelFile model.mnn  --info\n";

struct ForeignOption {
    const char* name;
    const char* reason;
};

// Accepted, so that scripts may go on passing them.
const ForeignOption kIgnored[] = {
    {"--keepInputFormat", "inputs and outputs keep the source's layout"},
    {"--optimizePrefer", "an op keeps its weights, however many share them"},
    {"--benchmarkModel", "weights are always stored"},
    {"--debug", "use --dumpPass"},
    {"--forTraining", "models are converted for inference"},
    {"--targetVersion", "files are of the version that --version names"},
    {"--detectSparseSpeedUp", "weights are stored densely"},
    {"--groupConvNative", "grouped convolutions always stay one op"},
    {"--useOriginRNNImpl", "LSTM, GRU and RNN always stay one op"},
    {"--splitBlockQuant", "block-quantised convolutions stay one op"},
    {"--transformerFuse", "attention is not fused"},
    {"--transformerFuseC4", "attention is not fused"},
    {"--transformerFuseQkvProj", "attention is not fused"},
    {"--transformerFuseGateUpProj", "attention is not fused"},
    {"--transformerFuseLnProj", "attention is not fused"},
};

const ForeignOption kRefused[] = {
    {"--prototxt", "Caffe models are not supported"},
    {"--customOpLibs", "TorchScript models, which these libraries extend, are not supported"},
    {"--rknn", "no files for the RKNN accelerator are made"},
};

void declareForeign(CLI::App& app) {
    // CLI11 wants a variable for each; only whether they were given matters.
    static std::string value;
    for (const ForeignOption& option : kIgnored)
        app.add_option(option.name, value, std::string("ignored: ") + option.reason)->expected(0, 1)->group("Ignored");
    for (const ForeignOption& option : kRefused)
        app.add_option(option.name, value, std::string("refused: ") + option.reason)->expected(0, 1)->group("Refused");
}

void declareWeights(CLI::App& app, Arguments& a) {
    app.add_flag("--fp16", a.write.fp16, "store weights as half floats");
    app.add_option("--weightQuantBits", a.write.weightQuantBits,
                   "store weights of convolutions and of MatMuls in 2 to 8 bits")
        ->check(CLI::Range(0, 8));
    app.add_option("--weightQuantAsymmetric", a.write.weightQuantAsymmetric, "a minimum and a scale for each group")
        ->expected(0, 1)
        ->capture_default_str();
    app.add_option("--weightQuantBlock", a.write.weightQuantBlock, "input channels that share a scale: multiples of 16")
        ->capture_default_str();
    app.add_option("--weightQuantScaleBit", a.write.weightQuantScaleBit, "bits of a scale and a minimum: 32 or 16")
        ->check(CLI::IsMember({32, 16}))
        ->capture_default_str();
    app.add_flag("--hqq", a.write.hqq, "search minima that lose less (HQQ); makes weights asymmetric");
    app.add_option(
        "--compressionParamsFile", a.compressionPlan,
        "JSON that names the bits, form and block of single layers; written, to be edited, when there is none");
    app.add_option("--convertMatmulToConv", a.matmulToConv, "quantise MatMuls by constants too, as 1x1 convolutions")
        ->capture_default_str();
    app.add_flag("--saveExternalData", a.write.saveExternalData, "put weights into <MNNModel>.weight");
    app.add_option("--alignDenormalizedValue", a.write.flushDenormals, "store denormal weights as zero")
        ->capture_default_str();
}

}  // namespace

void declareOptions(CLI::App& app, Arguments& a) {
    app.footer(kExample);
    app.set_version_flag("-v,--version", MNN_CONVERTER_VERSION);
    app.add_option("-f,--framework", a.framework, "source model: ONNX, MNN or JSON");
    app.add_option("--modelFile", a.modelFile, "source model file");
    app.add_option("--MNNModel", a.output, "model to write");
    app.add_option("--JsonFile", a.jsonFile, "with -f MNN: write the model as JSON, which -f JSON reads back");
    app.add_flag("--info", a.info, "with -f MNN: print inputs, outputs, version and metadata");
    app.add_flag("--OP", a.listOps, "list the operators that can be converted");
    app.add_option("--bizCode", a.write.bizCode, "owner mark stored in the model")->capture_default_str();
    app.add_option("--authCode", a.write.authCode, "mark stored as extraInfo.name");
    app.add_option("--batch", a.import.batch, "replaces an unknown first size of the inputs");
    app.add_flag("--saveStaticModel", a.import.staticShapes, "fix the input sizes that the model declares");
    app.add_option("--inputConfigFile", a.inputConfig,
                   "sizes of inputs: lines `input_names = a,b` and `input_dims = 1x3x224x224,1x10`");
    app.add_flag("--allowCustomOp", a.import.allowCustomOps, "keep unknown ops, for an app that brings them");
    app.add_option("--optimizeLevel", a.optimizeLevel, "0: only drop unused ops, 1: fuse and simplify")
        ->capture_default_str();
    app.add_option("--useGeluApproximation", a.geluApproximation, "the tanh form of Gelu in place of the erf form")
        ->capture_default_str();
    declareWeights(app, a);
    app.add_option("--testdir", a.testFolder, "after converting, compare with the reference numbers in this folder");
    app.add_option("--testconfig", a.testConfig, "JSON for --testdir: backend, mode, precision, memory, power, hints");
    app.add_option("--thredhold,--threshold", a.threshold, "largest relative difference --testdir accepts")
        ->capture_default_str();
    app.add_flag("--dumpPass", a.dumpPass, "print what each pass changes");
    declareForeign(app);
}

void judgeForeignOptions(const CLI::App& app) {
    for (const ForeignOption& option : kRefused) {
        if (app.count(option.name) > 0) throw ConvertError(std::string(option.name) + ": " + option.reason);
    }
    std::string given;
    for (const ForeignOption& option : kIgnored) {
        if (app.count(option.name) > 0)
            given += (given.empty() ? "" : ", ") + std::string(option.name) + " (" + option.reason + ")";
    }
    if (!given.empty()) std::fprintf(stderr, "MNNConvert: ignored: %s\n", given.c_str());
}

namespace {

std::string trimmed(const std::string& text) {
    const size_t begin = text.find_first_not_of(" \t\r"), end = text.find_last_not_of(" \t\r");
    return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::stringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) parts.push_back(trimmed(part));
    return parts;
}

Dims readDims(const std::string& text) {
    Dims dims;
    for (const std::string& word : split(text, 'x')) {
        char* end = nullptr;
        const long size = std::strtol(word.c_str(), &end, 10);
        if (word.empty() || *end != '\0' || size < 0 || size > INT32_MAX)
            throw ConvertError("'" + text + "' are no sizes; write 1x3x224x224");
        dims.push_back(static_cast<int>(size));
    }
    return dims;
}

}  // namespace

std::map<std::string, Dims> readInputConfig(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw ConvertError("cannot open '" + path + "'");
    std::vector<std::string> names, sizes;
    for (std::string line; std::getline(file, line);) {
        const size_t equals = line.find('=');
        if (equals == std::string::npos) continue;
        const std::string key = trimmed(line.substr(0, equals)), value = trimmed(line.substr(equals + 1));
        if (key == "input_names") names = split(value, ',');
        if (key == "input_dims") sizes = split(value, ',');
    }
    if (names.empty() || names.size() != sizes.size())
        throw ConvertError("'" + path + "' names " + std::to_string(names.size()) + " inputs and gives sizes of " +
                           std::to_string(sizes.size()));
    std::map<std::string, Dims> dims;
    for (size_t i = 0; i < names.size(); ++i) dims[names[i]] = readDims(sizes[i]);
    return dims;
}

}  // namespace Converter
}  // namespace MNN
