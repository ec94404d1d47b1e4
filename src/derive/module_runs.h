// The pipelined runs of modules, and their orders. Private to src/derive.
#pragma once

#include <vector>

#include "derive/assemble.h"
#include "derive/modules.h"
#include "derive/stages.h"

namespace spillway {

// The regions of a module, on dedicated ranks.
struct ModuleRun {
  ShardedRun run;
  std::uint32_t ranks;  // in one copy
  ModulePlace place;

  RankId rank(RankId of_copy, std::uint32_t copy) const {
    return RankId(place.first_rank + of_copy.index() * place.copies + copy);
  }
};

// Returns one run for each module. Contract: check_module_regions finds nothing.
std::vector<ModuleRun> module_runs(const Schedule& schedule, const std::vector<Region>& regions,
                                   const DeriveOptions& options);

// The shape of one copy's run, without expectations.
RunShape run_shape(const ModuleRun& run, const DeriveOptions& options);

// The ranks' orders of every copy of every module. Ranks and microbatches are numbered as in the unit.
std::vector<Body> module_bodies(const Schedule& schedule, const std::vector<Region>& regions,
                                const DeriveOptions& options);

// Moves each forward ahead of `ahead` more slots that are not forwards. 1F1B then has `ahead` more
// microbatches in flight.
RankOrder run_ahead(const RankOrder& order, std::uint32_t ahead);

// The most microbatches in flight: they have begun the run's first stage, on this rank, and their backward
// has not.
std::uint32_t in_flight(const RankOrder& first_rank);

}  // namespace spillway
