// Owner maps by rule. Private to src/derive.
#pragma once

#include <cstddef>
#include <vector>

#include "derive/owner.h"

namespace spillway {

inline RankId rank_at(std::size_t index) {
  return RankId(static_cast<std::uint32_t>(index));
}

// Microbatches by encode time, heaviest first, equals in microbatch order.
std::vector<std::size_t> heaviest_first(const OwnerProblem& problem);

OwnerMap round_robin(const OwnerProblem& problem);
OwnerMap blocked(const OwnerProblem& problem);

// Heaviest encode to the longest slack that is left; equal slacks to the lower rank.
OwnerMap greedy(const OwnerProblem& problem);

}  // namespace spillway
