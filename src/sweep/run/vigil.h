// How long another rank has been silent, as one that looks now and then may judge it.
#pragma once

#include <algorithm>
#include <chrono>

namespace spillway {

class Vigil {
 public:
  using Clock = std::chrono::steady_clock;

  void hear() { silence_ = {}; }

  // To be called often. Time in which this rank did not look, either, does not count: where a whole job is
  // suspended and goes on, nobody was silent.
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
