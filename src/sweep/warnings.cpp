#include "sweep/warnings.h"

#include <utility>

#include "sweep/workload_use.h"

namespace spillway {

std::vector<Warning> warnings_of(const DrawCosts& costs) {
  std::vector<Warning> all = costs.experiment().warnings;
  for (Warning& warning : warnings_of(workload_uses(costs))) all.push_back(std::move(warning));
  return all;
}

}  // namespace spillway
