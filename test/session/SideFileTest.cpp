// Parameters that lie in the side file of weights give what they give in the model.
#include <cstdio>
#include "SessionTools.hpp"
#include "core/platform/Platform.hpp"

namespace {

using namespace session_test;
using session_test::NetBuilder;

// Heads of four, normed with these gammas, which lie behind one other float in the side file.
NetBuilder ropeNet(const std::vector<float>& gammas, bool inSideFile) {
    NetBuilder net;
    net.input("q", {1, 2, 2, 4});
    net.input("k", {1, 2, 1, 4});
    net.constant("cos", {2, 4}, wave(8));
    net.constant("sin", {2, 4}, wave(8, 1.0f));
    auto* param = new MNN::RoPEParamT;
    for (int i = 0; i < 2; ++i) {
        auto& norm = i == 0 ? param->q_norm : param->k_norm;
        norm.reset(new MNN::LayerNormT);
        norm->useRMSNorm = true;
        norm->epsilon = 1e-3f;
        if (inSideFile) {
            norm->external = {4 + 16 * i, 16, 0};
        } else {
            norm->gamma.assign(gammas.begin() + 4 * i, gammas.begin() + 4 * i + 4);
        }
    }
    net.addMany(MNN::OpType_RoPE, "y", {"q", "k", "cos", "sin"}, {"y", "z"}, MNN::OpParameter_RoPEParam, param);
    net.output("y");
    net.output("z");
    return net;
}

std::vector<float> runRope(Interpreter* net) {
    Session* session = net->createSession(threads(1));
    if (session == nullptr) return {};
    fill(net->getSessionInput(session, "q"), wave(16, 2.0f));
    fill(net->getSessionInput(session, "k"), wave(8, 3.0f));
    EXPECT_EQ(net->runSession(session), NO_ERROR);
    std::vector<float> values = floats(net->getSessionOutput(session, "y"));
    for (float v : floats(net->getSessionOutput(session, "z"))) values.push_back(v);
    return values;
}

TEST(SideFile, HoldsTheNormsOfRope) {
    const std::vector<float> gammas = wave(8, 4.0f);
    std::vector<float> file = {77.0f};
    file.insert(file.end(), gammas.begin(), gammas.end());
    const std::string path = testing::TempDir() + "rope.weight";
    std::string why;
    ASSERT_TRUE(platform::writeFileAtomically(path.c_str(), file.data(), file.size() * sizeof(float), &why)) << why;
    const auto whole = ropeNet(gammas, false).interpreter(), split = ropeNet(gammas, true).interpreter();
    split->setExternalFile(path.c_str());
    const std::vector<float> want = runRope(whole.get());
    EXPECT_EQ(want.size(), 24u);
    EXPECT_EQ(runRope(split.get()), want);
    std::remove(path.c_str());
}

TEST(SideFile, ThatIsTooShortIsRefused) {
    const std::string path = testing::TempDir() + "short.weight";
    std::string why;
    ASSERT_TRUE(platform::writeFileAtomically(path.c_str(), "12345678", 8, &why)) << why;
    const auto split = ropeNet(wave(8), true).interpreter();
    split->setExternalFile(path.c_str());
    const Messages messages;
    EXPECT_EQ(split->createSession(threads(1)), nullptr);
    EXPECT_TRUE(messages.mention("past the end of the weight file")) << messages.text();
    std::remove(path.c_str());
}

}  // namespace
