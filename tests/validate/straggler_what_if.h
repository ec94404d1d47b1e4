// Computes how long a measured job's steps would be if nothing waited for its host, and if all operations of
// a kind took the same time. The difference is the cost of stragglers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "traces/events/trace.h"

namespace spillway {

// A whole step, from its first event to its last, over all replicas, with collectives and optimizer.
struct StepWhatIf {
  std::string step;
  Seconds measured;
  Seconds without_delays;  // every operation starts when those it waits for have ended
};

struct StragglerWhatIf {
  std::vector<StepWhatIf> steps;
  // In addition, every computing operation takes the mean, and every transfer and collective the median, of
  // its kind over all stages, replicas and steps. A means-only replay instead has a mean for each stage.
  Seconds without_variation;

  Seconds mean_without_delays() const;
  // The slow-down of the study's equation 1: mean without delays / without variation.
  double slowdown() const;
};

// Dependencies and definitions are those of arXiv 2505.05713 and
// https://github.com/ByteDance-Seed/StragglerAnalysis. The results are within 1e-6 of its figures
// (tests/validate/straggler_what_if_test.cpp). A transfer's own time counts from when all its members have
// entered it. One that ends 10 ms or more before that shows that clocks differ and counts as no time. Returns
// nothing if the trace lacks the operations of a whole step.
std::optional<StragglerWhatIf> straggler_what_if(const Trace& trace);

}  // namespace spillway
