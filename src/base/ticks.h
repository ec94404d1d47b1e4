// Rounds times for plans.
#pragma once

#include <vector>

#include "base/quantity.h"

namespace spillway {

// Rounds the times to multiples of one power of two, at most 2^-40 of the largest. Sums of thousands of them
// are then exact, so that sums which are mathematically equal tie. Contract: no pointer in `times` is null.
void round_to_ticks(const std::vector<Seconds*>& times);

// Rounds a whole list.
void round_to_ticks(std::vector<Seconds>& times);

}  // namespace spillway
