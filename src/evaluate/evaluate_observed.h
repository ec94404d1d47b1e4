// Evaluations that take long, for someone who looks on.
#pragma once

#include <cstdint>
#include <functional>

#include "evaluate/evaluate.h"

namespace spillway {

// Told after each draw of each schedule, those that are run beside the experiment's included.
using OnDraw = std::function<void(std::uint64_t done, std::uint64_t total)>;

Evaluation evaluate(const Experiment& experiment, const Engines& engines, OrderCache& orders,
                    const OnDraw& on_draw);

}  // namespace spillway
