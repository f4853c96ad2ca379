// Nets as the writer gets them, and what the engine makes of them.
#pragma once

#include <MNN/Interpreter.hpp>
#include <MNN/Tensor.hpp>
#include <cmath>

#include "OnnxModels.hpp"

namespace MNN {
namespace Converter {

inline std::vector<float> wave(size_t count) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = std::sin(static_cast<float>(i)) * 2.0f - 0.3f;
    return values;
}

inline std::vector<uint8_t> packed(const NetT& net) {
    flatbuffers::FlatBufferBuilder builder;
    builder.ForceDefaults(true);
    builder.Finish(Net::Pack(builder, &net));
    return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

inline std::string typesOf(const NetT& net) {
    std::string text;
    for (const auto& op : net.oplists) {
        if (op->type != OpType_Const && op->type != OpType_Input) text += std::string(EnumNameOpType(op->type)) + " ";
    }
    return text;
}

// Output y for waves as input x of this shape; empty when the engine refuses.
inline std::vector<float> runNet(const NetT& net, const std::vector<int>& shape) {
    const std::vector<uint8_t> bytes = packed(net);
    std::unique_ptr<Interpreter> interpreter(Interpreter::createFromBuffer(bytes.data(), bytes.size()));
    Session* session = interpreter ? interpreter->createSession(ScheduleConfig()) : nullptr;
    if (!session) return {};
    Tensor* x = interpreter->getSessionInput(session, "x");
    interpreter->resizeTensor(x, shape);
    interpreter->resizeSession(session);
    Tensor input(x, Tensor::CAFFE);
    const std::vector<float> values = wave(static_cast<size_t>(input.elementSize()));
    std::copy(values.begin(), values.end(), input.host<float>());
    x->copyFromHostTensor(&input);
    if (interpreter->runSession(session) != NO_ERROR) return {};
    Tensor* y = interpreter->getSessionOutput(session, "y");
    Tensor output(y, Tensor::CAFFE);
    y->copyToHostTensor(&output);
    return {output.host<float>(), output.host<float>() + output.elementSize()};
}

}  // namespace Converter
}  // namespace MNN
