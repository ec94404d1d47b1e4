// Rules of a schedule that change what its events cost: samples that replicas exchange, input passes that are
// recomputed, and input passes that run while the pipeline communicates. Private to src/draws.
#pragma once

#include <memory>

#include "cost/cost_model.h"
#include "draws/regrouped_draws.h"

namespace spillway {

// Returns `costs` with the rules of the outline's schedule applied. If `exchange` is empty, samples stay
// where they are drawn. Views `outline`, which outlives the result. Contract: the outline has no modules;
// `exchange` is for its replicas and microbatches.
std::unique_ptr<CostModel> with_schedule_rules(std::unique_ptr<CostModel> costs, const Outline& outline,
                                               SampleExchange exchange);

}  // namespace spillway
