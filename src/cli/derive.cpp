#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "evaluate/host_memory.h"
#include "evaluate/workload_use.h"
#include "experiment/derive_options.h"
#include "experiment/fold.h"
#include "policy/plan.h"
#include "report/order/derivation.h"
#include "spec/experiment/experiment.h"

namespace spillway {
namespace {

struct DeriveArguments {
  ExperimentArguments experiment;
  std::string schedule;  // empty: the first
  std::string format = "text";
};

// As a run plans it, for one replica of those that cost the same.
PlannedSchedule planned_as_in_a_run(const Experiment& experiment, const ScheduleSpec& schedule,
                                    const std::string& file) {
  const DrawCosts costs(folded(experiment, Links::Own));
  try {
    held_to_losses(workload_uses(costs));
  } catch (const InputError& bad) {
    throw InputError(located(bad.violations(), file, ""));
  }
  OrderCache orders;
  return plan(costs, orders, schedule);
}

// What whoever reads the lists back does not get.
void say_what_is_lost(const ScheduleSpec& schedule) {
  const auto note = [](const char* text) { std::cerr << "note: " << text << '\n'; };
  const auto& skeletons = schedule.schedule.skeletons;
  if (transposes(schedule.schedule))
    note(
        "what transposed regions compute is left out; the rest is read back as the order_file of "
        "\"transpose,listed\"");
  if (std::any_of(skeletons.begin(), skeletons.end(),
                  [](const Skeleton& s) { return fold_of(s) == Fold::Bidirectional; }))
    note("the second copy of stage s is numbered ranks + s; lists have one copy, so these are not read back");
  if (schedule.order != MicrobatchOrder::AsSampled)
    note("microbatches are numbered as they run; read back, they run as they are sampled");
}

int print_order(const DeriveArguments& arguments) {
  const auto format = derivation_format_from(arguments.format);
  if (!format) refuse_argument("--format", "text, json, dot, graphml or csv", '"' + arguments.format + '"');
  const Experiment experiment = read_experiment(arguments.experiment);
  const bool the_added = arguments.schedule.empty() && !arguments.experiment.order.empty();
  const ScheduleSpec& schedule =
      the_added ? experiment.schedules.back() : schedule_named(experiment, arguments.schedule);
  if (const auto violations = check_whole_timelines(folded(experiment, Links::Own)); !violations.empty())
    throw InputError(located(violations, arguments.experiment.file, ""));
  require_order_memory(experiment.pipeline);
  const PlannedSchedule planned = planned_as_in_a_run(experiment, schedule, arguments.experiment.file);
  DeriveOptions options = planned.options;
  const DeriveOptions whole = derive_options(experiment, schedule);
  options.pipeline = whole.pipeline;
  options.joined_replicas = whole.joined_replicas;
  if (*format == DerivationFormat::Csv) say_what_is_lost(schedule);
  write_derivation(std::cout, derive(experiment.model, schedule.schedule, planned.cut, options), *format);
  return 0;
}

}  // namespace

void add_derive(CLI::App& app, int& status) {
  auto arguments = std::make_shared<DeriveArguments>();
  CLI::App* command = app.add_subcommand("derive", "print placement, collectives and order of a schedule");
  add_experiment(*command, arguments->experiment);
  command->add_option("--schedule", arguments->schedule,
                      "name of the schedule (default: that of --order, else the first)");
  command->add_option(
      "--format", arguments->format,
      "text, json, dot, graphml or csv (the pipelined regions as PyTorch's action lists; "
      "what a transposed region computes has no such form and is left out; [layers=5] says how many layers a "
      "stage holds)");
  command->footer("Example: spillway derive workloads/experiments/small.json --schedule mpipe --format dot");
  command->callback([arguments, &status] { status = print_order(*arguments); });
}

}  // namespace spillway
