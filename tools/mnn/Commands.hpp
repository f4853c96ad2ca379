// The subcommands of `mnn`. Each adds itself to the command line; its callback returns through `*status` what the
// process exits with.
#ifndef MNN_TOOLS_COMMANDS_HPP
#define MNN_TOOLS_COMMANDS_HPP

#include <CLI/CLI.hpp>

namespace mnn_tools {

void addRun(CLI::App* app, int* status);
void addBench(CLI::App* app, int* status);
void addProfile(CLI::App* app, int* status);
void addInspect(CLI::App* app, int* status);
void addConformance(CLI::App* app, int* status);
void addBackends(CLI::App* app, int* status);
void addSelfTest(CLI::App* app, int* status);

}  // namespace mnn_tools
#endif
