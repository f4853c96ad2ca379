#include "writer/CompressionPlan.hpp"

#include <fstream>

#include <nlohmann/json.hpp>

#include "writer/TempFile.hpp"

namespace MNN {
namespace Converter {

namespace {

using Json = nlohmann::ordered_json;

// Protobuf's JSON names a field in camelCase or as the message spells it.
const Json* field(const Json& object, const char* camel, const char* snake) {
    if (!object.is_object()) throw ConvertError("an object is wanted");
    for (const char* key : {camel, snake}) {
        const auto found = object.find(key);
        if (found != object.end()) return &*found;
    }
    return nullptr;
}

template <class T>
T valueOf(const Json& object, const char* camel, const char* snake, T fallback) {
    const Json* found = field(object, camel, snake);
    return found ? found->get<T>() : fallback;
}

void readLayer(const Json& layer, CompressionPlan& plan) {
    const std::string name = valueOf<std::string>(layer, "opName", "op_name", "");
    const Json* weights = field(layer, "weight", "weight");
    if (name.empty() || !weights || weights->empty()) return;
    const Json& weight = weights->at(0);
    LayerPlan wanted;
    wanted.bits = valueOf(weight, "bits", "bits", wanted.bits);
    // An absent field has the message's default, which is not ours.
    wanted.asymmetric = valueOf(weight, "asymmetric", "asymmetric", false);
    wanted.blockSize = valueOf(weight, "blockSize", "block_size", 0);
    if (wanted.bits != 0 && (wanted.bits < 2 || wanted.bits > 8))
        throw ConvertError("layer '" + name + "' wants " + std::to_string(wanted.bits) + " bits; 2 to 8 are possible");
    plan.layers[name] = wanted;
}

void readAlgorithm(const Json& algorithm, CompressionPlan& plan) {
    const Json* type = field(algorithm, "type", "type");
    // The first value of an enum may be left out.
    const bool quantize = !type || *type == "QUANTIZE" || *type == 0;
    if (!quantize) throw ConvertError("channel pruning is not supported");
    const Json* params = field(algorithm, "quantParams", "quant_params");
    const Json* layers = params ? field(*params, "layer", "layer") : nullptr;
    if (!layers) return;
    for (const Json& layer : *layers) readLayer(layer, plan);
}

}  // namespace

CompressionPlan readCompressionPlan(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw ConvertError("cannot open '" + path + "'");
    try {
        const Json json = Json::parse(file);
        if (!valueOf(json, "forGuide", "for_guide", false))
            throw ConvertError(
                "integer activations (forGuide false) are not supported; a plan with forGuide true says how weights "
                "are "
                "stored");
        CompressionPlan plan;
        if (const Json* algorithms = field(json, "algo", "algo")) {
            for (const Json& algorithm : *algorithms) readAlgorithm(algorithm, plan);
        }
        return plan;
    } catch (const Json::exception& error) {
        throw ConvertError("'" + path + "' is no compression plan in JSON: " + error.what());
    } catch (const ConvertError& error) {
        throw ConvertError("compression plan '" + path + "': " + error.what());
    }
}

void writeCompressionPlan(const std::string& path, const NetT& net, const LayerPlan& fallback) {
    Json layers = Json::array();
    for (const auto& op : net.oplists) {
        const Convolution2DT* conv = op->main.AsConvolution2D();
        if (!conv || !conv->common || conv->weight.empty()) continue;
        const Convolution2DCommonT& c = *conv->common;
        const Json weight = {{"name", op->name},
                             {"bits", fallback.bits},
                             {"asymmetric", fallback.asymmetric},
                             {"blockSize", fallback.blockSize}};
        layers.push_back({{"weight", Json::array({weight})},
                          {"opName", op->name},
                          {"conv",
                           {{"inputChannel", c.inputCount},
                            {"outputChannel", c.outputCount},
                            {"kernelSize", {c.kernelX, c.kernelY}}}}});
    }
    const Json json = {{"version", MNN_CONVERTER_VERSION},
                       {"algo", Json::array({Json{{"type", "QUANTIZE"}, {"quantParams", {{"layer", layers}}}}})},
                       {"forGuide", true}};
    writeWholeFile(path, json.dump(1) + "\n");
}

}  // namespace Converter
}  // namespace MNN
