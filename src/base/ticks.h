// Times as a plan sees them.
#pragma once

#include <vector>

#include "base/quantity.h"

namespace spillway {

// Rounds the times to multiples of one power of two, 2^-40 of the largest or less: sums of thousands of them
// are exact then, so that what is equal but for rounding ties, however it came about. `times` are not null.
void round_to_ticks(const std::vector<Seconds*>& times);

// Rounds a whole list.
void round_to_ticks(std::vector<Seconds>& times);

}  // namespace spillway
