// Detection ops behind convolutions: their inputs are packed images, which the op sees row-major.
#include "SessionTools.hpp"

namespace {

using namespace session_test;
using session_test::NetBuilder;

// Two priors, two classes; a 1x1 convolution that keeps its input makes locations and scores.
TEST(DetectionSession, ReadsWhatConvolutionsMake) {
    constexpr int kLocations = 8, kScores = 4;
    const auto keep = [](int n) {
        std::vector<float> weight(n * n, 0.0f);
        for (int i = 0; i < n; ++i) weight[i * n + i] = 1.0f;
        return weight;
    };
    NetBuilder net;
    net.input("locations", {1, kLocations, 1, 1});
    net.input("scores", {1, kScores, 1, 1});
    net.constant("priors", {1, 2, 8}, {0.0f, 0.0f, 0.5f, 0.5f, 0.5f, 0.25f, 1.0f, 0.75f, 1, 1, 1, 1, 1, 1, 1, 1});
    net.convolution("l", "locations", kLocations, kLocations, 1, 0, 1, keep(kLocations),
                    std::vector<float>(kLocations, 0.0f));
    net.convolution("s", "scores", kScores, kScores, 1, 0, 1, keep(kScores), std::vector<float>(kScores, 0.0f));
    auto* param = new DetectionOutputT;
    param->classCount = 2;
    param->keepTopK = 3;
    param->nmsTopK = -1;
    param->nmsThresholdold = 0.5f;
    param->confidenceThreshold = 0.1f;
    param->shareLocation = 1;
    param->codeType = 2;
    net.add(OpType_DetectionOutput, "y", {"l", "s", "priors"}, OpParameter_DetectionOutput, param);
    net.output("y");
    const auto interpreter = net.interpreter();
    Session* session = interpreter->createSession(threads(2));
    ASSERT_NE(session, nullptr);
    fill(interpreter->getSessionInput(session, "locations"), {0, 0, 0, 0, 0.5f, 0, 0, 0});
    fill(interpreter->getSessionInput(session, "scores"), {0.75f, 0.25f, 0.5f, 0.5f});
    ASSERT_EQ(interpreter->runSession(session), NO_ERROR);
    EXPECT_EQ(floats(interpreter->getSessionOutput(session, "y")),
              (std::vector<float>{1, 0.5f, 0.75f, 0.25f, 1.25f, 0.75f,  //
                                  1, 0.25f, 0, 0, 0.5f, 0.5f,           //
                                  -1, 0, 0, 0, 0, 0}));
}

}  // namespace
