#include "writer/ModelInfo.hpp"

#include <cstdio>
#include <map>

#include "writer/ModelWriter.hpp"

namespace MNN {
namespace Converter {

void printModelInfo(const std::string& path) {
    const std::unique_ptr<NetT> net = readNet(path);
    std::map<std::string, int> counts;
    eachOp(*net, [&](const OpT& op) { ++counts[EnumNameOpType(op.type)]; });
    for (const auto& op : net->oplists) {
        const InputT* input = op->main.AsInput();
        if (!input || op->outputIndexes.empty()) continue;
        const size_t at = static_cast<size_t>(op->outputIndexes[0]);
        std::printf("input  %s %s %s\n", at < net->tensorName.size() ? net->tensorName[at].c_str() : op->name.c_str(),
                    describe(input->dims).c_str(), EnumNameDataType(input->dtype));
    }
    for (const std::string& name : net->outputName) std::printf("output %s\n", name.c_str());
    std::printf("version %s\nbizCode %s\n", net->extraInfo ? net->extraInfo->version.c_str() : "",
                net->bizCode.c_str());
    for (const auto& entry : counts) std::printf("op %-24s %d\n", entry.first.c_str(), entry.second);
    if (!net->extraInfo || net->extraInfo->buffer.empty()) return;
    const auto* bytes = reinterpret_cast<const uint8_t*>(net->extraInfo->buffer.data());
    flatbuffers::Verifier verifier(bytes, net->extraInfo->buffer.size());
    if (!verifier.VerifyBuffer<Extra>(nullptr)) return;
    std::unique_ptr<ExtraT> meta(flatbuffers::GetRoot<Extra>(bytes)->UnPack());
    for (const auto& attr : meta->attr) std::printf("meta %s = %s\n", attr->key.c_str(), attr->s.c_str());
}

}  // namespace Converter
}  // namespace MNN
