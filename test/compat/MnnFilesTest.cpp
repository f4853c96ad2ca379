// Files that MNN's own converter made (tools/oracle/make_mnn_goldens.py) load, and give the outputs that MNN gave.
#include <gtest/gtest.h>
#include <MNN/Interpreter.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include "MNN_generated.h"
#include "Npy.hpp"

namespace {

using namespace MNN;
using mnn_test::Npy;
namespace fs = std::filesystem;

std::vector<std::string> goldenFiles() {
    const fs::path root = fs::path(MNN_TEST_DATA) / "mnn";
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
        if (entry.path().extension() == ".mnn") files.push_back(fs::relative(entry.path(), root).generic_string());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string testName(const testing::TestParamInfo<std::string>& info) {
    std::string name = info.param.substr(0, info.param.size() - 4);
    std::replace(name.begin(), name.end(), '/', '_');
    return name;
}

void copyIn(const Npy& values, Tensor* tensor) {
    Tensor host(tensor, Tensor::CAFFE, true);
    ASSERT_EQ(host.shape(), values.shape);
    ASSERT_EQ(host.getType().code == halide_type_float, values.isFloat);
    const void* from = values.isFloat ? static_cast<const void*>(values.floats.data()) : values.ints.data();
    std::copy_n(static_cast<const char*>(from), host.size(), host.host<char>());
    ASSERT_TRUE(tensor->copyFromHostTensor(&host));
}

void expectOutput(const Tensor* tensor, const Npy& want, const std::string& name) {
    Tensor host(tensor, Tensor::CAFFE, true);
    ASSERT_TRUE(tensor->copyToHostTensor(&host)) << name;
    ASSERT_EQ(host.shape(), want.shape) << name;
    ASSERT_EQ(host.getType().code == halide_type_float, want.isFloat) << name;
    if (!want.isFloat) {
        EXPECT_EQ(std::vector<int32_t>(host.host<int32_t>(), host.host<int32_t>() + host.elementSize()), want.ints)
            << name;
        return;
    }
    // Sums in another order: an element may be off by a part of the largest one.
    float largest = 0.0f;
    for (float v : want.floats) largest = std::max(largest, std::fabs(v));
    for (size_t i = 0; i < want.floats.size(); ++i) {
        ASSERT_NEAR(host.host<float>()[i], want.floats[i], 1e-4f * std::fabs(want.floats[i]) + 2e-5f * largest)
            << name << " at " << i;
    }
}

class MnnFiles : public testing::TestWithParam<std::string> {
protected:
    fs::path path() const { return fs::path(MNN_TEST_DATA) / "mnn" / GetParam(); }

    // A model's inputs, at the sizes of the golden run.
    void giveInputs(Interpreter* net, Session* session) const {
        std::map<std::string, Npy> values;
        for (const auto& input : net->getSessionInputAll(session)) {
            Npy& value = values[input.first];
            ASSERT_TRUE(value.load((path().parent_path() / ("in." + input.first + ".npy")).string())) << input.first;
            if (input.second->shape() != value.shape) net->resizeTensor(input.second, value.shape);
        }
        net->resizeSession(session);
        for (const auto& input : net->getSessionInputAll(session)) copyIn(values[input.first], input.second);
    }

    void expectOutputs(Interpreter* net, Session* session) const {
        size_t checked = 0;
        for (const auto& output : net->getSessionOutputAll(session)) {
            Npy want;
            if (!want.load((path().parent_path() / (path().stem().string() + "." + output.first + ".npy")).string()))
                continue;
            ++checked;
            expectOutput(output.second, want, output.first);
        }
        EXPECT_GT(checked, 0u);
    }
};

TEST_P(MnnFiles, LoadAndGiveTheSameNumbers) {
    for (int threads : {1, 3}) {
        std::unique_ptr<Interpreter> net(Interpreter::createFromFile(path().string().c_str()));
        ASSERT_NE(net, nullptr);
        net->setSessionMode(Interpreter::Session_Resize_Defer);  // some files have no fixed sizes
        ScheduleConfig config;
        config.numThread = threads;
        BackendConfig backend;
        backend.precision = BackendConfig::Precision_High;
        config.backendConfig = &backend;
        Session* session = net->createSession(config);
        ASSERT_NE(session, nullptr);
        giveInputs(net.get(), session);
        ASSERT_EQ(net->runSession(session), NO_ERROR);
        expectOutputs(net.get(), session);
    }
}

INSTANTIATE_TEST_SUITE_P(Golden, MnnFiles, testing::ValuesIn(goldenFiles()), testName);

std::string codingOf(const Convolution2D* conv) {
    const IDSTQuan* quan = conv->quanParameter();
    const std::string where = conv->external() != nullptr ? "side file " : "";
    if (quan == nullptr) return where + "floats";
    const std::string scales = quan->scaleStorage() == ScaleStorageType_FP16 ? " half scales" : "";
    return where + "type " + std::to_string(quan->type()) + (quan->readType() > 0 ? " asymmetric" : "") + scales;
}

// The codings that the files hold between them; a file lost or made anew must not shrink the list.
TEST(MnnFilesCover, TheCodingsOfTheConverter) {
    std::set<std::string> seen;
    for (const std::string& file : goldenFiles()) {
        std::ifstream stream(fs::path(MNN_TEST_DATA) / "mnn" / file, std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
        for (const Op* op : *GetNet(bytes.data())->oplists()) {
            if (op->main_type() == OpParameter_Convolution2D) seen.insert(codingOf(op->main_as_Convolution2D()));
        }
    }
    // Type 4 and the sparse type 2 are not made of small models: HandmadeCodingsTest.cpp.
    for (const char* coding :
         {"floats", "side file floats", "type 0", "type 1", "type 1 half scales", "type 1 asymmetric",
          "type 1 asymmetric half scales", "type 3", "side file type 1 asymmetric", "side file type 3"}) {
        EXPECT_EQ(seen.count(coding), 1u) << coding;
    }
}

}  // namespace
