// What the draws of an experiment take from its traces, and what they leave out. Nothing is left out unsaid:
// a little is a warning, most of it no answer to what was asked.
#pragma once

#include <string>
#include <vector>

#include "draws/costs.h"
#include "workload/tally.h"

namespace spillway {

struct WorkloadUse {
  std::string pointer;  // of the workload in the experiment
  std::string limit;    // the key below it that makes samples lose something
  std::uint32_t limit_value;
  std::vector<WorkloadTally> draws;

  WorkloadTally all() const;
};

// One per workload, over the experiment's draws.
std::vector<WorkloadUse> workload_uses(const DrawCosts& costs);

// "3 of 8 images and 12 % of the tokens": what the samples lose.
std::string losses_text(const WorkloadTally& tally);

// `uses` again; throws InputError with a violation, by the experiment's pointers, for each workload that
// loses more than half of its images or of its tokens.
std::vector<WorkloadUse> held_to_losses(std::vector<WorkloadUse> uses);

}  // namespace spillway
