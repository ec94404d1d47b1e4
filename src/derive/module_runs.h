// The pipelined runs of modules: their stages and their orders. Private to src/derive.
#pragma once

#include <vector>

#include "derive/assemble.h"
#include "derive/modules.h"
#include "derive/stages.h"

namespace spillway {

// The regions of a module, on ranks of their own.
struct ModuleRun {
  ShardedRun run;
  std::uint32_t ranks;  // of one copy
  ModulePlace place;

  RankId rank(RankId of_copy, std::uint32_t copy) const {
    return RankId(place.first_rank + of_copy.index() * place.copies + copy);
  }
};

// One for each module. Contract: check_module_regions finds nothing.
std::vector<ModuleRun> module_runs(const Schedule& schedule, const std::vector<Region>& regions,
                                   const DeriveOptions& options);

// The shape of one copy's run; expectations are left out.
RunShape run_shape(const ModuleRun& run, const DeriveOptions& options);

// The ranks' orders of every copy of every module, ranks and microbatches as in the unit.
std::vector<Body> module_bodies(const Schedule& schedule, const std::vector<Region>& regions,
                                const DeriveOptions& options);

// Each forward in front of `ahead` more of the slots that are none. Of 1F1B: with so many more microbatches
// in flight.
RankOrder run_ahead(const RankOrder& order, std::uint32_t ahead);

// The most microbatches that have begun a run's first stage, which is on the rank, and not come back.
std::uint32_t in_flight(const RankOrder& first_rank);

}  // namespace spillway
