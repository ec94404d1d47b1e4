// Finished points gathered for `keep`, so that a store has few and large transactions.
#pragma once

#include <chrono>
#include <vector>

#include "sweep/run/workers.h"

namespace spillway {

// How long finished points wait to be kept with others, and how many may.
inline constexpr std::chrono::milliseconds kKeepEvery{200};
inline constexpr std::size_t kMostUnkept = 1024;

class Keeper {
 public:
  explicit Keeper(const Keep& keep) : keep_(keep) {}

  // Keeps them with what came before, or leaves them for a later call. Throws what `keep` does, once: after
  // that nothing is kept any more.
  void add(std::vector<FinishedPoint> finished);
  void flush();

 private:
  using Clock = std::chrono::steady_clock;

  const Keep& keep_;
  std::vector<FinishedPoint> unkept_;
  Clock::time_point kept_ = Clock::now();
  bool refused_ = false;
};

}  // namespace spillway
