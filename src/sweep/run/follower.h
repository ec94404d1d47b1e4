// Rank 0's record of another rank.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "sweep/run/letters.h"

namespace spillway {

struct Follower {
  std::chrono::steady_clock::time_point heard = std::chrono::steady_clock::now();
  std::size_t wanted = 0;          // points that it asked for and has not been given yet
  bool lost = false;               // it was silent for kSilence and has not been heard since
  bool left = false;               // it left this round
  bool gone = false;               // it left the job
  std::vector<Letter> early = {};  // letters of rounds that rank 0 has not begun yet

  // Returns true if the rank wants points and is there to take them.
  bool takes_work() const { return wanted > 0 && !lost && !left && !gone; }
  void hear() {
    heard = std::chrono::steady_clock::now();
    lost = false;
  }
  // Marks the rank as lost if it has been silent for kSilence. Returns true only when the mark is new.
  bool falls_silent() {
    if (lost || gone || std::chrono::steady_clock::now() - heard < kSilence) return false;
    return lost = true;
  }
};

}  // namespace spillway
