// The passes that an event is made of. Private to src/cost.
#pragma once

#include <vector>

#include "base/id.h"
#include "cost/price.h"
#include "cost/slabs/gradients.h"

namespace spillway {

// A pass of a stage over a microbatch.
struct Run {
  StageId stage;
  MicrobatchId microbatch;
  Pass pass;
};

// Nothing where the event does not compute.
std::vector<Run> runs_of(const Event& event);

// What a pass computes of what is wanted, a backward as its halves.
std::vector<Pass> gradients_in(Pass pass, Gradients gradients);

}  // namespace spillway
