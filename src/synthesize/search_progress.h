// How a search got on.
#pragma once

#include <cstdint>

#include "base/quantity.h"

namespace spillway {

// The shortest mean step on the searched draws after a number of tries.
struct SearchProgress {
  std::uint64_t tries;
  Seconds step;
};

}  // namespace spillway
