// Where the step of a layout goes, by the accounts of its critical path and of its ranks
// (timing/attribution.h).
#pragma once

#include <array>
#include <optional>

#include "base/quantity.h"
#include "experiment/experiment.h"
#include "optimize/prepared_order.h"

namespace spillway {

// Means over the draws. The parts of the critical path add up to `step`.
struct TimeAccount {
  Seconds step;
  Seconds computing;    // passes, without the two below
  Seconds recomputed;   // inside passes
  Seconds collectives;  // inside passes: what nothing hides, and what passes take longer beside the others
  Seconds transfers;    // between ranks
  Seconds reductions;   // of gradients, that nothing hides
  Seconds end;          // the end of the step behind them (cost/step_end.h)
  Seconds planning;     // the wait for the step's plan
  // No further parts of the path:
  Seconds transposed;  // passes of transposed regions on it, with all that is inside them
  Seconds idle;        // of a rank, on average: the step less what it computes
};

struct TimePart {
  const char* key;   // in spillway/layout-explanation/1
  const char* name;  // in tables
  Seconds TimeAccount::*time;
  bool on_path = true;  // the parts of the critical path add up
};
inline constexpr std::array<TimePart, 9> kTimeParts = {
    {{"computing_s", "computing", &TimeAccount::computing},
     {"recomputed_s", "recomputation", &TimeAccount::recomputed},
     {"collectives_s", "collectives inside passes", &TimeAccount::collectives},
     {"transfers_s", "transfers between ranks", &TimeAccount::transfers},
     {"reductions_s", "reductions of gradients", &TimeAccount::reductions},
     {"step_end_s", "end of the step", &TimeAccount::end},
     {"planning_s", "wait for the plan", &TimeAccount::planning},
     {"transposed_s", "of it, transposed encoder", &TimeAccount::transposed, false},
     {"idle_s", "a rank is idle, on average", &TimeAccount::idle, false}}};

// Returns the account of the experiment's first schedule by the longest path; nothing if its order is too
// large to be held.
std::optional<TimeAccount> time_account(const Experiment& experiment, OrderCache& orders);

}  // namespace spillway
