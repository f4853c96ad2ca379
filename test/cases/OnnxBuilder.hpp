// ONNX models made in code, converted in memory and run: every case at optimisation level 0 and the default, with 1 and
// 4 threads.
#pragma once

#include <MNN/Interpreter.hpp>
#include <MNN/Tensor.hpp>
#include <gtest/gtest.h>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>
#include "converter/OnnxModels.hpp"
#include "session/SessionTools.hpp"

namespace cases {

using MNN::Interpreter;
using MNN::Session;
using MNN::Tensor;
using MNN::Converter::attr;
using MNN::Converter::attribute;
using MNN::Converter::ConvertError;
using MNN::Converter::TestModel;
using session_test::Messages;
using session_test::wave;

constexpr int kDefaultLevel = 1;

// Row-major values with their shape, whatever the element type.
struct Data {
    std::vector<int> shape;
    std::vector<double> values;
};
using Named = std::map<std::string, Data>;

inline int64_t countOf(const std::vector<int>& shape) {
    int64_t n = 1;
    for (int length : shape) n *= length;
    return n;
}

inline Data data(std::vector<int> shape, std::vector<double> values) { return {std::move(shape), std::move(values)}; }
inline Data filled(std::vector<int> shape, double value) {
    const auto n = static_cast<size_t>(countOf(shape));
    return {std::move(shape), std::vector<double>(n, value)};
}
// first, first + 1, ...
inline Data ramp(std::vector<int> shape, double first = 0) {
    Data d = filled(std::move(shape), first);
    for (size_t i = 0; i < d.values.size(); ++i) d.values[i] += static_cast<double>(i);
    return d;
}
inline Data waves(std::vector<int> shape, float phase = 0) {
    const std::vector<float> v = wave(static_cast<int>(countOf(shape)), phase);
    return {std::move(shape), std::vector<double>(v.begin(), v.end())};
}

// Throws ConvertError.
inline std::vector<uint8_t> convert(const TestModel& m, int level) {
    using namespace MNN::Converter;
    Graph graph = importOnnx(m.model, ImportOptions());
    optimize(graph, level, false);
    const auto net = toNet(graph, WriteOptions());
    flatbuffers::FlatBufferBuilder builder;
    builder.ForceDefaults(true);
    builder.Finish(MNN::Net::Pack(builder, net.get()));
    return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

template <typename T>
void storeAs(const Data& from, Tensor* to) {
    for (size_t i = 0; i < from.values.size(); ++i) to->host<T>()[i] = static_cast<T>(from.values[i]);
}
template <typename T>
void loadAs(const Tensor& from, Data* to) {
    for (int64_t i = 0; i < countOf(to->shape); ++i) to->values.push_back(static_cast<double>(from.host<T>()[i]));
}

inline void put(Tensor* tensor, const Data& d) {
    Tensor host(tensor, Tensor::CAFFE);
    ASSERT_EQ(static_cast<size_t>(host.elementSize()), d.values.size());
    const halide_type_t type = host.getType();
    if (type.code == halide_type_float)
        storeAs<float>(d, &host);
    else if (type.code == halide_type_uint)
        storeAs<uint8_t>(d, &host);
    else if (type.bits == 8)
        storeAs<int8_t>(d, &host);
    else
        storeAs<int32_t>(d, &host);
    ASSERT_TRUE(tensor->copyFromHostTensor(&host));
}

inline Data take(const Tensor* tensor) {
    Tensor host(tensor, Tensor::CAFFE);
    EXPECT_TRUE(tensor->copyToHostTensor(&host));
    Data d{host.shape(), {}};
    const halide_type_t type = host.getType();
    if (type.code == halide_type_float)
        loadAs<float>(host, &d);
    else if (type.code == halide_type_uint)
        loadAs<uint8_t>(host, &d);
    else if (type.bits == 8)
        loadAs<int8_t>(host, &d);
    else
        loadAs<int32_t>(host, &d);
    return d;
}

// A converted model with one session.
class Engine {
public:
    explicit Engine(const std::vector<uint8_t>& model, int threads = 1)
        : mNet(Interpreter::createFromBuffer(model.data(), model.size()), Interpreter::destroy) {
        if (mNet != nullptr) mSession = mNet->createSession(session_test::threads(threads));
    }
    bool ready() const { return mSession != nullptr; }
    Interpreter* net() const { return mNet.get(); }
    Session* session() const { return mSession; }
    Tensor* input(const char* name) const { return mNet->getSessionInput(mSession, name); }
    Tensor* output(const char* name) const { return mNet->getSessionOutput(mSession, name); }

    // Resizes to the inputs' shapes, copies them in and runs. What the engine refuses comes back as its error code.
    MNN::ErrorCode run(const Named& inputs) const {
        for (const auto& in : inputs) {
            Tensor* tensor = input(in.first.c_str());
            EXPECT_NE(tensor, nullptr) << in.first;
            if (tensor == nullptr) return MNN::INVALID_VALUE;
            mNet->resizeTensor(tensor, in.second.shape);
        }
        mNet->resizeSession(mSession);
        int status = 0;
        mNet->getSessionInfo(mSession, Interpreter::RESIZE_STATUS, &status);
        if (status == 2) return MNN::INVALID_VALUE;
        for (const auto& in : inputs) put(input(in.first.c_str()), in.second);
        return mNet->runSession(mSession);
    }
    Data get(const char* name) const { return take(output(name)); }

private:
    std::unique_ptr<Interpreter, void (*)(Interpreter*)> mNet;
    Session* mSession = nullptr;
};

inline void expectNear(const Data& got, const Data& want, double relative = 1e-4) {
    EXPECT_EQ(got.shape, want.shape);
    ASSERT_EQ(got.values.size(), want.values.size());
    for (size_t i = 0; i < want.values.size(); ++i) {
        ASSERT_NEAR(got.values[i], want.values[i], 1e-6 + relative * std::fabs(want.values[i])) << "element " << i;
    }
}

// Runs `check` on the model at both levels and both thread counts, after a run that succeeded.
template <typename Check>
void everyWay(const TestModel& m, const Named& inputs, Check check) {
    for (int level : {0, kDefaultLevel}) {
        for (int threads : {1, 4}) {
            SCOPED_TRACE("level " + std::to_string(level) + ", " + std::to_string(threads) + " thread(s)");
            Messages log;
            std::vector<uint8_t> bytes;
            ASSERT_NO_THROW(bytes = convert(m, level));
            const Engine engine(bytes, threads);
            ASSERT_TRUE(engine.ready()) << log.text();
            ASSERT_EQ(engine.run(inputs), MNN::NO_ERROR) << log.text();
            check(engine);
        }
    }
}

inline void expectOutputs(const TestModel& m, const Named& inputs, const Named& wanted) {
    everyWay(m, inputs, [&](const Engine& engine) {
        for (const auto& want : wanted) {
            SCOPED_TRACE(want.first);
            ASSERT_NE(engine.output(want.first.c_str()), nullptr);
            expectNear(engine.get(want.first.c_str()), want.second);
        }
    });
}

}  // namespace cases
