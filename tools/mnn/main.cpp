#include <cstdio>
#include <exception>
#include "Commands.hpp"

int main(int argc, char** argv) {
    CLI::App app{"mnn: run, time, profile and check models with libMNN", "mnn"};
    app.require_subcommand(1);
    app.footer("Example: mnn run model.mnn --input x=x.npy --output-dir out");
    int status = 0;
    mnn_tools::addRun(&app, &status);
    mnn_tools::addBench(&app, &status);
    mnn_tools::addProfile(&app, &status);
    mnn_tools::addInspect(&app, &status);
    mnn_tools::addBackends(&app, &status);
    mnn_tools::addSelfTest(&app, &status);
#ifndef MNN_NO_CONVERTER
    mnn_tools::addConformance(&app, &status);
#endif
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int code = app.exit(error);
        return code;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "mnn: %s\n", error.what());
        return 1;
    }
    return status;
}
