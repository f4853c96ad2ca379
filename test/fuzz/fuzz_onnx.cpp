// libFuzzer entry: any bytes either convert or are refused with a ConvertError.
#include "onnx/OnnxImport.hpp"
#include "passes/Passes.hpp"
#include "writer/ModelWriter.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace MNN::Converter;
    OnnxModel model;
    try {
        parseOnnx(data, size, model);
        Graph graph = importOnnx(model, ImportOptions());
        optimize(graph, 1, false);
        toNet(graph, WriteOptions());
    } catch (const ConvertError&) {
    }
    return 0;
}
