// What session tests share.
#ifndef MNN_TEST_SESSIONTOOLS_HPP
#define MNN_TEST_SESSIONTOOLS_HPP

#include <gtest/gtest.h>
#include <MNN/Log.hpp>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>
#include "NetBuilder.hpp"

namespace session_test {

using namespace MNN;
using mnn_test::fill;
using mnn_test::floats;
using mnn_test::NetBuilder;

inline std::vector<float> iota(int n, float first = 0.0f) {
    std::vector<float> v(n);
    std::iota(v.begin(), v.end(), first);
    return v;
}

// Smooth values that are not all alike.
inline std::vector<float> wave(int n, float phase = 0.0f) {
    std::vector<float> v(n);
    for (int i = 0; i < n; ++i) v[i] = std::sin(0.37f * static_cast<float>(i) + phase);
    return v;
}

inline ScheduleConfig threads(int n) {
    ScheduleConfig config;
    config.numThread = n;
    return config;
}

// Collects messages while it lives.
class Messages {
public:
    Messages() {
        MNNSetLogCallback([](int, const char* message,
                             void* user) { static_cast<Messages*>(user)->mText += std::string(message) + "\n"; },
                          this);
    }
    ~Messages() { MNNSetLogCallback(nullptr, nullptr); }
    const std::string& text() const { return mText; }
    bool mention(const char* part) const { return mText.find(part) != std::string::npos; }
    void clear() { mText.clear(); }

private:
    std::string mText;
};

// Convolutions, views and element-wise ops on x [n, 3, h, w].
inline void smallImageNet(NetBuilder* net, int n = 1, int h = 8, int w = 8) {
    net->input("x", {n, 3, h, w});
    net->convolution("c1", "x", 3, 6, 3, 1, 1, wave(6 * 3 * 9), wave(6));
    net->unary("s", UnaryOpOperation_SIGMOID, "c1");
    net->convolution("c2", "s", 6, 6, 1, 0, 1, wave(36, 1.0f), wave(6, 1.0f));
    net->binary("sum", BinaryOpOperation_ADD, "c2", "s");
    net->concat("cat", 1, {"sum", "s"});
    net->convolution("c3", "cat", 12, 4, 3, 1, 2, wave(4 * 12 * 9, 2.0f), wave(4, 2.0f));
    net->permute("t", {0, 2, 3, 1}, "c3");
    net->binary("y", BinaryOpOperation_MUL, "t", "t");
    net->output("y");
}

}  // namespace session_test
#endif
