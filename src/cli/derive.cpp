#include <iostream>

#include "cli/arguments.h"
#include "report/derivation.h"
#include "spec/derive_options.h"
#include "sweep/fold.h"
#include "sweep/plan.h"

namespace spillway {

int derive_command(const DeriveArguments& arguments) {
  const auto format = derivation_format_from(arguments.format);
  if (!format) refuse_argument("--format", "text, json, dot, graphml or csv", '"' + arguments.format + '"');
  const Experiment experiment = read_experiment(arguments.experiment);
  const bool the_added = arguments.schedule.empty() && !arguments.experiment.order.empty();
  const ScheduleSpec& schedule =
      the_added ? experiment.schedules.back() : schedule_named(experiment, arguments.schedule);
  DeriveOptions options = derive_options(experiment, schedule);
  // The owner map that a run uses, which plans for one replica of those that cost the same.
  if (const auto owner = plan(DrawCosts(folded(experiment)), schedule).owner) options.owners = {owner->owner};
  write_derivation(std::cout, derive(experiment.model, schedule.schedule, schedule.cut, options), *format);
  return 0;
}

}  // namespace spillway
