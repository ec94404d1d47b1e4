// One experiment evaluated: every schedule derived, priced on the same draws, run through the engines.
#pragma once

#include <cstdint>
#include <functional>

#include "evaluate/evaluation.h"
#include "optimize/prepared_order.h"

namespace spillway {

// Told after each draw of each schedule, references included.
using OnDraw = std::function<void(std::uint64_t done, std::uint64_t total)>;

// Throws InputError where draws lose most of their data (held_to_losses), Infeasible where a fit reaches
// nothing. A schedule that needs more memory than there is has a warning (memory_limit.h). Contract: at least
// one engine. `draws` and `seed` are the experiment's. Holds the process's SimGrid engine while it runs, if
// it is asked for, so at most one such call at a time.
Evaluation evaluate(const Experiment& experiment, const Engines& engines);
// With orders that other evaluations derived, or will want, for someone who looks on.
Evaluation evaluate(const Experiment& experiment, const Engines& engines, OrderCache& orders,
                    const OnDraw& on_draw = {});

}  // namespace spillway
