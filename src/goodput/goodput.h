// The share of a long run's time that trains: its goodput, also called effective training time ratio. The
// rest goes to failures, to work that is done again, and to checkpoints.
//
// Failures are a Poisson process over the whole run: devices fail independently, each after an exponential
// time, also while the run restarts. A failure stops the run. It restarts from the last usable checkpoint.
// Sources: Young 1974 (doi 10.1145/361147.361115); Daly 2006 (doi 10.1016/j.future.2004.11.016).
#pragma once

#include <cstdint>

#include "base/quantity.h"

namespace spillway {

struct FailingRun {
  Seconds between_failures;  // mean, over all devices of the run
  Seconds restart;           // from a failure until the run trains again; another failure starts it again
  Seconds stall;             // training stands still for each checkpoint
  Seconds lag;               // from the end of the stall until the run can restart from the checkpoint
};

// Returns the goodput with `interval` seconds of training between two checkpoints. It is exact in the long
// run. Contract: interval > 0.
double goodput(const FailingRun& run, Seconds interval);

// Return the interval of the greatest goodput: the first by Young's first-order formula, the second by Daly's
// formula of higher order, the third exactly. They are 0 if a checkpoint does not stall the run. The lag does
// not change them.
Seconds young_interval(const FailingRun& run);
Seconds daly_interval(const FailingRun& run);
Seconds best_interval(const FailingRun& run);

// Returns the number of steps between two checkpoints with the greatest goodput, `least` or more. Contract:
// step > 0, least > 0.
std::uint64_t best_steps(const FailingRun& run, Seconds step, std::uint64_t least);

}  // namespace spillway
