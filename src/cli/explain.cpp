#include "report/explain.h"

#include <iostream>

#include "cli/arguments.h"

namespace spillway {

int explain(const ExplainArguments& arguments) {
  const Experiment experiment = read_experiment(arguments.experiment);
  if (!arguments.schedule.empty()) schedule_named(experiment, arguments.schedule);
  const Evaluation evaluation =
      evaluate(experiment, arguments.experiment.file, {.longest_path = true, .simgrid = false});
  write_explanation(std::cout, evaluation, arguments.schedule);
  return 0;
}

}  // namespace spillway
