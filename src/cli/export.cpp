#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "api/export_launch.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "report/inputs/export_text.h"

namespace spillway {
namespace {

struct ExportOptions {
  ExportArguments arguments = {};
  bool json = false;
};

int print_export(const ExportOptions& options) {
  const ExportAnswer answer = export_launch(options.arguments);
  if (options.json) {
    std::cout << export_json(answer.experiment, answer.schedule, answer.launches, answer.instead);
    return 0;
  }
  if (options.arguments.out.empty()) {
    std::cout << export_text(answer.launches, answer.instead);
    return 0;
  }
  const auto& launch = std::get<WrittenLaunch>(answer.launches.front().answer);
  for (const LaunchFile& file : launch.files)
    std::cout << "wrote " << options.arguments.out << '/' << file.name << '\n';
  for (const std::string& remark : launch.remarks) std::cout << "note: " << remark << '\n';
  return 0;
}

}  // namespace

void add_export(CLI::App& app, int& status) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand(
      "export", "write an experiment as the launch of a training framework, or say why it cannot be one");
  add_experiment(*command, options->arguments.experiment);
  command->add_option("--schedule", options->arguments.schedule, "name of the schedule (default: the first)");
  command->add_option("--to", options->arguments.framework,
                      "framework: " + launch_framework_names() +
                          " (default: all, each with its arguments or the reasons why it has none)");
  command->add_option("--out", options->arguments.out,
                      "folder for the files (default: they are printed); needs --to");
  command->add_flag("--json", options->json, "print one JSON document (spillway schema launches)");
  command->footer(
      "Exits with status 3 if the framework of --to cannot express the experiment.\n"
      "Example: spillway export workloads/experiments/llama3-405b.json --to megatron-lm --out launch");
  command->callback([options, &status] { status = print_export(*options); });
}

}  // namespace spillway
