// mnn backends: what this build and machine can run on.
#include <cstdio>
#include <memory>
#include "Commands.hpp"
#include "backend/cpu/CPUBackend.hpp"
#include "backend/cpu/kernels/Isa.hpp"
#include "core/Backend.hpp"
#include "core/platform/Platform.hpp"

namespace mnn_tools {
namespace {

void printBackends() {
    for (const MNN::BackendEntry* entry : MNN::allBackends()) {
        MNN::Runtime::Info info;
        info.type = entry->type;
        info.numThread = 1;
        std::string why;
        const std::unique_ptr<MNN::Runtime> runtime(entry->create(info, &why));
        std::printf("%-8s %s%s\n", entry->name, runtime != nullptr ? "ready" : "missing: ", why.c_str());
    }
    std::printf("\ncpu: %d core(s) for this process, SIMD", MNN::platform::availableCores());
    for (MNN::cpu::Isa isa : MNN::cpu::availableIsas()) {
        std::printf(" %s%s", MNN::cpu::isaName(isa), isa == MNN::cpu::chosenIsa() ? "(used)" : "");
    }
    std::printf("\nforce a target with the environment variable MNN_CPU_ISA\n");
}

void printExecutions() {
    std::printf("\n%-24s %-8s %s\n", "op run by the CPU", "views", "in place");
    for (const MNN::CPUExecutionRow* row : MNN::cpuExecutions()) {
        std::printf("%-24s %-8x %s\n", MNN::EnumNameOpType(row->type), row->readsViews, row->inPlace ? "yes" : "");
    }
}

}  // namespace

void addBackends(CLI::App* app, int* status) {
    auto kernels = std::make_shared<bool>(false);
    CLI::App* command = app->add_subcommand("backends", "what this build can run on, and what is missing and why");
    command->add_flag("--kernels", *kernels,
                      "list the primitives the CPU executes; views: which inputs it reads through strides");
    command->footer("Example: mnn backends --kernels");
    command->callback([kernels, status] {
        printBackends();
        if (*kernels) printExecutions();
        *status = 0;
    });
}

}  // namespace mnn_tools
