#include "onnx/ExternalData.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "graph/Graph.hpp"

namespace MNN {
namespace Converter {

namespace fs = std::filesystem;

namespace {

bool inside(const fs::path& file, const fs::path& folder) {
    auto f = file.begin();
    for (auto d = folder.begin(); d != folder.end(); ++d, ++f) {
        if (f == file.end() || *f != *d) return false;
    }
    return f != file.end();
}

uint64_t number(const std::string& text, const char* key, const std::string& where) {
    if (text.empty()) return 0;
    uint64_t value = 0;
    for (char c : text) {
        if (c < '0' || c > '9' || value > (UINT64_MAX >> 4) / 10)
            throw ConvertError(where + ": external data " + key + " '" + text + "' is not a valid number");
        value = value * 10 + static_cast<uint64_t>(c - '0');
    }
    return value;
}

fs::path resolve(const std::string& location, const std::string& modelPath, const std::string& where) {
    const fs::path relative(location);
    if (location.empty() || relative.is_absolute())
        throw ConvertError(where + ": external data location '" + location + "' must be a path relative to the model");
    std::error_code error;
    const fs::path model = fs::absolute(modelPath, error);
    const fs::path file = fs::canonical(model.parent_path() / relative, error);
    if (error)
        throw ConvertError(where + ": external data file '" + location + "' is missing beside '" + modelPath + "'");
    const fs::path own = fs::canonical(model.parent_path(), error);
    const fs::path linked = fs::canonical(model, error).parent_path();
    for (const fs::path& part : relative) {
        if (part == "..")
            throw ConvertError(where + ": external data location '" + location + "' leaves the model's folder");
    }
    if (!inside(file, own) && (linked.empty() || !inside(file, linked)))
        throw ConvertError(where + ": external data location '" + location + "' leaves the model's folder");
    if (!fs::is_regular_file(file, error))
        throw ConvertError(where + ": external data '" + location + "' is not a file");
    return file;
}

}  // namespace

std::string readExternalData(const onnx::TensorProto& tensor, const std::string& modelPath, size_t needed,
                             const std::string& where) {
    std::string location, offsetText, lengthText;
    for (const auto& entry : tensor.external_data()) {
        if (entry.key() == "location") location = entry.value();
        if (entry.key() == "offset") offsetText = entry.value();
        if (entry.key() == "length") lengthText = entry.value();
    }
    if (modelPath.empty()) throw ConvertError(where + ": external data needs the model to be a file");
    const fs::path path = resolve(location, modelPath, where);
    const uint64_t offset = number(offsetText, "offset", where);
    const uint64_t length = lengthText.empty() ? needed : number(lengthText, "length", where);
    std::error_code error;
    const uint64_t size = fs::file_size(path, error);
    if (error || offset > size || length > size - offset || length != needed)
        throw ConvertError(where + ": needs " + std::to_string(needed) + " bytes at offset " + std::to_string(offset) +
                           " of '" + location + "', which holds " + std::to_string(error ? 0 : size) +
                           " (declared length " + std::to_string(length) + ")");
    std::ifstream file(path, std::ios::binary);
    std::string bytes(needed, '\0');
    file.seekg(static_cast<std::streamoff>(offset));
    if (needed > 0 && !file.read(&bytes[0], static_cast<std::streamsize>(needed)))
        throw ConvertError(where + ": cannot read external data '" + location + "'");
    return bytes;
}

}  // namespace Converter
}  // namespace MNN
