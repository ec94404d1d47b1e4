// Kinds of causes, a function each (gap_causes.h). Each adds those that apply to the job. Private to explain.
#pragma once

#include <string>
#include <vector>

#include "explain/gap_causes.h"

namespace spillway {

struct GapJob {
  const Experiment& experiment;
  const Node& document;
  RankId busiest;

  // Null if durations are given.
  const AnalyticCosts* costs() const { return on_platform(experiment.costs); }
  bool states(const std::string& pointer) const { return value_at(document, pointer) != nullptr; }
  // The plausibility of a setting whose key is `pointer`.
  double unless_stated(const std::string& pointer, double otherwise = kOpenPlausibility) const {
    return states(pointer) ? kStatedPlausibility : otherwise;
  }
};
using GapCauses = std::vector<GapCause>;

// Another shipped framework, or none; what the framework overlaps, pads and captures in graphs.
void add_software(const GapJob& job, GapCauses& causes);
// How devices share images, what is recomputed, how samples are packed, how tensor parallelism communicates.
void add_choices(const GapJob& job, GapCauses& causes);
// Rates, links, hosts, a straggler, time between steps, uneven routing.
void add_scales(const GapJob& job, GapCauses& causes);

}  // namespace spillway
