#include "sweep/warnings.h"

namespace spillway {

std::vector<Warning> warnings_of(const DrawCosts& costs) {
  return costs.experiment().warnings;
}

}  // namespace spillway
