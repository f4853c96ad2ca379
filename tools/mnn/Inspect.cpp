// mnn inspect: what a model is made of, and what the Geometry Compiler left of it.
#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include "Commands.hpp"
#include "LoadedModel.hpp"
#include "core/TensorUtils.hpp"
#include "session/ControlFlow.hpp"
#include "session/Session.hpp"

namespace mnn_tools {
namespace {

using MNN::TensorUtils;

struct InspectOptions {
    std::string model;
    bool json = false;
    SessionOptions session;
};

struct RasterRow {
    std::string forcedBy, type, tensor;
    size_t regions = 0;
    double bytes = 0;
};

struct Report {
    std::vector<std::pair<std::string, std::string>> inputs, outputs;
    std::map<std::string, int> ops, commands;
    double parameters = 0, megaflops = 0, rasterBytes = 0;
    std::vector<RasterRow> rasters;
    std::vector<std::string> control;
    size_t segments = 0, arenaBytes = 0, arenaLowerBound = 0;
};

std::string nameOf(const MNN::Op* op) {
    return op == nullptr || op->name() == nullptr ? "(output)" : op->name()->str();
}

double parametersOf(const MNN::Op* op) {
    if (const auto* conv = op->main_as_Convolution2D()) {
        double n = conv->bias() == nullptr ? 0 : conv->bias()->size();
        if (conv->weight() != nullptr && conv->weight()->size() > 0) return n + conv->weight()->size();
        const auto* c = conv->common();
        if (c != nullptr && conv->quanParameter() != nullptr) {
            n += double(c->outputCount()) * std::max(c->inputCount(), 1) / std::max(c->group(), 1) * c->kernelX() *
                 c->kernelY();
        }
        return n;
    }
    if (op->type() == MNN::OpType_Const || op->type() == MNN::OpType_TrainableParam) {
        double n = 1;
        const auto* blob = op->main_as_Blob();
        for (uint32_t i = 0; blob != nullptr && blob->dims() != nullptr && i < blob->dims()->size(); ++i)
            n *= blob->dims()->Get(i);
        return n;
    }
    return 0;
}

void addStep(const MNN::Step& step, Report* report) {
    if (step.kind == MNN::Step::Kind::Copy) {
        ++report->commands["Copy"];
        return;
    }
    ++report->commands[EnumNameOpType(step.command->op->type())];
    if (step.command->op->type() != MNN::OpType_Raster) return;
    const MNN::Tensor* output = step.command->outputs[0];
    RasterRow row;
    const MNN::Op* reader = step.rasterFor != nullptr ? step.rasterFor : step.command->source;
    row.forcedBy = nameOf(reader);
    row.type = reader == nullptr ? "" : EnumNameOpType(reader->type());
    row.tensor = TensorUtils::text(output);
    row.regions = TensorUtils::describe(output)->regions.size();
    for (const auto& region : TensorUtils::describe(output)->regions)
        row.bytes += 2.0 * double(region.elements()) * output->getType().bytes();
    report->rasterBytes += row.bytes;
    report->rasters.push_back(row);
}

using OpVector = flatbuffers::Vector<flatbuffers::Offset<MNN::Op>>;

void addOps(const OpVector* ops, Report* report) {
    for (uint32_t i = 0; ops != nullptr && i < ops->size(); ++i) {
        ++report->ops[EnumNameOpType(ops->Get(i)->type())];
        report->parameters += parametersOf(ops->Get(i));
    }
}

// Commands of sub-graphs are those of their last run: without one they have none.
void addSegments(const MNN::Pipeline& pipeline, Report* report) {
    report->segments += pipeline.segments();
    for (size_t s = 0; s < pipeline.segments(); ++s) {
        if (const MNN::ControlFlow* control = pipeline.control(s)) {
            std::string row = std::string(EnumNameOpType(control->op()->type())) + " " + nameOf(control->op()) + ":";
            for (const auto& graph : control->graphs()) row += " " + graph->name();
            report->control.push_back(row);
            for (const auto& graph : control->graphs()) addSegments(graph->pipeline(), report);
        } else if (pipeline.isReady(s)) {
            for (const MNN::Step& step : pipeline.steps(s)) addStep(step, report);
        }
    }
}

Report examine(const LoadedModel& model) {
    Report report;
    for (const auto& t : model.interpreter()->getSessionInputAll(model.session()))
        report.inputs.push_back({t.first, TensorUtils::text(t.second)});
    for (const auto& name : model.session()->table().outputOrder) {
        report.outputs.push_back({name, TensorUtils::text(model.session()->outputs().at(name))});
    }
    const auto buffer = model.interpreter()->getModelBuffer();
    const MNN::Net* net = MNN::GetNet(buffer.first);
    addOps(net->oplists(), &report);
    for (uint32_t i = 0; net->subgraphs() != nullptr && i < net->subgraphs()->size(); ++i)
        addOps(net->subgraphs()->Get(i)->nodes(), &report);
    for (const auto& pipeline : model.session()->pipelines()) {
        report.megaflops += pipeline->flops();
        report.arenaBytes += pipeline->plannedBytes();
        report.arenaLowerBound += pipeline->plannedLowerBound();
        addSegments(*pipeline, &report);
    }
    return report;
}

void print(const Report& r) {
    for (const auto& t : r.inputs) std::printf("input   %-32s %s\n", t.first.c_str(), t.second.c_str());
    for (const auto& t : r.outputs) std::printf("output  %-32s %s\n", t.first.c_str(), t.second.c_str());
    std::printf("\nparameters %.0f, %.3f MFLOP a run, %zu segment(s)\n", r.parameters, r.megaflops, r.segments);
    std::printf("activations %.2f MB (at least %.2f MB)\n\nops in the file:", r.arenaBytes / 1048576.0,
                r.arenaLowerBound / 1048576.0);
    for (const auto& op : r.ops) std::printf(" %s %d", op.first.c_str(), op.second);
    std::printf("\ncommands left: ");
    for (const auto& c : r.commands) std::printf(" %s %d", c.first.c_str(), c.second);
    for (const std::string& row : r.control) std::printf("\ncontrol flow:   %s", row.c_str());
    std::printf("\n\nrasters left: %zu, moving %.3f MB\n", r.rasters.size(), r.rasterBytes / 1048576.0);
    for (const RasterRow& row : r.rasters) {
        std::printf("  %-28s %3zu region(s) %10.3f KB  for %s %s\n", row.tensor.c_str(), row.regions,
                    row.bytes / 1024.0, row.type.c_str(), row.forcedBy.c_str());
    }
}

nlohmann::json toJson(const Report& r) {
    nlohmann::json rasters = nlohmann::json::array();
    for (const RasterRow& row : r.rasters)
        rasters.push_back({{"forced_by", row.forcedBy},
                           {"type", row.type},
                           {"tensor", row.tensor},
                           {"regions", row.regions},
                           {"bytes", row.bytes}});
    return {{"inputs", r.inputs},
            {"outputs", r.outputs},
            {"ops", r.ops},
            {"commands", r.commands},
            {"control_flow", r.control},
            {"parameters", r.parameters},
            {"mflop", r.megaflops},
            {"segments", r.segments},
            {"arena_bytes", r.arenaBytes},
            {"arena_lower_bound", r.arenaLowerBound},
            {"raster_bytes", r.rasterBytes},
            {"rasters", rasters}};
}

int inspect(const InspectOptions& options) {
    const LoadedModel model(options.model, options.session);
    const Report report = examine(model);
    if (options.json) {
        std::printf("%s\n", toJson(report).dump(1).c_str());
    } else {
        print(report);
    }
    return 0;
}

}  // namespace

void addInspect(CLI::App* app, int* status) {
    auto options = std::make_shared<InspectOptions>();
    CLI::App* command = app->add_subcommand(
        "inspect", "inputs, outputs, ops, parameters, FLOPs, and the copies that are left with what forced each");
    command->add_option("model", options->model, "the .mnn file")->required();
    command->add_flag("--json", options->json, "print JSON");
    options->session.addTo(command);
    command->footer("Example: mnn inspect model.mnn --shape x=1x3x640x640");
    command->callback([options, status] { *status = inspect(*options); });
}

}  // namespace mnn_tools
