// How long a rank waits for rank 0.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>

namespace spillway {

// While rank 0 leads a round it writes at least twice a second, except where it keeps outcomes: a store waits
// up to half a minute for others. Before, between and after rounds it reads, plans and sums up, and writes
// nothing.
struct Patience {
  std::chrono::seconds in_a_round{120};
  std::chrono::seconds otherwise{1800};
};

// Rank 0 hangs, or is suspended alone: its job cannot go on.
class LeaderLost : public std::runtime_error {
 public:
  explicit LeaderLost(std::chrono::seconds silence)
      : std::runtime_error("rank 0 has been silent for " + std::to_string(silence.count()) +
                           " s, so the job ends here; what it kept is in the store, and --resume goes on") {}
};

}  // namespace spillway
