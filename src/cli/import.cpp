#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "api/experiment_input.h"
#include "api/import_script.h"
#include "api/import_trace.h"
#include "cli/commands.h"
#include "report/inputs/launch_text.h"
#include "report/inputs/trace_text.h"

namespace spillway {
namespace {

struct ImportOptions {
  std::string file;
  std::vector<std::string> steps = {};
  ImportScriptArguments script = {};
  std::string out = {};
  bool json = false;
};

// Options of a launch script that a trace has no use for.
void refuse_script_options(const ImportScriptArguments& script) {
  const auto refuse = [](bool given, const char* option) {
    if (given) refuse_argument(option, "a launch script beside it", "a trace");
  };
  refuse(!script.platform.empty(), "--platform");
  refuse(!script.framework.empty(), "--framework");
  refuse(!script.architecture.empty(), "--architecture");
  refuse(script.devices.has_value(), "--devices");
  refuse(!script.sets.empty(), "--set");
  refuse(!script.arguments.empty(), "--argument");
  refuse(script.measured_s.has_value(), "--measured");
}

int print_import(ImportOptions options) {
  if (!is_launch_script(options.file)) {
    refuse_script_options(options.script);
    const Trace trace = import_trace({options.file, options.steps, options.out});
    std::cout << (options.json ? trace_json(trace) : trace_text(trace));
    return 0;
  }
  if (!options.steps.empty()) refuse_argument("--step", "a trace beside it", "a launch script");
  options.script.script = options.file;
  options.script.out = options.out;
  const LaunchImport launch = import_script(options.script);
  std::cout << (options.json ? launch_json(launch) : launch_text(launch));
  return 0;
}

void add_script_options(CLI::App& command, ImportScriptArguments& script) {
  const char* group = "Launch scripts";
  command
      .add_option("--platform", script.platform, "platform that the script runs on: a shipped one or a file")
      ->group(group);
  command.add_option("--framework", script.framework, "framework; default: the script's own")->group(group);
  command
      .add_option("--architecture", script.architecture,
                  "model: a shipped one or a config.json; default: the script's arguments")
      ->group(group);
  command.add_option("--devices", script.devices, "devices of the whole job; default: as the launcher says")
      ->check(CLI::Range(1, 1 << 20))
      ->group(group);
  command
      .add_option("--set", script.sets,
                  "NAME=value, a variable of the shell, or 1=value for $1; may be repeated")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--argument", script.arguments,
                  "one more argument of the training, such as \"--vocab-size 32000\"; may be repeated")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--measured", script.measured_s,
                  "a measured step, in seconds: --out is then a table for validate")
      ->group(group);
}

}  // namespace

void add_import(CLI::App& app, int& status) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* command = app.add_subcommand(
      "import",
      "summarize a measured trace and write a compact copy, or read a launch script as an experiment");
  command
      ->add_option("FILE", options->file,
                   "file or folder of a measured run, compressed or not; or a launch script (.sh)")
      ->required();
  command->add_option("--step", options->steps, "keep only this step; may be repeated")
      ->allow_extra_args(false);
  command->add_option(
      "--out", options->out,
      "file for the passes, transfers and collectives as CSV; or for the experiment of a script");
  command->add_flag("--json", options->json, "print one JSON document");
  add_script_options(*command, options->script);
  command->footer(
      "Example: spillway import workloads/published/traces/straggler-st.csv --step 23 --out st-23.csv\n"
      "Example: spillway import train.sh --platform hgx-h100 --set NNODES=4 --out train.json");
  command->callback([options, &status] { status = print_import(*options); });
}

}  // namespace spillway
