// Evaluates an experiment: derives every schedule, prices it on the same draws, and runs it through the
// engines.
#pragma once

#include <cstdint>
#include <functional>

#include "evaluate/evaluation.h"
#include "optimize/prepared_order.h"

namespace spillway {

// Called after each draw of each schedule, references included.
using OnDraw = std::function<void(std::uint64_t done, std::uint64_t total)>;

// Evaluates the experiment with its `draws` and `seed`. Throws InputError if draws lose most of their data
// (held_to_losses), and Infeasible if a fit cannot reach its target. A schedule that exceeds the memory is
// evaluated anyway (memory_limit.h). Contract: at least one engine. At most one such call may run at a time
// if it asks for SimGrid, since it holds the process's SimGrid engine.
Evaluation evaluate(const Experiment& experiment, const Engines& engines);
// Does the same with orders that other evaluations derived or will use, and reports progress to `on_draw`.
Evaluation evaluate(const Experiment& experiment, const Engines& engines, OrderCache& orders,
                    const OnDraw& on_draw = {});

}  // namespace spillway
