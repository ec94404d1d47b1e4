// The figures of each rank, read from a Timeline: busy, communication and idle time. If a transposed region
// feeds a pipelined one, they include the warm-up slack, the transposed work on the rank, and its spill.
// Definitions: docs/glossary.md.
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

// Figures of the transposed region that feeds a pipelined one (derive/feeding.h).
struct RankSpill {
  Seconds warm_up_slack;  // w_r (timing/warm_up.h)
  Seconds encoder;        // E_r: forwards of the transposed region
  Seconds spill;          // max(0, E_r - w_r)
};

struct RankFigures {
  ReplicaId replica;
  RankId rank;
  Seconds busy;                    // computing events
  Seconds communication;           // transfers that it sends and reduces that it takes part in
  Seconds bubble;                  // makespan - busy
  Seconds idle;                    // the paper's bub(r): no event of nodes(r) runs (order/rank_lists.h)
  Seconds first_start;             // first computing event
  Seconds last_end;                // last computing event
  std::optional<RankSpill> spill;  // none if no transposed region feeds a pipelined one
};

// Replica by replica, rank by rank. `timeline` is any engine's result for these durations.
std::vector<RankFigures> rank_figures(const Derived& derived, const Durations& durations,
                                      const Timeline& timeline);

// The figures of a step that ends at `makespan`. `path` is given if a transposed region feeds a pipelined
// one. Contract: `ranks` are rank_figures().
StepFigures step_figures(const std::vector<RankFigures>& ranks, Seconds makespan,
                         const std::optional<PathEnds>& path, std::uint32_t equal_replicas = 1,
                         std::span<const double> devices = {});

}  // namespace spillway
