#include "commands/derive_order.h"

#include <utility>

#include "evaluate/host_memory.h"
#include "evaluate/workload_use.h"
#include "experiment/derive_options.h"
#include "experiment/fold.h"
#include "policy/plan.h"

namespace spillway {
namespace {

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

DerivationFormat format_from(const std::string& name) {
  const auto format = derivation_format_from(name);
  if (!format) refuse_argument("--format", "text, json, dot, graphml or csv", '"' + name + '"');
  return *format;
}

const ScheduleSpec& asked_for(const Experiment& experiment, const DeriveArguments& arguments) {
  const bool the_added = arguments.schedule.empty() && !arguments.experiment.order.empty();
  return the_added ? experiment.schedules.back() : schedule_named(experiment, arguments.schedule);
}

}  // namespace

DeriveAnswer derive_order(const DeriveArguments& arguments) {
  const DerivationFormat format = format_from(arguments.format);
  Experiment experiment = read_experiment(arguments.experiment);
  const ScheduleSpec& schedule = asked_for(experiment, arguments);
  const std::string& file = arguments.experiment.source.file;
  if (const auto violations = check_whole_timelines(folded(experiment, Links::Own)); !violations.empty())
    throw InputError(located(violations, file, ""));
  require_order_memory(experiment.pipeline);
  const PlannedSchedule planned = planned_as_in_a_run(experiment, schedule, file);
  DeriveOptions options = planned.options;
  const DeriveOptions whole = derive_options(experiment, schedule);
  options.pipeline = whole.pipeline;
  options.joined_replicas = whole.joined_replicas;
  Derived derived = derive(experiment.model, schedule.schedule, planned.cut, options);
  const auto index = static_cast<std::size_t>(&schedule - experiment.schedules.data());
  return {std::move(experiment), index, format, std::move(derived)};
}

}  // namespace spillway
