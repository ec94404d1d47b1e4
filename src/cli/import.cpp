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

constexpr const char* kOfScripts = "Launch scripts";  // the group of their options

void refuse_script_options(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    if (option->get_group() == kOfScripts && option->count() > 0)
      refuse_argument(option->get_name().c_str(), "a launch script beside it", "a trace");
}

int print_import(const CLI::App& command, ImportOptions options) {
  if (!is_launch_script(options.file)) {
    refuse_script_options(command);
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
  command
      .add_option("--platform", script.platform, "platform that the script runs on: a shipped one or a file")
      ->group(kOfScripts);
  command.add_option("--framework", script.framework, "framework; default: the script's own")
      ->group(kOfScripts);
  command
      .add_option("--architecture", script.architecture,
                  "model: a shipped one or a config.json; default: the script's arguments")
      ->group(kOfScripts);
  command.add_option("--devices", script.devices, "devices of the whole job; default: as the launcher says")
      ->check(CLI::Range(1, 1 << 20))
      ->group(kOfScripts);
  command
      .add_option("--set", script.sets,
                  "NAME=value, a variable of the shell, or 1=value for $1; may be repeated")
      ->allow_extra_args(false)
      ->group(kOfScripts);
  command
      .add_option("--argument", script.arguments,
                  "one more argument of the training, such as \"--vocab-size 32000\"; may be repeated")
      ->allow_extra_args(false)
      ->group(kOfScripts);
  command
      .add_option("--file", script.files,
                  "a configuration file that the script names, such as zero3.json; may be repeated")
      ->allow_extra_args(false)
      ->group(kOfScripts);
  command
      .add_option("--images", script.images,
                  "sizes of the images of a model with an encoder: a shipped table or a file")
      ->group(kOfScripts);
  command.add_option("--images-per-sample", script.images_per_sample, "images of a sample; default: 1")
      ->check(CLI::Range(1, 1 << 16))
      ->group(kOfScripts);
  command.add_option("--text-tokens", script.text_tokens, "text tokens of a sample beside its images")
      ->check(CLI::Range(1, 1 << 24))
      ->group(kOfScripts);
  command
      .add_option("--measured", script.measured_s,
                  "a measured step, in seconds: --out is then a table for validate")
      ->group(kOfScripts);
}

}  // namespace

void add_import(CLI::App& app, int& status) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* command = app.add_subcommand(
      "import",
      "summarize a measured trace and write a compact copy, or read a launch script as an experiment");
  command
      ->add_option("FILE", options->file,
                   "file or folder of a measured run, compressed or not; or a launch script (.sh) or its "
                   "configuration (.toml, .yaml)")
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
  command->callback([options, command, &status] { status = print_import(*command, *options); });
}

}  // namespace spillway
