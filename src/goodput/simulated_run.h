// The goodput of a simulated run, failure by failure, as a check of the closed form (goodput.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "goodput/goodput.h"

namespace spillway {

// Returns the times between `count` failures that follow each other. The same seed gives the same times.
std::vector<Seconds> failure_gaps(Seconds mean, std::size_t count, std::uint64_t seed);

// Returns the training that the run secures in one gap, whose beginning is a failure.
Seconds secured_in(Seconds gap, const FailingRun& run, Seconds interval);

struct SimulatedGoodput {
  double mean;
  double deviation;  // standard deviation of the mean; a 95 % interval is 1.96 of it on either side
};

// Contract: at least two gaps.
SimulatedGoodput simulated_goodput(const FailingRun& run, Seconds interval, const std::vector<Seconds>& gaps);

struct SimulatedBest {
  std::uint64_t steps;
  SimulatedGoodput goodput;
};

// Returns the number of steps between two checkpoints with the greatest simulated goodput. It tries `around`
// times 2^-2 ... 2^2, in steps of an eighth of an octave, from `least` on; all see the same failures.
// Contract: at least two gaps, around >= least > 0, step > 0.
SimulatedBest simulated_best(const FailingRun& run, Seconds step, std::uint64_t around, std::uint64_t least,
                             const std::vector<Seconds>& gaps);

}  // namespace spillway
