#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "api/import_trace.h"
#include "cli/commands.h"
#include "report/inputs/trace_text.h"

namespace spillway {
namespace {

struct ImportOptions {
  ImportArguments arguments;
  bool json = false;
};

int print_trace(const ImportOptions& options) {
  const Trace trace = import_trace(options.arguments);
  std::cout << (options.json ? trace_json(trace) : trace_text(trace));
  return 0;
}

}  // namespace

void add_import(CLI::App& app, int& status) {
  auto options = std::make_shared<ImportOptions>();
  ImportArguments* arguments = &options->arguments;
  CLI::App* command =
      app.add_subcommand("import", "summarize a measured trace, and write a compact copy of it");
  command->add_option("TRACE", arguments->trace, "file or folder of a measured run, compressed or not")
      ->required();
  command->add_option("--step", arguments->steps, "keep only this step; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--out", arguments->out, "file for the passes, transfers and collectives as CSV");
  command->add_flag("--json", options->json, "print one JSON document");
  command->footer(
      "Example: spillway import workloads/published/traces/straggler-st.csv --step 23 --out st-23.csv");
  command->callback([options, &status] { status = print_trace(*options); });
}

}  // namespace spillway
