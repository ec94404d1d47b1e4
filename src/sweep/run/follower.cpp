#include "sweep/run/follower.h"

#include "sweep/run/letters.h"

namespace spillway {

void Follower::hear() {
  heard = std::chrono::steady_clock::now();
  lost = false;
}

bool Follower::falls_silent() {
  if (lost || gone || std::chrono::steady_clock::now() - heard < kSilence) return false;
  return lost = true;
}

}  // namespace spillway
