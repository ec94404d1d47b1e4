// The gold standard: every event starts the moment its last predecessor ends.
//   start(e) = max over predecessors of end, over the joined replicas too;  end(e) = start(e) + duration(e)
// Linear in edges x lanes. Paper section 3.3.
#pragma once

#include <cstdint>
#include <vector>

#include "order/order.h"
#include "timing/timeline.h"

namespace spillway {

// The order as flat arrays, prepared once and evaluated under many durations.
class LongestPath {
 public:
  explicit LongestPath(const Order& order);

  // Contract: durations cover the order's events; joined replicas divide the lanes.
  Timeline timeline(const Durations& durations) const;

  // The makespan alone; `ends` is scratch space, kept by the caller so that a warm pass allocates nothing.
  Seconds makespan(const Durations& durations, PerEvent<Seconds>& ends) const;

 private:
  std::vector<std::uint32_t> first_;         // event -> first index into predecessors_
  std::vector<std::uint32_t> predecessors_;  // those that the rank sequences do not already imply
  std::vector<std::uint32_t> joined_;        // (event, replicas) pairs of joined events, ascending
};

}  // namespace spillway
