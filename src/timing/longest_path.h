// The gold standard: every event starts the moment its last predecessor ends.
//   start(e) = max over predecessors of end, over the joined replicas too;  end(e) = start(e) + duration(e)
// Linear in edges x lanes. Paper section 3.3. Contract throughout: no duration is negative.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "order/order.h"
#include "timing/timeline.h"

namespace spillway {

// The order as flat arrays, prepared once and evaluated under many durations.
class LongestPath {
 public:
  // With `replicas`, of that many neighbours by themselves: an event that joins more waits for these alone.
  explicit LongestPath(const Order& order,
                       std::uint32_t replicas = std::numeric_limits<std::uint32_t>::max());

  // The plain recurrence, event by event and lane by lane: the oracle. Contract: durations cover the order's
  // events; joined events have equal durations on the lanes they join, and their joined_replicas divides the
  // lanes.
  Timeline timeline(const Durations& durations) const;

  // The makespan alone, by flat loops, equal to the oracle's to the last bit; `ends` is scratch space, kept
  // by the caller so that a warm pass allocates nothing.
  Seconds makespan(const Durations& durations, PerEvent<Seconds>& ends) const;

  // Many draws in one pass: the makespan of each group of `group` consecutive lanes, a draw's replicas say,
  // equal to what makespan() says of the group alone, to the last bit. Lanes are taken a few at a time, so
  // that their ends stay in a near cache whatever their number. Contract: `group` divides the lanes and is a
  // multiple of every joined_replicas.
  std::vector<Seconds> makespans(const Durations& durations, std::uint32_t group,
                                 PerEvent<Seconds>& ends) const;

  // The ends of `count` lanes from `first` on, by the same loops, and the last end of each lane. A lane by
  // itself stands for all that it joins. Contract: the lanes are a multiple of every joined_replicas.
  std::vector<Seconds> ends(const Durations& durations, std::uint32_t first, std::uint32_t count,
                            PerEvent<Seconds>& ends) const;

  // When the last predecessor of an event that joins the lanes from `first_lane` on has ended on any of them.
  Seconds ready_at(EventId event, std::uint32_t first_lane, std::uint32_t joined,
                   const PerEvent<Seconds>& ends) const;

 private:
  struct TwoEvents {
    std::uint32_t first;
    std::uint32_t second;
  };
  struct Special {
    std::uint32_t event;
    std::uint32_t joined;
  };

  void check(const Durations& durations) const;
  std::uint32_t event_count() const { return static_cast<std::uint32_t>(before_.size()); }
  void run(const Durations& durations, std::uint32_t first, std::uint32_t count, PerEvent<Seconds>& ends,
           Seconds* last) const;
  template <class Vector, std::uint32_t Count>
  void run_vectors(const double* duration, std::uint32_t stride, double* end, double* last) const;
  void run_lanes(const double* duration, std::uint32_t stride, std::uint32_t lanes, double* end,
                 double* last) const;
  void run_event(std::uint32_t event, std::uint32_t joined, const double* duration, std::uint32_t lanes,
                 double* end) const;

  std::vector<std::uint32_t> first_;         // event -> first index into predecessors_
  std::vector<std::uint32_t> predecessors_;  // those that the rank sequences do not already imply
  std::vector<TwoEvents> before_;            // event -> its two predecessors, or its only one twice
  std::vector<Special> special_;             // by event: with none, with more, or joined
  std::uint32_t lane_multiple_ = 1;          // lanes come in multiples of every joined_replicas
};

}  // namespace spillway
