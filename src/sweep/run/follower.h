// What rank 0 knows of another rank.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "sweep/run/letters.h"

namespace spillway {

struct Follower {
  std::chrono::steady_clock::time_point heard = std::chrono::steady_clock::now();
  std::size_t wanted = 0;          // points asked for, and not given yet
  bool lost = false;               // silent for long, and not heard of since
  bool left = false;               // this round
  bool gone = false;               // for good
  std::vector<Letter> early = {};  // of a round that is still to come here

  // Is it there to be given the points that it wants?
  bool takes_work() const { return wanted > 0 && !lost && !left && !gone; }
  void hear() {
    heard = std::chrono::steady_clock::now();
    lost = false;
  }
  // Is it lost by now, and was not before?
  bool falls_silent() {
    if (lost || gone || std::chrono::steady_clock::now() - heard < kSilence) return false;
    return lost = true;
  }
};

}  // namespace spillway
