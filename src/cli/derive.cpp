#include <iostream>

#include "cli/arguments.h"
#include "report/derivation.h"
#include "sweep/plan.h"

namespace spillway {

int derive_command(const DeriveArguments& arguments) {
  const auto format = derivation_format_from(arguments.format);
  if (!format) refuse_argument("--format", "text, json, dot or graphml", '"' + arguments.format + '"');
  const DrawCosts costs(read_experiment(arguments.experiment));
  write_derivation(std::cout, plan(costs, schedule_named(costs.experiment(), arguments.schedule)).derived,
                   *format);
  return 0;
}

}  // namespace spillway
