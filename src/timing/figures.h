// What a Timeline says about each rank: busy, communicating, idle, and, where a transposed region feeds a
// pipelined one, its warm-up slack, the transposed work put there and what of it spills. Definitions:
// docs/glossary.md.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"
#include "derive/derive.h"
#include "timing/step_figures.h"
#include "timing/timeline.h"

namespace spillway {

// Of the transposed region that feeds a pipelined one (derive/feeding.h).
struct RankSpill {
  Seconds warm_up_slack;  // w_r (timing/warm_up.h)
  Seconds encoder;        // E_r: forwards of the transposed region
  Seconds spill;          // max(0, E_r - w_r)
};

struct RankFigures {
  ReplicaId replica;
  RankId rank;
  Seconds busy;           // computing events
  Seconds communication;  // transfers it sends and reduces it takes part in
  Seconds bubble;         // makespan - busy
  Seconds idle;           // the paper's bub(r): while no event of its nodes(r) runs (order/rank_lists.h)
  Seconds first_start;    // first computing event
  Seconds last_end;       // last computing event
  std::optional<RankSpill> spill;  // none where no transposed region feeds a pipelined one
};

// Replica by replica, rank by rank. `timeline` from any engine, of these durations.
std::vector<RankFigures> rank_figures(const Derived& derived, const Durations& durations,
                                      const Timeline& timeline);

// The step of a timeline that ends at `makespan`, with `path` where a transposed region feeds a pipelined
// one. Contract: `ranks` are as above.
StepFigures step_figures(const std::vector<RankFigures>& ranks, Seconds makespan,
                         const std::optional<PathEnds>& path, std::uint32_t equal_replicas = 1,
                         std::span<const double> devices = {});

}  // namespace spillway
