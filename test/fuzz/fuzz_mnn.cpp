// libFuzzer target: any bytes as a .mnn model, loaded, prepared and run.
#include <MNN/Log.hpp>
#include "session/BadModel.hpp"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    MNNSetLogCallback([](int, const char*, void*) {}, nullptr);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::unique_ptr<MNN::Interpreter> interpreter(MNN::Interpreter::createFromBuffer(data, size));
    if (interpreter != nullptr) bad_model::createAndRun(interpreter.get());
    return 0;
}
