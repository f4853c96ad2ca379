// libFuzzer target: any text as a net in JSON is read or refused with a ConvertError.
#include "writer/NetJson.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        MNN::Converter::parseNetJson(std::string(reinterpret_cast<const char*>(data), size), "input");
    } catch (const MNN::Converter::ConvertError&) {
    }
    return 0;
}
