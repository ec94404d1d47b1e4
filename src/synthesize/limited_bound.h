// The mean over draws of the bound of a step: no order of the same passes on the same ranks that keeps a
// limit of memory takes less (timing/order_bound.h, memory/memory_bound.h). Private to src/synthesize.
#pragma once

#include <optional>

#include "draws/costs.h"
#include "optimize/ordered_draws.h"

namespace spillway {

// The bound of one draw.
Seconds limited_bound(const Derived& derived, const CostModel& model, std::optional<Bytes> limit);

// `models`: one for each draw. Contract: at least one.
Seconds limited_bound(const Derived& derived, const CostModels& models, std::optional<Bytes> limit);

}  // namespace spillway
