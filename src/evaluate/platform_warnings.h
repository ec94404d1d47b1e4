// What makes the times of one platform no measure for those of another.
#pragma once

#include <vector>

#include "base/warning.h"
#include "experiment/experiment.h"

namespace spillway {

// Empty where durations are given.
//   at-peak               the platform has neither measured products nor an efficiency of them, and a block
//   none of its own sustained-not-stated  it does not say what of an operator's rate a long run keeps, as
//   others do
std::vector<Warning> platform_warnings(const Experiment& experiment);

}  // namespace spillway
