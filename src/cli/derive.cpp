#include <iostream>

#include "cli/arguments.h"
#include "report/derivation.h"
#include "sweep/fold.h"
#include "sweep/plan.h"

namespace spillway {

int derive_command(const DeriveArguments& arguments) {
  const auto format = derivation_format_from(arguments.format);
  if (!format) refuse_argument("--format", "text, json, dot or graphml", '"' + arguments.format + '"');
  const Experiment experiment = read_experiment(arguments.experiment);
  const ScheduleSpec& schedule = schedule_named(experiment, arguments.schedule);
  DeriveOptions options = derive_options(experiment, schedule);
  // The owner map that a run uses, which plans for one replica of those that cost the same.
  if (const auto owner = plan(DrawCosts(folded(experiment)), schedule).owner) options.owners = {owner->owner};
  write_derivation(std::cout, derive(experiment.model, schedule.schedule, schedule.cut, options), *format);
  return 0;
}

}  // namespace spillway
