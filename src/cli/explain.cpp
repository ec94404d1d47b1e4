#include "report/step/explain.h"

#include <iostream>

#include "cli/arguments.h"

namespace spillway {

int explain(const ExplainArguments& arguments) {
  const ExperimentInput input = read_input(arguments.experiment);
  if (!arguments.schedule.empty()) schedule_named(input.experiment, arguments.schedule);
  const Evaluation evaluation =
      evaluate(input.experiment, input.file, {.longest_path = true, .simgrid = false});
  write_explanation(std::cout, evaluation, arguments.schedule);
  return 0;
}

}  // namespace spillway
