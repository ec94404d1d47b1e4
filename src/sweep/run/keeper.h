// Gathers finished points for `keep`, so that a store has few and large transactions.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "sweep/run/workers.h"

namespace spillway {

// The longest time for which finished points wait for others, and the most points that wait.
inline constexpr std::chrono::milliseconds kKeepEvery{200};
inline constexpr std::size_t kMostUnkept = 1024;

class Keeper {
 public:
  explicit Keeper(const Keep& keep) : keep_(keep) {}

  // Passes the points to `keep` together with those that wait, or lets them wait for a later call. Throws
  // what `keep` throws, once. After that it keeps nothing.
  void add(std::vector<FinishedPoint> finished) {
    std::move(finished.begin(), finished.end(), std::back_inserter(unkept_));
    if (Clock::now() - kept_ >= kKeepEvery || unkept_.size() >= kMostUnkept) flush();
  }
  void flush() {
    std::vector<FinishedPoint> finished = std::exchange(unkept_, {});
    kept_ = Clock::now();
    if (refused_ || finished.empty()) return;
    refused_ = true;  // until keep_ returns
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
