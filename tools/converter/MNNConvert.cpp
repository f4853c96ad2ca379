// MNNConvert: models of other frameworks to .mnn. Exit status 0 only when everything asked for was done.
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include "Options.hpp"
#include "TestFolder.hpp"
#include "onnx/OnnxNode.hpp"
#include "passes/Passes.hpp"
#include "writer/ModelInfo.hpp"
#include "writer/NetJson.hpp"

using namespace MNN::Converter;

namespace {

void finish(std::unique_ptr<MNN::NetT> net, const Arguments& a) {
    WriteOptions options = a.write;
    const bool planned = !a.compressionPlan.empty(), planExists = planned && std::ifstream(a.compressionPlan).good();
    if (planExists) options.plan = readCompressionPlan(a.compressionPlan);
    if (a.matmulToConv && (planned || options.weightQuantBits > 0)) convolutionsForMatMuls(*net);
    if (planned && !planExists) {
        LayerPlan layer;
        if (options.weightQuantBits > 0) layer.bits = options.weightQuantBits;
        layer.asymmetric = options.weightQuantAsymmetric;
        layer.blockSize = options.weightQuantBlock;
        writeCompressionPlan(a.compressionPlan, *net, layer);
    }
    compressWeights(*net, options);
    saveNet(*net, options, a.output);
    std::printf("wrote %s: %zu ops, %zu tensors\n", a.output.c_str(), net->oplists.size(), net->tensorName.size());
}

void convertOnnx(const Arguments& a) {
    OnnxModel model;
    readOnnx(a.modelFile, model);
    ImportOptions options = a.import;
    if (!a.inputConfig.empty()) options.inputDims = readInputConfig(a.inputConfig);
    Graph graph = importOnnx(model, options);
    model.proto.Clear();
    optimize(graph, a.optimizeLevel, a.dumpPass);
    if (a.geluApproximation) approximateGelu(graph);
    finish(toNet(graph, a.write), a);
}

void convertMnn(const Arguments& a) {
    if (a.info) printModelInfo(a.modelFile);
    if (!a.jsonFile.empty()) writeNetJson(*loadNet(a.modelFile), a.jsonFile);
    if (!a.output.empty()) finish(loadNet(a.modelFile), a);
}

void require(bool condition, const char* sentence) {
    if (!condition) throw ConvertError(sentence);
}

void runCommand(const Arguments& a) {
    if (a.listOps) {
        for (const std::string& name : supportedOps()) std::printf("%s\n", name.c_str());
        return;
    }
    require(!a.framework.empty(), "-f says which framework the model is from: ONNX, MNN or JSON");
    require(!a.modelFile.empty(), "--modelFile names the source model");
    require(a.write.weightQuantBits != 1, "--weightQuantBits is 2 to 8");
    if (a.framework == "ONNX") {
        require(!a.output.empty(), "--MNNModel names the file to write");
        convertOnnx(a);
    } else if (a.framework == "MNN") {
        require(!a.output.empty() || a.info || !a.jsonFile.empty(), "give --MNNModel, --JsonFile or --info");
        convertMnn(a);
    } else if (a.framework == "JSON") {
        require(!a.output.empty(), "--MNNModel names the file to write");
        finish(readNetJson(a.modelFile), a);
    } else {
        throw ConvertError("framework '" + a.framework + "' is not supported; use ONNX, MNN or JSON");
    }
    if (!a.testFolder.empty() && !testFolder(a.output, a.testFolder, a.threshold, a.testConfig))
        throw ConvertError("the model's outputs differ from those in '" + a.testFolder + "'");
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments;
    CLI::App app("Converts models to .mnn", "MNNConvert");
    declareOptions(app, arguments);
    CLI11_PARSE(app, argc, argv);
    try {
        judgeForeignOptions(app);
        arguments.write.weightQuantAsymmetric |= arguments.write.hqq;
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
