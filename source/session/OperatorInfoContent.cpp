#include "session/OperatorInfoContent.hpp"

namespace MNN {

OperatorInfo::OperatorInfo() : mContent(new Info) {}
OperatorInfo::~OperatorInfo() { delete mContent; }
const std::string& OperatorInfo::name() const { return mContent->name; }
const std::string& OperatorInfo::type() const { return mContent->type; }
float OperatorInfo::flops() const { return mContent->flops; }

OperatorInfoContent::OperatorInfoContent(const Step& step) {
    const Command& command = *step.command;
    const Op* source = command.source != nullptr ? command.source : command.op;
    if (source != nullptr && source->name() != nullptr) mContent->name = source->name()->str();
    if (command.op != nullptr) mContent->type = EnumNameOpType(command.op->type());
    mContent->flops = step.flops;
}

}  // namespace MNN
