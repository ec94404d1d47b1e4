// Counts the samples that the draws of an experiment take from its traces, and those that they leave out. A
// small loss is a warning. A loss of most of the data is refused, since the result would not answer the
// question.
#pragma once

#include <string>
#include <vector>

#include "draws/costs.h"
#include "workload/tally.h"

namespace spillway {

struct WorkloadUse {
  std::string pointer;  // of the workload in the experiment
  std::string limit;    // the key below `pointer` that makes samples lose data
  std::uint32_t limit_value;
  std::vector<WorkloadTally> draws;

  WorkloadTally all() const;
};

// Returns one entry for each workload, over the experiment's draws.
std::vector<WorkloadUse> workload_uses(const DrawCosts& costs);

// Describes what the samples lose, for example "3 of 8 images and 12 % of the tokens".
std::string losses_text(const WorkloadTally& tally);

// Returns `uses`. Throws InputError with a violation for each workload that loses more than half of its
// images or of its tokens. Pointers are those of the experiment.
std::vector<WorkloadUse> held_to_losses(std::vector<WorkloadUse> uses);

}  // namespace spillway
