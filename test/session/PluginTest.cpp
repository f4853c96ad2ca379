// A plugin op end to end: its shape rule, its kernel, its attributes, between ops of the library.
#include <MNN/plugin/PluginKernel.hpp>
#include <MNN/plugin/PluginShapeInference.hpp>
#include "AllocationWatch.hpp"
#include "SessionTools.hpp"

namespace {

using namespace session_test;
using session_test::NetBuilder;

// y[n, 2 c] holds x[n, c] times `factor`, then x[n, c] as it is.
class DoubledShape final : public plugin::InferShapeKernel {
public:
    bool compute(plugin::InferShapeContext* ctx) override {
        const Tensor* x = ctx->input(0);
        if (x == nullptr || x->dimensions() != 2) return false;
        auto& y = ctx->output(0)->buffer();
        y.dimensions = 2;
        y.dim[0].extent = x->length(0);
        y.dim[1].extent = 2 * x->length(1);
        y.type = x->getType();
        return true;
    }
};

class DoubledKernel final : public plugin::CPUComputeKernel {
public:
    bool init(plugin::CPUKernelContext* ctx) override {
        if (!ctx->hasAttr("factor")) return false;
        mFactor = ctx->getAttr("factor")->f();
        return true;
    }
    bool resize(plugin::CPUKernelContext* ctx) override {
        mColumns = ctx->input(0)->length(1);
        return mColumns < 100;
    }
    bool compute(plugin::CPUKernelContext* ctx) override {
        const float* x = ctx->input(0)->host<float>();
        float* y = ctx->output(0)->host<float>();
        for (int n = 0; n < ctx->input(0)->length(0); ++n) {
            for (int c = 0; c < mColumns; ++c) {
                y[2 * n * mColumns + c] = mFactor * x[n * mColumns + c];
                y[(2 * n + 1) * mColumns + c] = x[n * mColumns + c];
            }
        }
        return true;
    }

private:
    float mFactor = 0.0f;
    int mColumns = 0;
};

REGISTER_PLUGIN_OP(SessionTestDoubled, DoubledShape)
REGISTER_PLUGIN_COMPUTE_KERNEL(SessionTestDoubled, DoubledKernel)

NetBuilder withPlugin(const char* type, const char* attribute) {
    NetBuilder net;
    net.input("x", {2, 3});
    net.permute("t", {1, 0}, "x");
    auto* param = new PluginT;
    param->type = type;
    std::unique_ptr<AttributeT> factor(new AttributeT);
    factor->key = attribute;
    factor->f = 10.0f;
    param->attr.push_back(std::move(factor));
    net.add(OpType_Plugin, "p", {"t"}, OpParameter_Plugin, param);
    net.unary("y", UnaryOpOperation_NEG, "p");
    net.output("y");
    return net;
}

TEST(PluginOp, RunsBetweenOpsOfTheLibrary) {
    auto interpreter = withPlugin("SessionTestDoubled", "factor").interpreter();
    Session* session = interpreter->createSession(threads(1));
    ASSERT_NE(session, nullptr);
    Tensor* x = interpreter->getSessionInput(session, "x");
    for (int rows : {2, 4, 1}) {
        interpreter->resizeTensor(x, {rows, 3});
        interpreter->resizeSession(session);
        fill(x, iota(3 * rows));
        ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
        Tensor* y = interpreter->getSessionOutput(session, "y");
        ASSERT_EQ(y->shape(), (std::vector<int>{3, 2 * rows}));
        const std::vector<float> have = floats(y);
        for (int n = 0; n < 3; ++n) {
            for (int c = 0; c < rows; ++c) {
                EXPECT_EQ(have[2 * n * rows + c], -10.0f * static_cast<float>(c * 3 + n));
                EXPECT_EQ(have[(2 * n + 1) * rows + c], -static_cast<float>(c * 3 + n));
            }
        }
    }
    if (canWatchAllocations()) {
        AllocationWatch watch;
        const ErrorCode code = interpreter->runSession(session);
        EXPECT_EQ(watch.count(), 0u);
        EXPECT_EQ(code, NO_ERROR);
    }
    Messages log;
    interpreter->resizeTensor(x, {100, 3});
    interpreter->resizeSession(session);
    EXPECT_NE(interpreter->runSession(session), NO_ERROR);
    EXPECT_TRUE(log.mention("'p'")) << log.text();
}

TEST(PluginOp, WithoutARuleOrAnAttributeIsRefusedByName) {
    Messages log;
    EXPECT_EQ(withPlugin("NobodyRegisteredThis", "factor").interpreter()->createSession(threads(1)), nullptr);
    EXPECT_TRUE(log.mention("NobodyRegisteredThis")) << log.text();
    log.clear();
    EXPECT_EQ(withPlugin("SessionTestDoubled", "other").interpreter()->createSession(threads(1)), nullptr);
    EXPECT_TRUE(log.mention("'p'")) << log.text();
}

}  // namespace
