// Measures how long another rank has been silent, for a rank that looks for letters now and then.
#pragma once

#include <algorithm>
#include <chrono>

namespace spillway {

class Vigil {
 public:
  using Clock = std::chrono::steady_clock;

  void hear() { silence_ = {}; }

  // Call it often. A pause in which this rank did not look counts for at most kLongestLook. So a job that was
  // suspended as a whole and goes on sees no silence.
  Clock::duration silence(Clock::time_point now = Clock::now()) {
    silence_ += std::min<Clock::duration>(now - looked_, kLongestLook);
    looked_ = now;
    return silence_;
  }

 private:
  static constexpr std::chrono::seconds kLongestLook{1};

  Clock::time_point looked_ = Clock::now();
  Clock::duration silence_ = {};
};

}  // namespace spillway
