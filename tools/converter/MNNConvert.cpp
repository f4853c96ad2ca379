// MNNConvert: models of other frameworks to .mnn. Exit status 0 only when everything asked for was done.
#include <cstdio>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>

#include "TestFolder.hpp"
#include "onnx/OnnxImport.hpp"
#include "onnx/OnnxNode.hpp"
#include "passes/Passes.hpp"
#include "writer/ModelInfo.hpp"
#include "writer/ModelWriter.hpp"

using namespace MNN::Converter;

namespace {

struct Arguments {
    std::string framework, modelFile, output, jsonFile, testFolder;
    double threshold = 0.01;
    int batch = 0, optimizeLevel = 1;
    bool info = false, listOps = false, staticModel = false, forTraining = false, dumpPass = false;
    WriteOptions write;
};

const char* kExample =
    "Example:\n"
    "  MNNConvert -f ONNX --modelFile model.onnx --MNNModel model.mnn --bizCode biz\n"
    "  MNNConvert -f ONNX --modelFile model.onnx --MNNModel model.mnn --weightQuantBits 8\n"
    "  MNNConvert -f MNN  --modelFile model.mnn  --info\n";

// Options of other converters of this format that change nothing here; scripts may go on passing them.
void acceptWithoutEffect(CLI::App& app) {
    static std::string ignored;
    for (const char* name : {"--optimizePrefer", "--targetVersion", "--benchmarkModel", "--keepInputFormat",
                             "--convertMatmulToConv", "--useGeluApproximation", "--detectSparseSpeedUp"}) {
        app.add_option(name, ignored, "accepted, has no effect")->expected(0, 1)->group("Without effect");
    }
}

void declare(CLI::App& app, Arguments& a) {
    app.footer(kExample);
    app.set_version_flag("-v,--version", MNN_CONVERTER_VERSION);
    app.add_option("-f,--framework", a.framework, "source model: ONNX or MNN");
    app.add_option("--modelFile", a.modelFile, "source model file");
    app.add_option("--MNNModel", a.output, "model to write");
    app.add_option("--JsonFile", a.jsonFile, "with -f MNN: write the model as JSON here");
    app.add_flag("--info", a.info, "with -f MNN: print inputs, outputs, version and metadata");
    app.add_flag("--OP", a.listOps, "list the operators that can be converted");
    app.add_option("--bizCode", a.write.bizCode, "owner mark stored in the model")->capture_default_str();
    app.add_option("--authCode", a.write.authCode, "mark stored as extraInfo.name");
    app.add_option("--batch", a.batch, "replaces an unknown first size of the inputs");
    app.add_option("--optimizeLevel", a.optimizeLevel, "0: only drop unused ops, 1: fuse and simplify")
        ->capture_default_str();
    app.add_flag("--fp16", a.write.fp16, "store weights as half floats");
    app.add_option("--weightQuantBits", a.write.weightQuantBits, "store convolution weights in 2 to 8 bits")
        ->check(CLI::Range(0, 8));
    app.add_option("--weightQuantAsymmetric", a.write.weightQuantAsymmetric, "a minimum and a scale for each group")
        ->capture_default_str();
    app.add_option("--weightQuantBlock", a.write.weightQuantBlock, "input channels that share a scale: multiples of 16")
        ->capture_default_str();
    app.add_flag("--saveExternalData", a.write.saveExternalData, "put weights into <MNNModel>.weight");
    app.add_option("--alignDenormalizedValue", a.write.flushDenormals, "store denormal weights as zero")
        ->capture_default_str();
    app.add_flag("--saveStaticModel", a.staticModel, "fix the input sizes that the model declares");
    app.add_option("--testdir", a.testFolder, "after converting, compare with the reference numbers in this folder");
    app.add_option("--thredhold,--threshold", a.threshold, "largest relative difference --testdir accepts")
        ->capture_default_str();
    app.add_flag("--dumpPass", a.dumpPass, "print what each pass changes");
    acceptWithoutEffect(app);
}

void convertOnnx(const Arguments& a) {
    OnnxModel model;
    readOnnx(a.modelFile, model);
    ImportOptions options;
    options.batch = a.batch;
    options.staticShapes = a.staticModel;
    Graph graph = importOnnx(model, options);
    model.proto.Clear();
    optimize(graph, a.optimizeLevel, a.dumpPass);
    std::unique_ptr<MNN::NetT> net = toNet(graph, a.write);
    compressWeights(*net, a.write);
    saveNet(*net, a.write, a.output);
    std::printf("wrote %s: %zu ops, %d tensors\n", a.output.c_str(), net->oplists.size(), net->tensorNumber);
}

void convertMnn(const Arguments& a) {
    if (a.info) printModelInfo(a.modelFile);
    if (!a.jsonFile.empty()) writeModelJson(a.modelFile, a.jsonFile);
    if (a.output.empty()) return;
    std::unique_ptr<MNN::NetT> net = loadNet(a.modelFile);
    compressWeights(*net, a.write);
    saveNet(*net, a.write, a.output);
    std::printf("wrote %s: %zu ops\n", a.output.c_str(), net->oplists.size());
}

void require(bool condition, const char* sentence) {
    if (!condition) throw ConvertError(sentence);
}

void runCommand(const Arguments& a) {
    if (a.listOps) {
        for (const std::string& name : supportedOps()) std::printf("%s\n", name.c_str());
        return;
    }
    require(!a.framework.empty(), "-f says which framework the model is from: ONNX or MNN");
    require(!a.modelFile.empty(), "--modelFile names the source model");
    require(a.write.weightQuantBits != 1, "--weightQuantBits is 2 to 8");
    if (a.framework == "ONNX") {
        require(!a.output.empty(), "--MNNModel names the file to write");
        convertOnnx(a);
    } else if (a.framework == "MNN") {
        require(!a.output.empty() || a.info || !a.jsonFile.empty(), "give --MNNModel, --JsonFile or --info");
        convertMnn(a);
    } else {
        throw ConvertError("framework '" + a.framework + "' is not supported; use ONNX or MNN");
    }
    if (!a.testFolder.empty() && !testFolder(a.output, a.testFolder, a.threshold))
        throw ConvertError("the model's outputs differ from those in '" + a.testFolder + "'");
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments;
    CLI::App app("Converts models to .mnn", "MNNConvert");
    declare(app, arguments);
    CLI11_PARSE(app, argc, argv);
    try {
        runCommand(arguments);
        return 0;
    } catch (const ConvertError& error) {
        std::fprintf(stderr, "MNNConvert: %s\n", error.what());
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "MNNConvert: not enough memory for '%s'\n", arguments.modelFile.c_str());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "MNNConvert: %s\n", error.what());
    }
    return 1;
}
