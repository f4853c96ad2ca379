// libFuzzer target: any bytes as a .npy file are read or refused.
#include <stdexcept>
#include "Array.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        mnn_tools::parseNpy(std::string(reinterpret_cast<const char*>(data), size), "input");
    } catch (const std::runtime_error&) {
    }
    return 0;
}
