// Finished points gathered for `keep`, so that a store has few and large transactions.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <utility>
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
  void add(std::vector<FinishedPoint> finished) {
    std::move(finished.begin(), finished.end(), std::back_inserter(unkept_));
    if (Clock::now() - kept_ >= kKeepEvery || unkept_.size() >= kMostUnkept) flush();
  }
  void flush() {
    std::vector<FinishedPoint> finished = std::exchange(unkept_, {});
    kept_ = Clock::now();
    if (refused_ || finished.empty()) return;
    refused_ = true;  // unless it returns
    keep_(std::move(finished));
    refused_ = false;
  }

 private:
  using Clock = std::chrono::steady_clock;

  const Keep& keep_;
  std::vector<FinishedPoint> unkept_;
  Clock::time_point kept_ = Clock::now();
  bool refused_ = false;
};

}  // namespace spillway
