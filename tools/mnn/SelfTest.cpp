// mnn selftest: the table of primitives on one backend of this machine.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unistd.h>
#include "Commands.hpp"
#include "LoadedModel.hpp"
#include "Runner.hpp"

namespace mnn_tools {
namespace {

using namespace mnn_primitives;

struct SelfTestOptions {
    std::string op, backend = "cpu", precision = "high";
    int threads = 1;
    bool json = false, list = false;
};

class Progress {
public:
    explicit Progress(int total) : mTotal(total), mShown(isatty(STDERR_FILENO) != 0) {}
    void advance() {
        ++mDone;
        if (!mShown || (mDone % 16 != 0 && mDone != mTotal)) return;
        constexpr int kWidth = 40;
        const int filled = mTotal == 0 ? kWidth : static_cast<int>(static_cast<int64_t>(mDone) * kWidth / mTotal);
        std::fprintf(stderr, "\r[%s%s] %d/%d", std::string(filled, '#').c_str(),
                     std::string(kWidth - filled, ' ').c_str(), mDone, mTotal);
        std::fflush(stderr);
    }
    void clear() const {
        if (mShown) std::fprintf(stderr, "\r\033[K");
    }

private:
    int mTotal, mDone = 0;
    bool mShown;
};

int countCases(const std::string& filter) {
    int count = 0;
    listTable(filter, [&](const Case&) { ++count; });
    if (count == 0)
        throw std::runtime_error("no case of the table contains '" + filter + "'; see: mnn selftest --list");
    return count;
}

// Families and how many cases they have; with a filter, the cases.
int list(const SelfTestOptions& options) {
    if (!options.op.empty()) {
        countCases(options.op);
        listTable(options.op, [](const Case& c) { std::printf("%s\n", describe(c).c_str()); });
        return 0;
    }
    for (const Family& family : families()) {
        int count = 0;
        family.cases([&](const Case&) { ++count; });
        std::printf("%-16s %d cases\n", family.name, count);
    }
    return 0;
}

void printSkipped(const Totals& totals) {
    for (const auto& skipped : totals.skipped) {
        std::printf("SKIP %s: %d case(s) ran on the CPU\n", skipped.first.c_str(), skipped.second);
    }
}

int selfTest(const SelfTestOptions& options) {
    if (options.list) return list(options);
    RunOptions run;
    run.backend = backendNamed(options.backend);
    run.precision = precisionNamed(options.precision);
    run.threads = options.threads;
    const std::string why = missing(run.backend);
    if (!why.empty()) throw std::runtime_error("backend '" + options.backend + "': " + why);
    Progress progress(countCases(options.op));
    nlohmann::json failures = nlohmann::json::array();
    const Totals totals = runTable(run, options.op, [&](const std::string& description, const Outcome& outcome) {
        progress.advance();
        if (outcome.verdict != Verdict::Failed) return;
        progress.clear();
        failures.push_back({{"case", description}, {"reason", outcome.detail}});
        if (!options.json) std::printf("FAIL %s: %s\n", description.c_str(), outcome.detail.c_str());
    });
    progress.clear();
    if (options.json) {
        const nlohmann::json report = {{"backend", options.backend}, {"precision", options.precision},
                                       {"threads", options.threads}, {"passed", totals.passed},
                                       {"failed", totals.failed},    {"skipped", totals.skipped},
                                       {"failures", failures}};
        std::printf("%s\n", report.dump(1).c_str());
    } else {
        printSkipped(totals);
        std::printf("%d passed, %d failed, %d skipped\n", totals.passed, totals.failed, totals.skippedCount());
    }
    return totals.failed == 0 ? 0 : 1;
}

}  // namespace

void addSelfTest(CLI::App* app, int* status) {
    auto options = std::make_shared<SelfTestOptions>();
    CLI::App* command =
        app->add_subcommand("selftest", "check every primitive of a backend against its reference, on this machine");
    command->add_option("--op", options->op, "only cases whose line contains this, e.g. Softmax or 'Binary ADD'");
    command->add_option("--backend", options->backend, "where to run")->capture_default_str();
    command->add_option("--precision", options->precision, "low, normal or high")
        ->check(CLI::IsMember({"low", "normal", "high"}))
        ->capture_default_str();
    command->add_option("--threads", options->threads, "CPU threads; 0: every core this process may use")
        ->capture_default_str();
    command->add_flag("--json", options->json, "print JSON instead of lines");
    command->add_flag("--list", options->list, "list families, or with --op the cases, and run nothing");
    command->footer("Example: mnn selftest --op Convolution --threads 3");
    command->callback([options, status] { *status = selfTest(*options); });
}

}  // namespace mnn_tools
