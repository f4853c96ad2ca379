// A model and one session of it, as the subcommands use them.
#ifndef MNN_TOOLS_LOADEDMODEL_HPP
#define MNN_TOOLS_LOADEDMODEL_HPP

#include <CLI/CLI.hpp>
#include <MNN/Interpreter.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>
#include "Array.hpp"

namespace MNN {
class Session;
}

namespace mnn_tools {

// The options that every subcommand which runs a model has.
struct SessionOptions {
    std::string backend = "cpu";
    int threads = 1;
    std::string precision = "high";
    std::vector<std::string> shapes;  // NAME=1x3x224x224
    void addTo(CLI::App* command);
};

class LoadedModel {
public:
    // Times in microseconds. Throws std::runtime_error.
    LoadedModel(const std::string& path, const SessionOptions& options);
    LoadedModel(const void* buffer, size_t size, const SessionOptions& options);

    MNN::Interpreter* interpreter() const { return mInterpreter.get(); }
    MNN::Session* session() const { return mSession; }
    // Gives inputs these arrays: resizes where shapes differ, then copies. Unnamed inputs of the model are an error.
    void setInputs(const std::map<std::string, Array>& inputs);
    // Fills every input with seeded values: floats in [-1, 1), integers 0..3.
    void setRandomInputs(unsigned seed);
    void run();

    uint64_t loadUs() const { return mLoadUs; }
    uint64_t createUs() const { return mCreateUs; }

private:
    void create(const SessionOptions& options);
    struct Destroy {
        void operator()(MNN::Interpreter* net) const { MNN::Interpreter::destroy(net); }
    };
    std::unique_ptr<MNN::Interpreter, Destroy> mInterpreter;
    MNN::Session* mSession = nullptr;
    uint64_t mLoadUs = 0, mCreateUs = 0;
};

// The backend of this name. Throws std::runtime_error.
MNNForwardType backendNamed(const std::string& name);
// low, normal or high.
MNN::BackendConfig::PrecisionMode precisionNamed(const std::string& name);
// "1x3x224x224" to sizes. Throws std::runtime_error.
std::vector<int> parseShape(const std::string& text);
// A file name for a tensor: characters that a file system refuses become '_'.
std::string fileName(const std::string& name);
// All .mnn files of a list of files and folders.
std::vector<std::string> modelFiles(const std::vector<std::string>& paths);

}  // namespace mnn_tools
#endif
