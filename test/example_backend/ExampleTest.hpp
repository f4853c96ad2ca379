// A session on the example backend, and what its tests share.
#ifndef EXAMPLE_TEST_HPP
#define EXAMPLE_TEST_HPP

#include <gtest/gtest.h>
#include <cstring>
#include <numeric>
#include "ExampleBackend.hpp"
#include "NetBuilder.hpp"

namespace example_test {

using namespace MNN;
using mnn_test::fill;
using mnn_test::floats;
using mnn_test::NetBuilder;

inline std::vector<float> iota(int n, float first = 0.0f) {
    std::vector<float> v(n);
    std::iota(v.begin(), v.end(), first);
    return v;
}

struct Device {
    explicit Device(NetBuilder& net) : interpreter(net.interpreter()) {
        static const bool added = example::addExampleBackend();
        EXPECT_TRUE(added);
        if (interpreter == nullptr) return;
        ScheduleConfig config;
        config.type = MNN_FORWARD_USER_0;
        runtimes = Interpreter::createRuntime({config});
        session = interpreter->createSession(config, runtimes);
    }
    example::ExampleRuntime* runtime() {
        return static_cast<example::ExampleRuntime*>(runtimes.first[MNN_FORWARD_USER_0].get());
    }
    example::Counters& counters() { return runtime()->counters(); }
    // Keeps the count of mistakes.
    void clear() {
        const int unleased = counters().unleased;
        counters() = example::Counters();
        counters().unleased = unleased;
    }
    Tensor* input(const char* name) { return interpreter->getSessionInput(session, name); }
    Tensor* output(const char* name) { return interpreter->getSessionOutput(session, name); }
    ErrorCode run() { return interpreter->runSession(session); }
    void expectSound() {
        EXPECT_EQ(counters().unleased, 0);
        EXPECT_EQ(runtime()->memory().faults, 0);
    }

    std::unique_ptr<Interpreter> interpreter;
    RuntimeInfo runtimes;
    Session* session = nullptr;
};

// b = -a for tensors of 2 images, 5 channels, 12 places; pads of CAFFE_C4 do not count.
inline void expectNegatedChannels(const Tensor& a, const Tensor& b, Tensor::DimensionType layout) {
    for (int n = 0; n < 2; ++n) {
        for (int c = 0; c < 5; ++c) {
            for (int s = 0; s < 12; ++s) {
                int at = (n * 5 + c) * 12 + s;
                if (layout == Tensor::TENSORFLOW) at = (n * 12 + s) * 5 + c;
                if (layout == Tensor::CAFFE_C4) at = ((n * 2 + c / 4) * 12 + s) * 4 + c % 4;
                ASSERT_EQ(b.host<float>()[at], -a.host<float>()[at])
                    << "image " << n << " channel " << c << " place " << s;
            }
        }
    }
}

}  // namespace example_test
#endif
