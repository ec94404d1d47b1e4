// Orders of microbatches, made once the sizes of a step are known.
#pragma once

#include <vector>

#include "optimize/microbatch_rules.h"

namespace spillway {

// One permutation per replica, from what `as_sampled` says of this step. Deterministic. Makespan: replicas
// that advance together are searched together, others each by itself, which loses nothing, since they meet
// at reductions alone, after which only the step ends. No replica's longest path is then longer than under
// any of kOrderRules.
std::vector<Permutation> order_microbatches(MicrobatchOrder order, const Derived& derived,
                                            const CostModel& as_sampled);

}  // namespace spillway
