// mnn bench: how long loading, creation, the first run and later runs take.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <unistd.h>
#include "Commands.hpp"
#include "LoadedModel.hpp"
#include "core/platform/Platform.hpp"

namespace mnn_tools {
namespace {

struct BenchOptions {
    std::vector<std::string> models;
    int loops = 30, warmup = 5;
    bool json = false;
    SessionOptions session;
};

struct Figures {
    std::string model;
    double loadMs = 0, createMs = 0, firstMs = 0, minMs = 0, medianMs = 0, p95Ms = 0, p99Ms = 0, maxMs = 0, peakMb = 0;
};

double percentile(const std::vector<double>& sorted, double p) {
    const auto at = static_cast<size_t>(p * static_cast<double>(sorted.size() - 1) + 0.5);
    return sorted[std::min(at, sorted.size() - 1)];
}

double timedRun(LoadedModel* model) {
    const uint64_t begin = MNN::platform::nowUs();
    model->run();
    return static_cast<double>(MNN::platform::nowUs() - begin) / 1000.0;
}

void showProgress(const std::string& name, int done, int total) {
    if (!isatty(STDERR_FILENO)) return;
    std::fprintf(stderr, "\r%s %d/%d%s", name.c_str(), done, total, done == total ? "\r\033[K" : "");
}

Figures measure(const std::string& path, const BenchOptions& options) {
    Figures f;
    f.model = path;
    LoadedModel model(path, options.session);
    f.loadMs = static_cast<double>(model.loadUs()) / 1000.0;
    f.createMs = static_cast<double>(model.createUs()) / 1000.0;
    model.setRandomInputs(1);
    f.firstMs = timedRun(&model);
    for (int i = 0; i < options.warmup; ++i) model.run();
    std::vector<double> times;
    for (int i = 0; i < options.loops; ++i) {
        showProgress(path, i + 1, options.loops);
        times.push_back(timedRun(&model));
    }
    std::sort(times.begin(), times.end());
    f.minMs = times.front();
    f.medianMs = percentile(times, 0.5);
    f.p95Ms = percentile(times, 0.95);
    f.p99Ms = percentile(times, 0.99);
    f.maxMs = times.back();
    f.peakMb = static_cast<double>(MNN::platform::peakResidentBytes()) / 1048576.0;
    return f;
}

int bench(const BenchOptions& options) {
    nlohmann::json rows = nlohmann::json::array();
    if (!options.json) {
        std::printf("%-32s %8s %8s %8s %8s %8s %8s %8s %8s %8s\n", "model (ms)", "load", "create", "first", "min",
                    "median", "p95", "p99", "max", "peak MB");
    }
    for (const std::string& path : modelFiles(options.models)) {
        const Figures f = measure(path, options);
        if (options.json) {
            rows.push_back({{"model", f.model},
                            {"threads", options.session.threads},
                            {"backend", options.session.backend},
                            {"loops", options.loops},
                            {"load_ms", f.loadMs},
                            {"create_ms", f.createMs},
                            {"first_ms", f.firstMs},
                            {"min_ms", f.minMs},
                            {"median_ms", f.medianMs},
                            {"p95_ms", f.p95Ms},
                            {"p99_ms", f.p99Ms},
                            {"max_ms", f.maxMs},
                            {"peak_mb", f.peakMb}});
        } else {
            std::printf("%-32s %8.2f %8.2f %8.3f %8.3f %8.3f %8.3f %8.3f %8.3f %8.1f\n", f.model.c_str(), f.loadMs,
                        f.createMs, f.firstMs, f.minMs, f.medianMs, f.p95Ms, f.p99Ms, f.maxMs, f.peakMb);
        }
    }
    if (options.json) std::printf("%s\n", rows.dump(1).c_str());
    return 0;
}

}  // namespace

void addBench(CLI::App* app, int* status) {
    auto options = std::make_shared<BenchOptions>();
    CLI::App* command = app->add_subcommand("bench", "time models on seeded random inputs");
    command->add_option("models", options->models, "files, or folders of .mnn files")->required();
    command->add_option("--loops", options->loops, "timed runs")->check(CLI::PositiveNumber)->capture_default_str();
    command->add_option("--warmup", options->warmup, "runs before them")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    command->add_flag("--json", options->json, "print JSON instead of a table");
    options->session.addTo(command);
    command->footer("Example: mnn bench models/ --loops 50 --threads 2");
    command->callback([options, status] { *status = bench(*options); });
}

}  // namespace mnn_tools
