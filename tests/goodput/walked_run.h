// A run of many devices, walked event by event: the slow and obvious form of src/goodput/goodput.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "goodput/goodput.h"
#include "workload/random_stream.h"

namespace spillway::testing {

// Devices that fail independently. A device that has failed is as good as new at once.
class Devices {
 public:
  Devices(std::uint32_t count, Seconds mean, std::uint64_t seed)
      : mean_(mean), random_({static_cast<std::uint32_t>(seed), 1}) {
    for (std::uint32_t i = 0; i < count; ++i) fails_at_.push_back(life());
  }

  // Returns the time of the next failure of any device.
  Seconds next_failure() {
    const auto first = std::ranges::min_element(fails_at_);
    const Seconds at = *first;
    *first = at + life();
    return at;
  }

 private:
  Seconds life() { return mean_ * -std::log1p(-random_.uniform()); }

  Seconds mean_;
  RandomStream random_;
  std::vector<Seconds> fails_at_;
};

// What the run does between two failures, one activity after the other.
class WalkedRun {
 public:
  WalkedRun(const FailingRun& run, Seconds interval) : run_(run), interval_(interval) {}

  // Goes on from a failure at `from` until the next one, at `to`.
  void go(Seconds from, Seconds to) {
    Seconds now = from + run_.restart, trained = usable_;
    while (now < to) {
      trained += interval_, now += interval_;  // trains
      now += run_.stall;                       // stands still for the checkpoint
      if (now > to) break;
      pending_.push_back({now + run_.lag, trained});
    }
    for (const Pending& one : pending_)
      if (one.usable_at <= to) usable_ = one.trained;
    pending_.clear();
  }

  Seconds trained() const { return usable_; }

 private:
  struct Pending {
    Seconds usable_at;
    Seconds trained;
  };

  FailingRun run_;
  Seconds interval_;
  Seconds usable_;  // training in the last usable checkpoint
  std::vector<Pending> pending_;
};

}  // namespace spillway::testing
