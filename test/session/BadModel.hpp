// Feeds bytes that may be no model to everything that reads one. For the test of bad models and the fuzz target.
#ifndef MNN_TEST_BADMODEL_HPP
#define MNN_TEST_BADMODEL_HPP

#include <MNN/Interpreter.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>
#include "MNN_generated.h"

namespace bad_model {

// Inputs larger than this are left without values: the point is to crash, not to compute.
constexpr int kMostElements = 1 << 16;

inline void fillInputs(MNN::Interpreter* interpreter, MNN::Session* session) {
    for (const auto& input : interpreter->getSessionInputAll(session)) {
        MNN::Tensor* tensor = input.second;
        const auto shape = tensor->shape();
        if (std::any_of(shape.begin(), shape.end(), [](int n) { return n < 0; })) {
            std::vector<int> dims = shape;
            for (int& n : dims) n = std::max(n, 1);
            interpreter->resizeTensor(tensor, dims);
        }
    }
    interpreter->resizeSession(session);
    for (const auto& input : interpreter->getSessionInputAll(session)) {
        if (input.second->elementSize() > kMostElements) continue;
        MNN::Tensor host(input.second, MNN::Tensor::CAFFE, true);
        if (host.host<void>() == nullptr) continue;
        std::fill_n(host.host<uint8_t>(), host.usize(), uint8_t(0));
        input.second->copyFromHostTensor(&host);
    }
}

inline bool createAndRun(MNN::Interpreter* interpreter) {
    MNN::ScheduleConfig config;
    config.numThread = 1;
    MNN::Session* session = interpreter->createSession(config);
    if (session == nullptr) return false;
    fillInputs(interpreter, session);
    if (interpreter->runSession(session) != MNN::NO_ERROR) return false;
    for (const auto& output : interpreter->getSessionOutputAll(session)) {
        if (output.second->elementSize() > kMostElements) continue;
        MNN::Tensor host(output.second, MNN::Tensor::CAFFE, true);
        if (host.host<void>() != nullptr) output.second->copyToHostTensor(&host);
    }
    return true;
}

}  // namespace bad_model
#endif
