// What a measured job's steps would take if nothing waited for its host, and if every operation of a kind
// took the same time: what stragglers cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "traces/events/trace.h"

namespace spillway {

// Whole steps: from the first event of a step to its last, over all replicas, collectives and optimizer
// included.
struct StepWhatIf {
  std::string step;
  Seconds measured;
  Seconds without_delays;  // every operation starts when what it waits for has ended
};

struct StragglerWhatIf {
  std::vector<StepWhatIf> steps;
  // Every computing operation also takes the mean, and every transfer and collective the median, of its kind
  // over all stages, replicas and steps. Stages are made equal too, unlike in a means-only replay, which
  // keeps them apart.
  Seconds without_variation;

  Seconds mean_without_delays() const;
  // The slow-down of the study's equation 1: mean without delays / without variation.
  double slowdown() const;
};

// Dependencies and definitions: arXiv 2505.05713 and https://github.com/ByteDance-Seed/StragglerAnalysis, of
// whose figures these are within 1e-6 (tests/validate/straggler_what_if_test.cpp). A transfer's own time is
// counted from the moment when all its members have entered it; one that ends 10 ms or more before that shows
// clocks apart and counts as none. Nothing where the trace lacks the operations of such a step.
std::optional<StragglerWhatIf> straggler_what_if(const Trace& trace);

}  // namespace spillway
