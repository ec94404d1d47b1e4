#include "report/step/explain.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"

namespace spillway {
namespace {

struct ExplainArguments {
  ExperimentArguments experiment;
  std::string schedule;  // empty: all
};

int explain_all(const ExplainArguments& arguments) {
  const ExperimentInput input = read_input(arguments.experiment);
  if (!arguments.schedule.empty()) schedule_named(input.experiment, arguments.schedule);
  const Evaluation evaluation = evaluate(input.experiment, input.file, {.run = {Engine::LongestPath}});
  write_explanation(std::cout, evaluation, arguments.schedule);
  return 0;
}

}  // namespace

void add_explain(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ExplainArguments>();
  CLI::App* command =
      app.add_subcommand("explain", "where the step goes: critical path, bubble by cause, spill");
  add_experiment(*command, arguments->experiment);
  command->add_option("--schedule", arguments->schedule, "name of the schedule (default: all)");
  command->footer("Example: spillway explain workloads/experiments/experiment-a.json --schedule mpipe");
  command->callback([arguments, &status] { status = explain_all(*arguments); });
}

}  // namespace spillway
