#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "measured/formats/read_trace.h"
#include "measured/formats/trace_csv.h"
#include "measured/trace/trace_steps.h"
#include "report/inputs/trace_text.h"
#include "report/words/whole_file.h"

namespace spillway {
namespace {

struct ImportArguments {
  std::string trace;               // file or folder
  std::vector<std::string> steps;  // names; none: all
  std::string out;                 // compact CSV; empty: none
  bool json = false;
};

void write_compact(const std::string& path, const Trace& trace) {
  const bool any = std::any_of(trace.events.begin(), trace.events.end(), [](const TraceEvent& event) {
    return is_compute(event.kind) || is_transfer(event.kind) || event.kind == TraceKind::Collective;
  });
  if (!any) refuse_argument("--out", "a trace with passes, transfers or collectives", "none of them");
  write_whole_file(path, [&](std::ostream& out) { write_trace_csv(out, trace); });
}

int import_trace(const ImportArguments& arguments) {
  Trace trace = read_trace(arguments.trace);
  if (!arguments.steps.empty()) keep_steps(trace, arguments.steps);
  if (!arguments.out.empty()) write_compact(arguments.out, trace);
  std::cout << (arguments.json ? trace_json(trace) : trace_text(trace));
  return 0;
}

}  // namespace

void add_import(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ImportArguments>();
  CLI::App* command = app.add_subcommand("import", "what is in a measured trace, and a compact copy of it");
  command->add_option("TRACE", arguments->trace, "file or folder of a measured run, packed or not")
      ->required();
  command->add_option("--step", arguments->steps, "keep this step alone; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--out", arguments->out, "file for the passes, transfers and collectives as CSV");
  command->add_flag("--json", arguments->json, "print one JSON document");
  command->footer(
      "Example: spillway import workloads/published/traces/straggler-st.csv --step 23 --out st-23.csv");
  command->callback([arguments, &status] { status = import_trace(*arguments); });
}

}  // namespace spillway
