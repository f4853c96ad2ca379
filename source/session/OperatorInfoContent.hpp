// What callbacks learn about a step.
#ifndef MNN_SESSION_OPERATORINFOCONTENT_HPP
#define MNN_SESSION_OPERATORINFOCONTENT_HPP

#include <MNN/Interpreter.hpp>
#include <string>
#include "session/CommandList.hpp"

namespace MNN {

struct OperatorInfo::Info {
    std::string name;
    std::string type;
    float flops = 0.0f;
};

class OperatorInfoContent final : public OperatorInfo {
public:
    explicit OperatorInfoContent(const Step& step);
};

}  // namespace MNN
#endif
