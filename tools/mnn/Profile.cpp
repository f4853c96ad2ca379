// mnn profile: where the time of a run goes.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include "Commands.hpp"
#include "LoadedModel.hpp"
#include "core/TensorUtils.hpp"
#include "core/platform/Platform.hpp"

namespace mnn_tools {
namespace {

struct ProfileOptions {
    std::string model, trace;
    int loops = 10;
    bool json = false;
    SessionOptions session;
};

// One command of the session, over all runs.
struct Row {
    std::string name, type;
    double us = 0, megaflops = 0, bytes = 0;
    int runs = 0;
    uint64_t lastBegin = 0;
};

double bytesOf(const std::vector<MNN::Tensor*>& tensors) {
    double bytes = 0;
    for (const MNN::Tensor* t : tensors) bytes += static_cast<double>(MNN::TensorUtils::storageBytes(t));
    return bytes;
}

std::vector<Row> collect(LoadedModel* model, int loops, nlohmann::json* events) {
    std::vector<Row> rows;
    size_t at = 0;
    MNN::TensorCallBackWithInfo before = [&](const std::vector<MNN::Tensor*>& inputs, const MNN::OperatorInfo* info) {
        if (at == rows.size()) {
            rows.emplace_back();
            rows[at].name = info->name();
            rows[at].type = info->type();
            rows[at].megaflops = info->flops();
            rows[at].bytes = bytesOf(inputs);
        }
        rows[at].lastBegin = MNN::platform::nowUs();
        return true;
    };
    MNN::TensorCallBackWithInfo after = [&](const std::vector<MNN::Tensor*>& outputs, const MNN::OperatorInfo*) {
        Row& row = rows[at++];
        const uint64_t end = MNN::platform::nowUs();
        if (row.runs++ == 0) row.bytes += bytesOf(outputs);
        row.us += static_cast<double>(end - row.lastBegin);
        events->push_back({{"name", row.name.empty() ? row.type : row.name},
                           {"cat", row.type},
                           {"ph", "X"},
                           {"ts", row.lastBegin},
                           {"dur", end - row.lastBegin},
                           {"pid", 1},
                           {"tid", 1}});
        return true;
    };
    for (int i = 0; i < loops; ++i) {
        at = 0;
        if (model->interpreter()->runSessionWithCallBackInfo(model->session(), before, after, true) != MNN::NO_ERROR)
            throw std::runtime_error("the run failed");
    }
    for (Row& row : rows) row.us /= std::max(row.runs, 1);
    return rows;
}

std::vector<Row> byType(const std::vector<Row>& rows) {
    std::map<std::string, Row> types;
    for (const Row& row : rows) {
        Row& sum = types[row.type];
        sum.type = row.type;
        sum.us += row.us;
        sum.megaflops += row.megaflops;
        sum.bytes += row.bytes;
        sum.runs += 1;
    }
    std::vector<Row> result;
    for (const auto& type : types) result.push_back(type.second);
    std::sort(result.begin(), result.end(), [](const Row& a, const Row& b) { return a.us > b.us; });
    return result;
}

void printTable(const std::vector<Row>& rows, double totalUs, size_t most, bool named) {
    std::printf("%-14s %-36s %10s %7s %10s %10s\n", "type", named ? "op" : "commands", "us", "share", "GFLOP/s",
                "GB/s");
    for (size_t i = 0; i < rows.size() && i < most; ++i) {
        const Row& r = rows[i];
        const double us = std::max(r.us, 1e-3);
        const std::string second = named ? r.name.substr(0, 36) : std::to_string(r.runs);
        std::printf("%-14s %-36s %10.1f %6.1f%% %10.2f %10.2f\n", r.type.c_str(), second.c_str(), r.us,
                    100.0 * r.us / totalUs, r.megaflops / us * 1e3, r.bytes / us * 1e-3);
    }
}

nlohmann::json toJson(const std::vector<Row>& rows) {
    nlohmann::json result = nlohmann::json::array();
    for (const Row& r : rows)
        result.push_back(
            {{"name", r.name}, {"type", r.type}, {"us", r.us}, {"mflop", r.megaflops}, {"bytes", r.bytes}});
    return result;
}

int profile(const ProfileOptions& options) {
    LoadedModel model(options.model, options.session);
    model.setRandomInputs(1);
    model.run();
    nlohmann::json events = nlohmann::json::array();
    std::vector<Row> rows = collect(&model, options.loops, &events);
    double total = 1e-9;
    for (const Row& row : rows) total += row.us;
    if (!options.trace.empty()) {
        std::ofstream file(options.trace);
        file << nlohmann::json({{"traceEvents", events}}).dump();
        if (!file.flush()) throw std::runtime_error("cannot write '" + options.trace + "'");
    }
    if (options.json) {
        std::printf("%s\n", nlohmann::json({{"model", options.model},
                                            {"total_us", total},
                                            {"commands", toJson(rows)},
                                            {"types", toJson(byType(rows))}})
                                .dump(1)
                                .c_str());
        return 0;
    }
    std::printf("%s: %zu commands, %.3f ms a run\n\n", options.model.c_str(), rows.size(), total / 1000.0);
    printTable(byType(rows), total, 100, false);
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.us > b.us; });
    std::printf("\n");
    printTable(rows, total, 20, true);
    return 0;
}

}  // namespace

void addProfile(CLI::App* app, int* status) {
    auto options = std::make_shared<ProfileOptions>();
    CLI::App* command = app->add_subcommand("profile", "time, share, FLOP/s and bytes/s per op");
    command->add_option("model", options->model, "the .mnn file")->required();
    command->add_option("--loops", options->loops, "runs")->check(CLI::PositiveNumber)->capture_default_str();
    command->add_option("--trace", options->trace, "write a trace for ui.perfetto.dev or chrome://tracing");
    command->add_flag("--json", options->json, "print JSON instead of tables");
    options->session.addTo(command);
    command->footer("Example: mnn profile model.mnn --threads 2 --trace trace.json");
    command->callback([options, status] { *status = profile(*options); });
}

}  // namespace mnn_tools
