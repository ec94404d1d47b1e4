// Schedules on planning draws, as a run would play them. Private to src/synthesize.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "optimize/ordered_draws.h"
#include "optimize/plan.h"

namespace spillway {

// Orders are searched on the first planning draws: kLanes of them over the replicas, but at least kFewest.
// Found and named schedules are compared on the kCompared behind the first kCompared, on which neither was
// made. No result is judged on any of them.
inline constexpr std::uint32_t kLanes = 64, kFewest = 4, kCompared = 16;

// Returns the numbers of these planning draws; {0} if draws do not differ.
std::vector<std::uint32_t> searched_draws(const Experiment& experiment);
std::vector<std::uint32_t> compared_draws(const Experiment& experiment);

struct PlannedFigures {
  Seconds step;               // mean over the draws
  std::optional<Bytes> peak;  // the most memory of a device at any instant; empty if it has no limit
  bool fits;                  // within the limit, in each draw
};

// Runs a schedule that is planned as in a run on the compared draws. `limit`: of the memory of each device.
// Contract: microbatches run as sampled.
PlannedFigures planned_figures(const DrawCosts& costs, const PlannedSchedule& planned,
                               std::optional<Bytes> limit);

// Walks the memory of every rank at the times of the first `draws` models. Their stages are those of
// `derived`.
Bytes most_memory_of(const Derived& derived, const CostModels& models, std::size_t draws);

}  // namespace spillway
