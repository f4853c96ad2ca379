// The table on every backend of this machine, on one thread and on three. CTest runs this program once for each SIMD
// target (MNN_CPU_ISA), because a process chooses its target once.
#include <gtest/gtest.h>
#include <cstdlib>
#include "Runner.hpp"
#include "backend/cpu/kernels/Isa.hpp"
#include "core/Backend.hpp"

namespace mnn_primitives {
namespace {

using MNN::BackendEntry;

bool hasTarget() {
    const char* wanted = std::getenv("MNN_CPU_ISA");
    return wanted == nullptr || std::string(wanted) == MNN::cpu::isaName(MNN::cpu::chosenIsa());
}

// What can run here; without the SIMD target that was asked for, nothing.
std::vector<const BackendEntry*> presentBackends() {
    std::vector<const BackendEntry*> present;
    for (const BackendEntry* entry : MNN::allBackends()) {
        if (hasTarget() && missing(entry->type).empty()) present.push_back(entry);
    }
    return present;
}

std::vector<const Family*> allFamilies() {
    std::vector<const Family*> result;
    for (const Family& family : families()) result.push_back(&family);
    return result;
}

TEST(SimdTarget, RunsHere) {
    if (!hasTarget()) GTEST_SKIP() << "this build or machine cannot run the SIMD target " << std::getenv("MNN_CPU_ISA");
}

class Backends : public testing::TestWithParam<const BackendEntry*> {};

TEST_P(Backends, ArePresent) {
    const std::string why = missing(GetParam()->type);
    if (!why.empty()) GTEST_SKIP() << "backend " << GetParam()->name << ": " << why;
}

class Primitives : public testing::TestWithParam<std::tuple<const BackendEntry*, int, const Family*>> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Primitives);

TEST_P(Primitives, MatchTheReference) {
    const auto [backend, threads, family] = GetParam();
    RunOptions options;
    options.backend = backend->type;
    options.threads = threads;
    constexpr int kShown = 20;
    int failures = 0;
    const Totals totals = runFamily(options, *family, "", [&](const std::string& description, const Outcome& outcome) {
        if (outcome.verdict == Verdict::Failed && failures++ < kShown)
            ADD_FAILURE() << description << ": " << outcome.detail;
    });
    EXPECT_EQ(totals.failed, 0);
    EXPECT_GT(totals.passed + totals.skippedCount(), 0);
    for (const auto& skipped : totals.skipped) RecordProperty(skipped.first, skipped.second);
}

INSTANTIATE_TEST_SUITE_P(Build, Backends, testing::ValuesIn(MNN::allBackends()),
                         [](const auto& info) { return std::string(info.param->name); });
INSTANTIATE_TEST_SUITE_P(Table, Primitives,
                         testing::Combine(testing::ValuesIn(presentBackends()), testing::Values(1, 3),
                                          testing::ValuesIn(allFamilies())),
                         [](const auto& info) {
                             return std::string(std::get<2>(info.param)->name) + "_" + std::get<0>(info.param)->name +
                                    "_" + std::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace mnn_primitives
