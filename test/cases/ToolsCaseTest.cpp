// Case S4: the commands say what is wrong, exit non-zero and leave no file behind.
#include "OnnxBuilder.hpp"
#include "Process.hpp"

namespace {

using namespace cases;
using namespace mnn_test;

std::string convertCommand(const std::string& in, const std::string& out) {
    return "-f ONNX --modelFile " + shellQuoted(in) + " --MNNModel " + shellQuoted(out) + " --bizCode test";
}

TEST(CaseS4, EveryUnknownOpIsListedAndNothingIsWritten) {
    TestModel m(13);
    m.input("x", {2}).output("y");
    m.node("Frobnicate", {"x"}, {"a"});
    m.node("Relu", {"a"}, {"b"});
    m.node("Frobnicate", {"x"}, {"c"});
    m.node("Wibble", {"b"}, {"d"});
    m.node("Sum", {"c", "d"}, {"y"});
    const Folder folder("mnn_case_s4"), out("mnn_case_s4_out");
    const Ended ended = runProcess(
        MNN_CONVERT_COMMAND, convertCommand(folder.write("m.onnx", m.model.proto.SerializeAsString()), out / "m.mnn"));
    EXPECT_FALSE(ended.crashed);
    EXPECT_NE(ended.status, 0);
    for (const char* part : {"3 node(s)", "Frobnicate 'Frobnicate_1'", "Frobnicate 'Frobnicate_3'", "Wibble 'Wibble_4'",
                             "Frobnicate x2", "Wibble x1"}) {
        EXPECT_TRUE(ended.mentions(part)) << part << " in: " << ended.text;
    }
    EXPECT_TRUE(out.empty());
}

TEST(CaseS4, AFailedConversionKeepsTheOldFile) {
    TestModel m(13);
    m.input("x", {2}).output("y");
    m.node("Frobnicate", {"x"}, {"y"});
    const Folder folder("mnn_case_s4");
    folder.write("m.mnn", "before");
    EXPECT_NE(runProcess(MNN_CONVERT_COMMAND,
                         convertCommand(folder.write("m.onnx", m.model.proto.SerializeAsString()), folder / "m.mnn"))
                  .status,
              0);
    EXPECT_EQ(folder.read("m.mnn"), "before");
}

TEST(CaseS4, AnOutputThatCannotBeWritten) {
    TestModel m(13);
    m.input("x", {2}).output("y");
    m.node("Relu", {"x"}, {"y"});
    const Folder folder("mnn_case_s4");
    const Ended ended =
        runProcess(MNN_CONVERT_COMMAND,
                   convertCommand(folder.write("m.onnx", m.model.proto.SerializeAsString()), folder / "no/such/m.mnn"));
    EXPECT_NE(ended.status, 0);
    EXPECT_TRUE(ended.mentions("no/such/m.mnn")) << ended.text;
}

TEST(CaseS4, TheCheckerSaysHowMuchItComparedAndRefusesAThresholdOfOne) {
    TestModel m(13);
    m.input("x", {2}).output("y");
    m.node("Neg", {"x"}, {"y"});
    const Folder folder("mnn_case_s4");
    folder.write("input.json", R"({"inputs": [{"name": "x", "shape": [2]}], "outputs": ["y"]})");
    folder.write("x.txt", "1 2\n");
    const std::string command =
        convertCommand(folder.write("m.onnx", m.model.proto.SerializeAsString()), folder / "m.mnn") + " --testdir " +
        shellQuoted(folder / "");
    folder.write("y.txt", "-1 -2\n");
    const Ended right = runProcess(MNN_CONVERT_COMMAND, command);
    EXPECT_EQ(right.status, 0) << right.text;
    EXPECT_TRUE(right.mentions("y: 2 values compared")) << right.text;
    EXPECT_NE(runProcess(MNN_CONVERT_COMMAND, command + " --thredhold 1").status, 0);
    EXPECT_NE(runProcess(MNN_CONVERT_COMMAND, command + " --thredhold nan").status, 0);
    for (const char* wrong : {"-1 2\n", "-1 nan\n", "-1\n", ""}) {
        folder.write("y.txt", wrong);
        const Ended ended = runProcess(MNN_CONVERT_COMMAND, command);
        EXPECT_NE(ended.status, 0) << wrong << ended.text;
        EXPECT_TRUE(ended.mentions("TESTERROR")) << ended.text;
    }
}

TEST(CaseS4, TheEngineRefusesWhatIsNoModel) {
    const Folder folder("mnn_case_s4");
    for (const std::string& content : {std::string(), std::string(8, '\0'), std::string("\x18\0\0\0TFL3", 8)}) {
        for (const char* command : {"run", "bench", "profile", "inspect"}) {
            const Ended ended =
                runProcess(MNN_COMMAND, std::string(command) + " " + shellQuoted(folder.write("m.mnn", content)));
            EXPECT_FALSE(ended.crashed) << command << ended.text;
            EXPECT_NE(ended.status, 0) << command << ended.text;
            EXPECT_NE(ended.text, "");
        }
    }
}

}  // namespace
