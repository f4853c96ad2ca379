// The command line of MNNConvert.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "onnx/OnnxImport.hpp"
#include "writer/ModelWriter.hpp"

namespace MNN {
namespace Converter {

struct Arguments {
    std::string framework, modelFile, output, jsonFile;
    std::string testFolder, testConfig, inputConfig, compressionPlan;
    double threshold = 0.01;
    int optimizeLevel = 1;
    bool info = false, listOps = false, dumpPass = false;
    bool geluApproximation = false, matmulToConv = true;
    ImportOptions import;
    WriteOptions write;
};

// Declares the options. `app` and `a` must stay where they are until the command line is parsed.
void declareOptions(CLI::App& app, Arguments& a);

// Of the options that other converters of this format take: throws ConvertError for those that cannot be honoured, and
// names those that change nothing in one line on standard error.
void judgeForeignOptions(const CLI::App& app);

// A file of `input_names = a,b` and `input_dims = 1x3x224x224,1x10`: sizes of inputs, by name.
std::map<std::string, Dims> readInputConfig(const std::string& path);

}  // namespace Converter
}  // namespace MNN
