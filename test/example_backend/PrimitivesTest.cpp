// The table of primitives on a device out of the host's reach: what it runs itself, and every copy and view around
// that.
#include "ExampleTest.hpp"
#include "Runner.hpp"

namespace example_test {
namespace {

using namespace mnn_primitives;

TEST(ExampleBackend, PrimitivesMatchTheReference) {
    ASSERT_TRUE(example::addExampleBackend());
    RunOptions options;
    options.backend = MNN_FORWARD_USER_0;
    const Totals totals = runTable(options, "", [](const std::string& description, const Outcome& outcome) {
        EXPECT_NE(outcome.verdict, Verdict::Failed) << description << ": " << outcome.detail;
    });
    EXPECT_GT(totals.passed, 0);
    EXPECT_GT(totals.skippedCount(), 0);
}

}  // namespace
}  // namespace example_test
